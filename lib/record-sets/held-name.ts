// The held mark of a name: the guard holds deletes there, or has released exactly these deletes. Written by publish.
import * as z from 'zod';
import { reversedKey } from '../dns/names/name.ts';
import { type Codec, type Item, itemCodec } from '../ledger/item-codec.ts';
import { inParallel } from '../ports/in-parallel.ts';
import type { Ledger, LedgerKey } from '../ports/ledger.ts';

const heldBody = z.object({
  name: z.string(),
  /** Digest of the held deletes of this name. */
  digest: z.string(),
  /** Acknowledged: exactly these deletes may be made, also after a crash. */
  released: z.boolean(),
  /** The digest that released them; absent: nobody did, or it is not known. */
  releasedBy: z.string().exactOptional(),
});
export type HeldItem = Item<typeof heldBody>;
export const heldCodec: Codec<HeldItem> = itemCodec(heldBody);

export function heldPartition(hostedZoneId: string): string {
  return `held#${hostedZoneId}`;
}

export function heldItemKey(hostedZoneId: string, name: string): LedgerKey {
  return { partition: heldPartition(hostedZoneId), sort: reversedKey(name) };
}

/** How many names are read at once. */
const READS_AT_ONCE = 25;

/** True if there is any held mark: a name is held, or its released deletes are not done yet. */
export async function anyHeld(ledger: Ledger, hostedZoneId: string): Promise<boolean> {
  return (await ledger.query(heldPartition(hostedZoneId), { limit: 1 })).items.length > 0;
}

/** Those of these names that have a held mark. */
export async function readHeldAmong(
  ledger: Ledger,
  hostedZoneId: string,
  names: readonly string[],
): Promise<ReadonlySet<string>> {
  const among = new Set<string>();
  await inParallel(names, READS_AT_ONCE, async (name) => {
    if ((await ledger.get(heldItemKey(hostedZoneId, name))) !== null) among.add(name);
  });
  return among;
}
