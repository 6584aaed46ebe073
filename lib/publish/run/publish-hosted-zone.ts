// Publishes one hosted zone, under its lease: at each dirty name, what is published becomes what is desired. A run
// reads everything that it needs, so it may be repeated, interrupted or overtaken anywhere. It lists nothing before it
// writes: one changed record is one call of Route 53 and a constant number of ledger operations.
//
//   lease → read → look → plan (prepare.ts) → execute: guard, order, batches → conclude (conclude.ts) → lease back
//
// Only send-batch.ts writes to Route 53.

import { readSpeaker } from '../../directory/responsible-zone.ts';
import type { Change } from '../../dns/plan-changes.ts';
import { recordSetId } from '../../dns/record-set.ts';
import { findRef } from '../../objects/object-ref.ts';
import { type HostedZoneItem, withAcknowledgement } from '../../record-sets/hosted-zone-item.ts';
import { askRecount, DEFAULT_LEASE_LIMITS, releaseLease, takeLease } from '../../record-sets/lease.ts';
import { samePublishing } from '../../record-sets/same-content.ts';
import { withoutIntent } from '../../record-sets/transitions.ts';
import { hintGone } from '../../record-sets/wake-hosted-zones.ts';
import { countAnew } from '../counts/count-anew.ts';
import { batchesByWriter } from '../plan/by-writer.ts';
import { BATCHES_MAX, fewestFirst, groupsOf, inFairOrder } from '../plan/fair-order.ts';
import { causesOf, type DirtySince, nameOf, noteName, waitsOf } from '../plan/names.ts';
import { type ChangeOutcome, OUTCOME_OF } from '../plan/outcome.ts';
import type { HostedZonePlan } from '../plan/plan-hosted-zone.ts';
import { allowMoreRefused, endRun, hasRefusedEnough, isStopped, leaveOver, runAgain } from '../plan/progress.ts';
import { type Conclusion, conclude } from './conclude.ts';
import { finishNames, removeSpent } from './dirty-names.ts';
import { groupsWithoutRoom, waitForRoom } from './full-hosted-zone.ts';
import { clearHeldMarks, noteGuard, withholdChanges } from './hold-deletes.ts';
import { applyGroups } from './isolate-refused.ts';
import { type Planned, prepare } from './prepare.ts';
import { applySoa } from './publish-soa.ts';
import {
  eachOf,
  isUnrefused,
  itemOf,
  momentOf,
  newRun,
  noteOutcome,
  notePlanned,
  type PublishConfig,
  type PublishDeps,
  type PublishOptions,
  type Run,
  saveItem,
} from './run.ts';
import { askTurns, noteWaiting } from './turns.ts';

/** Names that one run plans where nothing is deleted, so that it holds no more: the guard need not see all at once. */
export const GROWING_NAMES_MAX = 5_000;

export const DEFAULT_PUBLISH_CONFIG: Omit<PublishConfig, 'guard'> = {
  lease: DEFAULT_LEASE_LIMITS,
  namesMax: GROWING_NAMES_MAX,
  throttleTriesMax: 5,
  throttlePauseMs: 500,
  deletesQuietMs: 0,
  externalDns: [],
};

/** Batches of a run over what was refused before. */
const SUSPECT_BATCHES_MAX = 8;

/** For those who publish while changes come one by one. */
export const DELETES_QUIET_MS = 300;

export type PublishResult =
  /** All dirty names that were read are done or explained; `retryAfterSeconds`: when the next run is queued for. */
  | {
      readonly kind: 'done';
      readonly outcomes: readonly ChangeOutcome[];
      readonly held: HostedZoneItem['held'];
      readonly retryAfterSeconds: number | null;
      readonly causes: ReadonlyMap<string, DirtySince>;
      /** Names that another hosted zone, or another name of this one, has to go before; with what they wait for. */
      readonly waiting: ReadonlyMap<string, string>;
    }
  /** Another run holds the lease: nothing was done, and the caller must throw, so that the message is redelivered. */
  | { readonly kind: 'busy'; readonly retryAfterSeconds: number }
  /** The ledger knows no such hosted zone. */
  | { readonly kind: 'unknown' }
  /** Route 53 has no such hosted zone any more; everything stays dirty until another is found. */
  | {
      readonly kind: 'gone';
      readonly outcomes: readonly ChangeOutcome[];
      readonly causes: ReadonlyMap<string, DirtySince>;
    };

/** What is no longer in the way of anything: a refusal of something that is not wanted any more, a fight that ended. */
async function clearStaleRefusals(run: Run, plan: HostedZonePlan): Promise<void> {
  const planned = new Set(plan.changes.map(recordSetId));
  const stale = [...run.items.values()].filter(({ item }) => {
    const isOver = item.refusal !== null && item.refusal.reason !== 'Drifted' && !planned.has(recordSetId(item));
    return isOver && samePublishing(item.type, item.desired, item.published);
  });
  await eachOf(stale, async ({ item }) => {
    await saveItem(run, item, (now) => ({ ...withoutIntent(momentOf(run), now, false), refusal: null }));
  });
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
    const waits = await askTurns(run, open);
    const ready = open.filter(({ name }) => !waits.has(name));
    open = open.filter(({ name }) => waits.has(name));
    // What was made may be what the others wait for.
    if (ready.length > 0) await applyChanges(run, ready);
    else {
      noteWaiting(run, waits);
      break;
    }
    if (run.progress.ending.leftOver) break;
  }
}

/** What was never refused, then what was, as long as this run may be refused. */
async function applyChanges(run: Run, changes: readonly Change[]): Promise<void> {
  const { fresh, suspects } = inFairOrder(changes, (change) => itemOf(run, change));
  await applyBatches(run, fresh);
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
    // The second half of a change in two follows its first without coming back here.
    if (batch.step === 'create') continue;
    if (hasRefusedEnough(run) || index >= BATCHES_MAX) return leaveOver(run);
    const groups = groupsOf(batch.changes);
    const waiting = groupsWithoutRoom(run, groups);
    waitForRoom(run, waiting.flat());
    const ready = groups.filter((group) => !waiting.includes(group));
    await applyGroups(run, ready, batch.step === 'delete' ? 'deletes' : 'whole');
    if (isStopped(run)) break;
    await finishNames(
      run,
      batch.changes.map((change) => change.name),
    );
  }
}

/** Whatever was not reached stays dirty, and its change says why. */
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
  await applyPlan(run, plan);
  await clearStaleRefusals(run, plan);
  noteUnreached(run, plan);
  await finishNames(
    run,
    page.names.filter((name) => !waiting.has(name)),
  );
  await clearHeldMarks(run, plan, marks);
}

/** Gives the lease back. `noted`: what the hosted zone says from now on; null: its counts are to be taken anew. */
async function giveBack(
  run: Run,
  { hasLearned, isGone, weighed }: Conclusion,
  noted: Conclusion['noted'] | null,
): Promise<void> {
  const released = await releaseLease(run.deps.ledger, run.lease, (item) => {
    if (noted === null) return { ...item, recount: true };
    const now = { ...item, ...noted, gone: item.gone || isGone };
    return weighed === null ? now : withAcknowledgement(now, [weighed.digest], weighed.state);
  });
  if (released || !hasLearned) return;
  // Overtaken: what this run still settled was perhaps not there yet when the other counted, and of what it held only
  // the names say so.
  await askRecount(run.deps.ledger, run.lease.hostedZoneId);
  await run.deps.queues.publish(run.lease.hostedZoneId);
}

/** Carries out what the run leads to. */
async function afterRun(run: Run, concluded: Conclusion): Promise<PublishResult> {
  const { queues, ledger } = run.deps;
  const { isGone, isHeldAnew, isFullAnew, outcomes, againAfterSeconds } = concluded;
  await giveBack(run, concluded, concluded.noted);
  await removeSpent(run);
  const news = outcomes.length > 0 || isHeldAnew || isFullAnew || isGone;
  // Of a hosted zone that was left, it is another Zone that shows what is held.
  const speaker = isHeldAnew ? await readSpeaker(ledger, run.hostedZone) : null;
  const zones = [news ? run.hostedZone.zone : null, speaker?.isOwn === false ? speaker.zone : null];
  const told = zones.flatMap((zone) => (zone === null ? [] : (findRef(`Zone ${zone}`) ?? [])));
  if (told.length > 0) await queues.report(told);
  const causes = causesOf(run.names);
  if (isGone) {
    await hintGone(queues, run.hostedZone);
    return { kind: 'gone', outcomes, causes };
  }
  if (againAfterSeconds !== null) await queues.publish(run.lease.hostedZoneId, againAfterSeconds);
  const { held } = concluded.noted;
  return { kind: 'done', outcomes, held, retryAfterSeconds: againAfterSeconds, causes, waiting: waitsOf(run.names) };
}

/**
 * Publishes what is dirty in one hosted zone. @throws UnreadableItemError when the hosted zone's item is not readable,
 * and whatever a port throws: the message is then to be redelivered, and the next run finds and finishes what this one
 * left.
 */
export async function publish(
  deps: PublishDeps,
  hostedZoneId: string,
  options: PublishOptions = {},
): Promise<PublishResult> {
  const taken = await takeLease({ ...deps, lease: deps.config.lease }, hostedZoneId, deps.newHolder());
  if (taken.kind === 'absent') return { kind: 'unknown' };
  if (taken.kind === 'busy') return { kind: 'busy', retryAfterSeconds: Math.ceil(taken.retryAfterMs / 1000) };
  let run = newRun(deps, taken.lease, taken.hostedZone, options);
  try {
    if (taken.hostedZone.gone) {
      const concluded = conclude(run, null);
      await giveBack(run, concluded, taken.hostedZone.recount ? null : concluded.noted);
      return { kind: 'gone', outcomes: [], causes: causesOf(run.names) };
    }
    const { ledger, config, clock } = deps;
    const { hostedZone } = taken;
    if (hostedZone.recount) run = { ...run, ...(await countAnew(ledger, config.guard, hostedZone, clock.nowMs())) };
    const planned = await prepare(run);
    if (planned !== null) await execute(run, planned);
    return await afterRun(run, conclude(run, planned));
  } catch (error) {
    // The next run need not wait for the lease to run out; if even this fails, it waits.
    await giveBack(run, conclude(run, null), null).catch(() => null);
    throw error;
  }
}
