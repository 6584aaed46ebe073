// A ledger that counts items and bytes as DynamoDB bills them, and can list every item that it holds. The size of an
// item is that of its attributes' names and values in UTF-8 (developer guide, "Item sizes and formats"). A read that
// finds nothing counts as one item.
import { encodeBody } from '../lib/adapters/ledger/dynamodb-ledger.ts';
import { eachItem } from '../lib/ledger/pages.ts';
import type { JsonObject, Ledger, LedgerKey } from '../lib/ports/ledger.ts';

export type LedgerUse = { itemsRead: number; bytesRead: number; itemsWritten: number; bytesWritten: number };

export type MeasuredLedger = {
  readonly port: Ledger;
  /** Since the last `take`. */
  take(): LedgerUse;
  /** Every item of the partitions that were written through this. */
  items(): AsyncIterable<{ readonly key: LedgerKey; readonly body: JsonObject }>;
};

const NOTHING: LedgerUse = { itemsRead: 0, bytesRead: 0, itemsWritten: 0, bytesWritten: 0 };

export type MeasuredOptions = {
  /** Counts bytes too, which takes longer than the ledger in memory itself. Default: true. */
  readonly weigh?: boolean;
};

/** Counts the reads and writes of another ledger. */
export function measuredLedger(inner: Ledger, { weigh = true }: MeasuredOptions = {}): MeasuredLedger {
  let use = { ...NOTHING };
  const weight = weigh ? itemBytes : () => 0;
  const partitions = new Set<string>();
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
      put: async (key, body, expected, options) => {
        for (const one of [{ key, body }, ...(options?.beside ?? [])]) {
          use.itemsWritten += 1;
          use.bytesWritten += weight(one.key, one.body);
          partitions.add(one.key.partition);
        }
        return inner.put(key, body, expected, options);
      },
      remove: async (key, expected) => {
        use.itemsWritten += 1;
        return inner.remove(key, expected);
      },
    },
    take: () => {
      const taken = use;
      use = { ...NOTHING };
      return taken;
    },
    items: async function* () {
      for (const partition of partitions)
        for await (const { sort, body } of eachItem(inner, partition)) yield { key: { partition, sort }, body };
    },
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

/** The attributes of an item in the table. */
export function ledgerAttributes(key: LedgerKey, revision: string, body: JsonObject): Record<string, unknown> {
  return { pk: key.partition, sk: key.sort, rev: revision, ...encodeBody(body) };
}

/** Every revision is as long as this. */
const REVISION = '00000000-0000-0000-0000-000000000000';
