// One seed of the simulation of DNSRecords, from beginning to end: faults, calm, then sweeps until nothing changes. The
// queue's next delivery or the sweep continues the work of a run that died.
import { type DnsRecordService, dnsRecordService } from '../../../lib/gardener/service.ts';
import { PortError } from '../gated-ports.ts';
import type { Random } from '../random.ts';
import type { Message } from '../simulated-queues.ts';
import { clientActs, moodMoves, secretMoves, strangerActs, writeSecrets, zoneActs } from './actors.ts';
import { checkSeedEnd } from './final.ts';
import { applied, seedPorts } from './ports.ts';
import { checkUntold } from './untold.ts';
import {
  ACCOUNTS,
  type Call,
  fail,
  newSeedWorld,
  type Process,
  type SeedFate,
  type SeedOptions,
  type SeedWorld,
  saw,
  tell,
} from './world.ts';

const ROUNDS_MAX = 12;
const ROUND_MS = 1_000_000;
const DELIVERIES_MAX = 1_000;
const PROCESSES_MAX = 3;
/** How often, at a step of a seed that has this, a process begins to sleep. */
const SLEEP_SHARE = 0.02;

export type SeedResult = {
  readonly violation: SeedWorld['violation'];
  readonly trace: readonly string[];
  readonly seen: ReadonlyMap<string, number>;
};

const tick = () => new Promise<void>((resolve) => process.nextTick(resolve));

/** Runs the DNSRecords of one seed; null: it has none. Never throws. */
export async function simulateSeed(seed: number, options: SeedOptions = {}): Promise<SeedResult | null> {
  const world = newSeedWorld(seed, options);
  if (world === null) return null;
  try {
    writeSecrets(world);
    clientActs(world);
    for (let step = 0; step < world.steps && world.violation === null; step += 1) {
      await move(world);
      await tick();
    }
    await calmDown(world);
    await settle(world);
  } catch (error) {
    fail(world, 'I0', error instanceof Error ? (error.stack ?? error.message) : String(error));
  }
  return { violation: world.violation, trace: world.trace ?? [], seen: world.seen };
}

type Actor = (world: SeedWorld) => void | Promise<void>;

/** The actors with their shares of the random draw. An actor that this seed does not have does nothing. */
const TURNS: readonly (readonly [upTo: number, actor: Actor])[] = [
  [0.04, clientActs],
  [0.055, (world) => (world.hasStrangers ? strangerActs(world) : undefined)],
  [0.065, (world) => (world.hasZone ? zoneActs(world) : undefined)],
  [0.07, (world) => (world.faultShare > 0 ? secretMoves(world) : undefined)],
  [0.08, (world) => (world.faultShare > 0 ? moodMoves(world) : undefined)],
  [0.09, jump],
  [0.1, landLate],
  [0.11, sweepNow],
  [0.2, deliver],
];

async function move(world: SeedWorld): Promise<void> {
  if (world.sleepers?.chance(SLEEP_SHARE) === true) fallAsleep(world, world.sleepers);
  const dice = world.random.next();
  const actor = TURNS.find(([upTo]) => dice < upTo)?.[1];
  if (actor !== undefined) {
    await actor(world);
    return;
  }
  const call = nextCall(world, false);
  if (call !== null) {
    letGo(world, call);
    return;
  }
  world.time.ms += 200;
  const later = dice < 0.8 ? null : nextCall(world, true);
  if (later === null) deliver(world);
  else letGo(world, later);
}

/** Time passes. A call that is under way takes no longer than a turn allows for (lib/gardener/turn.ts). */
function jump({ time, random, calls }: SeedWorld): void {
  time.ms += random.pick(calls.length > 0 ? [1_000, 10_000] : [10_000, 40_000, 130_000]);
}

/** A process sleeps longer than a turn lasts, between two calls of Route 53. */
function fallAsleep(world: SeedWorld, random: Random): void {
  const { calls, time } = world;
  const idle = [...new Set(calls.map(({ process }) => process))].filter(
    (one) => !calls.some(({ process, port }) => process === one && port === 'hostedZones'),
  );
  if (idle.length === 0) return;
  const asleep = random.pick(idle);
  for (const call of calls) if (call.process === asleep) call.notBeforeMs = time.ms + random.whole(95_000, 200_000);
  saw(world, 'a process slept longer than its turn for a DNSRecord');
  tell(world, () => `${asleep.id} sleeps`);
}

function sweepNow(world: SeedWorld): void {
  if (world.processes.size < PROCESSES_MAX) void start(world, 'sweep', []);
}

function deliver(world: SeedWorld): void {
  const { queues, time, random, processes } = world;
  if (processes.size >= PROCESSES_MAX) return;
  const deliverable = queues.deliverable(time.ms);
  if (deliverable.length === 0) return;
  const first = random.pick(deliverable);
  const others = deliverable.filter((one) => one !== first && one.receives === 0).slice(0, random.whole(0, 3));
  void start(world, 'hint', first.receives === 0 ? [first, ...others] : [first]);
}

function newProcess(world: SeedWorld): Process {
  world.started += 1;
  const id = `process-${world.started}`;
  const plain = seedPorts(world, () => started);
  const { sleep, ...ports } = world.sabotage?.seedPorts?.(plain, world) ?? plain;
  let holders = 0;
  const service: DnsRecordService = dnsRecordService({
    ...ports,
    clock: { nowMs: () => world.time.ms, sleep },
    log: (...line) => checkUntold(world, 'the log', line),
    server: { clusterId: 'seed', settings: world.settings },
    newHolder: () => {
      holders += 1;
      return world.isOneProcess ? 'embedded' : `${id} ${holders}`;
    },
  });
  const started: Process = { id, service, dead: false, runs: 0 };
  return started;
}

/** In some seeds all runs are of one process, until it dies. */
function processFor(world: SeedWorld): Process {
  const [running] = world.processes;
  const process = world.isOneProcess && running !== undefined ? running : newProcess(world);
  world.processes.add(process);
  return process;
}

function start(world: SeedWorld, kind: 'hint' | 'sweep', messages: readonly Message[]): Promise<void> {
  const process = processFor(world);
  const { id, service } = process;
  const receipts = world.queues.take(messages, world.time.ms);
  const hints = messages.flatMap(({ work }) => (work.kind === 'hint' ? [work.hint] : []));
  tell(world, () => `${id} starts a ${kind}: ${hints.map(({ name }) => name).join(' ')}`);
  process.runs += 1;
  const end = (error: unknown) => {
    process.runs -= 1;
    if (process.runs === 0 && !world.isOneProcess) world.processes.delete(process);
    tell(world, () => `${id} ${error === null ? 'is done' : `fails: ${String(error)}`}`);
    if (error === null) world.queues.done(receipts);
    else world.queues.failed(receipts, world.time.ms);
    if (error === null || error instanceof PortError) return;
    if (error instanceof Error && error.name === 'LedgerContentionError')
      return saw(world, 'a run of DNSRecords gave up');
    fail(world, 'I0', `${id} ended in ${error instanceof Error ? error.stack : String(error)}`);
  };
  return (kind === 'sweep' ? service.sweep() : service.hint(hints)).then(() => end(null), end);
}

/** A call that may go on now; with `waits`, time passes until one may. */
function nextCall(world: SeedWorld, waits: boolean): Call | null {
  const { calls, time, random } = world;
  const ready = calls.filter(({ notBeforeMs }) => notBeforeMs <= time.ms);
  if (ready.length > 0) {
    const process = random.pick([...new Set(ready.map((call) => call.process))]);
    return random.pick(ready.filter((call) => call.process === process));
  }
  if (!waits || calls.length === 0) return null;
  time.ms = Math.min(...calls.map(({ notBeforeMs }) => notBeforeMs));
  return nextCall(world, false);
}

function fateOf({ random, fates, faultShare }: SeedWorld, { port, method }: Call): SeedFate | null {
  if (method === 'sleep' || fates.size === 0) return null;
  const share = faultShare * (port === 'hostedZones' ? 4 : port === 'seed' ? 2 : 1);
  if (!random.chance(share)) return null;
  const fate = random.pick([...fates]);
  const ofAccounts = fate === 'late' || fate === 'throttled' || fate === 'denied';
  return ofAccounts && port !== 'hostedZones' ? null : fate;
}

function letGo(world: SeedWorld, call: Call): void {
  const { random, time, calls } = world;
  time.ms += random.whole(0, 30);
  const fate = fateOf(world, call);
  if (fate !== null) saw(world, `DNSRecords: ${fate}`);
  if (fate === 'slow') {
    call.notBeforeMs = time.ms + random.pick([500, 5_000, 20_000]);
    return;
  }
  calls.splice(calls.indexOf(call), 1);
  tell(
    world,
    () => `${call.process.id}: ${call.port}.${call.method} ${call.detail}${fate === null ? '' : `  [${fate}]`}`,
  );
  if (fate === 'crash before' || fate === 'crash after') die(world, call.process);
  if (fate !== 'crash before') call.release(fate);
}

function die(world: SeedWorld, process: Process): void {
  process.dead = true;
  world.processes.delete(process);
  world.calls.splice(0, Number.POSITIVE_INFINITY, ...world.calls.filter((call) => call.process !== process));
}

async function landLate(world: SeedWorld): Promise<void> {
  const batch = world.late.shift();
  if (batch !== undefined) await applied(world, batch.account, batch.id, batch.changes, true);
}

/** Ends the faults: all runs finish, accounts answer, Secrets exist, and all messages are delivered. */
async function calmDown(world: SeedWorld): Promise<void> {
  writeSecrets(world);
  for (const account of ACCOUNTS) world.moods[account] = 'fine';
  for (let count = 0; world.calls.length > 0 && world.violation === null; count += 1) {
    const call = nextCall(world, true) as Call;
    if (count > 20_000) throw new Error('the processes do not come to an end');
    world.calls.splice(world.calls.indexOf(call), 1);
    tell(world, () => `${call.process.id}: ${call.port}.${call.method} ${call.detail}`);
    call.release(null);
    await tick();
  }
  while (world.late.length > 0) await landLate(world);
  world.direct = true;
  await runDry(world);
}

async function runDry(world: SeedWorld): Promise<void> {
  const { queues, time } = world;
  const untilMs = time.ms + 60_000;
  for (let count = 0; count < DELIVERIES_MAX && world.violation === null; count += 1) {
    const deliverable = queues.deliverable(time.ms);
    if (deliverable.length > 0) await start(world, 'hint', deliverable);
    else {
      const next = queues.nextAtMs(time.ms);
      // What fails permanently is tried again for ever, with pauses, so the queues never become empty.
      if (next === null || next > untilMs) return;
      time.ms = next;
    }
  }
  if (world.violation === null) throw new Error('the queue does not run dry');
}

/** Sweeps until nothing changes, then checks that nothing changes any more. */
async function settle(world: SeedWorld): Promise<void> {
  const { shadow } = world;
  const written = () => shadow.writes.batches + (world.api.all().some(isInError) ? 0 : shadow.writes.statuses);
  // Who failed for what has gone since is tried again with its next pause, 15 minutes later at most.
  let quiet = 0;
  for (let rounds = 1; quiet < 2 && world.violation === null; rounds += 1) {
    if (rounds > ROUNDS_MAX) fail(world, 'Q4', `DNSRecords are still written after ${ROUNDS_MAX} sweeps`);
    const before = written();
    world.time.ms += ROUND_MS;
    tell(world, () => '--- a sweep');
    await start(world, 'sweep', []);
    await runDry(world);
    quiet = before === written() ? quiet + 1 : 0;
  }
  if (world.violation === null) checkSeedEnd(world, 'after sweeps');
  saw(world, 'DNSRecords were checked after sweeps');
}

function isInError({ status }: ReturnType<SeedWorld['api']['all']>[number]): boolean {
  return status.lastOperation?.state === 'Error';
}
