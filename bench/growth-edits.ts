// What one edited Record costs, from its hint to its status: ledger items and bytes, Route 53 and API calls, CPU.
import { publish } from '../lib/publish/run/publish-hosted-zone.ts';
import { report } from '../lib/report/report-object.ts';
import { reconcile } from '../lib/resolve/reconcile-hints.ts';
import { hintFor, type ReconcileWorld } from '../test/fakes/reconcile-world.ts';
import { HOSTED_ZONE, recordRef, recordSpec } from './growth-world.ts';
import type { LedgerUse, MeasuredLedger } from './measured-ledger.ts';

export type EditCost = {
  /** Ledger use of the most expensive edit. */
  readonly use: LedgerUse;
  readonly route53Calls: number;
  readonly apiCalls: number;
  readonly apiLists: number;
  /** CPU of each edit. */
  readonly cpuMs: readonly number[];
  /** Time of garbage collection during each edit. */
  readonly gcMs: readonly number[];
};

/** How many edits are measured, and how many come before them to warm up. */
export type Edits = { readonly counted: number; readonly cold: number };

/** For a process that has made no edit yet. */
export const FIRST_EDITS: Edits = { counted: 40, cold: 40 };
/**
 * After that, fewer: DynamoDB Local reads a whole partition to find a prefix, which takes a second at 1,000,000 items.
 */
export const MORE_EDITS: Edits = { counted: 15, cold: 10 };
/**
 * Between two edits. The item of a record set that changes more often also holds its latest changes, for the flip
 * breaker (lib/record-sets/flip-breaker.ts), and is larger.
 */
const PAUSE_MS = 600_000;
const CHANGED = recordRef('changed');

/** Creates one more Record and edits it, again and again. */
export async function measureEdits(
  world: ReconcileWorld,
  ledger: MeasuredLedger,
  { counted, cold }: Edits,
  collectedMs: () => number,
): Promise<EditCost> {
  const { cluster, route53 } = world;
  const cpuMs: number[] = [];
  const gcMs: number[] = [];
  const most = { itemsRead: 0, bytesRead: 0, itemsWritten: 0, bytesWritten: 0 };
  let route53Calls = 0;
  let apiCalls = 0;
  let apiLists = 0;
  cluster.put(CHANGED, recordSpec('changed', '192.0.2.1'));
  await carryThrough(world);
  for (let edit = 0; edit < counted + cold; edit += 1) {
    world.clock.ms += PAUSE_MS;
    cluster.put(CHANGED, recordSpec('changed', `198.51.100.${edit}`));
    ledger.take();
    const before = { ...cluster.calls, route53: route53.calls.length, gc: collectedMs(), cpu: process.cpuUsage() };
    await carryThrough(world);
    const cpu = process.cpuUsage(before.cpu);
    const use = ledger.take();
    if (edit < cold) continue;
    cpuMs.push((cpu.user + cpu.system) / 1_000);
    gcMs.push(collectedMs() - before.gc);
    for (const what of Object.keys(most) as (keyof LedgerUse)[]) most[what] = Math.max(most[what], use[what]);
    route53Calls = Math.max(route53Calls, route53.calls.length - before.route53);
    apiLists += cluster.calls.list + cluster.calls.listPage - before.list - before.listPage;
    apiCalls = Math.max(apiCalls, cluster.calls.get + cluster.calls.report - before.get - before.report);
  }
  return { use: most, route53Calls, apiCalls, apiLists, cpuMs, gcMs };
}

async function carryThrough(world: ReconcileWorld): Promise<void> {
  world.queued.reports.clear();
  await reconcile(world.context, [hintFor(CHANGED)]);
  await publish(world.deps, HOSTED_ZONE);
  await report(world.context, [CHANGED]);
}
