// Reads whole partitions of the ledger, or ranges of them, page by page.
import type { Ledger, LedgerItem, LedgerKey } from '../ports/ledger.ts';

/** A range of sort keys of a partition. A bound that is left out does not limit it. */
export type ItemRange = {
  readonly prefix?: string;
  /** Exclusive. */
  readonly after?: string | null;
  /** Inclusive. */
  readonly through?: string | null;
};

/** Every item of a partition whose sort key starts with `prefix`, in order. */
export function eachItem(ledger: Ledger, partition: string, prefix = ''): AsyncGenerator<LedgerItem> {
  return eachBetween(ledger, partition, { prefix });
}

/** Every item of a range, in order. */
export async function* eachBetween(
  ledger: Ledger,
  partition: string,
  { prefix = '', after = null, through = null }: ItemRange,
): AsyncGenerator<LedgerItem> {
  let from = after;
  do {
    const page = await ledger.query(partition, { prefix, ...(from === null ? {} : { after: from }) });
    for (const item of page.items) {
      if (through !== null && item.sort > through) return;
      yield item;
    }
    from = page.next;
  } while (from !== null);
}

/** Every item of a partition whose sort key starts with `prefix`, in one list. */
export function allItems(ledger: Ledger, partition: string, prefix = ''): Promise<readonly LedgerItem[]> {
  return Array.fromAsync(eachItem(ledger, partition, prefix));
}

/** The values of the items that `keeps` accepts. Read page by page, so that the items are never all in memory. */
export async function readAll<T>(
  ledger: Ledger,
  partition: string,
  read: (item: LedgerItem) => T,
  keeps: (value: T) => boolean = () => true,
): Promise<T[]> {
  const found: T[] = [];
  for await (const item of eachItem(ledger, partition)) {
    const value = read(item);
    if (keeps(value)) found.push(value);
  }
  return found;
}

export function sameKey(a: LedgerKey, b: LedgerKey | null): boolean {
  return a.partition === b?.partition && a.sort === b.sort;
}
