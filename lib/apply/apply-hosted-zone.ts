// Publishes one hosted zone's part of a plan, in as many runs as needed, and returns the outcome of each change.
import type { Change } from '../dns/plan-changes.ts';
import { recordSetId, sameContent } from '../dns/record-set.ts';
import { readItem } from '../ledger/item-codec.ts';
import { errorMessage } from '../objects/plain.ts';
import type { Context } from '../ports/context.ts';
import { inParallel } from '../ports/in-parallel.ts';
import { forgetReadings } from '../publish/existing/kept-readings.ts';
import { isPointer } from '../publish/order/pointer-waits.ts';
import { saysHeldHere } from '../publish/order/waits.ts';
import { agreedIn } from '../publish/plan/agreed.ts';
import type { ChangeOutcome } from '../publish/plan/outcome.ts';
import type { PublishResult } from '../publish/plan/publish-result.ts';
import { GROWING_NAMES_MAX, publish } from '../publish/run/publish-hosted-zone.ts';
import type { PublishDeps, PublishOptions } from '../publish/run/run.ts';
import { dirtyCodec, dirtyItemKey } from '../record-sets/dirty-mark.ts';
import type { HostedZoneItem } from '../record-sets/hosted-zone-item.ts';
import { changeHostedZone } from '../record-sets/lease.ts';
import { recordSetCodec, recordSetItemKey } from '../record-sets/record-set-item.ts';
import { samePublishing } from '../record-sets/same-content.ts';
import { keptMessage } from './kept-names.ts';
import type { PlannedHostedZone, PlanOptions } from './plan-cluster.ts';
import type { Waiting } from './wait-until-resolved.ts';

/** After so long without progress, apply gives up. */
const TIMEOUT_MS = 120_000;
/** After so many runs without progress in a hosted zone, apply gives up. */
const RUNS_MAX = 40;
/** If the next run is due later than in so many seconds, apply does not wait for it. A dead run's lease ends before. */
const PAUSE_SECONDS_MAX = 40;
/** The message of a change without an outcome. */
export const NOT_REACHED = `Not reached in ${RUNS_MAX} runs; run apply again.`;
const INTERRUPTED = 'Not published: the run was interrupted. Run the command again.';
/** From so many seconds on, a pause is logged, so that apply does not seem to hang. */
const PAUSE_SECONDS_SAID = 5;
/** How many items are read at once. */
const AT_ONCE = 8;

/** The parts of a hosted zone's plan that are kept in memory while it is published. */
export type PublishedPlan = Pick<
  PlannedHostedZone,
  'hostedZone' | 'pending' | 'plan' | 'drifts' | 'differences' | 'read' | 'kept' | 'isOthers'
> &
  Partial<Pick<PlannedHostedZone, 'taken' | 'leftOut'>>;

/** The result for a hosted zone: each change with its outcome, and what the guard still holds. */
export type AppliedHostedZone = {
  readonly planned: PublishedPlan;
  readonly outcomes: readonly ChangeOutcome[];
  readonly held: HostedZoneItem['held'];
  /** Route 53 has no such hosted zone any more. */
  readonly gone: boolean;
};

export type ApplyOptions = Pick<PlanOptions, 'refresh' | 'reads' | 'onReleased'> & {
  readonly acknowledged: readonly string[];
  /** Which hosted zones to publish; the others are left alone. */
  readonly only: (hostedZone: Pick<HostedZoneItem, 'id' | 'name'>) => boolean;
  readonly progress: (text: string) => void;
  /** What else publish() is asked for. */
  readonly publishing?: Pick<PublishOptions, 'names' | 'forgets'>;
  /** Gives up when nothing was published for so long; default two minutes. */
  readonly timeoutMs?: number;
  /** Aborted when nothing more is to be published. A batch that was begun is finished. */
  readonly signal?: AbortSignal;
  /** Waits until resolvers answer what is published; default: it does not. */
  readonly waiting?: Waiting;
};

/** When something was last published in any hosted zone, and how long ago that may be, in milliseconds. */
type Patience = { movedAtMs: number; readonly timeoutMs: number };

/** The patience of an apply that begins now. */
export function newPatience({ clock }: Context, { timeoutMs = TIMEOUT_MS }: ApplyOptions): Patience {
  return { movedAtMs: clock.nowMs(), timeoutMs };
}

/** Publishes one hosted zone until nothing more can be done now, and collects the outcomes. */
export async function applyHostedZone(
  context: Context,
  deps: PublishDeps,
  planned: PublishedPlan,
  options: ApplyOptions,
  patience: Patience,
): Promise<AppliedHostedZone> {
  const { id, name } = planned.hostedZone;
  if (context.account.keepsReadings === true) await forgetReadings(context.ledger, id);
  const acknowledged = planned.plan.guard.releasedBy;
  const { length } = planned.plan.changes;
  if (length > 0) options.progress(`publishing ${length} ${length === 1 ? 'change' : 'changes'} into ${name}`);
  const { outcomes, held, gone, waiting, missing } = await publishToTheEnd(
    context,
    deps,
    planned.hostedZone,
    {
      acknowledged,
      callerRepeats: true,
      ...options.publishing,
      ...agreedOf(planned, options),
      ...(planned.plan.changes.some(({ action }) => action === 'delete') ? {} : { namesMax: GROWING_NAMES_MAX }),
      ...(options.signal === undefined ? {} : { signal: options.signal }),
    },
    patience,
  );
  const { changes } = planned.plan;
  const open = changes.filter(
    (change) => change.action !== 'forget' && !outcomes.has(recordSetId(change)) && !planned.kept.has(change.name),
  );
  const found = await foundPublished(context, id, open);
  const whyNot = (at: string) => {
    const unread = planned.kept.get(at);
    if (unread !== undefined) return keptMessage(unread);
    return waiting.has(at) ? `Waits: ${waiting.get(at)}.` : missing;
  };
  // It is not the PTR that failed, nor the delegation: the outcome of the address, or of the delete, says why.
  const waitsForHeld = (change: Change) =>
    waiting.has(change.name) && (isPointer(change) || saysHeldHere(waiting.get(change.name)));
  return {
    planned,
    held,
    gone: gone || (await noteGone(context, planned.hostedZone)),
    outcomes: changes.map((change) => ({
      ...(found.has(recordSetId(change))
        ? { outcome: 'published', message: 'Route 53 already had the desired content.' }
        : { outcome: waitsForHeld(change) ? 'held' : 'failed', message: whyNot(change.name) }),
      isNews: false,
      atMs: context.clock.nowMs(),
      change,
      ...outcomeOf(change, outcomes.get(recordSetId(change))),
    })),
  };
}

/** Nothing is destroyed that the plan did not show. A plan that was not to read Route 53 shows only what is ours. */
function agreedOf({ plan: { changes }, read }: PublishedPlan, { reads = false }: ApplyOptions): PublishOptions {
  if (!reads) return {};
  const replaced = [...(read?.existingById.values() ?? [])].flatMap(({ replaces = [] }) => replaces);
  return { agreed: agreedIn(changes, replaced) };
}

/** The outcome of a change of the plan. Its `before` is what was destroyed, also where the plan did not read it. */
function outcomeOf(change: Change, ended: ChangeOutcome | undefined): Partial<ChangeOutcome> {
  if (ended === undefined) return {};
  const { before, also } = ended.change;
  if (ended.outcome !== 'published' || before === null || change.before !== null) return { ...ended, change };
  const action = sameContent(before, change.after) ? 'adopt' : 'update';
  return { ...ended, change: { ...change, action, before, ...(also !== undefined && { also }) } };
}

/** Saves that a comparison found the hosted zone gone: if nothing is published there, publish() reads nothing in it. */
async function noteGone({ ledger }: Context, { id, gone }: HostedZoneItem): Promise<boolean> {
  if (gone) await changeHostedZone(ledger, id, (known) => known && { ...known, gone });
  return gone;
}

/** The changes that were already published: by a run that died, or because a takeover found the desired content. */
async function foundPublished(
  { ledger }: Context,
  hostedZoneId: string,
  changes: readonly Change[],
): Promise<ReadonlySet<string>> {
  const found = new Set<string>();
  await inParallel(changes, AT_ONCE, async (change) => {
    const item = (await readItem(ledger, recordSetItemKey(hostedZoneId, change), recordSetCodec))?.item ?? null;
    const isDone = item === null || (item.intent === null && item.refusal === null);
    if (!isDone || !samePublishing(change.type, item?.published ?? null, change.after)) return;
    // A name that was to be read, and was not: the comparison found something else there than the ledger has.
    const mark = await readItem(ledger, dirtyItemKey(hostedZoneId, change.name), dirtyCodec);
    if (mark?.item.retry !== true) found.add(recordSetId(change));
  });
  return found;
}

type Published = {
  /** By record set id of the plan's changes. */
  readonly outcomes: ReadonlyMap<string, ChangeOutcome>;
  readonly held: AppliedHostedZone['held'];
  readonly gone: boolean;
  /** The names that wait, with what they wait for. */
  readonly waiting: ReadonlyMap<string, string>;
  /** Why a change that has no outcome was not reached. */
  readonly missing: string;
};

/** Runs publish() until nothing more can be done now. An error in one hosted zone affects only its changes. */
async function publishToTheEnd(
  context: Context,
  deps: PublishDeps,
  { id, name }: HostedZoneItem,
  options: PublishOptions,
  patience: Patience,
): Promise<Published> {
  const outcomes = new Map<string, ChangeOutcome>();
  let held: AppliedHostedZone['held'] = null;
  let waiting: ReadonlyMap<string, string> = new Map();
  let missing = NOT_REACHED;
  let gone = false;
  let triesFull = true;
  for (let idle = 0; idle < RUNS_MAX; idle += 1) {
    if (options.signal?.aborted === true) {
      missing = INTERRUPTED;
      break;
    }
    const result = await publishOnce(deps, id, { ...options, triesFull });
    // Whoever runs apply may have raised the quota. But one apply tries that once.
    triesFull &&= result.kind === 'busy';
    if (result.kind === 'failed') {
      context.log('error', 'publishing failed', { hostedZone: name, error: result.message });
      return { outcomes, held, gone, waiting, missing: result.message };
    }
    gone = result.kind === 'gone';
    if (gone || result.kind === 'unknown') missing = `Route 53 has no hosted zone ${id} any more.`;
    if (result.kind === 'unknown') break;
    const pause = result.kind === 'gone' ? null : result.retryAfterSeconds;
    if (result.kind === 'busy') {
      missing = `Another run has the hosted zone, or died with it: it is free in ${result.retryAfterSeconds} s at the latest; run apply again then.`;
    } else {
      if (result.kind === 'done') missing = result.denied ?? NOT_REACHED;
      for (const one of result.outcomes) outcomes.set(recordSetId(one.change), one);
    }
    if (result.kind === 'done') ({ held, waiting } = result);
    // A refused change is an outcome, too: a long search for refused record sets counts as progress.
    if (result.kind === 'done' && result.outcomes.some(({ outcome }) => ['rejected', 'protected'].includes(outcome)))
      idle = 0;
    if (result.kind === 'done' && result.outcomes.some(({ outcome }) => outcome === 'published')) {
      patience.movedAtMs = context.clock.nowMs();
      idle = 0;
    }
    // Hosted zones are published in the order in which they wait for each other. So a name that still waits does so for
    // a change that could not be made.
    const stuck = result.kind === 'done' && waiting.size > 0 && result.outcomes.length === 0 && pause !== 0;
    if (pause === null || pause > PAUSE_SECONDS_MAX || stuck) break;
    const leftMs = patience.movedAtMs + patience.timeoutMs - context.clock.nowMs();
    if (leftMs <= 0) {
      const afterSeconds = Math.round(patience.timeoutMs / 1_000);
      missing = `Nothing was published for ${afterSeconds} s, so apply gave up; run it again.`;
      context.log('error', 'gave up, as nothing was published for so long', { hostedZone: name, afterSeconds });
      break;
    }
    if (pause >= PAUSE_SECONDS_SAID) {
      const why = result.kind === 'done' ? whyAgain(result) : missing;
      context.log('warn', 'not all is published yet, and is tried again', { hostedZone: name, inSeconds: pause, why });
    }
    await Promise.race([deps.clock.sleep(Math.min(pause * 1_000, leftMs)), aborted(options.signal)]);
  }
  return { outcomes, held, gone, waiting, missing };
}

/** Resolves when the signal is aborted; without a signal never. */
function aborted(signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted === true) resolve();
    signal?.addEventListener('abort', () => resolve(), { once: true });
  });
}

function whyAgain({ outcomes, waiting }: Extract<PublishResult, { kind: 'done' }>): string {
  const failed = outcomes.findLast(({ outcome }) => outcome === 'failed');
  const [waits] = waiting.values();
  return failed?.message ?? waits ?? 'more is to be published than one run takes';
}

async function publishOnce(
  deps: PublishDeps,
  id: string,
  options: PublishOptions,
): Promise<PublishResult | { readonly kind: 'failed'; readonly message: string }> {
  try {
    return await publish(deps, id, options);
  } catch (error) {
    return { kind: 'failed', message: errorMessage(error) };
  }
}
