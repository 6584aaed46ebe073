// Which version of the configuration was the last valid one: an item of the ledger, so that a function that starts
// while the newest version is invalid knows it. Every function may read this item; those that work on the ledger write
// it, when they have read a valid version.
import * as z from 'zod';
import { swap } from '../../lib/ledger/compare-and-swap.ts';
import { itemCodec, readItem } from '../../lib/ledger/item-codec.ts';
import type { Ledger, LedgerKey } from '../../lib/ports/ledger.ts';
import { CONFIGURATION_PARTITION } from './environment.ts';

const lastValidBody = z.object({
  /** The version of the object in S3. */
  version: z.string(),
  /** When it was written to S3, in milliseconds since the epoch. */
  modifiedMs: z.number(),
});
export type LastValid = z.infer<typeof lastValidBody>;
const lastValidCodec = itemCodec(lastValidBody);

/** The place of the configuration: its bucket and its key. */
export type ConfigurationPlace = { readonly bucket: string; readonly key: string };

export async function readLastValid(ledger: Ledger, place: ConfigurationPlace): Promise<LastValid | null> {
  return (await readItem(ledger, keyOf(place), lastValidCodec))?.item ?? null;
}

/** Notes a valid version, unless a later one is noted: a function that was slow may have read an older one. */
export async function noteLastValid(ledger: Ledger, place: ConfigurationPlace, valid: LastValid): Promise<void> {
  await swap(ledger, keyOf(place), lastValidCodec, (known) =>
    known !== null && (known.version === valid.version || known.modifiedMs > valid.modifiedMs) ? null : valid,
  );
}

function keyOf({ bucket, key }: ConfigurationPlace): LedgerKey {
  return { partition: CONFIGURATION_PARTITION, sort: `${bucket}/${key}` };
}
