// One seed, from beginning to end. At every step the director decides what happens next: a tenant or stranger writes,
// time passes, a queue delivers, or a function's call continues with some fate. Then the faults stop, all runs finish,
// and all messages are delivered; unless something happened that only a sweep corrects, everything must be right by
// then. Sweeps follow until nothing changes, and after that nothing may change any more.

import { untilMs, type Wait } from '../../lib/record-sets/propagation.ts';
import type { Violation } from './auditor.ts';
import { rivalActs } from './change-buckets.ts';
import { simulateLimits } from './change-limits.ts';
import { crdIsReplaced } from './crds.ts';
import { denialsMove, stayDenied } from './denials.ts';
import { simulateSeed } from './dns-records/simulate-seed.ts';
import { letGo, nextCall } from './fates.ts';
import { checkEnd, describeEnd } from './final-checks.ts';
import { acceptRoles, accountsMove } from './fleet/accounts.ts';
import { checkFleet, describeFleet } from './fleet/final.ts';
import { finishCommand, operatorsAct } from './fleet/operators.ts';
import { fleetActs, heldIn, populateFleet } from './fleet/tenants.ts';
import type { Member } from './fleet/world.ts';
import { freeTextsAct } from './free-texts.ts';
import { batchOf, start } from './functions.ts';
import { hostileActs } from './hostile.ts';
import { namespaceLeaves } from './leaving-namespaces.ts';
import { recordIsOvertaken } from './overtaken-records.ts';
import { protectionsMove, stayProtected } from './protections.ts';
import { routedStrangerActs } from './routed-strangers.ts';
import { sharedTextsAct } from './shared-texts.ts';
import { storeSlowWrites } from './slow-writes.ts';
import { hostedZoneVanishes, strangerActs } from './strangers.ts';
import { acknowledges, heldDigest, populate, tenantActs } from './tenants.ts';
import { newWorld, sawThat, tell, type World, type WorldOptions } from './world.ts';

/** Sweeps until quiet, at most, with every message delivered after each. */
const ROUNDS_MAX = 8;
/** Rounds after that in which nothing at all may be written, and the hour that each takes. */
const QUIET_ROUNDS = 10;
const ROUND_MS = 3_700_000;
/** One seed in so many goes through all quiet rounds, one by one. */
const ALL_ROUNDS_EVERY = 10;
/** Deliveries until the queues run dry, at most. While a delegation is denied, the names that wait for it ask again. */
const DELIVERIES_MAX = 3_000;

export type Result = {
  readonly seed: number;
  readonly violation: Violation | null;
  readonly trace: readonly string[];
  readonly seen: ReadonlyMap<string, number>;
  /** Rounds of sweeps until nothing moved. */
  readonly rounds: number;
  readonly calls: number;
};

/** Resolves when everything that needs no decision of the director has happened. */
const tick = () => new Promise<void>((resolve) => process.nextTick(resolve));

/** Runs one seed, and then the DNSRecords that some seeds have. Never throws: a violation is in the result. */
export async function simulate(seed: number, options: WorldOptions = {}): Promise<Result> {
  const { trace = false, sabotage = null, swarm } = options;
  const zones = await simulateZones(seed, options);
  const result = { ...zones, violation: zones.violation ?? (await simulateLimits(seed, sabotage?.limits)) };
  const beside =
    result.violation === null ? await simulateSeed(seed, { trace, sabotage, calm: swarm !== undefined }) : null;
  if (beside === null) return result;
  const seen = new Map([...result.seen, ...beside.seen]);
  return { ...result, violation: beside.violation, trace: [...result.trace, ...beside.trace], seen };
}

async function simulateZones(seed: number, options: WorldOptions): Promise<Result> {
  const world = newWorld(seed, options);
  const { fleet } = world;
  let rounds = 0;
  try {
    if (fleet === null) populate(world);
    else populateFleet(world, fleet);
    if (world.swarm.warm) await warmUp(world);
    await trouble(world);
    await calmDown(world);
    if (world.auditor.violation === null && world.needsSweep === null) await checkAll(world, 'without a sweep');
    rounds = await settle(world);
  } catch (error) {
    world.auditor.fail('I0', error instanceof Error ? (error.stack ?? error.message) : String(error));
  }
  const { violation } = world.auditor;
  const ended = () => (fleet === null ? describeEnd(world) : describeFleet(world, fleet));
  const trace = world.trace === null ? [] : [...world.trace, ...(violation === null ? [] : await ended())];
  return { seed, violation, trace, seen: world.seen, rounds, calls: world.functions };
}

/** The cluster that a sweep is of. A world with one cluster takes no random number for it. */
function sweptMember(world: World): Member {
  return world.fleet === null ? world : world.random.pick(membersOf(world));
}

/** Each cluster of the world. */
function membersOf(world: World): readonly Member[] {
  const { fleet } = world;
  if (fleet === null) return [world];
  return [...fleet.members.values()].filter(({ config }) => config.clusterId !== fleet.left);
}

async function checkAll(world: World, when: string): Promise<void> {
  if (world.fleet === null) await checkEnd(world, when);
  else checkFleet(world, world.fleet, when);
}

/** Publishes everything that exists at the beginning, before the faults begin. */
async function warmUp(world: World): Promise<void> {
  world.direct = true;
  await runDry(world);
  world.direct = false;
}

async function trouble(world: World): Promise<void> {
  for (let step = 0; step < world.swarm.steps && world.auditor.violation === null; step += 1) {
    await move(world);
    await tick();
  }
}

async function move(world: World): Promise<void> {
  const { random, swarm, time } = world;
  storeSlowWrites(world);
  if (world.overtaken !== null) await recordIsOvertaken(world, world.overtaken.random);
  hostileActs(world);
  freeTextsAct(world);
  crdIsReplaced(world);
  namespaceLeaves(world);
  denialsMove(world);
  protectionsMove(world);
  rivalActs(world);
  routedStrangerActs(world);
  sharedTextsAct(world);
  operatorsAct(world);
  accountsMove(world);
  const dice = random.next();
  if (dice < (world.fleet === null ? 0.03 : 0.04) || (swarm.eager && dice > 0.9))
    return world.fleet === null ? tenantActs(world) : fleetActs(world, world.fleet);
  const meddles = swarm.strangers || world.config.takeover.equal;
  if (dice < 0.045) return meddles ? strangerActs(world) : undefined;
  if (dice < 0.048) return swarm.hostedZonesVanish ? hostedZoneVanishes(world) : undefined;
  if (dice < 0.056)
    return swarm.sweeps && world.running.size < swarm.functionsMax
      ? void start(world, 'sweep', [], sweptMember(world))
      : undefined;
  if (dice < 0.07) return jump(world);
  if (dice < 0.08) return landLate(world);
  if (dice < 0.09 && swarm.pauses) return overtake(world);
  if (dice < 0.12 && swarm.acknowledge && acknowledges(world)) return undefined;
  if (dice < 0.2 && world.running.size < swarm.functionsMax) return deliver(world);
  const call = nextCall(world, false);
  if (call !== null) return letGo(world, call);
  time.ms += 200;
  if (dice < 0.8 && world.running.size < swarm.functionsMax) return deliver(world);
  const later = nextCall(world, true);
  return later === null ? deliver(world) : letGo(world, later);
}

function deliver(world: World): void {
  const batch = batchOf(world, world.queues.deliverable(world.time.ms));
  if (batch !== null) void start(world, batch.kind, batch.messages);
}

/** Time passes; not, unless the seed has pauses, while a run is between seeing its lease and its batch arriving. */
function jump(world: World): void {
  const { random, swarm, time } = world;
  const sending = world.calls.find(({ method }) => method === 'change');
  if (sending !== undefined && !swarm.pauses) return;
  const passes = random.pick([1_000, 10_000, 70_000, 130_000, 700_000]);
  time.ms += passes;
  if (!swarm.pauses || world.running.size === 0 || !random.chance(0.5)) return;
  // One function sleeps through it and a little longer: whoever comes next overtakes it.
  const frozen = sending !== undefined && random.chance(0.7) ? sending.run : random.pick([...world.running]);
  sawThat(world, 'a function was frozen');
  tell(world, () => `${frozen.id} is frozen`);
  for (const call of world.calls) if (call.run === frozen) call.notBeforeMs = time.ms + random.whole(200, 3_000);
}

/** A run of publish sleeps until its message is delivered again, so that another run takes over. */
function overtake(world: World): void {
  const { random, time, queues } = world;
  const frozen = [...world.running].find(({ kind, messages }) => kind === 'publish' && messages[0]?.group != null);
  if (frozen === undefined) return;
  time.ms += 410_000;
  sawThat(world, 'a function was frozen');
  tell(world, () => `${frozen.id} is frozen until it is overtaken`);
  for (const call of world.calls) if (call.run === frozen) call.notBeforeMs = time.ms + random.whole(100, 2_000);
  const again = queues.deliverable(time.ms).find((message) => frozen.messages.includes(message));
  if (again !== undefined) void start(world, 'publish', [again]);
}

async function landLate(world: World): Promise<void> {
  const batch = world.late.shift();
  if (batch === undefined) return;
  const { id, changes, run } = batch;
  // Late by nature: the lease allows for calls that are answered, not for these.
  world.auditor.factsOf(run).sentAtMs = 0;
  const outcome = await world.auditor.applies(run, id, changes, () => world.route53.port.change(id, changes, 'late'));
  tell(world, () => `a late batch of ${run.id} lands: ${outcome.kind}`);
  sawThat(world, `a late batch landed: ${outcome.kind}`);
}

/** Ends the faults: all runs finish, all writes arrive, and all messages are delivered. */
async function calmDown(world: World): Promise<void> {
  acceptRoles(world);
  storeSlowWrites(world, true);
  for (let count = 0; world.running.size > 0 && world.auditor.violation === null; count += 1) {
    const call = nextCall(world, true);
    if (call === null) throw new Error(`${[...world.running].map(({ id }) => id).join(', ')} wait for nothing`);
    if (count > 20_000) throw new Error('the functions do not come to an end');
    world.calls.splice(world.calls.indexOf(call), 1);
    tell(world, () => `${call.run.id}: ${call.port}.${call.method} ${call.detail}`);
    call.release(null);
    await tick();
  }
  while (world.late.length > 0) await landLate(world);
  world.direct = true;
  world.time.ms += 130_000;
  await stayDenied(world, (untilMs) => runDry(world, untilMs));
  await finishCommand(world);
  await runDry(world);
  await stayProtected(world, (untilMs) => runDry(world, untilMs));
}

async function runDry(world: World, untilMs = Number.POSITIVE_INFINITY): Promise<void> {
  const { queues, time } = world;
  if (queues.deadLetters.length > 0) world.needsSweep ??= 'a dead letter';
  for (let count = 0; count < DELIVERIES_MAX; count += 1) {
    if (world.auditor.violation !== null) return;
    const batch = batchOf(world, queues.deliverable(time.ms));
    if (batch !== null) await start(world, batch.kind, batch.messages);
    else {
      const next = queues.nextAtMs(time.ms);
      if (next === null || next > untilMs) return;
      time.ms = next;
    }
  }
  throw new Error(
    `the queues do not run dry: ${[...queues.messages]
      .map(({ work }) => JSON.stringify(work))
      .slice(0, 5)
      .join(' ')}`,
  );
}

/**
 * Everything that was written so far. What Route 53 refused is asked for again by every sweep: that is noted in the
 * ledger, and no more.
 */
function writesOf(world: World): number {
  const { writes } = world.auditor;
  return writes.batches + writes.statuses + (isRefused(world) ? 0 : writes.items);
}

function isRefused({ auditor }: World): boolean {
  return [...auditor.shadow.items.values()].some((body) => (body.refusal ?? null) !== null);
}

/** How often the same deletes are acknowledged, if Route 53 refuses them and they are held again. */
const ACKNOWLEDGED_MAX = 2;

/** An operator acknowledges whatever the guard holds. */
async function acknowledgeAll(world: World, times: Map<string, number>): Promise<void> {
  const acknowledge = (digest: string, ids: readonly string[]) => {
    if ((times.get(digest) ?? 0) >= ACKNOWLEDGED_MAX) return;
    times.set(digest, (times.get(digest) ?? 0) + 1);
    world.auditor.shadow.acknowledged = true;
    for (const id of ids)
      world.queues.send({ kind: 'publish', hostedZoneId: id, acknowledged: digest }, world.time.ms, id);
  };
  if (world.fleet !== null) for (const { id, digest } of heldIn(world)) acknowledge(digest, [id]);
  const digest = world.fleet === null ? heldDigest(world) : null;
  if (digest !== null)
    acknowledge(
      digest,
      (await world.route53.port.list()).map(({ id }) => id),
    );
}

/** Sweeps until nothing changes, checks everything, and checks that nothing changes any more. Returns the rounds. */
async function settle(world: World): Promise<number> {
  let rounds = 0;
  const acknowledged = new Map<string, number>();
  for (let before = -1; before !== writesOf(world); ) {
    if (world.auditor.violation !== null) return rounds;
    if (rounds >= ROUNDS_MAX) {
      world.auditor.fail('Q4', `something is still written after ${ROUNDS_MAX} sweeps`);
      return rounds;
    }
    before = writesOf(world);
    rounds += 1;
    await acknowledgeAll(world, acknowledged);
    await round(world);
  }
  if (outlast(world)) await round(world);
  await checkAll(world, 'after sweeps');
  await stayQuiet(world);
  return rounds;
}

/** Time passes until no resolver keeps what was there before. True if that took longer than the rounds. */
function outlast({ auditor, time }: World): boolean {
  const waits = [...auditor.shadow.items.values()].flatMap(
    ({ propagation }) => (propagation as Wait | undefined) ?? [],
  );
  const untilAtMs = Math.max(time.ms, ...waits.map(untilMs));
  const isLonger = untilAtMs > time.ms;
  time.ms = untilAtMs;
  return isLonger;
}

/**
 * Nothing may move any more. The last round wrote nothing, so it left the ledger, the account, the cluster and the
 * empty queues as they were: the rounds after it differ from it by the hour alone. So most seeds go through the last of
 * them only, with all the hours in between; and every so many, or where every sweep notes a refusal again, through
 * more.
 */
async function stayQuiet(world: World): Promise<void> {
  const { seed, time, auditor } = world;
  const countWrites = () => writesOf(world) - auditor.writes.words;
  const before = countWrites();
  const refused = isRefused(world);
  for (let quiet = 1; quiet <= QUIET_ROUNDS && auditor.violation === null; quiet += 1) {
    if (seed % ALL_ROUNDS_EVERY !== 0 && quiet === (refused ? 3 : 1)) {
      time.ms += (QUIET_ROUNDS - quiet) * ROUND_MS;
      quiet = QUIET_ROUNDS;
    }
    await round(world);
    if (countWrites() !== before) auditor.fail('Q4', `something was written in quiet round ${quiet}`);
  }
}

async function round(world: World): Promise<void> {
  world.time.ms += ROUND_MS;
  tell(world, () => '--- a sweep');
  for (const member of membersOf(world)) await start(world, 'sweep', [], member);
  await runDry(world);
}
