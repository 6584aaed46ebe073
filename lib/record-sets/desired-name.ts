// The record set items of one name, and the dirty mark over them. Reconcile writes what is desired (`touchDesired`),
// publish writes what was published; both by compare-and-swap, so neither ever overwrites the other.
//
// The order that survives a crash: items first, then the dirty mark, then the message. A mark that came first could be
// cleared by a publish that read the items before they moved. A run that dies in between leaves desired and published
// apart without a mark: the redelivered message finds them apart, whether or not it changes anything, and raises it.
import { type RecordSet, recordSetId } from '../dns/record-set.ts';
import type { Stored } from '../ledger/item-codec.ts';
import type { Ledger } from '../ports/ledger.ts';
import type { Cause } from '../ports/queues.ts';
import { markDirty } from './dirty-mark.ts';
import { type RecordSetItem, storedContent } from './record-set-item.ts';
import { samePublishing } from './same-content.ts';
import { needsPublishing } from './state.ts';
import { changeRecordSetItem, readName } from './store.ts';

/** What the cluster asks for at one name of a hosted zone, all of it: what is not among `recordSets` is not wanted. */
export type DesiredName = {
  readonly hostedZoneId: string;
  /** The hosted zone's own name. Its NS set is Route 53's and is left alone. */
  readonly apex: string;
  readonly name: string;
  readonly recordSets: readonly DesiredRecordSet[];
  /** Whose the hosted zone is: to it falls what stands at the name and is wanted no more. Null: as it was. */
  readonly heir: Heir | null;
  /** Types that objects ask for here by names of a cluster's own DNS, even if no Zone adopts them. Absent: none. */
  readonly asked?: readonly string[];
};

/** A Zone, "ns/name", and whether it says `takeover`. */
export type Heir = { readonly zone: string; readonly takeover: boolean };

export type DesiredRecordSet = RecordSet & {
  /** "Record ns/name" of every object that has a part in it. */
  readonly objects: readonly string[];
  /** "ns/name" of the Zone whose content it is. */
  readonly zone: string;
  /** That Zone says `takeover`. */
  readonly takeover?: boolean;
};

/** The item of whose it is: of what is wanted by who wants it, of what is left over its heir. */
export function withOwner(item: RecordSetItem, desired: DesiredRecordSet | null, heir: Heir | null): RecordSetItem {
  if (desired !== null) return { ...item, zone: desired.zone, takeover: desired.takeover ?? false };
  const isLeft = item.published !== null || item.intent !== null;
  return isLeft && heir !== null ? { ...item, ...heir } : item;
}

function withDesired(
  item: RecordSetItem,
  desired: DesiredRecordSet | null,
  { heir, asked = [] }: Pick<DesiredName, 'heir' | 'asked'>,
): RecordSetItem | null {
  const objects = desired === null ? [] : [...desired.objects].sort();
  const { zone, takeover } = withOwner(item, desired, heir);
  const isAsked = desired === null && asked.includes(item.type);
  const same =
    samePublishing(item.type, item.desired, desired?.content ?? null) &&
    item.zone === zone &&
    item.takeover === takeover &&
    item.isAsked === isAsked &&
    item.objects.join('\n') === objects.join('\n');
  return same ? null : { ...item, desired: storedContent(desired?.content ?? null), objects, zone, takeover, isAsked };
}

/**
 * Notes what is desired at one name and marks it dirty if anything moved or is not yet published. Idempotent. Returns
 * true when the hosted zone is to be published: the caller then sends `Queues.publish`. `known`: the items of the name,
 * for a caller who has read them. @throws UnreadableItemError
 */
export async function touchDesired(
  ledger: Ledger,
  wanted: DesiredName,
  nowMs: number,
  { known, ...options }: { readonly cause?: Cause; readonly known?: readonly Stored<RecordSetItem>[] } = {},
): Promise<boolean> {
  const stored = new Map<string, Stored<RecordSetItem>>();
  for (const one of known ?? (await readName(ledger, wanted.hostedZoneId, wanted.name)))
    stored.set(recordSetId(one.item), one);
  const desired = new Map<string, DesiredRecordSet>();
  for (const set of wanted.recordSets) {
    const isApexNs = set.type === 'NS' && set.name === wanted.apex;
    if (!isApexNs) desired.set(recordSetId(set), set);
  }
  let raise = false;
  for (const id of new Set([...desired.keys(), ...stored.keys()])) {
    const before = stored.get(id) ?? null;
    const key = desired.get(id) ?? before?.item;
    if (key === undefined) continue;
    let standing = before?.item ?? null;
    const written = await changeRecordSetItem(ledger, wanted.hostedZoneId, key, before, (item) => {
      standing = item;
      return withDesired(item, desired.get(id) ?? null, wanted);
    });
    // Whoever wrote the same a moment before us may have died before the mark.
    raise ||= written !== null || (standing !== null && needsPublishing(standing));
  }
  if (raise) await markDirty(ledger, wanted.hostedZoneId, wanted.name, nowMs, options);
  return raise;
}
