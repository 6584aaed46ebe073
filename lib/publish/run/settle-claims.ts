// Where several clusters use one hosted zone, a run settles its own record sets by the claims of all of them
// (judge-claims.ts), before it plans:
//
//   wanted here, and    refused by the claims                    OwnedByAnotherCluster; what is published is given away
//                                                                or deleted
//                       another cluster has exactly this         it becomes ours, too, without a call
//                       something of another one is in its way   that cluster is woken, to give it away
//   wanted no more, and another cluster has it, too              it is forgotten here
//   or on standby       another cluster waits for it             given away: that one replaces it in one batch
import { agesCodec, agesKey } from '../../directory/name-ages-item.ts';
import { ancestorsOf, isBelow, reversedKey } from '../../dns/names/name.ts';
import type { Change } from '../../dns/plan-changes.ts';
import {
  excludesBeside,
  type RecordSetContent,
  type RecordSetKey,
  recordSetId,
  sameContent,
  showRecordSet,
} from '../../dns/record-set.ts';
import { typeGroup } from '../../dns/record-type.ts';
import { readItem, UnreadableItemError } from '../../ledger/item-codec.ts';
import { eachItem } from '../../ledger/pages.ts';
import { orUnread } from '../../ledger/skip-unreadable.ts';
import { waitsOnStandby } from '../../objects/claim-settings.ts';
import { inParallel } from '../../ports/in-parallel.ts';
import { standbyAmong } from '../../record-sets/cluster-item.ts';
import { type Fellow, fellowsOf } from '../../record-sets/fellows.ts';
import { guardedNamespace } from '../../record-sets/guarded.ts';
import type { HostedZoneItem } from '../../record-sets/hosted-zone-item.ts';
import {
  agreedContents,
  areExclusive,
  type Claim,
  type Claimant,
  inOrder,
  isStandby,
  judgeClaims,
} from '../../record-sets/judge-claims.ts';
import {
  claimedOf,
  isWithdrawn,
  newRecordSetItem,
  type RecordSetItem,
  recordSetCodec,
  recordSetItemKey,
  recordSetsPartition,
  storedContent,
} from '../../record-sets/record-set-item.ts';
import { isBegun, isPublishable, ownedOf } from '../../record-sets/state.ts';
import { type NameReader, nameReader } from '../../record-sets/store.ts';
import { forgotten, objectsOf, withGiven, withoutClaim, withPublished } from '../../record-sets/transitions.ts';
import { noteName } from '../plan/names.ts';
import { eachOf, type ItemsOfRun, momentOf, saveItem } from './run.ts';

/** For so long a cluster may have back a name that it lost because its claim went. */
const FLAP_MS = 600_000;
/** How many items are read at once: a request of DynamoDB. */
const READS_AT_ONCE = 100;

/** A record set that another cluster gets as it stands. */
export type Given = {
  readonly to: Fellow;
  readonly item: RecordSetItem;
  readonly content: RecordSetContent;
  /** The giver asks for it no longer, or has become standby: it may have it back for ten minutes. */
  readonly isReturnable: boolean;
};

/** A record set that this run would get from another cluster. */
export type Taken = {
  readonly from: Fellow;
  readonly item: Pick<RecordSetItem, 'name'>;
  /** Both will have it: it does not move. */
  readonly isShared?: true;
};

/** What is done to other clusters. */
export type Giving = {
  /** Gives a record set; false: the other cluster has something else there by now. */
  readonly give: (given: Given) => Promise<boolean>;
  /** Notes what the other cluster's run will give. Absent: that is awaited. */
  readonly take?: (taken: Taken) => void;
  /** Has another cluster judge a name again, once `finish` was called. */
  readonly wake: (fellow: Fellow, name: string) => Promise<void>;
  /** Ends what was given and woken. */
  readonly finish: () => Promise<void>;
};

/** Our record sets at a name. */
type Own = { readonly name: string; readonly own: readonly RecordSetItem[] };

/** The clusters that are on standby, and since when. */
type OnStandby = { readonly onStandby: ReadonlyMap<string, number> };

/** What other clusters have at a name. */
type Others = readonly (Fellow & { readonly items: readonly RecordSetItem[] })[];

/** A name that other clusters wait for, or have too, and what is published there before the run. */
export type Contested = {
  readonly name: string;
  readonly waiting: readonly Fellow[];
  /** Our record sets there. */
  readonly ids: readonly string[];
  readonly published: string;
};

/** Settles all names of the run. Returns those that other clusters wait for. */
export async function settleClaims(run: ItemsOfRun, giving: Giving): Promise<readonly Contested[]> {
  const fellows = await fellowsOf(run.deps.ledger, run.hostedZone);
  if (fellows.length === 0) {
    const together = [...run.items.values()].flatMap(({ item }) => (item.claimed === undefined ? [] : [item]));
    await askForOwn(run, together);
    return [];
  }
  const clusters = [run.hostedZone, ...fellows].map(({ cluster }) => cluster);
  const onStandby = await standbyAmong(run.deps, run.deps.config, clusters);
  const contested: Contested[] = [];
  const names = Map.groupBy(
    [...run.items.values()].map(({ item }) => item).filter(isPublishableIn(run)),
    ({ name }) => name,
  );
  const itemsOf = nameReader(run.deps.ledger, names.size);
  await eachOf(names, async ([name, own]) => {
    const read = async (fellow: Fellow) => {
      const items = await itemsOf(fellow.id, name);
      return { ...fellow, items: items.filter(isPublishableIn(run)) };
    };
    const others = await Promise.all(fellows.map(read));
    if (!own.some((item) => item.desired !== null || item.published !== null)) {
      // What a run deleted before it died is in nobody's way.
      for (const other of others) if (other.items.some(isNotedRefused)) await giving.wake(other, name);
      return;
    }
    const hidden = await hiddenBy(run, fellows, itemsOf, { name, own });
    if (hidden !== null) return refuseAll(run, own, hidden);
    const open = others.filter(({ items }) => items.some((item) => item.desired !== null || ownedOf(item) !== null));
    if (open.length === 0) return clearRefusals(run, await askForOwn(run, own));
    await settleName(run, { name, own, onStandby }, open, giving);
    const ids = own.map(recordSetId);
    const isShared = (item: RecordSetItem) => item.published !== null && ids.includes(recordSetId(item));
    const isConcerned = (item: RecordSetItem) => isWaiting(item) || item.claimed !== undefined || isShared(item);
    const waiting = open.filter(({ items }) => items.some(isConcerned));
    if (waiting.length > 0) contested.push({ name, waiting, ids, published: publishedOf(run, ids) });
  });
  await giving.finish();
  return contested;
}

/** Wakes the clusters that wait for names where this run has changed what is published. */
export async function wakeWaiting(
  run: Pick<ItemsOfRun, 'items'>,
  contested: readonly Contested[],
  { wake, finish }: Giving,
): Promise<void> {
  const moved = contested.filter(({ ids, published }) => publishedOf(run, ids) !== published);
  for (const { name, waiting } of moved) for (const fellow of waiting) await wake(fellow, name);
  await finish();
}

/**
 * Wakes the clusters whose names these changes of a run no longer hide by a delegation, or whose delegations no longer
 * hide what they have deleted (`hiddenBy`).
 */
export async function wakeHidden(
  { ledger }: Pick<ItemsOfRun['deps'], 'ledger'>,
  hostedZone: HostedZoneItem,
  changes: readonly Pick<Change, 'name' | 'type' | 'before' | 'after'>[],
  { wake, finish }: Giving,
): Promise<void> {
  const gone = changes.filter(({ before, after }) => before !== null && after === null);
  const fellows = gone.length === 0 ? [] : await fellowsOf(ledger, hostedZone);
  if (fellows.length === 0) return;
  const above = new Set(
    gone.flatMap(({ name }) => [name, ...ancestorsOf(name)].filter((one) => isBelow(one, hostedZone.name))),
  );
  for (const fellow of fellows) {
    for (const { name } of gone.filter(({ type }) => type === 'NS'))
      for await (const stored of eachItem(ledger, recordSetsPartition(fellow.id), reversedKey(name))) {
        const item = recordSetCodec.read(stored);
        if (!(item instanceof UnreadableItemError) && isNotedRefused(item)) await wake(fellow, item.name);
      }
    // A cluster that leaves deletes thousands of names at once.
    await inParallel(above, READS_AT_ONCE, async (name) => {
      const key = recordSetItemKey(fellow.id, delegationAt(name));
      const stored = await orUnread(() => readItem(ledger, key, recordSetCodec));
      if (stored === null || stored instanceof UnreadableItemError) return;
      if (isNotedRefused(stored.item)) await wake(fellow, name);
    });
  }
  await finish();
}

function delegationAt(name: string): RecordSetKey {
  return { name, type: 'NS', setIdentifier: null };
}

/** What is published of these record sets, as text. */
function publishedOf({ items }: Pick<ItemsOfRun, 'items'>, ids: readonly string[]): string {
  return JSON.stringify(ids.map((id) => items.get(id)?.item.published ?? null));
}

/** Reads the record sets of a cluster at a name. */
function isPublishableIn({ hostedZone: { name } }: ItemsOfRun): (item: RecordSetItem) => boolean {
  return (item) => isPublishable(item, name);
}

function isWaiting({ desired, published }: RecordSetItem): boolean {
  return desired !== null && !sameContent(desired, published);
}

function claimOf(
  { name, type, setIdentifier, objects, publishedObjects, standbyMs, merges }: RecordSetItem,
  content: RecordSetContent,
): Claim {
  const namespace = guardedNamespace(objects.length > 0 ? objects : publishedObjects);
  return { name, type, setIdentifier, content, namespace, standby: standbyMs !== undefined, merges: merges === true };
}

/** The claims of a cluster at the name. */
async function claimantOf(
  { deps: { ledger, clock } }: ItemsOfRun,
  { cluster, items, isOff }: { readonly cluster: string; readonly items: Own['own']; readonly isOff: boolean },
  others: readonly RecordSetItem[],
): Promise<Claimant> {
  // What a view inherits gives way to every claim.
  const claimed = (item: RecordSetItem) => {
    const asked = item.inherits === true ? null : claimedOf(item);
    return asked === null ? [] : [{ ...claimOf(item, asked), ...(isOff && { standby: true }) }];
  };
  const nowMs = clock.nowMs();
  const isLost = ({ takenFrom }: RecordSetItem) =>
    takenFrom?.cluster === cluster && takenFrom.stays !== true && nowMs - takenFrom.atMs < FLAP_MS;
  const owned = items.flatMap((item): Claim[] => {
    const content = isWithdrawn(item) ? null : ownedOf(item);
    return content === null ? [] : [claimOf(item, content)];
  });
  const readAges = () => readItem(ledger, agesKey(cluster, items[0]?.name ?? '.'), agesCodec);
  const ages = await orUnread(readAges);
  const since = ages instanceof UnreadableItemError ? [] : (ages?.item.ages ?? []);
  return {
    cluster,
    claims: items.flatMap(claimed),
    owned,
    sinceMs: Math.min(Number.MAX_SAFE_INTEGER, ...since.map(({ sinceMs }) => sinceMs)),
    justLost: new Set(
      [...items.filter((item) => isOnItsWay(item, items)), ...others.filter(isLost)].map(({ type }) => typeGroup(type)),
    ),
  };
}

/** True for what another cluster gave, and what this one asks for has not replaced yet: the claims have decided it. */
function isOnItsWay(item: RecordSetItem, own: Own['own']): boolean {
  const isGiven = item.takenFrom !== undefined && item.takenFrom.atMs === item.publishedAtMs;
  return isGiven && groupOf(item, own).some(isWaiting);
}

/** What goes together with an item at its name, and itself. */
function groupOf({ type }: RecordSetItem, own: Own['own']): Own['own'] {
  return own.filter((one) => typeGroup(one.type) === typeGroup(type));
}

async function settleName(
  run: ItemsOfRun,
  { name, own: before, onStandby }: Own & OnStandby,
  others: Others,
  giving: Giving,
): Promise<void> {
  const { cluster } = run.hostedZone;
  const all = [{ id: run.hostedZone.id, cluster, items: before }, ...others];
  const claimants = await Promise.all(
    all.map((one) => {
      const rest = all.filter(({ id }) => id !== one.id).flatMap(({ items }) => items);
      return claimantOf(run, { ...one, isOff: onStandby.has(one.cluster) }, rest);
    }),
  );
  const refused = judgeClaims(claimants);
  const agreed = agreedContents(claimants);
  const [mine] = claimants as [Claimant];
  const taken = takeWhatIsGiven(run, before, others, { refused, agreed, giving });
  const own = before.map((item) => run.items.get(recordSetId(item))?.item ?? item);
  /** The clusters in the order in which their claims of this type are taken. */
  const orderOf = (type: string) => inOrder(claimants, type).map((one) => one.cluster);
  const inTurn = (type: string) => {
    const order = orderOf(type);
    return others.toSorted((a, b) => order.indexOf(a.cluster) - order.indexOf(b.cluster));
  };
  const stays = all.flatMap(({ items }) => items.filter((one) => one.desired !== null && one.published !== null));
  /**
   * The first of the others whose accepted claims this content is in the way of, or which is the first to answer there
   * when this is gone.
   */
  const takerOf = (item: RecordSetItem, content: RecordSetContent): Fellow | undefined => {
    const isLast = !groupOf(item, stays).some((one) => recordSetId(one) !== recordSetId(item));
    return inTurn(item.type).find((other) =>
      other.items.some((theirs) => {
        if (!isWaiting(theirs) || theirs.desired === null) return false;
        if (refused.get(other.cluster)?.has(recordSetId(theirs)) === true) return false;
        if (isLast && typeGroup(theirs.type) === typeGroup(item.type)) return true;
        return areOneOrOther(claimOf(item, content), claimOf(theirs, theirs.desired));
      }),
    );
  };
  const isRefused = (item: RecordSetItem) => refused.get(cluster)?.has(recordSetId(item)) === true;
  // While this cluster has all as it asks, others wait for nothing of it that it could give.
  const isSettled = !own.some((item) => isWaiting(item) || isRefused(item) || isWithdrawn(item));
  for (const other of others)
    if (hasUnduly(other, refused) || (isSettled && isUnaware(other, { refused, agreed })))
      await giving.wake(other, name);
  // What is to be withdrawn is noted before anything is forgotten: a run that comes after a death judges the same.
  for (const one of own.toSorted((a, b) => Number(isRefused(b)) - Number(isRefused(a)))) {
    const [asking] = isRefused(one) === isWithdrawn(one) ? [one] : await askForOwn(run, [one]);
    const item = asking !== undefined && isRefused(one) && isBegun(asking) ? await endTakeover(run, asking) : asking;
    if (item === undefined) continue;
    const content = item.published;
    const obstacle = refused.get(cluster)?.get(recordSetId(item)) ?? null;
    for (const other of others)
      if (other.cluster === obstacle && isUnaware(other, { refused, agreed })) await giving.wake(other, name);
    const isOff = item.desired !== null && isStandby(item, mine);
    if (item.desired !== null && obstacle === null)
      await settleAccepted(run, item, inTurn(item.type), giving, { taken, refused, agreed, orderOf });
    else if (content === null || item.lost !== undefined || item.intent !== null) {
      if (obstacle !== null && item.intent === null) await refuse(run, item, obstacle, isOff);
    } else if (!taken.has(recordSetId(item))) {
      const has = ({ items }: Others[number]) =>
        items.some((theirs) => recordSetId(theirs) === recordSetId(item) && sameContent(theirs.published, content));
      // What another owner asks for is that one's from now on: only alone a cluster replaces it itself.
      const asksFor = (theirs: RecordSetItem) => recordSetId(theirs) === recordSetId(item) && theirs.desired !== null;
      const isKept = others.some((other) => has(other) && other.items.some(asksFor));
      if (!isKept && isReplaced({ ...run.hostedZone, items: own }, item, refused)) continue;
      const asks = groupOf(item, own).filter((one) => claimedOf(one) !== null);
      const ownMs = Math.max(...asks.map(({ standbyMs = Infinity }) => standbyMs));
      const sinceMs = Math.min(onStandby.get(cluster) ?? Infinity, ownMs);
      const later = others.find(({ items }) => items.some((theirs) => isInPlaceOf(theirs, item)));
      if (later !== undefined) {
        await forget(run, item, obstacle ?? later.cluster, isOff);
        continue;
      }
      const to = others.find(has) ?? takerOf(item, content);
      if (to === undefined) {
        if (obstacle === null || isWithdrawn(item)) continue;
        await refuse(run, item, obstacle, isOff);
        await withdraw(run, item);
        continue;
      }
      // Beside what is on standby, too, it was not lost by becoming standby: the rest of the order decided.
      const isLostBy = !isStandby(item, claimants.find((one) => one.cluster === to.cluster) ?? mine);
      const isRecent = isStandby(item, mine) && run.deps.clock.nowMs() - sinceMs < FLAP_MS;
      const isReturnable = asks.length === 0 || (isRecent && isLostBy);
      if (!(await giving.give({ to, item, content, isReturnable }))) noteName(run.names, name, { stays: true });
      else await forget(run, item, obstacle ?? to.cluster, isOff);
    }
  }
}

/** Notes in the run, for a plan, what other clusters will give to it. Returns the ids of these record sets. */
function takeWhatIsGiven(
  run: ItemsOfRun,
  own: readonly RecordSetItem[],
  others: Others,
  { refused, agreed, giving: { take } }: Pick<Judged, 'refused' | 'agreed'> & { readonly giving: Giving },
): ReadonlySet<string> {
  const taken = new Set<string>();
  const isRefused = (cluster: string, item: RecordSetItem) => refused.get(cluster)?.has(recordSetId(item)) === true;
  const waiting = own.flatMap((item) =>
    item.desired === null || !isWaiting(item) || isRefused(run.hostedZone.cluster, item)
      ? []
      : [claimOf(item, item.desired)],
  );
  for (const { items, ...from } of take === undefined ? [] : others)
    for (const item of items) {
      const { published: content, intent, lost } = item;
      if (content === null || isBegun(item) || intent !== null || lost !== undefined) continue;
      if (isReplaced({ ...from, items }, item, refused)) continue;
      const id = recordSetId(item);
      // What both may have, with other content: the other one publishes that first.
      const isShared = item.desired !== null && !isRefused(from.cluster, item);
      if (isShared && (sameContent(agreed.get(id) ?? null, content) || !waiting.some((one) => recordSetId(one) === id)))
        continue;
      const theirs = claimOf(item, content);
      if (!waiting.some((one) => areOneOrOther(one, theirs))) continue;
      const { item: mine = newRecordSetItem(item), revision = '' } = run.items.get(id) ?? {};
      const source = { cluster: from.cluster, atMs: run.deps.clock.nowMs() };
      if (mine.published === null) run.items.set(id, { item: withGiven(mine, content, source), revision });
      take?.({ from, item, ...(isShared && { isShared }) });
      taken.add(id);
    }
  return taken;
}

/** True for what another cluster has published since in place of what both had: it is ours no longer. */
function isInPlaceOf(theirs: RecordSetItem, item: RecordSetItem): boolean {
  if (recordSetId(theirs) !== recordSetId(item) || theirs.published === null || theirs.intent !== null) return false;
  const isOther = !isBegun(theirs) && !sameContent(theirs.published, item.published);
  return isOther && (theirs.publishedAtMs ?? 0) > (item.publishedAtMs ?? 0);
}

/** True for what a cluster asks for no longer, and replaces itself by what it may have. */
function isReplaced(
  { cluster, items }: Pick<Others[number], 'cluster' | 'items'>,
  item: RecordSetItem,
  refused: Judged['refused'],
): boolean {
  const { desired, published } = item;
  if (desired !== null || published === null) return false;
  return items.some((one) => {
    if (!isWaiting(one) || one.desired === null || refused.get(cluster)?.has(recordSetId(one)) === true) return false;
    return areOneOrOther(claimOf(item, published), claimOf(one, one.desired));
  });
}

/** True for what waits, as the claims of others are in its way. */
function isNotedRefused(item: RecordSetItem): boolean {
  return isWaiting(item) && item.refusal?.reason === 'OwnedByAnotherCluster';
}

/** True for two of which only one can be at a name, as they are. */
function areOneOrOther(a: Claim, b: Claim): boolean {
  return recordSetId(a) === recordSetId(b) || areExclusive(a, b) || areTogether(a, b) || haveOtherTtl(a, b);
}

/** True for weighted record sets of two clusters that Route 53 takes only with one TTL. */
function haveOtherTtl(a: Claim, b: Claim): boolean {
  return a.type === b.type && recordSetId(a) !== recordSetId(b) && excludesBeside(a.content, b.content);
}

/** True for record sets of one name that only one cluster may have: addresses. */
function areTogether(a: Claim, b: Claim): boolean {
  return a.type !== b.type && typeGroup(a.type) === typeGroup(b.type);
}

/** True for record sets of two clusters that are shared: both routed, or both united with others. */
function doShare(a: Claim, b: Claim): boolean {
  return (a.setIdentifier !== null && b.setIdentifier !== null) || (a.merges && b.merges);
}

/** What the claims at a name come to. `orderOf`: in which order the clusters have their turns for claims of a type. */
type Judged = {
  readonly refused: ReturnType<typeof judgeClaims>;
  readonly agreed: ReturnType<typeof agreedContents>;
  readonly orderOf: (type: string) => readonly string[];
};

/** The cluster before this one that has a record set which both may have; null: this one writes it. */
function writerOf(
  { hostedZone: { cluster } }: ItemsOfRun,
  item: RecordSetItem,
  inTurn: Others,
  { refused, orderOf }: Judged,
): { readonly other: Fellow; readonly published: RecordSetContent | null } | null {
  const id = recordSetId(item);
  const first = orderOf(item.type);
  const own = ownedOf(item) === null ? Infinity : first.indexOf(cluster);
  for (const other of inTurn) {
    if (first.indexOf(other.cluster) > own || refused.get(other.cluster)?.has(id) === true) continue;
    const theirs = other.items.find((one) => recordSetId(one) === id && one.desired !== null && ownedOf(one) !== null);
    if (theirs !== undefined) return { other, published: theirs.published };
  }
  return null;
}

/** Has a record set published as several clusters have it together. Returns the item, as it is then. */
async function wantTogether(run: ItemsOfRun, item: RecordSetItem, content: RecordSetContent): Promise<RecordSetItem> {
  const claimed = claimedOf(item);
  const isOwn = sameContent(content, claimed);
  if (sameContent(item.desired, content) && isOwn === (item.claimed === undefined)) return item;
  await saveItem(run, item, (now) => {
    if (!sameContent(claimedOf(now), claimed)) return null;
    const { claimed: _, ...rest } = now;
    const desired = storedContent(content);
    return isOwn || claimed === null ? { ...rest, desired } : { ...rest, desired, claimed };
  });
  return run.items.get(recordSetId(item))?.item ?? item;
}

/** Has record sets published as this cluster alone asks for them. */
async function askForOwn(run: ItemsOfRun, own: readonly RecordSetItem[]): Promise<readonly RecordSetItem[]> {
  return Promise.all(own.map((item) => (item.claimed === undefined ? item : wantTogether(run, item, item.claimed))));
}

/** Notes what another owner of the record set has published in its place. Returns the item, as it is then. */
async function withChangesOf(run: ItemsOfRun, item: RecordSetItem, others: Others): Promise<RecordSetItem> {
  const later = others.flatMap(({ items }) => items).find((theirs) => isInPlaceOf(theirs, item));
  const stands = later?.published ?? null;
  if (stands === null || item.published === null) return item;
  await saveItem(run, item, (now) => withSeen(run, now, stands, later?.publishedAtMs));
  return run.items.get(recordSetId(item))?.item ?? item;
}

/**
 * The item with what another cluster has published. It was published when that one did so: what that one has published
 * since is seen to be later (isInPlaceOf).
 */
function withSeen(
  run: ItemsOfRun,
  now: RecordSetItem,
  content: RecordSetContent,
  atMs: number | null | undefined,
): RecordSetItem {
  const moment = momentOf(run);
  const item = withPublished(moment, now, content, { objects: objectsOf(now), tookOver: true });
  return { ...item, publishedAtMs: atMs ?? moment.nowMs };
}

/** Settles a record set that this cluster may have. */
async function settleAccepted(
  run: ItemsOfRun,
  before: RecordSetItem,
  others: Others,
  { wake }: Giving,
  judged: Judged & { readonly taken: ReadonlySet<string> },
): Promise<void> {
  if (before.desired === null || before.intent !== null) return;
  const { taken, refused } = judged;
  const writer = taken.has(recordSetId(before)) ? null : writerOf(run, before, others, judged);
  const agreed = judged.agreed.get(recordSetId(before)) ?? before.desired;
  if (writer !== null && !sameContent(writer.published, agreed)) {
    // The first one that has it changes it for all.
    if (before.published !== null) await wantTogether(run, before, before.published);
    else await refuse(run, before, writer.other.cluster, false);
    return wake(writer.other, before.name);
  }
  const asked = await wantTogether(run, before, agreed);
  const { desired } = asked;
  if (desired === null) return;
  const item = await withChangesOf(run, asked, others);
  const mine = claimOf(item, desired);
  const theirs = others.flatMap((other) => other.items.map((one) => ({ other, one, content: ownedOf(one) })));
  const equal = theirs.find(
    ({ one, content }) => recordSetId(one) === recordSetId(item) && sameContent(content, desired),
  );
  if (equal !== undefined && !sameContent(item.published, desired)) {
    await saveItem(run, item, (now) => withSeen(run, now, desired, equal.one.publishedAtMs));
    return;
  }
  const inTheWay = theirs.find(({ other, one, content }) => {
    if (content === null || equal !== undefined || taken.has(recordSetId(one))) return false;
    // What is published already waits only for what goes together with it: no name has addresses of two clusters.
    if (item.published !== null && (!isWaiting(item) || recordSetId(one) === recordSetId(item))) return false;
    // What both write together waits for nothing that the other one only deletes.
    if (item.published !== null && item.merges === true && one.desired === null) return false;
    // What it has as it asks for it, and may, stands beside this.
    const isAccepted = refused.get(other.cluster)?.has(recordSetId(one)) !== true;
    if (isAccepted && one.desired !== null && sameContent(one.desired, content)) return false;
    const claim = claimOf(one, content);
    // What both share and may have changes beside each other: neither waits for the other one's change.
    const isBeside = isAccepted && one.desired !== null && doShare(mine, claim);
    return isBeside ? areExclusive(mine, claim) : areOneOrOther(mine, claim);
  });
  if (inTheWay === undefined) return clearRefusals(run, [item]);
  await refuse(run, item, inTheWay.other.cluster, false);
  await wake(inTheWay.other, item.name);
}

/** True for a cluster that has what it asks for, and has not noted that it may not have it any more. */
function hasUnduly({ cluster, items }: Others[number], refused: Judged['refused']): boolean {
  const isNoted = ({ refusal }: RecordSetItem) => refusal?.reason === 'OwnedByAnotherCluster';
  const has = items.filter(({ desired, published }) => desired !== null && published !== null);
  return has.some((item) => refused.get(cluster)?.has(recordSetId(item)) === true && !isNoted(item));
}

/**
 * True for a cluster that may have what it asks for, and has noted that it may not, or that it has it with the TTL of
 * another one: other claims decided that.
 */
function isUnaware(
  { cluster, items }: Others[number],
  { refused, agreed }: Pick<Judged, 'refused' | 'agreed'>,
): boolean {
  return items.some((item) => {
    const id = recordSetId(item);
    if (item.desired === null || refused.get(cluster)?.has(id) === true) return false;
    return isNotedRefused(item) || (item.claimed !== undefined && !sameContent(item.desired, agreed.get(id) ?? null));
  });
}

/** Leaves what somebody else put there, and this cluster may not have: it is nobody's to give. Returns the item. */
async function endTakeover(run: ItemsOfRun, item: RecordSetItem): Promise<RecordSetItem> {
  await saveItem(run, item, (now) => (isBegun(now) ? withoutClaim(now) : null));
  return run.items.get(recordSetId(item))?.item ?? item;
}

/** Notes that another cluster owns what this one asks for. */
async function refuse(run: ItemsOfRun, item: RecordSetItem, cluster: string, isOff: boolean): Promise<void> {
  const message = messageOf(item, cluster, isOff);
  const { refusal } = item;
  if (refusal?.message === message && sameContent(refusal.content, item.desired)) return;
  const atMs = run.deps.clock.nowMs();
  await saveItem(run, item, (now) => ({
    ...now,
    refusal: { reason: 'OwnedByAnotherCluster', message, content: now.desired, atMs },
  }));
}

async function refuseAll(run: ItemsOfRun, own: readonly RecordSetItem[], cluster: string): Promise<void> {
  for (const item of own) if (item.desired !== null && item.published === null) await refuse(run, item, cluster, false);
}

/** Has a record set deleted that this cluster asks for, and may not have beside what another one has. */
async function withdraw(run: ItemsOfRun, { desired, ...key }: RecordSetItem): Promise<void> {
  const item = run.items.get(recordSetId(key))?.item;
  if (item === undefined || desired === null) return;
  await saveItem(run, item, (now) =>
    sameContent(now.desired, desired) ? { ...now, desired: null, claimed: storedContent(desired) ?? desired } : null,
  );
}

/** The record set is the other cluster's from now on. */
async function forget(run: ItemsOfRun, item: RecordSetItem, cluster: string, isOff: boolean): Promise<void> {
  const nowMs = run.deps.clock.nowMs();
  await saveItem(run, item, (now) => {
    const { takenFrom: _, ...left } = forgotten(now, messageOf(now, cluster, isOff), nowMs);
    return left.refusal === null ? left : { ...left, refusal: { ...left.refusal, reason: 'OwnedByAnotherCluster' } };
  });
}

async function clearRefusals(run: ItemsOfRun, own: readonly RecordSetItem[]): Promise<void> {
  for (const item of own)
    if (item.refusal?.reason === 'OwnedByAnotherCluster')
      await saveItem(run, item, (now) => ({ ...now, refusal: null }));
}

function messageOf(item: RecordSetItem, cluster: string, isOff: boolean): string {
  if (isOff) return waitsOnStandby(showRecordSet(item), cluster);
  return `Cluster ${cluster} owns ${showRecordSet(item)}, or what cannot stand beside it. It moves to this cluster when cluster ${cluster} asks for it no longer, or is on standby; equal content is published for both.`;
}

/**
 * The cluster whose names this one would hide by a delegation here, or by whose delegation above the name would be
 * hidden; null: there is none.
 */
async function hiddenBy(
  { deps: { ledger }, hostedZone }: ItemsOfRun,
  fellows: readonly Fellow[],
  itemsOf: NameReader,
  { name, own }: Own,
): Promise<string | null> {
  const isNew = ({ desired, published }: RecordSetItem) => desired !== null && published === null;
  if (!own.some(isNew)) return null;
  const above = ancestorsOf(name).filter((one) => isBelow(one, hostedZone.name));
  const isDelegation = (item: RecordSetItem) => item.type === 'NS' && ownedOf(item) !== null;
  const delegates = own.some((item) => item.type === 'NS' && isNew(item));
  for (const { id, cluster } of fellows) {
    for (const one of above) {
      if (!(await itemsOf(id, one)).some(isDelegation)) continue;
      // Where both delegate, the claims there decide.
      const ours = await itemsOf(hostedZone.id, one);
      if (!ours.some(({ type, desired }) => type === 'NS' && desired !== null)) return cluster;
    }
    if (!delegates || (await itemsOf(id, name)).some(isDelegation)) continue;
    for await (const stored of eachItem(ledger, recordSetsPartition(id), reversedKey(name))) {
      const item = recordSetCodec.read(stored);
      if (item instanceof UnreadableItemError || ownedOf(item) !== null) return cluster;
    }
  }
  return null;
}
