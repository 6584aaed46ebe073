// The mark over a name that is to be published: always a new generation, cleared only at the one that was planned.
import * as z from 'zod';
import { reversedKey } from '../dns/names/name.ts';
import { LedgerContentionError, SWAP_ATTEMPTS_MAX } from '../ledger/compare-and-swap.ts';
import { decodeBody, encodeBody } from '../ledger/versioned-item.ts';
import type { Ledger, LedgerItem, LedgerKey } from '../ports/ledger.ts';
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
export function dirtyPartition(hostedZoneId: string): string {
  return `dirty#${hostedZoneId}`;
}

export function dirtyItemKey(hostedZoneId: string, name: string): LedgerKey {
  return { partition: dirtyPartition(hostedZoneId), sort: reversedKey(name) };
}

export function decodeDirtyItem(item: LedgerItem): DirtyItem {
  return decodeBody(dirtyBody, item);
}

/** Raises the dirty mark of a name: always a new generation. `retry`: what was refused is to be tried again. */
export async function markDirty(
  ledger: Ledger,
  hostedZoneId: string,
  name: string,
  nowMs: number,
  options: { readonly retry?: boolean; readonly cause?: Cause } = {},
): Promise<void> {
  const key = dirtyItemKey(hostedZoneId, name);
  for (let attempt = 0; attempt < SWAP_ATTEMPTS_MAX; attempt += 1) {
    const raw = attempt === 0 ? null : await ledger.get(key);
    const before = raw === null ? null : decodeDirtyItem(raw);
    // The first event counts: it has waited longest.
    const hintAtMs = before?.hintAtMs ?? options.cause?.atMs;
    const correlationId = before?.correlationId ?? options.cause?.correlationId;
    const mark: DirtyItem = {
      name,
      sinceMs: before?.sinceMs ?? nowMs,
      ...(hintAtMs === undefined ? {} : { hintAtMs }),
      ...(correlationId === undefined ? {} : { correlationId }),
      retry: options.retry === true || before?.retry === true,
    };
    if ((await ledger.put(key, encodeBody(mark), raw?.revision ?? null)) !== null) return;
  }
  throw new LedgerContentionError(`dirty mark of ${name}`);
}
