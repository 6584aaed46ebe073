// The mark of a ledger: the format that code must know to use it. It is raised before the first item that older code
// would misread, and never lowered. Code that does not know the format stops, and changes nothing. No version may
// change the shape of this item.
//
//   1   one cluster, in the view `public`: a ledger without the item
//   2   several clusters, or views
import * as z from 'zod';
import type { Ledger, LedgerKey } from '../ports/ledger.ts';
import { swap } from './compare-and-swap.ts';
import { itemCodec, readItem, UnreadableItemError } from './item-codec.ts';
import { orUnread } from './skip-unreadable.ts';

/** A format, and the first version of zone53 that knows it. */
export type Format = { readonly format: number; readonly since: string };

export const SEVERAL_CLUSTERS_OR_VIEWS: Format = { format: 2, since: '0.1.0' };
/** The last format that this code knows. */
const KNOWN = SEVERAL_CLUSTERS_OR_VIEWS.format;

const formatBody = z.object({ format: z.number(), since: z.string() });
export const formatCodec = itemCodec(formatBody);
const KEY: LedgerKey = { partition: 'format', sort: 'ledger' };

/** A later version has marked the ledger, or the mark cannot be read. */
export class NewerLedgerError extends Error {
  constructor(reason: string) {
    super(`Cannot use the ledger, and nothing was changed: ${reason}`);
    this.name = 'NewerLedgerError';
  }
}

/**
 * Asked whenever a ledger is opened, before anything else. `known`: the last format that the code knows.
 * @throws NewerLedgerError
 */
export async function checkFormat(ledger: Ledger, known: number = KNOWN): Promise<void> {
  const stored = await orUnread(() => readItem(ledger, KEY, formatCodec));
  if (stored instanceof UnreadableItemError)
    throw new NewerLedgerError(
      `its mark cannot be read (${stored.detail}). Use the zone53 that wrote it. If it is damaged, remove the item "${KEY.partition}" / "${KEY.sort}"`,
    );
  const { format, since } = stored?.item ?? { format: 1, since: '' };
  if (format > known)
    throw new NewerLedgerError(`its format is ${format}, and this zone53 knows ${known}. Use zone53 ${since} or later`);
}

/** Raises the mark before the first item of this format is written. A mark that is as high stays. */
export async function raiseFormat(ledger: Ledger, wanted: Format): Promise<void> {
  await swap(ledger, KEY, formatCodec, (now) =>
    now !== null && now.format >= wanted.format ? null : { ...now, ...wanted },
  );
}
