// The record set items of one name, and its dirty mark. Reconcile writes what is desired (`touchDesired`), publish
// writes what was published; both by compare-and-swap, so neither ever overwrites the other.
//
// The order that survives a crash: items first, then the dirty mark, then the message. If the mark came first, a
// publish that read the items before they changed could clear it. A run that dies before the mark leaves desired and
// published different without a mark. The redelivered message finds the difference, and marks the name.
import { type RecordSet, recordSetId } from '../dns/record-set.ts';
import type { Stored } from '../ledger/item-codec.ts';
import type { Ledger } from '../ports/ledger.ts';
import type { Cause } from '../ports/queues.ts';
import { markDirty } from './dirty-mark.ts';
import { claimedOf, type RecordSetItem } from './record-set-item.ts';
import { samePublishing } from './same-content.ts';
import { needsPublishing } from './state.ts';
import { changeRecordSetItem, readName } from './store.ts';

/** All that the cluster asks for at one name of a hosted zone: a record set not in `recordSets` is not desired. */
export type DesiredName = {
  readonly hostedZoneId: string;
  /** The hosted zone's own name. The NS set there belongs to Route 53 and is left alone. */
  readonly apex: string;
  readonly name: string;
  readonly recordSets: readonly DesiredRecordSet[];
  /** The Zone of the hosted zone. It becomes the owner of record sets that are no longer desired. Null: no change. */
  readonly heir: Heir | null;
  /** Types that objects ask for here for a cluster's own DNS, even if no Zone adopts them. Absent: none. */
  readonly asked?: readonly string[];
  /**
   * The objects that ask for this name, even if no Zone adopts it; absent: none, or the Zone deletes what nothing asks
   * for. What was published for one of them is deleted, although the Zone retains the rest.
   */
  readonly askers?: readonly string[];
};

/** A Zone, "ns/name", and whether it has the takeover annotation. */
export type Heir = Pick<RecordSetItem, 'zone' | 'takeover'>;

export type DesiredRecordSet = RecordSet & {
  /** "Record ns/name" of every object that asks for it, those of the oldest namespace first. */
  readonly objects: readonly string[];
  /** "ns/name" of the Zone that adopted them. */
  readonly zone: string;
  /** That Zone has the takeover annotation. */
  readonly takeover?: boolean;
  /** Its objects may take over what already has this content. */
  readonly takesEqual?: boolean;
  /** Its objects, or its Zone, are on standby. */
  readonly standby?: true;
  /** Its values are united with those of other clusters. */
  readonly merges?: true;
};

/** The objects that went together with their CRD; `unread`: that is not known, so what is desired stays. */
type Lost = readonly string[] | 'unread';

/** Which of an item's objects are lost, where less is desired than before. */
export type LostOf = (item: RecordSetItem, desired: DesiredRecordSet | null) => Promise<Lost>;

/** The field `lost` of an item: earlier and new losses, without objects that ask again. */
export function lostAfter(
  { lost: before = [], type, published, intent }: RecordSetItem,
  desired: DesiredRecordSet | null,
  news: readonly string[],
): Pick<RecordSetItem, 'lost'> {
  const isDone = samePublishing(type, desired?.content ?? null, published) && (desired !== null || intent === null);
  if (isDone) return {};
  const back = new Set(desired === null ? [] : [...desired.objects, `Zone ${desired.zone}`]);
  const lost = [...new Set([...before, ...news])].filter((one) => !back.has(one)).toSorted();
  return lost.length === 0 ? {} : { lost };
}

/** The item with its owner: the Zone of the desired record set, or the heir if it is not desired. */
export function withOwner(item: RecordSetItem, desired: DesiredRecordSet | null, heir: Heir | null): RecordSetItem {
  const { formerZone = item.zone, ...rest } = item;
  if (desired !== null) return { ...rest, zone: desired.zone, takeover: desired.takeover ?? false };
  const isLeft = item.published !== null || item.intent !== null;
  if (!isLeft || heir === null) return item;
  return { ...rest, ...heir, ...(formerZone !== heir.zone && { formerZone }) };
}

/** The item as it is desired; null: it already is. `news`: the objects that were lost since. */
export function withDesired(
  item: RecordSetItem,
  desired: DesiredRecordSet | null,
  { heir, asked = [], askers = [], nowMs }: Pick<DesiredName, 'heir' | 'asked' | 'askers'> & { readonly nowMs: number },
  news: readonly string[],
): RecordSetItem | null {
  // What is inherited is not for objects to withdraw.
  if (desired === null && item.inherits === true) return null;
  const objects = desired?.objects ?? [];
  const asks = (object: string) => askers.includes(object);
  const isAsked = desired === null && (asked.includes(item.type) || item.publishedObjects.some(asks));
  const takesEqual = desired?.takesEqual === true;
  const {
    lost: before,
    takesEqual: tookEqual = false,
    standbyMs,
    merges,
    claimed,
    inherits: _,
    ...rest
  } = withOwner(item, desired, heir);
  const isAsBefore = samePublishing(item.type, claimedOf(item), desired?.content ?? null);
  const lost = lostAfter(item, desired, news);
  const same =
    (before ?? []).join('\n') === (lost.lost ?? []).join('\n') &&
    isAsBefore &&
    merges === desired?.merges &&
    item.inherits === undefined &&
    item.zone === rest.zone &&
    item.takeover === rest.takeover &&
    tookEqual === takesEqual &&
    (standbyMs !== undefined) === (desired?.standby === true) &&
    item.isAsked === isAsked &&
    item.objects.join('\n') === objects.join('\n');
  if (same) return null;
  // The content is shared to save memory. An item is never changed in place, and a write copies it.
  const sinceMs = standbyMs ?? (item.desired === null ? 0 : nowMs);
  const said = {
    ...(takesEqual && { takesEqual }),
    ...(desired?.standby && { standbyMs: sinceMs }),
    ...(desired?.merges && { merges: desired.merges }),
    ...(isAsBefore && claimed && { claimed }),
  };
  // What is published for several clusters together stays so, until their claims are judged again.
  const now = isAsBefore && claimed !== undefined ? item.desired : (desired?.content ?? null);
  return { ...rest, desired: now, objects, ...said, isAsked, ...lost };
}

export type TouchOptions = {
  readonly cause?: Cause;
  /** Whether another cluster waits for what this one no longer has there. */
  readonly moves?: boolean;
  readonly known?: readonly Stored<RecordSetItem>[];
  readonly lostOf?: LostOf;
};

/**
 * Saves what is desired at one name, and marks the name dirty if anything changed or is not yet published. Idempotent.
 * Returns `changed` if something was saved, and `due` if nothing was and something is not yet published: in both cases
 * the caller sends `Queues.publish`. Else null. `known`: the items of the name, if the caller has read them. `lostOf`
 * is asked where an object or its Zone no longer asks for what is published.
 * @throws UnreadableItemError
 */
export async function touchDesired(
  ledger: Ledger,
  wanted: DesiredName,
  nowMs: number,
  { known, lostOf = async () => [], ...options }: TouchOptions = {},
): Promise<'changed' | 'due' | null> {
  const stored = new Map<string, Stored<RecordSetItem>>();
  for (const one of known ?? (await readName(ledger, wanted.hostedZoneId, wanted.name)))
    stored.set(recordSetId(one.item), one);
  const desired = new Map<string, DesiredRecordSet>();
  for (const set of wanted.recordSets) {
    const isApexNs = set.type === 'NS' && set.name === wanted.apex;
    if (!isApexNs) desired.set(recordSetId(set), set);
  }
  let isChanged = false;
  let isDue = false;
  for (const id of new Set([...desired.keys(), ...stored.keys()])) {
    const before = stored.get(id) ?? null;
    const key = desired.get(id) ?? before?.item;
    if (key === undefined) continue;
    let existing = before?.item ?? null;
    const after = desired.get(id) ?? null;
    const written = await changeRecordSetItem(ledger, wanted.hostedZoneId, key, before, async (item) => {
      existing = item;
      const lost = await lostOf(item, after);
      return lost === 'unread' ? null : withDesired(item, after, { ...wanted, nowMs }, lost);
    });
    isChanged ||= written !== null;
    // A run that wrote the same just before may have died before it marked the name.
    isDue ||= existing !== null && needsPublishing(existing);
  }
  if (!isChanged && !isDue) return null;
  await markDirty(ledger, wanted.hostedZoneId, wanted.name, nowMs, options);
  return isChanged ? 'changed' : 'due';
}
