// In some seeds the account takes few record changes at once: a token bucket, from which somebody else takes, too. What
// does not fit is throttled. They have a random stream of their own, so that seeds without them stay as they were.
import { type Random, randomOf } from './random.ts';
import { isOlderThanSleepers } from './regressions.ts';
import { sawThat, tell, type World } from './world.ts';

/** The share of seeds that have a bucket, and how often the rival takes all of it at a step of them. */
const SHARE = 0.07;
const RIVAL_SHARE = 0.05;
/** Names and values are few here, so larger buckets hardly differ from none (change-limits.ts has those). */
const SIZES = [1, 1, 2, 3, 50];

export type ChangeBucket = {
  readonly random: Random;
  readonly size: number;
  readonly perSecond: number;
  readonly hasRival: boolean;
  tokens: number;
  filledAtMs: number;
};

/** Null for the seeds that have none. */
export function changeBucketOf(seed: number): ChangeBucket | null {
  const random = randomOf(Math.imul(seed, 32_452_843) + 29);
  if (!random.chance(SHARE) || isOlderThanSleepers(seed)) return null;
  const size = random.pick(SIZES);
  const perSecond = size * random.pick([0.5, 2, 10]);
  return { random, size, perSecond, hasRival: random.chance(0.5), tokens: size, filledAtMs: 0 };
}

/** True if the account takes so many changes now. */
export function takesChanges({ changeBucket, time }: World, count: number): boolean {
  if (changeBucket === null) return true;
  const bucket = changeBucket;
  bucket.tokens = Math.min(bucket.size, bucket.tokens + ((time.ms - bucket.filledAtMs) * bucket.perSecond) / 1_000);
  bucket.filledAtMs = time.ms;
  if (bucket.tokens < count) return false;
  bucket.tokens -= count;
  return true;
}

/** Somebody else takes what is left in the bucket. */
export function rivalActs(world: World): void {
  const { changeBucket } = world;
  if (changeBucket?.hasRival !== true || !changeBucket.random.chance(RIVAL_SHARE)) return;
  takesChanges(world, 0);
  changeBucket.tokens = 0;
  tell(world, () => 'a rival takes all record changes that the account has now');
  sawThat(world, 'a rival emptied the bucket of record changes');
}
