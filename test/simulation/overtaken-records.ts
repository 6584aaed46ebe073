// A run that is overtaken by the deletion of its Record, still writes what the Record wanted, and dies. Its hint is
// delivered again long after the Record is gone: only the names in the Record's tombstone tell where to look. It has a
// random stream of its own, so that seeds without it stay as they were.
import { formatRef, type ObjectRef } from '../../lib/objects/object-ref.ts';
import type { Hint } from '../../lib/ports/queues.ts';
import type { Shadow } from './auditor.ts';
import { dies } from './fates.ts';
import { start } from './functions.ts';
import { type Random, randomOf } from './random.ts';
import { isOlderThanKinds } from './regressions.ts';
import type { Message } from './simulated-queues.ts';
import { calmed, type Swarm } from './swarm.ts';
import { KEPT_REF } from './tenant-specs.ts';
import { type Call, sawThat, tell, type World } from './world.ts';

/** The most calls of the run that overtakes. */
const CALLS_MAX = 2_000;
/** After so many ticks without a call, the run waits for something else. */
const IDLE_MAX = 100;

export type Overtaken = {
  readonly random: Random;
  /** There are no other faults, so that the end must be right without a sweep. */
  readonly alone: boolean;
};

/** Null for the seeds that have no such run. */
export function overtakenOf(seed: number): Overtaken | null {
  const random = randomOf(Math.imul(seed, 86_028_121) + 23);
  return random.chance(0.1) && !isOlderThanKinds(seed) ? { random, alone: random.chance(0.5) } : null;
}

/** The same world without faults that only a sweep corrects. */
export function withoutSweeps(swarm: Swarm): Swarm {
  return { ...calmed(swarm), sweeps: false, forges: false, pauses: false };
}

const tick = () => new Promise<void>((resolve) => process.nextTick(resolve));

/** Where a run is about to note something wanted at a name that had nothing, for the one Record that it was told of. */
function overtakable(world: World): { readonly call: Call; readonly ref: ObjectRef } | null {
  const { shadow } = world.auditor;
  for (const call of world.calls) {
    const { run, method, detail, notBeforeMs } = call;
    if (run.kind !== 'reconcile' || method !== 'put' || notBeforeMs > world.time.ms) continue;
    if (!detail.startsWith('recordsets#') || (shadow.items.get(detail)?.desired ?? null) !== null) continue;
    for (const { work } of run.messages) {
      const ref = work.kind === 'hint' ? refOf(work.hint) : null;
      if (ref?.kind !== 'Record' || isKept(ref)) continue;
      if (!liesAt(shadow, ref, detail) || world.cluster.find(ref) === null) continue;
      return { call, ref };
    }
  }
  return null;
}

/** True for the Records that nobody deletes: I2 and I16 count on what they ask for. */
export function isKept({ name }: ObjectRef): boolean {
  return name.startsWith(KEPT_REF.name) || name.startsWith('moved');
}

function refOf({ kind, namespace, name }: Hint): ObjectRef | null {
  return namespace === null || name === null ? null : { kind, namespace, name };
}

/** True for an object that asks for the name of this record set, or for a name below some Zone. */
function liesAt({ items }: Shadow, ref: ObjectRef, recordSet: string): boolean {
  const [, ...labels] = recordSet.split(' ').slice(0, -2);
  return [...items.keys()].some((key) => {
    if (!key.endsWith(`!${formatRef(ref)}`)) return false;
    return key.startsWith('members#') || key.startsWith(`names#default ${labels.join(' ')} !`);
  });
}

/** Runs one function to its end while all others wait. */
async function runThrough(world: World, message: Message): Promise<void> {
  const before = new Set(world.running);
  const ended = start(world, 'reconcile', [message]);
  const run = [...world.running].find((one) => !before.has(one));
  for (let calls = 0, idle = 0; run !== undefined && !run.ended && calls < CALLS_MAX && idle < IDLE_MAX; ) {
    const call = world.calls.find((one) => one.run === run);
    idle = call === undefined ? idle + 1 : 0;
    if (call !== undefined) {
      calls += 1;
      world.calls.splice(world.calls.indexOf(call), 1);
      call.release(null);
    }
    await tick();
  }
  if (run?.ended === true) await ended;
}

function isTombstone(world: World, { kind, namespace, name }: ObjectRef): boolean {
  const body = world.auditor.shadow.items.get(`objects#default#${kind} ${namespace}/${name}`);
  return body?.deleted === true && body.unsettled === false;
}

/** The Record is deleted, another run settles that, and the first run writes what the Record wanted, and dies. */
export async function recordIsOvertaken(world: World, random: Random): Promise<void> {
  const found = overtakable(world);
  if (found === null || !random.chance(0.5)) return;
  const { call, ref } = found;
  tell(world, () => `tenant: ${formatRef(ref)} is deleted, and ${call.run.id} is overtaken by that`);
  world.cluster.remove(ref);
  world.queues.send({ kind: 'hint', hint: ref }, world.time.ms, null);
  const message = [...world.queues.messages].at(-1);
  if (message !== undefined) await runThrough(world, message);
  if (isTombstone(world, ref))
    sawThat(world, 'a run wrote what a Record wanted, which had been deleted meanwhile, and died');
  dieAfter(world, call);
}

function dieAfter(world: World, call: Call): void {
  const index = world.calls.indexOf(call);
  if (index < 0) return;
  world.calls.splice(index, 1);
  tell(world, () => `${call.run.id}: ${call.port}.${call.method} ${call.detail}  [crash after]`);
  dies(world, call.run);
  call.release('crash after');
}
