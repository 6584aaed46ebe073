// A ledger that counts its calls and the items read and written, which DynamoDB bills. A read that finds nothing counts
// as one item, as DynamoDB bills it.
import type { Ledger } from '../../lib/ports/ledger.ts';

export type LedgerCounts = { calls: number; itemsRead: number; itemsWritten: number };

export type CountingLedger = {
  readonly port: Ledger;
  /** Counts since the last `take`. */
  take(): LedgerCounts;
};

/** Counts the calls of another ledger. */
export function countingLedger(inner: Ledger): CountingLedger {
  let counts: LedgerCounts = { calls: 0, itemsRead: 0, itemsWritten: 0 };
  const read = (items: number) => {
    counts.calls += 1;
    counts.itemsRead += Math.max(1, items);
  };
  const written = (items: number) => {
    counts.calls += 1;
    counts.itemsWritten += items;
  };
  return {
    port: {
      get: async (key) => {
        read(1);
        return inner.get(key);
      },
      query: async (partition, options) => {
        const page = await inner.query(partition, options);
        read(page.items.length);
        return page;
      },
      put: async (key, body, expected, options) => {
        written(1 + (options?.beside ?? []).length);
        return inner.put(key, body, expected, options);
      },
      remove: async (key, expected) => {
        written(1);
        return inner.remove(key, expected);
      },
    },
    take: () => {
      const taken = counts;
      counts = { calls: 0, itemsRead: 0, itemsWritten: 0 };
      return taken;
    },
  };
}
