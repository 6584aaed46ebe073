// The ledger's items of record sets at names that a run has not loaded: TXT record sets in which external-dns notes
// owners, for which an object may ask, and further record sets for which these speak, which may be ours.
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

/** The items of these record sets, by id. One that is not readable counts as asked for. */
export async function readUnloadedItems(
  { ledger, hostedZoneId }: { readonly ledger: Ledger; readonly hostedZoneId: string },
  sets: Iterable<RecordSet>,
): Promise<ReadonlyMap<string, RecordSetItem>> {
  const found = new Map<string, RecordSetItem>();
  const byId = new Map([...sets].map((set) => [recordSetId(set), set]));
  await inParallel(byId, READS_AT_ONCE, async ([id, set]) => {
    const stored = await ledger.get(recordSetItemKey(hostedZoneId, set));
    if (stored === null) return;
    const item = recordSetCodec.read(stored);
    const asked = { ...newRecordSetItem(set), desired: storedContent(set.content) };
    found.set(id, item instanceof UnreadableItemError ? asked : item);
  });
  return found;
}
