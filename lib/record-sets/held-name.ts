// A name of which the guard holds deletes, or has let exactly them go.
import * as z from 'zod';
import { reversedKey } from '../dns/names/name.ts';
import { itemCodec } from '../ledger/item-codec.ts';
import type { LedgerKey } from '../ports/ledger.ts';

const heldBody = z.object({
  name: z.string(),
  /** Digest of the held deletes of this name. */
  digest: z.string(),
  /** Acknowledged: exactly these deletes may go, also after a crash. */
  released: z.boolean(),
});
export type HeldItem = z.infer<typeof heldBody>;
export const heldCodec = itemCodec(heldBody);

export function heldPartition(hostedZoneId: string): string {
  return `held#${hostedZoneId}`;
}

export function heldItemKey(hostedZoneId: string, name: string): LedgerKey {
  return { partition: heldPartition(hostedZoneId), sort: reversedKey(name) };
}
