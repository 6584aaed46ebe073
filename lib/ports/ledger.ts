// The interface to the ledger: items that are addressed by a key and written by compare-and-swap. lib/ledger defines
// how the body of an item is versioned and decoded.
export type JsonValue = null | boolean | number | string | readonly JsonValue[] | { readonly [key: string]: JsonValue };
export type JsonObject = { readonly [key: string]: JsonValue };

/** One item. `revision` is opaque and never repeats, not even after a removal. It is the only write condition. */
export type LedgerItem = {
  readonly partition: string;
  readonly sort: string;
  readonly revision: string;
  readonly body: JsonObject;
};

export type LedgerKey = { readonly partition: string; readonly sort: string };

/** A page of a query, ordered by `sort` (bytewise). `next`: the `after` of the following page; null after the last. */
export type LedgerPage = { readonly items: readonly LedgerItem[]; readonly next: string | null };

/** The items of a partition whose sort key starts with `prefix` (default: all) and is greater than `after`. */
export type LedgerQuery = { readonly prefix?: string; readonly after?: string; readonly limit?: number };

/** An item that is written beside another. `expiresAtMs`: nobody needs it from then on. */
export type LedgerWrite = { readonly key: LedgerKey; readonly body: JsonObject; readonly expiresAtMs?: number };

/** `beside`: items that are written, whatever is there, if the item of `put` is; all or none, in one request. */
export type PutOptions = { readonly beside?: readonly LedgerWrite[]; readonly expiresAtMs?: number };

/** Strongly consistent reads, and writes on condition of the revision of one item. There is nothing else. */
export type Ledger = {
  get(key: LedgerKey): Promise<LedgerItem | null>;
  query(partition: string, options?: LedgerQuery): Promise<LedgerPage>;
  /**
   * Writes when the item has the revision `expected` (null: when there is no item). Returns the new revision, or null
   * when nothing was written.
   */
  put(key: LedgerKey, body: JsonObject, expected: string | null, options?: PutOptions): Promise<string | null>;
  /** Removes the item when it has the revision `expected`. Returns false when it has not. */
  remove(key: LedgerKey, expected: string): Promise<boolean>;
};
