// The record set items of a name: read, and changed by compare-and-swap.
import { reversedKey } from '../dns/names/name.ts';
import { type RecordSetKey, sameContent } from '../dns/record-set.ts';
import { swap } from '../ledger/compare-and-swap.ts';
import type { Stored } from '../ledger/item-codec.ts';
import { eachBetween } from '../ledger/pages.ts';
import type { Ledger, LedgerItem } from '../ports/ledger.ts';
import {
  newRecordSetItem,
  type RecordSetItem,
  recordSetCodec,
  recordSetItemKey,
  recordSetsPartition,
} from './record-set-item.ts';

/** True when only reconcile's fields moved: what publish keeps is as this run last knew it. */
export function isUntouched(begun: RecordSetItem, now: RecordSetItem): boolean {
  return (
    begun.epoch === now.epoch &&
    sameContent(begun.published, now.published) &&
    begun.intent?.epoch === now.intent?.epoch &&
    begun.intent?.atMs === now.intent?.atMs &&
    begun.refusal?.atMs === now.refusal?.atMs &&
    begun.late.length === now.late.length
  );
}

/** One page of a name's items: more than Route 53 has types, so nearly always the only one. */
const NAME_PAGE_ITEMS = 24;

/** True for what `name` itself holds, false for a descendant's: types are upper case, labels are not. */
function isOfName(item: LedgerItem, prefix: string): boolean {
  return /^[A-Z]/.test(item.sort.slice(prefix.length));
}

/** The raw items of one name: one query, whatever lies below the name. */
export async function readNameItems(ledger: Ledger, hostedZoneId: string, name: string): Promise<LedgerItem[]> {
  const prefix = reversedKey(name);
  const found: LedgerItem[] = [];
  // Labels that begin with a digit, "*" or "-" lie before "@", types between "@" and "[", other labels behind.
  let after: string | null = `${prefix}@`;
  while (after !== null) {
    const page = await ledger.query(recordSetsPartition(hostedZoneId), { prefix, after, limit: NAME_PAGE_ITEMS });
    const own = page.items.filter((item) => isOfName(item, prefix));
    found.push(...own);
    after = own.length === page.items.length ? page.next : null;
  }
  return found;
}

/**
 * The raw items of many names, by name: all that lies from the first of them to the last is read and the rest left out,
 * some `itemsMax` items at most. Names that were not reached are missing.
 */
export async function readManyNameItems(
  ledger: Ledger,
  hostedZoneId: string,
  names: Iterable<string>,
  itemsMax: number,
): Promise<ReadonlyMap<string, readonly LedgerItem[]>> {
  const byPrefix = new Map([...names].map((name) => [reversedKey(name), { name, items: [] as LedgerItem[] }]));
  const prefixes = [...byPrefix.keys()].sort();
  const stretch = { after: prefixes[0] ?? null, through: `${prefixes.at(-1) ?? ''}[` };
  let read = 0;
  let reached: string | null = null;
  for await (const item of eachBetween(ledger, recordSetsPartition(hostedZoneId), stretch)) {
    read += 1;
    if (read > itemsMax) {
      reached = item.sort;
      break;
    }
    byPrefix.get(item.sort.slice(0, item.sort.search(/[A-Z]/)))?.items.push(item);
  }
  // What a name itself holds lies before "[", whatever lies below it (see readNameItems).
  const whole = [...byPrefix].filter(([prefix]) => reached === null || `${prefix}[` <= reached);
  return new Map(whole.map(([, { name, items }]) => [name, items]));
}

/** The record sets that the ledger holds for one name. @throws UnreadableItemError */
export async function readName(ledger: Ledger, hostedZoneId: string, name: string): Promise<Stored<RecordSetItem>[]> {
  const items = await readNameItems(ledger, hostedZoneId, name);
  return items.map((item) => ({ item: recordSetCodec.decode(item), revision: item.revision }));
}

/**
 * Changes one record set item by compare-and-swap, starting from `stored` (null: believed absent) and from what stands
 * there when that no longer holds. `change` returns null to leave it; `mayGoOn` is asked after what stands was read
 * anew. Returns what stands afterwards, null when it was left.
 */
export async function changeRecordSetItem(
  ledger: Ledger,
  hostedZoneId: string,
  key: RecordSetKey,
  stored: Stored<RecordSetItem> | null,
  change: (item: RecordSetItem) => RecordSetItem | null,
  mayGoOn: () => Promise<boolean> = async () => true,
): Promise<Stored<RecordSetItem> | null> {
  let first = true;
  const next = async (item: RecordSetItem | null) => {
    if (!first && !(await mayGoOn())) return null;
    first = false;
    return change(item ?? newRecordSetItem(key));
  };
  return swap(ledger, recordSetItemKey(hostedZoneId, key), recordSetCodec, next, stored);
}
