// Reads the object behind a hint and saves it in the ledger before its consequences are written. The object item says
// *unsettled* until `reconcile()` has written them. So a run that dies in between is done again, although nothing of
// the object has changed since.
// An older observation never overwrites a newer one; deleting needs a 404 for that very name.

import { swap } from '../ledger/compare-and-swap.ts';
import { readItem } from '../ledger/item-codec.ts';
import { isZone, keyOf, type ObjectRef } from '../objects/object-ref.ts';
import type { RelatedQuery } from '../objects/related.ts';
import { sameJson } from '../objects/same-json.ts';
import { isSelected, settingsOf } from '../objects/source.ts';
import type { ClusterObject, Observation } from '../ports/cluster.ts';
import type { Context } from '../ports/context.ts';
import type { LedgerKey } from '../ports/ledger.ts';
import { isTombstone, namesLeft, withLeft } from './former-names.ts';
import { type FormerSpec, LEANS_ON_NOTHING, sourceOf } from './in-force/last-valid-spec.ts';
import { noteOverwritten } from './mark-status-stale.ts';
import { placesChanged, placesOf } from './name-index.ts';
import { deletedItem, isOlder, type ObjectItem, objectCodec, objectKey, unreadableItem } from './object-item.ts';
import { observe as observeObject } from './read-cluster.ts';
import { isAmong, noteDependent } from './related/dependents.ts';
import { type Gathered, gatherRelated } from './related/gather-related.ts';
import { freshRelated, type RelatedReader } from './related/read-related.ts';
import { typesInLedger } from './related/types-at.ts';
import { namesAt, noteSettled, placeObject, readPlaces, restoreNamed, type StandingPlaces } from './save-object.ts';
import { zoneObjects } from './zone-objects.ts';

/** What an observation leads to. */
export type Observed = {
  /** The names to update. */
  readonly names: readonly string[];
  /** Writes the item that says so, once every consequence is written. False: it is to be looked at once more. */
  readonly noteSettled: () => Promise<boolean>;
  /** It was seen before: another run may have died over its consequences. */
  readonly again: boolean;
  /** It says something else than the ledger knew. */
  readonly news: boolean;
  /** Nothing that it says has changed, only what it shows. */
  readonly reportOnly?: true;
};

const ABSENT: Observation = { kind: 'absent' };

/** `places`: where the object asks for something new since it was settled; `names`: of these and of what it left. */
type News = {
  readonly names: readonly string[];
  readonly places: readonly LedgerKey[];
  readonly before: ObjectItem | null;
};

/** The result of observing an object: an item to save (null: none), and its consequences or remaining work. */
type Look = {
  readonly item: ObjectItem | null;
  /** For an unsettled item: the names concerned, and whether the ledger knew the object. */
  readonly news: News | null;
  readonly observed: Observed | null;
};

/** What a look is made with. */
export type LookOptions = {
  /** Default: everything is read anew. */
  readonly related?: RelatedReader;
  /** When objects that are looked at together are seen; default: now. */
  readonly seenMs?: number;
  /** Names where an earlier look has placed it, and it is gone. */
  readonly left?: readonly string[];
};

/** Observes one object; null when nothing is to be done. The same whether it was created, changed or deleted. */
export async function observe(
  context: Context,
  ref: ObjectRef,
  { related = freshRelated(context), seenMs = context.clock.nowMs(), left = [] }: LookOptions = {},
): Promise<Observed | null> {
  const { ledger, config, cluster } = context;
  let look: Look = { item: null, news: null, observed: null };
  let standing: StandingPlaces | null = null;
  const noted = await swap(ledger, objectKey(config.clusterId, ref), objectCodec, async (before) => {
    look = await lookAt(context, ref, before, await observationOf(context, ref, before), {
      ...{ related, seenMs, left },
    });
    // While the object is noted: where it lies is written after that.
    standing = look.item === null || look.news?.before == null ? null : readPlaces(context, look.news.places);
    return look.item;
  });
  const { news, observed } = look;
  if (noted === null || news === null) return observed;
  await placeObject(context, noted.item, news.before === null ? 'none' : await standing, news.places);
  // Anew: a Zone that moved before it was noted has not seen it.
  const names = [...new Set([...news.names, ...(await namesAt(context, [...news.places, ...noted.item.leaving]))])];
  // Whoever was told of its deletion before we noted it found nothing to delete, or has deleted it under our hands.
  if (news.before === null && (await cluster.get(ref, noted.item.file)).kind === 'absent')
    return observe(context, ref, { related, seenMs, left: names });
  const again = news.before?.unsettled === true;
  return { names, noteSettled: () => noteSettled(context, noted), again, news: true };
}

/**
 * Notes an object that the ledger does not know as it was listed, unsettled: its consequences are for a hint, once a
 * listing that began later has shown it too (`asNoted()`). One that is known by now is left alone.
 */
export async function noteListed(context: Context, object: ClusterObject, related: RelatedReader): Promise<void> {
  const { ledger, config } = context;
  let places: readonly LedgerKey[] = [];
  const change = async (before: ObjectItem | null) => {
    if (before !== null) return null;
    const look = await lookAt(
      context,
      object.ref,
      null,
      { kind: 'present', object },
      {
        ...{ related, seenMs: context.clock.nowMs(), left: [] },
      },
    );
    places = look.news?.places ?? [];
    return look.item;
  };
  const noted = await swap(ledger, objectKey(config.clusterId, object.ref), objectCodec, change, null);
  if (noted !== null) await placeObject(context, noted.item, 'none', places);
}

/** An unsettled object that the ledger has in just this version, so that it need not be read; null: read it. */
export async function asNoted(context: Context, ref: ObjectRef, version: string): Promise<Observed | null> {
  const noted = await readItem(context.ledger, objectKey(context.config.clusterId, ref), objectCodec);
  if (noted === null) return null;
  const { item } = noted;
  if (!item.unsettled || item.deleted || item.version !== version || item.leaving.length > 0) return null;
  // Whoever noted it may have died before it was placed.
  await restoreNamed(context, item);
  const names = item.names ?? [];
  // Where a Zone has moved since, it is to be noted where the object may come to be written.
  const now = await namesAt(context, allPlacesOf(context, item));
  if (!now.every((name) => names.includes(name))) return null;
  return { names, noteSettled: () => noteSettled(context, noted), again: true, news: true };
}

function isRead({ sources }: Context, ref: ObjectRef): boolean {
  return isZone(ref) || sourceOf(sources, ref) !== null;
}

/** The object as it stands, read after what the ledger knows of it: the other way round it might be older than that. */
async function observationOf(context: Context, ref: ObjectRef, before: ObjectItem | null): Promise<Observation> {
  // Of a kind that nobody reads any more nothing is wanted.
  if (!isRead(context, ref)) return ABSENT;
  return context.cluster.get(ref, before === null || isTombstone(before) ? null : before.file);
}

async function lookAt(
  context: Context,
  ref: ObjectRef,
  stored: ObjectItem | null,
  observation: Observation,
  { related, seenMs, left }: Required<LookOptions>,
): Promise<Look> {
  // A tombstone says where the object was, and nothing else.
  const before = stored === null || isTombstone(stored) ? null : stored;
  const after = await itemNow(context, observation, before, { related, seenMs });
  const lookAgain = (names: readonly string[], news: boolean): Observed => {
    return { names, noteSettled: async () => true, again: true, news };
  };
  // Nothing is concluded, but a hint that comes again may stand for a run that died over what it wrote by an older
  // reading.
  if (after === null) {
    const names = [...new Set([...left, ...(await namesOf(context, ref, stored))])];
    return { item: null, news: null, observed: names.length === 0 ? null : lookAgain(names, left.length > 0) };
  }
  if (before !== null && !before.unsettled && after.digest === before.digest && !after.deleted) {
    // A hint that comes again may stand for a run that died on top of what a faster one had settled: look once more.
    if (after.version === before.version || after.file !== null)
      return { item: null, news: null, observed: lookAgain(await namesOf(context, ref, before), false) };
    // Only its version moved, as when a status was written. It is kept to know an older reading by; but not before it
    // is noted what was written over: a run that dies in between must find that the version is news.
    const overwritten = await noteOverwritten(context, observation);
    const reported = { names: [], noteSettled: async () => true, again: false, news: false, reportOnly: true } as const;
    return { item: { ...after, unsettled: false }, news: null, observed: overwritten ? reported : null };
  }
  if (after.generation === before?.generation) await noteOverwritten(context, observation);
  // Where it may come to be written is noted before it is.
  const earlier = before?.names ?? [];
  const names = new Set(await namesAt(context, allPlacesOf(context, after)));
  if (before?.unsettled === true) for (const name of earlier) names.add(name);
  // Where its Zone has put it elsewhere since it was settled, nothing else says where it was.
  const dropped = earlier.filter((name) => !names.has(name));
  const { left: _, ...now } = after;
  const kept = withLeft(stored ?? {}, dropped, context.clock.nowMs());
  const item = { ...now, unsettled: true, names: [...names], ...kept };
  const places = placesToWrite(context, before, item);
  const touched = before === null || before.unsettled ? names : await namesAt(context, [...places, ...item.leaving]);
  return { item, news: { names: [...touched], places, before }, observed: null };
}

/** The names where an object's endpoints lie or may have been written, and those that it left not long ago. */
async function namesOf(context: Context, ref: ObjectRef, item: ObjectItem | null): Promise<readonly string[]> {
  if (isZone(ref) || item === null) return [];
  const now = await namesAt(context, allPlacesOf(context, item));
  return [...new Set([...now, ...(item.names ?? []), ...namesLeft(item, context.clock.nowMs())])];
}

/** Where what an object asks for is to be written: of one that is settled, where it asks for something else now. */
function placesToWrite({ config }: Context, before: ObjectItem | null, now: ObjectItem): readonly LedgerKey[] {
  const isOther =
    before === null || before.unsettled || !sameJson([before.age, before.problems], [now.age, now.problems]);
  return isOther ? placesOf(config.clusterId, now) : placesChanged(config.clusterId, before, now);
}

/** Where an object's endpoints lie and lay. */
function allPlacesOf({ config }: Context, item: ObjectItem): readonly LedgerKey[] {
  return [...placesOf(config.clusterId, item), ...item.leaving];
}

/** The item for what was seen; null when nothing may be, or need be, concluded from it. */
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
  const memory = { nowMs: seenMs, standing: await standingSpec(context, object, before) };
  return observeObject(config.clusterId, sources, object, { gathered, memory }, before);
}

/** What is in force of a Zone that says something else now; null for any other object. */
async function standingSpec(
  context: Context,
  { ref, uid, spec }: ClusterObject,
  before: ObjectItem | null,
): Promise<FormerSpec | null> {
  if (!isZone(ref) || before === null || before.uid !== uid || before.spec === null) return null;
  if (sameJson(spec, before.spec)) return null;
  // What the directory has in place of those that cannot be read is in no ring.
  const { items } = await zoneObjects(context, []);
  const standing = items.find((item) => keyOf(item.ref) === keyOf(ref));
  return standing === undefined || standing.spec === null
    ? null
    : { spec: standing.spec, sinceMs: standing.sinceMs ?? 0 };
}

/** What an object leans on. Whoever changes that finds the object: it is noted before it is read. */
async function gatherFor(
  context: Context,
  object: ClusterObject,
  before: ObjectItem | null,
  reader: RelatedReader,
): Promise<Gathered> {
  const source = isZone(object.ref) ? null : sourceOf(context.sources, object.ref);
  if (source?.relatedOf === undefined || !isSelected(object, settingsOf(source))) return LEANS_ON_NOTHING;
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
