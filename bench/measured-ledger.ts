// A ledger that counts items and bytes, as DynamoDB bills them, and can tell everything that stands in it. An item's size is
// its attributes' names and values in UTF-8 (developer guide, "Item sizes and formats"); a read that finds nothing is one item.
import { ledgerAttributes } from '../lib/adapters/ledger/dynamodb-ledger.ts';
import type { JsonObject, Ledger, LedgerKey } from '../lib/ports/ledger.ts';

export type LedgerUse = { itemsRead: number; bytesRead: number; itemsWritten: number; bytesWritten: number };

export type MeasuredLedger = {
  readonly port: Ledger;
  /** Since the last `take`. */
  take(): LedgerUse;
  /** Every item that was written through this and not removed; empty unless asked to keep them. */
  items(): Iterable<{ readonly key: LedgerKey; readonly body: JsonObject }>;
};

const NOTHING: LedgerUse = { itemsRead: 0, bytesRead: 0, itemsWritten: 0, bytesWritten: 0 };

export type MeasuredOptions = {
  /** Remembers what was written. */
  readonly keep?: boolean;
  /** Counts bytes too, which takes longer than a ledger in memory does. Default: yes. */
  readonly weigh?: boolean;
};

/** Counts over another ledger. */
export function measuredLedger(inner: Ledger, { keep = false, weigh = true }: MeasuredOptions = {}): MeasuredLedger {
  let use = { ...NOTHING };
  const weight = weigh ? itemBytes : () => 0;
  const kept = new Map<string, { key: LedgerKey; body: JsonObject }>();
  const read = (items: readonly { partition: string; sort: string; body: JsonObject }[]) => {
    use.itemsRead += Math.max(1, items.length);
    for (const item of items) use.bytesRead += weight(item, item.body);
  };
  return {
    port: {
      get: async (key) => {
        const item = await inner.get(key);
        read(item === null ? [] : [item]);
        return item;
      },
      query: async (partition, options) => {
        const page = await inner.query(partition, options);
        read(page.items);
        return page;
      },
      put: async (key, body, expected) => {
        use.itemsWritten += 1;
        use.bytesWritten += weight(key, body);
        const revision = await inner.put(key, body, expected);
        if (keep && revision !== null) kept.set(`${key.partition}\0${key.sort}`, { key, body });
        return revision;
      },
      remove: async (key, expected) => {
        use.itemsWritten += 1;
        const removed = await inner.remove(key, expected);
        if (removed) kept.delete(`${key.partition}\0${key.sort}`);
        return removed;
      },
    },
    take: () => {
      const taken = use;
      use = { ...NOTHING };
      return taken;
    },
    items: () => kept.values(),
  };
}

/** What an item with this body takes in DynamoDB. */
export function itemBytes(key: LedgerKey, body: JsonObject): number {
  let bytes = 0;
  for (const [name, value] of Object.entries(ledgerAttributes(key, REVISION, body))) {
    bytes +=
      Buffer.byteLength(name) + (typeof value === 'string' ? Buffer.byteLength(value) : (value as Buffer).length);
  }
  return bytes;
}

/** As long as any. */
const REVISION = '00000000-0000-0000-0000-000000000000';
