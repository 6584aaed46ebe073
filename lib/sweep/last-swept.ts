// When each hosted zone was last compared with Route 53, and when as part of a whole sweep: for the age that is measured and
// alarmed, and so that ten hints of drift which waited for one sweep do not lead to ten more.
import * as z from 'zod';
import { LedgerContentionError, SWAP_ATTEMPTS_MAX } from '../ledger/compare-and-swap.ts';
import { allItems } from '../ledger/pages.ts';
import type { Ledger, LedgerKey } from '../ports/ledger.ts';

const VERSION = 1;
const body = z.object({
  v: z.literal(VERSION),
  hostedZoneId: z.string(),
  /** When the last comparison of this hosted zone began, whole sweep or not. */
  begunMs: z.number(),
  /** When the last whole sweep began that came to its end; null: none yet. */
  wholeMs: z.number().nullable(),
});

export type SweepNote = { readonly hostedZoneId: string; readonly begunMs: number; readonly wholeMs: number | null };

/** Notes a comparison that came to its end. `beganMs`: milliseconds since the epoch. */
export async function noteSweep(
  ledger: Ledger,
  clusterId: string,
  sweep: { readonly hostedZoneId: string; readonly beganMs: number; readonly whole: boolean },
): Promise<void> {
  const key: LedgerKey = { partition: partition(clusterId), sort: sweep.hostedZoneId };
  for (let attempt = 0; attempt < SWAP_ATTEMPTS_MAX; attempt += 1) {
    const stored = await ledger.get(key);
    const before = stored === null ? null : body.parse(stored.body);
    const next = {
      v: VERSION,
      hostedZoneId: sweep.hostedZoneId,
      begunMs: Math.max(before?.begunMs ?? 0, sweep.beganMs),
      wholeMs: sweep.whole ? Math.max(before?.wholeMs ?? 0, sweep.beganMs) : (before?.wholeMs ?? null),
    };
    if ((await ledger.put(key, next, stored?.revision ?? null)) !== null) return;
  }
  throw new LedgerContentionError(`the sweep note of hosted zone ${sweep.hostedZoneId}`);
}

/** The notes of a cluster's hosted zones. */
export async function readSweepNotes(ledger: Ledger, clusterId: string): Promise<readonly SweepNote[]> {
  return (await allItems(ledger, partition(clusterId))).map((item) => body.parse(item.body));
}

function partition(clusterId: string): string {
  return `sweeps#${clusterId}`;
}
