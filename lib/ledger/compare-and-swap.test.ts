import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { memoryLedger } from '../adapters/ledger/memory-ledger.ts';
import type { Ledger } from '../ports/ledger.ts';
import { LedgerContentionError, swap } from './compare-and-swap.ts';
import { itemCodec, UnreadableItemError } from './item-codec.ts';

const codec = itemCodec(z.object({ count: z.number() }));
const KEY = { partition: 'p', sort: 's' };
const one = (item: { count: number } | null) => ({ count: (item?.count ?? 0) + 1 });

/** A ledger in which another writer changes the item before each of our next `times` writes. */
function contended(ledger: Ledger, times: number): Ledger {
  let left = times;
  return {
    ...ledger,
    put: async (key, body, expected) => {
      left -= 1;
      if (left >= 0) await swap(ledger, key, codec, one);
      return ledger.put(key, body, expected);
    },
  };
}

describe('swap()', () => {
  test('creates an item, and changes an existing one', async () => {
    const ledger = memoryLedger();
    expect((await swap(ledger, KEY, codec, one))?.item).toEqual({ count: 1 });
    expect((await swap(ledger, KEY, codec, one))?.item).toEqual({ count: 2 });
  });

  test('writes nothing when the change is null', async () => {
    const ledger = memoryLedger();
    expect(await swap(ledger, KEY, codec, () => null)).toBe(null);
    expect(await ledger.get(KEY)).toBe(null);
  });

  test('begins with what the caller knows, and continues with what the ledger has', async () => {
    const ledger = memoryLedger();
    await swap(ledger, KEY, codec, one);
    expect((await swap(ledger, KEY, codec, one, null))?.item).toEqual({ count: 2 });
  });

  test('loses nothing of what others write in the meantime', async () => {
    const ledger = memoryLedger();
    expect((await swap(contended(ledger, 7), KEY, codec, one))?.item).toEqual({ count: 8 });
  });

  test('gives up after 50 attempts', async () => {
    const ledger = memoryLedger();
    await expect(swap(contended(ledger, 50), KEY, codec, one)).rejects.toThrow(LedgerContentionError);
  });

  test('does not overwrite an item that this code cannot read', async () => {
    const ledger = memoryLedger();
    await ledger.put(KEY, { v: 2, count: 1 }, null);
    await expect(swap(ledger, KEY, codec, one)).rejects.toThrow(UnreadableItemError);
    expect((await ledger.get(KEY))?.body).toEqual({ v: 2, count: 1 });
  });
});
