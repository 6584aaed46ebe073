// An account of Route 53 in memory, at the level of the `HostedZones` port. It is as strict as AWS where publishing
// depends on it: batches are atomic and have limits; CREATE and DELETE compare with what is there; a CNAME has no other
// type at its name; record sets of one name and type have one policy; an alias needs its target; SOA and NS of the apex
// cannot be deleted. Every refusal is in Route 53's words. Faults are injected call by call.
import { type RecordSet, type RecordSetChange, type RecordSetKey, sameContent } from '../../lib/dns/record-set.ts';
import {
  type BatchOutcome,
  type ChangeStatus,
  type HostedZone,
  type HostedZones,
  HostedZonesDeniedError,
  type Protection,
} from '../../lib/ports/hosted-zones.ts';
import { compareRoute53Names } from '../../lib/route53/listing-order.ts';
import { aliasProblem, besideProblem, cnameProblem } from './beside-rules.ts';
import { idOf, type StandingSets, standingSets } from './standing-sets.ts';

const ELEMENTS_MAX = 1_000;
const CHARACTERS_MAX = 32_000;
const PAGE_RECORD_SETS = 300;

/**
 * A fault of one call of `change`: the call returns `outcome`, and the batch is applied or not, as `apply` says.
 */
type ChangeFault = { readonly apply: boolean; readonly outcome: BatchOutcome };

export type MemoryHostedZonesOptions = {
  /** Called before each call of `change`; null: no fault. */
  readonly changeFault?: (changes: readonly RecordSetChange[], call: number) => ChangeFault | null;
  /** The message with which a record set is refused; null: it is accepted. */
  readonly reject?: (recordSet: RecordSet) => string | null;
  /** Refusals name no record set, as those of InvalidInput may. */
  readonly wordless?: boolean;
  /** The words with which the change of a protected record set is refused. */
  readonly protectedWords?: (protection: Protection) => string;
  /** True while protections may not be listed. */
  readonly protectionsDenied?: () => boolean;
  /** What is known of a change; default: all name servers have each change at once. */
  readonly changeStatus?: (changeId: string) => ChangeStatus;
};

export type MemoryHostedZones = {
  readonly port: HostedZones;
  /** Every call of the port so far, in order. */
  readonly calls: { readonly method: keyof HostedZones; readonly elements: number; readonly accepted: boolean }[];
  /** All record sets, SOA and NS of the apex included, in a stable order. */
  recordSets(id: string): RecordSet[];
  /** Sets a record set (or removes it, with null) as somebody else would. Nothing is checked. */
  edit(id: string, key: RecordSetKey, content: RecordSet['content'] | null): void;
  removeHostedZone(id: string): void;
  /** Protects a name and type as somebody else would, or ends that. */
  protect(id: string, name: string, type: string, comment: string | null): void;
  unprotect(id: string, name: string, type: string): void;
};

const NAME_SERVERS: readonly string[] = ['ns-1.awsdns-01.org.', 'ns-2.awsdns-02.com.'];

type Zone = HostedZone & { readonly sets: StandingSets; readonly protections: Map<string, Protection> };

/** The order in which Route 53 lists. */
function compareListed(a: RecordSetKey, b: RecordSetKey): number {
  const rest = (key: RecordSetKey) => `${key.type} ${key.setIdentifier ?? ''}`;
  return compareRoute53Names(a.name, b.name) || (rest(a) < rest(b) ? -1 : Number(rest(a) > rest(b)));
}

/** Refuses to list from a name that DNS does not allow. */
function checkListed(name: string): void {
  for (const label of name
    .replace(/\\[0-7]{3}/g, '-')
    .slice(0, -1)
    .split('.')) {
    if (label !== '' && label.length <= 63) continue;
    const [code, words] = label === '' ? ['DomainLabelEmpty', 'is empty'] : ['DomainLabelTooLong', 'is too long'];
    throw new Error(`InvalidInput: FATAL problem: ${code} (Domain label ${words}) encountered with '${name}'`);
  }
}

function shown({ id, name, nameServers, callerReference, isPrivate = false }: Zone): HostedZone {
  return { id, name, nameServers: isPrivate ? [] : nameServers, callerReference, ...(isPrivate ? { isPrivate } : {}) };
}

function apexSets(name: string, nameServers: readonly string[]): RecordSet[] {
  const values = (ttlSeconds: number, values: string[]) => ({ kind: 'values' as const, ttlSeconds, values });
  const soa = 'ns-1.awsdns-01.org. awsdns-hostmaster.amazon.com. 1 7200 900 1209600 86400';
  return [
    { name, type: 'NS', setIdentifier: null, content: values(172_800, [...nameServers]) },
    { name, type: 'SOA', setIdentifier: null, content: values(900, [soa]) },
  ];
}

function tried(change: RecordSetChange, but: string): string {
  const { name, type, setIdentifier } = change.recordSet;
  const verb = change.action === 'DELETE' ? 'delete' : 'create';
  const identifier = setIdentifier === null ? '' : `, set-identifier='${setIdentifier}'`;
  return `Tried to ${verb} resource record set [name='${name.replace('*', '\\052')}', type='${type}'${identifier}] but ${but}`;
}

function applyOne({ sets, ...zone }: Zone, change: RecordSetChange): string | null {
  const { recordSet } = change;
  const id = idOf(recordSet);
  const standing = sets.get(id);
  const inside = recordSet.name === zone.name || recordSet.name.endsWith(`.${zone.name}`);
  if (!inside) return `RRSet with DNS name ${recordSet.name} is not permitted in zone ${zone.name}`;
  if (change.action === 'DELETE') {
    if (recordSet.name === zone.name && ['SOA', 'NS'].includes(recordSet.type)) {
      return `A HostedZone must contain at least one ${recordSet.type} record for the zone itself.`;
    }
    if (standing === undefined) return tried(change, 'it was not found');
    if (!sameContent(standing.content, recordSet.content)) {
      return tried(change, 'the values provided do not match the current values');
    }
    sets.delete(id);
    return null;
  }
  if (change.action === 'CREATE' && standing !== undefined) return tried(change, 'it already exists');
  const ofName = sets.at(recordSet.name);
  const same = ofName.filter(({ type }) => type === recordSet.type);
  const problem =
    cnameProblem(recordSet, ofName, zone.name) ??
    besideProblem(recordSet, same) ??
    aliasProblem(recordSet, zone, sets.at);
  if (problem !== null) return problem;
  sets.set(recordSet);
  return null;
}

function limitProblem(changes: readonly RecordSetChange[]): string | null {
  let elements = 0;
  let characters = 0;
  for (const { action, recordSet } of changes) {
    const values = recordSet.content.kind === 'values' ? recordSet.content.values : ['alias'];
    const times = action === 'UPSERT' ? 2 : 1;
    elements += times * values.length;
    characters += times * values.reduce((sum, value) => sum + value.length, 0);
  }
  if (elements > ELEMENTS_MAX) return `Number of records limit of ${ELEMENTS_MAX} exceeded.`;
  return characters > CHARACTERS_MAX ? `Total value length limit of ${CHARACTERS_MAX} exceeded.` : null;
}

/** Amazon does not publish these words; only that the comment is among them. */
function defaultWords({ name, type, comment }: Protection): string {
  return `RRSet of type ${type} with DNS name ${name} has a resource record set protection. ${comment ?? ''}`.trim();
}

function protectedProblem(
  { protections }: Zone,
  { recordSet: { name, type } }: RecordSetChange,
  { protectedWords = defaultWords }: MemoryHostedZonesOptions,
): string | null {
  const found = protections.get(`${name} ${type}`);
  return found === undefined ? null : protectedWords(found);
}

function applyBatch(zone: Zone, changes: readonly RecordSetChange[], options: MemoryHostedZonesOptions): string[] {
  const limit = limitProblem(changes);
  if (limit !== null) return [limit];
  const before = changes.map(({ recordSet }) => [recordSet, zone.sets.get(idOf(recordSet))] as const);
  const problems: string[] = [];
  for (const change of changes) {
    const rejected = change.action === 'DELETE' ? null : (options.reject?.(change.recordSet) ?? null);
    const problem = rejected ?? protectedProblem(zone, change, options) ?? applyOne(zone, change);
    if (problem !== null) problems.push(problem);
  }
  if (problems.length === 0) return [];
  // All or nothing.
  for (const [recordSet, stood] of before) {
    if (stood === undefined) zone.sets.delete(idOf(recordSet));
    else zone.sets.set(stood);
  }
  return options.wordless ? ['Invalid request.'] : [...new Set(problems)];
}

/**
 * An account with these hosted zones, each with SOA and NS at its apex. `nameServers` overrides a zone's name servers.
 */
export function memoryHostedZones(
  hostedZones: readonly (Pick<HostedZone, 'id' | 'name' | 'isPrivate'> & Partial<HostedZone>)[],
  options: MemoryHostedZonesOptions = {},
): MemoryHostedZones {
  const zones = new Map<string, Zone>();
  const add = (
    id: string,
    name: string,
    nameServers = NAME_SERVERS,
    callerReference = `by hand ${id}`,
    isPrivate = false,
  ): Zone => {
    const sets = standingSets(apexSets(name, nameServers));
    const zone = { id, name, nameServers, callerReference, isPrivate, sets, protections: new Map() };
    zones.set(id, zone);
    return zone;
  };
  for (const { id, name, nameServers, isPrivate } of hostedZones) add(id, name, nameServers, undefined, isPrivate);
  const calls: { method: keyof HostedZones; elements: number; accepted: boolean }[] = [];
  const called = (method: keyof HostedZones, elements = 0, accepted = true) =>
    calls.push({ method, elements, accepted });
  const sorted = (id: string) => [...(zones.get(id)?.sets.all() ?? [])].sort((a, b) => (idOf(a) < idOf(b) ? -1 : 1));
  let changeCalls = 0;

  const change: HostedZones['change'] = async (id, changes) => {
    changeCalls += 1;
    const fault = options.changeFault?.(changes, changeCalls) ?? null;
    const zone = zones.get(id);
    if (zone === undefined) {
      called('change', changes.length, false);
      return { kind: 'gone', message: `No hosted zone found with ID: ${id}` };
    }
    const problems = fault !== null && !fault.apply ? [] : applyBatch(zone, changes, options);
    called('change', changes.length, fault === null && problems.length === 0);
    if (fault !== null) return fault.outcome;
    if (problems.length > 0) return { kind: 'refused', messages: problems };
    return { kind: 'accepted', changeId: `C${changeCalls}` };
  };

  const port: HostedZones = {
    change,
    list: async () => {
      called('list');
      const shownByName = [...zones.values()].filter(({ isPrivate }) => isPrivate !== true);
      return shownByName.map(({ id, name, callerReference }) => ({ id, name, nameServers: [], callerReference }));
    },
    get: async (id) => {
      called('get');
      const zone = zones.get(id);
      return zone === undefined ? null : shown(zone);
    },
    create: async (name, callerReference) => {
      called('create');
      const id = `Z${callerReference}`;
      return shown(zones.get(id) ?? add(id, name, undefined, callerReference));
    },
    readName: async (id, name) => {
      called('readName');
      checkListed(name);
      const found = zones.get(id)?.sets.at(name) ?? null;
      return found === null ? null : [...found].sort((a, b) => (idOf(a) < idOf(b) ? -1 : 1));
    },
    changeStatus: async (_, changeId) => {
      called('changeStatus');
      return options.changeStatus?.(changeId) ?? { kind: 'insync' };
    },
    protections: async (id, name) => {
      called('protections');
      if (options.protectionsDenied?.() === true) throw new HostedZonesDeniedError('AccessDenied: not authorized');
      const all = zones.get(id)?.protections;
      return all === undefined ? null : [...all.values()].filter((one) => name === null || one.name === name);
    },
    readPage: async (id, from) => {
      called('readPage');
      if (from !== null) checkListed(from.name);
      if (!zones.has(id)) return null;
      const all = sorted(id).sort(compareListed);
      const start = from === null ? 0 : all.findIndex((set) => compareListed(set, from) >= 0);
      const recordSets = start < 0 ? [] : all.slice(start, start + PAGE_RECORD_SETS);
      return { recordSets, next: start < 0 ? null : (all[start + PAGE_RECORD_SETS] ?? null) };
    },
  };

  return {
    port,
    calls,
    protect: (id, name, type, comment) => {
      zones.get(id)?.protections.set(`${name} ${type}`, { name, type, comment });
    },
    unprotect: (id, name, type) => {
      zones.get(id)?.protections.delete(`${name} ${type}`);
    },
    recordSets: sorted,
    edit: (id, key, content) => {
      const zone = zones.get(id);
      if (content === null) zone?.sets.delete(idOf(key));
      else zone?.sets.set({ ...key, content });
    },
    removeHostedZone: (id) => {
      zones.delete(id);
    },
  };
}
