// The worlds of `growth`: one Zone with so many Records, synced by the real code over a ledger in memory. Its items are
// then written to DynamoDB. Further Zones of a cluster are copies of these items: every name contains MARK, and a copy
// has another mark in its place.
import { memoryLedger } from '../lib/adapters/ledger/memory-ledger.ts';
import type { ObjectRef } from '../lib/objects/object-ref.ts';
import { loadCluster } from '../local/pipeline.ts';
import { publishWhole } from '../test/fakes/publish-whole.ts';
import { type ReconcileWorld, reconcileWorld, through } from '../test/fakes/reconcile-world.ts';
import { type MeasuredLedger, measuredLedger } from './measured-ledger.ts';

export const MARK = 'q000q';
const APEX = `${MARK}.example.org.`;
export const HOSTED_ZONE = `Z${MARK.toUpperCase()}`;
const NAMESPACE = `ns-${MARK}`;
const ZONE_REF: ObjectRef = { kind: 'Zone', namespace: NAMESPACE, name: `zone-${MARK}` };

/** The mark of a copy; 0 is MARK. */
export function markOf(copy: number): string {
  return `q${String(copy).padStart(3, '0')}q`;
}

export function recordRef(name: string): ObjectRef {
  return { kind: 'Record', namespace: NAMESPACE, name };
}

export function recordSpec(label: string, address: string): object {
  return { domainName: `${label}.${APEX}`, type: 'A', rdata: address };
}

/** A world whose cluster has so many Records, none of them synced, and its ledger. */
export function emptyWorld(records: number): { readonly world: ReconcileWorld; readonly ledger: MeasuredLedger } {
  const plain = reconcileWorld({ hostedZones: [{ id: HOSTED_ZONE, name: APEX }] });
  plain.cluster.put(ZONE_REF, { domainName: APEX, delegations: [{ records: [{ pattern: '*' }] }] });
  for (let index = 0; index < records; index += 1)
    plain.cluster.put(recordRef(`r${index}`), recordSpec(`r${index}`, '192.0.2.1'));
  const ledger = measuredLedger(memoryLedger({ trusting: true }), { weigh: false });
  return { world: through(plain, { ledger: ledger.port }), ledger };
}

/**
 * The first sync, as `zone53 local --context` does it: observes, publishes and reports all objects.
 */
export async function syncWhole({ context, deps, queued }: ReconcileWorld): Promise<void> {
  await loadCluster(context, async () => {
    await publishWhole(deps, HOSTED_ZONE);
    // `loadCluster()` reports all objects after this.
    queued.reports.clear();
  });
}
