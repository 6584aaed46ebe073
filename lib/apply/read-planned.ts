// Before a plan is made, Route 53 is read where the plan would create, so that the plan shows what will happen. If
// there is a record set that may be taken over, it is adopted if its content is equal, and replaced if not. If it may
// not be taken over, the plan says so.
import { ancestorsOf, isBelow } from '../dns/names/name.ts';
import type { Change } from '../dns/plan-changes.ts';
import { type RecordSet, type RecordSetKey, recordSetId, sameContent, showRecordSet } from '../dns/record-set.ts';
import { errorMessage } from '../objects/plain.ts';
import type { Context } from '../ports/context.ts';
import { once } from '../ports/once.ts';
import { keepReadings, keptReadings } from '../publish/existing/kept-readings.ts';
import {
  forbids,
  isKept,
  isTakeable,
  textsOfNeighbours,
  type View,
  withoutTexts,
} from '../publish/existing/neighbours.ts';
import { readExistingWithTexts, readWhole } from '../publish/existing/read-existing.ts';
import { adoptOf } from '../publish/plan/plan-hosted-zone.ts';
import { namesToRead, resolveDoubts } from '../publish/run/read-back.ts';
import { type ItemsOfRun, itemOf, saveItem } from '../publish/run/run.ts';
import type { HostedZoneItem } from '../record-sets/hosted-zone-item.ts';
import { howToTakeOver, mayTake, showObstacle, showStanding, type Taking } from '../record-sets/judge-reading.ts';
import { newRecordSetItem, type RecordSetItem } from '../record-sets/record-set-item.ts';
import { isBegun, isPublishable, mustReadTexts, stateOf, takesOver } from '../record-sets/state.ts';
import { deletesUnwanted, unwantedItem, unwantedSets } from './unwanted.ts';

/** What Route 53 has where a change would be made, with a message about it. */
export type ExistingAtChange = {
  readonly standing: 'none' | 'equal' | 'foreign' | 'external-dns';
  readonly message: string;
  /** Record sets that are deleted in the same batch, because Route 53 does not allow both. */
  readonly replaces?: readonly RecordSet[];
};

/** One shared value: most changes of a first plan have it. */
const NOTHING_EXISTS: ExistingAtChange = { standing: 'none', message: '' };

const UNWANTED = 'External-dns owns it, and no object asks for it: it is deleted, by deleteUnwanted.';

/** The result of reading Route 53 for one hosted zone's part of a plan. */
export type PlannedReading = {
  /** For each record set that is desired and not ours yet, by id. */
  readonly existingById: ReadonlyMap<string, ExistingAtChange>;
  /** Record sets that already have the desired content, and become ours without a call. */
  readonly adopted: readonly Change[];
  /** Creates that a neighbour forbids which is not ours, by id, with a message. */
  readonly blocked: ReadonlyMap<string, string>;
  /** Names at which Route 53 already has something that is not ours. */
  readonly inTheWay: ReadonlySet<string>;
  /** Record sets of external-dns that no object asks for and that will be deleted. */
  readonly unwanted: readonly RecordSetItem[];
  readonly existing: readonly RecordSet[];
  /** Those of `existing` at the names that were asked for. More may have been read, or kept from an earlier plan. */
  readonly standing: readonly RecordSet[];
};

function isCreate(item: RecordSetItem): boolean {
  if (item.desired === null || item.published !== null) return false;
  return ['wanted', 'held', 'refused', 'reopened'].includes(stateOf(item));
}

/** True for a record set of ours that somebody changed. If external-dns did, or by takeover, apply replaces it. */
function isDrifted(item: RecordSetItem): boolean {
  return item.intent === null && item.refusal?.reason === 'Drifted';
}

/**
 * Reads the names of record sets that would be created and those above them, those with TXT records of external-dns
 * that publish will judge, those of takeovers that have begun, drifted ones that would be replaced, and the names in
 * `also`. Or the whole hosted zone, if unwanted record sets of external-dns are to be deleted. `onlyDrifted`: none but
 * the drifted. The items of the run are then as publish judges them. Returns a text if Route 53 could not be read.
 */
export async function readPlanned(
  context: Context,
  run: ItemsOfRun,
  where: {
    readonly also: readonly string[];
    readonly mayDelete?: boolean;
    readonly onlyDrifted?: boolean;
    /** Takes no reading that an earlier plan kept. */
    readonly isFresh?: boolean;
  },
): Promise<PlannedReading | string> {
  const { also, mayDelete = false, onlyDrifted = false, isFresh = false } = where;
  const { hostedZone } = run;
  const { externalDns = [] } = context.account;
  const isWhole = mayDelete && !onlyDrifted && deletesUnwanted(externalDns);
  const isReplaced = (item: RecordSetItem) =>
    isDrifted(item) && (externalDns.length > 0 || takesOver(item, hostedZone));
  const isDoubtful = (item: RecordSetItem) =>
    isPublishable(item, hostedZone.name) &&
    (isReplaced(item) || (!onlyDrifted && (isCreate(item) || mustReadTexts(item) || isBegun(item))));
  let failure = '';
  let looked: Pick<Looked, 'before' | 'gone'> = { before: [], gone: [] };
  const read = async (doubtful: readonly RecordSetItem[]) => {
    const existing = await readNames(
      context,
      hostedZone,
      isWhole ? 'all' : namesAround(doubtful, hostedZone, also),
      isFresh,
    );
    if (typeof existing !== 'string') return existing;
    failure = existing;
    return null;
  };
  const besideOf = (before: readonly RecordSetItem[], existing: View['actual']) => {
    const gone = isWhole ? unwantedSets(externalDns, hostedZone.name, existing, (id) => isKnown(run, id)) : [];
    looked = { before, gone };
    const going = new Set(gone.map(recordSetId));
    const byName = Map.groupBy(existing.values(), ({ name }) => name);
    return [...gone, ...before.filter(isCreate).flatMap((item) => excludedBy(run, item, byName, going))];
  };
  const seen = await resolveDoubts(run, { isDoubtful, retryNames: new Set(), read, besideOf });
  if (seen === null) return failure;
  const asked = new Set([...looked.before.map(({ name }) => name), ...also]);
  const standing = [...seen.actual.values()].filter(({ name }) => isWhole || asked.has(name));
  return { ...(await describeAll(run, { ...looked, ...seen })), standing };
}

/** The names of these items and of their TXT records, and those above creates. */
function namesAround(items: readonly RecordSetItem[], { name: apex }: HostedZoneItem, also: readonly string[]) {
  const above = items.filter(isCreate).flatMap(({ name }) => namesBetween(name, apex));
  return [...new Set([...namesToRead(items), ...also, ...above])];
}

/** The names between this one and the apex: NS there hide it from resolvers. */
function namesBetween(name: string, apex: string): readonly string[] {
  return ancestorsOf(name).filter((above) => isBelow(above, apex));
}

async function readNames(
  { ledger, account, clock, log }: Context,
  { id, name: apex }: HostedZoneItem,
  names: readonly string[] | 'all',
  isFresh: boolean,
): Promise<ReadonlyMap<string, RecordSet> | string> {
  if (names.length === 0) return new Map();
  const { hostedZones, externalDns = [], keepsReadings = false } = account;
  const nowMs = clock.nowMs();
  const gone = `hosted zone ${id} does not exist any more`;
  if (names === 'all') {
    const sets = await readWhole({ hostedZones, id, apex }).catch(errorMessage);
    if (sets === null) return gone;
    return typeof sets === 'string' ? sets : new Map(sets.map((set) => [recordSetId(set), set]));
  }
  const known =
    keepsReadings && !isFresh ? await keptReadings(ledger, id, nowMs) : new Map<string, readonly RecordSet[]>();
  const before = new Set(known.keys());
  const existing = await readExistingWithTexts({ hostedZones, id, apex, known }, names, externalDns).catch(
    errorMessage,
  );
  if (existing === null) return gone;
  if (typeof existing === 'string' || !keepsReadings) return existing;
  const news = new Map([...known].filter(([name]) => !before.has(name)));
  await keepReadings(ledger, id, news, nowMs).catch((error: unknown) =>
    log('warn', 'what was read in Route 53 was not kept', { hostedZone: id, error: String(error) }),
  );
  return existing;
}

type Looked = Omit<View, 'sinceMs'> & {
  /** The items that were in doubt, as they were before. */
  readonly before: readonly RecordSetItem[];
  /** Record sets of external-dns that no object asks for and that will be deleted. */
  readonly gone: readonly RecordSet[];
};

function isKnown(run: ItemsOfRun, id: string): boolean {
  const item = run.items.get(id)?.item;
  return item?.published != null || item?.desired != null;
}

/** The record sets that are not ours and that Route 53 does not allow beside the item's. */
function excludedBy(
  run: ItemsOfRun,
  item: RecordSetItem,
  byName: ReadonlyMap<string, readonly RecordSet[]>,
  going: ReadonlySet<string>,
): readonly RecordSet[] {
  const { type, desired: after } = item;
  return (byName.get(item.name) ?? []).filter((set) => {
    const id = recordSetId(set);
    return id !== recordSetId(item) && !isKnown(run, id) && !going.has(id) && forbids({ type, after }, set);
  });
}

/** Describes what stands where the plan changes something, and takes unwanted record sets into the run. */
async function describeAll(
  run: ItemsOfRun,
  { before, actual: existing, takings, gone }: Looked,
): Promise<Omit<PlannedReading, 'standing'>> {
  const { hostedZone } = run;
  const existingById = new Map<string, ExistingAtChange>();
  const inTheWay = new Set<string>();
  const adopted: Change[] = [];
  const blocked = new Map<string, string>();
  const byName = once(() => Map.groupBy(existing.values(), ({ name }) => name));
  const going = new Set(gone.map(recordSetId));
  // Claims decide about what another cluster has published (settle-claims.ts).
  const isOfCluster = (set: RecordSetKey) => takings.get(recordSetId(set))?.cluster !== undefined;
  for (const item of before) {
    const id = recordSetId(item);
    const taking = takings.get(id);
    const actual = isOfCluster(item) ? null : (existing.get(id)?.content ?? null);
    const next = itemOf(run, item) ?? item;
    if (isDrifted(item) && actual !== null && mayTake(item, actual, { owner: hostedZone, taking }))
      existingById.set(id, describeActual(item, hostedZone, actual, taking));
    // A takeover that had begun and may not go on: the record set is somebody else's again.
    const hasLapsed = item.desired !== null && item.published !== null && next.published === null;
    if (!isCreate(item) && !hasLapsed) continue;
    const beside = excludedBy(run, item, byName(), going).filter((set) => !isOfCluster(set));
    const neighbours = withoutTexts(beside, takings);
    const described = describe(item, hostedZone, actual, { taking, neighbours, takings });
    existingById.set(id, described);
    const isRefused = next.refusal !== null && next.refusal.reason !== 'HeldByGuard';
    if (described.standing === 'foreign' && described.replaces === undefined && next.published === null && !isRefused)
      blocked.set(id, described.message);
    if (actual !== null || neighbours.length > 0) inTheWay.add(item.name);
    if (next.published !== null && stateOf(next) === 'live') adopted.push(adoptOf(next));
  }
  const unwanted: RecordSetItem[] = [];
  for (const set of gone) {
    const id = recordSetId(set);
    const known = run.items.get(id) ?? { item: newRecordSetItem(set), revision: '' };
    const item = unwantedItem(set, known.item, takings.get(id), hostedZone);
    run.items.set(id, known);
    await saveItem(run, set, () => item);
    existingById.set(id, { standing: 'external-dns', message: UNWANTED });
    unwanted.push(item);
  }
  return { existingById, adopted, blocked, inTheWay, unwanted, existing: [...existing.values()] };
}

/** The surroundings of a desired record set: its neighbours, and what external-dns owns of them. */
type Around = {
  readonly taking: Taking | undefined;
  /** Record sets that Route 53 does not allow beside it. */
  readonly neighbours: readonly RecordSet[];
  readonly takings: ReadonlyMap<string, Taking>;
};

function describe(
  item: RecordSetItem,
  hostedZone: HostedZoneItem,
  actual: RecordSet['content'] | null,
  { taking, neighbours, takings }: Around,
): ExistingAtChange {
  if (actual !== null && sameContent(actual, item.desired)) return describeActual(item, hostedZone, actual, taking);
  const owned = neighbours.filter((set) => isTakeable(takings, set));
  const other = neighbours.find((set) => isKept(takings, set)) ?? neighbours.find((set) => !owned.includes(set));
  if (other !== undefined && (isKept(takings, other) || !takesOver(item, hostedZone))) {
    const note = takings.get(recordSetId(other))?.note ?? '';
    const how = isKept(takings, other) ? '' : howToTakeOver(hostedZone.zone, true);
    const said = [`${besideWords(item, other)}.`, note, how].filter((words) => words !== '');
    return { standing: 'foreign', message: said.join(' ') };
  }
  const texts = textsOfNeighbours(neighbours, takings);
  const replaces = neighbours.length === 0 ? {} : { replaces: [...neighbours, ...texts] };
  if (actual !== null) return { ...describeActual(item, hostedZone, actual, taking), ...replaces };
  const [first] = neighbours;
  if (first === undefined) return NOTHING_EXISTS;
  if (other !== undefined)
    return { standing: 'foreign', message: `${besideWords(item, other)}: it is replaced.`, ...replaces };
  const types = [...new Set(owned.map(({ type }) => type))].join(' and ');
  const message = `External-dns owns ${types} ${item.name}, and Route 53 does not allow ${item.type} beside it: it is replaced.${goWith(texts)}`;
  return { standing: 'external-dns', message, ...replaces };
}

function besideWords(item: RecordSetItem, beside: RecordSet): string {
  return `Route 53 has ${showStanding(beside, beside.content)}, not created by zone53, and does not allow ${showRecordSet(item)} beside it`;
}

function goWith(texts: readonly unknown[]): string {
  if (texts.length === 0) return '';
  return texts.length === 1
    ? ' Its TXT record is deleted with it.'
    : ` Its ${texts.length} TXT records are deleted with it.`;
}

/** Describes a record set that Route 53 already has where one is desired. */
function describeActual(
  item: RecordSetItem,
  hostedZone: HostedZoneItem,
  actual: RecordSet['content'],
  taking: Taking | undefined,
): ExistingAtChange {
  if (taking?.texts != null)
    return {
      standing: 'external-dns',
      message: taking.note ?? `External-dns owns ${showRecordSet(item)}: it is taken over.${goWith(taking.texts)}`,
    };
  const isEqual = sameContent(actual, item.desired);
  const standing = isEqual ? 'equal' : 'foreign';
  if (!mayTake(item, actual, { owner: hostedZone, taking })) {
    const both = { actual, wanted: item.desired };
    return { standing, message: showObstacle({ ...item, zone: hostedZone.zone }, 'foreign', both, taking) };
  }
  const note = taking?.note == null ? '' : ` ${taking.note}`;
  const theirs = item.published === null ? 'not created by zone53' : 'which is not what zone53 published';
  const what = `Route 53 already has ${showStanding(item, actual)}, ${theirs}.${note}`;
  const by = takesOver(item, hostedZone) ? 'zone53.dev/takeover' : 'takeover.equal of the configuration';
  return { standing, message: `${what} By ${by} it ${isEqual ? 'becomes ours as it is' : 'is replaced'}.` };
}
