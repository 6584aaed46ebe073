// AWS accounts for a rehearsal: reads go to Route 53, and no change does. A change is accepted or refused by what was
// read and by the changes before it, with the messages of Route 53, so that publish continues as it would in a real
// run.
import { type RecordSet, type RecordSetChange, recordSetId, sameContent, typesExclude } from '../dns/record-set.ts';
import type { BatchOutcome, HostedZone, HostedZones } from '../ports/hosted-zones.ts';
import { once, oncePerKey } from '../ports/once.ts';
import { type Account, AccountError, type Accounts } from '../ports/seed/accounts.ts';

/** A change that Route 53 would accept. */
export type RehearsedChange = RecordSetChange & { readonly account: string; readonly hostedZoneId: string };

/** The calls of one rehearsal. */
export type Recorder = {
  readonly accounts: Accounts;
  readonly changes: RehearsedChange[];
  /** The accounts and hosted zones that were used, in order. */
  readonly opened: string[];
  readonly hostedZoneIds: string[];
};

export type RehearsedAccounts = {
  /** Accounts for one rehearsal. Each rehearsal sees the changes of those before it. */
  record(): Recorder;
};

type Asked = Pick<HostedZones, 'list' | 'get' | 'readName'>;
type Reads = Omit<Asked, 'get'> & { get(id: string): Promise<HostedZone | null> };

/** `reads` false: before a change, Route 53 is assumed to have what the ledger says. */
export function rehearsedAccounts(below: Accounts, reads: boolean): RehearsedAccounts {
  const readers = new Map<string, Reads>();
  /** The record sets of a name after the rehearsed changes, by hosted zone and name. */
  const changed = new Map<string, readonly RecordSet[]>();
  const readerOf = ({ id, hostedZones }: Account): Reads => {
    const known = readers.get(id) ?? readOnce(hostedZones);
    readers.set(id, known);
    return known;
  };
  return {
    record: () => {
      const recorder = { changes: [] as RehearsedChange[], opened: [] as string[], hostedZoneIds: [] as string[] };
      const open: Accounts['open'] = (credentials) => {
        const account = below.open(credentials);
        recorder.opened.push(account.id);
        const reader = readerOf(account);
        const readName = async (id: string, name: string) => {
          recorder.hostedZoneIds.push(id);
          return changed.get(`${id} ${name}`) ?? reader.readName(id, name);
        };
        const change = async (id: string, changes: readonly RecordSetChange[]): Promise<BatchOutcome> => {
          recorder.hostedZoneIds.push(id);
          const names = [...new Set(changes.map(({ recordSet }) => recordSet.name))];
          const existing = reads
            ? await existingAt(names, (name) => readName(id, name))
            : { kind: 'read' as const, byName: assumed(names, changes) };
          if (existing.kind !== 'read') return existing;
          const apex = reads ? ((await reader.get(id))?.name ?? null) : null;
          const next = played(existing.byName, changes);
          const problems = [...next.problems, ...namesProblems(next.byName, apex)];
          if (problems.length > 0) return { kind: 'refused', messages: problems };
          for (const [name, sets] of next.byName) changed.set(`${id} ${name}`, sets);
          recorder.changes.push(...changes.map((one) => ({ ...one, account: account.id, hostedZoneId: id })));
          return { kind: 'accepted' };
        };
        const refuse = async (): Promise<never> => {
          throw new Error('a rehearsal creates no hosted zone, and lists none');
        };
        // A rehearsal judges every refusal by what it has read itself.
        const protections = async () => [];
        const never = { create: refuse, readPage: refuse, changeStatus: refuse };
        const hostedZones = { ...reader, readName, change, protections, ...never };
        return { id: account.id, hostedZones };
      };
      return { ...recorder, accounts: { open } };
    },
  };
}

function readable(zone: Awaited<ReturnType<HostedZones['get']>>): HostedZone | null {
  return zone === null || 'unreadable' in zone ? null : zone;
}

/** Reads everything once. A hosted zone that cannot be read counts as unknown: changes there may still be allowed. */
function readOnce(below: Asked): Reads {
  return {
    list: once(() => below.list()),
    get: oncePerKey(
      (id) => id,
      (id) => below.get(id).then(readable, withoutAnswer),
    ),
    readName: oncePerKey(
      (id, name) => `${id} ${name}`,
      (id, name) => below.readName(id, name),
    ),
  };
}

function withoutAnswer(error: unknown): null {
  if (error instanceof AccountError) return null;
  throw error;
}

type ByName = ReadonlyMap<string, readonly RecordSet[]>;

/** The record sets of these names. If a read fails, the outcome that a change there would have. */
async function existingAt(
  names: readonly string[],
  readName: (name: string) => Promise<readonly RecordSet[] | null>,
): Promise<{ readonly kind: 'read'; readonly byName: ByName } | BatchOutcome> {
  const byName = new Map<string, readonly RecordSet[]>();
  for (const name of names) {
    const read = await readName(name).then((sets) => sets, outcomeOf);
    if (read === null) return { kind: 'gone', message: 'NoSuchHostedZone: there is no such hosted zone' };
    if ('kind' in read) return read;
    byName.set(name, read);
  }
  return { kind: 'read', byName };
}

function outcomeOf(error: unknown): BatchOutcome {
  if (!(error instanceof AccountError)) throw error;
  const { kind, message } = error;
  switch (kind) {
    case 'refused':
      return { kind: 'denied', message };
    case 'throttled':
      return { kind: 'throttled', message };
    case 'unsent':
      return { kind: 'throttled', message, unsent: true };
    case 'unanswered':
      return { kind: 'unknown', message };
    default:
      return kind satisfies never;
  }
}

/** The record sets of these names if nothing is read: those that the batch deletes. */
function assumed(names: readonly string[], changes: readonly RecordSetChange[]): ByName {
  const deleted = changes.flatMap(({ action, recordSet }) => (action === 'DELETE' ? [recordSet] : []));
  return new Map(names.map((name) => [name, deleted.filter((set) => set.name === name)]));
}

/** The record sets of the names after the changes, and why Route 53 would refuse the batch. */
function played(before: ByName, changes: readonly RecordSetChange[]): { byName: ByName; problems: readonly string[] } {
  const byName = new Map(before);
  const problems: string[] = [];
  for (const { action, recordSet } of changes) {
    const existing = byName.get(recordSet.name) ?? [];
    const same = existing.find((set) => recordSetId(set) === recordSetId(recordSet)) ?? null;
    const others = existing.filter((set) => set !== same);
    if (action === 'DELETE' && same === null) problems.push(tried(action, recordSet, 'it was not found'));
    else if (action === 'DELETE' && !sameContent(same?.content ?? null, recordSet.content))
      problems.push(tried(action, recordSet, 'the values provided do not match the current values'));
    else if (action === 'CREATE' && same !== null) problems.push(tried(action, recordSet, 'it already exists'));
    byName.set(recordSet.name, action === 'DELETE' ? others : [...others, recordSet]);
  }
  return { byName, problems };
}

function tried(action: RecordSetChange['action'], { name, type }: RecordSet, but: string): string {
  const verb = action === 'DELETE' ? 'delete' : 'create';
  return `Tried to ${verb} resource record set [name='${name}', type='${type}'] but ${but}`;
}

/** Why Route 53 would refuse these record sets at their names. `apex`: the name of the hosted zone; null: not known. */
function namesProblems(byName: ByName, apex: string | null): readonly string[] {
  return [...byName].flatMap(([name, sets]) => {
    if (sets.length === 0) return [];
    const head = `RRSet with DNS name ${name}`;
    const isInside = apex === null || name === apex || name.endsWith(`.${apex}`);
    if (!isInside) return [`${head} is not permitted in zone ${apex}`];
    const cname = sets.find(({ type }) => type === 'CNAME');
    const last = sets.at(-1)?.type;
    const inZone = apex === null ? '' : ` in zone ${apex}`;
    if (cname !== undefined && name === apex)
      return [`RRSet of type CNAME with DNS name ${name} is not permitted at apex${inZone}`];
    if (cname !== undefined && sets.some(({ type }) => typesExclude(type, cname.type)))
      return [
        last === 'CNAME'
          ? `RRSet of type CNAME with DNS name ${name} is not permitted as it conflicts with other records with the same DNS name${inZone}`
          : `RRSet of type ${last} with DNS name ${name} is not permitted because a conflicting RRSet of type CNAME with the same DNS name already exists${inZone}`,
      ];
    const routed = sets.find((set) => set.setIdentifier !== null);
    const plain = sets.find((set) => set.setIdentifier === null && set.type === routed?.type);
    return plain === undefined
      ? []
      : [
          `RRSet with DNS name ${name}, type ${plain.type} cannot be created as other RRSets exist with the same name and type.`,
        ];
  });
}
