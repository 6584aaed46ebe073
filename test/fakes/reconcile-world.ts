// The whole pipeline in memory: a cluster, a ledger, an account, queues that only record messages, and a clock that
// only the test moves. The functions `deliver…` do what the queues would do next: hints, reports, publishing. The
// functions `…FromScratch` compute what `resolveCluster` makes of the whole cluster; incremental results must equal it.

import { memoryLedger } from '../../lib/adapters/ledger/memory-ledger.ts';
import { hostedZonesInViews } from '../../lib/adapters/route53/hosted-zones-in-views.ts';
import { describeAndReport } from '../../lib/apply/describe-applied.ts';
import { saveCluster } from '../../lib/apply/save-cluster.ts';
import { readAllAges } from '../../lib/directory/name-ages-item.ts';
import { readDirectory, readHistory } from '../../lib/directory/read-directory.ts';
import { inView, inViewOf, PUBLIC } from '../../lib/dns/names/view.ts';
import { hostingOf, isMade } from '../../lib/hosting/create-hosted-zone.ts';
import { allItems } from '../../lib/ledger/pages.ts';
import { TAKEOVER_ANNOTATION } from '../../lib/objects/annotations.ts';
import { formatRef, type ObjectRef } from '../../lib/objects/object-ref.ts';
import type { Source } from '../../lib/objects/source.ts';
import { hintTypesGone } from '../../lib/observe/expand-hints.ts';
import type { Cluster, ObjectStatus } from '../../lib/ports/cluster.ts';
import { type Config, clusterDnsOf, DEFAULT_CONFIG, guardLimitsOf, viewsOf } from '../../lib/ports/config.ts';
import type { Context } from '../../lib/ports/context.ts';
import type { Ledger } from '../../lib/ports/ledger.ts';
import type { FollowedChange, Hint, Queues } from '../../lib/ports/queues.ts';
import type { PublishResult } from '../../lib/publish/plan/publish-result.ts';
import { DEFAULT_PUBLISH_CONFIG, publish } from '../../lib/publish/run/publish-hosted-zone.ts';
import type { PublishDeps } from '../../lib/publish/run/run.ts';
import { followChange } from '../../lib/record-sets/follow-change.ts';
import { type RecordSetItem, recordSetCodec, recordSetsPartition } from '../../lib/record-sets/record-set-item.ts';
import { type ClusterOutput, describeCluster } from '../../lib/report/describe-cluster.ts';
import { report } from '../../lib/report/report-object.ts';
import { reconcile } from '../../lib/resolve/reconcile-hints.ts';
import { resolveByAge } from '../../lib/resolve/standing.ts';
import { SOURCES } from '../../lib/sources/source.ts';
import { sweepPiece } from '../../lib/sweep/sweep-cluster.ts';
import type { Hosting } from '../../lib/zones/place-zones.ts';
import { type ResolvedCluster, resolveCluster } from '../../lib/zones/resolve-cluster.ts';
import { sharedBy } from '../../lib/zones/share-record-sets.ts';
import { type MemoryCluster, memoryCluster } from './memory-cluster.ts';
import { type MemoryHostedZones, memoryHostedZones } from './memory-hosted-zones.ts';
import { planCluster } from './plan-cluster.ts';

export type ReconcileWorld = {
  readonly cluster: MemoryCluster;
  readonly ledger: Ledger;
  readonly route53: MemoryHostedZones;
  readonly context: Context;
  readonly deps: PublishDeps;
  readonly hostedZones: readonly { readonly id: string; readonly name: string }[];
  readonly queued: {
    publish: Set<string>;
    reports: Map<string, ObjectRef>;
    hints: Hint[];
    follows: { readonly change: FollowedChange; readonly delaySeconds: number }[];
  };
  readonly clock: { ms: number };
};

export type ReconcileWorldOptions = {
  readonly hostedZones?: readonly (Parameters<typeof memoryHostedZones>[0][number] & { readonly view?: string })[];
  /** True while protections may not be listed. */
  readonly protectionsDenied?: () => boolean;
  readonly config?: Partial<Config>;
  /** Default: the table of sources. */
  readonly sources?: readonly Source[];
};

/** An empty cluster and an empty ledger, with these hosted zones in the account. */
export function reconcileWorld({
  hostedZones = [],
  config,
  sources: plain = SOURCES,
  protectionsDenied = () => false,
}: ReconcileWorldOptions = {}): ReconcileWorld {
  const clock = { ms: Date.parse('2026-01-01T00:00:00Z') };
  const ofViews = hostedZones.flatMap(({ id, name, view }) => (view === undefined ? [] : [{ id, zone: name, view }]));
  const views = { known: viewsOf({ hostedZones: ofViews }), ofInternalLoadBalancers: null };
  const sources = ofViews.length === 0 ? plain : plain.map((source) => ({ ...source, views }));
  const cluster = memoryCluster(config?.clusterId ?? 'default', undefined, sources, () => clock.ms);
  const ledger = cluster.noting(memoryLedger());
  const route53 = memoryHostedZones(hostedZones, { protectionsDenied });
  const queued: ReconcileWorld['queued'] = { publish: new Set(), reports: new Map(), hints: [], follows: [] };
  const queues: Queues = {
    hint: async (hints) => {
      queued.hints.push(...hints);
    },
    publish: async (id) => {
      queued.publish.add(id);
    },
    report: async (refs) => {
      for (const ref of refs) queued.reports.set(formatRef(ref), ref);
    },
    follow: async (change, delaySeconds) => {
      queued.follows.push({ change, delaySeconds });
    },
  };
  const port = hostedZonesInViews(route53.port, { hostedZones: ofViews });
  const guard = { deletesMax: 1_000, deletesShareMax: 1 };
  const context: Context = {
    ledger,
    cluster: cluster.port,
    account: { hostedZones: port },
    queues,
    clock: { nowMs: () => clock.ms },
    config: { ...DEFAULT_CONFIG, soa: 'always', guard, hostedZones: ofViews, ...config },
    sources,
    log: () => {},
  };
  let holders = 0;
  const deps: PublishDeps = {
    ledger,
    hostedZones: port,
    clock: {
      ...context.clock,
      sleep: async (ms) => {
        clock.ms += ms;
      },
    },
    queues,
    config: {
      ...DEFAULT_PUBLISH_CONFIG,
      guard: guardLimitsOf({ guard, sources: context.config.sources }),
      standby: context.config.standby,
      extendedViews: context.config.extendedViews,
    },
    newHolder: () => `holder-${++holders}`,
    log: () => {},
  };
  const named = hostedZones.map(({ id, name, view = PUBLIC }) => ({ id, name: inView(name, view) }));
  return { cluster, ledger, route53, context, deps, hostedZones: named, queued, clock };
}

/** The same world through other ports: counting, failing, scheduled ones. */
export function through(
  world: ReconcileWorld,
  ports: { readonly ledger?: Ledger; readonly cluster?: Cluster },
): ReconcileWorld {
  const { ledger = world.ledger, cluster = world.context.cluster } = ports;
  return { ...world, ledger, context: { ...world.context, ledger, cluster }, deps: { ...world.deps, ledger } };
}

export function hintFor({ kind, namespace, name }: ObjectRef): Hint {
  return { kind, namespace, name };
}

/** Plans from scratch, saves and reports, as `apply` does. No hint is used. */
export async function saveAll({ context }: ReconcileWorld): Promise<void> {
  const { plan, overtaken } = await saveCluster(context, await planCluster(context));
  await describeAndReport(context, plan);
  await context.queues.report(overtaken);
}

/** A whole sweep, and the hints that it sends. */
export async function sweepAll(world: ReconcileWorld): Promise<void> {
  const { whole } = await sweepPiece(world.context, Number.POSITIVE_INFINITY);
  if (!whole) throw new Error('the sweep did not come to its end');
  await deliverHints(world);
}

/** Delivers queued hints, and those that they lead to. */
export async function deliverHints({ context, queued }: ReconcileWorld): Promise<void> {
  for (let round = 0; queued.hints.length > 0; round += 1) {
    if (round > 50) throw new Error('the hints do not run dry');
    await reconcile(context, queued.hints.splice(0));
  }
}

/** Delivers queued reports, once each. */
export async function deliverReports({ context, queued }: ReconcileWorld): Promise<void> {
  const refs = [...queued.reports.values()];
  queued.reports.clear();
  await report(context, refs);
}

/** Publishes every queued hosted zone, acknowledges what the guard holds, and delivers the reports of that. */
export async function deliverAll(world: ReconcileWorld): Promise<void> {
  const { queued, deps } = world;
  for (let round = 0; queued.publish.size > 0 || queued.reports.size > 0; round += 1) {
    if (round > 50) throw new Error('the queues do not run dry');
    const ids = [...queued.publish];
    queued.publish.clear();
    for (const id of ids) {
      world.clock.ms += 3_600_000;
      const result = await publish(deps, id);
      await tellGone(world, result);
      if (result.kind === 'done' && result.held !== null)
        await tellGone(world, await publish(deps, id, { acknowledged: [result.held.digest] }));
      await deliverFollows(world);
    }
    await deliverReports(world);
  }
}

/** Delivers messages that follow batches, each when it is due. */
export async function deliverFollows({ context, queued, clock }: ReconcileWorld): Promise<void> {
  for (let next = queued.follows.shift(); next !== undefined; next = queued.follows.shift()) {
    clock.ms += next.delaySeconds * 1_000;
    await followChange(context, next.change);
  }
}

async function tellGone(world: ReconcileWorld, result: PublishResult): Promise<void> {
  if ('outcomes' in result) await hintTypesGone(world.context, result.outcomes);
}

/** The world from scratch, each object by its last valid spec. */
async function worldFromScratch(world: ReconcileWorld): Promise<ResolvedCluster> {
  const hostings = new Map<string, Hosting>();
  for (const { id, name } of world.hostedZones) {
    const read = await world.context.account.hostedZones.get(id);
    if (read !== null && !('unreadable' in read))
      hostings.set(name, hostingOf(world.context.config, { ...read, made: isMade(read) }));
  }
  const { config, ledger } = world.context;
  const remembered = { ages: await readAllAges(ledger, config.clusterId), nowMs: world.clock.ms };
  const directory = await readDirectory(ledger, config.clusterId);
  const history = await readHistory(ledger, config.clusterId, world.clock.ms, directory);
  const resolved = await resolveByAge(world.context, remembered, (past) =>
    resolveCluster({
      ...world.cluster.inForce(),
      roots: config.roots,
      history,
      clusterDns: clusterDnsOf(config),
      hostings,
      past,
    }),
  );
  return { ...resolved, recordSets: sharedBy(config, resolved.recordSets) };
}

/** A record set as a line: hosted zone, name, type, content, objects, Zone, takeover. */
export type DesiredLine = string;

/** What is desired, from scratch. */
export async function desiredFromScratch(world: ReconcileWorld): Promise<DesiredLine[]> {
  const { recordSets } = await worldFromScratch(world);
  const takeover = new Set(
    world.cluster
      .objects()
      .filter((object) => object.annotations[TAKEOVER_ANNOTATION] === 'true')
      .map(({ ref }) => `${ref.namespace}/${ref.name}`),
  );
  const apexes = new Map(world.hostedZones.map(({ id, name }) => [id, name]));
  return recordSets
    .filter((set) => !(set.type === 'NS' && apexes.get(set.hostedZoneId) === set.name))
    .map((set) => line(set.hostedZoneId, { ...set, takeover: takeover.has(set.zone) }))
    .toSorted();
}

/** What is desired, as the ledger has it. */
export async function desiredInLedger({ ledger, hostedZones }: ReconcileWorld): Promise<DesiredLine[]> {
  const lines: DesiredLine[] = [];
  for (const { id } of hostedZones) {
    for (const stored of await allItems(ledger, recordSetsPartition(id))) {
      const item = recordSetCodec.decode(stored);
      if (item.desired !== null)
        lines.push(line(id, { ...item, content: item.desired, standby: item.standbyMs !== undefined }));
    }
  }
  return lines.toSorted();
}

function line(
  id: string,
  set: Pick<RecordSetItem, 'name' | 'type' | 'objects' | 'zone' | 'takeover'> & { content: unknown; standby?: boolean },
): DesiredLine {
  const { name, type, content, objects, zone, takeover, standby = false } = set;
  const said = [JSON.stringify(content), [...objects].toSorted().join(','), zone, takeover, standby];
  return `${id} ${name} ${type} ${said.join(' ')}`;
}

/** The record sets in Route 53, without SOA and NS of the apexes. */
export function standingInRoute53({ route53, hostedZones }: ReconcileWorld): string[] {
  return hostedZones
    .flatMap(({ id, name }) =>
      route53
        .recordSets(id)
        .map((set) => ({ ...set, name: inViewOf(name, set.name) }))
        .filter((set) => !(set.name === name && (set.type === 'NS' || set.type === 'SOA')))
        .map((set) => `${id} ${set.name} ${set.type} ${JSON.stringify(set.content)}`),
    )
    .toSorted();
}

/** The record sets that Route 53 should have, from scratch. */
export async function wantedInRoute53(world: ReconcileWorld): Promise<string[]> {
  const { recordSets } = await worldFromScratch(world);
  const apexes = new Map(world.hostedZones.map(({ id, name }) => [id, name]));
  return recordSets
    .filter((set) => !(apexes.get(set.hostedZoneId) === set.name && (set.type === 'NS' || set.type === 'SOA')))
    .map((set) => `${set.hostedZoneId} ${set.name} ${set.type} ${JSON.stringify(set.content)}`)
    .toSorted();
}

/** The status reported to each object, without serials and Programmed. */
export function statusesReported({ cluster }: ReconcileWorld): Record<string, unknown> {
  const ids = cluster.objects().map(({ ref }) => formatRef(ref));
  return Object.fromEntries(ids.toSorted().map((id) => [id, bare(cluster.statuses.get(id))]));
}

/** The same statuses, from scratch. */
export async function statusesFromScratch(world: ReconcileWorld): Promise<Record<string, unknown>> {
  const output: ClusterOutput = describeCluster(
    await worldFromScratch(world),
    { objects: [], problems: [] },
    {
      serialOf: () => 0,
      zoneProgrammed: () => null,
      endpointProgrammed: () => null,
    },
  );
  const generations = new Map(world.cluster.objects().map(({ ref, generation }) => [formatRef(ref), generation]));
  const all = [
    ...output.zones.map((zone) => {
      const { entries, hash, serial } = zone;
      return [
        `Zone ${zone.namespace}/${zone.name}`,
        { ...zone, zone: { entries, hash, serial, entriesOmitted: 0 } },
      ] as const;
    }),
    ...output.records.map((record) => [`Record ${record.namespace}/${record.name}`, record] as const),
  ];
  return Object.fromEntries(
    all
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([id, status]) => {
        const conditions = status.conditions.map((one) => ({ ...one, observedGeneration: generations.get(id) }));
        return [id, bare({ ...status, conditions } as Omit<typeof status, 'views'> as ObjectStatus)];
      }),
  );
}

function bare(status: ObjectStatus | undefined): unknown {
  if (status === undefined) return 'nothing reported';
  const { fqdn, parent, conditions, zone } = status;
  const accepted = conditions.find(({ type }) => type === 'Accepted');
  const entries = zone?.entries.filter(({ type, fqdn: at }) => !(type === 'SOA' && at === fqdn));
  return { fqdn, parent, accepted, ...(zone === undefined ? {} : { entries, hash: zone.hash }) };
}

/** Reports everything from scratch. Returns the statuses that this changed, with their values before and after. */
export async function newsFromScratch(world: ReconcileWorld): Promise<readonly unknown[]> {
  const before = new Map(world.cluster.statuses);
  await describeAndReport(world.context, await planCluster(world.context));
  return [...world.cluster.statuses]
    .filter(([id, status]) => JSON.stringify(status) !== JSON.stringify(before.get(id)))
    .map(([id, status]) => ({ id, before: before.get(id), status }));
}

export { reconcile };
