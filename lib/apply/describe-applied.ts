// Describes a whole cluster after an apply, with its Programmed conditions and serials. `apply -o json` prints this,
// and objects get it as their status.

import { liveZonesAt, responsibleZoneOf } from '../directory/responsible-zone.ts';
import { compareNames } from '../dns/names/name.ts';
import { recordSetId } from '../dns/record-set.ts';
import { type Stored, UnreadableItemError } from '../ledger/item-codec.ts';
import { allItems, eachItem } from '../ledger/pages.ts';
import { readableItems } from '../ledger/skip-unreadable.ts';
import type { ProgrammedReason, Verdict } from '../objects/conditions.ts';
import { ZONE_KIND } from '../objects/kind.ts';
import { formatRef, type ZoneKey } from '../objects/object-ref.ts';
import { kindsOf } from '../objects/source.ts';
import type { ObjectItem } from '../observe/object-item.ts';
import { type StatusItem, statusCodec, statusesPartition } from '../observe/status-item.ts';
import type { ClusterObject, Listing } from '../ports/cluster.ts';
import type { Context } from '../ports/context.ts';
import { once } from '../ports/once.ts';
import { isDerived } from '../record-sets/guarded.ts';
import { HOSTED_ZONES_PARTITION, type HostedZoneItem, hostedZoneCodec } from '../record-sets/hosted-zone-item.ts';
import {
  claimedOf,
  newRecordSetItem,
  type RecordSetItem,
  recordSetCodec,
  recordSetsPartition,
  storedContent,
} from '../record-sets/record-set-item.ts';
import { samePublishing } from '../record-sets/same-content.ts';
import {
  type ClusterOutput,
  describeCluster,
  describeOtherObjects,
  driftsOf,
  originsIn,
  withRefusedTakeover,
} from '../report/describe-cluster.ts';
import {
  endpointPropagation,
  endpointVerdict,
  isLeftover,
  setsOf,
  type WantedItem,
  wantedItem,
  zoneVerdict,
} from '../report/programmed.ts';
import { serialFor } from '../report/report-object.ts';
import { seenTogether } from '../report/seen-together.ts';
import type { DesiredRecordSet } from '../zones/merge-record-sets.ts';
import type { EndpointOutcome, ResolvedCluster, ResolvedZone } from '../zones/resolve-cluster.ts';
import { unreadProblems } from './kept-names.ts';
import type { ClusterPlan, PlannedHostedZone } from './plan-cluster.ts';
import { reportAll } from './report-applied.ts';

type Items = {
  readonly hostedZones: ReadonlyMap<string, HostedZoneItem>;
  /** Hosted zones without a Zone of their own in which deletes are held, by the Zone that reports them. */
  readonly left: ReadonlyMap<ZoneKey, readonly HostedZoneItem[]>;
  /** Record sets that are just published. In a large cluster these are most, so their items are not kept. */
  readonly published: ReadonlySet<DesiredRecordSet>;
  /** The items of all others, by hosted zone and record set id. */
  readonly recordSets: ReadonlyMap<string, ReadonlyMap<string, RecordSetItem>>;
};

type ObjectNeeded = { readonly now: Pick<ObjectItem, 'uid' | 'generation' | 'takeover'> };

/** The parts of a plan that are needed to describe the cluster after the apply. */
export type ToDescribe = Pick<ClusterPlan, 'resolved' | 'hostingProblems' | 'unread'> & {
  readonly reading: {
    readonly listing: Listing;
    readonly objects: ReadonlyMap<string, ObjectNeeded>;
  };
  readonly hostedZones: readonly Pick<PlannedHostedZone, 'hostedZone' | 'kept'>[];
};

/** Picks those parts. Most of a large plan is not needed while it is published. */
export function keptToDescribe({ resolved, hostingProblems, reading, hostedZones, unread }: ClusterPlan): ToDescribe {
  const { listing, objects } = reading;
  return {
    resolved,
    hostingProblems,
    unread,
    reading: {
      listing: { ...listing, objects: listing.objects.map(withoutSpec) },
      objects: new Map([...objects].map(([id, { now }]) => [id, neededOf(now)])),
    },
    hostedZones: hostedZones.map(({ hostedZone, kept }) => ({ hostedZone, kept })),
  };
}

/** An object without its spec. The spec of an object of a file stays: the file's reader keeps it in memory anyway. */
function withoutSpec(object: ClusterObject): ClusterObject {
  return object.origin === null ? { ...object, spec: null } : object;
}

/** One shared value for all objects of files, which most often have none of these fields. */
const STATES_NOTHING: ObjectNeeded = { now: { uid: null, generation: null, takeover: false } };

function neededOf({ uid, generation, takeover }: ObjectItem): ObjectNeeded {
  return uid === null && generation === null && !takeover ? STATES_NOTHING : { now: { uid, generation, takeover } };
}

/**
 * Describes a cluster from the ledger, and writes the status of every object whose status changed. `saysPropagated`:
 * the description has the condition Propagated, too.
 */
export async function describeAndReport(
  context: Context,
  plan: ToDescribe,
  saysPropagated = false,
): Promise<ClusterOutput> {
  const { resolved, reading } = plan;
  const { statuses, unread: unreported } = await readStatuses(context);
  const items = await readItems(context, plan);
  const sets = setsByObject(resolved);
  const nowMs = context.clock.nowMs();
  const programmedOf = (outcome: EndpointOutcome) => {
    const own = setsOf(outcome, sets(formatRef(outcome.ref)));
    return explainedOutcome(plan, outcome, endpointVerdict(outcome, wanted(own, items)));
  };
  const propagationOfEndpoint = (outcome: EndpointOutcome) =>
    endpointPropagation(outcome, wanted(setsOf(outcome, sets(formatRef(outcome.ref))), items), nowMs);
  const output = describeCluster(resolved, reading.listing, {
    serialOf: (key, hash) => serialFor(statuses.get(`Zone ${key}`)?.item ?? null, hash, nowMs),
    zoneProgrammed: (zone) => explained(plan, zone, zoneProgrammed(context, zone, items, sets)),
    endpointProgrammed: programmedOf,
    ...(saysPropagated && { endpointPropagation: propagationOfEndpoint }),
  });
  const zones = output.zones.map((zone) => {
    const ref = { kind: ZONE_KIND.kind, namespace: zone.namespace, name: zone.name };
    const object = reading.objects.get(formatRef(ref))?.now;
    return object === undefined ? zone : withRefusedTakeover(context.config, { ...object, ref }, zone);
  });
  const refused = await reportAll(context, plan, { statuses, unreported }, zones, {
    endpointProgrammed: programmedOf,
    ...(context.config.propagation && { endpointPropagation: propagationOfEndpoint }),
  });
  const unread = unreadProblems(plan, unreported.values());
  const errors = [...output.errors, ...unread, ...refused];
  return { ...output, cluster: context.config.clusterId, zones, errors };
}

/** Describes a planned cluster before publishing, without reading Route 53. */
export function describePlanned(plan: ClusterPlan): Pick<ClusterOutput, 'zones' | 'records' | 'sources'> {
  const driftOf = driftsOf(plan.hostedZones);
  return describeCluster(withAllSeen(plan), plan.reading.listing, {
    serialOf: () => 0,
    zoneProgrammed: (zone) =>
      zone.placed?.target.kind === 'hosted' ? null : explained(plan, zone, zoneVerdict(zone, null, [], [], [])),
    endpointProgrammed: (outcome) =>
      outcome.parent === null ? null : explainedOutcome(plan, outcome, outcome.programmed ?? driftOf(outcome)),
  });
}

/** The plan's cluster, with what only the whole of it shows. */
function withAllSeen({ resolved, reading, hostedZones }: ClusterPlan): ResolvedCluster {
  return seenTogether(
    resolved,
    reading.listing,
    hostedZones.flatMap(({ delegations }) => delegations),
  );
}

/** Describes the sources of a planned cluster, with what the ledger knows of Route 53 before publishing. */
export function describePlannedSources(plan: ClusterPlan): ClusterOutput['sources'] {
  const sets = once(() => setsByObject(plan.resolved));
  return describeOtherObjects(withAllSeen(plan), originsIn(plan.reading.listing), {
    endpointProgrammed: (outcome) => {
      const own = setsOf(outcome, sets()(formatRef(outcome.ref)));
      return explainedOutcome(plan, outcome, endpointVerdict(outcome, storedItems(plan, own)));
    },
  });
}

/** Record sets of a plan with their items in the ledger. A record set that is only now wanted has none yet. */
export function storedItems({ hostedZones }: ClusterPlan, sets: readonly DesiredRecordSet[]): WantedItem[] {
  return sets.map((set) => {
    const planned = hostedZones.find(({ hostedZone }) => hostedZone.id === set.hostedZoneId);
    return wantedItem(set, planned?.stored.get(recordSetId(set))?.item ?? null, planned?.hostedZone ?? null);
  });
}

async function readStatuses({ ledger, config, sources }: Context) {
  const statuses = new Map<string, Stored<StatusItem>>();
  const unread = new Map<string, UnreadableItemError>();
  for (const { kind } of kindsOf(sources)) {
    for await (const stored of eachItem(ledger, statusesPartition(config.clusterId, kind))) {
      const item = statusCodec.read(stored);
      if (item instanceof UnreadableItemError) unread.set(`${kind} ${stored.sort}`, item);
      else statuses.set(`${kind} ${stored.sort}`, { item, revision: stored.revision });
    }
  }
  return { statuses, unread };
}

async function readItems({ ledger, config }: Context, plan: ToDescribe): Promise<Items> {
  const stored = readableItems(hostedZoneCodec, await allItems(ledger, HOSTED_ZONES_PARTITION));
  const recordSets = new Map<string, ReadonlyMap<string, RecordSetItem>>();
  const published = new Set<DesiredRecordSet>();
  const desired = Map.groupBy(plan.resolved.recordSets, (set) => set.hostedZoneId);
  for (const { hostedZone } of plan.hostedZones) {
    const sets = new Map((desired.get(hostedZone.id) ?? []).map((set) => [recordSetId(set), set]));
    const others = new Map<string, RecordSetItem>();
    for await (const one of eachItem(ledger, recordSetsPartition(hostedZone.id))) {
      const item = recordSetCodec.read(one);
      if (item instanceof UnreadableItemError) continue;
      const id = recordSetId(item);
      const set = sets.get(id);
      const isPlain = !item.inTwoBatches && item.propagation === undefined;
      if (set !== undefined && isPlain && isPublishedAsDesired(item, set)) published.add(set);
      else others.set(id, item);
    }
    recordSets.set(hostedZone.id, others);
  }
  const held = stored.filter((item) => item.held !== null && !item.gone && item.cluster === config.clusterId);
  const liveAt = liveZonesAt(plan.resolved);
  const left = Map.groupBy(held, (item) => {
    const responsible = responsibleZoneOf(item, liveAt);
    return responsible === null || responsible.isOwn ? '' : responsible.zone;
  });
  return { hostedZones: new Map(stored.map((item) => [item.id, item])), left, published, recordSets };
}

function isPublishedAsDesired(item: RecordSetItem, { content }: DesiredRecordSet): boolean {
  const { type, desired, published, refusal } = item;
  return refusal === null && samePublishing(type, claimedOf(item), content) && samePublishing(type, desired, published);
}

/** The item of a record set that is published as desired, with the fields that a description needs. */
function publishedItem(set: DesiredRecordSet): RecordSetItem {
  const content = storedContent(set.content);
  return { ...newRecordSetItem(set), desired: content, published: content };
}

/** The record sets of each object, by `formatRef`; those of a Zone are its SOA and the NS that delegate to it. */
type SetsOf = (object: string) => readonly DesiredRecordSet[];

/**
 * Groups record sets by object, without what Zones derive from addresses. Most objects have only one, which is kept
 * without a list to save memory.
 */
function setsByObject(resolved: ResolvedCluster): SetsOf {
  const byObject = new Map<string, DesiredRecordSet | DesiredRecordSet[]>();
  const zoneAt = new Map(
    [...resolved.zones.values()].flatMap(({ ref, live, placed }) =>
      live === null || placed?.cut !== true ? [] : [[live.fqdn, formatRef(ref)]],
    ),
  );
  for (const set of resolved.recordSets) {
    if (isDerived(set)) continue;
    const delegated = set.type === 'NS' ? zoneAt.get(set.name) : undefined;
    for (const object of new Set([...set.objects, ...(delegated === undefined ? [] : [delegated])])) {
      const before = byObject.get(object);
      if (Array.isArray(before)) before.push(set);
      else byObject.set(object, before === undefined ? set : [before, set]);
    }
  }
  return (object) => {
    const found = byObject.get(object) ?? [];
    return Array.isArray(found) ? found : [found];
  };
}

function wanted(sets: readonly DesiredRecordSet[], items: Items): WantedItem[] {
  return sets.map((set) => {
    if (items.published.has(set)) return wantedItem(set, publishedItem(set), null);
    const item = items.recordSets.get(set.hostedZoneId)?.get(recordSetId(set)) ?? null;
    return wantedItem(set, item, items.hostedZones.get(set.hostedZoneId) ?? null);
  });
}

function zoneProgrammed(
  { config }: Context,
  zone: ResolvedZone,
  items: Items,
  sets: SetsOf,
): Verdict<ProgrammedReason> | null {
  const target = zone.placed?.target;
  const id = target?.kind === 'hosted' ? target.hostedZoneId : '';
  const leftovers = [...(items.recordSets.get(id)?.values() ?? [])]
    .filter(isLeftover)
    .toSorted((a, b) => compareNames(a.name, b.name));
  return zoneVerdict(
    zone,
    items.hostedZones.get(id) ?? null,
    leftovers,
    wanted(sets(formatRef(zone.ref)), items),
    items.left.get(zone.key) ?? [],
    config.guard,
  );
}

function explainedOutcome(
  plan: ToDescribe,
  { parent: key }: EndpointOutcome,
  verdict: Verdict<ProgrammedReason> | null,
): Verdict<ProgrammedReason> | null {
  const parent = key === null ? undefined : plan.resolved.zones.get(key);
  return parent === undefined ? verdict : explained(plan, parent, verdict);
}

/** Adds why there is no hosted zone, if more is known than that none was found. */
function explained(
  plan: ToDescribe,
  zone: ResolvedZone,
  verdict: Verdict<ProgrammedReason> | null,
): Verdict<ProgrammedReason> | null {
  if (verdict?.reason !== 'HostedZoneNotFound') return verdict;
  const problem = zone.placed === null ? undefined : plan.hostingProblems.get(zone.placed.target.fqdn);
  return problem === undefined ? verdict : { reason: 'HostedZoneNotFound', message: problem };
}
