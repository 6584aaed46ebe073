// A namespace leaves, once in some seeds: all its Records are deleted at once, but those that are always wanted. Where
// few record sets are published, that is more than half of them (I6). It has a random stream of its own, so that seeds
// without it stay as they were.
import { isKept } from './overtaken-records.ts';
import { type Random, randomOf } from './random.ts';
import { REGRESSIONS } from './regressions.ts';
import { sawThat, tell, type World } from './world.ts';

/** The share of seeds with it, and how likely it is at each step until it happens. */
const SHARE = 0.1;
const STEP_SHARE = 0.01;
const NAMESPACES = ['a', 'b'];

export type Leaving = { readonly random: Random; isOver: boolean };

/** Null for the seeds in which nobody leaves. */
export function leavingOf(seed: number): Leaving | null {
  const random = randomOf(Math.imul(seed, 49_979_687) + 17);
  if (REGRESSIONS.some((one) => one.seed === seed) || !random.chance(SHARE)) return null;
  return { random, isOver: false };
}

/** Deletes the Records of a namespace. */
export function namespaceLeaves(world: World): void {
  const { leaving, cluster, time, queues, slowWrites } = world;
  if (leaving === null || leaving.isOver || !leaving.random.chance(STEP_SHARE)) return;
  if (slowWrites !== null && slowWrites.underway !== null) return;
  leaving.isOver = true;
  const namespace = leaving.random.pick(NAMESPACES);
  for (const { ref } of cluster.objects()) {
    if (ref.kind !== 'Record' || ref.namespace !== namespace || isKept(ref)) continue;
    cluster.remove(ref);
    queues.send({ kind: 'hint', hint: ref }, time.ms, null);
  }
  sawThat(world, 'a namespace left');
  tell(world, () => `tenant: all Records of namespace ${namespace} are deleted`);
}
