// One changed record, from hint to Route 53: ledger items read and written, and Route 53 calls, in zones of 100, 10,000
// and 100,000 records and in clusters of 1 and 1,000 Zones: counted, with the ledger in memory. And the CPU that the
// history adds to it.
import {
  HOT_PATH_STEPS,
  type HotPathCost,
  ledgerItems,
  measureHistory,
  measureHotPath,
} from '../test/fakes/hot-path.ts';
import { atMost, type BenchResult } from './result.ts';
import { median, withSpread } from './statistics.ts';

const SIZES = [
  { records: 100, zones: 1 },
  { records: 10_000, zones: 1 },
  { records: 100_000, zones: 1 },
  { records: 10_000, zones: 1_000 },
];
const RATIO_MAX = 1.3;
/** Edits in a zone of so many Records, with the history and without. */
const HISTORY = { records: 1_000, rounds: 15, edits: 200 };
const HISTORY_RATIO_MAX = 1.05;

/**
 * Limits: ledger items equal within 1.3 times at all sizes, one Route 53 call, no list of the cluster; and the CPU of
 * an edit with the history over that without.
 */
export async function benchHotPath(): Promise<BenchResult> {
  const costs: HotPathCost[] = [];
  for (const { records, zones } of SIZES) costs.push(...(await measureHotPath(records, zones)));
  const { kept, off } = await measureHistory(HISTORY.records, HISTORY);
  const history = median(kept.map((withHistory, round) => withHistory / (off[round] ?? Number.NaN)));
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
    notes: [`CPU of an edit in microseconds: ${withSpread(kept)} with the history, ${withSpread(off)} without`],
    limits: [
      ...ratios,
      atMost('CPU of an edit with the history over that without', history, HISTORY_RATIO_MAX),
      atMost('Route 53 calls', Math.max(...costs.map((cost) => cost.route53Calls)), 1),
      atMost('API lists', Math.max(...costs.map((cost) => cost.clusterLists)), 0),
    ],
  };
}
