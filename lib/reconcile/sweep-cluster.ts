// The sweep: every object against the ledger, then every hosted zone of ours against Route 53. It trusts no hint and no
// hash, and heals what a lost event, a half-finished run or a hand edit left behind.

import { commitCluster } from './commit-cluster.ts';
import type { Context } from './context.ts';
import { describeAndReport } from './describe-cluster.ts';
import { dirtyPartition } from './ledger-items.ts';
import { planCluster } from './plan-cluster.ts';
import { type HostedZoneSweep, sweepHostedZone } from './sweep-hosted-zone.ts';

/** Sweeps everything. Throws when the cluster's listing is not whole: then nothing was concluded from it. */
export async function sweepCluster(context: Context): Promise<ReadonlyMap<string, HostedZoneSweep>> {
  const plan = await planCluster(context);
  const { plan: current, overtaken } = await commitCluster(context, plan);
  const swept = new Map<string, HostedZoneSweep>();
  for (const { hostedZone } of current.hostedZones) {
    swept.set(hostedZone.id, await sweepHostedZone(context, hostedZone.id));
    const dirty = await context.ledger.query(dirtyPartition(hostedZone.id), { limit: 1 });
    if (dirty.items.length > 0) await context.queues.publish(hostedZone.id);
  }
  await describeAndReport(context, current);
  if (overtaken.length > 0) await context.queues.report(overtaken);
  return swept;
}
