// The cost of one changed record must not grow with the zone or with the cluster: ledger items read and
// written, Route 53 calls, and no listing of the cluster. `npm run bench -- hot-path` prints the figures for larger
// zones.
import { expect, test } from 'vitest';
import { HOT_PATH_STEPS, ledgerItems, measureHotPath } from '../../../test/fakes/hot-path.ts';

/** The largest ratio of two costs (issue 1, "Speed"). */
const RATIO_MAX = 1.3;

test('one changed Record costs the same ledger items in any zone and cluster, one Route 53 call, no listing', async () => {
  const costs = (
    await Promise.all([
      measureHotPath(10, 1),
      measureHotPath(100, 1),
      measureHotPath(1_000, 1),
      measureHotPath(100, 50),
    ])
  ).flat();
  for (const step of HOT_PATH_STEPS) {
    const items = costs.filter((cost) => cost.step === step).map(ledgerItems);
    expect(Math.max(...items) / Math.min(...items), `${step}: ${items.join(', ')}`).toBeLessThanOrEqual(RATIO_MAX);
  }
  for (const { route53Calls, clusterLists } of costs)
    expect({ route53Calls, clusterLists }).toEqual({ route53Calls: 1, clusterLists: 0 });
});
