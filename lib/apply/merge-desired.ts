// Merges the record set items of a hosted zone with the record sets that are desired there now, for a plan.
import { isDeepStrictEqual } from 'node:util';
import { recordSetId, sameContent } from '../dns/record-set.ts';
import type { Stored } from '../ledger/item-codec.ts';
import type { LedgerItem } from '../ports/ledger.ts';
import { type Heir, withOwner } from '../record-sets/desired-name.ts';
import { newRecordSetItem, type RecordSetItem } from '../record-sets/record-set-item.ts';
import { storedRecordSet } from '../record-sets/store.ts';
import type { DesiredRecordSet } from '../zones/merge-record-sets.ts';
import type { IsAsked } from './planned-services.ts';

/** A record set item with its revision. What is published as it is desired is in memory once. */
export function storedOnce(stored: LedgerItem): Stored<RecordSetItem> {
  const { item, revision } = storedRecordSet(stored);
  const isPublished = isDeepStrictEqual(item.published, item.desired);
  const objects = isDeepStrictEqual(item.publishedObjects, item.objects) ? item.objects : item.publishedObjects;
  return { item: isPublished ? { ...item, published: item.desired, publishedObjects: objects } : item, revision };
}

/**
 * The items as `touchDesired()` would write them. One that it would not write is the stored one, to save memory.
 * `isComplete`: every object was read.
 */
export function mergeDesired(
  stored: readonly RecordSetItem[],
  desired: readonly DesiredRecordSet[],
  heir: Heir,
  { isAsked, isComplete }: { readonly isAsked: IsAsked; readonly isComplete: boolean },
): ReadonlyMap<string, RecordSetItem> {
  const items = new Map(stored.map((item) => [recordSetId(item), item]));
  const wanted = new Set<string>();
  for (const set of desired) {
    const id = recordSetId(set);
    const item = items.get(id) ?? newRecordSetItem(set);
    wanted.add(id);
    if (isDesiredAlready(item, set, heir)) continue;
    items.set(id, {
      ...item,
      // The content is shared to save memory. An item is never changed in place, and a write copies it.
      desired: set.content,
      objects: set.objects,
      isAsked: false,
      zone: set.zone,
      takeover: heir.takeover,
    });
  }
  for (const item of stored) {
    const id = recordSetId(item);
    const left = { desired: null, objects: [], isAsked: isAsked(item) };
    if (!wanted.has(id)) items.set(id, { ...withOwner(item, null, heir), ...left });
  }
  if (!isComplete) keepUnwanted(items);
  return items;
}

function isDesiredAlready(item: RecordSetItem, { content, objects, zone }: DesiredRecordSet, heir: Heir): boolean {
  if (item.isAsked || item.zone !== zone || item.takeover !== heir.takeover) return false;
  return sameContent(item.desired, content) && item.objects.join('\n') === objects.join('\n');
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
