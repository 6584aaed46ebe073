// How the cost of one changed Record grows: with the zone, from 100 to 100,000 records, and with the cluster, to 1,000,000. On
// DynamoDB Local, by the code of the functions; cluster and Route 53 are in memory and counted. And the first sync of
// 100,000. The whole sweep of 1,000,000 is a bench of its own.
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { dynamodbLedger } from '../lib/adapters/dynamodb-ledger.ts';
import { createTable } from '../lib/adapters/dynamodb-ledger-table.ts';
import { publish } from '../lib/reconcile/publish.ts';
import { reconcile } from '../lib/reconcile/reconcile.ts';
import { report } from '../lib/reconcile/report.ts';
import { engine, startDynamodbLocal } from '../test/engines/engines.ts';
import { hintFor, type ReconcileWorld, through } from '../test/fakes/reconcile-world.ts';
import { emptyWorld, HOSTED_ZONE, loadItems, recordRef, recordSpec, syncWhole } from './growth-world.ts';
import { type LedgerUse, type MeasuredLedger, measuredLedger } from './measured-ledger.ts';
import { atMost, type BenchResult, type Limit } from './result.ts';
import { median, rounded, withSpread } from './statistics.ts';

type Options = { readonly quick: boolean };
type Size = { readonly records: number; readonly zones: number };

const SIZES: readonly Size[] = [
  { records: 100, zones: 1 },
  { records: 1_000, zones: 1 },
  { records: 10_000, zones: 1 },
  { records: 100_000, zones: 1 },
  { records: 100_000, zones: 10 },
];
const QUICK_SIZES: readonly Size[] = [
  { records: 100, zones: 1 },
  { records: 1_000, zones: 1 },
  { records: 1_000, zones: 10 },
];
const EDITS = 40;
const EDITS_COLD = 20;
const RATIO_MAX = 1.3;
const CHANGED = recordRef('changed');

/** Everything counted equal within 1.3 times; CPU is told, and held to the same. */
export async function benchGrowth({ quick }: Options): Promise<BenchResult> {
  if (engine('dynamodb-local') === null) {
    throw new Error('growth needs DynamoDB Local, which needs Java and Maven: npm run engines gets it');
  }
  const sizes = quick ? QUICK_SIZES : SIZES;
  const local = await startDynamodbLocal();
  const rows: Row[] = [];
  try {
    const credentials = { accessKeyId: 'bench', secretAccessKey: 'bench' };
    const client = new DynamoDBClient({ endpoint: local.url, region: 'us-east-1', credentials });
    // The smallest world once before, so that none of those that count finds the code cold.
    await measureSize(client, { records: 100, zones: 1 }, 'warm');
    for (const [index, size] of sizes.entries()) rows.push(await measureSize(client, size, `size-${index}`));
    client.destroy();
  } finally {
    await local.close();
  }
  const sync = await firstSync(quick ? 10_000 : 100_000);
  return {
    name: `growth: one edited Record, from hint to status${quick ? ' (quick: small sizes)' : ''}`,
    rows: rows.map(tableRow),
    limits: limits(rows),
    tables: [{ title: `The first sync of ${sync.records} records, everything in memory`, rows: [sync] }],
    notes: [
      'Ledger: DynamoDB Local, filled by BatchWriteItem with what the real code had written into a ledger in memory; zones after the first are copies of its items under other names.',
      "Cluster and Route 53 are in memory. Counts and CPU are of reconcile, publish and the Record's own report; the Zone's report, which reads the whole zone, is off this path and has no part in them.",
      'The first sync: ledger, cluster and Route 53 in memory are part of its CPU and memory.',
    ],
    plots: [
      {
        file: 'growth',
        title: 'One edited Record: cost by records in zone and cluster',
        x: 'records in the cluster',
        y: 'items, KiB, ms',
        categories: rows.map(({ size }) => size.records * size.zones),
        series: [
          { name: 'ledger items read', values: rows.map(({ use }) => use.itemsRead) },
          { name: 'ledger items written', values: rows.map(({ use }) => use.itemsWritten) },
          { name: 'ledger KiB', values: rows.map(({ use }) => (use.bytesRead + use.bytesWritten) / 1024) },
          { name: 'CPU ms', values: rows.map(({ cpuMs }) => median(cpuMs)) },
        ],
      },
    ],
  };
}

type Row = {
  readonly size: Size;
  readonly items: number;
  /** Of the dearest edit. */
  readonly use: LedgerUse;
  readonly route53Calls: number;
  readonly apiCalls: number;
  readonly apiLists: number;
  /** Of every edit. */
  readonly cpuMs: readonly number[];
};

async function measureSize(client: DynamoDBClient, size: Size, table: string): Promise<Row> {
  process.stderr.write(`growth: ${size.records} records in ${size.zones} Zones\n`);
  const { world, ledger } = emptyWorld(size.records);
  await syncWhole(world);
  const documents = DynamoDBDocumentClient.from(client);
  await createTable(client, table);
  const items = await loadItems(
    documents,
    table,
    ledger,
    Array.from({ length: size.zones }, (_, copy) => copy).values(),
  );
  const measured = measuredLedger(dynamodbLedger(documents, table));
  const row = await measureEdits(through(world, { ledger: measured.port }), measured);
  return { size, items, ...row };
}

async function measureEdits(world: ReconcileWorld, ledger: MeasuredLedger): Promise<Omit<Row, 'size' | 'items'>> {
  const { cluster, route53 } = world;
  const cpuMs: number[] = [];
  const most = { itemsRead: 0, bytesRead: 0, itemsWritten: 0, bytesWritten: 0 };
  let route53Calls = 0;
  let apiCalls = 0;
  let apiLists = 0;
  cluster.put(CHANGED, recordSpec('changed', '192.0.2.1'));
  await carryThrough(world);
  for (let edit = 0; edit < EDITS + EDITS_COLD; edit += 1) {
    cluster.put(CHANGED, recordSpec('changed', `198.51.100.${edit}`));
    ledger.take();
    const before = { ...cluster.calls, route53: route53.calls.length, cpu: process.cpuUsage() };
    await carryThrough(world);
    const cpu = process.cpuUsage(before.cpu);
    const use = ledger.take();
    if (edit < EDITS_COLD) continue;
    cpuMs.push((cpu.user + cpu.system) / 1_000);
    for (const what of Object.keys(most) as (keyof LedgerUse)[]) most[what] = Math.max(most[what], use[what]);
    route53Calls = Math.max(route53Calls, route53.calls.length - before.route53);
    apiLists += cluster.calls.list + cluster.calls.listPage - before.list - before.listPage;
    apiCalls = Math.max(apiCalls, cluster.calls.get + cluster.calls.report - before.get - before.report);
  }
  return { use: most, route53Calls, apiCalls, apiLists, cpuMs };
}

async function carryThrough(world: ReconcileWorld): Promise<void> {
  world.queued.reports.clear();
  await reconcile(world.context, [hintFor(CHANGED)]);
  await publish(world.deps, HOSTED_ZONE);
  await report(world.context, [CHANGED]);
}

function tableRow({ size, items, use, route53Calls, apiCalls, apiLists, cpuMs }: Row) {
  return {
    'records in the zone': size.records,
    'in the cluster': size.records * size.zones,
    'items in the ledger': items,
    'items read': use.itemsRead,
    'KiB read': rounded(use.bytesRead / 1024, 1),
    'items written': use.itemsWritten,
    'KiB written': rounded(use.bytesWritten / 1024, 1),
    'Route 53 calls': route53Calls,
    'API calls': apiCalls,
    'API lists': apiLists,
    'CPU ms': withSpread(cpuMs, 1),
  };
}

function limits(rows: readonly Row[]): Limit[] {
  const ratio = (what: string, value: (row: Row) => number) => {
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

async function firstSync(records: number) {
  process.stderr.write(`growth: first sync of ${records} records\n`);
  const file = fileURLToPath(new URL('./first-sync-process.ts', import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, ['--max-old-space-size=8192', file, String(records)]);
  const found = JSON.parse(stdout) as {
    readonly published: number;
    readonly seconds: number;
    readonly cpuSeconds: number;
    readonly peakMiB: number;
    readonly route53Calls: number;
    readonly ledger: LedgerUse;
  };
  return {
    records,
    'record sets published': found.published,
    seconds: rounded(found.seconds, 1),
    'CPU s': rounded(found.cpuSeconds, 1),
    'peak MiB': found.peakMiB,
    'Route 53 calls': found.route53Calls,
    'items read a record': rounded(found.ledger.itemsRead / records, 1),
    'items written a record': rounded(found.ledger.itemsWritten / records, 1),
  };
}
