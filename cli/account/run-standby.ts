// `zone53 clusters standby` and `zone53 clusters active` with the real adapters. They read no objects: the ledger has
// what each cluster asks for.
import type { ApplyOptions } from '../../lib/apply/apply-hosted-zone.ts';
import { applyStandby } from '../../lib/apply/apply-standby.ts';
import { planStandby } from '../../lib/apply/plan-standby.ts';
import { allItems } from '../../lib/ledger/pages.ts';
import type { Context } from '../../lib/ports/context.ts';
import type { PublishDeps } from '../../lib/publish/run/run.ts';
import { CLUSTERS_PARTITION } from '../../lib/record-sets/cluster-item.ts';
import { readableHostedZones } from '../../lib/record-sets/list-hosted-zones.ts';
import { UsageError } from '../print/usage-error.ts';
import { doubtState } from '../run/open-ledger.ts';
import { EMBEDDED_HOLDER, publishDeps } from '../run/publish-deps.ts';
import { APPLY_TIMEOUT_MS } from '../run/requests.ts';
import { matchReviewed } from '../run/reviewed-plan.ts';
import { withContext } from '../run/with-context.ts';
import { describeMoved, describeStandby, type StandbyOutput } from './describe-standby.ts';
import type { ReviewedResult, StandbyRequest } from './requests.ts';

/** Plans, and carries out what was reviewed or is confirmed. */
export function runStandby(request: StandbyRequest): Promise<ReviewedResult<StandbyOutput>> {
  return reviewedMove(request, async (context) => {
    const planned = await planStandby(context, request);
    const described = describeStandby(planned);
    return {
      described,
      output: described,
      apply: async (deps, options) =>
        describeMoved(described, await applyStandby(context, deps, request, planned, options)),
    };
  });
}

/** A plan, how it is shown, and how it is carried out. */
type Move = {
  readonly described: Extract<StandbyOutput, { kind: 'planned' }>;
  readonly output: StandbyOutput;
  readonly apply: (deps: PublishDeps, options: ApplyOptions) => Promise<StandbyOutput>;
};

/** Plans, and applies the plan if it is the reviewed one, or is confirmed. */
export async function reviewedMove(
  request: Omit<StandbyRequest, 'standby'>,
  plan: (context: Context) => Promise<Move>,
): Promise<ReviewedResult<StandbyOutput>> {
  const { store, log, isDry, progress, reviewed } = request;
  const doubt = doubtState(store);
  if (doubt !== null) log('warn', doubt);
  const keeps = { keepsReadings: store.kind === 'folder' };
  return withContext({ ...request, source: null }, { readOnly: isDry, readingMsMax: 0, keeps }, async (context) => {
    await requireKnown(context, request);
    progress('planning');
    const { described, output, apply } = await plan(context);
    if (isDry) return { kind: 'planned', output };
    const problems = reviewed === null ? [] : differences(reviewed, described);
    if (problems.length > 0) return { kind: 'stale', output, problems };
    if (reviewed === null && !(await request.confirm(output))) return { kind: 'declined', output };
    const deps = publishDeps(context, store.kind === 'folder' ? EMBEDDED_HOLDER : null);
    const signal = request.untilStopped();
    const options = { acknowledged: [], only: () => true, progress, timeoutMs: APPLY_TIMEOUT_MS, signal };
    return { kind: 'applied', output: await apply(deps, options) };
  });
}

/** Throws UsageError for a cluster of which neither the configuration nor the ledger knows. */
export async function requireKnown(
  { ledger, log }: Pick<Context, 'ledger' | 'log'>,
  { cluster, configured }: Pick<StandbyRequest, 'cluster' | 'configured'>,
): Promise<void> {
  const read = (await allItems(ledger, CLUSTERS_PARTITION)).map(({ sort }) => sort);
  const using = (await readableHostedZones(ledger, log)).flatMap((one) => (one.retired ? [] : [one.cluster]));
  const known = new Set([...configured, ...read, ...using]);
  if (!known.has(cluster))
    throw new UsageError(`there is no cluster "${cluster}": name one of ${[...known].toSorted().join(', ')}`);
}

/** Why the plan is not the one that was reviewed. Digests must be that of the whole, or those of all its parts. */
function differences(
  reviewed: NonNullable<StandbyRequest['reviewed']>,
  { digest, plan }: ReturnType<typeof describeStandby>,
): readonly string[] {
  if (reviewed.kind === 'digests' && reviewed.digests.has(digest) && reviewed.digests.size === 1) return [];
  const matched = matchReviewed(reviewed, plan);
  if (!matched.ok) return matched.problems;
  const left = plan.hostedZones.filter(({ id, name }) => !matched.isChosen({ id: id ?? '', name }));
  return left.map(({ name }) => `${name} has changes, and its digest was not given`);
}
