// One changed record, from hint to Route 53: ledger items read and written, and Route 53 calls, in zones of 100, 10,000
// and 100,000 records and in clusters of 1 and 1,000 Zones. Counted, not timed: the ledger is in memory.
import { HOT_PATH_STEPS, type HotPathCost, ledgerItems, measureHotPath } from '../test/fakes/hot-path.ts';
import { atMost, type BenchResult } from './result.ts';

const SIZES = [
  { records: 100, zones: 1 },
  { records: 10_000, zones: 1 },
  { records: 100_000, zones: 1 },
  { records: 10_000, zones: 1_000 },
];
const RATIO_MAX = 1.3;

/** Limits: ledger items equal within 1.3 times at all sizes, one Route 53 call, no list of the cluster. */
export async function benchHotPath(): Promise<BenchResult> {
  const costs: HotPathCost[] = [];
  for (const { records, zones } of SIZES) costs.push(...(await measureHotPath(records, zones)));
  const ratios = HOT_PATH_STEPS.map((step) => {
    const items = costs.filter((cost) => cost.step === step).map(ledgerItems);
    return atMost(`${step}: most ledger items over fewest`, Math.max(...items) / Math.min(...items), RATIO_MAX);
  });
  return {
    name: 'hot-path: one changed record',
    rows: costs.map((cost) => ({
      records: cost.records,
      zones: cost.zones,
      change: cost.step,
      'items read': cost.reconcile.itemsRead + cost.publish.itemsRead,
      'items written': cost.reconcile.itemsWritten + cost.publish.itemsWritten,
      'Route 53 calls': cost.route53Calls,
      'API gets': cost.clusterGets,
      'API lists': cost.clusterLists,
    })),
    limits: [
      ...ratios,
      atMost('Route 53 calls', Math.max(...costs.map((cost) => cost.route53Calls)), 1),
      atMost('API lists', Math.max(...costs.map((cost) => cost.clusterLists)), 0),
    ],
  };
}
