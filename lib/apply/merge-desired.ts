// Merges the record set items of a hosted zone with the record sets that are desired there now, for a plan.
import { recordSetId } from '../dns/record-set.ts';
import { type Heir, withOwner } from '../record-sets/desired-name.ts';
import { newRecordSetItem, type RecordSetItem } from '../record-sets/record-set-item.ts';
import type { DesiredRecordSet } from '../zones/merge-record-sets.ts';
import type { IsAsked } from './planned-services.ts';

/** The items as `touchDesired()` would write them. `isComplete`: every object was read. */
export function mergeDesired(
  stored: readonly RecordSetItem[],
  desired: readonly DesiredRecordSet[],
  heir: Heir,
  { isAsked, isComplete }: { readonly isAsked: IsAsked; readonly isComplete: boolean },
): ReadonlyMap<string, RecordSetItem> {
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
      // The content is shared to save memory. An item is never changed in place, and a write copies it.
      desired: set.content as RecordSetItem['desired'],
      objects: set.objects as string[],
      isAsked: false,
      zone: set.zone,
      takeover: heir.takeover,
    });
  }
  if (!isComplete) keepUnwanted(items);
  return items;
}

/**
 * After an incomplete reading, keeps undesired record sets: what was not read may ask for them. If something else is
 * desired at the name, it was read.
 */
function keepUnwanted(items: Map<string, RecordSetItem>): void {
  const wanted = new Set([...items.values()].flatMap((item) => (item.desired === null ? [] : [item.name])));
  for (const [id, item] of items) {
    if (item.desired !== null || item.published === null || wanted.has(item.name)) continue;
    items.set(id, { ...item, desired: item.published, objects: item.publishedObjects, isAsked: false });
  }
}
