// The first sync of so many Records in one Zone, and then, on DynamoDB Local, what one edited Record costs when the
// cluster has that Zone alone and when it has so many like it. A process of its own, so that CPU and memory are its
// own: ledger, cluster and Route 53 of the first sync are in memory, and in its figures.
//
//   node bench/growth-process.ts RECORDS [ZONES ...]
//
// Prints a line of JSON for the first sync, and one for each number of Zones.
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { compileOnce } from '../cli/one-compiler.ts';
import { createTable } from '../lib/adapters/ledger/create-table.ts';
import { dynamodbLedger } from '../lib/adapters/ledger/dynamodb-ledger.ts';
import { memoryLedger } from '../lib/adapters/ledger/memory-ledger.ts';
import { keepHeapSmall, YOUNG_MIB } from '../lib/adapters/system/small-heap.ts';
import { startDynamodbLocal } from '../test/engines/engines.ts';
import { openGuard } from '../test/engines/kubernetes/guard.ts';
import { type ReconcileWorld, through } from '../test/fakes/reconcile-world.ts';
import { type EditCost, FIRST_EDITS, MORE_EDITS, measureEdits } from './growth-edits.ts';
import { type LedgerFile, openLedgerFile } from './growth-fill.ts';
import { emptyWorld, HOSTED_ZONE, MARK, markOf, syncWhole } from './growth-world.ts';
import { type LedgerUse, measuredLedger } from './measured-ledger.ts';

export type FirstSync = {
  readonly records: number;
  readonly published: number;
  readonly seconds: number;
  readonly cpuSeconds: number;
  readonly peakMiB: number;
  readonly route53Calls: number;
  readonly ledger: LedgerUse;
};

export type GrowthPoint = EditCost & {
  readonly records: number;
  readonly zones: number;
  /** In the ledger. */
  readonly items: number;
};

const TABLE = 'ledger';

function say(value: FirstSync | GrowthPoint): void {
  process.stdout.write(`${JSON.stringify(value)}\n`);
}

async function main(records: number, zones: readonly number[]): Promise<void> {
  const synced = await firstSync(records);
  if (zones.length === 0) return;
  // Gone with this process, in whatever way that ends: the file grows to gigabytes.
  const guard = openGuard('zone53-bench-ledger-');
  try {
    await withLedger(guard.folder, (client) => createTable(client, TABLE));
    const world = await moved(synced, guard.folder);
    let filled = 1;
    for (const count of zones) {
      const more = Array.from({ length: count - filled }, (_, index) => markOf(filled + index));
      const items = withFile(guard.folder, (file) => {
        file.copy(MARK, more);
        return file.count();
      });
      filled = count;
      await withLedger(guard.folder, async (client) => {
        const ledger = measuredLedger(dynamodbLedger(DynamoDBDocumentClient.from(client), TABLE));
        const edits = count === zones[0] ? FIRST_EDITS : MORE_EDITS;
        const cost = await measureEdits(through(world, { ledger: ledger.port }), ledger, edits);
        say({ records, zones: count, items, ...cost });
      });
    }
  } finally {
    await guard.end();
  }
}

/** DynamoDB Local over the file, which nobody else has open meanwhile. */
async function withLedger(folder: string, work: (client: DynamoDBClient) => Promise<void>): Promise<void> {
  const local = await startDynamodbLocal({ folder });
  const credentials = { accessKeyId: 'bench', secretAccessKey: 'bench' };
  const client = new DynamoDBClient({ endpoint: local.url, region: 'us-east-1', credentials });
  try {
    await work(client);
  } finally {
    client.destroy();
    await local.close();
  }
}

function withFile<Result>(folder: string, work: (file: LedgerFile) => Result): Result {
  const file = openLedgerFile(folder, TABLE);
  try {
    return work(file);
  } finally {
    file.close();
  }
}

type Synced = ReturnType<typeof emptyWorld>;

/** In an array, out of which it is taken: nobody keeps the ledger in memory while DynamoDB's is measured. */
async function firstSync(records: number): Promise<Synced[]> {
  const made = emptyWorld(records);
  const before = process.cpuUsage();
  const begunMs = performance.now();
  await syncWhole(made.world);
  const used = process.cpuUsage(before);
  const { route53 } = made.world;
  say({
    records,
    published: route53.recordSets(HOSTED_ZONE).length,
    seconds: (performance.now() - begunMs) / 1_000,
    cpuSeconds: (used.user + used.system) / 1e6,
    peakMiB: Math.round(process.resourceUsage().maxRSS / 1024),
    route53Calls: route53.calls.length,
    ledger: made.ledger.take(),
  });
  return [made];
}

/** The synced world, with its ledger's items in the file: it is to be given another ledger. */
async function moved(synced: Synced[], folder: string): Promise<ReconcileWorld> {
  const [made] = synced.splice(0);
  if (made === undefined) throw new Error('nothing was synced');
  const items = await Array.fromAsync(made.ledger.items());
  withFile(folder, (file) => file.put(items));
  return through(made.world, { ledger: memoryLedger() });
}

compileOnce();
keepHeapSmall(YOUNG_MIB);
const [records = Number.NaN, ...zones] = process.argv.slice(2).map(Number);
await main(records, zones);
process.exit();
