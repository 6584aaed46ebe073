// Sends one batch: it saves the write intents in the ledger, reads the lease again, makes one call of Route 53, and
// saves the outcome in the items. After a crash the write intents stay: the next run reads those names back, and so
// knows whether the call landed. A record set is saved as published only if Route 53 accepted or showed it.

import type { Change } from '../../dns/plan-changes.ts';
import { type RecordSet, type RecordSetChange, recordSetId, sameContent } from '../../dns/record-set.ts';
import type { BatchOutcome } from '../../ports/hosted-zones.ts';
import { markDirty } from '../../record-sets/dirty-mark.ts';
import { judgeReading } from '../../record-sets/judge-reading.ts';
import { waitUnderLease } from '../../record-sets/lease.ts';
import { type RecordSetItem, storedContent } from '../../record-sets/record-set-item.ts';
import { samePublishing } from '../../record-sets/same-content.ts';
import { askersOf, refusedTogether, withPublished } from '../../record-sets/transitions.ts';
import { elementsOf } from '../../route53/batch-changes.ts';
import { contentAt } from '../existing/neighbours.ts';
import { takingOf } from '../existing/takings.ts';
import { type Waits, wakeForDelegations } from '../order/waits.ts';
import { typesAnswered, unjudgedDeletes } from '../plan/answers.ts';
import { batchComment } from '../plan/batch-comment.ts';
import { roleOf } from '../plan/by-writer.ts';
import { nameOf, noteRefused } from '../plan/names.ts';
import { countDenied, endRun, isStopped, runAgain, stopRun } from '../plan/progress.ts';
import { readNames, takingsIn } from './read-back.ts';
import { eachOf, itemOf, momentOf, noteOutcome, patienceSeconds, type Run, saveItem } from './run.ts';
import { askerOf, noteWaiting, readWaits } from './waiting.ts';

/** A change of the plan, perhaps corrected after a reading. `tookOver`: `before` is somebody else's record set. */
export type Step = Change & {
  readonly tookOver?: boolean;
  readonly note?: string;
  /** TXT record sets of external-dns that stay for now; absent: those of the item. */
  readonly sharedTexts?: readonly RecordSet[];
};

export type Tried =
  /** Nothing is left to do in this run: accepted, read back, or left to the next run. */
  | { readonly kind: 'done' }
  | { readonly kind: 'refused'; readonly steps: readonly Step[]; readonly messages: readonly string[] }
  | { readonly kind: 'denied'; readonly steps: readonly Step[]; readonly message: string }
  /** The run stops, and has noted why. */
  | { readonly kind: 'stopped' };

const TOO_LARGE_NOTE =
  'Published in two batches, because its old and new values do not fit into one: it was absent for a moment.';

function hasIntent(run: Run, item: RecordSetItem, step: Step): boolean {
  const { intent } = item;
  if (intent === null || intent.epoch !== run.lease.epoch) return false;
  return sameContent(intent.content, step.after) && sameContent(intent.before, step.before);
}

async function writeIntent(run: Run, step: Step): Promise<boolean> {
  const item = itemOf(run, step);
  // The SOA is read before it is written, and a neighbour that is taken over is not ours: neither needs an intent.
  if (item === null || step.type === 'SOA' || hasIntent(run, item, step)) return true;
  if (item.refusal?.reason === 'Rejected' && sameContent(item.refusal.content, step.after))
    noteRefused(run.names, step, 'before');
  const intent = {
    content: storedContent(step.after),
    before: storedContent(step.before),
    epoch: run.lease.epoch,
    atMs: run.deps.clock.nowMs(),
  };
  // If something else is desired by now, nothing is sent: the newer dirty mark brings the name back. The old refusal is
  // removed before the try. Otherwise a run that dies here would leave a refusal whose cause may be gone.
  return saveItem(run, step, (now) =>
    sameContent(now.desired, step.after) ? { ...now, intent, refusal: null } : null,
  );
}

/** Removes the intents of steps that were not applied. */
export async function dropIntents(run: Run, steps: readonly Step[]): Promise<void> {
  await eachOf(steps, async (step) => {
    const item = itemOf(run, step);
    if (item?.intent?.epoch !== run.lease.epoch) return;
    await saveItem(run, step, (now) => ({ ...now, intent: null }));
  });
}

/** Removes the intents, and notes that these are tried again in batches of at most `together` names. */
export async function setApart(run: Run, steps: readonly Step[], together: number): Promise<void> {
  const nowMs = run.deps.clock.nowMs();
  await eachOf(steps, async (step) => {
    if (itemOf(run, step) === null) return;
    await saveItem(run, step, (item) => ({
      ...item,
      intent: null,
      refused: refusedTogether(item.refused, together, nowMs),
    }));
  });
}

/** Writes the intents, name by name. A name stays out of the batch if one of its intents could not be written. */
async function writeIntents(run: Run, steps: readonly Step[]): Promise<Step[]> {
  const ready: Step[] = [];
  await eachOf(Map.groupBy(steps, (step) => step.name).values(), async (ofName) => {
    for (const step of ofName) {
      if (await writeIntent(run, step)) continue;
      await dropIntents(run, ofName);
      noteOutcome(run, ofName, 'failed', `${step.name} changed meanwhile, and is published by the next run.`);
      runAgain(run, 0);
      return;
    }
    ready.push(...ofName);
  });
  // Names that move are asked once more: of two hosted zones that exchange names, one sees the intents of the other.
  const moving = ready.filter((step) => nameOf(run.names, step.name).moves);
  const waits: Waits = moving.length === 0 ? new Map() : await readWaits(run, moving);
  await dropIntents(
    run,
    ready.filter((step) => waits.has(step.name)),
  );
  noteWaiting(run, waits);
  await wakeForDelegations(askerOf(run), ready);
  const order = new Map(steps.map((step, index) => [step, index]));
  return ready.filter((step) => !waits.has(step.name)).sort((a, b) => (order.get(a) ?? 0) - (order.get(b) ?? 0));
}

async function callRoute53(
  run: Run,
  steps: readonly Step[],
  elements: readonly RecordSetChange[],
): Promise<BatchOutcome | null> {
  const { config, hostedZones, clock, writers } = run.deps;
  const role = await roleOf(writers, steps);
  const by = { zone: run.hostedZone.zone, epoch: run.lease.epoch };
  const names = elements.map(({ recordSet }) => recordSet.name);
  const comment = batchComment(by, run.names, names);
  const { stopAtMs = null, signal } = run.options;
  for (let attempt = 1; ; attempt += 1) {
    const waitMsMax = await waitUnderLease({ ...run.deps, lease: config.lease }, run.lease);
    if (waitMsMax === null) {
      endRun(run, 'lost');
      return null;
    }
    // Time passes during the wait, so only now may the call begin.
    if (signal?.aborted === true) {
      stopRun(run, 'late', 'Not published: the run was interrupted. Run the command again.');
      return null;
    }
    if (stopAtMs !== null && clock.nowMs() >= stopAtMs) {
      stopRun(run, 'late', 'The time of this run is over; the next run continues.');
      return null;
    }
    const outcome = await hostedZones.change(run.lease.hostedZoneId, elements, comment, waitMsMax, role);
    if (outcome.kind !== 'throttled') return outcome;
    if (attempt >= config.throttleTriesMax) {
      stopRun(run, 'throttled', outcome.message);
      return null;
    }
    await clock.sleep(config.throttlePauseMs * 2 ** (attempt - 1));
  }
}

async function saveAccepted(run: Run, steps: readonly Step[], message: string | null): Promise<void> {
  const answered = steps.some(({ after }) => after === null) ? typesAnswered(run.items, steps) : new Set();
  await eachOf(steps, async (step) => {
    if (itemOf(run, step) === null) return;
    const deleted = step.after === null && !answered.has(`${step.name} ${step.type}`);
    const { sharedTexts } = step;
    const how = { tookOver: step.tookOver === true, deleted, texts: [], ...(sharedTexts && { sharedTexts }) };
    const published = (item: RecordSetItem) =>
      withPublished(momentOf(run), item, step.after, { ...how, objects: askersOf(item, step) });
    if (await saveItem(run, step, published)) return;
    // Overtaken during the call: the later run may have read the name before this batch landed, and cleared its mark.
    await markDirty(run.deps.ledger, run.lease.hostedZoneId, step.name, run.deps.clock.nowMs(), { retry: true });
    runAgain(run, 0);
  });
  for (const step of steps)
    if (itemOf(run, step) !== null) noteOutcome(run, [step], 'published', message ?? step.note ?? 'Published.');
}

/** Reads back the names of a batch whose outcome is unknown, and decides for each step. */
async function readBackUnknown(run: Run, steps: readonly Step[], message: string): Promise<Tried> {
  const sinceMs = run.deps.clock.nowMs();
  const actual = await readNames(run, steps);
  if (actual === null) {
    if (isStopped(run)) return { kind: 'stopped' };
    // The intents stay: the next run reads these names back.
    noteOutcome(run, steps, 'failed', `Route 53 did not answer (${message}). ${run.progress.ending.denied}`);
    return { kind: 'done' };
  }
  const takings = await takingsIn(run, actual, steps, []);
  const landed = steps.filter(
    (step) =>
      samePublishing(step.type, contentAt(actual, step), step.after) &&
      takings.get(recordSetId(step))?.isTheirs !== true &&
      (step.also ?? []).every((text) => !actual.has(recordSetId(text))),
  );
  await saveAccepted(run, landed, `Route 53 did not answer (${message}), but it has the desired content.`);
  const open = steps.filter((step) => !landed.includes(step));
  await eachOf(open, async (step) => {
    if (itemOf(run, step) === null || step.type === 'SOA') return;
    const sight = { ...momentOf(run), owner: run.hostedZone, sinceMs, ...takingOf(takings, step) };
    await saveItem(run, step, (item) => judgeReading(item, contentAt(actual, step), sight).item);
  });
  noteOutcome(run, open, 'failed', `Route 53 did not answer (${message}), and does not have the change yet.`);
  if (open.length > 0) runAgain(run, patienceSeconds(run, open));
  return { kind: 'done' };
}

/** Applies the steps in one call. @throws any error of the ledger or of a read of Route 53. The intents stay then. */
export async function trySteps(run: Run, steps: readonly Step[]): Promise<Tried> {
  if (isStopped(run)) return { kind: 'stopped' };
  const unjudged = unjudgedDeletes(run.items, run.names, steps);
  if (unjudged.length > 0) {
    await dropIntents(run, unjudged);
    noteOutcome(run, unjudged, 'failed', 'Waits for the next run: what was to take its place is not published.');
    runAgain(run, 0);
  }
  const ready = await writeIntents(
    run,
    steps.filter((step) => !unjudged.includes(step)),
  );
  if (ready.length === 0) return { kind: 'done' };
  const { elements, isFirstOfTwo } = elementsOf(ready, run.hostedZone.name);
  // Record sets that already have the desired content become ours without a call.
  if (elements.length === 0) return concludeAccepted(run, ready);
  const outcome = await callRoute53(run, ready, elements);
  countDenied(run, outcome?.kind === 'denied' ? outcome.message : null);
  switch (outcome?.kind) {
    case 'accepted':
      return isFirstOfTwo ? createAfterDelete(run, ready) : concludeAccepted(run, ready);
    case 'refused':
      return { kind: 'refused', steps: ready, messages: outcome.messages };
    case 'denied':
      return { kind: 'denied', steps: ready, message: outcome.message };
    case 'unknown':
      return readBackUnknown(run, ready, outcome.message);
    case 'gone':
      stopRun(run, 'gone', outcome.message);
      break;
    default:
      break;
  }
  await dropIntents(run, ready);
  return { kind: 'stopped' };
}

async function concludeAccepted(run: Run, steps: readonly Step[]): Promise<Tried> {
  await saveAccepted(run, steps, null);
  return { kind: 'done' };
}

/** Sends the second of two batches, under the same intent. Until it is applied, the record sets are absent. */
async function createAfterDelete(run: Run, steps: readonly Step[]): Promise<Tried> {
  await eachOf(steps, (step) =>
    saveItem(run, step, (item) => {
      const { intent } = item;
      const gone = withPublished(momentOf(run), item, null, { objects: [], inTwoBatches: true });
      return { ...gone, intent: intent === null ? null : { ...intent, before: null } };
    }),
  );
  return trySteps(
    run,
    steps.map((step) => ({ ...step, action: 'create' as const, before: null, also: [], note: TOO_LARGE_NOTE })),
  );
}
