// Creates, replaces, removes and lists items of the intent API. Replacing and removing need the revision that the
// caller has seen. A write is complete or does not happen.
import { swap } from '../../ledger/compare-and-swap.ts';
import { type Codec, readItem, type Stored, UnreadableItemError } from '../../ledger/item-codec.ts';
import { eachItem } from '../../ledger/pages.ts';
import type { Ledger, LedgerKey } from '../../ports/ledger.ts';

/** Tries of a removal that loses to writers, before it gives up. */
const TRIES_MAX = 50;

/** How a write of one item ended. */
export type Written<T> =
  | { readonly kind: 'written'; readonly stored: Stored<T> }
  | { readonly kind: 'exists' }
  | { readonly kind: 'missing' }
  /** The item has another revision than the caller saw. */
  | { readonly kind: 'changed' };

/** Whether the caller may overwrite an item of this revision; null: of any. */
export type Precondition = ((revision: string) => boolean) | null;

/** Creates an item that must not exist. */
export async function create<T>(ledger: Ledger, key: LedgerKey, codec: Codec<T>, item: T): Promise<Written<T>> {
  const revision = await ledger.put(key, codec.encode(item), null);
  return revision === null ? { kind: 'exists' } : { kind: 'written', stored: { item, revision } };
}

/** Replaces an item that must exist. `build` makes the new item from the old; null leaves the old one. */
export async function replace<T>(
  ledger: Ledger,
  key: LedgerKey,
  codec: Codec<T>,
  precondition: Precondition,
  build: (before: T) => T | null,
): Promise<Written<T> | { readonly kind: 'refused' }> {
  let unwritten: 'missing' | 'changed' | 'refused' = 'missing';
  const stored = await swap(ledger, key, codec, (before, revision) => {
    if (before === null || revision === null) return null;
    unwritten = precondition?.(revision) === false ? 'changed' : 'refused';
    return unwritten === 'refused' ? build(before) : null;
  });
  return stored === null ? { kind: unwritten } : { kind: 'written', stored };
}

/** Removes an item that must exist. */
export async function remove<T>(
  ledger: Ledger,
  key: LedgerKey,
  codec: Codec<T>,
  precondition: Precondition,
): Promise<'removed' | 'missing' | 'changed'> {
  for (let tries = 0; tries < TRIES_MAX; tries += 1) {
    const before = await readItem(ledger, key, codec);
    if (before === null) return 'missing';
    if (precondition !== null && !precondition(before.revision)) return 'changed';
    if (await ledger.remove(key, before.revision)) return 'removed';
  }
  return 'changed';
}

/** A page of items. `next`: the place after which the next page begins; null at the end. */
export type Page<T> = { readonly items: readonly T[]; readonly next: string | null };

/**
 * At most `limit` items whose sort key begins with `prefix`, after `after` (the rest of a sort key). An item that
 * cannot be read is left out: the others are listed, and a request for it by name says what is wrong with it.
 */
export async function page<T>(
  ledger: Ledger,
  { partition, prefix }: { readonly partition: string; readonly prefix: string },
  codec: Codec<T>,
  { after, limit }: { readonly after: string | null; readonly limit: number },
): Promise<Page<T>> {
  const items: { readonly sort: string; readonly item: T }[] = [];
  let from = after === null ? null : `${prefix}${after}`;
  do {
    const { items: read, next } = await ledger.query(partition, {
      prefix,
      limit: limit + 1 - items.length,
      ...(from === null ? {} : { after: from }),
    });
    for (const stored of read) {
      const item = codec.read(stored);
      if (!(item instanceof UnreadableItemError)) items.push({ sort: stored.sort, item });
    }
    from = next;
  } while (from !== null && items.length <= limit);
  const kept = items.slice(0, limit);
  const more = items.length > limit ? kept.at(-1) : undefined;
  return { items: kept.map(({ item }) => item), next: more === undefined ? null : more.sort.slice(prefix.length) };
}

/** Every item whose sort key begins with `prefix`, with the rest of its sort key. */
export function all<T>(
  ledger: Ledger,
  { partition, prefix }: { readonly partition: string; readonly prefix: string },
  codec: Codec<T>,
): Promise<readonly (Stored<T> & { readonly rest: string })[]> {
  return Array.fromAsync(eachItem(ledger, partition, prefix), (stored) => ({
    rest: stored.sort.slice(prefix.length),
    item: codec.decode(stored),
    revision: stored.revision,
  }));
}
