// Partial names that may be too long under their Zone, in some seeds: labels that fit below e. but not below s.e., and
// labels that fit below neither. They have a random stream of their own, so that seeds without them stay as they were.
import { type Random, randomOf } from './random.ts';
import { REGRESSIONS } from './regressions.ts';
import { sawThat, type World } from './world.ts';

const FULL_LABELS = `${'l'.repeat(60)}.`.repeat(4);
const LONG = [`${FULL_LABELS}mmmmmm`, `${FULL_LABELS}mmmmmmmm`];

/** Null for the seeds that have none. */
export function longNamesOf(seed: number): Random | null {
  const random = randomOf(Math.imul(seed, 67_867_967) + 5);
  return REGRESSIONS.some((one) => one.seed === seed) || !random.chance(0.15) ? null : random;
}

/** The spec that a tenant writes, sometimes with a long name in place of the partial one. */
export function withLongName(world: World, spec: object): object {
  const { longNames } = world;
  if (longNames === null || !('zoneRef' in spec) || !longNames.chance(0.4)) return spec;
  sawThat(world, 'a tenant: wrote a name that its Zone may make too long');
  return { ...spec, domainName: longNames.pick(LONG) };
}
