// When each hosted zone was last compared with Route 53, and when it was last part of a whole sweep. The age of the
// latter is measured and alarmed. The former prevents that ten hints of drift lead to ten sweeps.
import * as z from 'zod';
import { swap } from '../ledger/compare-and-swap.ts';
import { type Codec, type Item, itemCodec } from '../ledger/item-codec.ts';
import { allItems } from '../ledger/pages.ts';
import { orUnread, readableItems } from '../ledger/skip-unreadable.ts';
import type { Ledger, LedgerKey } from '../ports/ledger.ts';
import type { ClusterItem } from '../record-sets/cluster-item.ts';

const noteBody = z.object({
  hostedZoneId: z.string(),
  /** When the last comparison of this hosted zone began, as part of a whole sweep or not. */
  begunMs: z.number(),
  /** When the last whole sweep began that was completed; null: none yet. */
  wholeMs: z.number().nullable(),
});

export type SweepNote = Item<typeof noteBody>;
export const noteCodec: Codec<SweepNote> = itemCodec(noteBody);

/** Notes a completed comparison. `beganMs`: milliseconds since the epoch. */
export async function noteSweep(
  ledger: Ledger,
  clusterId: string,
  sweep: { readonly hostedZoneId: string; readonly beganMs: number; readonly whole: boolean },
): Promise<void> {
  const key: LedgerKey = { partition: partition(clusterId), sort: sweep.hostedZoneId };
  const note = (before: SweepNote | null) => ({
    hostedZoneId: sweep.hostedZoneId,
    begunMs: Math.max(before?.begunMs ?? 0, sweep.beganMs),
    wholeMs: sweep.whole ? Math.max(before?.wholeMs ?? 0, sweep.beganMs) : (before?.wholeMs ?? null),
  });
  await orUnread(() => swap(ledger, key, noteCodec, note));
}

export async function readSweepNotes(ledger: Ledger, clusterId: string): Promise<readonly SweepNote[]> {
  return readableItems(noteCodec, await allItems(ledger, partition(clusterId)));
}

function partition(clusterId: string): string {
  return `sweeps#${clusterId}`;
}

/** When a cluster was last read as a whole, in milliseconds since the epoch; null: it is not known. */
export function lastReadingMs(known: Pick<ClusterItem, 'readMs'> | null, notes: readonly SweepNote[]): number | null {
  const readMs = Math.max(known?.readMs ?? 0, ...notes.map(({ wholeMs }) => wholeMs ?? 0));
  return readMs === 0 ? null : readMs;
}
