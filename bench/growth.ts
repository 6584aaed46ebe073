// How the cost of one changed Record grows with the zone, from 100 to 100,000 records, and with the cluster, up to
// 1,000,000. It runs the code of the functions on DynamoDB Local; cluster and Route 53 are in memory, and their calls
// are counted. It also measures the first sync of up to 100,000 Records. `sweep` measures a sweep of 1,000,000.
import { fileURLToPath } from 'node:url';
import { engine } from '../test/engines/engines.ts';
import type { GrowthPoint } from './growth-edit-process.ts';
import { theirFirstSync } from './growth-external-dns.ts';
import type { FirstSync } from './growth-process.ts';
import { findExternalDns, NOT_MEASURED } from './peers/external-dns.ts';
import { startGuarded } from './peers/guarded.ts';
import { atMost, type BenchResult, type Limit } from './result.ts';
import { median, rounded, withSpread } from './statistics.ts';

type Options = { readonly quick: boolean };
type Size = { readonly records: number; readonly zones: readonly number[] };

const SIZES: readonly Size[] = [
  { records: 100, zones: [1] },
  { records: 1_000, zones: [1] },
  { records: 10_000, zones: [1] },
  { records: 100_000, zones: [1, 10] },
];
const QUICK_SIZES: readonly Size[] = [
  { records: 100, zones: [1] },
  { records: 1_000, zones: [1, 10] },
  { records: 10_000, zones: [1] },
];
const RATIO_MAX = 1.3;
/** The longest that a process may take. */
const SIZE_MS_MAX = 900_000;

/** Limits: all counts and the CPU of one edit equal within 1.3 times at all sizes. */
export async function benchGrowth({ quick }: Options): Promise<BenchResult> {
  const sizes = quick ? QUICK_SIZES : SIZES;
  const rows: GrowthPoint[] = [];
  const syncs: FirstSync[] = [];
  const failures: string[] = [];
  const onDynamodb = engine('dynamodb-local') !== null;
  if (!onDynamodb)
    failures.push(
      'DynamoDB Local is not installed (npm run engines; it needs Java and Maven): an edited Record was not measured',
    );
  for (const size of sizes) {
    try {
      await measureSize(onDynamodb ? size : { ...size, zones: [] }, rows, syncs);
    } catch (error) {
      failures.push(`${size.records} records: not measured: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  if (rows.length === 0) failures.push('goal not measured: cost of a change flat within 1.3 times');
  const compared = await compareFirstSync(syncs.at(-1), failures);
  return {
    name: `growth: one edited Record, from hint to status${quick ? ' (quick: small sizes)' : ''}`,
    rows: rows.map(tableRow),
    limits: [...limits(rows), ...compared.limits],
    tables: [{ title: 'The first sync', rows: [...syncs.map(syncRow), ...compared.rows] }],
    notes: [
      ...failures,
      'Ledger: DynamoDB Local, filled with the items that the real code wrote into a ledger in memory. Further Zones are copies of these items under other names.',
      'DynamoDB Local takes longer for a query the more it holds, up to a second at 1,000,000 Records. Waiting costs CPU, too: with 100 ms added to each query, 100 Records took 36.6 ms, not 28.7, and with 300 ms 42.1 (measured once, on 2026-11-25).',
      "Cluster and Route 53 are in memory. Counts and CPU are of reconcile, publish and the Record's own report. The Zone's report, which reads the whole zone, is not on this path and not included.",
      "zone53's first sync: its CPU and memory include ledger, cluster and Route 53 in memory. They do not include signing, sending and parsing the requests to AWS and to the API server, which are the larger part (see peers).",
      "External-dns's first sync: its process with its flags for speed, an API server that has only its objects, all of them marked as observed, and our own Route 53 without a quota.",
    ],
  };
}

/** Runs one process for a size. Its results are added to the lists, even if it fails before the last one. */
async function measureSize({ records, zones }: Size, rows: GrowthPoint[], syncs: FirstSync[]): Promise<void> {
  process.stderr.write(
    `growth: ${records} records${zones.length === 0 ? '' : `, in a cluster of ${zones.join(', then ')} such Zones`}\n`,
  );
  const file = fileURLToPath(new URL('./growth-process.ts', import.meta.url));
  const args = ['--max-old-space-size=8192', file, ...[records, ...zones].map(String)];
  const child = startGuarded('growth', process.execPath, args);
  try {
    syncs.push(JSON.parse(await child.line(/^{.*"published".*}$/, SIZE_MS_MAX)) as FirstSync);
    for (const count of zones)
      rows.push(JSON.parse(await child.line(new RegExp(`^{.*"zones":${count},.*}$`), SIZE_MS_MAX)) as GrowthPoint);
  } finally {
    await child.end();
  }
}

function tableRow({ records, zones, items, use, route53Calls, apiCalls, apiLists, cpuMs, gcMs }: GrowthPoint) {
  return {
    'records in the zone': records,
    'in the cluster': records * zones,
    'items in the ledger': items,
    'items read': use.itemsRead,
    'KiB read': rounded(use.bytesRead / 1024, 1),
    'items written': use.itemsWritten,
    'KiB written': rounded(use.bytesWritten / 1024, 1),
    'Route 53 calls': route53Calls,
    'API calls': apiCalls,
    'API lists': apiLists,
    'CPU ms': withSpread(cpuMs, 1),
    'GC ms, mean': rounded(gcMs.reduce((sum, ms) => sum + ms, 0) / gcMs.length, 1),
  };
}

function limits(rows: readonly GrowthPoint[]): Limit[] {
  if (rows.length === 0) return [];
  const ratio = (what: string, value: (row: GrowthPoint) => number) => {
    const values = rows.map(value);
    return atMost(`${what}: most over fewest`, Math.max(...values) / Math.min(...values), RATIO_MAX);
  };
  return [
    ratio('ledger items read', ({ use }) => use.itemsRead),
    ratio('ledger bytes read', ({ use }) => use.bytesRead),
    ratio('ledger items written', ({ use }) => use.itemsWritten),
    ratio('ledger bytes written', ({ use }) => use.bytesWritten),
    ratio('API calls', ({ apiCalls }) => apiCalls),
    ratio('CPU, median', ({ cpuMs }) => median(cpuMs)),
    atMost('Route 53 calls', Math.max(...rows.map(({ route53Calls }) => route53Calls)), 1),
    atMost('API lists', Math.max(...rows.map(({ apiLists }) => apiLists)), 0),
  ];
}

/** Measures external-dns on the same work as zone53's largest first sync. Adds only a note if it is not installed. */
async function compareFirstSync(
  own: FirstSync | undefined,
  notes: string[],
): Promise<{ readonly rows: BenchResult['rows']; readonly limits: readonly Limit[] }> {
  if (own === undefined) return { rows: [], limits: [] };
  const externalDns = findExternalDns();
  if (externalDns === null) {
    notes.push(NOT_MEASURED);
    return { rows: [], limits: [] };
  }
  process.stderr.write(`growth: first sync of ${own.records} names by external-dns\n`);
  try {
    const theirs = await theirFirstSync(externalDns, own.records);
    const row = {
      who: 'external-dns, events',
      records: own.records,
      // External-dns writes a TXT record for each.
      'record sets published': 2 * own.records,
      seconds: rounded(theirs.seconds, 1),
      'CPU s': rounded(theirs.cpuSeconds, 1),
      'peak MiB': theirs.peakMiB,
      'Route 53 calls': theirs.route53Calls,
      'items read a record': '-',
      'items written a record': '-',
    };
    const what = `of the first sync of ${own.records}, zone53 in memory over external-dns`;
    return {
      rows: [row],
      limits: [
        atMost(`CPU ${what}`, own.cpuSeconds / theirs.cpuSeconds, 1),
        atMost(`peak memory ${what}`, own.peakMiB / theirs.peakMiB, 1),
      ],
    };
  } catch (error) {
    notes.push(`external-dns was not measured: ${error instanceof Error ? error.message : String(error)}`);
    return { rows: [], limits: [] };
  }
}

function syncRow({ records, published, seconds, cpuSeconds, peakMiB, route53Calls, ledger }: FirstSync) {
  return {
    who: 'zone53, in memory',
    records,
    'record sets published': published,
    seconds: rounded(seconds, 1),
    'CPU s': rounded(cpuSeconds, 1),
    'peak MiB': peakMiB,
    'Route 53 calls': route53Calls,
    'items read a record': rounded(ledger.itemsRead / records, 1),
    'items written a record': rounded(ledger.itemsWritten / records, 1),
  };
}
