// The dirty mark of a name that must be published. Each mark is a new generation. A run clears only the generation that
// it planned.
import * as z from 'zod';
import { reversedKey } from '../dns/names/name.ts';
import { swap } from '../ledger/compare-and-swap.ts';
import { anyText, type Codec, type Item, itemCodec } from '../ledger/item-codec.ts';
import type { Ledger, LedgerKey } from '../ports/ledger.ts';
import type { Cause, CauseKind } from '../ports/queues.ts';

const dirtyBody = z.object({
  name: z.string(),
  sinceMs: z.number(),
  /** When the first event behind it happened, its correlation id, and what else is known of it, if there was one. */
  hintAtMs: z.number().optional(),
  correlationId: z.string().optional(),
  via: anyText<CauseKind>().exactOptional(),
  user: z.string().exactOptional(),
  /** Changes that Route 53 refused before are tried again. */
  retry: z.boolean(),
  /** What other clusters have there may have changed: the Zone of the hosted zone is resolved again. */
  moves: z.literal(true).exactOptional(),
});
export type DirtyItem = Item<typeof dirtyBody>;
export const dirtyCodec: Codec<DirtyItem> = itemCodec(dirtyBody);

export function dirtyPartition(hostedZoneId: string): string {
  return `dirty#${hostedZoneId}`;
}

export function dirtyItemKey(hostedZoneId: string, name: string): LedgerKey {
  return { partition: dirtyPartition(hostedZoneId), sort: reversedKey(name) };
}

/**
 * Marks a name dirty, always with a new generation. `retry`: refused changes are tried again; `moves`: the Zone of the
 * hosted zone is resolved again.
 */
export async function markDirty(
  ledger: Ledger,
  hostedZoneId: string,
  name: string,
  nowMs: number,
  options: { readonly retry?: boolean; readonly moves?: boolean; readonly cause?: Cause } = {},
): Promise<void> {
  const mark = (before: DirtyItem | null): DirtyItem => {
    // The first event is kept, because it has waited longest.
    const hintAtMs = before?.hintAtMs ?? options.cause?.atMs;
    const correlationId = before?.correlationId ?? options.cause?.correlationId;
    const { via, user } = before?.via === undefined ? (options.cause ?? {}) : before;
    return {
      name,
      sinceMs: before?.sinceMs ?? nowMs,
      ...(hintAtMs === undefined ? {} : { hintAtMs }),
      ...(correlationId === undefined ? {} : { correlationId }),
      ...(via === undefined ? {} : { via }),
      ...(user === undefined ? {} : { user }),
      retry: options.retry === true || before?.retry === true,
      ...((options.moves === true || before?.moves === true) && { moves: true as const }),
    };
  };
  // The first try assumes that there is no mark, which is so for most names.
  await swap(ledger, dirtyItemKey(hostedZoneId, name), dirtyCodec, mark, null);
}

/**
 * Notes on the mark with this `revision` that refused changes have been tried again, and returns the new revision. Null
 * if there is a newer mark, which is left alone.
 */
export async function endRetry(
  ledger: Ledger,
  hostedZoneId: string,
  mark: Omit<DirtyItem, 'retry'>,
  revision: string,
): Promise<string | null> {
  return ledger.put(dirtyItemKey(hostedZoneId, mark.name), dirtyCodec.encode({ ...mark, retry: false }), revision);
}
