// `zone53 clusters retire` with the real adapters. It reads no objects: the ledger has what the cluster asked for.
import { applyRetirement } from '../../lib/apply/apply-retirement.ts';
import { type PlannedRetirement, planRetirement } from '../../lib/apply/plan-retirement.ts';
import { allItems } from '../../lib/ledger/pages.ts';
import type { Ledger } from '../../lib/ports/ledger.ts';
import { UsageError } from '../print/usage-error.ts';
import { doubtState } from '../run/open-ledger.ts';
import { EMBEDDED_HOLDER, publishDeps } from '../run/publish-deps.ts';
import { APPLY_TIMEOUT_MS } from '../run/requests.ts';
import { withContext } from '../run/with-context.ts';
import { ofOthers } from './check-ledger.ts';
import { describeMoved, describeStandby, type StandbyOutput, withoutApply } from './describe-standby.ts';
import type { RetireRequest, ReviewedResult } from './requests.ts';
import { differences, requireKnown } from './run-standby.ts';

/** Plans, and carries out what was reviewed or is confirmed. */
export async function runRetire(request: RetireRequest): Promise<ReviewedResult<StandbyOutput>> {
  const { store, log, isDry, progress, reviewed, cluster } = request;
  const doubt = doubtState(store);
  if (doubt !== null) log('warn', doubt);
  const keeps = { keepsReadings: store.kind === 'folder' };
  return withContext({ ...request, source: null }, { readOnly: isDry, readingMsMax: 0, keeps }, async (context) => {
    await requireKnown(context, request);
    await refuseOthers(context.ledger, cluster);
    if (request.configured.includes(cluster))
      log('warn', `the configuration has cluster "${cluster}": where it is read again, its objects are published anew`);
    progress('planning');
    const planned = await planRetirement(context, request);
    const described = describeStandby({ parts: changing(planned) });
    const output = withoutApply(described);
    if (isDry) return { kind: 'planned', output };
    const problems = reviewed === null ? [] : differences(reviewed, described);
    if (problems.length > 0) return { kind: 'stale', output, problems };
    if (reviewed === null && !(await request.confirm(output))) return { kind: 'declined', output };
    const deps = publishDeps(context, store.kind === 'folder' ? EMBEDDED_HOLDER : null);
    const signal = request.untilStopped();
    const releases = reviewed !== null || request.releases;
    const options = { acknowledged: [], only: () => true, progress, timeoutMs: APPLY_TIMEOUT_MS, signal, releases };
    const { applied, left } = await applyRetirement(context, deps, request, planned, options);
    for (const one of left)
      log('warn', `cluster "${cluster}" is not retired yet: ${one}. Use the command again, or use it with --retain`);
    const isNews = ({ planned: { plan } }: (typeof applied)[number]) => plan.changes.length > 0;
    const moved = describeMoved(output, applied.filter(isNews), left.length === 0);
    return { kind: 'applied', output: withoutApply(moved) };
  });
}

function changing({ own, others }: PlannedRetirement): PlannedRetirement['own'] {
  return [...own, ...others].filter(({ plan }) => plan.changes.length > 0);
}

/** Throws UsageError if the cluster has what only its own API can withdraw. */
async function refuseOthers(ledger: Ledger, cluster: string): Promise<void> {
  for (const partition of ofOthers(cluster)) {
    if ((await allItems(ledger, partition)).length === 0) continue;
    const what = partition.startsWith('dnsrecords#') ? 'DNSRecords of Gardener' : 'intents';
    throw new UsageError(`cluster "${cluster}" has ${what}, which retire does not withdraw: delete them first`);
  }
}
