// Reads whole partitions of the ledger, page by page.
import type { Ledger, LedgerItem, LedgerPage } from './ports.ts';

/** Every item of a partition whose sort key starts with `prefix`, in order. */
export async function* eachItem(ledger: Ledger, partition: string, prefix = ''): AsyncGenerator<LedgerItem> {
  let after: string | null = null;
  do {
    const page = await ledger.query(partition, { prefix, ...(after === null ? {} : { after }) });
    yield* page.items;
    after = page.next;
  } while (after !== null);
}

/** The same, all at once. */
export async function allItems(ledger: Ledger, partition: string, prefix = ''): Promise<readonly LedgerItem[]> {
  const items: LedgerItem[] = [];
  let after: string | null = null;
  do {
    const page: LedgerPage = await ledger.query(partition, { prefix, ...(after === null ? {} : { after }) });
    items.push(...page.items);
    after = page.next;
  } while (after !== null);
  return items;
}
