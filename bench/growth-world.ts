// The worlds of `growth`: one Zone with so many Records, synced by the real code over a ledger in memory, whose items then go into
// DynamoDB by BatchWriteItem. Further zones of a cluster are the same items under another name: MARK stands in every name.
import { randomUUID } from 'node:crypto';
import { BatchWriteCommand, type DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { ledgerAttributes } from '../lib/adapters/dynamodb-ledger.ts';
import { memoryLedger } from '../lib/adapters/memory-ledger.ts';
import type { ObjectRef } from '../lib/kubizone/objects.ts';
import { inParallel } from '../lib/reconcile/in-parallel.ts';
import type { JsonObject, LedgerKey } from '../lib/reconcile/ports.ts';
import { publish } from '../lib/reconcile/publish.ts';
import {
  commitAll,
  deliverReports,
  type ReconcileWorld,
  reconcileWorld,
  through,
} from '../test/fakes/reconcile-world.ts';
import { type MeasuredLedger, measuredLedger } from './measured-ledger.ts';

const MARK = 'q000q';
const APEX = `${MARK}.example.org.`;
export const HOSTED_ZONE = `Z${MARK.toUpperCase()}`;
const NAMESPACE = `ns-${MARK}`;
const ZONE_REF: ObjectRef = { kind: 'Zone', namespace: NAMESPACE, name: `zone-${MARK}` };

const BATCH_ITEMS_MAX = 25;
const BATCHES_AT_ONCE = 16;

export function recordRef(name: string): ObjectRef {
  return { kind: 'Record', namespace: NAMESPACE, name };
}

export function recordSpec(label: string, address: string): object {
  return { domainName: `${label}.${APEX}`, type: 'A', rdata: address };
}

/** A world whose cluster has so many Records, none of them synced; and its ledger, which keeps what is written. */
export function emptyWorld(records: number): { readonly world: ReconcileWorld; readonly ledger: MeasuredLedger } {
  const plain = reconcileWorld({ hostedZones: [{ id: HOSTED_ZONE, name: APEX }] });
  plain.cluster.put(ZONE_REF, { domainName: APEX, delegations: [{ records: [{ pattern: '*' }] }] });
  for (let index = 0; index < records; index += 1)
    plain.cluster.put(recordRef(`r${index}`), recordSpec(`r${index}`, '192.0.2.1'));
  const ledger = measuredLedger(memoryLedger(), true);
  return { world: through(plain, { ledger: ledger.port }), ledger };
}

/** Compares everything, publishes everything, reports to everything: the first sync. */
export async function syncWhole(world: ReconcileWorld): Promise<void> {
  await commitAll(world);
  for (let more = true; more; ) {
    const result = await publish(world.deps, HOSTED_ZONE);
    more = result.kind === 'done' && result.retryAfterSeconds !== null;
  }
  await commitAll(world);
  await deliverReports(world);
}

/** Puts the items into a table, as they are and, for every further copy, under its name. Returns how many. */
export async function loadItems(
  client: DynamoDBDocumentClient,
  table: string,
  ledger: MeasuredLedger,
  copies: Iterable<number>,
): Promise<number> {
  let loaded = 0;
  await inParallel(batchesOf(ledger, copies), BATCHES_AT_ONCE, async (batch) => {
    let requests = { [table]: batch.map((Item) => ({ PutRequest: { Item } })) } as Record<string, object[]>;
    while (Object.keys(requests).length > 0) {
      const answer = await client.send(new BatchWriteCommand({ RequestItems: requests as never }));
      requests = (answer.UnprocessedItems ?? {}) as Record<string, object[]>;
    }
    loaded += batch.length;
  });
  return loaded;
}

function* batchesOf(ledger: MeasuredLedger, copies: Iterable<number>): Generator<Record<string, unknown>[]> {
  let batch: Record<string, unknown>[] = [];
  for (const copy of copies) {
    const mark = `q${String(copy).padStart(3, '0')}q`;
    for (const { key, body } of ledger.items()) {
      // What a cluster has once, its subtree tasks and the budget, is in the first.
      if (copy > 0 && !hasMark(key)) continue;
      batch.push(ledgerAttributes(renamed(key, mark), randomUUID(), copy === 0 ? body : renamed(body, mark)));
      if (batch.length < BATCH_ITEMS_MAX) continue;
      yield batch;
      batch = [];
    }
  }
  if (batch.length > 0) yield batch;
}

function hasMark(key: LedgerKey): boolean {
  return `${key.partition}${key.sort}`.toLowerCase().includes(MARK);
}

function renamed<T extends JsonObject | LedgerKey>(value: T, mark: string): T {
  const text = JSON.stringify(value).replaceAll(MARK, mark).replaceAll(MARK.toUpperCase(), mark.toUpperCase());
  return JSON.parse(text) as T;
}
