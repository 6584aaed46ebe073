// Reads the object behind a hint and saves it in the ledger before its consequences are written. The object item says
// *unsettled* until `reconcile()` has written them, so a run that dies in between is repeated even if the object has
// not changed since. An older observation never overwrites a newer one. A deletion needs a 404 for that very name.

import { swap } from '../ledger/compare-and-swap.ts';
import { readItem } from '../ledger/item-codec.ts';
import { isOlder, isZone, keyOf, type ObjectRef } from '../objects/object-ref.ts';
import type { RelatedQuery } from '../objects/related.ts';
import { sameJson } from '../objects/same-json.ts';
import type { ClusterObject, Observation } from '../ports/cluster.ts';
import type { Context } from '../ports/context.ts';
import type { LedgerKey } from '../ports/ledger.ts';
import { isTombstone, namesLeft, withLeft } from './former-names.ts';
import { type FormerSpec, isRead, NOTHING_GATHERED, relatedSourceOf } from './in-force/last-valid-spec.ts';
import { noteOverwritten } from './mark-status-stale.ts';
import { placesChanged, placesOf } from './name-index.ts';
import { deletedItem, type ObjectItem, objectCodec, objectKey, unreadableItem } from './object-item.ts';
import { itemAsObserved } from './read-cluster.ts';
import { isAmong, noteDependent } from './related/dependents.ts';
import { type Gathered, gatherRelated } from './related/gather-related.ts';
import { freshRelated, type RelatedReader } from './related/read-related.ts';
import { typesInLedger } from './related/types-at.ts';
import { namesAt, noteSettled, placeObject, type ReadPlaces, readPlaces, restoreNamed } from './save-object.ts';
import { zoneObjects } from './zone-objects.ts';

/** What must be done after an observation. */
export type Observed = {
  readonly names: readonly string[];
  /** Saves the object as settled; to be called when every consequence is written. False: look at it once more. */
  readonly noteSettled: () => Promise<boolean>;
  /** The ledger knew this observation already: an earlier run may have died before it wrote the consequences. */
  readonly again: boolean;
  /** The object says something else than the ledger knew. */
  readonly news: boolean;
  /** Only its status or label has changed. */
  readonly reportOnly?: true;
};

const ABSENT: Observation = { kind: 'absent' };

/**
 * `places`: where the object asks for something new since it was settled. `names`: their names, and those it left.
 * `again`: an earlier run may have died at these names.
 */
type News = {
  readonly names: readonly string[];
  readonly places: readonly LedgerKey[];
  readonly before: ObjectItem | null;
  readonly again: boolean;
};

/** The result of observing an object: an item to save (null: none), and its consequences or remaining work. */
type Look = {
  readonly item: ObjectItem | null;
  /** For an unsettled item: the names concerned, and whether the ledger knew the object. */
  readonly news: News | null;
  readonly observed: Observed | null;
};

/** How to look at an object. */
export type LookOptions = {
  /** Reads related objects; default: everything is read again. */
  readonly related?: RelatedReader;
  /** The time of the observation, one for all objects that are looked at together; default: now. */
  readonly seenMs?: number;
  /** Names at which an earlier look placed the object, which was gone by then. */
  readonly placed?: readonly string[];
};

/** Observes one object; null if nothing is to be done. A creation, a change and a deletion take the same path. */
export async function observe(
  context: Context,
  ref: ObjectRef,
  { related = freshRelated(context), seenMs = context.clock.nowMs(), placed = [] }: LookOptions = {},
): Promise<Observed | null> {
  const { ledger, config, cluster } = context;
  let look: Look = { item: null, news: null, observed: null };
  let read: ReadPlaces | null = null;
  const noted = await swap(ledger, objectKey(config.clusterId, ref), objectCodec, async (before) => {
    const observation = await observationOf(context, ref, before);
    look = await lookAt(context, ref, before, observation, { related, seenMs, placed });
    // The places are read while the object is being saved, because they are written next.
    read = look.item === null || look.news?.before == null ? null : readPlaces(context, look.news.places);
    return look.item;
  });
  const { news, observed } = look;
  if (noted === null || news === null) return observed;
  await placeObject(context, noted.item, news.before === null ? 'none' : await read, news.places);
  // The names are read again: if a Zone moved before the object was saved, its run has not seen the object.
  const names = [...new Set([...news.names, ...(await namesAt(context, [...news.places, ...noted.item.leaving]))])];
  // The object may have been deleted before it was saved here. The run for the deletion found nothing to delete then.
  if (news.before === null && (await cluster.get(ref, noted.item.file)).kind === 'absent')
    return observe(context, ref, { related, seenMs, placed: names });
  return { names, noteSettled: () => noteSettled(context, noted), again: news.again, news: true };
}

/**
 * Saves a new object as it was listed, unsettled. A hint writes its consequences once a later listing has shown the
 * object, too (`asNoted()`). If the ledger knows the object by now, nothing is saved.
 */
export async function noteListed(context: Context, object: ClusterObject, related: RelatedReader): Promise<void> {
  const { ledger, config } = context;
  let places: readonly LedgerKey[] = [];
  const change = async (before: ObjectItem | null) => {
    if (before !== null) return null;
    const options = { related, seenMs: context.clock.nowMs(), placed: [] };
    const look = await lookAt(context, object.ref, null, { kind: 'present', object }, options);
    places = look.news?.places ?? [];
    return look.item;
  };
  const noted = await swap(ledger, objectKey(config.clusterId, object.ref), objectCodec, change, null);
  if (noted !== null) await placeObject(context, noted.item, 'none', places);
}

/** The observation of an unsettled object that the ledger has in exactly this version; null: it must be read. */
export async function asNoted(context: Context, ref: ObjectRef, version: string): Promise<Observed | null> {
  const noted = await readItem(context.ledger, objectKey(context.config.clusterId, ref), objectCodec);
  if (noted === null) return null;
  const { item } = noted;
  if (!item.unsettled || item.deleted || item.version !== version || item.leaving.length > 0) return null;
  // The run that saved it may have died before it wrote the NamedItems.
  await restoreNamed(context, item);
  const names = item.names ?? [];
  // If a Zone has moved since, the object has new names, which must be saved before anything is written there.
  const now = await namesAt(context, allPlacesOf(context, item));
  if (!now.every((name) => names.includes(name))) return null;
  return { names, noteSettled: () => noteSettled(context, noted), again: true, news: true };
}

/**
 * Reads the object. It must be read after its item, or be newer than it: otherwise the reading might be older than the
 * item.
 */
async function observationOf(context: Context, ref: ObjectRef, before: ObjectItem | null): Promise<Observation> {
  // Objects of a kind that no source reads any more count as gone.
  if (!isRead(context.sources, ref)) return ABSENT;
  if (before === null || isTombstone(before)) return context.cluster.get(ref, null);
  return context.cluster.get(ref, before.file, before.deleted ? undefined : before);
}

/**
 * Compares an observation with what the ledger has of the object:
 *
 *   nothing can be concluded, or nothing changed   saves nothing; a run that died may have left work at its names
 *   only the version changed                       saves the version; a report if the last one was overwritten
 *   anything else, or the item is unsettled        saves the item, unsettled, with its news
 */
async function lookAt(
  context: Context,
  ref: ObjectRef,
  stored: ObjectItem | null,
  observation: Observation,
  { related, seenMs, placed }: Required<LookOptions>,
): Promise<Look> {
  // A tombstone has only the names of an object that is gone.
  const before = stored === null || isTombstone(stored) ? null : stored;
  const after = await itemNow(context, observation, before, { related, seenMs });
  const repeated = (names: readonly string[], news: boolean): Observed => {
    return { names, noteSettled: async () => true, again: true, news };
  };
  // Nothing can be concluded. But the hint may have come again after a run that wrote by an older reading and died.
  if (after === null) {
    const names = [...new Set([...placed, ...(await namesOf(context, ref, stored))])];
    return { item: null, news: null, observed: names.length === 0 ? null : repeated(names, placed.length > 0) };
  }
  if (before !== null && !before.unsettled && after.digest === before.digest && !after.deleted) {
    // The hint may have come again after a run that died while it wrote over what a faster run had settled.
    if (after.version === before.version || after.file !== null)
      return { item: null, news: null, observed: repeated(await namesOf(context, ref, before), false) };
    // Only the version changed, as after a write of the status. The new version is saved to recognise older readings.
    // An overwritten report is noted first: if the run dies in between, the next must still find the version new.
    const overwritten = await noteOverwritten(context, observation, after);
    const reported = { names: [], noteSettled: async () => true, again: false, news: false, reportOnly: true } as const;
    return { item: { ...after, unsettled: false }, news: null, observed: overwritten ? reported : null };
  }
  if (after.generation === before?.generation) await noteOverwritten(context, observation, after);
  return lookWithNews(context, stored, before, after);
}

/** The item as it must be saved, unsettled. `before`: what is stored, unless that is a tombstone. */
async function lookWithNews(
  context: Context,
  stored: ObjectItem | null,
  before: ObjectItem | null,
  after: ObjectItem,
): Promise<Look> {
  // The names at which something may be written are saved before anything is written there.
  const earlier = before?.names ?? [];
  const names = new Set(await namesAt(context, allPlacesOf(context, after)));
  if (before?.unsettled === true) for (const name of earlier) names.add(name);
  // If its Zone has given the object other names since it was settled, only `names` still has the old ones.
  const dropped = earlier.filter((name) => !names.has(name));
  const { left: _, ...now } = after;
  const kept = withLeft(stored ?? {}, dropped, context.clock.nowMs());
  const item = { ...now, unsettled: true, names: [...names], ...kept };
  const places = placesToWrite(context, before, item);
  const touched = before === null || before.unsettled ? names : await namesAt(context, [...places, ...item.leaving]);
  // The hint may have come again after a run that wrote at a name of the former object, which is gone, and died.
  const former = stored === null || before !== null ? [] : namesLeft(stored, context.clock.nowMs());
  const others = former.filter((name) => !names.has(name));
  const again = before?.unsettled === true || others.length > 0;
  return { item, news: { names: [...touched, ...others], places, before, again }, observed: null };
}

/** The names of an object's endpoints, those where something may have been written, and those that it left lately. */
async function namesOf(context: Context, ref: ObjectRef, item: ObjectItem | null): Promise<readonly string[]> {
  if (isZone(ref) || item === null) return [];
  const now = await namesAt(context, allPlacesOf(context, item));
  return [...new Set([...now, ...(item.names ?? []), ...namesLeft(item, context.clock.nowMs())])];
}

/** The places that must be written: all, or for a settled object those where it asks for something else now. */
function placesToWrite({ config }: Context, before: ObjectItem | null, now: ObjectItem): readonly LedgerKey[] {
  const isOther =
    before === null || before.unsettled || !sameJson([before.age, before.problems], [now.age, now.problems]);
  return isOther ? placesOf(config.clusterId, now) : placesChanged(config.clusterId, before, now);
}

/** The present places of an object's endpoints, and the former ones that must still be removed. */
function allPlacesOf({ config }: Context, item: ObjectItem): readonly LedgerKey[] {
  return [...placesOf(config.clusterId, item), ...item.leaving];
}

/** The item for an observation; null if nothing may or need be concluded from it. */
async function itemNow(
  context: Context,
  observation: Observation,
  before: ObjectItem | null,
  { related, seenMs }: Pick<Required<LookOptions>, 'related' | 'seenMs'>,
): Promise<ObjectItem | null> {
  const { config, sources } = context;
  if (observation.kind === 'unknown')
    return before === null || before.deleted ? null : unreadableItem(before, observation.message);
  if (observation.kind === 'absent') return before === null ? null : deletedItem(config.clusterId, before);
  const { object } = observation;
  if (before !== null && before.uid === object.uid && isOlder(object.version, before.version)) return null;
  const gathered = await gatherFor(context, object, before, related);
  const memory = { nowMs: seenMs, inForce: await specInForce(context, object, before) };
  return itemAsObserved(config.clusterId, sources, object, { gathered, memory }, before);
}

/** The spec in force of a Zone that has a new spec now; null for any other object. */
async function specInForce(
  context: Context,
  { ref, uid, spec }: ClusterObject,
  before: ObjectItem | null,
): Promise<FormerSpec | null> {
  if (!isZone(ref) || before === null || before.uid !== uid || before.spec === null) return null;
  if (sameJson(spec, before.spec)) return null;
  // The directory would replace Zones whose items cannot be read. Those are in no ring, so it is not needed here.
  const { items } = await zoneObjects(context, { zones: [], unread: new Map() });
  const zone = items.find((item) => keyOf(item.ref) === keyOf(ref));
  return zone === undefined || zone.spec === null ? null : { spec: zone.spec, sinceMs: zone.sinceMs ?? 0 };
}

/** Reads the related objects. The object is noted as a dependent first, so that a later change finds it. */
async function gatherFor(
  context: Context,
  object: ClusterObject,
  before: ObjectItem | null,
  reader: RelatedReader,
): Promise<Gathered> {
  const source = relatedSourceOf(context.sources, object);
  if (source === null) return NOTHING_GATHERED;
  const known = before?.related ?? [];
  const noted: RelatedQuery[] = [];
  return gatherRelated(source, object, {
    reader,
    typesAt: (fqdn) => typesInLedger(context, fqdn),
    note: async (queries) => {
      const fresh = queries.filter((query) => !isAmong([...known, ...noted], query));
      noted.push(...fresh);
      await noteDependent(context, object.ref, fresh);
      return fresh.length > 0;
    },
  });
}
