// Carries out a plan for a whole cluster: writes the ledger, creates the planned hosted zones, publishes, reports. It
// uses the same functions as the running system, one after the other. The next run finishes one that died.

import { afterExtended } from '../directory/inherited-names.ts';
import { labelsOf } from '../dns/names/name.ts';
import { isReverseName } from '../dns/rdata/reverse-name.ts';
import { tidyHealthChecks } from '../health-checks/tidy-health-checks.ts';
import { removeForgotten } from '../observe/former-names.ts';
import { type ClusterReading, readRemembered } from '../observe/read-cluster.ts';
import type { Context } from '../ports/context.ts';
import { publish } from '../publish/run/publish-hosted-zone.ts';
import type { PublishDeps } from '../publish/run/run.ts';
import { fellowsOf } from '../record-sets/fellows.ts';
import type { ClusterOutput } from '../report/describe-cluster.ts';
import { haveGiven } from './apply-given.ts';
import {
  type AppliedHostedZone,
  type ApplyOptions,
  applyHostedZone,
  newPatience,
  type PublishedPlan,
} from './apply-hosted-zone.ts';
import { describeAndReport, keptToDescribe, type ToDescribe } from './describe-applied.ts';
import type { Given } from './hand-over.ts';
import { type ClusterPlan, planReading } from './plan-cluster.ts';
import { ROUNDS_MAX } from './plan-others.ts';
import { inheritingOf, wakingDeps } from './publish-woken.ts';
import { type SavedCluster, saveCluster } from './save-cluster.ts';
import { type Waited, waitUntilResolved } from './wait-until-resolved.ts';

/** `waited`: what came of waiting until resolvers answer it; absent: it did not wait. */
export type Applied = {
  readonly hostedZones: readonly AppliedHostedZone[];
  readonly resolved: ClusterOutput;
  readonly waited?: Waited;
};

/** Applies a plan. Returns the outcome of each of its changes. */
export async function applyCluster(
  context: Context,
  deps: PublishDeps,
  plan: Given<ClusterPlan>,
  options: ApplyOptions,
): Promise<Applied> {
  options.progress('writing the ledger');
  const { toDescribe, tombstones, chosen, overtaken } = await savePlan(context, plan, options);
  options.onReleased?.();
  const applied = new Map<PublishedPlan, AppliedHostedZone>();
  const patience = newPatience(context, options);
  const [own, others] = [true, false].map((is) => chosen.filter(({ isOthers }) => (isOthers !== true) === is));
  const woken = new Set<string>();
  const waking = wakingDeps(deps, woken);
  await haveGiven(context, waking, own ?? [], options, patience);
  for (const planned of inOrderOfViews(own ?? [], context.config))
    applied.set(planned, await applyHostedZone(context, waking, planned, options, patience));
  const applyOne = (planned: PublishedPlan) => applyHostedZone(context, waking, planned, options, patience);
  const isOther = (cluster: string) => cluster !== context.config.clusterId;
  for (const one of await publishWoken(waking, woken, { chosen, others: others ?? [] }, { applyOne, isOther }, options))
    applied.set(one.planned, one);
  if (options.signal?.aborted !== true)
    for (const id of await tidyHealthChecks({ ...context, hostedZones: deps.hostedZones }))
      await publish(waking, id, { callerRepeats: true });
  const hostedZones = chosen.flatMap((planned) => applied.get(planned) ?? []);
  const isGone = hostedZones.some(({ gone }) => gone);
  const described = isGone ? await planWithoutGone(context, toDescribe, options) : toDescribe;
  let resolved = await describeAndReport(context, described);
  if (overtaken.length > 0) await context.queues.report(overtaken);
  await removeForgotten(context, tombstones).catch((error) =>
    context.log('warn', 'the ledger was not tidied up', { error: String(error) }),
  );
  const { waiting = null } = options;
  if (waiting === null) return { hostedZones, resolved };
  const ids = hostedZones.map(({ planned }) => planned.hostedZone.id);
  const waited = await waitUntilResolved(context, ids, waiting, options);
  resolved = await describeAndReport(context, described, true);
  return { hostedZones, resolved, waited };
}

type Kept = Pick<ClusterReading, 'tombstones'> & {
  readonly toDescribe: ToDescribe;
  readonly chosen: readonly PublishedPlan[];
  readonly overtaken: SavedCluster['overtaken'];
};

/** Writes the plan into the ledger. A separate function, so that most of a large plan is freed before publishing. */
async function savePlan(context: Context, plan: Given<ClusterPlan>, options: ApplyOptions): Promise<Kept> {
  const { plan: current, chosen, overtaken } = await saveCluster(context, plan, { ...options, doubtLate: true });
  return {
    toDescribe: keptToDescribe(current),
    tombstones: current.reading.tombstones,
    chosen: chosen.map(
      ({ hostedZone, pending, plan: changes, drifts, differences, read, kept, taken, leftOut, isOthers }) => {
        const part = { hostedZone, pending, plan: changes, drifts, differences, read, kept, taken, leftOut };
        return isOthers === undefined ? part : { ...part, isOthers };
      },
    ),
    overtaken,
  };
}

/**
 * Publishes what the claims of several clusters move between them, and what views of other clusters inherit, until
 * nobody is woken any more. Returns the outcome of what is planned of other clusters.
 */
async function publishWoken(
  deps: PublishDeps,
  woken: Set<string>,
  { chosen, others }: { readonly chosen: readonly PublishedPlan[]; readonly others: readonly PublishedPlan[] },
  {
    applyOne,
    isOther,
  }: {
    readonly applyOne: (planned: PublishedPlan) => Promise<AppliedHostedZone>;
    readonly isOther: (cluster: string) => boolean;
  },
  { signal }: ApplyOptions,
): Promise<Iterable<AppliedHostedZone>> {
  const shared = new Set<string>();
  for (const { hostedZone } of chosen) {
    const fellows = hostedZone.gone ? [] : await fellowsOf(deps.ledger, hostedZone);
    for (const { id } of fellows.length === 0 ? [] : [hostedZone, ...fellows]) shared.add(id);
  }
  const planned = new Map(others.map((one) => [one.hostedZone.id, one]));
  const applied = new Map<string, AppliedHostedZone>();
  for (const id of planned.keys()) woken.add(id);
  for (let round = 0; round < ROUNDS_MAX && woken.size > 0; round += 1) {
    const inheriting = new Set(await inheritingOf(deps, woken, isOther));
    const ids = [...woken].filter((id) => shared.has(id) || inheriting.has(id));
    woken.clear();
    for (const id of ids) {
      const one = planned.get(id);
      if (one !== undefined) applied.set(id, withEarlier(applied.get(id), await applyOne(one)));
      else if (signal?.aborted !== true) await publish(deps, id, { callerRepeats: true });
    }
  }
  return applied.values();
}

/** The outcomes of a later run, but what an earlier one has published already. */
function withEarlier(earlier: AppliedHostedZone | undefined, now: AppliedHostedZone): AppliedHostedZone {
  if (earlier === undefined) return now;
  const outcomes = now.outcomes.map((one, at) => {
    const before = earlier.outcomes[at];
    return before?.outcome === 'published' ? before : one;
  });
  return { ...now, outcomes };
}

/**
 * Plans the saved cluster again after a hosted zone was found to be gone, so that everything in it is reported. Creates
 * no hosted zone in its place.
 */
async function planWithoutGone(
  context: Context,
  { reading: { listing } }: ToDescribe,
  { acknowledged }: ApplyOptions,
): Promise<ClusterPlan> {
  const noted = await readRemembered(context);
  return planReading(context, { ...noted, listing }, { acknowledged, makesNone: true });
}

/** `inOrder`, but a view that extends another one comes after it. */
function inOrderOfViews(chosen: readonly PublishedPlan[], config: Context['config']): readonly PublishedPlan[] {
  const named = inOrder(chosen).map((planned) => ({ name: planned.hostedZone.name, planned }));
  return afterExtended(named, config).map(({ planned }) => planned);
}

/**
 * The order in which a name that moves between hosted zones is always answered: first those that get record sets, a
 * sub-zone's hosted zone before the one that delegates to it, and PTRs after their addresses; then those that only lose
 * some, the other way round.
 */
function inOrder(chosen: readonly PublishedPlan[]): readonly PublishedPlan[] {
  const gets = ({ plan }: PublishedPlan) => plan.changes.some(({ action }) => action !== 'delete');
  const isReverse = ({ hostedZone }: PublishedPlan) => Number(isReverseName(hostedZone.name));
  const deepestFirst = chosen.toSorted((a, b) => isReverse(a) - isReverse(b) || depthOf(b) - depthOf(a));
  return [...deepestFirst.filter(gets), ...deepestFirst.filter((one) => !gets(one)).toReversed()];
}

function depthOf({ hostedZone }: PublishedPlan): number {
  return labelsOf(hostedZone.name).length;
}
