// Saves an observation: the object item, and the index of its names. First the object item is written, as unsettled, by
// compare-and-swap. Then the NamedItems of the spec in force are written, and those of former specs are removed. A run
// that is overtaken in between may write a NamedItem late, or leave one behind. That does no harm: a run that updates a
// name reads the object item behind each NamedItem (lib/resolve/load-name.ts), and the overtaken run updates that name
// itself.

import { nameOfReversedKey, reversedKey } from '../dns/names/name.ts';
import { swap } from '../ledger/compare-and-swap.ts';
import { readItem, type Stored } from '../ledger/item-codec.ts';
import { formatRef, keyOf, type ObjectRef, type ZoneKey, zoneOfKey } from '../objects/object-ref.ts';
import { sameJson } from '../objects/same-json.ts';
import type { Context } from '../ports/context.ts';
import { inParallel } from '../ports/in-parallel.ts';
import type { Ledger, LedgerItem, LedgerKey } from '../ports/ledger.ts';
import { oncePerKey } from '../ports/once.ts';
import type { DeclaredObject } from '../zones/adopt-endpoint.ts';
import type { ZoneSpec } from '../zones/parse-zone.ts';
import { tombstoneOf, withLeft } from './former-names.ts';
import {
  declaredBy,
  type NamedItem,
  namedCodec,
  namedItem,
  parseMemberKey,
  placesOf,
  targetsPartition,
} from './name-index.ts';
import { declaredZone, type ObjectItem, objectCodec, objectKey } from './object-item.ts';
import { forgetRecheck, noteDependent } from './related/dependents.ts';
import { leftOfReport, statusCodec, statusKey } from './status-item.ts';
import { zonesInForce, zonesNamed } from './zone-objects.ts';

/** How many places are read or written at once: an object may ask for 500 names. */
const PLACES_AT_ONCE = 16;

/** An object item as it was written, unsettled. */
export type NotedObject = Stored<ObjectItem>;

/** Saves an observation over the item at `revision`; null if another run has saved one meanwhile. */
export async function noteObject(
  context: Context,
  item: ObjectItem,
  revision: string | null,
): Promise<NotedObject | null> {
  const { ledger, config } = context;
  await noteDependent(context, item.ref, item.related ?? []);
  const written = await ledger.put(
    objectKey(config.clusterId, item.ref),
    objectCodec.encode({ ...item, unsettled: true }),
    revision,
  );
  if (written === null) return null;
  await placeObject(context, item, revision === null ? 'none' : null);
  return { item, revision: written };
}

/** The NamedItems of an object as they were read, by sort key. */
export type ReadPlaces = Promise<ReadonlyMap<string, Stored<NamedItem> | null> | null>;

/** Reads the NamedItems at these places; null if that fails, because nothing depends on it. */
export async function readPlaces({ ledger }: Context, places: readonly LedgerKey[]): ReadPlaces {
  const found = new Map<string, Stored<NamedItem> | null>();
  try {
    await inParallel(places, PLACES_AT_ONCE, async (place) => {
      found.set(place.sort, await readItem(ledger, place, namedCodec));
    });
    return found;
  } catch {
    return null;
  }
}

/**
 * Writes the NamedItems of the spec in force, and removes those of former specs. `existing`: the NamedItems as read a
 * moment ago; `none`: there are none yet; null: they were not read. `places`: where the object asks for something else
 * than before.
 */
export async function placeObject(
  context: Context,
  item: ObjectItem,
  existing: Awaited<ReadPlaces> | 'none',
  places = placesOf(context.config.clusterId, item),
): Promise<void> {
  await inParallel(places, PLACES_AT_ONCE, (place) =>
    placeNamed(context, place, item, existing === 'none' ? null : existing?.get(place.sort)),
  );
  await inParallel(item.leaving, PLACES_AT_ONCE, (key) => reviseNamed(context, key, item));
}

/**
 * Saves the object as settled. False if another run has saved the same observation since and has not settled it: that
 * run may have died, and the message that would repeat it may be the one that this run handles, so the object needs a
 * new hint. If something else was observed meanwhile, the run that observed it settles the object.
 */
export async function noteSettled(context: Context, { item, revision }: NotedObject): Promise<boolean> {
  const { ledger, config, clock } = context;
  const { clusterId } = config;
  const key = objectKey(clusterId, item.ref);
  const names = [...new Set([...(item.names ?? []), ...(await namesAt(context, item.leaving))])];
  const hasLeft = item.leaving.length > 0;
  const kept = withLeft(item, hasLeft ? names : [], clock.nowMs());
  if (!item.deleted) {
    const { left: _, ...rest } = item;
    const now = { ...rest, unsettled: false, names: hasLeft ? [] : names, leaving: [], ...kept };
    const written = await ledger.put(key, objectCodec.encode(now), revision);
    return written !== null || !(await isStillUnsettled(ledger, key, item));
  }
  if (item.related !== undefined) await forgetRecheck(context, item.ref);
  // The status is removed first: if it were left, the next object of that name would look reported.
  await forgetReport(context, item.ref);
  const isGone =
    kept.left === undefined
      ? await ledger.remove(key, revision)
      : (await ledger.put(key, objectCodec.encode(tombstoneOf(item, kept.left)), revision)) !== null;
  return isGone || !(await isStillUnsettled(ledger, key, item));
}

/** Removes the last report of an object that is gone. The serial of a Zone stays, and the next one continues it. */
async function forgetReport({ ledger, config }: Context, ref: ObjectRef): Promise<void> {
  const status = await ledger.get(statusKey(config.clusterId, ref));
  if (status === null) return;
  const reported = statusCodec.read(status);
  const left = reported instanceof Error ? null : leftOfReport(reported);
  if (left === null) await ledger.remove(status, status.revision);
  else await ledger.put(status, statusCodec.encode(left), status.revision);
}

async function isStillUnsettled(ledger: Ledger, key: LedgerKey, item: ObjectItem): Promise<boolean> {
  const stored = await readItem(ledger, key, objectCodec);
  if (stored === null) return false;
  const now = stored.item;
  return now.unsettled && now.uid === item.uid && now.digest === item.digest && now.deleted === item.deleted;
}

/** Writes a NamedItem. It always gets a new revision, so that a late run cannot remove it. `known` as in swap(). */
async function placeNamed(
  context: Context,
  place: LedgerKey,
  item: ObjectItem,
  known: Stored<NamedItem> | null | undefined,
): Promise<void> {
  const named = namedItem(context.config.clusterId, item, place);
  await swap(context.ledger, place, namedCodec, () => named, known);
}

/** Writes those NamedItems of an object that are missing. */
export async function restoreNamed({ ledger, config }: Context, item: ObjectItem): Promise<void> {
  for (const place of placesOf(config.clusterId, item)) {
    const named = namedItem(config.clusterId, item, place);
    if (named === null || (await ledger.get(place)) !== null) continue;
    await ledger.put(place, namedCodec.encode(named), null);
  }
}

async function reviseNamed(context: Context, key: LedgerKey, { ref }: ObjectItem): Promise<void> {
  const stored = await context.ledger.get(key);
  if (stored !== null)
    await objectBehind(context.ledger, context.config.clusterId, { ...stored, body: { ...stored.body, ref } });
}

/** Objects with at least so many names are kept in memory. One with fewer names is read for each of them. */
export const KEPT_FROM_NAMES = 16;

/** Gives an object as it was read first; undefined: the object is not kept. */
export type KeptObjects = (ref: ObjectRef) => Promise<ObjectItem | null> | undefined;

/**
 * Keeps these objects in memory from their first reading on. Updating a name needs the whole object, and that of a
 * Service with 500 Pods has 1,000 names. A kept object may only confirm a NamedItem. If it does not, the object is read
 * again. In the end the run asks whether the objects are still the same (`areUnchanged()`).
 */
export function keepObjects(
  { ledger, config }: Pick<Context, 'ledger' | 'config'>,
  refs: readonly ObjectRef[],
): KeptObjects {
  const keys = new Set(refs.map(formatRef));
  const kept = oncePerKey(
    formatRef,
    async (ref) => (await readItem(ledger, objectKey(config.clusterId, ref), objectCodec))?.item ?? null,
  );
  return (ref) => (keys.has(formatRef(ref)) ? kept(ref) : undefined);
}

/**
 * False if one of these objects has changed since it was kept. Then the kept object may have confirmed a NamedItem that
 * is out of date: one that a late run wrote after it had read the same.
 */
export async function areUnchanged(
  { ledger, config }: Pick<Context, 'ledger' | 'config'>,
  refs: readonly ObjectRef[],
  kept: KeptObjects,
): Promise<boolean> {
  const stand = await Promise.all(
    refs.map(async (ref) => {
      const was = (await kept(ref)) ?? null;
      const now = (await readItem(ledger, objectKey(config.clusterId, ref), objectCodec))?.item ?? null;
      return was?.digest === now?.digest && was?.deleted === now?.deleted;
    }),
  );
  return !stand.includes(false);
}

/**
 * What the object behind a NamedItem asks for at that name. Null if the object is gone or asks for nothing there now:
 * then the NamedItem is removed. A NamedItem that is out of date is rewritten. `kept`: objects that need not be read
 * again.
 */
export async function objectBehind(
  ledger: Ledger,
  clusterId: string,
  entry: LedgerItem,
  kept?: KeptObjects,
): Promise<DeclaredObject | null> {
  const { ref } = namedCodec.decode(entry);
  const known = await kept?.(ref);
  const existing = known == null || known.deleted ? null : namedItem(clusterId, known, entry);
  // A kept object may be older than the NamedItem: it may confirm it, and never change it.
  if (existing !== null && sameJson(namedCodec.encode(existing), entry.body)) return declaredBy(existing);
  const object = (await readItem(ledger, objectKey(clusterId, ref), objectCodec))?.item ?? null;
  const named = object === null || object.deleted ? null : namedItem(clusterId, object, entry);
  if (named === null) {
    await ledger.remove(entry, entry.revision);
    return null;
  }
  const body = namedCodec.encode(named);
  if (!sameJson(body, entry.body)) await ledger.put(entry, body, entry.revision);
  return declaredBy(named);
}

/** The name that the place of a NamedItem means now; null for a target, or while its zoneRef leads to no name. */
export async function nameAt(context: Pick<Context, 'ledger' | 'config'>, key: LedgerKey): Promise<string | null> {
  const { clusterId } = context.config;
  if (key.partition === targetsPartition(clusterId)) return null;
  const member = parseMemberKey(clusterId, key);
  if (member === null) return nameOfReversedKey(key.sort.slice(0, key.sort.indexOf('!')));
  const fqdn = await nameOfZone(context, member.zone);
  return fqdn === null ? null : nameOfReversedKey(reversedKey(fqdn) + member.reversedLabels);
}

/** The names that the places of NamedItems mean now, each once. */
export async function namesAt(
  context: Pick<Context, 'ledger' | 'config'>,
  places: readonly LedgerKey[],
): Promise<readonly string[]> {
  const names = await Promise.all(places.map((place) => nameAt(context, place)));
  return [...new Set(names.flatMap((name) => name ?? []))];
}

/** The fqdn of a Zone, live or not, by the zoneRefs above it; null if they lead nowhere or form a ring. */
async function nameOfZone(context: Pick<Context, 'ledger' | 'config'>, zone: ZoneKey): Promise<string | null> {
  const zones = new Map<ZoneKey, ObjectItem>();
  for (const toRead = [zone]; ; ) {
    const key = toRead.pop();
    if (key === undefined) break;
    if (zones.has(key)) continue;
    const item = await readZone(context, key);
    if (item === null) continue;
    zones.set(key, item);
    toRead.push(...zonesNamed(item));
  }
  const existing = new Map(zonesInForce([...zones.values()]).map((item) => [keyOf(item.ref), declaredZone(item).spec]));
  const labels: string[] = [];
  const seen = new Set<ZoneKey>();
  for (let key: ZoneKey | null = zone; key !== null && !seen.has(key); ) {
    seen.add(key);
    const spec: ZoneSpec | null = existing.get(key) ?? null;
    if (spec === null) return null;
    if (spec.domainName.kind === 'full') return [...labels, spec.domainName.fqdn].join('.');
    labels.push(spec.domainName.labels);
    key = spec.zoneRef;
  }
  return null;
}

async function readZone(
  { ledger, config }: Pick<Context, 'ledger' | 'config'>,
  key: ZoneKey,
): Promise<ObjectItem | null> {
  const stored = await readItem(ledger, objectKey(config.clusterId, zoneOfKey(key)), objectCodec);
  return stored === null || stored.item.deleted ? null : stored.item;
}
