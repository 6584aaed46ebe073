// Adds deletes to the guard's numbers before they are sent. So a run that dies has lost none of them. It may have lost
// what else it published: the next run counts that again, from the items of the record sets.
import { swap } from '../../ledger/compare-and-swap.ts';
import { readItem, UnreadableItemError } from '../../ledger/item-codec.ts';
import { eachItem } from '../../ledger/pages.ts';
import { whereReadable } from '../../ledger/skip-unreadable.ts';
import { inParallel } from '../../ports/in-parallel.ts';
import type { JsonObject, LedgerWrite } from '../../ports/ledger.ts';
import { type GuardItem, guardCodec, guardItemKey, readGuardItems } from '../../record-sets/guard-item.ts';
import type { Charge } from '../../record-sets/lease.ts';
import {
  newRecordSetItem,
  type RecordSetItem,
  recordSetCodec,
  recordSetsPartition,
} from '../../record-sets/record-set-item.ts';
import { countOf } from '../counts/deletions.ts';
import { addedTo } from '../counts/namespaces.ts';
import { newProgress, type Tallies } from '../plan/progress.ts';
import { countsNow, type ItemsOfRun, type Run } from './run.ts';

const AT_ONCE = 25;
/** A transaction of DynamoDB has 100 writes at most. */
const BESIDE_MAX = 50;

/** What the write before a call must say, if it has deletes that the guard's numbers lack. */
export async function chargeOf(run: Run): Promise<Charge | undefined> {
  const { lease, items, progress } = run;
  const isOwed = ({ deletions }: Tallies) => deletions.some(({ count }) => count > 0);
  if (![...progress.talliesOf.values()].some(isOwed)) return undefined;
  const own = [...items.values()].filter(({ item }) => item.intent?.epoch === lease.epoch);
  const batch = own.reduce((last, { item }) => Math.max(last, item.intent?.batch ?? 0), 0);
  const charged = { epoch: lease.epoch, batch };
  const beside = await namespacesNow(run);
  return { beside, note: (item) => ({ ...item, ...countsNow(run), lease: item.lease && { ...item.lease, charged } }) };
}

/**
 * The writes of what this run adds to the numbers of namespaces. They are made with a write of the hosted zone's item
 * under the lease, all or none; those of further namespaces than one write takes, before it.
 */
export async function namespacesNow({ deps, hostedZone, progress }: Run): Promise<readonly LedgerWrite[]> {
  const { ledger, clock } = deps;
  const writes: LedgerWrite[] = [];
  await inParallel(progress.takeTallies().entries(), AT_ONCE, async ([namespace, added]) => {
    const key = guardItemKey(hostedZone, namespace);
    const add = (item: GuardItem | null) => ({ namespace, ...addedTo(item ?? undefined, added, clock.nowMs()) });
    // Numbers that this code cannot read stay as they are: nothing of the namespace is deleted meanwhile.
    await whereReadable(deps, async () => {
      const item = (await readItem(ledger, key, guardCodec))?.item ?? null;
      if (writes.length < BESIDE_MAX) writes.push({ key, body: guardCodec.encode(add(item)) });
      else await swap(ledger, key, guardCodec, add);
    });
  });
  return writes;
}

/** The run with the numbers of published record sets counted again, if the run before may not have saved its part. */
export async function countPublished<R extends ItemsOfRun>(run: R): Promise<R> {
  const { deps, hostedZone, abandoned } = run;
  if (abandoned === null) return run;
  const published = new Map<string, number>();
  const add = (namespace: string, count: number) => published.set(namespace, (published.get(namespace) ?? 0) + count);
  for await (const stored of eachItem(deps.ledger, recordSetsPartition(hostedZone.id))) {
    const read = recordSetCodec.read(stored);
    const item = read instanceof UnreadableItemError ? readableFields(stored.body) : read;
    const { namespace, isPublished } = countOf(item, abandoned, deps.clock.nowMs());
    add(namespace, Number(isPublished));
  }
  const publishedCount = [...published.values()].reduce((sum, count) => sum + count, 0);
  for (const item of (await readGuardItems(deps.ledger, hostedZone)).items) add(item.namespace, -item.publishedCount);
  const corrections = [...published].map(([name, count]) => [name, { published: count, deletions: [] }] as const);
  return { ...run, hostedZone: { ...hostedZone, publishedCount }, progress: newProgress(new Map(corrections)) };
}

/** An item of an unknown version counts as far as its fields can be read. */
function readableFields(body: JsonObject): RecordSetItem {
  const item: RecordSetItem = { ...newRecordSetItem({ name: '', type: '', setIdentifier: null }), ...body };
  const isList = Array.isArray(item.objects) && Array.isArray(item.publishedObjects);
  return { ...item, intent: null, late: [], ...(isList ? {} : { objects: [], publishedObjects: [] }) };
}
