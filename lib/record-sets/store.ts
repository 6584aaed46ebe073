// The record set items of a name: read, and changed by compare-and-swap.
import { reversedKey } from '../dns/names/name.ts';
import { type RecordSetKey, sameContent } from '../dns/record-set.ts';
import { swap } from '../ledger/compare-and-swap.ts';
import { type Stored, UnreadableItemError } from '../ledger/item-codec.ts';
import { eachBetween, eachItem } from '../ledger/pages.ts';
import type { Ledger, LedgerItem, PutOptions } from '../ports/ledger.ts';
import { oncePerKey } from '../ports/once.ts';
import {
  newRecordSetItem,
  type RecordSetItem,
  recordSetCodec,
  recordSetItemKey,
  recordSetsPartition,
} from './record-set-item.ts';

/** True if only fields of reconcile have changed: the fields of publish are as this run last knew them. */
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

/** Items of a name in one page: more than Route 53 has types, so there is nearly always only one page. */
const NAME_PAGE_ITEMS = 24;

/** True for an item of the name itself, false for one of a name below it: types are upper case, labels are not. */
function isOfName(item: LedgerItem, prefix: string): boolean {
  return /^[A-Z]/.test(item.sort.slice(prefix.length));
}

/** The raw items of one name, by one query, however many names are below it. */
export async function readNameItems(ledger: Ledger, hostedZoneId: string, name: string): Promise<LedgerItem[]> {
  const prefix = reversedKey(name);
  const found: LedgerItem[] = [];
  // Labels that begin with a digit, "*" or "-" sort before "@", types between "@" and "[", other labels behind.
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
 * The raw items of many names, by name. Reads everything between the first and the last name, at most about `itemsMax`
 * items, and drops items of other names. Names that were not reached are missing.
 */
export async function readManyNameItems(
  ledger: Ledger,
  hostedZoneId: string,
  names: Iterable<string>,
  itemsMax: number,
): Promise<ReadonlyMap<string, readonly LedgerItem[]>> {
  const byPrefix = new Map([...names].map((name) => [reversedKey(name), { name, items: [] as LedgerItem[] }]));
  // Items of a name sort behind those of names below it whose label begins with a digit.
  const ends = [...byPrefix.keys()].map((prefix) => `${prefix}[`).sort();
  const range = { after: [...byPrefix.keys()].sort()[0] ?? null, through: ends.at(-1) ?? '[' };
  let read = 0;
  let reached: string | null = null;
  for await (const item of eachBetween(ledger, recordSetsPartition(hostedZoneId), range)) {
    read += 1;
    if (read > itemsMax) {
      reached = item.sort;
      break;
    }
    byPrefix.get(item.sort.slice(0, item.sort.search(/[A-Z]/)))?.items.push(item);
  }
  // Items of the name itself sort before "[" (see readNameItems), so a name is complete once that was reached.
  const whole = [...byPrefix].filter(([prefix]) => reached === null || `${prefix}[` <= reached);
  return new Map(whole.map(([, { name, items }]) => [name, items]));
}

/** The record set items of one name. @throws UnreadableItemError */
export async function readName(ledger: Ledger, hostedZoneId: string, name: string): Promise<Stored<RecordSetItem>[]> {
  const items = await readNameItems(ledger, hostedZoneId, name);
  return items.map(storedRecordSet);
}

/** A record set item with its revision. @throws UnreadableItemError */
function storedRecordSet(item: LedgerItem): Stored<RecordSetItem> {
  return { item: recordSetCodec.decode(item), revision: item.revision };
}

/** Reads the record set items of a name in a hosted zone. */
export type NameReader = (hostedZoneId: string, name: string) => Promise<readonly RecordSetItem[]>;

/** From so many names on, all record sets of a hosted zone are read at once. */
const MANY_NAMES = 100;

/** Reads the items of so many names: name by name, or if they are many, those of a whole hosted zone at once. */
export function nameReader(ledger: Ledger, names: number): NameReader {
  if (names < MANY_NAMES) return async (id, name) => (await readName(ledger, id, name)).map(({ item }) => item);
  const allOf = oncePerKey(
    (id: string) => id,
    async (id) => {
      const all: RecordSetItem[] = [];
      for await (const stored of eachItem(ledger, recordSetsPartition(id))) {
        const item = recordSetCodec.read(stored);
        if (!(item instanceof UnreadableItemError)) all.push(item);
      }
      return Map.groupBy(all, ({ name }) => name);
    },
  );
  return async (id, name) => (await allOf(id)).get(name) ?? [];
}

/** `mayGoOn` is asked after the item was read again. `optionsOf`: what else is written with the item. */
export type SaveOptions = {
  readonly mayGoOn?: () => Promise<boolean>;
  readonly optionsOf?: (item: RecordSetItem) => PutOptions;
};

/**
 * Changes one record set item by compare-and-swap, starting from `stored` (null: believed absent), or from the item as
 * it is, if that is another. `change` returns null to change nothing. Returns the written item; null if nothing was
 * written.
 */
export async function changeRecordSetItem(
  ledger: Ledger,
  hostedZoneId: string,
  key: RecordSetKey,
  stored: Stored<RecordSetItem> | null,
  change: (item: RecordSetItem) => RecordSetItem | null | Promise<RecordSetItem | null>,
  { mayGoOn = async () => true, optionsOf }: SaveOptions = {},
): Promise<Stored<RecordSetItem> | null> {
  let first = true;
  const next = async (item: RecordSetItem | null) => {
    if (!first && !(await mayGoOn())) return null;
    first = false;
    return change(item ?? newRecordSetItem(key));
  };
  return swap(ledger, recordSetItemKey(hostedZoneId, key), recordSetCodec, next, stored, optionsOf);
}
