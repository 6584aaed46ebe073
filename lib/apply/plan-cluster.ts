// Compares the whole cluster with the whole ledger, and writes nothing. `zone53 plan` prints the result, `apply` shows
// it and carries it out. Earlier results of events are not trusted.

import { type LiveAt, liveZonesAt, responsibleZoneOf } from '../directory/responsible-zone.ts';
import { compareText } from '../dns/names/compare-text.ts';
import { type RecordSet, recordSetId } from '../dns/record-set.ts';
import { hostingsInUse } from '../hosting/claim-hosted-zones.ts';
import { findHostedZones } from '../hosting/find-hosted-zones.ts';
import type { Stored } from '../ledger/item-codec.ts';
import { readAll } from '../ledger/pages.ts';
import { type ClusterReading, declaredIn } from '../observe/read-cluster.ts';
import { clusterDnsOf, guardLimitsOf, mayTakeOver } from '../ports/config.ts';
import type { Context } from '../ports/context.ts';
import { withCounts } from '../publish/counts/count-anew.ts';
import { servicesOfDeletes } from '../publish/counts/services.ts';
import { type HostedZonePlan, planHostedZone } from '../publish/plan/plan-hosted-zone.ts';
import { heldCodec, heldPartition } from '../record-sets/held-name.ts';
import { annotatedWith, type HostedZoneItem, newHostedZoneItem } from '../record-sets/hosted-zone-item.ts';
import { type RecordSetItem, recordSetsPartition } from '../record-sets/record-set-item.ts';
import { hasLapsed } from '../record-sets/state.ts';
import { withoutClaim } from '../record-sets/transitions.ts';
import { leftOutMessage } from '../zones/cluster-names.ts';
import type { DesiredRecordSet } from '../zones/merge-record-sets.ts';
import { adoptAll, placeCluster, type ResolvedCluster } from '../zones/resolve-cluster.ts';
import { declaredNameServers } from '../zones/zone-cuts.ts';
import { mergeDesired, storedOnce } from './merge-desired.ts';
import { namesToRetry } from './names-to-retry.ts';
import { pendingHostings, pendingId } from './pending-hosted-zones.ts';
import { askedBy, type IsAsked, type IsWanted, wantedIn } from './planned-services.ts';
import { type PlannedReading, readPlanned } from './read-planned.ts';
import { type Refreshed, refresh, withoutDoubts } from './refresh.ts';

/** One hosted zone's part of a plan. `pending`: it does not exist yet, and applying creates it. */
export type PlannedHostedZone = {
  readonly hostedZone: HostedZoneItem;
  readonly pending: boolean;
  /** The record set items as they would be, by `recordSetId`. */
  readonly items: ReadonlyMap<string, RecordSetItem>;
  readonly stored: ReadonlyMap<string, Stored<RecordSetItem>>;
  /** Names where a foreign record set was seen: Route 53 is read there before anything is sent. */
  readonly inTheWay: ReadonlySet<string>;
  readonly plan: HostedZonePlan;
  /** Differences between published and Route 53, with their consequences; empty if they were not compared. */
  readonly drifts: readonly string[];
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
};

export type PlanOptions = {
  /** Digests that the user has acknowledged. */
  readonly acknowledged?: readonly string[];
  /** If present, published record sets are compared with Route 53, and this is told the progress. */
  readonly refresh?: (progress: string) => void;
  /** Reads Route 53 where the plan would create, and not only where it would replace what was changed by hand. */
  readonly reads?: boolean;
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
  const { resolved, known, hostingProblems } = await resolveReading(context, reading, options);
  options.onReleased?.();
  const owned = ownedHostedZones(context, reading, resolved, known);
  const desired = Map.groupBy(resolved.recordSets, (set) => set.hostedZoneId);
  const isAsked = askedBy(() => declaredIn(reading));
  const rules: PlanRules = { liveAt: liveZonesAt(resolved), isWanted: wantedIn(resolved), isAsked };
  if (resolved.leftOut > 0) context.log('warn', leftOutMessage(resolved.leftOut));
  const hostedZones: PlannedHostedZone[] = [];
  for (const hostedZone of owned)
    hostedZones.push(await planOne(context, hostedZone, desired.get(hostedZone.id) ?? [], reading, options, rules));
  options.onReleased?.();
  return { reading, resolved, hostingProblems, hostedZones };
}

/** Applies the rules to a reading, with the hosted zones that exist. A separate function, so that memory is freed. */
async function resolveReading(
  context: Context,
  reading: ClusterReading,
  options: PlanOptions,
): Promise<Pick<ClusterPlan, 'resolved' | 'hostingProblems'> & { readonly known: readonly HostedZoneItem[] }> {
  const { zones } = reading;
  const objects = declaredIn(reading);
  const clusterDns = clusterDnsOf(context.config);
  const adoptions = adoptAll({ zones, objects, roots: context.config.roots, clusterDns });
  const found = await findHostedZones(context, adoptions.live);
  // A plan without the guard's counts of a hosted zone would be wrong.
  for (const unread of found.unread.values()) throw unread;
  const declared = declaredNameServers(
    adoptions.endpoints.flatMap(({ adopted }) => adopted ?? []),
    adoptions.resolutions,
  );
  const inUse = hostingsInUse(context, adoptions.live, declared, found.byName);
  const { problems } = found;
  const asked = { declared, inUse, problems, makesNone: options.makesNone === true };
  const pending = await pendingHostings(context, adoptions.live, asked);
  const resolved = placeCluster({ zones, clusterDns, hostings: new Map([...inUse, ...pending]) }, adoptions);
  return { resolved, known: found.known, hostingProblems: problems };
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
    const { id, nameServers, made, isPrivate = false } = placed.hosting;
    const now = reading.objects.get(`Zone ${live.key}`)?.now;
    const takeover = now !== undefined && mayTakeOver(context.config, now);
    const base =
      items.get(id) ??
      newHostedZoneItem({
        ...{ id, name: live.fqdn, zone: live.key, nameServers, made, isPrivate },
        cluster: context.config.clusterId,
      });
    items.set(id, {
      ...base,
      zone: live.key,
      takeover,
      acknowledgement: annotatedWith(now?.acknowledged ?? null, base),
    });
  }
  return [...items.values()].toSorted((a, b) => compareText(a.name, b.name));
}

type PlanRules = {
  readonly liveAt: LiveAt;
  readonly isWanted: IsWanted;
  readonly isAsked: IsAsked;
};

/** What is known of a hosted zone before Route 53 is read. */
type Unread = {
  /** The items by `recordSetId`, as they are desired now. */
  readonly items: ReadonlyMap<string, RecordSetItem>;
  /** The same items, with what writes of a run that died have left. */
  readonly known: readonly RecordSetItem[];
  /** Nothing was published here yet. */
  readonly isFirst: boolean;
  /** After an incomplete reading nothing is deleted. */
  readonly mayDelete: boolean;
};

/** What was seen of a hosted zone in Route 53, for its plan. Where nothing was read, the items are those known. */
type SeenInRoute53 = Omit<PlannedReading, 'existingById' | 'unwanted'> &
  Pick<PlannedHostedZone, 'drifts' | 'read'> &
  Pick<Refreshed, 'gone'>;

function unseen(items: readonly RecordSetItem[]): SeenInRoute53 {
  return { items, existing: [], adopted: [], taken: 0, inTheWay: new Set(), drifts: [], gone: false, read: null };
}

async function planOne(
  context: Context,
  hostedZone: HostedZoneItem,
  recordSets: readonly DesiredRecordSet[],
  reading: ClusterReading,
  options: PlanOptions,
  { liveAt, isWanted, isAsked }: PlanRules,
): Promise<PlannedHostedZone> {
  const { id, name, zone, takeover } = hostedZone;
  const pending = id === pendingId(name);
  const isComplete = reading.listing.unreadable.size === 0;
  const stored = pending ? [] : await readAll(context.ledger, recordSetsPartition(id), storedOnce);
  const heldMarks = pending ? [] : await readAll(context.ledger, heldPartition(id), heldCodec.decode);
  const before = stored.map(({ item }) => item);
  const desired = recordSets.filter((set) => !(set.type === 'NS' && set.name === name));
  const items = mergeDesired(before, desired, { zone, takeover }, { isAsked, isComplete });
  const known = (await withoutDoubts(context, hostedZone, [...items.values()])).map((item) =>
    hasLapsed(item, hostedZone) ? withoutClaim(item) : item,
  );
  const isFirst = desired.length > 0 && !before.some(({ published }) => published !== null);
  const seen = pending
    ? unseen(known)
    : await seeRoute53(context, hostedZone, { items, known, isFirst, mayDelete: isComplete }, options);
  const isLeft = responsibleZoneOf(hostedZone, liveAt)?.isOwn !== true;
  const limits = guardLimitsOf(context.config);
  const nowMs = context.clock.nowMs();
  const counted = await withCounts(context.ledger, limits, hostedZone, nowMs);
  const view = { ledger: context.ledger, limits: limits.services, hostedZone, isWanted, nowMs };
  const published = known.filter((item) => item.published !== null && item.type !== 'SOA').length;
  const plan = planHostedZone({
    hostedZone: { ...counted, publishedCount: published + seen.taken },
    names: {
      items: seen.items,
      heldMarks,
      retryNames: namesToRetry(items.values(), nowMs),
      adopted: seen.adopted,
    },
    existingSoa: seen.existing.find((set) => set.type === 'SOA' && set.name === name) ?? null,
    guard: {
      limits,
      services: isLeft || pending ? null : await servicesOfDeletes(view, seen.items),
      acknowledged: options.acknowledged ?? [],
      isLeft,
    },
    nowMs,
  });
  const { inTheWay, drifts, gone, read } = seen;
  const storedById = new Map(stored.map((one) => [recordSetId(one.item), one]));
  return { hostedZone: { ...hostedZone, gone }, pending, items, stored: storedById, inTheWay, plan, drifts, read };
}

/**
 * Reads Route 53 as the options ask: first what is published is compared, then it is read where the plan would create.
 * If the first fails, the second is not tried.
 */
async function seeRoute53(
  context: Context,
  hostedZone: HostedZoneItem,
  { items, known, isFirst, mayDelete }: Unread,
  { refresh: progress, reads = false }: PlanOptions,
): Promise<SeenInRoute53> {
  const { id, name } = hostedZone;
  const soa = items.get(recordSetId({ name, type: 'SOA', setIdentifier: null }));
  const isSoaUnknown = soa !== undefined && soa.desired !== null && soa.published === null;
  const refreshed: Refreshed | string =
    progress === undefined
      ? { items: known, names: new Set(), drifts: [], gone: false }
      : await refresh(context, hostedZone, known, progress);
  if (typeof refreshed === 'string')
    return { ...unseen(known), read: { ...NOTHING_READ, unread: refreshed, isUncompared: true } };
  const { names, drifts, gone } = refreshed;
  const compared = { ...unseen(refreshed.items), inTheWay: names, drifts, gone };
  const where = { also: reads && isSoaUnknown ? [name] : [], mayDelete, onlyDrifted: !reads };
  const reading = await readPlanned(context, hostedZone, compared.items, where);
  if (typeof reading === 'string') return { ...compared, read: { ...NOTHING_READ, unread: reading } };
  if (!reads) {
    const known = { ...compared, items: reading.items };
    if (!isSoaUnknown && !isFirst) return known;
    const existing = await readFirstPage(context, id);
    const inTheWay = existing.filter((set) => isWantedAnew(items.get(recordSetId(set)))).map((set) => set.name);
    return { ...known, existing, inTheWay: names.union(new Set(inTheWay)) };
  }
  const { existingById, unwanted, ...seen } = reading;
  const inTheWay = names.union(seen.inTheWay);
  return { ...seen, inTheWay, drifts, gone, read: { existingById, unwanted, unread: null } };
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
