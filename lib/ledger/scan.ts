// Reads several ranges of the ledger in a fixed order, a bounded number of items at a time. A run that must read very
// many items saves a cursor in the ledger, and the next run continues there.
import * as z from 'zod';
import { compareText } from '../dns/names/compare-text.ts';
import type { Ledger, LedgerItem } from '../ports/ledger.ts';

/** A partition, or the part of it whose sort keys start with `prefix`. */
export type Stop = { readonly partition: string; readonly prefix: string };

/** The last item that was read. `after` null: none of that stop yet. */
export type WalkCursor = Stop & { readonly after: string | null };

export const walkCursor: z.ZodType<WalkCursor> = z.object({
  partition: z.string(),
  prefix: z.string(),
  after: z.string().nullable(),
});

export type Step<S extends Stop> = {
  readonly items: readonly { readonly stop: S; readonly item: LedgerItem }[];
  /** Null: that was the last. */
  readonly next: WalkCursor | null;
};

/**
 * The next items of a walk, at most `max`. Stops are read in order of partition and prefix, so a cursor keeps its
 * meaning if stops are added or removed meanwhile. A stop that is added before the cursor is not read in this walk.
 */
export async function walkOn<S extends Stop>(
  ledger: Ledger,
  stops: readonly S[],
  cursor: WalkCursor | null,
  max: number,
): Promise<Step<S>> {
  const items: { readonly stop: S; readonly item: LedgerItem }[] = [];
  for (const stop of stops.toSorted(compareStops)) {
    const order = cursor === null ? 1 : compareStops(stop, cursor);
    if (order < 0) continue;
    let after = order === 0 ? (cursor?.after ?? null) : null;
    do {
      if (items.length >= max) return { items, next: { partition: stop.partition, prefix: stop.prefix, after } };
      const page = await ledger.query(stop.partition, {
        prefix: stop.prefix,
        limit: max - items.length,
        ...(after === null ? {} : { after }),
      });
      for (const item of page.items) items.push({ stop, item });
      after = page.next;
    } while (after !== null);
  }
  return { items, next: null };
}

function compareStops(a: Stop, b: Stop): number {
  return compareText(a.partition, b.partition) || compareText(a.prefix, b.prefix);
}
