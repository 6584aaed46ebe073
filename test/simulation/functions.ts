// The functions of a simulated world. Each takes messages from a queue (or is started by the schedule), runs the real
// use case over gated ports, and succeeds or fails. A function that died never answers: its messages are delivered
// again after their visibility timeout.

import { guardLimitsOf } from '../../lib/ports/config.ts';
import type { Context } from '../../lib/ports/context.ts';
import { HostedZonesDeniedError } from '../../lib/ports/hosted-zones.ts';
import { type FollowedChange, NO_QUEUES } from '../../lib/ports/queues.ts';
import { DEFAULT_PUBLISH_CONFIG, DELETES_QUIET_MS, publish } from '../../lib/publish/run/publish-hosted-zone.ts';
import type { PublishDeps } from '../../lib/publish/run/run.ts';
import { followChange } from '../../lib/record-sets/follow-change.ts';
import { readHostedZone } from '../../lib/record-sets/lease.ts';
import { wakeWhenDue } from '../../lib/record-sets/wake-hosted-zones.ts';
import { report } from '../../lib/report/report-object.ts';
import { reconcile } from '../../lib/resolve/reconcile-hints.ts';
import { sweepPiece } from '../../lib/sweep/sweep-cluster.ts';
import { sweepHostedZone } from '../../lib/sweep/sweep-hosted-zone.ts';
import { runCommand } from './fleet/operators.ts';
import { ledgerIdOf, type Member, memberFor } from './fleet/world.ts';
import { gatedPorts, PortError, type Ports } from './gated-ports.ts';
import { DEEP_ZONE, EXTERNAL_DNS } from './names.ts';
import { sourcesIn } from './related-objects.ts';
import type { Message } from './simulated-queues.ts';
import { type FunctionRun, sawThat, tell, type World } from './world.ts';

/** Messages that one function takes at once. */
const BATCH_MAX = 3;

class BusyError extends Error {}

function newRun(world: World, kind: FunctionRun['kind'], messages: readonly Message[], member: Member): FunctionRun {
  const { random, swarm } = world;
  world.functions += 1;
  return {
    id: `${kind}-${world.functions}`,
    kind,
    member,
    messages,
    receives: messages.map((message) => message.receives + 1),
    skewMs: swarm.skewMs === 0 ? 0 : random.whole(-swarm.skewMs, swarm.skewMs),
    // In the end, all functions have the newer version.
    newer: swarm.twoVersions && (world.direct || random.chance(0.5)),
    startedAtMs: world.time.ms,
    dead: false,
    ended: false,
  };
}

function contextOf(
  world: World,
  { member: { config } }: FunctionRun,
  { ledger, hostedZones, cluster, queues, clock }: Ports,
): Context {
  const externalDns = world.routed?.takesOver === true ? [EXTERNAL_DNS] : [];
  const takeover = {
    ...config.takeover,
    externalDns: externalDns.map((one) => ({ ...one, aesKeySecret: null })),
  };
  return {
    ledger,
    account: { hostedZones, externalDns },
    cluster,
    queues,
    clock,
    config: { ...config, takeover },
    sources: sourcesIn(world),
    log: () => {},
  };
}

function depsOf(world: World, run: FunctionRun, { ledger, hostedZones, queues, clock, sleep }: Ports): PublishDeps {
  const { config } = run.member;
  return {
    ledger,
    hostedZones,
    queues,
    clock: { ...clock, sleep },
    config: {
      ...DEFAULT_PUBLISH_CONFIG,
      guard: world.sabotage?.guard?.(guardLimitsOf(config), run) ?? guardLimitsOf(config),
      deletesQuietMs: DELETES_QUIET_MS,
      externalDns: world.routed?.takesOver === true ? [EXTERNAL_DNS] : [],
      extendedViews: config.extendedViews,
      standby: config.standby,
    },
    newHolder: () => run.id,
    log: (level, message) => {
      if (level === 'error') tell(world, () => `   ${run.id}: ${message}`);
    },
  };
}

async function runPublish(
  world: World,
  run: FunctionRun,
  ports: Ports,
  id: string,
  acknowledged: readonly string[],
): Promise<void> {
  const result = await publish(depsOf(world, run, ports), id, { acknowledged });
  sawThat(world, `publish: ${result.kind}`);
  if (result.kind === 'busy') {
    checkBusy(world, id);
    throw new BusyError(id);
  }
  if (result.kind === 'unknown') return;
  for (const { outcome, change } of result.outcomes) {
    sawThat(world, `publish: ${change.action} ${outcome}`);
    tell(world, () => `   ${run.id}: ${change.action} ${change.name} ${change.type} ${outcome}`);
  }
  if (result.kind === 'done' && result.held !== null) sawThat(world, 'the guard held deletes');
  if (result.kind === 'done' && result.waiting.size > 0) sawThat(world, 'publish: a name waited for its turn');
}

/**
 * I14: one run at a time publishes a hosted zone, unless a run died, outlived its message, or was started out of turn.
 */
function checkBusy(world: World, id: string): void {
  if (world.busyExcused.has(id)) sawThat(world, 'a run found its hosted zone busy');
  else world.auditor.fail('I14', `${id} was busy, and no run of it had died or overstayed`);
}

/** The ledger's ids of the hosted zones of a cluster, whether it has them or not. */
function hostedZonesIn(world: World, cluster: string): readonly string[] {
  if (world.fleet !== null) return [ledgerIdOf(world, cluster) ?? 'Z1'];
  return ['Z1', 'Z2', ...(world.movingZones.includes(DEEP_ZONE) ? ['Z3'] : [])];
}

/**
 * During the faults, a function sweeps for a while and another one continues. Later, it sweeps until a sweep that it
 * began itself is complete.
 */
async function runSweep(world: World, context: Context): Promise<void> {
  // A change of a hosted zone by somebody else was seen: only that hosted zone is swept.
  if (!world.direct && world.random.chance(0.4)) {
    const id = world.random.pick(hostedZonesIn(world, context.config.clusterId));
    if ((await readHostedZone(context.ledger, id)) !== null) await sweepHostedZone(context, id);
    return;
  }
  const untilMs = world.direct ? Number.POSITIVE_INFINITY : context.clock.nowMs() + world.random.whole(0, 10_000);
  const { whole, carriedOn } = await sweepPiece(context, untilMs);
  if (carriedOn) sawThat(world, 'a sweep continued where another had stopped');
  if (whole) sawThat(world, 'a sweep was completed');
  if (!whole) world.needsSweep ??= 'a sweep that is not at its end';
  if (!whole && context.clock.nowMs() < untilMs) sawThat(world, 'another run had continued the sweep');
  if (world.direct && carriedOn) await runSweep(world, context);
}

async function followAll(context: Context, changes: readonly FollowedChange[]): Promise<void> {
  for (const change of changes) await followChange(context, change);
}

function execute(world: World, run: FunctionRun): Promise<unknown> {
  const gated = gatedPorts(world, run);
  const ports = world.sabotage?.ports?.(gated, run, world) ?? gated;
  const context = contextOf(world, run, ports);
  const works = run.messages.map(({ work }) => work);
  switch (run.kind) {
    case 'reconcile':
      return reconcile(
        context,
        works.flatMap((work) => (work.kind === 'hint' ? [work.hint] : [])),
        world.direct ? undefined : world.random.pick([1, 3, 2_000]),
      );
    case 'report':
      return report(
        context,
        works.flatMap((work) => (work.kind === 'report' ? [work.ref] : [])),
      );
    case 'sweep':
      return runSweep(world, context);
    case 'follow':
      return followAll(
        context,
        works.flatMap((work) => (work.kind === 'follow' ? [work.change] : [])),
      );
    case 'publish': {
      const [work] = works;
      if (work?.kind !== 'publish') return Promise.resolve();
      // A publish that waited outside of its group is sent to its group.
      if (run.messages[0]?.group === null) return wakeWhenDue(context, work);
      return runPublish(
        world,
        run,
        ports,
        work.hostedZoneId,
        works.flatMap((one) => (one.kind === 'publish' && one.acknowledged !== undefined ? [one.acknowledged] : [])),
      );
    }
    case 'command':
      return runCommand(world, { ...context, queues: NO_QUEUES }, depsOf(world, run, { ...ports, queues: NO_QUEUES }));
    default:
      return run.kind satisfies never;
  }
}

/**
 * A run that outlives its message may overwrite what the next run settled with what it read long ago. It then reads
 * again, or counts again. If it dies before that, its message may be done already, and only a sweep corrects the state.
 */
export function noteOverstayed(world: World, { kind, messages, receives }: FunctionRun): void {
  const overstayed = messages.some(({ receives: now }, index) => now !== receives[index]);
  if ((kind === 'reconcile' || kind === 'publish') && overstayed)
    world.needsSweep ??= 'a run that outlived its message, and died';
}

/** Starts a function over these messages. Its result is noted. Any error other than that of a port is a violation. */
export function start(
  world: World,
  kind: FunctionRun['kind'],
  messages: readonly Message[],
  of?: Member,
): Promise<void> {
  const member = of ?? (messages[0] === undefined ? world : memberFor(world, messages[0]));
  const run = newRun(world, kind, messages, member);
  world.running.add(run);
  const receipts = world.queues.take(messages, world.time.ms);
  tell(world, () => `${run.id} starts: ${messages.map(({ work }) => JSON.stringify(work)).join(' ')}`);
  const [first] = messages;
  if (first?.work.kind === 'publish' && first.receives > 1) world.busyExcused.add(first.work.hostedZoneId);
  const end = (error: unknown) => {
    run.ended = true;
    world.running.delete(run);
    tell(world, () => `${run.id} ${error === null ? 'is done' : `fails: ${String(error)}`}`);
    if (error !== null) noteOverstayed(world, run);
    if (error !== null && kind === 'sweep') world.needsSweep ??= 'a sweep that failed';
    if (error === null) world.queues.done(receipts);
    else world.queues.failed(receipts, world.time.ms);
    if (error === null || error instanceof PortError || error instanceof BusyError) return;
    // A sweep of one hosted zone alone ends if that cannot be read, and its message comes again.
    if (kind === 'sweep' && error instanceof HostedZonesDeniedError) return;
    if (error instanceof Error && error.name === 'LedgerContentionError')
      return sawThat(world, 'a run gave up: contention');
    if (error instanceof Error && error.message.startsWith('Cannot update'))
      return sawThat(world, 'a run gave up: it kept moving');
    world.auditor.fail('I0', `${run.id} ended in ${error instanceof Error ? error.stack : String(error)}`);
  };
  return execute(world, run).then(() => end(null), end);
}

const IN_TURN: readonly Message['work']['kind'][] = ['hint', 'publish', 'report', 'follow'];

/** The function that takes messages of this kind. */
function functionOf(kind: Message['work']['kind']): FunctionRun['kind'] {
  return kind === 'hint' ? 'reconcile' : kind;
}

/** One seed in so many takes messages as they came, a few at a time, also when faults are over. */
const AS_THEY_CAME_EVERY = 4;

/**
 * After the faults: all messages of one queue at once (of a publish group, all for that hosted zone), hints first.
 */
function allOfOne(world: World, deliverable: readonly Message[]): { kind: FunctionRun['kind']; messages: Message[] } {
  const kind = IN_TURN.find((one) => deliverable.some(({ work }) => work.kind === one)) ?? 'hint';
  const [first, ...others] = deliverable.filter(({ work }) => work.kind === kind) as [Message, ...Message[]];
  if (kind !== 'publish')
    return { kind: functionOf(kind), messages: [first, ...others.filter((other) => areOfOne(other, first))] };
  const same = [...world.queues.messages].filter(
    ({ group, visibleAtMs }) => group === first.group && visibleAtMs <= world.time.ms,
  );
  return { kind: 'publish', messages: first.group === null ? [first] : same };
}

/** True for messages of one cluster. */
function areOfOne({ work: one }: Message, { work: other }: Message): boolean {
  return one.kind === 'publish' || other.kind === 'publish' || one.cluster === other.cluster;
}

/** A message of any queue that has one. A long queue is not preferred to a short one. */
function anyOf({ random }: World, deliverable: readonly Message[]): Message {
  const kind = random.pick([...new Set(deliverable.map(({ work }) => work.kind))]);
  return random.pick(deliverable.filter(({ work }) => work.kind === kind));
}

/** What one function would take, from what may be taken now: messages of one kind, a publish always alone. */
export function batchOf(
  world: World,
  deliverable: readonly Message[],
): { kind: FunctionRun['kind']; messages: Message[] } | null {
  if (deliverable.length === 0) return null;
  if (world.direct && world.seed % AS_THEY_CAME_EVERY !== 0) return allOfOne(world, deliverable);
  const first = world.direct ? (deliverable[0] as Message) : anyOf(world, deliverable);
  if (first.work.kind === 'publish') return { kind: 'publish', messages: [first] };
  // A message that failed before is delivered alone, so that a bad one does not make its batch fail for ever.
  if (first.receives > 0) return { kind: functionOf(first.work.kind), messages: [first] };
  const same = deliverable.filter(
    (one) => one !== first && one.work.kind === first.work.kind && one.receives === 0 && areOfOne(one, first),
  );
  const more = same.slice(0, world.direct ? 20 : world.random.whole(0, BATCH_MAX - 1));
  return { kind: functionOf(first.work.kind), messages: [first, ...more] };
}
