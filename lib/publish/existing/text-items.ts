// The ledger's items of TXT record sets in which external-dns notes owners: an object may ask for such a one.
import { type RecordSet, recordSetId } from '../../dns/record-set.ts';
import { UnreadableItemError } from '../../ledger/item-codec.ts';
import { inParallel } from '../../ports/in-parallel.ts';
import type { Ledger } from '../../ports/ledger.ts';
import {
  newRecordSetItem,
  type RecordSetItem,
  recordSetCodec,
  recordSetItemKey,
  storedContent,
} from '../../record-sets/record-set-item.ts';

/** Point reads of one request of DynamoDB. */
const READS_AT_ONCE = 100;

/** The items of these TXT record sets, by id. One that is not readable counts as asked for. */
export async function readTextItems(
  { ledger, hostedZoneId }: { readonly ledger: Ledger; readonly hostedZoneId: string },
  texts: Iterable<RecordSet>,
): Promise<ReadonlyMap<string, RecordSetItem>> {
  const found = new Map<string, RecordSetItem>();
  const byId = new Map([...texts].map((text) => [recordSetId(text), text]));
  await inParallel(byId, READS_AT_ONCE, async ([id, text]) => {
    const stored = await ledger.get(recordSetItemKey(hostedZoneId, text));
    if (stored === null) return;
    const item = recordSetCodec.read(stored);
    const asked = { ...newRecordSetItem(text), desired: storedContent(text.content) };
    found.set(id, item instanceof UnreadableItemError ? asked : item);
  });
  return found;
}
