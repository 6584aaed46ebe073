// Reads what the ledger has of a hosted zone, for a plan: the record sets, and the names with held deletes. An item
// that cannot be read keeps its name as it is.
import { nameOfReversedKey } from '../dns/names/name.ts';
import { type Codec, type Stored, UnreadableItemError } from '../ledger/item-codec.ts';
import { eachItem } from '../ledger/pages.ts';
import type { Ledger } from '../ports/ledger.ts';
import { type HeldItem, heldCodec, heldPartition } from '../record-sets/held-name.ts';
import {
  type RecordSetItem,
  recordSetCodec,
  recordSetOfSortKey,
  recordSetsPartition,
} from '../record-sets/record-set-item.ts';
import { storedOnce } from './merge-desired.ts';

export type StoredItems = {
  readonly stored: readonly Stored<RecordSetItem>[];
  readonly heldMarks: readonly HeldItem[];
  /** The names of items that cannot be read. */
  readonly names: ReadonlyMap<string, UnreadableItemError>;
};

/** Of a hosted zone that does not exist yet. */
export const NO_ITEMS: StoredItems = { stored: [], heldMarks: [], names: new Map() };

export async function readStored(ledger: Ledger, hostedZoneId: string): Promise<StoredItems> {
  const names = new Map<string, UnreadableItemError>();
  const read = async <T>(
    partition: string,
    codec: Codec<T>,
    keep: (one: Stored<T>) => void,
    nameOf: (sort: string) => string,
  ) => {
    for await (const stored of eachItem(ledger, partition)) {
      const item = codec.read(stored);
      if (item instanceof UnreadableItemError) names.set(nameOf(stored.sort), item);
      else keep({ item, revision: stored.revision });
    }
  };
  const sets: Stored<RecordSetItem>[] = [];
  const heldMarks: HeldItem[] = [];
  const nameOfSet = (sort: string) => recordSetOfSortKey(sort).name;
  await read(recordSetsPartition(hostedZoneId), recordSetCodec, (one) => sets.push(storedOnce(one)), nameOfSet);
  await read(heldPartition(hostedZoneId), heldCodec, ({ item }) => heldMarks.push(item), nameOfReversedKey);
  return { stored: sets, heldMarks, names };
}
