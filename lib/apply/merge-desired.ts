// Merges the record set items of a hosted zone with the record sets that are desired there now, for a plan.
import { isDeepStrictEqual } from 'node:util';
import { recordSetId } from '../dns/record-set.ts';
import type { Stored } from '../ledger/item-codec.ts';
import { type DesiredRecordSet, type Heir, type LostOf, withDesired, withOwner } from '../record-sets/desired-name.ts';
import { newRecordSetItem, type RecordSetItem } from '../record-sets/record-set-item.ts';
import type { AskersAt, IsAsked } from './planned-services.ts';

/** A record set item with its revision. What is published as it is desired is in memory once. */
export function storedOnce({ item, revision }: Stored<RecordSetItem>): Stored<RecordSetItem> {
  const isPublished = isDeepStrictEqual(item.published, item.desired);
  const objects = isDeepStrictEqual(item.publishedObjects, item.objects) ? item.objects : item.publishedObjects;
  return { item: isPublished ? { ...item, published: item.desired, publishedObjects: objects } : item, revision };
}

type MergeRules = {
  readonly isAsked: IsAsked;
  /** The objects that ask for a name; null: the Zone deletes what nothing asks for. */
  readonly askersAt: AskersAt | null;
  readonly isComplete: boolean;
  readonly lostOf: LostOf;
  /** True if these objects may take over what already is as they want it. */
  readonly takesEqual: (objects: readonly string[]) => boolean;
  readonly nowMs: number;
};

/**
 * The items as `touchDesired()` would write them. One that it would not write is the stored one, to save memory.
 * `isComplete`: every object was read. After any other reading, undesired record sets are kept: what was not read may
 * ask for them. If something else is desired at the name, it was read.
 */
export async function mergeDesired(
  stored: readonly RecordSetItem[],
  desired: readonly DesiredRecordSet[],
  heir: Heir,
  { isAsked, askersAt, isComplete, lostOf, takesEqual, nowMs }: MergeRules,
): Promise<ReadonlyMap<string, RecordSetItem>> {
  const items = new Map(stored.map((item) => [recordSetId(item), item]));
  const wanted = new Set(desired.map(recordSetId));
  const names = new Set(isComplete ? [] : desired.map(({ name }) => name));
  const merge = async (item: RecordSetItem, after: DesiredRecordSet | null) => {
    const lost = await lostOf(item, after);
    const asked = after === null && isAsked(item) ? [item.type] : [];
    const askers = after === null ? (askersAt?.(item) ?? []) : [];
    if (lost !== 'unread')
      items.set(recordSetId(item), withDesired(item, after, { heir, asked, askers, nowMs }, lost) ?? item);
  };
  for (const set of desired)
    await merge(items.get(recordSetId(set)) ?? newRecordSetItem(set), {
      ...set,
      takeover: heir.takeover,
      takesEqual: takesEqual(set.objects),
    });
  for (const item of stored) {
    if (wanted.has(recordSetId(item)) || item.inherits === true) continue;
    await merge(item, isComplete || names.has(item.name) ? null : asPublished(withOwner(item, null, heir)));
  }
  return items;
}

function asPublished(item: RecordSetItem) {
  const { name, type, setIdentifier, published, publishedObjects: objects, zone, takeover, takesEqual = false } = item;
  if (published === null) return null;
  const standby = {
    ...(item.standbyMs !== undefined && { standby: true as const }),
    ...(item.merges && { merges: item.merges }),
  };
  return {
    name,
    type,
    setIdentifier,
    content: item.claimed ?? published,
    objects,
    zone,
    takeover,
    takesEqual,
    ...standby,
  };
}
