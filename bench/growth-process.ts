// Measures the first sync of RECORDS Records in one Zone. Ledger, cluster and Route 53 are in memory, and its CPU and
// memory include them. Then it measures one edited Record on DynamoDB Local, in another process
// (growth-edit-process.ts). Prints a line of JSON for the first sync, and one for each number of Zones.
//
//   node bench/growth-process.ts RECORDS [ZONES ...]
import { fileURLToPath } from 'node:url';
import { compileOnce } from '../cli/one-compiler.ts';
import { createTable } from '../lib/adapters/ledger/create-table.ts';
import { keepHeapSmall, YOUNG_MIB } from '../lib/adapters/system/small-heap.ts';
import { openGuard } from '../test/engines/kubernetes/guard.ts';
import { TABLE, withFile, withLedger } from './growth-fill.ts';
import { emptyWorld, HOSTED_ZONE, syncWhole } from './growth-world.ts';
import type { LedgerUse } from './measured-ledger.ts';

export type FirstSync = {
  readonly records: number;
  readonly published: number;
  readonly seconds: number;
  readonly cpuSeconds: number;
  readonly peakMiB: number;
  readonly route53Calls: number;
  readonly ledger: LedgerUse;
};

async function main(records: number, zones: readonly number[]): Promise<void> {
  const synced = await firstSync(records);
  if (zones.length === 0) return;
  // The folder is removed when this process ends, in whatever way, because the file grows to gigabytes.
  const guard = openGuard('zone53-bench-ledger-');
  try {
    await withLedger(guard.folder, (client) => createTable(client, TABLE));
    await fill(synced, guard.folder);
    const args = [EDIT_PROCESS, guard.folder, ...[records, ...zones].map(String)];
    const child = guard.start('growth-edits', process.execPath, args, { env: process.env });
    child.stdout?.pipe(process.stdout, { end: false });
    child.stderr?.pipe(process.stderr, { end: false });
    const code = await new Promise((resolve, reject) => child.once('error', reject).once('close', resolve));
    if (code !== 0) throw new Error(`growth-edit-process.ts ended with ${code}`);
  } finally {
    await guard.end();
  }
}

const EDIT_PROCESS = fileURLToPath(new URL('./growth-edit-process.ts', import.meta.url));

type Synced = ReturnType<typeof emptyWorld>;

/** The result is in an array, from which it is removed, so that the ledger is freed before edits are measured. */
async function firstSync(records: number): Promise<Synced[]> {
  const made = emptyWorld(records);
  const before = process.cpuUsage();
  const begunMs = performance.now();
  await syncWhole(made.world);
  const used = process.cpuUsage(before);
  const { route53 } = made.world;
  const sync: FirstSync = {
    records,
    published: route53.recordSets(HOSTED_ZONE).length,
    seconds: (performance.now() - begunMs) / 1_000,
    cpuSeconds: (used.user + used.system) / 1e6,
    peakMiB: Math.round(process.resourceUsage().maxRSS / 1024),
    route53Calls: route53.calls.length,
    ledger: made.ledger.take(),
  };
  process.stdout.write(`${JSON.stringify(sync)}\n`);
  return [made];
}

/** Puts the ledger's items into the file. */
async function fill(synced: Synced[], folder: string): Promise<void> {
  const [made] = synced.splice(0);
  if (made === undefined) throw new Error('nothing was synced');
  const items = await Array.fromAsync(made.ledger.items());
  withFile(folder, (file) => file.put(items));
}

compileOnce();
keepHeapSmall(YOUNG_MIB);
const [records = Number.NaN, ...zones] = process.argv.slice(2).map(Number);
await main(records, zones);
process.exit();
