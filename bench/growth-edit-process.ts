// Measures one edited Record over a ledger on DynamoDB Local that growth-process.ts has filled, for each number of
// Zones in the cluster. It has a process of its own, so that the garbage of filling is not collected meanwhile. Its
// cluster and Route 53 have only the Zone, because an edit reads nothing else there. Prints a line of JSON for each
// number.
//
//   node bench/growth-edit-process.ts FOLDER RECORDS ZONES ...
import { PerformanceObserver } from 'node:perf_hooks';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { compileOnce } from '../cli/one-compiler.ts';
import { dynamodbLedger } from '../lib/adapters/ledger/dynamodb-ledger.ts';
import { keepHeapSmall, YOUNG_MIB } from '../lib/adapters/system/small-heap.ts';
import { through } from '../test/fakes/reconcile-world.ts';
import { type EditCost, FIRST_EDITS, MORE_EDITS, measureEdits } from './growth-edits.ts';
import { TABLE, withFile, withLedger } from './growth-fill.ts';
import { emptyWorld, MARK, markOf } from './growth-world.ts';
import { measuredLedger } from './measured-ledger.ts';

export type GrowthPoint = EditCost & {
  readonly records: number;
  readonly zones: number;
  /** Items in the ledger. */
  readonly items: number;
};

/** Returns a function that gives the milliseconds of garbage collection so far. */
function collecting(): () => number {
  let ms = 0;
  const observer = new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) ms += duration;
  });
  observer.observe({ entryTypes: ['gc'] });
  return () => {
    for (const { duration } of observer.takeRecords()) ms += duration;
    return ms;
  };
}

async function main(folder: string, records: number, zones: readonly number[]): Promise<void> {
  const collectedMs = collecting();
  const { world } = emptyWorld(0);
  let filled = 1;
  for (const count of zones) {
    const more = Array.from({ length: count - filled }, (_, index) => markOf(filled + index));
    const items = withFile(folder, (file) => {
      file.copy(MARK, more);
      return file.count();
    });
    filled = count;
    await withLedger(folder, async (client) => {
      const ledger = measuredLedger(dynamodbLedger(DynamoDBDocumentClient.from(client), TABLE));
      const edits = count === zones[0] ? FIRST_EDITS : MORE_EDITS;
      const cost = await measureEdits(through(world, { ledger: ledger.port }), ledger, edits, collectedMs);
      const point: GrowthPoint = { records, zones: count, items, ...cost };
      process.stdout.write(`${JSON.stringify(point)}\n`);
    });
  }
}

compileOnce();
keepHeapSmall(YOUNG_MIB);
const [folder = '', records = '', ...zones] = process.argv.slice(2);
await main(folder, Number(records), zones.map(Number));
process.exit();
