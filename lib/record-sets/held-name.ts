// A name of which the guard holds deletes, or has let exactly them go.
import * as z from 'zod';
import { reversedKey } from '../dns/names/name.ts';
import { decodeBody } from '../ledger/versioned-item.ts';
import type { LedgerItem, LedgerKey } from '../ports/ledger.ts';

const heldBody = z.object({
  name: z.string(),
  /** Digest of the held deletes of this name. */
  digest: z.string(),
  /** Acknowledged: exactly these deletes may go, also after a crash. */
  released: z.boolean(),
});
export type HeldItem = z.infer<typeof heldBody>;
export function heldPartition(hostedZoneId: string): string {
  return `held#${hostedZoneId}`;
}

export function heldItemKey(hostedZoneId: string, name: string): LedgerKey {
  return { partition: heldPartition(hostedZoneId), sort: reversedKey(name) };
}

export function decodeHeldItem(item: LedgerItem): HeldItem {
  return decodeBody(heldBody, item);
}
