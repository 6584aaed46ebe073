// Carries out a plan for a whole cluster: writes the ledger, makes what hosted zones are to be made, publishes, reports.
// The same use cases as in the running system, one after the other; a run that dies anywhere is finished by the next.

import { labelsOf } from '../dns/names/name.ts';
import { type Change, digestChanges } from '../dns/plan-changes.ts';
import { recordSetId } from '../dns/record-set.ts';
import { readItem } from '../ledger/item-codec.ts';
import { removeForgotten, removeFormerPartition } from '../observe/former-names.ts';
import type { ClusterReading } from '../observe/read-cluster.ts';
import type { Context } from '../ports/context.ts';
import { inParallel } from '../ports/in-parallel.ts';
import type { ChangeOutcome } from '../publish/plan/outcome.ts';
import { type PublishResult, publish } from '../publish/run/publish-hosted-zone.ts';
import type { PublishDeps, PublishOptions } from '../publish/run/run.ts';
import { forgetReadings } from '../publish/standing/kept-readings.ts';
import type { HostedZoneItem } from '../record-sets/hosted-zone-item.ts';
import { recordSetCodec, recordSetItemKey } from '../record-sets/record-set-item.ts';
import { samePublishing } from '../record-sets/same-content.ts';
import type { WorldOutput } from '../report/describe-cluster.ts';
import { describeAndReport } from './describe-applied.ts';
import { type ClusterPlan, type PlannedHostedZone, type PlanOptions, planReading } from './plan-cluster.ts';
import { commitCluster } from './save-cluster.ts';

/** How long apply goes on while nothing moves. */
const TIMEOUT_MS = 120_000;
/** Runs of one hosted zone in which nothing moves before giving up on it, and the longest pause that is worth waiting between two. */
const RUNS_MAX = 40;
const PAUSE_SECONDS_MAX = 30;
const NOT_REACHED = `Not reached in ${RUNS_MAX} runs; run apply again.`;
const INTERRUPTED = 'Not published, as it was interrupted; run it again.';
/** A pause that is said: who waits for a pipeline would take it to hang. */
const PAUSE_SECONDS_SAID = 5;
/** Items read at once. */
const AT_ONCE = 8;

/** What became of a hosted zone's plan: each change with its outcome, and what the guard still holds. */
export type AppliedHostedZone = {
  readonly planned: PlannedHostedZone;
  readonly outcomes: readonly ChangeOutcome[];
  readonly held: { readonly digest: string; readonly reasons: readonly string[] } | null;
  /** Route 53 has no such hosted zone any more. */
  readonly gone: boolean;
};

export type Applied = { readonly hostedZones: readonly AppliedHostedZone[]; readonly world: WorldOutput };

export type ApplyOptions = {
  readonly acknowledged: readonly string[];
  /** Names of the hosted zones to publish; the others are left alone. */
  readonly only: (hostedZoneName: string) => boolean;
  readonly progress: (text: string) => void;
  /** Gives up when nothing was published for so long; default two minutes. */
  readonly timeoutMs?: number;
  /** Aborted when no more is to be published; what was begun is ended. */
  readonly signal?: AbortSignal;
  /** As the plan was made with. */
  readonly refresh?: PlanOptions['refresh'];
  readonly reads?: boolean;
};

/** When something was published last, in whatever hosted zone, and how long that may be ago, in milliseconds. */
type Patience = { movedAtMs: number; readonly timeoutMs: number };

/** Applies a plan. Returns what became of every change of it. */
export async function applyCluster(
  context: Context,
  deps: PublishDeps,
  plan: ClusterPlan,
  options: ApplyOptions,
): Promise<Applied> {
  options.progress('writing the ledger');
  const { plan: current, chosen, overtaken } = await commitCluster(context, plan, { ...options, doubtLate: true });
  const applied = new Map<PlannedHostedZone, AppliedHostedZone>();
  const patience = { movedAtMs: context.clock.nowMs(), timeoutMs: options.timeoutMs ?? TIMEOUT_MS };
  for (const planned of inOrder(chosen))
    applied.set(planned, await applyHostedZone(context, deps, planned, options, patience));
  const hostedZones = chosen.flatMap((planned) => applied.get(planned) ?? []);
  await forgetTouched(context, hostedZones);
  const isGone = hostedZones.some(({ gone }) => gone);
  const world = await describeAndReport(context, isGone ? await planWithoutGone(context, plan, options) : current);
  if (overtaken.length > 0) await context.queues.report(overtaken);
  await tidyUp(context, current.reading).catch((error) =>
    context.log('warn', 'the ledger was not tidied up', { error: String(error) }),
  );
  return { hostedZones, world };
}

/** Removes what the ledger kept of objects that have been gone for an hour. */
async function tidyUp(context: Context, { tombstones }: ClusterReading): Promise<void> {
  await removeForgotten(context, tombstones);
  await removeFormerPartition(context);
}

/** What an apply touched is read anew by the next plan. */
async function forgetTouched(context: Context, hostedZones: readonly AppliedHostedZone[]): Promise<void> {
  if (context.account.keepsReadings !== true) return;
  for (const { planned, outcomes } of hostedZones) {
    const touched = outcomes.flatMap(({ change }) => [change, ...(change.also ?? [])].map(({ name }) => name));
    await forgetReadings(context.ledger, planned.hostedZone.id, new Set(touched), context.clock.nowMs());
  }
}

/** The cluster as it is placed now that a hosted zone was found to be gone: whatever lies in it is to be told. Makes none in its place. */
function planWithoutGone(
  context: Context,
  { reading }: ClusterPlan,
  { acknowledged }: ApplyOptions,
): Promise<ClusterPlan> {
  return planReading(context, reading, { acknowledged, makesNone: true });
}

/**
 * The order in which a name that moves between hosted zones is missing nowhere: what is to be made comes before what only goes,
 * and a sub-zone's hosted zone before the one that delegates to it.
 */
function inOrder(chosen: readonly PlannedHostedZone[]): readonly PlannedHostedZone[] {
  const makes = ({ plan }: PlannedHostedZone) => plan.changes.some(({ action }) => action !== 'delete');
  const depth = ({ hostedZone }: PlannedHostedZone) => labelsOf(hostedZone.name).length;
  return chosen.toSorted((a, b) => Number(makes(b)) - Number(makes(a)) || depth(b) - depth(a));
}

async function applyHostedZone(
  context: Context,
  deps: PublishDeps,
  planned: PlannedHostedZone,
  options: ApplyOptions,
  patience: Patience,
): Promise<AppliedHostedZone> {
  const { id, name } = planned.hostedZone;
  const { releasedBy, released } = planned.plan.guard;
  // What was acknowledged may be the digest of the whole plan; the publisher is told that of just these deletes.
  const acknowledged = releasedBy === null ? [] : [digestChanges(released)];
  if (planned.plan.changes.length > 0)
    options.progress(`publishing ${planned.plan.changes.length} changes into ${name}`);
  const { outcomes, held, gone, waiting, missing } = await publishToTheEnd(
    context,
    deps,
    planned.hostedZone,
    { acknowledged, ...(options.signal === undefined ? {} : { signal: options.signal }) },
    patience,
  );
  const { changes } = planned.plan;
  const open = changes.filter((change) => !outcomes.has(recordSetId(change)));
  const found = await foundPublished(context, id, open);
  return {
    planned,
    held,
    gone,
    outcomes: changes.map((change) => ({
      ...(found.has(recordSetId(change))
        ? { outcome: 'published', message: 'It stood in Route 53 as wanted already.' }
        : { outcome: 'failed', message: waiting.has(change.name) ? `Waits: ${waiting.get(change.name)}.` : missing }),
      isNews: false,
      atMs: context.clock.nowMs(),
      ...outcomes.get(recordSetId(change)),
      change,
    })),
  };
}

/** Those of the changes that nobody had to make: a run that died had made them, or a takeover began with what is wanted. */
async function foundPublished(
  { ledger }: Context,
  hostedZoneId: string,
  changes: readonly Change[],
): Promise<ReadonlySet<string>> {
  const found = new Set<string>();
  await inParallel(changes, AT_ONCE, async (change) => {
    const item = (await readItem(ledger, recordSetItemKey(hostedZoneId, change), recordSetCodec))?.item ?? null;
    const isDone = item === null || (item.intent === null && item.refusal === null);
    if (isDone && samePublishing(change.type, item?.published ?? null, change.after)) found.add(recordSetId(change));
  });
  return found;
}

type Published = {
  readonly outcomes: ReadonlyMap<string, ChangeOutcome>;
  readonly held: AppliedHostedZone['held'];
  readonly gone: boolean;
  /** What names wait for that are not to be published before something else is. */
  readonly waiting: ReadonlyMap<string, string>;
  /** Why a change that has no outcome was not reached. */
  readonly missing: string;
};

/** Publishes until nothing is left to do now. What fails in one hosted zone is said of its changes, and the others go on. */
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
  for (let idle = 0; idle < RUNS_MAX; idle += 1) {
    if (options.signal?.aborted === true) {
      missing = INTERRUPTED;
      break;
    }
    const result = await publishOnce(deps, id, options);
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
      if (result.kind === 'done') missing = NOT_REACHED;
      for (const one of result.outcomes) outcomes.set(recordSetId(one.change), one);
    }
    if (result.kind === 'done') ({ held, waiting } = result);
    // What Route 53 refused by itself is settled, too: a long search for such is no standstill.
    if (result.kind === 'done' && result.outcomes.some(({ outcome }) => outcome === 'rejected')) idle = 0;
    if (result.kind === 'done' && result.outcomes.some(({ outcome }) => outcome === 'published')) {
      patience.movedAtMs = context.clock.nowMs();
      idle = 0;
    }
    // Hosted zones are published in the order of who waits for whom: what waits now waits for what did not go.
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

/** Ends when the signal is aborted; never without one. */
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
    return { kind: 'failed', message: error instanceof Error ? error.message : String(error) };
  }
}
