// `zone53 clusters retire` with the real adapters. It reads no objects: the ledger has what the cluster asked for.
import { applyRetirement } from '../../lib/apply/apply-retirement.ts';
import { type PlannedRetirement, planRetirement } from '../../lib/apply/plan-retirement.ts';
import { allItems } from '../../lib/ledger/pages.ts';
import type { Ledger } from '../../lib/ports/ledger.ts';
import { UsageError } from '../print/usage-error.ts';
import { ofOthers } from './check-ledger.ts';
import { describeMoved, describeStandby, type StandbyOutput, withoutApply } from './describe-standby.ts';
import type { RetireRequest, ReviewedResult } from './requests.ts';
import { reviewedMove } from './run-standby.ts';

/** Plans, and carries out what was reviewed or is confirmed. */
export function runRetire(request: RetireRequest): Promise<ReviewedResult<StandbyOutput>> {
  const { log, reviewed, cluster } = request;
  return reviewedMove(request, async (context) => {
    await refuseOthers(context.ledger, cluster);
    if (request.configured.includes(cluster))
      log('warn', `the configuration has cluster "${cluster}": where it is read again, its objects are published anew`);
    const planned = await planRetirement(context, request);
    const described = describeStandby({ parts: changing(planned) });
    const output = withoutApply(described);
    return {
      described,
      output,
      apply: async (deps, options) => {
        const releases = reviewed !== null || request.releases;
        const { applied, left } = await applyRetirement(context, deps, request, planned, { ...options, releases });
        for (const one of left)
          log(
            'warn',
            `cluster "${cluster}" is not retired yet: ${one}. Use the command again, or use it with --retain`,
          );
        const isNews = ({ planned: { plan } }: (typeof applied)[number]) => plan.changes.length > 0;
        return withoutApply(describeMoved(output, applied.filter(isNews), left.length === 0));
      },
    };
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
