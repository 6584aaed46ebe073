// The two ways in which objects get into the world of reconcile-world.ts: as hints, one after the other, and by
// `apply`, all at once. A rule that needs several Zones holds for both.

import { applyCluster } from '../../lib/apply/apply-cluster.ts';
import { planCluster } from './plan-cluster.ts';
import { apply, write } from './reconcile-steps.ts';
import { deliverAll, deliverReports, type ReconcileWorld } from './reconcile-world.ts';

/** Writes objects ("Kind ns/name"; a spec of undefined deletes) a second later, and publishes what follows. */
export type Way = (world: ReconcileWorld, objects: Readonly<Record<string, unknown>>) => Promise<void>;

const byHints: Way = async (world, objects) => {
  world.clock.ms += 1_000;
  await apply(world, objects);
  await deliverAll(world);
};

const byApply: Way = async (world, objects) => {
  world.clock.ms += 1_000;
  write(world, objects);
  const options = { acknowledged: [], only: () => true, progress: () => {} };
  await applyCluster(world.context, world.deps, await planCluster(world.context), options);
  await deliverReports(world);
};

/** The rows of a `describe.each`. */
export const BOTH_WAYS = [
  ['reconcile()', byHints],
  ['applyCluster()', byApply],
] as const;
