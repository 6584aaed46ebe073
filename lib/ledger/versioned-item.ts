// How an item is written and read, whatever it holds: every body carries a version. An item of a version that this code does not know
// is never guessed at and never overwritten: decoding it ends in a LedgerVersionError, which costs that item alone.
import type * as z from 'zod';
import type { JsonObject, LedgerItem } from '../ports/ledger.ts';

const VERSION = 1;

/** An item that this version of the code cannot read: written by a newer or an older one, or damaged. */
export class LedgerVersionError extends Error {
  readonly partition: string;
  readonly sort: string;

  constructor(item: LedgerItem, detail: string) {
    super(`Cannot read ledger item "${item.partition}" / "${item.sort}": ${detail}`);
    this.name = 'LedgerVersionError';
    this.partition = item.partition;
    this.sort = item.sort;
  }
}

/** An item with the revision that it was read or written at. */
export type Stored<T> = { readonly item: T; readonly revision: string };

/** The body of an item by its schema. @throws LedgerVersionError when it is of another version, or malformed. */
export function decodeBody<T>(schema: z.ZodType<T>, item: LedgerItem): T {
  if (item.body.v !== VERSION) {
    throw new LedgerVersionError(item, `its version is ${JSON.stringify(item.body.v)}, this code knows ${VERSION}`);
  }
  const parsed = schema.safeParse(item.body);
  // What a later version of this code added to the body is kept, so that two versions may run at once.
  const { v: _, ...kept } = item.body;
  if (parsed.success) return { ...kept, ...parsed.data };
  const issue = parsed.error.issues[0];
  throw new LedgerVersionError(item, `${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'malformed'}`);
}

/** The body to write: an item with the version that this code writes. An absent optional field is no field: JSON has no undefined. */
export function encodeBody(item: object): JsonObject {
  return { v: VERSION, ...item };
}

export function checked(item: LedgerItem): JsonObject {
  if (item.body.v !== 1)
    throw new LedgerVersionError(item, `its version is ${JSON.stringify(item.body.v)}, this code knows 1`);
  return item.body;
}
