// The pages of lists: at most 200 rows, and where the next page begins. `after` is opaque to the page.
import * as z from 'zod';
import { ROWS_MAX } from './answers.ts';
import { ProblemError } from './problem.ts';

/** Behind which row of which part a page begins; `row` "": at the beginning of the part. */
export type Cursor = { readonly part: string; readonly row: string };

const cursor = z.tuple([z.string(), z.string()]);

export function cursorText({ part, row }: Cursor): string {
  return Buffer.from(JSON.stringify([part, row])).toString('base64url');
}

/** @throws ProblemError for what no earlier answer has given */
export function parseCursor(text: string | undefined): Cursor | null {
  if (text === undefined) return null;
  try {
    const [part, row] = cursor.parse(JSON.parse(Buffer.from(text, 'base64url').toString()));
    return { part, row };
  } catch {
    throw new ProblemError(400, '"after" must be that of an earlier answer.');
  }
}

/** A page of sorted rows. */
export function pageOf<Row>(
  rows: readonly Row[],
  keyOf: (row: Row) => string,
  { limit = ROWS_MAX, after }: { readonly limit?: number | undefined; readonly after?: string | undefined },
): { readonly rows: readonly Row[]; readonly after: string | null } {
  const from = parseCursor(after)?.row ?? '';
  const first = from === '' ? 0 : rows.findIndex((row) => keyOf(row) > from);
  const page = first === -1 ? [] : rows.slice(first, first + Math.min(limit, ROWS_MAX));
  const last = page.at(-1);
  const isLast = last === undefined || last === rows.at(-1);
  return { rows: page, after: isLast ? null : cursorText({ part: '', row: keyOf(last) }) };
}
