// The ledger against Route 53: one hosted zone, page by page. What we published and is gone is published again; what
// somebody edited is said on its object and left alone; a refusal whose obstacle has gone is tried again; what is not
// ours is not looked at twice. The items are read before the pages: one that moved meanwhile is left for the next sweep.
import { sameContent } from '../dns/record-set.ts';
import { parseRef } from '../kubizone/objects.ts';
import type { Context } from './context.ts';
import {
  decodeHostedZoneItem,
  decodeRecordSetItem,
  encodeItem,
  hostedZoneItemKey,
  type RecordSetItem,
  recordSetItemKey,
  recordSetsPartition,
} from './ledger-items.ts';
import { allItems } from './ledger-pages.ts';
import type { ObjectRef, RecordSet, RecordSetContent, RecordSetKey } from './ports.ts';
import { markDirty, recordSetId, samePublishing } from './record-set-items.ts';

/** What a sweep of one hosted zone found. */
export type HostedZoneSweep = {
  readonly lost: number;
  readonly drifted: number;
  readonly retried: number;
  readonly foreign: number;
  readonly gone: boolean;
};

/** Sweeps one hosted zone. Reads Route 53 in pages of 300, within the budget. */
export async function sweepHostedZone(context: Context, hostedZoneId: string): Promise<HostedZoneSweep> {
  const stored = await allItems(context.ledger, recordSetsPartition(hostedZoneId));
  const standing = await readAll(context, hostedZoneId);
  if (standing === null) return markGone(context, hostedZoneId);
  const found = { lost: 0, drifted: 0, retried: 0 };
  const reports = new Map<string, ObjectRef>();
  const known = new Set<string>();
  for (const one of stored) {
    const item = decodeRecordSetItem(one);
    known.add(recordSetId(item));
    const verdict = judge(item, standing.get(recordSetId(item))?.content ?? null);
    if (verdict === 'fine') continue;
    found[verdict] += 1;
    // What is lost is found out anew by publish, under its lease, which keeps count of what is published.
    const noted = verdict === 'drifted' || (verdict === 'lost' && item.type === 'SOA');
    if (noted && !(await note(context, hostedZoneId, item, one.revision, verdict))) continue;
    if (verdict !== 'drifted')
      await markDirty(context.ledger, hostedZoneId, item.name, context.clock.nowMs(), { retry: true });
    for (const object of [...item.objects, `Zone ${item.zone}`]) reports.set(object, parseRef(object));
  }
  if (found.lost + found.retried > 0) await context.queues.publish(hostedZoneId);
  if (reports.size > 0) await context.queues.report([...reports.values()]);
  const foreign = [...standing.keys()].filter((id) => !known.has(id)).length;
  return { ...found, foreign, gone: false };
}

/** Null when the hosted zone is gone. A page that fails throws: a listing that is not whole proves nothing. */
async function readAll({ hostedZones }: Context, hostedZoneId: string): Promise<ReadonlyMap<string, RecordSet> | null> {
  const standing = new Map<string, RecordSet>();
  let from: RecordSetKey | null = null;
  do {
    const page: Awaited<ReturnType<typeof hostedZones.readPage>> = await hostedZones.readPage(hostedZoneId, from);
    if (page === null) return null;
    for (const set of page.recordSets) standing.set(recordSetId(set), set);
    from = page.next;
  } while (from !== null);
  return standing;
}

/** What stands against what we know: an intent is publish's to resolve, the SOA is compared by its timers. */
function judge(item: RecordSetItem, actual: RecordSetContent | null): 'fine' | 'lost' | 'drifted' | 'retried' {
  if (item.intent !== null) return 'fine';
  // A write of ours whose answer was lost has landed since anybody looked: publish knows it again.
  if (!samePublishing(item.type, actual, item.published) && item.late.some((one) => sameContent(one.content, actual)))
    return actual === null ? 'lost' : 'retried';
  if (item.refusal?.reason === 'ForeignRecord' && actual === null) return 'retried';
  if (item.refusal?.reason === 'Drifted')
    return actual === null || samePublishing(item.type, actual, item.desired) ? 'retried' : 'fine';
  if (item.published === null || samePublishing(item.type, actual, item.published)) return 'fine';
  return actual === null || item.type === 'SOA' ? 'lost' : 'drifted';
}

async function note(
  { ledger, clock }: Context,
  hostedZoneId: string,
  item: RecordSetItem,
  revision: string,
  verdict: 'lost' | 'drifted',
): Promise<boolean> {
  const message = `Somebody changed ${item.name} ${item.type} in Route 53 since we published it; it is left as it stands. Restore it, delete it, or annotate the Zone with zone53.dev/takeover: "true".`;
  const next: RecordSetItem =
    verdict === 'lost'
      ? { ...item, published: null, refusal: null }
      : { ...item, refusal: { reason: 'Drifted', message, content: item.desired, atMs: clock.nowMs() } };
  return (await ledger.put(recordSetItemKey(hostedZoneId, item), encodeItem(next), revision)) !== null;
}

async function markGone({ ledger, log }: Context, hostedZoneId: string): Promise<HostedZoneSweep> {
  const key = hostedZoneItemKey(hostedZoneId);
  const stored = await ledger.get(key);
  if (stored !== null)
    await ledger.put(key, encodeItem({ ...decodeHostedZoneItem(stored), gone: true }), stored.revision);
  log('warn', 'hosted zone is gone', { hostedZoneId });
  return { lost: 0, drifted: 0, retried: 0, foreign: 0, gone: true };
}
