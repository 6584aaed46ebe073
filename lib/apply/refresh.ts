// `--refresh`: compares published record sets with Route 53, page by page. It only reads. The plan starts from what
// Route 53 has, and says what follows from each difference. Publishing reads again, under its lease. A plan without
// `--refresh` reads only the names where a run died during a write (`resolveWrites()`), and those where somebody is
// known to have changed something (`compareKnown()`).
import { type RecordSet, type RecordSetContent, type RecordSetKey, recordSetId } from '../dns/record-set.ts';
import { errorMessage } from '../objects/plain.ts';
import type { Account, Context } from '../ports/context.ts';
import type { Protection, RecordSetsPage } from '../ports/hosted-zones.ts';
import { protectedMessage, protectionOf } from '../publish/existing/protected.ts';
import { readExisting } from '../publish/existing/read-existing.ts';
import { resolveDoubts } from '../publish/run/read-back.ts';
import { type ItemsOfRun, itemOf, saveItem } from '../publish/run/run.ts';
import type { HostedZoneItem } from '../record-sets/hosted-zone-item.ts';
import {
  type ComparisonVerdict,
  compareWithRoute53,
  findingOf,
  showContent,
  showObstacle,
} from '../record-sets/judge-reading.ts';
import { type RecordSetItem, storedContent } from '../record-sets/record-set-item.ts';
import { samePublishing } from '../record-sets/same-content.ts';
import { isByTrialOnly, isPublishable, isUnprotected, stateOf, takesOver } from '../record-sets/state.ts';
import { objectsOf } from '../record-sets/transitions.ts';
import { itemsIn } from './rehearsed-run.ts';

/** What somebody changed by hand of what we published. */
export type Drift = RecordSetKey & {
  readonly published: RecordSetContent | null;
  /** What Route 53 has; absent if that was not read. */
  readonly standing?: RecordSetContent | null;
  readonly objects: readonly string[];
  readonly message: string;
  /** It stays as it is in Route 53: `Drifted`. */
  readonly isRefused: boolean;
};

export type Refreshed = {
  /** Names with differences, which publishing must read. */
  readonly names: ReadonlySet<string>;
  /** A sentence for each difference. */
  readonly drifts: readonly string[];
  /** The same as data. */
  readonly differences: readonly Drift[];
  /** Route 53 has no such hosted zone any more. */
  readonly gone: boolean;
  /** Every NS record set of the hosted zone. */
  readonly nameServers: readonly RecordSet[];
};

const NOTHING: Refreshed = {
  names: new Set(),
  drifts: [],
  differences: [],
  gone: false,
  nameServers: [],
};

const UNLESS_THEIRS = ' If external-dns owns it, it is taken over.';

/**
 * Compares the items of a run with Route 53, and judges what differs. `progress` is called for every page. Returns a
 * text if Route 53 could not be read.
 */
export async function refresh(
  context: Pick<Context, 'account' | 'clock' | 'log'>,
  run: ItemsOfRun,
  progress: (text: string) => void,
): Promise<Refreshed | string> {
  const { account, clock, log } = context;
  const { hostedZone } = run;
  const items = itemsIn(run);
  const wanted = new Set(items.flatMap((item) => [recordSetId(item), ...besideOf(item)]));
  const read = await readRecordSets(account.hostedZones, hostedZone, wanted, progress).catch(errorMessage);
  if (typeof read === 'string') return read;
  if (read === null) {
    const drift = `Hosted zone ${hostedZone.id} (${hostedZone.name}) does not exist in this account any more.`;
    return { ...NOTHING, names: new Set(items.map(({ name }) => name)), drifts: [drift], gone: true };
  }
  const protections = await account.hostedZones.protections(hostedZone.id, null).catch((error: unknown) => {
    log('warn', 'cannot list protections', { hostedZone: hostedZone.id, error: String(error) });
    return null;
  });
  const refreshed = { ...(await compared(context, run, () => true, read.existing)), nameServers: read.nameServers };
  return protections === null ? refreshed : withProtections(run, refreshed, protections, clock.nowMs());
}

/**
 * Compares only what is known to be changed by hand: what a run or a sweep noted as `Drifted`, and names at which an
 * earlier `plan --refresh` saw a difference. If they cannot be read, the plan is made from the ledger as it is.
 */
export async function compareKnown(
  context: Pick<Context, 'account' | 'clock' | 'log'>,
  run: ItemsOfRun,
  seenBefore: ReadonlySet<string>,
): Promise<Refreshed> {
  const { account, log } = context;
  const { hostedZone } = run;
  // What a takeover replaces is read and judged by `readPlanned()`.
  const isKnown = (item: RecordSetItem) =>
    isPublishable(item, hostedZone.name) &&
    item.intent === null &&
    (isNotedDrift(item) ? !takesOver(item, hostedZone) : item.published !== null && seenBefore.has(item.name));
  const names = new Set(
    itemsIn(run)
      .filter(isKnown)
      .map(({ name }) => name),
  );
  if (names.size === 0) return NOTHING;
  const reader = { hostedZones: account.hostedZones, id: hostedZone.id, apex: hostedZone.name };
  const existing = await readExisting(reader, names).catch((error: unknown) => {
    log('warn', 'cannot read what was changed by hand', { hostedZone: hostedZone.id, error: String(error) });
    return null;
  });
  return existing === null ? NOTHING : compared(context, run, isKnown, existing);
}

/** True for a record set of ours that a run or a sweep found changed by hand. */
export function isNotedDrift({ refusal }: RecordSetItem): boolean {
  return refusal?.reason === 'Drifted';
}

/** Judges what differs as publish does. `existing`: what Route 53 has, without TXT records of external-dns. */
async function compared(
  { account: { externalDns = [] } }: Pick<Context, 'account'>,
  run: ItemsOfRun,
  isCompared: (item: RecordSetItem) => boolean,
  existing: ReadonlyMap<string, RecordSet>,
): Promise<Refreshed> {
  const contentAt = (id: string) => existing.get(id)?.content ?? null;
  const isAnybodys = externalDns.length > 0;
  const verdictOf = (item: RecordSetItem) => compareWithRoute53(item, contentAt);
  const isDifferent = (item: RecordSetItem) => isCompared(item) && (verdictOf(item) !== 'fine' || isNotedDrift(item));
  // If external-dns changed it, its TXT record sets go with it: `readPlanned()` reads and judges them.
  const isLater = (item: RecordSetItem) => isAnybodys && takesOver(item, run.hostedZone) && isChanged(item, contentAt);
  const before = itemsIn(run).filter(isDifferent);
  const now = new Set(before.filter((item) => item.type !== 'SOA' && !isLater(item)));
  const isDoubtful = (item: RecordSetItem) => now.has(item);
  await resolveDoubts(run, { isDoubtful, retryNames: new Set(), read: async () => existing });
  const names = new Set<string>();
  const drifts: string[] = [];
  const differences: Drift[] = [];
  for (const item of before) {
    const standing = contentAt(recordSetId(item));
    if (item.type === 'SOA')
      await saveItem(run, item, (one) => ({ ...one, published: storedContent(standing), refusal: null }));
    if (isLater(item)) await saveItem(run, item, (one) => asDrifted(one, standing, run.deps.clock.nowMs()));
    const isRefused = !isLater(item) && isNotedDrift(itemOf(run, item) ?? item);
    const words = leadsTo(item, standing, verdictOf(item), isRefused);
    const message = `${words}${isRefused && isAnybodys ? UNLESS_THEIRS : ''}`;
    names.add(item.name);
    drifts.push(`${item.name} ${item.type} ${message}`);
    differences.push(driftOf(item, { message, isRefused, standing }));
  }
  return { ...NOTHING, names, drifts, differences };
}

/** True if somebody has put other content in place of ours. */
function isChanged(item: RecordSetItem, contentAt: (id: string) => RecordSetContent | null): boolean {
  return findingOf(item, contentAt(recordSetId(item))) === 'drifted';
}

function asDrifted(item: RecordSetItem, actual: RecordSetContent | null, atMs: number): RecordSetItem {
  const message = showObstacle(item, 'drifted', { actual, wanted: item.desired });
  return { ...item, refusal: { reason: 'Drifted', message, content: item.desired, atMs } };
}

export function driftOf(item: RecordSetItem, how: Pick<Drift, 'standing' | 'message' | 'isRefused'>): Drift {
  const { name, type, setIdentifier, published } = item;
  return { name, type, setIdentifier, published, objects: objectsOf(item), ...how };
}

/** With what somebody protects: a change there will be refused, and what was protected before is tried again. */
async function withProtections(
  run: ItemsOfRun,
  refreshed: Refreshed,
  protections: readonly Protection[],
  nowMs: number,
): Promise<Refreshed> {
  const freed = itemsIn(run).filter((item) => isUnprotected(item, protections));
  for (const item of freed) await saveItem(run, item, (one) => ({ ...one, refusal: null }));
  const isFreed = new Set(freed.map(recordSetId));
  for (const item of protections.length === 0 ? [] : itemsIn(run)) {
    const by = isChanging(item) && !isFreed.has(recordSetId(item)) ? protectionOf(protections, item) : null;
    if (by === null) continue;
    const shield = { name: by.name, type: by.type };
    const refusal = { reason: 'Protected' as const, message: protectedMessage(by), content: item.desired, atMs: nowMs };
    await saveItem(run, item, (one) => ({ ...one, refusal: { ...refusal, shield } }));
  }
  const free = freed.map((item) => `${item.name} ${item.type} is no longer protected: the change is tried again.`);
  const names = refreshed.names.union(new Set(freed.map(({ name }) => name)));
  return { ...refreshed, names, drifts: [...refreshed.drifts, ...free] };
}

/** True if publish would send the item, or Route 53 refused it. */
function isChanging(item: RecordSetItem): boolean {
  const state = stateOf(item);
  return state === 'refused' ? isByTrialOnly(item.refusal) : !['free', 'live', 'sending'].includes(state);
}

/** The id of the neighbour because of which the item was refused. */
function besideOf({ name, refusal }: RecordSetItem): string[] {
  return refusal?.beside === undefined ? [] : [recordSetId({ ...refusal.beside, name })];
}

/** Reads these record sets in Route 53, and every NS; null if the hosted zone is gone. */
async function readRecordSets(
  hostedZones: Account['hostedZones'],
  { id, name }: HostedZoneItem,
  wanted: ReadonlySet<string>,
  progress: (text: string) => void,
): Promise<{
  readonly existing: ReadonlyMap<string, RecordSet>;
  readonly nameServers: readonly RecordSet[];
} | null> {
  const existing = new Map<string, RecordSet>();
  const nameServers: RecordSet[] = [];
  let read = 0;
  let from: RecordSetKey | null = null;
  do {
    progress(`comparing ${name} with Route 53: ${read} record sets read`);
    const page: RecordSetsPage | null = await hostedZones.readPage(id, from);
    if (page === null) return null;
    for (const set of page.recordSets) {
      if (wanted.has(recordSetId(set))) existing.set(recordSetId(set), set);
      if (set.type === 'NS') nameServers.push(set);
    }
    read += page.recordSets.length;
    from = page.next;
  } while (from !== null);
  return { existing, nameServers };
}

/** How the item differs from Route 53, and what follows. `isRefused`: it stays as it is in Route 53. */
function leadsTo(
  { type, desired, published }: RecordSetItem,
  actual: RecordSetContent | null,
  verdict: ComparisonVerdict,
  isRefused: boolean,
): string {
  const stands = showContent(actual);
  const isWanted = desired !== null;
  if (type === 'SOA') return `was changed by hand to ${stands}: it will be set again.`;
  if (verdict === 'lost')
    return `was deleted by hand: ${isWanted ? 'it will be created again' : 'nothing is left to delete'}.`;
  if (actual === null) return `is free again: ${isWanted ? 'it will be created' : 'nothing is left to do'}.`;
  if (samePublishing(type, actual, desired)) return 'already has the desired content: it will be taken as published.';
  if (samePublishing(type, actual, published))
    return `was restored by hand: it will be ${isWanted ? 'changed' : 'deleted'}.`;
  if (isRefused)
    return `was changed by hand to ${stands}: it stays unchanged (Drifted) until it is restored or deleted, or its Zone is annotated zone53.dev/takeover: "true".`;
  if (verdict === 'retried') return `is ours as ${stands}: a write without an answer has arrived late.`;
  return `was changed by hand to ${stands}: it will be ${isWanted ? 'replaced' : 'deleted'}, by zone53.dev/takeover.`;
}
