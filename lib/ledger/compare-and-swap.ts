// The one loop that changes an item while others may write it, too. Only the budget of Route 53 calls has a loop of its
// own: dozens of functions write that item, so they pause between tries.
import type { Ledger, LedgerKey, PutOptions } from '../ports/ledger.ts';
import { type Codec, readItem, type Stored } from './item-codec.ts';

/** How often a compare-and-swap is tried: two or three writers contend for an item, never fifty. */
const SWAP_ATTEMPTS_MAX = 50;

/** A write failed in every compare-and-swap. The message is redelivered. */
export class LedgerContentionError extends Error {
  constructor({ partition, sort }: LedgerKey) {
    super(`Cannot write ledger item "${partition}" / "${sort}": it was written by others ${SWAP_ATTEMPTS_MAX} times`);
    this.name = 'LedgerContentionError';
  }
}

/**
 * Changes one item. `change` gets the present item and its revision (null: there is none) and returns the new one;
 * null: no change. If another writer was faster, it is called again with the item as it is then. `known`: the item as
 * the caller knows it, in place of a first read. `optionsOf`: what else is written with it. Returns what was written;
 * null if nothing was.
 * @throws UnreadableItemError, LedgerContentionError
 */
export async function swap<T>(
  ledger: Ledger,
  key: LedgerKey,
  codec: Codec<T>,
  change: (item: T | null, revision: string | null) => T | null | Promise<T | null>,
  known?: Stored<T> | null,
  optionsOf?: (item: T) => PutOptions,
): Promise<Stored<T> | null> {
  let current = known === undefined ? await readItem(ledger, key, codec) : known;
  for (let attempt = 0; attempt < SWAP_ATTEMPTS_MAX; attempt += 1) {
    const item = await change(current?.item ?? null, current?.revision ?? null);
    if (item === null) return null;
    const revision = await ledger.put(key, codec.encode(item), current?.revision ?? null, optionsOf?.(item));
    if (revision !== null) return { item, revision };
    current = await readItem(ledger, key, codec);
  }
  throw new LedgerContentionError(key);
}
