// Names that are always wanted and that move between hosted zones: a sub-zone, and in half of these seeds a sub-zone of
// it, gets and loses a hosted zone of its own. A resolver that follows the delegations from the root's hosted zone must
// find the names at every step (invariant I16). They have a random stream of their own, so that seeds without them stay
// as they were.
import { isAtOrBelow } from '../../lib/dns/names/name.ts';
import type { RecordSet } from '../../lib/dns/record-set.ts';
import { isSentInParts } from './audit-route53.ts';
import { APEX, DEEP_ZONE, SUB_ZONE } from './names.ts';
import { randomOf } from './random.ts';
import { isOlderRegression } from './regressions.ts';
import type { Swarm } from './swarm.ts';
import { sawThat, type World } from './world.ts';

/** The hosted zones that a sub-zone, and a sub-zone of it, have whenever they are live. */
const HOSTED: Readonly<Record<string, string>> = { [APEX]: 'Z1', [SUB_ZONE]: 'Z2', [DEEP_ZONE]: 'Z3' };

/**
 * True where a name that is always wanted must be found at every step, in whichever hosted zone: nobody else deletes
 * it, and no batch arrives late.
 */
function namesMove({ subZoneHosted, strangers, hostedZonesVanish, fates, pauses }: Swarm): boolean {
  return subZoneHosted && !strangers && !hostedZonesVanish && !fates.has('late') && !pauses;
}

/** The names of the Zones that have a moving name in this seed; empty in seeds without moving names. */
export function movingZones(seed: number, swarm: Swarm): readonly string[] {
  if (!namesMove(swarm)) return [];
  const kept = isOlderRegression(seed);
  const isDeep = randomOf(Math.imul(seed, 104_729) + 3).chance(0.5) && !kept;
  return isDeep ? [SUB_ZONE, DEEP_ZONE] : [SUB_ZONE];
}

/** The name that moves with this Zone. */
export function movedName(zone: string): string {
  return `kept.${zone}`;
}

/** Checks after a batch that each name that was ever found is still found, where only we delete record sets. */
export function checkMoved(world: World): void {
  if (world.config.takeover.equal) return;
  for (const zone of world.movingZones) checkFound(world, movedName(zone));
}

function checkFound(world: World, name: string): void {
  const { found } = world.auditor.shadow;
  const where = follow(world, name);
  // A Record may delegate it to other name servers. Then it need not be found.
  if (where === 'elsewhere') return;
  const before = found.get(name);
  const { id, isFound } = where;
  if (isFound && before !== undefined && before !== id)
    sawThat(world, `a name was found in ${id} instead of ${before}`);
  if (isFound) found.set(name, id);
  else if (before !== undefined && !isUnderway(world, name))
    world.auditor.fail('I16', `${name} A is nowhere: it is looked for in ${id}, and was found in ${before} before`);
}

/** True while the name, or a delegation that leads to it, is deleted and not yet created again. */
function isUnderway(world: World, name: string): boolean {
  const delegations = world.movingZones.map((zone) => ({ name: zone, type: 'NS' }) as const);
  const sets = [{ name, type: 'A' } as const, ...delegations].map((set) => ({ ...set, setIdentifier: null }));
  return Object.values(HOSTED).some((id) => sets.some((set) => isSentInParts(world, id, set)));
}

/** Follows the delegations from the root's hosted zone on. */
function follow(world: World, name: string): { id: string; isFound: boolean } | 'elsewhere' {
  let zone = APEX;
  for (;;) {
    const id = HOSTED[zone] as string;
    const sets = world.route53.recordSets(id);
    const cuts = sets.filter((one) => one.type === 'NS' && one.name !== zone && isAtOrBelow(name, one.name));
    const [cut] = cuts.sort((a, b) => a.name.length - b.name.length);
    if (cut === undefined) return { id, isFound: sets.some((one) => one.name === name && one.type === 'A') };
    const next = HOSTED[cut.name];
    const own = next && world.route53.recordSets(next).find((one) => one.name === cut.name && one.type === 'NS');
    if (!own || valuesOf(own) !== valuesOf(cut)) return 'elsewhere';
    zone = cut.name;
  }
}

function valuesOf({ content }: RecordSet): string {
  return content.kind === 'values' ? content.values.join() : '';
}
