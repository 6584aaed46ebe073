// Sends one batch: it saves the write intents in the ledger, reads the lease again, makes one call of Route 53, and
// saves the outcome in the items. After a crash the write intents stay: the next run reads those names back, and so
// knows whether the call landed. A record set is saved as published only if Route 53 accepted or showed it.

import type { Change } from '../../dns/plan-changes.ts';
import {
  type RecordSet,
  type RecordSetChange,
  type RecordSetContent,
  recordSetId,
  sameContent,
} from '../../dns/record-set.ts';
import { storedSets } from '../../history/historian.ts';
import type { Stamp } from '../../history/history-item.ts';
import { sameJson } from '../../objects/same-json.ts';
import { backoff } from '../../ports/backoff.ts';
import type { BatchOutcome, HostedZones } from '../../ports/hosted-zones.ts';
import { markDirty } from '../../record-sets/dirty-mark.ts';
import { isAnsweredFor } from '../../record-sets/follow-change.ts';
import { judgeReading, showStanding } from '../../record-sets/judge-reading.ts';
import { waitUnderLease } from '../../record-sets/lease.ts';
import { ALIAS_SECONDS, keptSeconds, negativeSeconds } from '../../record-sets/propagation.ts';
import { isWithdrawn, type RecordSetItem, storedContent, storedTexts } from '../../record-sets/record-set-item.ts';
import { samePublishing } from '../../record-sets/same-content.ts';
import { isBegun } from '../../record-sets/state.ts';
import { readName } from '../../record-sets/store.ts';
import { askersOf, forgotten, refusedTogether, refusedUnagreed, withPublished } from '../../record-sets/transitions.ts';
import { elementsOf } from '../../route53/batch-changes.ts';
import { unitsOf } from '../../route53/tied-changes.ts';
import { contentAt } from '../existing/neighbours.ts';
import { takingOf } from '../existing/takings.ts';
import { type Waits, wakeForDelegations } from '../order/waits.ts';
import { unagreedIn } from '../plan/agreed.ts';
import { typesAnswered, unjudgedDeletes } from '../plan/answers.ts';
import { batchComment } from '../plan/batch-comment.ts';
import { roleOf } from '../plan/by-writer.ts';
import { nameOf, noteRefused } from '../plan/names.ts';
import { OUTCOME_OF } from '../plan/outcome.ts';
import { countDenied, endRun, isStopped, runAgain, stopRun } from '../plan/progress.ts';
import { chargeOf } from './charge-deletes.ts';
import { readNames, takingsIn } from './read-back.ts';
import { eachOf, isFollowed, itemOf, momentOf, noteOutcome, patienceSeconds, type Run, saveItem } from './run.ts';
import { askerOf, noteWaiting, readWaits } from './waiting.ts';

/** A change of the plan, perhaps corrected after a reading. `tookOver`: `before` is somebody else's record set. */
export type Step = Change & {
  readonly tookOver?: boolean;
  readonly note?: string;
  /** TXT record sets of external-dns that stay for now; absent: those of the item. */
  readonly sharedTexts?: readonly RecordSet[];
  /** Those that a later call of this run deletes or creates; absent: none. */
  readonly textsLeft?: readonly RecordSet[];
};

/** What a call does of changes that are sent in several (send-in-parts.ts). */
export type Part = 'deletes' | 'creates' | 'texts';

/** `answered`: the names and types that have record sets when all parts are through. */
type OfPart = { readonly part: Part; readonly answered: ReadonlySet<string> };

export type Tried =
  /** Nothing is left to do in this run: accepted, read back, or left to the next run. */
  | { readonly kind: 'done' }
  | {
      readonly kind: 'refused';
      readonly steps: readonly Step[];
      readonly messages: readonly string[];
      readonly isCut: boolean;
    }
  | { readonly kind: 'denied'; readonly steps: readonly Step[]; readonly message: string }
  /** Too many changes for the account's limit: these are sent again in smaller batches. Their intents stay. */
  | { readonly kind: 'throttled'; readonly steps: readonly Step[]; readonly message: string }
  /** The run stops, and has noted why. */
  | { readonly kind: 'stopped' };

const FORGOTTEN_NOTE = 'It stays in Route 53, and zone53 does not manage it any more.';
const TOO_LARGE_NOTE =
  'Published in two batches, because its old and new values do not fit into one: it was absent for a moment.';

/** A step, and the record sets of others that go with it in the same batch: the history has them. */
type Begun = { readonly step: Step; readonly also: readonly RecordSet[] };

/** The steps of one name. What has no item of its own goes with the first step that has one. */
function begunOf(items: Run['items'], ofName: readonly Step[]): readonly Begun[] {
  const first = ofName.find((step) => items.has(recordSetId(step)));
  const neighbours = ofName.flatMap((step) =>
    !items.has(recordSetId(step)) && step.before !== null ? [{ ...step, content: step.before }] : [],
  );
  return ofName.map((step) => {
    if (step.action === 'forget') return { step, also: [] };
    return { step, also: [...(step.also ?? []), ...(step === first ? neighbours : [])] };
  });
}

/** True for what the Zone retains when nothing asks for it: it is forgotten without a call, so there is no intent. */
function isRetained({ options }: Run, { action }: Step): boolean {
  return action === 'forget' && options.forgets === undefined;
}

/** True for a step whose write intent this run has yet to save. */
function lacksIntent(run: Run, { step, also }: Begun): boolean {
  const item = itemOf(run, step);
  // The SOA is read before it is written, and a neighbour that is taken over is not ours: neither needs an intent.
  if (item === null || step.type === 'SOA') return false;
  if (isRetained(run, step)) return false;
  const { intent } = item;
  if (intent === null || intent.epoch !== run.lease.epoch) return true;
  const isSame = sameContent(intent.content, step.after) && sameContent(intent.before, step.before);
  return !isSame || !sameJson(intent.also ?? [], storedSets(also));
}

async function writeIntent(run: Run, begun: Begun, { atMs, batch }: Stamp): Promise<boolean> {
  const { step } = begun;
  const item = itemOf(run, step);
  if (item === null || !lacksIntent(run, begun)) return true;
  const also = storedSets(begun.also);
  if (item.refusal?.reason === 'Rejected' && sameContent(item.refusal.content, step.after))
    noteRefused(run.names, step, 'before');
  const intent = {
    content: storedContent(step.after),
    before: storedContent(step.before),
    epoch: run.lease.epoch,
    atMs,
    batch,
    ...(also.length === 0 ? {} : { also }),
  };
  // If something else is desired by now, nothing is sent: the newer dirty mark brings the name back. The old refusal is
  // removed before the try. Otherwise a run that dies here would leave a refusal whose cause may be gone.
  return saveItem(run, step, (now) =>
    sameContent(now.desired, step.after) ? { ...now, intent, refusal: isWithdrawn(now) ? now.refusal : null } : null,
  );
}

/** Removes the intents of steps that were not applied. */
export async function dropIntents(run: Run, steps: readonly Step[]): Promise<void> {
  await eachOf(steps, async (step) => {
    const item = itemOf(run, step);
    if (item?.intent?.epoch !== run.lease.epoch) return;
    await saveItem(run, step, (now) => ({ ...now, intent: null }), { isRefused: true });
  });
}

/** Removes the intents, and notes that these are tried again in batches of at most `together` names. */
export async function setApart(run: Run, steps: readonly Step[], together: number): Promise<void> {
  const nowMs = run.deps.clock.nowMs();
  await eachOf(steps, async (step) => {
    if (itemOf(run, step) === null) return;
    const apart = (item: RecordSetItem) => ({
      ...item,
      intent: null,
      refused: refusedTogether(item.refused, together, nowMs),
    });
    await saveItem(run, step, apart, { isRefused: true });
  });
}

/**
 * Writes the intents, name by name. A name stays out of the batch if one of its intents could not be written, or if it
 * has to wait. `of`: a part of tied changes, which were asked about together when their intents were written.
 */
async function writeIntents(run: Run, steps: readonly Step[], of: OfPart | null): Promise<Step[]> {
  const ready: Step[] = [];
  const stamp = run.history.newStamp();
  const names = Map.groupBy(steps, (step) => step.name)
    .values()
    .map((ofName) => begunOf(run.items, ofName))
    .toArray();
  const news = names.flat().filter((one) => lacksIntent(run, one));
  // First the batch: where its intents stand, the history has it.
  await run.history.noteBatch(
    stamp,
    news.flatMap(({ step, also }) => [step, ...also]),
  );
  await eachOf(names, async (begun) => {
    const ofName = begun.map(({ step }) => step);
    for (const one of begun) {
      const { step } = one;
      if (await writeIntent(run, one, stamp)) continue;
      await dropIntents(run, ofName);
      noteOutcome(run, ofName, 'failed', `${step.name} changed meanwhile, and is published by the next run.`);
      runAgain(run, 0);
      return;
    }
    ready.push(...ofName);
  });
  // Names that move are asked once more: of two hosted zones that exchange names, one sees the intents of the other.
  const moving = of === null ? ready.filter((step) => nameOf(run.names, step.name).moves) : [];
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

/** The pause before health checks that could not be made are tried again. Route 53 takes one in two seconds. */
const HEALTH_CHECK_RETRY_SECONDS = 15;
const THROTTLE_PAUSE_MS_MAX = 10_000;
/** So often tied changes are sent together while Route 53 throttles them; then they go in parts. */
const TRIES_OF_TIED = 3;

/** How many record changes a step is: an update is a DELETE and a CREATE. */
export function changeCount({ action, before, after, also = [] }: Step): number {
  if (action === 'adopt' || action === 'forget') return also.length;
  return Number(before !== null) + Number(after !== null) + also.length;
}

/** How many of so many record changes Route 53 is believed to take in one batch. */
export async function changesTaken(hostedZones: HostedZones, wanted: number, id: string): Promise<number> {
  return (await hostedZones.changesAtOnce?.(wanted, id)) ?? wanted;
}

/** `triesMax`: so often the batch is sent while it is too much for the account. */
async function callRoute53(
  run: Run,
  steps: readonly Step[],
  elements: readonly RecordSetChange[],
  triesMax: number,
): Promise<BatchOutcome | null> {
  const { config, hostedZones, clock, writers } = run.deps;
  const role = await roleOf(writers, steps);
  const by = { zone: run.hostedZone.zone, epoch: run.lease.epoch };
  const names = elements.map(({ recordSet }) => recordSet.name);
  const comment = batchComment(by, run.names, names);
  const { stopAtMs = null, signal } = run.options;
  for (let attempt = 1; ; attempt += 1) {
    const waitMsMax = await waitUnderLease({ ...run.deps, lease: config.lease }, run.lease, await chargeOf(run));
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
    if (outcome.kind !== 'throttled' || outcome.waits !== undefined) return outcome;
    if (outcome.isOfAccount === true && attempt >= triesMax) return outcome;
    if (attempt >= config.throttleTriesMax) {
      stopRun(run, 'throttled', outcome.message);
      return null;
    }
    await clock.sleep(backoff(config.throttlePauseMs, THROTTLE_PAUSE_MS_MAX)(attempt));
  }
}

/** `changeId`: null if there was no call. `typesLeft`: as `answered` of a part. */
type Accepted = { readonly changeId: string | null; readonly typesLeft: ReadonlySet<string> | null };

async function saveAccepted(
  run: Run,
  steps: readonly Step[],
  message: string | null,
  { changeId = null, typesLeft = null }: Partial<Accepted> = {},
): Promise<void> {
  const kept = await keptBefore(run, steps);
  const answered =
    typesLeft ?? (steps.some(({ after }) => after === null) ? typesAnswered(run.items, steps) : new Set());
  await eachOf(steps, async (step) => {
    if (itemOf(run, step) === null || (step.action === 'forget' && isGoingOn(step))) return;
    const before = itemOf(run, step);
    const isAnswered = answered.has(`${step.name} ${step.type}`) || (before !== null && isWithdrawn(before));
    const deleted = step.after === null && !isAnswered;
    const { sharedTexts, textsLeft = [] } = step;
    const how = { tookOver: step.tookOver === true, deleted, texts: textsLeft, ...(sharedTexts && { sharedTexts }) };
    const published = (item: RecordSetItem) =>
      isRetained(run, step) && item.desired !== null
        ? null
        : step.action === 'forget'
          ? forgotten(item, run.options.forgets?.get(recordSetId(step))?.message ?? '', run.deps.clock.nowMs())
          : withPublished(momentOf(run), item, step.after, {
              ...{ ...how, changeId, objects: askersOf(item, step) },
              ...(kept.has(step) && { keptSeconds: kept.get(step) ?? 0, isNew: step.before === null }),
            });
    const forgets = step.action === 'forget' ? (step.also ?? []) : null;
    if (await saveItem(run, step, published, { accepted: { changeId, before: step.before, forgets } })) return;
    // Overtaken during the call: the later run may have read the name before this batch landed, and cleared its mark.
    await markDirty(run.deps.ledger, run.lease.hostedZoneId, step.name, run.deps.clock.nowMs(), { retry: true });
    runAgain(run, 0);
  });
  const said = ({ action, note }: Step) => note ?? (action === 'forget' ? FORGOTTEN_NOTE : 'Published.');
  for (const step of steps)
    if (itemOf(run, step) !== null && !isGoingOn(step)) noteOutcome(run, [step], 'published', message ?? said(step));
}

/**
 * For how many seconds resolvers keep what was there before each step: its content, or where there was none, other
 * record sets that they may have got instead. Read before the outcome is saved.
 */
async function keptBefore(run: Run, steps: readonly Step[]): Promise<ReadonlyMap<Step, number>> {
  const kept = new Map<Step, number>();
  if (!isFollowed(run)) return kept;
  const items = Map.groupBy(run.items.values(), ({ item }) => item.name);
  await eachOf(steps, async (step) => {
    const beside = (items.get(step.name) ?? []).flatMap(({ item }) =>
      step.before === null && recordSetId(item) !== recordSetId(step) && isAnsweredFor(item, step.type) ? [item] : [],
    );
    // Where somebody else has deleted it, resolvers may still have what was there.
    const itself = step.before ?? itemOf(run, step)?.published ?? null;
    const contents = [itself, ...beside.map(({ published }) => published)];
    const seconds = await Promise.all(contents.map((content) => keptSecondsOf(run, content)));
    if (step.type === 'SOA') seconds.push(negativeSeconds(step.before) ?? 0);
    kept.set(step, Math.max(...seconds, ...beside.map(({ propagation }) => propagation?.keptSeconds ?? 0)));
  });
  return kept;
}

/** For how many seconds resolvers keep a content. An alias has the TTL of its target. */
async function keptSecondsOf({ deps: { ledger }, lease: { hostedZoneId } }: Run, content: RecordSetContent | null) {
  if (content?.kind !== 'alias') return keptSeconds(content);
  const { alias } = content;
  if (alias.hostedZoneId !== hostedZoneId) return keptSeconds(content, ALIAS_SECONDS);
  const targets = await readName(ledger, hostedZoneId, alias.dnsName);
  const known = targets.flatMap(({ item: { published } }) =>
    published?.kind === 'values' ? [published.ttlSeconds] : [],
  );
  return keptSeconds(content, known.length === 0 ? null : Math.max(...known));
}

/** Has Route 53 asked later whether its name servers have this batch. A batch of deletes is not followed. */
function follow({ followed, lease, deps }: Run, steps: readonly Step[], changeId: string | null): void {
  const names = new Set(steps.flatMap(({ after, name, type }) => (after === null || type === 'SOA' ? [] : [name])));
  if (changeId === null || names.size === 0 || !isFollowed({ lease, deps })) return;
  followed.push({ hostedZoneId: lease.hostedZoneId, changeId, atMs: deps.clock.nowMs(), names: [...names] });
}

/** True for a change of which a later call of this run sends the rest. */
function isGoingOn({ textsLeft = [] }: Step): boolean {
  return textsLeft.length > 0;
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
      (step.also ?? []).every((text) =>
        step.action === 'forget' ? sameContent(contentAt(actual, text), text.content) : !actual.has(recordSetId(text)),
      ),
  );
  await saveAccepted(run, landed, `Route 53 did not answer (${message}), but it has the desired content.`);
  const open = steps.filter((step) => !landed.includes(step));
  await eachOf(open, async (step) => {
    if (itemOf(run, step) === null || step.type === 'SOA') return;
    const sight = { ...momentOf(run), owner: run.hostedZone, sinceMs, ...takingOf(takings, step) };
    const standing = contentAt(actual, step);
    await saveItem(run, step, (item) => judgeReading(item, standing, sight).item, { standing });
  });
  noteOutcome(run, open, 'failed', `Route 53 did not answer (${message}), and does not have the change yet.`);
  if (open.length > 0) runAgain(run, patienceSeconds(run, open));
  return { kind: 'done' };
}

/**
 * Leaves out all steps of a name where one of them would destroy what the reviewed plan did not show: somebody else's
 * record set that has come since, or has changed. Returns the others.
 */
async function withoutUnagreed(run: Run, steps: readonly Step[]): Promise<readonly Step[]> {
  const { agreed } = run.options;
  if (agreed === undefined) return steps;
  const isOwn = (step: Step) => {
    const item = itemOf(run, step);
    if (item === null || step.tookOver === true || isBegun(item)) return false;
    return sameContent(item.published, step.before);
  };
  const seen = steps.map((step) => (isOwn(step) ? { ...step, before: null } : step));
  const unagreed = new Map<string, RecordSet>();
  for (const [name, ofName] of Map.groupBy(seen, (step) => step.name)) {
    const set = unagreedIn(agreed, ofName);
    if (set !== null) unagreed.set(name, set);
  }
  await eachOf(steps, async (step) => {
    const set = unagreed.get(step.name);
    if (set === undefined || itemOf(run, step) === null) return;
    const message = `Route 53 has ${showStanding(set, set.content)}, which the plan did not show: nothing was written. Plan again, and review the new plan.`;
    const refused = (item: RecordSetItem) => refusedUnagreed(item, message, run.deps.clock.nowMs());
    const saved = await saveItem(run, step, refused, { standing: set.content });
    const reason = saved ? itemOf(run, step)?.refusal?.reason : undefined;
    noteOutcome(run, [step], OUTCOME_OF[reason ?? 'ForeignRecord'], message);
  });
  return steps.filter((step) => !unagreed.has(step.name));
}

/**
 * Applies the steps in one call, or in two if they are one record set that is too large for one. `of`: a part of tied
 * changes; the guard has judged all of them together. @throws any error of the ledger or of a read of Route 53. The
 * intents stay then.
 */
export async function trySteps(run: Run, steps: readonly Step[], of: OfPart | null = null): Promise<Tried> {
  let tried = await tryOnce(run, steps, of);
  while (tried.kind === 'deleted') tried = await tryOnce(run, tried.creates, null);
  return tried;
}

/** The first of two calls is accepted: the record set is absent until these are applied. */
type Deleted = { readonly kind: 'deleted'; readonly creates: readonly Step[] };

async function tryOnce(run: Run, steps: readonly Step[], of: OfPart | null): Promise<Tried | Deleted> {
  if (isStopped(run)) return { kind: 'stopped' };
  // What is forgotten needs no call, and does not depend on how Route 53 answers for the others.
  const [retained = [], sent = []] = [true, false].map((is) => steps.filter((step) => isRetained(run, step) === is));
  await saveAccepted(run, retained, null);
  const agreed = await withoutUnagreed(run, sent);
  const unjudged = of === null ? unjudgedDeletes(run.items, run.names, agreed) : [];
  if (unjudged.length > 0) {
    await dropIntents(run, unjudged);
    noteOutcome(run, unjudged, 'failed', 'Waits for the next run: what was to take its place is not published.');
    runAgain(run, 0);
  }
  const ready = await writeIntents(
    run,
    agreed.filter((step) => !unjudged.includes(step)),
    of,
  );
  if (ready.length === 0) return { kind: 'done' };
  const { elements, isFirstOfTwo } = elementsOf(ready.map(sentOf(of?.part)), run.hostedZone.name);
  // Record sets that already have the desired content become ours without a call.
  if (elements.length === 0) return concludeAccepted(run, ready, of, null);
  if (
    elements.length > 1 &&
    elements.length > (await changesTaken(run.deps.hostedZones, elements.length, run.hostedZone.id))
  )
    return { kind: 'throttled', steps: ready, message: 'It has more record changes than Route 53 takes at once now.' };
  const isTied = of === null && unitsOf(ready).length === 1;
  const triesMax = elements.length === 1 ? Number.POSITIVE_INFINITY : isTied ? TRIES_OF_TIED : 1;
  const outcome = await callRoute53(run, ready, elements, triesMax);
  // What is throttled says nothing about permissions.
  if (outcome?.kind !== 'throttled') countDenied(run, outcome?.kind === 'denied' ? outcome.message : null);
  switch (outcome?.kind) {
    case 'accepted':
      return isFirstOfTwo
        ? noteDeleted(run, ready, outcome.changeId ?? null)
        : concludeAccepted(run, ready, of, outcome.changeId ?? null);
    case 'throttled':
      if (outcome.waits !== undefined) return tryWithout(run, ready, of, { ...outcome, waits: outcome.waits });
      return { kind: 'throttled', steps: ready, message: outcome.message };
    case 'refused':
      return { kind: 'refused', steps: ready, messages: outcome.messages, isCut: outcome.isCut === true };
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

/** Leaves the names that wait to a later run, and sends the others. */
async function tryWithout(
  run: Run,
  steps: readonly Step[],
  of: OfPart | null,
  { waits, message }: { readonly waits: ReadonlySet<string>; readonly message: string },
): Promise<Tried | Deleted> {
  const late = steps.filter(({ name }) => waits.has(name));
  await dropIntents(run, late);
  noteOutcome(run, late, 'failed', message);
  runAgain(run, HEALTH_CHECK_RETRY_SECONDS);
  return tryOnce(
    run,
    steps.filter(({ name }) => !waits.has(name)),
    of,
  );
}

async function concludeAccepted(
  run: Run,
  steps: readonly Step[],
  of: OfPart | null,
  changeId: string | null,
): Promise<Tried> {
  const isMidway = ({ action, after }: Step) =>
    of?.part === 'deletes' ? after !== null : of?.part === 'texts' && action === 'create';
  const midway = steps.filter(isMidway);
  const others = steps.filter((step) => !isMidway(step));
  const accepted = { changeId, before: null, forgets: null };
  if (of?.part === 'deletes') await noteDeleted(run, midway, changeId);
  else
    await eachOf(midway, (step) => {
      const left = (item: RecordSetItem) => ({
        ...item,
        texts: storedTexts(step.textsLeft ?? []),
        intent: withoutTexts(item.intent),
      });
      return saveItem(run, step, left, { accepted });
    });
  await saveAccepted(run, others, null, { changeId, typesLeft: of?.answered ?? null });
  follow(run, others, changeId);
  return { kind: 'done' };
}

/** The write intent once what goes with the record set is through. */
function withoutTexts(intent: RecordSetItem['intent']): RecordSetItem['intent'] {
  if (intent === null) return null;
  const { also: _, ...rest } = intent;
  return rest;
}

/** A change as it is sent now. */
function sentOf(part: Part | undefined): (step: Step) => Step {
  if (part === 'deletes') return (step) => ({ ...step, action: 'delete', after: null, also: [] });
  if (part !== 'texts') return (step) => step;
  return (step) => (step.action === 'create' ? { ...step, action: 'adopt' } : step);
}

/** Saves that the first of two batches is accepted. The second is sent under the same intent. */
async function noteDeleted(run: Run, steps: readonly Step[], changeId: string | null): Promise<Deleted> {
  const { batch } = run.history.newStamp();
  await eachOf(steps, (step) => {
    const gone = (item: RecordSetItem) => {
      const intent = withoutTexts(item.intent);
      const { textsLeft: texts = [] } = step;
      const left = withPublished(momentOf(run), item, null, { objects: [], texts, inTwoBatches: true, changeId });
      return { ...left, intent: intent === null ? null : { ...intent, before: null, batch } };
    };
    return saveItem(run, step, gone, { accepted: { changeId, before: step.before, forgets: null } });
  });
  const create = { action: 'create' as const, before: null, also: [], note: TOO_LARGE_NOTE };
  return { kind: 'deleted', creates: steps.map((step) => ({ ...step, ...create })) };
}
