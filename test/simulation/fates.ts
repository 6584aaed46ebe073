// Chooses the call of a port that continues next, and its fate: it succeeds, fails before or after its effect, takes
// long, or its function dies.
import { noteOverstayed } from './functions.ts';
import type { Fate } from './swarm.ts';
import { type Call, type FunctionRun, sawThat, tell, type World } from './world.ts';

/** A call that may go on now; with `waits`, time passes until one may. */
export function nextCall(world: World, waits: boolean): Call | null {
  const ready = world.calls.filter(({ notBeforeMs }) => notBeforeMs <= world.time.ms);
  // Chooses a function first, so that one with many calls at once does not delay the others.
  if (ready.length > 0) {
    const run = world.random.pick([...new Set(ready.map((call) => call.run))]);
    return world.random.pick(ready.filter((call) => call.run === run));
  }
  if (!waits || world.calls.length === 0) return null;
  world.time.ms = Math.min(...world.calls.map(({ notBeforeMs }) => notBeforeMs));
  return nextCall(world, false);
}

/** Rare calls meet a fate more often by these factors, so that their failures are tested too. */
const FATE_FACTORS: Readonly<Record<string, number>> = {
  list: 20,
  listPage: 20,
  readPage: 20,
  readName: 8,
  create: 8,
  change: 4,
  report: 2,
};

function fateOf(world: World, call: Call): Fate | null {
  const { random, swarm } = world;
  const share = swarm.faultShare * (FATE_FACTORS[call.method] ?? 1);
  if (swarm.fates.size === 0 || !random.chance(share)) return null;
  const own = FATES_OF[call.method]?.filter((fate) => swarm.fates.has(fate)) ?? [];
  return random.pick(own.length > 0 && random.chance(0.7) ? own : [...swarm.fates]);
}

/** Fates that only some calls can have. */
const FATES_OF: Readonly<Record<string, readonly Fate[]>> = {
  listPage: ['empty', 'short', 'stale'],
  readPage: ['short'],
  change: ['late', 'after', 'throttled', 'denied'],
  query: ['short'],
};

/** The call happens, or what its fate makes of it. */
export function letGo(world: World, call: Call): void {
  const { random, time, swarm } = world;
  time.ms += random.whole(0, 30);
  const fate = call.method === 'sleep' ? null : fateOf(world, call);
  if (fate !== null) sawThat(world, `fate: ${fate}`);
  if (fate === 'slow') {
    call.notBeforeMs = time.ms + random.whole(0, swarm.pauses ? 200_000 : 15_000);
    return;
  }
  world.calls.splice(world.calls.indexOf(call), 1);
  tell(world, () => `${call.run.id}: ${call.port}.${call.method} ${call.detail}${fate === null ? '' : `  [${fate}]`}`);
  if (fate === 'crash before' || fate === 'crash after') {
    if (world.auditor.isReporting(call.run) || call.method === 'report') world.needsSweep ??= 'a report that died';
    dies(world, call.run);
    if (fate === 'crash before') return;
    // The effect happens, and nobody is there for the answer: the port never resolves for a dead run.
  }
  call.release(fate);
}

/** A function dies: its calls are no longer answered, and its messages are delivered again. */
export function dies(world: World, run: FunctionRun): void {
  run.dead = true;
  noteOverstayed(world, run);
  if (run.kind === 'sweep') world.needsSweep ??= 'a sweep that died';
  world.running.delete(run);
  for (let index = world.calls.length - 1; index >= 0; index -= 1) {
    if (world.calls[index]?.run === run) world.calls.splice(index, 1);
  }
}
