// The sweep function: the tasks of the schedule, and drift that CloudTrail reports. One invocation runs at a time
// (reserved concurrency), so reports of drift wait. A report that is older than the last comparison of its hosted zone
// is already handled.
//
// If a sweep takes longer than one invocation may work, the next invocation of the schedule continues it: that of the
// sweep, or of the measurement every five minutes. So it continues nearly without a pause, and delays no measurement.
// The alarm on lost hints may come during a sweep that has passed the object in question. Then another one follows.
import { type Drift, isRoute53Call, parseRoute53Call } from '../../events/event-bridge.ts';
import { userOf } from '../../events/object-hints.ts';
import { type Due, isAlarm, isRegularSweep, parseSchedule } from '../../events/schedule.ts';
import type { DnsRecordService } from '../../lib/gardener/service.ts';
import { isShare, shareIdOf } from '../../lib/objects/share-id.ts';
import type { Clock } from '../../lib/ports/clock.ts';
import type { Context } from '../../lib/ports/context.ts';
import type { Cause } from '../../lib/ports/queues.ts';
import type { HostedZoneItem } from '../../lib/record-sets/hosted-zone-item.ts';
import { readHostedZone } from '../../lib/record-sets/lease.ts';
import { hostedZonesOf, isUsable } from '../../lib/record-sets/list-hosted-zones.ts';
import { noteSweep, readSweepNotes } from '../../lib/sweep/last-swept.ts';
import { leftClusters, measure } from '../../lib/sweep/measure-backlog.ts';
import { type SweepOptions, sweepPiece } from '../../lib/sweep/sweep-cluster.ts';
import { idUnderWay, readSweep, type SweepState, sweepAgain, sweepUnderWay } from '../../lib/sweep/sweep-cursor.ts';
import { type HostedZoneSweep, sweepHostedZone } from '../../lib/sweep/sweep-hosted-zone.ts';
import { stillUnsettled } from '../../lib/sweep/unsettled-objects.ts';
import { withCorrelation } from '../runtime/correlation.ts';
import { shortReason } from '../runtime/messages.ts';
import type { Meter } from '../runtime/meter.ts';
import { dueOf, eachInTime, type Scheduled } from './each-in-time.ts';

export type SweepDeps = {
  readonly context: Context;
  /** The version of its configuration. */
  readonly configuration?: string;
  /** How many clusters the function sweeps; default 1. */
  readonly clusters?: number;
  /** The clusters of the configuration, if this one is to say who has left it; default: it is not. */
  readonly configured?: readonly string[];
  readonly meter: Meter;
  readonly ownRoles: readonly string[];
  /** Swept when a sweep of the cluster is complete. */
  readonly dnsRecords?: Pick<DnsRecordService, 'sweep'> | null;
  /** Adds fields to every log line of this invocation from now on. */
  readonly tag: (fields: Readonly<Record<string, unknown>>) => void;
};

/** No further piece begins when less than this is left of an invocation: the longest takes some tens of seconds. */
const MARGIN_MS = 60_000;
/** The longest that one invocation sweeps: less than the time between two measurements. */
const WORK_MS_MAX = 240_000;

/** Record sets that one invocation can read in that time, 300 a call, with less than half of the default budget. */
const RECORD_SETS_MAX = 250_000;

/** How late a change may be after its event's time: that has whole seconds only, and clocks differ by half a second. */
const EVENT_TIME_MS = 1_500;

type Invocation = { getRemainingTimeInMillis(): number };

type Task = Due | ({ readonly kind: 'drift' } & Drift);

/** The time of one cluster in an invocation: less than that between two measurements. */
const CLUSTER_MS_MAX = 270_000;

/**
 * The handler of the sweep function. A sweep is due for each cluster at its own times; everything else is for all.
 * Throws once every cluster has ended if one of them failed.
 */
export function sweepEach(
  clusters: readonly (Scheduled & { readonly handle: ReturnType<typeof handleSweep> })[],
  clock: Clock,
): ReturnType<typeof handleSweep> {
  const due = dueOf(clusters, clock);
  const isOnly = clusters.length === 1;
  return async (event, invocation) => {
    const msMax = isOnly ? invocation.getRemainingTimeInMillis() : CLUSTER_MS_MAX;
    const asked = isRegularSweep(event) ? due() : clusters;
    await eachInTime(asked, { msMax, isOnly }, ({ handle }) => handle(event, invocation));
  };
}

/** The handler of one cluster. An event that it does not know is counted and dropped; a failure throws. */
export function handleSweep(deps: SweepDeps) {
  return async (event: unknown, invocation: Invocation): Promise<void> => {
    const task = taskOf(deps, event);
    if (task === null) return;
    if (task.kind === 'measure') {
      follow(deps, `measure-${deps.context.clock.nowMs()}`);
      await measureAll(deps);
      const { state } = await readSweep(deps.context);
      measureUnsettled(deps, state);
      if (isDue(deps, state)) await sweepAll(deps, invocation);
      return;
    }
    if (task.kind === 'sweep' && task.hostedZoneId === null) {
      if (isAlarm(event)) await sweepAgain(deps.context, `${deps.context.clock.nowMs()}`);
      return sweepAll(deps, invocation);
    }
    const id = (task.kind === 'drift' ? task.correlationId : undefined) ?? `look-${deps.context.clock.nowMs()}`;
    const followed = follow(deps, id);
    if (task.kind === 'drift') return sweepChanged(followed, task, invocation);
    await sweepOne(followed, task.hostedZoneId ?? '', invocation);
  };
}

/**
 * From here on, every log line and message carries this id, through all queues to the comment of the resulting batch.
 */
function follow(deps: SweepDeps, correlationId: string): SweepDeps {
  deps.tag({ correlationId });
  const queues = withCorrelation(deps.context.queues, correlationId);
  return { ...deps, context: { ...deps.context, queues } };
}

function taskOf({ context, meter, ownRoles }: SweepDeps, event: unknown): Task | null {
  try {
    if (!isRoute53Call(event)) return parseSchedule(event);
    const assumedRoles = Object.values(context.config.accounts).map(({ role }) => role);
    const drift = parseRoute53Call(event, ownRoles, context.clock.nowMs(), assumedRoles);
    if (drift !== null) context.log('info', 'somebody changed a hosted zone', drift);
    return drift === null ? null : { kind: 'drift', ...drift };
  } catch (error) {
    meter('EventsRefused', 1);
    context.log('warn', 'an event that cannot be read is dropped', { reason: shortReason(error) });
    return null;
  }
}

async function measureAll({ context, meter, configured }: SweepDeps): Promise<void> {
  let all: readonly HostedZoneItem[] = [];
  const measures = await measure(context, (items) => {
    all = items;
  });
  const sum = (pick: (one: (typeof measures)[number]) => number) => measures.reduce((all, one) => all + pick(one), 0);
  meter(
    'DirtyNames',
    sum(({ dirty }) => dirty),
  );
  meter(
    'HeldDeletes',
    sum(({ held }) => held),
  );
  meter('OldestDirty', Math.max(0, ...measures.map(({ oldestDirtyMs }) => oldestDirtyMs)) / 1_000);
  for (const { hostedZoneId, sweepAgeMs } of measures) {
    if (sweepAgeMs !== null) meter('SweepAge', sweepAgeMs / 1_000, { hostedZoneId });
  }
  for (const one of measures) if (one.held > 0) context.log('warn', 'a hosted zone needs a person', one);
  if (configured === undefined) return;
  for (const [left, recordSets] of await leftClusters(context.ledger, all, configured)) {
    meter('Unreadable', 1, { what: 'cluster' });
    context.log('error', 'the configuration does not have a cluster any more that has record sets', {
      left,
      recordSets,
    });
  }
}

/** An object that one sweep alone has found unsettled may have changed just before: it counts as 0. */
function measureUnsettled({ context, meter }: SweepDeps, state: SweepState | null): void {
  const all = stillUnsettled(state).filter(({ sinceMs, seenMs }) => sinceMs < seenMs);
  const oldest = Math.max(0, ...all.map(({ sinceMs, seenMs }) => seenMs - sinceMs)) / 1_000;
  meter('OldestUnsettled', oldest);
  const objects = all.map(({ object }) => object);
  if (oldest > 0) context.log('warn', 'sweeps in a row found the same objects unsettled', { seconds: oldest, objects });
}

/**
 * Whether a sweep is unfinished, or none has begun with this configuration. What a new cluster or a changed
 * configuration asks for is published by its first sweep, and the schedule may be a day away.
 */
function isDue({ configuration }: SweepDeps, state: SweepState | null): boolean {
  return state === null || idUnderWay(state) !== null || state.configuration !== configuration;
}

/** Begins a sweep, or continues an unfinished one; all invocations of one sweep log the same correlation id. */
async function sweepAll(given: SweepDeps, invocation: Invocation): Promise<void> {
  const sweepId = (await sweepUnderWay(given.context)) ?? `${given.context.clock.nowMs()}`;
  const deps = follow(given, `sweep-${sweepId}`);
  const { context } = deps;
  const workMs = Math.min(WORK_MS_MAX, invocation.getRemainingTimeInMillis() - MARGIN_MS);
  const { whole, beganMs, carriedOn } = await sweepPiece(context, context.clock.nowMs() + workMs, {
    sweepId,
    ...ofVersion(deps),
    onHostedZone: (hostedZoneId, sweep) => countSweep(deps, hostedZoneId, sweep),
  });
  const tookMs = context.clock.nowMs() - beganMs;
  if (whole) await deps.dnsRecords?.sweep(() => invocation.getRemainingTimeInMillis() < MARGIN_MS);
  context.log('info', whole ? 'the sweep is complete' : 'the sweep continues later', { tookMs, carriedOn });
}

const TOO_LARGE = 'a hosted zone is too large for one invocation: the sweep of all hosted zones compares it';

/**
 * Sweeps one hosted zone, or the cluster's share of it. 10,000 record sets are 34 pages. A million take seven minutes
 * at eight calls a second, longer than an invocation may work: then the sweep of all hosted zones begins or continues,
 * page by page.
 */
async function sweepOne(
  deps: SweepDeps,
  asked: string,
  invocation: Invocation,
  { cause = {}, skips = [] }: { readonly cause?: Cause; readonly skips?: readonly string[] } = {},
): Promise<void> {
  const { context } = deps;
  const { clusterId } = context.config;
  const found = await readHostedZone(context.ledger, asked);
  const isOwn = found?.item.cluster === clusterId;
  const stored = isOwn || isShare(asked) ? found : await readHostedZone(context.ledger, shareIdOf(asked, clusterId));
  if (stored === null || stored.item.cluster !== clusterId) return;
  const hostedZoneId = stored.item.id;
  if (!isUsable(context, hostedZoneId) || skips.includes(hostedZoneId)) return;
  if (stored.item.publishedCount > RECORD_SETS_MAX) return leaveToFullSweep(deps, TOO_LARGE, hostedZoneId);
  const beganMs = context.clock.nowMs();
  const workMs = Math.min(WORK_MS_MAX, invocation.getRemainingTimeInMillis() - MARGIN_MS);
  const sweep = await sweepHostedZone(context, hostedZoneId, { untilMs: beganMs + workMs, cause });
  countSweep(deps, hostedZoneId, sweep);
  if (!sweep.whole) return leaveToFullSweep(deps, TOO_LARGE, hostedZoneId);
  await noteSweep(context.ledger, context.config.clusterId, { hostedZoneId, beganMs, whole: false });
}

/** Sweeps the hosted zone that somebody changed; every one if it is not known which. */
async function sweepChanged(deps: SweepDeps, { hostedZoneId, atMs, by }: Drift, invocation: Invocation): Promise<void> {
  const cause: Cause = { via: 'audit', atMs, ...userOf(by) };
  const { ledger, config, log } = deps.context;
  const all = hostedZoneId === null ? await hostedZonesOf(ledger, config.clusterId, log) : [{ id: hostedZoneId }];
  const notes = await readSweepNotes(ledger, config.clusterId);
  const sweptSince = notes.filter(({ begunMs }) => begunMs > atMs + EVENT_TIME_MS).map((note) => note.hostedZoneId);
  for (const { id } of all) {
    if (sweptSince.includes(id)) continue;
    if (invocation.getRemainingTimeInMillis() < MARGIN_MS) {
      const message = 'too little time is left: the sweep of all hosted zones compares the others';
      return leaveToFullSweep(deps, message, id);
    }
    await sweepOne(deps, id, invocation, { cause, skips: sweptSince });
  }
}

/** Has all hosted zones swept. A sweep that is under way may have passed this one, so another one follows it. */
async function leaveToFullSweep(deps: SweepDeps, message: string, hostedZoneId: string): Promise<void> {
  const { context } = deps;
  const nowMs = context.clock.nowMs();
  context.log('info', message, { hostedZoneId });
  await sweepAgain(context, `${nowMs}`);
  await sweepPiece(context, nowMs, ofVersion(deps));
}

/** Which configuration a sweep uses: it uses one version throughout. And among how many clusters it is one. */
function ofVersion({ configuration, clusters = 1 }: SweepDeps): Pick<SweepOptions, 'configuration' | 'clusters'> {
  return { clusters, ...(configuration !== undefined && { configuration }) };
}

function countSweep({ context, meter }: SweepDeps, hostedZoneId: string, sweep: HostedZoneSweep): void {
  meter('Drifted', sweep.lost + sweep.drifted);
  // One that is lost is published again. One that drifted stays, and is counted by the sweep that notes it only.
  if (sweep.drifted > 0) meter('Refusals', sweep.drifted, { reason: 'drifted' });
  context.log(sweep.lost + sweep.drifted > 0 ? 'warn' : 'info', 'swept a hosted zone', { hostedZoneId, ...sweep });
}
