// Before a plan is made, Route 53 is read where the plan would create, so that the plan shows what will happen. If
// there is a record set that may be taken over, it is adopted if its content is equal, and replaced if not. If it may
// not be taken over, the plan says so.
import type { Change } from '../dns/plan-changes.ts';
import { type RecordSet, recordSetId, sameContent, showRecordSet } from '../dns/record-set.ts';
import { errorMessage } from '../objects/plain.ts';
import type { Context } from '../ports/context.ts';
import { withKept } from '../publish/existing/kept-by-others.ts';
import { keepReadings, keptReadings } from '../publish/existing/kept-readings.ts';
import { forbids, isKept, isTakeable, textsOfNeighbours, withoutTexts } from '../publish/existing/neighbours.ts';
import { readExistingWithTexts, readWhole } from '../publish/existing/read-existing.ts';
import { takingsOf } from '../publish/existing/takings.ts';
import { adoptOf } from '../publish/plan/plan-hosted-zone.ts';
import type { HostedZoneItem } from '../record-sets/hosted-zone-item.ts';
import {
  howToTakeOver,
  judgeReading,
  mayTake,
  showObstacle,
  showStanding,
  type Taking,
  withTextsRead,
} from '../record-sets/judge-reading.ts';
import type { RecordSetItem } from '../record-sets/record-set-item.ts';
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
  readonly items: readonly RecordSetItem[];
  /** For each record set that is desired and not ours yet, by id. */
  readonly existingById: ReadonlyMap<string, ExistingAtChange>;
  /** Record sets that already have the desired content, and become ours without a call. */
  readonly adopted: readonly Change[];
  /** Names at which Route 53 already has something that is not ours. */
  readonly inTheWay: ReadonlySet<string>;
  /** How many existing record sets become ours. */
  readonly taken: number;
  /** Record sets of external-dns that no object asks for and that will be deleted. */
  readonly unwanted: readonly RecordSetItem[];
  readonly existing: readonly RecordSet[];
};

function isCreate(item: RecordSetItem): boolean {
  if (item.desired === null || item.published !== null) return false;
  return ['wanted', 'held', 'refused', 'reopened'].includes(stateOf(item));
}

/** True for a record set of ours that somebody changed. If external-dns did, or by takeover, apply replaces it. */
function isDrifted(item: RecordSetItem, apex: string): boolean {
  return isPublishable(item, apex) && stateOf(item) === 'refused' && item.refusal?.reason === 'Drifted';
}

/**
 * Reads the names of record sets that would be created, those with TXT records of external-dns that publish will judge,
 * those of takeovers that have begun, drifted ones that would be replaced, and the names in `also`. Or the whole hosted
 * zone, if unwanted record sets of external-dns are to be deleted. `onlyDrifted`: none but the drifted. Returns a text
 * if Route 53 could not be read.
 */
export async function readPlanned(
  context: Context,
  hostedZone: HostedZoneItem,
  items: readonly RecordSetItem[],
  where: { readonly also: readonly string[]; readonly mayDelete?: boolean; readonly onlyDrifted?: boolean },
): Promise<PlannedReading | string> {
  const { also, mayDelete = false, onlyDrifted = false } = where;
  const open = onlyDrifted ? [] : items.filter((item) => isPublishable(item, hostedZone.name));
  const wanted = open.filter(isCreate);
  const withTexts = open.filter((item) => mustReadTexts(item) || isBegun(item));
  const isAnybodys = (context.account.externalDns ?? []).length > 0;
  const mayChange = (item: RecordSetItem) => isAnybodys || takesOver(item, hostedZone);
  const drifted = items.filter((item) => isDrifted(item, hostedZone.name) && mayChange(item));
  const names = [...new Set([...[...wanted, ...withTexts, ...drifted].map(({ name }) => name), ...also])];
  const isWhole = mayDelete && !onlyDrifted && deletesUnwanted(context.account.externalDns ?? []);
  const existing = await readNames(context, hostedZone, isWhole ? 'all' : names);
  if (typeof existing === 'string') return existing;
  const byId = new Map(items.map((item) => [recordSetId(item), item]));
  const looked = { wanted, withTexts, drifted, existing, isWhole };
  return lookAt(context, hostedZone, byId, looked, await ownersOf(context, hostedZone, byId, looked));
}

async function readNames(
  { ledger, account, clock, log }: Context,
  { id, name: apex }: HostedZoneItem,
  names: readonly string[] | 'all',
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
  const known = keepsReadings ? await keptReadings(ledger, id, nowMs) : new Map<string, readonly RecordSet[]>();
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

type Looked = {
  readonly wanted: readonly RecordSetItem[];
  readonly withTexts: readonly RecordSetItem[];
  readonly drifted: readonly RecordSetItem[];
  readonly existing: ReadonlyMap<string, RecordSet>;
  /** The whole hosted zone was read, and unwanted record sets of external-dns are to be deleted. */
  readonly isWhole: boolean;
};

/** Whose the record sets are that were read. */
type Owners = {
  /** Record sets of external-dns that no object asks for and that will be deleted. */
  readonly gone: readonly RecordSet[];
  readonly takings: ReadonlyMap<string, Taking>;
  /** The record sets that are not ours and that Route 53 does not allow beside the item's. */
  readonly besideOf: (item: RecordSetItem) => readonly RecordSet[];
};

async function ownersOf(
  { ledger, account: { externalDns = [] } }: Context,
  { id: hostedZoneId, name: apex }: HostedZoneItem,
  byId: ReadonlyMap<string, RecordSetItem>,
  { wanted, withTexts, drifted, existing, isWhole }: Looked,
): Promise<Owners> {
  const itemAt = (id: string) => byId.get(id);
  const isKnown = (id: string) => itemAt(id)?.published != null || itemAt(id)?.desired != null;
  const gone = isWhole ? unwantedSets(externalDns, apex, existing, isKnown) : [];
  const going = new Set(gone.map(recordSetId));
  const byName = Map.groupBy(existing.values(), ({ name }) => name);
  const besideOf = ({ name, type, setIdentifier, desired: after }: RecordSetItem) =>
    (byName.get(name) ?? []).filter((set) => {
      const id = recordSetId(set);
      const isOther = set.type !== type || set.setIdentifier !== setIdentifier;
      return isOther && !isKnown(id) && !going.has(id) && forbids({ type, after }, set);
    });
  const owned = [...wanted, ...withTexts, ...drifted, ...gone];
  const beside = wanted.flatMap(besideOf);
  const takings = takingsOf(externalDns, existing, owned, itemAt, beside);
  const asked = [...wanted, ...withTexts, ...drifted, ...beside];
  return { gone, besideOf, takings: await withKept({ ledger, hostedZoneId }, existing, asked, takings) };
}

/** Builds the result from what was read. Pure but for the clock. */
function lookAt(
  context: Context,
  hostedZone: HostedZoneItem,
  byId: ReadonlyMap<string, RecordSetItem>,
  { wanted, withTexts, drifted, existing }: Looked,
  { gone, takings, besideOf }: Owners,
): PlannedReading {
  const nowMs = context.clock.nowMs();
  const existingById = new Map<string, ExistingAtChange>();
  const inTheWay = new Set<string>();
  const adopted: Change[] = [];
  const seen = new Map(byId);
  let taken = gone.length;
  const unwanted = gone.map((set) => {
    const id = recordSetId(set);
    const item = unwantedItem(set, byId.get(id), takings.get(id), hostedZone);
    seen.set(id, item);
    existingById.set(id, { standing: 'external-dns', message: UNWANTED });
    return item;
  });
  const judged = (item: RecordSetItem) => {
    const id = recordSetId(item);
    const actual = existing.get(id)?.content ?? null;
    const taking = takings.get(id);
    const at = { epoch: hostedZone.epoch, nowMs, owner: hostedZone, sinceMs: nowMs, taking };
    return { id, actual, taking, next: judgeReading(item, actual, at).item ?? item };
  };
  // A takeover that had begun and may not go on: the record set is somebody else's again.
  const lapsed: RecordSetItem[] = [];
  for (const item of withTexts) {
    const { id, actual, taking, next } = judged(item);
    seen.set(id, withTextsRead(next, actual, taking));
    if (item.desired !== null && item.published !== null && next.published === null) lapsed.push(next);
  }
  for (const item of drifted) {
    const { id, actual, taking, next } = judged(item);
    if (actual === null || !mayTake(item, { owner: hostedZone, taking })) continue;
    seen.set(id, next);
    existingById.set(id, describeActual(item, hostedZone, actual, taking));
  }
  for (const item of [...wanted, ...lapsed]) {
    const { id, actual, taking, next } = judged(item);
    seen.set(id, next);
    const neighbours = withoutTexts(besideOf(item), takings);
    existingById.set(id, describe(item, hostedZone, actual, { taking, neighbours, takings }));
    if (actual !== null || neighbours.length > 0) inTheWay.add(item.name);
    if (next.published === null) continue;
    taken += 1;
    if (stateOf(next) === 'live') adopted.push(adoptOf(next));
  }
  const all = [...existing.values()];
  return { items: [...seen.values()], existingById, adopted, inTheWay, taken, unwanted, existing: all };
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
    const how = isKept(takings, other) ? '' : howToTakeOver(hostedZone.zone);
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
      message: `External-dns owns ${showRecordSet(item)}: it is taken over.${goWith(taking.texts)}`,
    };
  const isEqual = sameContent(actual, item.desired);
  const standing = isEqual ? 'equal' : 'foreign';
  if (!mayTake(item, { owner: hostedZone, taking })) {
    const both = { actual, wanted: item.desired };
    return { standing, message: showObstacle({ ...item, zone: hostedZone.zone }, 'foreign', both, taking) };
  }
  const note = taking?.note == null ? '' : ` ${taking.note}`;
  const theirs = item.published === null ? 'not created by zone53' : 'which is not what zone53 published';
  const what = `Route 53 already has ${showStanding(item, actual)}, ${theirs}.${note}`;
  return {
    standing,
    message: `${what} By zone53.dev/takeover it ${isEqual ? 'becomes ours as it is' : 'is replaced'}.`,
  };
}
