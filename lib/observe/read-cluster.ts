// Reads the whole cluster at once, together with what the ledger remembers of it: what is in force now, which objects
// changed, and which are gone. An object that is missing from the listing is gone only if a read of its name says so,
// too. While its file cannot be parsed, it stays in force (docs/adr/0004-incomplete-readings-delete-nothing.md).

import { readAllAges, unreadAges } from '../directory/name-ages-item.ts';
import { type Directory, readDirectory, readHistory } from '../directory/read-directory.ts';
import { type Stored, UnreadableItemError } from '../ledger/item-codec.ts';
import { eachItem } from '../ledger/pages.ts';
import { orUnread } from '../ledger/skip-unreadable.ts';
import { type Declared, formatRef, isOlder, isZone, keyOf, zoneOfKey } from '../objects/object-ref.ts';
import { NO_TYPES } from '../objects/related.ts';
import type { Source } from '../objects/source.ts';
import { type Cluster, type ClusterObject, FILE_UNREAD, type Listing, type Observation } from '../ports/cluster.ts';
import type { Context } from '../ports/context.ts';
import { once } from '../ports/once.ts';
import type { DeclaredObject } from '../zones/adopt-endpoint.ts';
import type { ZoneSpec } from '../zones/parse-zone.ts';
import type { Hosting } from '../zones/place-zones.ts';
import type { ZoneHistory } from '../zones/resolve-zones.ts';
import type { Past } from '../zones/seniority.ts';
import { isTombstone } from './former-names.ts';
import { gatherAll } from './gather-all.ts';
import { type InForce, inForce, isRead, type ZoneMemory } from './in-force/last-valid-spec.ts';
import { kindsEverRead } from './kinds-noted.ts';
import {
  declaredObject,
  declaredZone,
  type ObjectItem,
  objectCodec,
  objectsPartition,
  observedItem,
  sharing,
  unreadableItem,
} from './object-item.ts';
import type { Gathered } from './related/gather-related.ts';
import { typesPublished } from './related/types-at.ts';
import { fromDirectory, specsInForce, zonesInForce } from './zone-objects.ts';

/** One object as the ledger knew it (null: it did not) and as it is now. */
export type KnownObject = {
  readonly before: ObjectItem | null;
  readonly revision: string | null;
  readonly now: ObjectItem;
};

export type ClusterReading = {
  readonly listing: Listing;
  readonly zones: readonly Declared<ZoneSpec>[];
  /** Every object in force, by `formatRef`. */
  readonly objects: ReadonlyMap<string, KnownObject>;
  /** Objects that are proven gone. */
  readonly gone: readonly Stored<ObjectItem>[];
  /** Tombstones of objects that were gone before. */
  readonly tombstones: readonly Stored<ObjectItem>[];
  readonly history: ZoneHistory;
  readonly unread: UnreadOfCluster;
};

/** The items that this code cannot read: of objects, by `formatRef`, and of Zones that are live, by name. */
export type UnreadOfCluster = {
  readonly objects: ReadonlyMap<string, UnreadableItemError>;
  readonly subtrees: ReadonlyMap<string, UnreadableItemError>;
};

/** What all objects except Zones ask for. */
export function declaredIn({ objects }: Pick<ClusterReading, 'objects'>): readonly DeclaredObject[] {
  return [...objects.values()].flatMap(({ now }) => (isZone(now.ref) ? [] : [declaredObject(now)]));
}

type Remembered = Map<string, Stored<ObjectItem>>;
type Unread = UnreadOfCluster['objects'];

/** What reading a cluster needs. */
export type Reader = Pick<Context, 'cluster' | 'ledger' | 'sources' | 'config' | 'clock'>;

/** Reads everything. Throws if the listing is incomplete: then nothing may be changed. */
export async function readCluster(reader: Reader): Promise<ClusterReading> {
  const { cluster, sources } = reader;
  const { remembered, unread } = await rememberedObjects(reader);
  const listing = await cluster.list();
  const objects = new Map<string, KnownObject>();
  const keep = (known: KnownObject) => objects.set(formatRef(known.now.ref), known);
  const rememberedOf = (object: ClusterObject) => remembered.get(formatRef(object.ref));
  const memoryOf = zoneMemory(remembered, reader.clock.nowMs());
  const directory = once(() => readDirectory(reader.ledger, reader.config.clusterId));
  const history = once(async () => historyOf(reader, await directory()));
  // Objects that the listing lacks are read first, because related objects are gathered over all objects.
  const missing = await observeAllMissing(reader, listing, remembered);
  const found = missing.flatMap(({ observation }) => (observation.kind === 'present' ? [observation.object] : []));
  const present = [...listing.objects, ...found];
  const gatheredOf = await gatherAll(reader, present, {
    lastValidOf: (object) => lastValidOf(object, rememberedOf(object)?.item ?? null),
    memoryOf,
    typesPublished: async (fqdn) => {
      const types = await orUnread(() => typesPublished(reader, fqdn));
      return types instanceof UnreadableItemError ? NO_TYPES : types;
    },
    hostings: async () => hostingsIn(await directory()),
    history,
    past: once(() => pastOf(reader)),
  });
  for (const object of present) {
    const seen = { gathered: gatheredOf(object), memory: memoryOf(object) };
    keep(nowKnown(cluster.clusterId, sources, object, seen, rememberedOf(object)));
  }
  const gone: Stored<ObjectItem>[] = [];
  for (const { item, revision, observation } of missing) {
    if (observation.kind === 'present') continue;
    if (observation.kind === 'absent' || item.deleted) gone.push({ item, revision });
    else keep({ before: item, revision, now: unreadableItem(item, observation.message) });
  }
  for (const known of unreadZones(unread, await directory())) keep(known);
  const items = [...objects.values()].map(({ now }) => now);
  const zones = zonesInForce(items.filter(({ ref }) => isZone(ref))).map(declaredZone);
  const tombstones = [...remembered.values()].filter(({ item }) => isTombstone(item));
  const known = await history();
  return {
    listing,
    zones,
    objects,
    gone,
    tombstones,
    history: known,
    unread: unreadIn(unread, await directory(), known),
  };
}

function unreadIn(objects: Unread, { unread }: Directory, { stored }: Awaited<ReturnType<typeof historyOf>>) {
  return { objects, subtrees: new Map([...unreadAges(stored), ...unread]) };
}

/** The live Zones whose item cannot be read, as the directory has them. */
function unreadZones(unread: Unread, { zones }: Directory): readonly KnownObject[] {
  const live = zones.filter(({ item: { key } }) => unread.has(formatRef(zoneOfKey(key))));
  return live.map(({ item }) => ({ before: null, revision: null, now: fromDirectory(item) }));
}

function historyOf({ ledger, config, clock }: Reader, directory: Directory) {
  return readHistory(ledger, config.clusterId, clock.nowMs(), directory);
}

/** The hosted zones that Zones have, by fqdn, so far as the directory can be read. */
function hostingsIn({ zones }: Directory): ReadonlyMap<string, Hosting> {
  return new Map(zones.flatMap(({ item: { fqdn, hosting } }) => (hosting === null ? [] : [[fqdn, hosting] as const])));
}

/** The ages of names, for finding out which types a name has. What it has in Route 53 is left to the plan. */
async function pastOf({ ledger, config, clock }: Reader): Promise<Past> {
  const ages = await readAllAges(ledger, config.clusterId);
  return { nowMs: clock.nowMs(), agesAt: (name) => ages.get(name)?.item.ages ?? [], stands: () => false };
}

const NOTHING_LISTED: Listing = { objects: [], problems: [], unreadable: new Set() };

/** The cluster as the ledger remembers it, without a read of the cluster. */
export async function readRemembered(reader: Reader): Promise<ClusterReading> {
  const { remembered, unread } = await rememberedObjects(reader);
  const directory = await readDirectory(reader.ledger, reader.config.clusterId);
  const live = [...remembered.values()].filter(({ item }) => !item.deleted);
  const known = live.map(({ item, revision }): KnownObject => ({ before: item, revision, now: item }));
  const all = [...known, ...unreadZones(unread, directory)];
  const items = all.map(({ now }) => now);
  const history = await historyOf(reader, directory);
  return {
    listing: NOTHING_LISTED,
    zones: zonesInForce(items.filter(({ ref }) => isZone(ref))).map(declaredZone),
    objects: new Map(all.map((one) => [formatRef(one.now.ref), one])),
    gone: [],
    tombstones: [],
    history,
    unread: unreadIn(unread, directory, history),
  };
}

type Missing = Stored<ObjectItem> & { readonly observation: Observation };

async function observeAllMissing(
  { cluster, sources }: Reader,
  listing: Listing,
  remembered: Remembered,
): Promise<readonly Missing[]> {
  const listed = new Set(listing.objects.map(({ ref }) => formatRef(ref)));
  const missing: Missing[] = [];
  for (const [id, { item, revision }] of remembered) {
    if (listed.has(id) || isTombstone(item)) continue;
    // The source of the kind is switched off, so the object counts as gone.
    const observation: Observation = isRead(sources, item.ref)
      ? await observeMissing(cluster, listing, item)
      : { kind: 'absent' };
    missing.push({ item, revision, observation });
  }
  return missing;
}

/** Reads an object that is not listed. After an incomplete listing its absence is not proven. */
async function observeMissing(cluster: Cluster, listing: Listing, { ref, file }: ObjectItem): Promise<Observation> {
  const [unreadable] = listing.unreadable;
  if (unreadable === undefined) return cluster.get(ref, file);
  // Its own file, or a folder above. If it was in another file, it may have been moved into one that cannot be read.
  const own = [...listing.unreadable].find((one) => file === one || file?.startsWith(`${one}/`));
  const shown = (name: string) => (name === '-' ? 'standard input' : name);
  const message = `${shown(unreadable)} cannot be read in full, so this object is kept unchanged`;
  return { kind: 'unknown', message: own === undefined ? message : `${FILE_UNREAD}: ${shown(own)}` };
}

/** What is remembered of Zones. All are looked at with the same time. */
function zoneMemory(remembered: Remembered, nowMs: number): (object: ClusterObject) => ZoneMemory {
  const zones = [...remembered.values()].flatMap(({ item }) => (isZone(item.ref) && !item.deleted ? [item] : []));
  const inForce = specsInForce(zones);
  return ({ ref }) => ({ nowMs, inForce: isZone(ref) ? (inForce.get(keyOf(ref)) ?? null) : null });
}

async function rememberedObjects({ cluster, ledger, sources }: Reader) {
  const remembered: Remembered = new Map();
  const unread = new Map<string, UnreadableItemError>();
  const { own } = await kindsEverRead(ledger, cluster.clusterId, sources);
  for (const kind of own) {
    for await (const stored of eachItem(ledger, objectsPartition(cluster.clusterId, kind))) {
      const item = objectCodec.read(stored);
      if (item instanceof UnreadableItemError) unread.set(`${kind} ${stored.sort}`, item);
      else remembered.set(formatRef(item.ref), { item, revision: stored.revision });
    }
  }
  return { remembered, unread };
}

function nowKnown(
  clusterId: string,
  sources: readonly Source[],
  object: ClusterObject,
  seen: Seen,
  remembered: Stored<ObjectItem> | undefined,
): KnownObject {
  const stored = remembered?.item ?? null;
  const before = stored === null || isTombstone(stored) ? null : stored;
  const revision = remembered?.revision ?? null;
  if (before !== null && before.uid === object.uid && isOlder(object.version, before.version))
    return { before, revision, now: before };
  const now = itemAsObserved(clusterId, sources, object, seen, stored);
  return { before: before === null ? null : sharing(before, now), revision, now };
}

/** What else was read with an object. `memory` is not needed to compare digests. */
type Seen = { readonly gathered: Gathered; readonly memory?: ZoneMemory };

/** The item of an observation. Another uid is another object: nothing of the old one stays in force. */
export function itemAsObserved(
  clusterId: string,
  sources: readonly Source[],
  object: ClusterObject,
  { gathered, memory }: Seen,
  before: ObjectItem | null,
): ObjectItem {
  const lastValid = lastValidOf(object, before);
  return observedItem(clusterId, object, inForce(sources, object, gathered, lastValid, memory), before);
}

/** What was in force of the object with this uid. */
function lastValidOf(object: ClusterObject, before: ObjectItem | null): InForce | undefined {
  return before !== null && !before.deleted && before.uid === object.uid ? before : undefined;
}
