// Somebody protects record sets in Route 53 for a while, so that it refuses every change of them. When all else has
// come to rest, no sweep sends one of them again (I27). Once they are free, a sweep does, or Q1 fails. They have a
// random stream of their own, so that seeds without them stay as they were.
import type { RecordSetChange } from '../../lib/dns/record-set.ts';
import { sameJson } from '../../lib/objects/same-json.ts';
import { start } from './functions.ts';
import { APEX, SUB_ZONE } from './names.ts';
import { type Random, randomOf } from './random.ts';
import { isOlderThanSleepers } from './regressions.ts';
import { sawThat, tell, type World } from './world.ts';

/** The share of seeds with protections, and how often something is protected, or free again, at a step of them. */
const SHARE = 0.15;
const MOVE_SHARE = 0.02;
const NAMES = [`w.${APEX}`, `w.${SUB_ZONE}`];
const TYPES = ['A', 'A', 'TXT', 'CNAME'];
/** Longer than any pause after which a run is repeated. */
const REST_MS = 250_000;
const ROUND_MS = 3_700_000;

type Protection = { readonly id: string; readonly name: string; readonly type: string };

export type Protections = {
  readonly random: Random;
  readonly kept: Map<string, Protection>;
  /** Whether protected record sets may be sent: not while all rests. */
  mayBeSent: boolean;
};

/** Null for the seeds that have none. */
export function protectionsOf(seed: number): Protections | null {
  const random = randomOf(Math.imul(seed, 15_485_863) + 17);
  if (!random.chance(SHARE) || isOlderThanSleepers(seed)) return null;
  return { random, kept: new Map(), mayBeSent: true };
}

/** Something is protected now, or free again. */
export function protectionsMove(world: World): void {
  const { protections } = world;
  if (protections?.random.chance(MOVE_SHARE) === true) protect(world, protections);
}

function protect(world: World, { random, kept }: Protections): void {
  const one = { id: random.pick(['Z1', 'Z1', 'Z2']), name: random.pick(NAMES), type: random.pick(TYPES) };
  const key = Object.values(one).join(' ');
  // Only a sweep finds that a protection is gone.
  world.needsSweep ??= 'a protection';
  if (kept.delete(key)) world.route53.unprotect(one.id, one.name, one.type);
  else {
    kept.set(key, one);
    world.route53.protect(one.id, one.name, one.type, 'frozen');
  }
  tell(world, () => `${key} is ${kept.has(key) ? 'protected' : 'free again'}`);
}

/**
 * I27: while all rests, nothing protected is sent. A retry is of a whole name: a sweep that tries another record set of
 * the name again, which was refused or whose delete waits, sends the protected one with it, and is no failure.
 */
export function checkProtected({ protections, auditor }: World, id: string, changes: readonly RecordSetChange[]): void {
  if (protections === null || protections.mayBeSent) return;
  const items = [...auditor.shadow.items.values()];
  const isTriedAgain = ({ recordSet: { name, type, setIdentifier } }: RecordSetChange) =>
    items.some(
      (one) =>
        one.name === name &&
        (one.type !== type || one.setIdentifier !== setIdentifier) &&
        !sameJson(one.desired ?? null, one.published ?? null),
    );
  for (const change of changes) {
    const key = `${id} ${change.recordSet.name} ${change.recordSet.type}`;
    if (protections.kept.has(key) && !isTriedAgain(change))
      auditor.fail('I27', `${key} is protected, and was sent again`);
  }
}

/** Faults are over, and something is still protected: sweeps send nothing of it. Then all is free. */
export async function stayProtected(world: World, runDry: (untilMs: number) => Promise<void>): Promise<void> {
  const { protections, time, auditor } = world;
  if (protections === null) return;
  if (protections.kept.size === 0) protect(world, protections);
  for (const isResting of [false, false, true, true]) {
    protections.mayBeSent = !isResting;
    time.ms += ROUND_MS;
    await start(world, 'sweep', []);
    await runDry(time.ms + REST_MS);
  }
  protections.mayBeSent = true;
  const refusals = [...auditor.shadow.items.values()].map(({ refusal }) => refusal as { reason: string } | null);
  if (refusals.some((refusal) => refusal?.reason === 'Protected')) sawThat(world, 'a record set was Protected');
  for (const { id, name, type } of protections.kept.values()) world.route53.unprotect(id, name, type);
  protections.kept.clear();
}
