// Publishes one hosted zone, under its lease: at each dirty name, what is published becomes what is desired. A run
// reads everything that it needs, so it may be repeated, interrupted or overtaken anywhere. It lists nothing before it
// writes: one changed record is one call of Route 53 and a constant number of ledger operations.
//
//   lease → read → look → plan (prepare.ts) → execute: guard, order, batches → conclude (conclude.ts) → lease back
//
// Only send-batch.ts writes to Route 53.

import { readResponsibleZone } from '../../directory/responsible-zone.ts';
import type { Change } from '../../dns/plan-changes.ts';
import { recordSetId } from '../../dns/record-set.ts';
import { findRef } from '../../objects/object-ref.ts';
import { DEFAULT_HISTORY } from '../../ports/config.ts';
import { FIRST_SECONDS } from '../../record-sets/follow-change.ts';
import { acknowledgedDigests, type HostedZoneItem, withAcknowledgements } from '../../record-sets/hosted-zone-item.ts';
import {
  abandonLease,
  changeUnderLease,
  DEFAULT_LEASE_LIMITS,
  releaseLease,
  takeLease,
} from '../../record-sets/lease.ts';
import { samePublishing } from '../../record-sets/same-content.ts';
import { hintZoneOf } from '../../record-sets/wake-hosted-zones.ts';
import { batchesByWriter } from '../plan/by-writer.ts';
import { BATCHES_MAX, fewestFirst, groupsOf, inFairOrder, SUSPECT_BATCHES_MAX } from '../plan/fair-order.ts';
import { causesOf, nameOf, noteName, waitsOf } from '../plan/names.ts';
import { OUTCOME_OF } from '../plan/outcome.ts';
import type { HostedZonePlan } from '../plan/plan-hosted-zone.ts';
import { allowMoreRefused, endRun, hasRefusedEnough, isStopped, leaveOver, runAgain } from '../plan/progress.ts';
import type { PublishResult } from '../plan/publish-result.ts';
import { applyGroups } from './apply-groups.ts';
import { countPublished, namespacesNow } from './charge-deletes.ts';
import { type Conclusion, conclude } from './conclude.ts';
import { finishNames, removeSpent, reportNames } from './dirty-names.ts';
import { groupsWithoutRoom, postponeForRoom } from './full-hosted-zone.ts';
import { givingOf } from './give-away.ts';
import { clearHeldMarks, noteGuard, withholdChanges } from './hold-deletes.ts';
import { type Planned, prepare } from './prepare.ts';
import { applySoa } from './publish-soa.ts';
import {
  eachOf,
  isUnrefused,
  itemOf,
  newRun,
  noteOutcome,
  notePlanned,
  type PublishConfig,
  type PublishDeps,
  type PublishOptions,
  type Run,
  saveItem,
} from './run.ts';
import { isAbsent } from './send-in-parts.ts';
import { wakeHidden, wakeWaiting } from './settle-claims.ts';
import { noteWaiting, readWaits } from './waiting.ts';

/** Names that one run plans if nothing is deleted: the guard need not see all at once, and memory stays bounded. */
export const GROWING_NAMES_MAX = 5_000;

export const DEFAULT_PUBLISH_CONFIG: Omit<PublishConfig, 'guard'> = {
  lease: DEFAULT_LEASE_LIMITS,
  namesMax: GROWING_NAMES_MAX,
  throttleTriesMax: 5,
  throttlePauseMs: 500,
  deletesQuietMs: 0,
  externalDns: [],
  history: DEFAULT_HISTORY,
  propagation: true,
};

/** The default of `deletesQuietMs` for whoever publishes while changes arrive one by one. */
export const DELETES_QUIET_MS = 300;

/** Removes refusals that are out of date: the desired content is published, so nothing is planned. */
async function clearStaleRefusals(run: Run, plan: HostedZonePlan): Promise<void> {
  const planned = new Set(plan.changes.map(recordSetId));
  const stale = [...run.items.values()].filter(({ item }) => {
    const isNoted = item.refusal === null ? item.seen !== undefined : item.refusal.reason !== 'Drifted';
    return isNoted && !planned.has(recordSetId(item)) && samePublishing(item.type, item.desired, item.published);
  });
  await eachOf(stale, ({ item }) => saveItem(run, item, (now) => ({ ...now, refusal: null })));
}

async function withholdRefused(run: Run, plan: HostedZonePlan): Promise<void> {
  const news = new Set(plan.refused.flatMap(({ change }) => (isUnrefused(run, change) ? [change] : [])));
  await withholdChanges(run, [...plan.refused, ...plan.flipping]);
  for (const { change, refusal } of plan.refused) {
    noteOutcome(run, [change], OUTCOME_OF[refusal.reason], refusal.message, (one) => news.has(one));
  }
  for (const { change, refusal, untilMs } of plan.flipping) {
    noteOutcome(run, [change], 'held', refusal.message);
    noteName(run.names, change.name, { stays: true });
    runAgain(run, Math.max(1, Math.ceil((untilMs - run.deps.clock.nowMs()) / 1000)));
  }
}

async function applyPlan(run: Run, plan: HostedZonePlan): Promise<void> {
  notePlanned(run, plan.soa === null ? plan.go : [...plan.go, plan.soa]);
  if (plan.soa !== null) await applySoa(run, plan.soa);
  let open = plan.go;
  while (open.length > 0 && !isStopped(run)) {
    const waits = await readWaits(run, open);
    const ready = open.filter(({ name }) => !waits.has(name));
    open = open.filter(({ name }) => waits.has(name));
    // Names that wait are asked again after this, since these changes may be what they wait for.
    if (ready.length > 0) await applyChanges(run, ready);
    else {
      noteWaiting(run, waits);
      break;
    }
    if (run.progress.ending.leftOver) break;
  }
}

/** Applies changes that were never refused, then those that were, while the limit of refused calls allows it. */
async function applyChanges(run: Run, changes: readonly Change[]): Promise<void> {
  const { fresh, suspects } = inFairOrder(changes, (change) => itemOf(run, change));
  const absent = new Set(fresh.filter((change) => isAbsent(itemOf(run, change))).map(({ name }) => name));
  await applyBatches(
    run,
    fresh.filter(({ name }) => absent.has(name)),
  );
  await applyBatches(
    run,
    fresh.filter(({ name }) => !absent.has(name)),
  );
  allowMoreRefused(run);
  for (const [index, batch] of suspects.entries()) {
    if (isStopped(run)) break;
    if (hasRefusedEnough(run) || index >= SUSPECT_BATCHES_MAX) return leaveOver(run);
    await applyBatches(run, batch.flat());
  }
}

async function applyBatches(run: Run, changes: readonly Change[]): Promise<void> {
  const batches = await batchesByWriter(run.deps.writers, changes, { apex: run.hostedZone.name });
  for (const [index, batch] of fewestFirst(batches).entries()) {
    if (isStopped(run)) break;
    // send-batch.ts sends the second half of a change in two batches right after the first half.
    if (batch.step === 'create') continue;
    if (hasRefusedEnough(run) || index >= BATCHES_MAX) return leaveOver(run);
    const groups = groupsOf(batch.changes);
    const waiting = groupsWithoutRoom(run, groups);
    postponeForRoom(run, waiting.flat());
    const ready = groups.filter((group) => !waiting.includes(group));
    await applyGroups(run, ready);
    if (isStopped(run)) break;
    await finishNames(
      run,
      batch.changes.map((change) => change.name),
    );
  }
}

/** Notes why the run stopped, for each change that it did not reach. Their names stay dirty. */
function noteUnreached(run: Run, plan: HostedZonePlan): void {
  const { stop } = run.progress.ending;
  if (stop === null) return;
  const all = plan.soa === null ? plan.go : [...plan.go, plan.soa];
  const open = all.filter((change) => nameOf(run.names, change.name).open.has(recordSetId(change)));
  noteOutcome(run, open, 'failed', stop.message);
}

async function execute(run: Run, planned: Planned): Promise<void> {
  const { plan, marks, page, waiting } = planned;
  await withholdRefused(run, plan);
  if (!(await noteGuard(run, plan, marks))) endRun(run, 'lost');
  await clearStaleRefusals(run, plan);
  await applyPlan(run, plan);
  noteUnreached(run, plan);
  await finishNames(
    run,
    page.names.filter((name) => !waiting.has(name)),
  );
  await clearHeldMarks(run, plan, marks);
}

/** The hosted zone's item after this run. */
function itemAfter(run: Run, { isGone, weighed, noted }: Conclusion, item: HostedZoneItem): HostedZoneItem {
  const now = { ...item, ...noted, gone: item.gone || isGone };
  return weighed === null ? now : withAcknowledgements(now, acknowledgedDigests(run.hostedZone), weighed);
}

/** Gives the lease back, and saves what this run has concluded; null: it failed, and the next run counts again. */
async function giveBack(run: Run, concluded: Conclusion | null): Promise<void> {
  const { lease } = run;
  const { ledger, queues } = run.deps;
  if (concluded === null) return void (await releaseLease(ledger, lease, null));
  const note = (item: HostedZoneItem) => itemAfter(run, concluded, item);
  const released = await releaseLease(ledger, lease, { note, beside: await namespacesNow(run) });
  if (released || !concluded.hasLearned) return;
  // The lease was lost. The later run may have counted before this one saved its outcomes, and only the held marks say
  // what this run holds.
  await abandonLease(ledger, lease.hostedZoneId);
  await queues.publish(lease.hostedZoneId);
}

/** Has the Zones reported that show what is held, and has the Zone of a hosted zone that is gone resolved again. */
async function tellZones({ deps: { ledger, queues }, hostedZone }: Run, isHeldAnew: boolean, isGone: boolean) {
  // If the hosted zone has no Zone of its own, another Zone shows what is held. DNSRecords belong to no Zone.
  const responsible = isHeldAnew && hostedZone.zone !== '' ? await readResponsibleZone(ledger, hostedZone) : null;
  const zones = [hostedZone.zone, responsible?.isOwn === false ? responsible.zone : null];
  const told = zones.flatMap((zone) => (zone === null ? [] : (findRef(`Zone ${zone}`) ?? [])));
  if (told.length > 0) await queues.report(told);
  if (isGone) await hintZoneOf(queues, hostedZone);
}

/** Carries out the conclusion of a run. */
async function afterRun(run: Run, concluded: Conclusion): Promise<PublishResult> {
  // The run before may have died before it told the Zones.
  const wasAbandoned = run.abandoned !== null;
  const { queues, ledger } = run.deps;
  const { isGone, isHeldAnew, isBlockedAnew, hold, outcomes, noted, againAfterSeconds } = concluded;
  const isNews = isHeldAnew || isBlockedAnew || isGone;
  // The next run does not see that this is news. So the lease is given back when the Zones are told.
  const beside = isHeldAnew ? run.history.tellHold(noted.held, hold) : [];
  if (isNews) await changeUnderLease(ledger, run.lease, (item) => itemAfter(run, concluded, item), { beside });
  if (isNews || wasAbandoned) await tellZones(run, isHeldAnew || wasAbandoned, isGone);
  // What waits in the hosted zone says why, too.
  if (isBlockedAnew) await reportNames(run, run.names.keys());
  await giveBack(run, concluded);
  await removeSpent(run);
  for (const change of run.followed) await queues.follow(change, FIRST_SECONDS);
  if (outcomes.length > 0 && !isNews && !wasAbandoned) await tellZones(run, false, false);
  const causes = causesOf(run.names);
  if (isGone) return { kind: 'gone', outcomes, causes };
  if (againAfterSeconds !== null && run.options.callerRepeats !== true)
    await queues.publish(run.lease.hostedZoneId, againAfterSeconds, {}, run.lease.epoch);
  const { held, denied } = noted;
  const waiting = waitsOf(run.names);
  return { kind: 'done', outcomes, held, denied, retryAfterSeconds: againAfterSeconds, causes, waiting };
}

/**
 * Publishes the dirty names of one hosted zone. @throws UnreadableItemError if the hosted zone's item is not readable,
 * and any error of a port: the message must then be redelivered, and the next run finishes the work of this one.
 */
export async function publish(
  deps: PublishDeps,
  hostedZoneId: string,
  options: PublishOptions = {},
): Promise<PublishResult> {
  const taken = await takeLease({ ...deps, lease: deps.config.lease }, hostedZoneId, deps.newHolder());
  if (taken.kind === 'absent') return { kind: 'unknown' };
  if (taken.kind === 'busy') return { kind: 'busy', retryAfterSeconds: Math.ceil(taken.retryAfterMs / 1000) };
  let run = newRun(deps, taken, options);
  let concluded: Conclusion;
  try {
    run = await countPublished(run);
    if (run.hostedZone.gone || deps.leaves?.(run.hostedZone) === true) {
      if (run.abandoned !== null) await tellZones(run, true, true);
      await giveBack(run, conclude(run, null));
      return { kind: 'gone', outcomes: [], causes: causesOf(run.names) };
    }
    const planned = await prepare(run);
    if (planned !== null) {
      await execute(run, planned);
      await wakeWaiting(run, planned.contested, givingOf(run));
      const made = run.progress.outcomes.flatMap(({ outcome, change }) => (outcome === 'published' ? [change] : []));
      await wakeHidden(run.deps, run.hostedZone, made, givingOf(run));
    }
    concluded = conclude(run, planned);
  } catch (error) {
    // The next run need not wait for the lease to run out; if even this fails, it waits.
    await giveBack(run, null).catch(() => null);
    throw error;
  }
  return afterRun(run, concluded);
}
