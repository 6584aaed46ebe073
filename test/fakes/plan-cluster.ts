// Reads a cluster and plans it, as `zone53 plan` does.
import { type ClusterPlan, type PlanOptions, planReading } from '../../lib/apply/plan-cluster.ts';
import { readCluster } from '../../lib/observe/read-cluster.ts';
import type { Context } from '../../lib/ports/context.ts';

export async function planCluster(context: Context, options: PlanOptions = {}): Promise<ClusterPlan> {
  return planReading(context, await readCluster(context), options);
}
