// The one loop by which an item is changed on top of what others write meanwhile.
import type { Ledger, LedgerKey } from '../ports/ledger.ts';
import { type Codec, readItem, type Stored } from './item-codec.ts';

/** Tries of a compare-and-swap before giving up: two or three writers contend for an item, never fifty. */
const SWAP_ATTEMPTS_MAX = 50;

/** A write that kept losing its compare-and-swap: the message is redelivered. */
export class LedgerContentionError extends Error {
  constructor({ partition, sort }: LedgerKey) {
    super(`Cannot write ledger item "${partition}" / "${sort}": it was written by others ${SWAP_ATTEMPTS_MAX} times`);
    this.name = 'LedgerContentionError';
  }
}

/**
 * Changes one item. `change` is given what stands there (null: nothing) and says what is to; null leaves it alone. When
 * somebody else was faster it is asked again, with what stands there then. `known`: what the caller believes to stand
 * there, in place of a first read. Returns what was written; null when it was left alone.
 * @throws UnreadableItemError, LedgerContentionError
 */
export async function swap<T>(
  ledger: Ledger,
  key: LedgerKey,
  codec: Codec<T>,
  change: (item: T | null) => T | null | Promise<T | null>,
  known?: Stored<T> | null,
): Promise<Stored<T> | null> {
  let current = known === undefined ? await readItem(ledger, key, codec) : known;
  for (let attempt = 0; attempt < SWAP_ATTEMPTS_MAX; attempt += 1) {
    const item = await change(current?.item ?? null);
    if (item === null) return null;
    const revision = await ledger.put(key, codec.encode(item), current?.revision ?? null);
    if (revision !== null) return { item, revision };
    current = await readItem(ledger, key, codec);
  }
  throw new LedgerContentionError(key);
}
