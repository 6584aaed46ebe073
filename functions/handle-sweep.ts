// The sweep function: the schedule's tasks, and drift that CloudTrail tells of. It runs one at a time (reserved concurrency),
// so hints of drift queue up behind it; those that are older than the last look at their hosted zone are done already.
import { isRoute53Call, parseRoute53Call } from '../events/event-bridge.ts';
import { type Due, parseSchedule } from '../events/schedule.ts';
import type { Context } from '../lib/reconcile/context.ts';
import { readHostedZone } from '../lib/reconcile/lease.ts';
import { measure } from '../lib/reconcile/measure.ts';
import { sweepCluster } from '../lib/reconcile/sweep-cluster.ts';
import { type HostedZoneSweep, sweepHostedZone } from '../lib/reconcile/sweep-hosted-zone.ts';
import { noteSweep, readSweepNotes } from '../lib/reconcile/sweep-notes.ts';
import { shortReason } from './messages.ts';
import type { Meter } from './meter.ts';

export type SweepDeps = { readonly context: Context; readonly meter: Meter; readonly ownRoles: readonly string[] };

type Task = Due | { readonly kind: 'drift'; readonly hostedZoneId: string; readonly atMs: number };

/** The handler of the sweep function. What is none of its events is counted and gone; what fails throws. */
export function handleSweep(deps: SweepDeps) {
  return async (event: unknown): Promise<void> => {
    const task = taskOf(deps, event);
    if (task === null) return;
    if (task.kind === 'measure') return measureAll(deps);
    if (task.kind === 'sweep' && task.hostedZoneId === null) return sweepAll(deps);
    if (task.kind === 'drift' && (await sweptSince(deps, task))) return;
    await sweepOne(deps, task.hostedZoneId ?? '');
  };
}

function taskOf({ context, meter, ownRoles }: SweepDeps, event: unknown): Task | null {
  try {
    if (!isRoute53Call(event)) return parseSchedule(event);
    const drift = parseRoute53Call(event, ownRoles, context.clock.nowMs());
    if (drift !== null) context.log('info', 'somebody changed a hosted zone', drift);
    return drift === null ? null : { kind: 'drift', hostedZoneId: drift.hostedZoneId, atMs: drift.atMs };
  } catch (error) {
    meter('EventsRefused', 1);
    context.log('warn', 'an event that cannot be read is dropped', { reason: shortReason(error) });
    return null;
  }
}

async function measureAll({ context, meter }: SweepDeps): Promise<void> {
  const measures = await measure(context);
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
  for (const one of measures) if (one.gone || one.held > 0) context.log('warn', 'a hosted zone needs a person', one);
}

async function sweepAll(deps: SweepDeps): Promise<void> {
  const { context } = deps;
  const beganMs = context.clock.nowMs();
  for (const [hostedZoneId, sweep] of await sweepCluster(context)) {
    countSweep(deps, hostedZoneId, sweep);
    await noteSweep(context.ledger, context.config.clusterId, { hostedZoneId, beganMs, whole: true });
  }
}

async function sweepOne(deps: SweepDeps, hostedZoneId: string): Promise<void> {
  const { context } = deps;
  const stored = await readHostedZone(context.ledger, hostedZoneId);
  if (stored === null || stored.item.cluster !== context.config.clusterId) return;
  const beganMs = context.clock.nowMs();
  countSweep(deps, hostedZoneId, await sweepHostedZone(context, hostedZoneId));
  await noteSweep(context.ledger, context.config.clusterId, { hostedZoneId, beganMs, whole: false });
}

/** Whether a look at the hosted zone began after the event. */
async function sweptSince({ context }: SweepDeps, drift: { hostedZoneId: string; atMs: number }): Promise<boolean> {
  const notes = await readSweepNotes(context.ledger, context.config.clusterId);
  return notes.some(({ hostedZoneId, begunMs }) => hostedZoneId === drift.hostedZoneId && begunMs > drift.atMs);
}

function countSweep({ context, meter }: SweepDeps, hostedZoneId: string, sweep: HostedZoneSweep): void {
  meter('Drifted', sweep.lost + sweep.drifted);
  context.log(sweep.lost + sweep.drifted > 0 ? 'warn' : 'info', 'swept a hosted zone', { hostedZoneId, ...sweep });
}
