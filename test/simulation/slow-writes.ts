// Writes that an admission webhook announces before they are stored, because the API server still waits for another
// webhook. The hint is the only announcement, so the run that handles it must read the object again. They have a random
// stream of their own, so that seeds without such writes stay as they were.
import { formatRef, type ObjectRef } from '../../lib/objects/object-ref.ts';
import type { Hint } from '../../lib/ports/queues.ts';
import { type Random, randomOf } from './random.ts';
import { isOlderRegression } from './regressions.ts';
import { sawThat, tell, type World } from './world.ts';

/** The longest time until a write is stored. A run reads an object again for five seconds. */
const STORE_MS_MAX = 3_000;

export type SlowWrites = {
  readonly random: Random;
  /** The one that is under way: other writes of tenants wait for it. */
  underway: { readonly atMs: number; readonly store: () => void } | null;
};

/** Null for the seeds that have none. */
export function slowWritesOf(seed: number): SlowWrites | null {
  const random = randomOf(Math.imul(seed, 7_919) + 1);
  const kept = isOlderRegression(seed);
  return random.chance(0.3) && !kept ? { random, underway: null } : null;
}

/**
 * A tenant's edit (`spec`) or deletion (null), told of now and stored later. False where it is not to be a slow one.
 */
export function writeSlowly(world: World, ref: ObjectRef, spec: object | null): boolean {
  const { slowWrites, cluster, time, queues } = world;
  const before = cluster.find(ref);
  if (slowWrites === null || (before === null && spec === null)) return false;
  const generation = spec === null ? null : (before?.generation ?? 0) + 1;
  const { uid = null, version: oldVersion = '' } = before ?? {};
  const hint: Hint = { ...ref, oldVersion, ...(uid === null ? {} : { awaited: { uid, generation } }) };
  queues.send({ kind: 'hint', hint }, time.ms, null);
  const store = () => {
    tell(world, () => `tenant: the write of ${formatRef(ref)} is stored: ${JSON.stringify(spec)}`);
    if (spec === null) cluster.remove(ref);
    else cluster.put(ref, { spec });
  };
  slowWrites.underway = { atMs: time.ms + slowWrites.random.whole(0, STORE_MS_MAX), store };
  tell(world, () => `tenant: a webhook is told of ${formatRef(ref)}: ${JSON.stringify(spec)}`);
  sawThat(
    world,
    `a tenant: wrote slowly, ${spec === null ? 'a deletion' : before === null ? 'a creation' : 'an edit'}`,
  );
  return true;
}

/** Stores what is due, or, in the end, whatever is under way. */
export function storeSlowWrites({ slowWrites, time }: World, all = false): void {
  const underway = slowWrites?.underway ?? null;
  if (slowWrites === null || underway === null || (!all && underway.atMs > time.ms)) return;
  slowWrites.underway = null;
  underway.store();
}
