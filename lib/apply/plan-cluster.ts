// Compares the whole cluster with the whole ledger, and writes nothing. `zone53 plan` prints the result, `apply` shows
// it and carries it out. Earlier results of events are not trusted.

import { afterExtended } from '../directory/inherited-names.ts';
import { readAllAges, type StoredAges, unreadAges } from '../directory/name-ages-item.ts';
import { type LiveAt, liveZonesAt, responsibleZoneOf } from '../directory/responsible-zone.ts';
import { compareText } from '../dns/names/compare-text.ts';
import { type RecordSet, recordSetId } from '../dns/record-set.ts';
import { hostingsInUse } from '../hosting/claim-hosted-zones.ts';
import { findHostedZones } from '../hosting/find-hosted-zones.ts';
import type { Stored, UnreadableItemError } from '../ledger/item-codec.ts';
import { lostObjects } from '../observe/lost-objects.ts';
import { type ClusterReading, declaredIn } from '../observe/read-cluster.ts';
import { clusterDnsOf, mayTakeEqual, mayTakeOver } from '../ports/config.ts';
import type { Context } from '../ports/context.ts';
import { servicesOfRun } from '../publish/counts/services.ts';
import { keepDifferences, keptDifferences } from '../publish/existing/kept-readings.ts';
import type { HostedZonePlan } from '../publish/plan/plan-hosted-zone.ts';
import { withoutStuck } from '../publish/plan/stuck-units.ts';
import { refusalHolds } from '../publish/plan/withheld.ts';
import { countPublished } from '../publish/run/charge-deletes.ts';
import { planNames, readNamespacesOf } from '../publish/run/prepare.ts';
import type { ItemsOfRun } from '../publish/run/run.ts';
import { type Given, settleClaims, type Taken } from '../publish/run/settle-claims.ts';
import { withoutKept } from '../publish/run/settle-inherited.ts';
import type { LostOf } from '../record-sets/desired-name.ts';
import { annotatedWith, type HostedZoneItem, newHostedZoneItem } from '../record-sets/hosted-zone-item.ts';
import type { RecordSetItem } from '../record-sets/record-set-item.ts';
import { readFleet } from '../resolve/read-fleet.ts';
import { resolveByAge, standingAt } from '../resolve/standing.ts';
import { leftOutMessage } from '../zones/cluster-names.ts';
import type { DesiredRecordSet } from '../zones/merge-record-sets.ts';
import type { StandingDelegation } from '../zones/note-hidden.ts';
import { adoptAll, agesOfAll, historiesOf, placeCluster, type ResolvedCluster } from '../zones/resolve-cluster.ts';
import type { Past } from '../zones/seniority.ts';
import { sharedBy } from '../zones/share-record-sets.ts';
import { declaredNameServers } from '../zones/zone-cuts.ts';
import { keepStored, keptNames, type UnreadItems, withUnread } from './kept-names.ts';
import { mergeDesired } from './merge-desired.ts';
import { namesToRetry } from './names-to-retry.ts';
import { pendingHostings, pendingId } from './pending-hosted-zones.ts';
import { rehearsedGiving, type Woken } from './plan-given.ts';
import { type SoFar, settlePlanned } from './plan-inherited.ts';
import { type Meeting, meetingOf, NO_MEETING, planOthers } from './plan-others.ts';
import { type PlannedHealthChecks, plannedHealthChecks } from './planned-health-checks.ts';
import { type AskersAt, askedBy, askersIn, type IsAsked, type IsWanted, wantedIn } from './planned-services.ts';
import { type PlannedReading, readPlanned } from './read-planned.ts';
import { NO_ITEMS, readStored } from './read-stored.ts';
import { compareKnown, type Drift, driftOf, isNotedDrift, type Refreshed, refresh } from './refresh.ts';
import { itemsIn, rehearsedRun, resolveWrites } from './rehearsed-run.ts';

/** One hosted zone's part of a plan. `pending`: it does not exist yet, and applying creates it. */
export type PlannedHostedZone = {
  readonly hostedZone: HostedZoneItem;
  readonly pending: boolean;
  /** No Zone publishes into it any more. */
  readonly isLeft: boolean;
  /** The record set items as they would be, by `recordSetId`. */
  readonly items: ReadonlyMap<string, RecordSetItem>;
  readonly stored: ReadonlyMap<string, Stored<RecordSetItem>>;
  /** Names where a foreign record set was seen: Route 53 is read there before anything is sent. */
  readonly inTheWay: ReadonlySet<string>;
  readonly plan: HostedZonePlan;
  /** What the view of the hosted zone does not inherit of the one that it extends, and why. */
  readonly leftOut: readonly string[];
  /** Differences between published and Route 53, with their consequences; empty if they were not compared. */
  readonly drifts: readonly string[];
  /** The NS below its apex that were seen in Route 53 and that zone53 did not create. */
  readonly delegations: readonly StandingDelegation[];
  /** Names where nothing changes, because an item of the ledger cannot be read, by name. */
  readonly kept: ReadonlyMap<string, UnreadableItemError>;
  /** The same as data, and what a run or a sweep found changed by hand before. */
  readonly differences: readonly Drift[];
  /** What other clusters give. */
  readonly taken: readonly Taken[];
  /** What other clusters get. */
  readonly given: readonly Given[];
  /** It is of another cluster, which publishes this because of the plan of this one. */
  readonly isOthers?: true;
  /** What Route 53 has where the plan creates, and unwanted record sets to delete; null: it was not to be read. */
  readonly read: PlannedRead | null;
};

/**
 * What was read of a hosted zone. `unread`: why it could not be read; null if it was. `isUncompared`: it was to be
 * compared with what is published.
 */
type PlannedRead = Pick<PlannedReading, 'existingById' | 'unwanted'> & {
  readonly unread: string | null;
  readonly isUncompared?: boolean;
};

const NOTHING_READ = { existingById: new Map<string, never>(), unwanted: [] };

export type ClusterPlan = {
  readonly reading: ClusterReading;
  readonly resolved: ResolvedCluster;
  /** Why a Zone has no hosted zone although there seems to be one, by fqdn. */
  readonly hostingProblems: ReadonlyMap<string, string>;
  readonly hostedZones: readonly PlannedHostedZone[];
  /** The ages at names as they were read. */
  readonly storedAges: StoredAges;
  readonly healthChecks: PlannedHealthChecks;
  /** The items of the ledger that this code cannot read. Nothing changes where they are about. */
  readonly unread: UnreadItems;
};

export type PlanOptions = {
  /** Digests that the user has acknowledged. */
  readonly acknowledged?: readonly string[];
  /** If present, published record sets are compared with Route 53, and this is told the progress. */
  readonly refresh?: (progress: string) => void;
  /**
   * True: reads Route 53 where the plan would create. False: reads no record set, unless `refresh` compares them.
   * Absent: reads where it would replace what was changed by hand, and where an earlier run died.
   */
  readonly reads?: boolean;
  /** Reads anew what an earlier plan read and kept. */
  readonly isFresh?: boolean;
  /** Plans no new hosted zone, whatever the configuration says. */
  readonly makesNone?: boolean;
  /** Called when much was released from memory. */
  readonly onReleased?: () => void;
};

/** Plans everything that was read. */
export async function planReading(
  context: Context,
  reading: ClusterReading,
  options: PlanOptions,
): Promise<ClusterPlan> {
  const { known, ...found } = await resolveReading(context, reading, options);
  const { resolved, unread } = found;
  options.onReleased?.();
  // A plan without the guard's counts of a hosted zone would be wrong.
  const owned = ownedHostedZones(context, reading, resolved, known).filter(({ id }) => !unread.hostedZones.has(id));
  const desired = Map.groupBy(resolved.recordSets, (set) => set.hostedZoneId);
  const isAsked = askedBy(() => declaredIn(reading));
  const rules: PlanRules = {
    liveAt: liveZonesAt(resolved),
    isWanted: wantedIn(resolved),
    isAsked,
    askersAt: askersIn(resolved),
    lostOf: lostObjects(context),
    unread,
  };
  if (resolved.leftOut > 0) context.log('warn', leftOutMessage(resolved.leftOut));
  const hostedZones: PlannedHostedZone[] = [];
  const meetings: Parameters<typeof planOthers>[1][number][] = [];
  const ttls = new Map(
    [...resolved.zones.values()].flatMap(({ live }) => (live === null ? [] : [[live.fqdn, live.spec.ttl]])),
  );
  const soFar = { owned, planned: hostedZones, liveAt: rules.liveAt, ttlAt: (fqdn: string) => ttls.get(fqdn) ?? 0 };
  for (const hostedZone of afterExtended(owned, context.config)) {
    const recordSets = desired.get(hostedZone.id) ?? [];
    const { meeting, ...planned } = await planOne(context, hostedZone, recordSets, reading, options, rules, soFar);
    hostedZones.push(planned);
    if (meeting !== NO_MEETING) meetings.push({ hostedZone, plan: planned.plan, meeting });
  }
  for (const part of await planOthers(context, meetings)) hostedZones.push({ ...UNREAD_PART, ...part });
  options.onReleased?.();
  const keptIn = new Map(hostedZones.map(({ hostedZone, kept }) => [hostedZone.id, kept]));
  const healthChecks = await plannedHealthChecks(context, hostedZones.map(sentPart));
  return { reading, ...found, resolved: withUnread(resolved, unread, keptIn), hostedZones, healthChecks };
}

/** A part of the plan with the changes that will be sent. */
function sentPart({ hostedZone, items, plan: { changes, refused, flipping, guard } }: PlannedHostedZone) {
  const kept = new Set(
    [...guard.held, ...guard.tied, ...[...refused, ...flipping].map(({ change }) => change)].map(recordSetId),
  );
  return { hostedZone, items, changes: changes.filter((change) => !kept.has(recordSetId(change))) };
}

/** Applies the rules to a reading, with the hosted zones that exist. A separate function, so that memory is freed. */
async function resolveReading(
  context: Context,
  reading: ClusterReading,
  options: PlanOptions,
): Promise<
  Omit<ClusterPlan, 'reading' | 'hostedZones' | 'healthChecks'> & { readonly known: readonly HostedZoneItem[] }
> {
  const { zones, history } = reading;
  const objects = declaredIn(reading);
  const clusterDns = clusterDnsOf(context.config);
  const adoptions = adoptAll({ zones, objects, roots: context.config.roots, clusterDns, history });
  const found = await findHostedZones(context, adoptions.live);
  const storedAges = await readAllAges(context.ledger, context.config.clusterId);
  const nowMs = context.clock.nowMs();
  const past: Past = { nowMs, agesAt: (name) => storedAges.get(name)?.item.ages ?? [], stands: () => false };
  const declared = declaredNameServers(
    adoptions.endpoints.flatMap(({ adopted }) => adopted ?? []),
    adoptions.resolutions,
    historiesOf(agesOfAll(adoptions, past), past),
  );
  const inUse = hostingsInUse(context, adoptions.live, declared, found.byName);
  const { problems, known } = found;
  const asked = { declared, inUse, problems, known, makesNone: options.makesNone === true };
  const pending = await pendingHostings(context, adoptions.live, asked);
  const hostings = new Map([...inUse, ...pending]);
  const fleet = await readFleet(context, { live: adoptions.live, hostings, found });
  const newOnes = new Set([...pending.values()].map(({ id }) => id));
  const standing = async (id: string, name: string) => (newOnes.has(id) ? [] : standingAt(context, id, name));
  const { recordSets, ...rest } = await resolveByAge(
    context,
    { ages: storedAges, nowMs, ...(options.reads === true && { standingAt: standing }) },
    (past) => placeCluster({ zones, clusterDns, hostings, fleet, past }, adoptions),
  );
  const resolved = { ...rest, recordSets: sharedBy(context.config, recordSets) };
  const unread = { ...reading.unread, names: unreadAges(storedAges), hostedZones: found.unread };
  return { resolved, known, hostingProblems: problems, storedAges, unread };
}

/** The hosted zones in which something is desired, and those that we already publish into. */
function ownedHostedZones(
  context: Context,
  reading: ClusterReading,
  resolved: ResolvedCluster,
  known: readonly HostedZoneItem[],
): readonly HostedZoneItem[] {
  const items = new Map(known.map((item) => [item.id, item]));
  for (const { live, placed } of resolved.zones.values()) {
    if (live === null || placed?.hosting == null) continue;
    const { id, nameServers, made, isPrivate = false, account } = placed.hosting;
    const now = reading.objects.get(`Zone ${live.key}`)?.now;
    const takeover = now !== undefined && mayTakeOver(context.config, now);
    const base =
      items.get(id) ??
      newHostedZoneItem({
        ...{ id, name: live.fqdn, zone: live.key, nameServers, made, isPrivate },
        ...(account === undefined ? {} : { account }),
        cluster: context.config.clusterId,
      });
    const { retains: _, retired: __, ...rest } = base;
    items.set(id, {
      ...rest,
      zone: live.key,
      takeover,
      ...(now?.retains && { retains: now.retains }),
      acknowledgements: [...annotatedWith(now?.acknowledged ?? null, base)],
    });
  }
  return [...items.values()].toSorted((a, b) => compareText(a.name, b.name));
}

const NO_NAMES: ReadonlySet<string> = new Set();

type PlanRules = {
  readonly liveAt: LiveAt;
  readonly isWanted: IsWanted;
  readonly isAsked: IsAsked;
  readonly askersAt: AskersAt;
  readonly lostOf: LostOf;
  readonly unread: UnreadItems;
};

/** What is known of a hosted zone before Route 53 is read. */
type Unread = {
  /** The items by `recordSetId`, as they are desired now. */
  readonly items: ReadonlyMap<string, RecordSetItem>;
  /** Nothing was published here yet. */
  readonly isFirst: boolean;
  /** After an incomplete reading nothing is deleted. Nor is what external-dns owns, where no Zone publishes now. */
  readonly mayDelete: boolean;
};

/** True if no record set of Route 53 may be read, for any reason. */
function isUnread({ reads, refresh: compares }: PlanOptions): boolean {
  return reads === false && compares === undefined;
}

/** What was seen of a hosted zone in Route 53, for its plan. */
type SeenInRoute53 = Omit<PlannedReading, 'existingById' | 'unwanted'> &
  Pick<PlannedHostedZone, 'drifts' | 'differences' | 'read'> &
  Pick<Refreshed, 'gone' | 'nameServers'>;

/** What a part of the plan for another cluster lacks: Route 53 is not read for it. */
const UNREAD_PART = {
  ...{ pending: false, isLeft: false, stored: new Map(), inTheWay: NO_NAMES, given: [], taken: [] },
  ...{ leftOut: [], drifts: [], delegations: [], differences: [], read: null },
};

const UNSEEN: SeenInRoute53 = {
  existing: [],
  standing: [],
  adopted: [],
  blocked: new Map(),
  inTheWay: NO_NAMES,
  drifts: [],
  differences: [],
  nameServers: [],
  gone: false,
  read: null,
};

async function planOne(
  context: Context,
  hostedZone: HostedZoneItem,
  recordSets: readonly DesiredRecordSet[],
  reading: ClusterReading,
  options: PlanOptions,
  { liveAt, isWanted, isAsked, askersAt, lostOf, unread }: PlanRules,
  soFar: SoFar,
): Promise<PlannedHostedZone & { readonly meeting: Meeting }> {
  const { id, name, zone, takeover } = hostedZone;
  const nowMs = context.clock.nowMs();
  const pending = id === pendingId(name);
  const isComplete = reading.listing.unreadable.size === 0;
  const { stored, heldMarks, names } = pending ? NO_ITEMS : await readStored(context.ledger, id);
  const before = stored.map(({ item }) => item);
  const desired = recordSets.filter((set) => !(set.type === 'NS' && set.name === name));
  const takesEqual = (objects: readonly string[]) => mayTakeEqual(context.config, objects);
  const isLeft = responsibleZoneOf(hostedZone, liveAt)?.isOwn !== true;
  const merged = await mergeDesired(
    before,
    desired,
    { zone, takeover },
    { isAsked, askersAt: hostedZone.retains && !isLeft ? askersAt : null, isComplete, lostOf, takesEqual, nowMs },
  );
  const kept = keptNames(unread, names, [before, merged.values()]);
  const asked = keepStored(merged, before, kept);
  const run = await countPublished(rehearsedRun(context, hostedZone, asked.values()));
  await resolveWrites(context, run, !isUnread(options));
  const settled = await settlePlanned(context, run, soFar);
  const items = settled === null ? asked : withInherited(asked, run);
  const isFirst = desired.length > 0 && !before.some(({ published }) => published !== null);
  const begun = { items, isFirst, mayDelete: isComplete && !isLeft };
  const seen = pending ? UNSEEN : await seeRoute53(context, run, begun, options);
  const given: Given[] = [];
  const taken: Taken[] = [];
  const woken: Woken[] = [];
  const contested = await settleClaims(run, rehearsedGiving(given, taken, woken));
  const namespaces = await readNamespacesOf(run, (at, error) => kept.set(at, error));
  const isKept = (of: { readonly name: string }) => kept.has(of.name);
  const seenItems = itemsIn(run).map(withNotedDrift);
  const plannedNames = {
    items: seenItems.filter((item) => !isKept(item)),
    heldMarks: heldMarks.filter((mark) => !isKept(mark)),
    retryNames: namesToRetry(seenItems, nowMs),
    adopted: seen.adopted.filter((one) => !isKept(one)),
    standing: seen.standing,
  };
  const facts = {
    existingSoa: seen.existing.find((set) => set.type === 'SOA' && set.name === name) ?? null,
    services: isLeft || pending ? null : await servicesOfRun(run, isWanted),
    namespaces,
    acknowledged: options.acknowledged ?? [],
    isLeft,
  };
  const whole = planNames(run, { names: plannedNames, ...facts });
  const open = withoutKept(plannedNames.items, settled, whole.guard.held.length > 0);
  const first =
    open === plannedNames.items ? whole : planNames(run, { names: { ...plannedNames, items: open }, ...facts });
  const isAnyStuck = seen.blocked.size > 0 || seenItems.some(({ refusal }) => refusal !== null);
  const seenById = new Map(isAnyStuck ? seenItems.map((item) => [recordSetId(item), item]) : []);
  const plan = !isAnyStuck
    ? first
    : withoutStuck(first, (change) => {
        const item = seenById.get(recordSetId(change));
        if (item === undefined) return null;
        const message = seen.blocked.get(recordSetId(item));
        if (message !== undefined) return { reason: 'ForeignRecord', message, atMs: nowMs };
        return item.refusal?.reason !== 'Rejected' && refusalHolds(item, hostedZone, NO_NAMES) ? item.refusal : null;
      });
  const { inTheWay, drifts, gone, read } = seen;
  const compared = new Set(seen.differences.map(recordSetId));
  const noted = seenItems.filter((item) => isNotedDrift(item) && !compared.has(recordSetId(item)));
  const differences = [...seen.differences, ...noted.map(driftAsNoted)];
  const storedById = new Map(stored.map((one) => [recordSetId(one.item), one]));
  return {
    hostedZone: { ...hostedZone, gone },
    pending,
    isLeft,
    items,
    leftOut: settled?.leftOut ?? [],
    stored: storedById,
    inTheWay,
    plan,
    drifts,
    differences,
    read,
    kept,
    given,
    taken,
    meeting: meetingOf(run, plan, items, { given, taken, woken, contested }),
    delegations: delegationsOf(hostedZone, [...seen.nameServers, ...seen.existing], items),
  };
}

/** The items with those that the view inherits, or has inherited, as the run has them. */
function withInherited(items: ReadonlyMap<string, RecordSetItem>, run: ItemsOfRun): ReadonlyMap<string, RecordSetItem> {
  const inherited = itemsIn(run).filter((item) => item.inherits === true);
  return new Map([...items, ...inherited.map((item) => [recordSetId(item), item] as const)]);
}

/** The NS record sets below the apex that are neither ours nor wanted. In a private hosted zone, none is followed. */
function delegationsOf(
  { id, name: apex, isPrivate }: HostedZoneItem,
  existing: readonly RecordSet[],
  items: ReadonlyMap<string, RecordSetItem>,
): readonly StandingDelegation[] {
  if (isPrivate) return [];
  const isOurs = (item: RecordSetItem | undefined) => item?.published != null || item?.desired != null;
  return existing.flatMap((set) => {
    const { name, type, content } = set;
    if (type !== 'NS' || name === apex || content.kind !== 'values' || isOurs(items.get(recordSetId(set)))) return [];
    return [{ hostedZoneId: id, name, values: content.values }];
  });
}

function driftAsNoted(item: RecordSetItem): Drift {
  return driftOf(item, { message: item.refusal?.message ?? '', isRefused: true });
}

/** What was changed by hand stays so, whatever is desired since: a change of it would be refused. */
function withNotedDrift(item: RecordSetItem): RecordSetItem {
  const { refusal, desired } = item;
  return refusal?.reason === 'Drifted' ? { ...item, refusal: { ...refusal, content: desired } } : item;
}

/**
 * Reads Route 53 as the options ask: first what is published is compared, then it is read where the plan would create.
 * If the first fails, the second is not tried.
 */
async function seeRoute53(
  context: Context,
  run: ItemsOfRun,
  { items, isFirst, mayDelete }: Unread,
  options: PlanOptions,
): Promise<SeenInRoute53> {
  const { refresh: progress, reads = false, isFresh = false } = options;
  if (isUnread(options)) return UNSEEN;
  const { hostedZone } = run;
  const { id, name } = hostedZone;
  const soa = items.get(recordSetId({ name, type: 'SOA', setIdentifier: null }));
  const isSoaUnknown = soa !== undefined && soa.desired !== null && soa.published === null;
  const refreshed: Refreshed | string | null =
    progress !== undefined
      ? await refresh(context, run, progress)
      : reads
        ? await compareKnown(context, run, await keptDifferences(context.ledger, id))
        : null;
  if (typeof refreshed === 'string')
    return { ...UNSEEN, read: { ...NOTHING_READ, unread: refreshed, isUncompared: true } };
  if (refreshed !== null) await rememberDifferences(context, id, refreshed.names);
  const { names, drifts, differences, gone, nameServers } = refreshed ?? { ...UNSEEN, names: NO_NAMES };
  const compared = { ...UNSEEN, inTheWay: names, drifts, differences, gone, nameServers };
  const where = { also: reads && isSoaUnknown ? [name] : [], mayDelete, onlyDrifted: !reads, isFresh };
  const reading = await readPlanned(context, run, where);
  if (typeof reading === 'string') return { ...compared, read: { ...NOTHING_READ, unread: reading } };
  if (!reads) {
    if (!isSoaUnknown && !isFirst) return compared;
    const existing = await readFirstPage(context, id);
    const inTheWay = existing.filter((set) => isWantedAnew(items.get(recordSetId(set)))).map((set) => set.name);
    return { ...compared, existing, inTheWay: names.union(new Set(inTheWay)) };
  }
  const { existingById, unwanted, inTheWay, ...seen } = reading;
  const read = { existingById, unwanted, unread: null };
  return { ...compared, ...seen, inTheWay: names.union(inTheWay), read };
}

/** Keeps what was changed by hand for later plans, unless the ledger may only be read: a plan needs no more. */
async function rememberDifferences({ ledger, clock, log }: Context, id: string, names: ReadonlySet<string>) {
  try {
    await keepDifferences(ledger, id, names, clock.nowMs());
  } catch (error) {
    log('info', 'later plans will not show what was changed by hand', { hostedZone: id, error: String(error) });
  }
}

/**
 * Reads the first page before the first publish: the SOA, and other record sets at the start of the zone. If the hosted
 * zone cannot be read, only its part of the plan suffers, and publishing reports the error.
 */
async function readFirstPage({ account: { hostedZones }, log }: Context, id: string): Promise<readonly RecordSet[]> {
  try {
    return (await hostedZones.readPage(id, null))?.recordSets ?? [];
  } catch (error) {
    log('warn', 'cannot read a hosted zone', { hostedZone: id, error: String(error) });
    return [];
  }
}

function isWantedAnew(item: RecordSetItem | undefined): boolean {
  return item !== undefined && item.type !== 'SOA' && item.desired !== null && item.published === null;
}
