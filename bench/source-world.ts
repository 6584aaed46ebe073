// The worlds of `sources`: Ingresses, Services, routes and DNSEndpoints in one Zone, synced by the real code over a
// ledger in memory.
import { memoryLedger } from '../lib/adapters/ledger/memory-ledger.ts';
import type { ObjectRef } from '../lib/objects/object-ref.ts';
import { DEFAULT_CONFIG } from '../lib/ports/config.ts';
import { publish } from '../lib/publish/run/publish-hosted-zone.ts';
import { loadCluster } from '../local/pipeline.ts';
import { type ReconcileWorld, reconcileWorld, through } from '../test/fakes/reconcile-world.ts';
import { ALL_SOURCES, SETTINGS } from './all-sources.ts';
import { type MeasuredLedger, measuredLedger } from './measured-ledger.ts';
import { type PlainCluster, plainCluster } from './plain-cluster.ts';

export const HOSTED_ZONE = 'Z1';
export const APEX = 'e.';

export type SourceWorld = {
  readonly world: ReconcileWorld;
  readonly cluster: PlainCluster;
  readonly ledger: MeasuredLedger;
};

/** An empty world with its Zone. */
export function sourceWorld(): SourceWorld {
  const config = { sources: SETTINGS };
  const plain = reconcileWorld({ hostedZones: [{ id: HOSTED_ZONE, name: APEX }], sources: ALL_SOURCES, config });
  const cluster = plainCluster(DEFAULT_CONFIG.clusterId, ['Zone', ...ALL_SOURCES.map(({ kind }) => kind)]);
  const delegations = [{ records: [{ pattern: '*' }] }];
  cluster.put({ kind: 'Zone', namespace: 'team', name: 'zone' }, { spec: { domainName: APEX, delegations } });
  const ledger = measuredLedger(memoryLedger({ trusting: true }), { weigh: false });
  return { world: through(plain, { ledger: ledger.port, cluster: cluster.port }), cluster, ledger };
}

export function refOf(kind: string, name: string): ObjectRef {
  return { kind, namespace: 'team', name };
}

/** The first sync: observes, publishes and reports all objects. */
export async function syncWhole({ world }: SourceWorld): Promise<void> {
  await loadCluster(world.context, async () => {
    await publishWhole(world);
    world.queued.reports.clear();
  });
}

export async function publishWhole({ deps, clock }: ReconcileWorld): Promise<void> {
  for (let more = true; more; clock.ms += 1_000) {
    const result = await publish(deps, HOSTED_ZONE);
    more = result.kind === 'done' && result.retryAfterSeconds !== null;
  }
}
