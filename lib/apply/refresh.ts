// `--refresh`: compares published record sets with Route 53, page by page. It only reads. The plan starts from what
// Route 53 has, and says what follows from each difference. Publishing reads again, under its lease. A plan without
// `--refresh` reads only the names where a run died during a write (`withoutDoubts()`).
import { type RecordSetContent, type RecordSetKey, recordSetId } from '../dns/record-set.ts';
import { errorMessage } from '../objects/plain.ts';
import type { Account, Context } from '../ports/context.ts';
import type { RecordSetsPage } from '../ports/hosted-zones.ts';
import { readExistingWithTexts } from '../publish/existing/read-existing.ts';
import { takingOf, takingsOf } from '../publish/existing/takings.ts';
import type { HostedZoneItem } from '../record-sets/hosted-zone-item.ts';
import { compareWithRoute53, judgeReading, showContent, showObstacle } from '../record-sets/judge-reading.ts';
import { type RecordSetItem, storedContent } from '../record-sets/record-set-item.ts';
import { samePublishing } from '../record-sets/same-content.ts';
import { takesOver } from '../record-sets/state.ts';

export type Refreshed = {
  /** The items as they will be when publishing has read Route 53. */
  readonly items: readonly RecordSetItem[];
  /** Names with differences, which publishing must read. */
  readonly names: ReadonlySet<string>;
  /** A sentence for each difference. */
  readonly drifts: readonly string[];
  /** Route 53 has no such hosted zone any more. */
  readonly gone: boolean;
};

const UNLESS_THEIRS = ' If external-dns owns it, it is taken over.';

type Difference = { readonly item: RecordSetItem; readonly leadsTo: string };

/**
 * Compares the hosted zone's items with Route 53. `progress` is called for every page. Returns a text if Route 53 could
 * not be read.
 */
export async function refresh(
  { account: { hostedZones, externalDns = [] }, clock }: Pick<Context, 'account' | 'clock'>,
  hostedZone: HostedZoneItem,
  items: readonly RecordSetItem[],
  progress: (text: string) => void,
): Promise<Refreshed | string> {
  const wanted = new Set(items.flatMap((item) => [recordSetId(item), ...besideOf(item)]));
  const existing = await readRecordSets(hostedZones, hostedZone, wanted, progress).catch(errorMessage);
  if (typeof existing === 'string') return existing;
  if (existing === null) {
    const drift = `Hosted zone ${hostedZone.id} (${hostedZone.name}) does not exist in this account any more.`;
    return { items, names: new Set(items.map(({ name }) => name)), drifts: [drift], gone: true };
  }
  const names = new Set<string>();
  const drifts: string[] = [];
  const refreshed = items.map((item) => {
    const difference = differenceOf(item, (id) => existing.get(id) ?? null, hostedZone, clock.nowMs());
    if (difference === null) return item;
    names.add(item.name);
    const unless = externalDns.length > 0 && difference.item.refusal !== null ? UNLESS_THEIRS : '';
    drifts.push(`${item.name} ${item.type} ${difference.leadsTo}${unless}`);
    return difference.item;
  });
  return { items: refreshed, names, drifts, gone: false };
}

/** The id of the neighbour because of which the item was refused. */
function besideOf({ name, refusal }: RecordSetItem): string[] {
  return refusal?.beside === undefined ? [] : [recordSetId({ ...refusal.beside, name })];
}

/** Reads these record sets in Route 53; null if the hosted zone is gone. */
async function readRecordSets(
  hostedZones: Account['hostedZones'],
  { id, name }: HostedZoneItem,
  wanted: ReadonlySet<string>,
  progress: (text: string) => void,
): Promise<ReadonlyMap<string, RecordSetContent> | null> {
  const existing = new Map<string, RecordSetContent>();
  let read = 0;
  let from: RecordSetKey | null = null;
  do {
    progress(`comparing ${name} with Route 53: ${read} record sets read`);
    const page: RecordSetsPage | null = await hostedZones.readPage(id, from);
    if (page === null) return null;
    for (const set of page.recordSets) if (wanted.has(recordSetId(set))) existing.set(recordSetId(set), set.content);
    read += page.recordSets.length;
    from = page.next;
  } while (from !== null);
  return existing;
}

/** How the item differs from Route 53, and what follows; null if it does not differ. */
function differenceOf(
  item: RecordSetItem,
  contentAt: (id: string) => RecordSetContent | null,
  hostedZone: HostedZoneItem,
  nowMs: number,
): Difference | null {
  const actual = contentAt(recordSetId(item));
  const verdict = compareWithRoute53(item, contentAt);
  const known = verdict === 'fine' && item.refusal?.reason === 'Drifted';
  if (verdict === 'fine' && !known) return null;
  const stands = showContent(actual);
  const now = { ...item, published: storedContent(actual), refusal: null };
  const isWanted = item.desired !== null;
  if (item.type === 'SOA') return { item: now, leadsTo: `was changed by hand to ${stands}: it will be set again.` };
  if (verdict === 'lost')
    return {
      item: now,
      leadsTo: `was deleted by hand: ${isWanted ? 'it will be created again' : 'nothing is left to delete'}.`,
    };
  if (verdict === 'retried' && actual === null)
    return { item: now, leadsTo: `is free again: ${isWanted ? 'it will be created' : 'nothing is left to do'}.` };
  if (samePublishing(item.type, actual, item.desired))
    return { item: now, leadsTo: 'already has the desired content: it will be taken as published.' };
  if (samePublishing(item.type, actual, item.published))
    return { item: now, leadsTo: `was restored by hand: it will be ${isWanted ? 'changed' : 'deleted'}.` };
  if (takesOver(item, hostedZone)) {
    const change = isWanted ? 'replaced' : 'deleted';
    return { item: now, leadsTo: `was changed by hand to ${stands}: it will be ${change}, by zone53.dev/takeover.` };
  }
  if (verdict === 'retried')
    return { item: now, leadsTo: `is ours as ${stands}: a write without an answer has arrived late.` };
  const message = showObstacle(item, 'drifted', { actual, wanted: item.desired });
  const refusal = { reason: 'Drifted' as const, message, content: item.desired, atMs: nowMs };
  const leadsTo = `was changed by hand to ${stands}: it stays unchanged (Drifted) until it is restored or deleted, or its Zone is annotated zone53.dev/takeover: "true".`;
  return { item: { ...item, refusal }, leadsTo };
}

/**
 * Finds out whether writes of a run that died have landed: reads Route 53 at names with an intent. If it cannot be
 * read, the plan is made from the ledger as it is.
 */
export async function withoutDoubts(
  { account: { hostedZones, externalDns = [] }, log, clock }: Context,
  hostedZone: HostedZoneItem,
  items: readonly RecordSetItem[],
): Promise<readonly RecordSetItem[]> {
  const doubtful = items.filter(({ intent, type }) => intent !== null && type !== 'SOA');
  if (doubtful.length === 0) return items;
  const nowMs = clock.nowMs();
  const names = [...new Set(doubtful.map(({ name }) => name))];
  const reader = { hostedZones, id: hostedZone.id, apex: hostedZone.name };
  const existing = await readExistingWithTexts(reader, names, externalDns).catch((error: unknown) => {
    log('warn', 'cannot read what a run that died has left', { hostedZone: hostedZone.id, error: String(error) });
    return null;
  });
  if (existing === null) return items;
  const takings = takingsOf(externalDns, existing, doubtful, (id) => items.find((one) => recordSetId(one) === id), []);
  return items.map((item) => {
    if (item.intent === null || item.type === 'SOA') return item;
    const actual = existing.get(recordSetId(item))?.content ?? null;
    const at = { epoch: hostedZone.epoch, nowMs, owner: hostedZone, sinceMs: nowMs, ...takingOf(takings, item) };
    return judgeReading(item, actual, at).item ?? item;
  });
}
