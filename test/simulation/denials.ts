// Route 53 denies all changes of a hosted zone, or lists of hosted zones, for a while, as when somebody takes a right
// away and gives it back. While changes wait for that, the Zone of the hosted zone says so (Q2). Denials have a random
// stream of their own, so that seeds without them stay as they were.
import { isAtOrBelow } from '../../lib/dns/names/name.ts';
import { formatRef } from '../../lib/objects/object-ref.ts';
import { HostedZonesDeniedError } from '../../lib/ports/hosted-zones.ts';
import { truthOf } from './oracle.ts';
import { type Random, randomOf } from './random.ts';
import { isOlderThanSleepers } from './regressions.ts';
import { sawThat, tell, type World } from './world.ts';

/** The share of seeds with denials, and how often something is denied, or allowed again, at a step of them. */
const SHARE = 0.15;
const MOVE_SHARE = 0.02;
const MESSAGE = 'AccessDenied: not authorized';

export type Denials = {
  readonly random: Random;
  /** The hosted zones whose changes are denied. */
  readonly denied: Set<string>;
  areListsDenied: boolean;
  /** The hosted zones of which a batch was denied, and none was accepted since. */
  readonly waiting: Set<string>;
};

/** Null for the seeds that have none. */
export function denialsOf(seed: number): Denials | null {
  const random = randomOf(Math.imul(seed, 49_979_687) + 11);
  if (!random.chance(SHARE) || isOlderThanSleepers(seed)) return null;
  return { random, denied: new Set(), areListsDenied: false, waiting: new Set() };
}

/** Something is denied now, or allowed again. */
export function denialsMove(world: World): void {
  const { denials } = world;
  if (denials?.random.chance(MOVE_SHARE) !== true) return;
  if (denials.random.chance(0.3)) denials.areListsDenied = !denials.areListsDenied;
  else deny(world, denials);
}

function deny(world: World, { random, denied }: Denials): void {
  const id = random.pick(['Z1', 'Z1', 'Z2']);
  if (!denied.delete(id)) denied.add(id);
  tell(world, () => `changes of ${id} are ${denied.has(id) ? 'denied' : 'allowed again'}`);
}

/** Everything is allowed again. */
function allowAll({ denials }: World): void {
  denials?.denied.clear();
  if (denials !== null) denials.areListsDenied = false;
}

/** The message if this batch is denied; null: it is not. */
export function deniedBatch(world: World, id: string): string | null {
  const { denials } = world;
  if (denials?.denied.has(id) !== true) {
    denials?.waiting.delete(id);
    return null;
  }
  denials.waiting.add(id);
  sawThat(world, 'Route 53 denied the changes of a hosted zone for a while');
  return MESSAGE;
}

/** Throws while lists are denied. Only a sweep looks again for a hosted zone that could not be looked for. */
export function checkListAllowed(world: World): void {
  if (world.denials?.areListsDenied !== true) return;
  world.needsSweep ??= 'a denied list of hosted zones';
  sawThat(world, 'Route 53 denied lists of hosted zones for a while');
  throw new HostedZonesDeniedError(MESSAGE);
}

/** Q2: while changes wait because they are denied, the Zone of their hosted zone says so. */
async function checkDenied(world: World): Promise<void> {
  const { denials, auditor, cluster, needsSweep } = world;
  if (denials === null || needsSweep !== null) return;
  const { rendered } = await truthOf(world);
  for (const id of denials.denied) {
    const item = auditor.shadow.items.get(`hostedzones ${id}`);
    if (!denials.waiting.has(id) || !hasDirtyNames(world, id) || item?.held != null) continue;
    const zone = [...rendered.zones.values()].find(({ placed }) => placed?.hosting?.id === id);
    if (zone === undefined) continue;
    const shown = cluster.statuses.get(formatRef(zone.ref))?.conditions.find(({ type }) => type === 'Programmed');
    if (shown?.message.includes(MESSAGE) !== true)
      auditor.fail('Q2', `changes of ${id} are denied, and ${formatRef(zone.ref)} says ${JSON.stringify(shown)}`);
    sawThat(world, 'a Zone said that Route 53 denies changes');
  }
}

/**
 * True if names of the hosted zone wait that do not belong to a sub-zone whose hosted zone is denied, too. Those may
 * wait for the other hosted zone: then nothing of them is sent, and nobody knows whether it would be denied.
 */
function hasDirtyNames({ denials, auditor }: World, id: string): boolean {
  const nameOf = (one: string) => auditor.shadow.items.get(`hostedzones ${one}`)?.name;
  const others = [...(denials?.denied ?? [])].filter((one) => one !== id).map((one) => String(nameOf(one)));
  const subZones = others.filter((apex) => isAtOrBelow(apex, String(nameOf(id))));
  return [...auditor.shadow.items].some(
    ([key, { name }]) => key.startsWith(`dirty#${id} `) && !subZones.some((apex) => isAtOrBelow(String(name), apex)),
  );
}

/** Faults are over, and something is still denied: by then, the Zones must say so. */
export async function stayDenied(world: World, runDry: (untilMs: number) => Promise<void>): Promise<void> {
  const { denials, time } = world;
  if (denials === null) return;
  if (denials.denied.size === 0 && denials.random.chance(0.5)) deny(world, denials);
  await runDry(time.ms + PATIENCE_MS);
  await checkDenied(world);
  allowAll(world);
}

/** Less than the pause before denied changes are tried again. */
const PATIENCE_MS = 250_000;
