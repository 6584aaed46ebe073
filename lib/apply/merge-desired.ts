// What a plan makes of what the ledger holds of a hosted zone and of what is desired there.
import { recordSetId } from '../dns/record-set.ts';
import { type Heir, withOwner } from '../record-sets/desired-name.ts';
import { newRecordSetItem, type RecordSetItem } from '../record-sets/record-set-item.ts';
import type { DesiredRecordSet } from '../zones/merge-record-sets.ts';
import type { IsAsked } from './planned-services.ts';

/** The items as `touchDesired` would leave them. */
export function mergeDesired(
  stored: readonly RecordSetItem[],
  desired: readonly DesiredRecordSet[],
  heir: Heir,
  isAsked: IsAsked,
): Map<string, RecordSetItem> {
  const items = new Map<string, RecordSetItem>();
  for (const item of stored) {
    const left = { desired: null, objects: [], isAsked: isAsked(item) };
    items.set(recordSetId(item), { ...withOwner(item, null, heir), ...left });
  }
  for (const set of desired) {
    const id = recordSetId(set);
    const base = items.get(id) ?? newRecordSetItem(set);
    items.set(id, {
      ...base,
      // Of many there is one: an item is never changed in place, and what is written is a copy.
      desired: set.content as RecordSetItem['desired'],
      objects: set.objects as string[],
      isAsked: false,
      zone: set.zone,
      takeover: heir.takeover,
    });
  }
  return items;
}
