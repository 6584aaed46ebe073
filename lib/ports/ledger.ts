// The ledger, as the use cases see it: items under a key, written by compare-and-swap. lib/ledger says how an item is
// versioned and read.
export type JsonValue = null | boolean | number | string | readonly JsonValue[] | { readonly [key: string]: JsonValue };
export type JsonObject = { readonly [key: string]: JsonValue };

/** One item. `revision` is opaque and never repeats, not even after a removal: the only condition there is. */
export type LedgerItem = {
  readonly partition: string;
  readonly sort: string;
  readonly revision: string;
  readonly body: JsonObject;
};

export type LedgerKey = { readonly partition: string; readonly sort: string };

/** A page of a query, in order of `sort` (bytewise); `next` is the `after` of the following page, null at the end. */
export type LedgerPage = { readonly items: readonly LedgerItem[]; readonly next: string | null };

/** Strongly consistent reads of one partition, conditional writes of one item; nothing else. */
export type Ledger = {
  get(key: LedgerKey): Promise<LedgerItem | null>;
  /** Items of one partition whose sort key starts with `prefix` (default: all) and lies after `after` (exclusive). */
  query(
    partition: string,
    options?: { readonly prefix?: string; readonly after?: string; readonly limit?: number },
  ): Promise<LedgerPage>;
  /** Writes if the item's revision is `expected` (null: no item). Returns the new revision; null if it was not. */
  put(key: LedgerKey, body: JsonObject, expected: string | null): Promise<string | null>;
  /** Removes if the item stands at `expected`. Returns false when it does not. */
  remove(key: LedgerKey, expected: string): Promise<boolean>;
};
