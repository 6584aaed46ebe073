// The mark over a name that is to be published: always a new generation, cleared only at the one that was planned.
import * as z from 'zod';
import { reversedKey } from '../dns/names/name.ts';
import { swap } from '../ledger/compare-and-swap.ts';
import { itemCodec } from '../ledger/item-codec.ts';
import type { Ledger, LedgerKey } from '../ports/ledger.ts';
import type { Cause } from '../ports/queues.ts';

const dirtyBody = z.object({
  name: z.string(),
  sinceMs: z.number(),
  /** When the first event behind it happened, and under which id it is followed; absent where it was no event. */
  hintAtMs: z.number().optional(),
  correlationId: z.string().optional(),
  /** What Route 53 refused before is to be tried again. */
  retry: z.boolean().default(false),
});
export type DirtyItem = z.infer<typeof dirtyBody>;
export const dirtyCodec = itemCodec(dirtyBody);

export function dirtyPartition(hostedZoneId: string): string {
  return `dirty#${hostedZoneId}`;
}

export function dirtyItemKey(hostedZoneId: string, name: string): LedgerKey {
  return { partition: dirtyPartition(hostedZoneId), sort: reversedKey(name) };
}

/** Raises the dirty mark of a name: always a new generation. `retry`: what was refused is to be tried again. */
export async function markDirty(
  ledger: Ledger,
  hostedZoneId: string,
  name: string,
  nowMs: number,
  options: { readonly retry?: boolean; readonly cause?: Cause } = {},
): Promise<void> {
  const mark = (before: DirtyItem | null): DirtyItem => {
    // The first event counts: it has waited longest.
    const hintAtMs = before?.hintAtMs ?? options.cause?.atMs;
    const correlationId = before?.correlationId ?? options.cause?.correlationId;
    return {
      name,
      sinceMs: before?.sinceMs ?? nowMs,
      ...(hintAtMs === undefined ? {} : { hintAtMs }),
      ...(correlationId === undefined ? {} : { correlationId }),
      retry: options.retry === true || before?.retry === true,
    };
  };
  // Most names are not marked yet.
  await swap(ledger, dirtyItemKey(hostedZoneId, name), dirtyCodec, mark, null);
}

/**
 * Notes on the mark with this `revision` that refused changes have been tried again; returns the new revision. Null if
 * there is another mark, which is left alone.
 */
export async function endRetry(
  ledger: Ledger,
  hostedZoneId: string,
  mark: Omit<DirtyItem, 'retry'>,
  revision: string,
): Promise<string | null> {
  return ledger.put(dirtyItemKey(hostedZoneId, mark.name), dirtyCodec.encode({ ...mark, retry: false }), revision);
}
