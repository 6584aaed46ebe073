// The whole cluster at once, together with what the ledger remembers of it: what is in force now, which objects changed,
// and which are gone. Deleting needs positive evidence, so an object that is missing from the listing is gone only when
// asking for it by name says so too; where its file does not parse, it stays in force (design sections 4 and 6).

import { allItems } from '../ledger/pages.ts';
import { type Declared, formatRef, isZone } from '../objects/object-ref.ts';
import { kindsOf, type Source } from '../objects/source.ts';
import type { Cluster, ClusterObject, Listing, Observation } from '../ports/cluster.ts';
import type { Context } from '../ports/context.ts';
import type { DeclaredObject } from '../zones/adopt-endpoint.ts';
import type { ZoneSpec } from '../zones/parse-zone.ts';
import { inForce } from './last-valid-spec.ts';
import {
  declaredObject,
  declaredZone,
  isOlder,
  type ObjectItem,
  objectCodec,
  objectsPartition,
  observedItem,
  unreadableItem,
} from './object-item.ts';

/** One object: as the ledger knew it (null: not at all) and as it is now. */
export type KnownObject = {
  readonly before: ObjectItem | null;
  readonly revision: string | null;
  readonly now: ObjectItem;
};

/** A cluster as read. */
export type ClusterReading = {
  readonly listing: Listing;
  readonly zones: readonly Declared<ZoneSpec>[];
  readonly declared: readonly DeclaredObject[];
  /** Every object in force, by `formatRef`. */
  readonly objects: ReadonlyMap<string, KnownObject>;
  /** Objects that are positively gone. */
  readonly gone: readonly { readonly item: ObjectItem; readonly revision: string }[];
};

type Remembered = Map<string, { readonly item: ObjectItem; readonly revision: string }>;

/** What reading a cluster needs. */
export type Reader = Pick<Context, 'cluster' | 'ledger' | 'sources'>;

/** Reads everything. Throws when the listing is not whole: an incomplete read changes nothing. */
export async function readCluster(reader: Reader): Promise<ClusterReading> {
  const { cluster, sources } = reader;
  const remembered = await rememberedObjects(reader);
  const listing = await cluster.list();
  const objects = new Map<string, KnownObject>();
  const keep = (known: KnownObject) => objects.set(formatRef(known.now.ref), known);
  for (const object of listing.objects)
    keep(nowKnown(cluster.clusterId, sources, object, remembered.get(formatRef(object.ref))));
  const gone: { item: ObjectItem; revision: string }[] = [];
  for (const [id, { item, revision }] of remembered) {
    if (objects.has(id)) continue;
    const observation = await observeMissing(cluster, listing, item);
    if (observation.kind === 'absent' || (observation.kind === 'unknown' && item.deleted))
      gone.push({ item, revision });
    else if (observation.kind === 'present')
      keep(nowKnown(cluster.clusterId, sources, observation.object, { item, revision }));
    else keep({ before: item, revision, now: unreadableItem(item, observation.message) });
  }
  const items = [...objects.values()].map(({ now }) => now);
  const zones = items.filter(({ ref }) => isZone(ref)).map(declaredZone);
  const declared = items.filter(({ ref }) => !isZone(ref)).map(declaredObject);
  return { listing, zones, declared, objects, gone };
}

/** An object that is not in the listing. A listing that could not be read in full proves no absence: it may stand in the rest. */
async function observeMissing(cluster: Cluster, listing: Listing, { ref, file }: ObjectItem): Promise<Observation> {
  const [unreadable] = listing.unreadable;
  if (unreadable === undefined) return cluster.get(ref, file);
  return {
    kind: 'unknown',
    message: `${unreadable} cannot be read in full, so this object is kept unchanged`,
  };
}

async function rememberedObjects({ cluster, ledger, sources }: Reader): Promise<Remembered> {
  const remembered: Remembered = new Map();
  for (const { kind } of kindsOf(sources)) {
    for (const stored of await allItems(ledger, objectsPartition(cluster.clusterId, kind))) {
      const item = objectCodec.decode(stored);
      remembered.set(formatRef(item.ref), { item, revision: stored.revision });
    }
  }
  return remembered;
}

function nowKnown(
  clusterId: string,
  sources: readonly Source[],
  object: ClusterObject,
  remembered: { readonly item: ObjectItem; readonly revision: string } | undefined,
): KnownObject {
  const before = remembered?.item ?? null;
  const revision = remembered?.revision ?? null;
  if (before !== null && before.uid === object.uid && isOlder(object.version, before.version))
    return { before, revision, now: before };
  return { before, revision, now: observe(clusterId, sources, object, before) };
}

/** The item that an observation makes. A different uid is a different object: nothing of what the old one asked for stays. */
export function observe(
  clusterId: string,
  sources: readonly Source[],
  object: ClusterObject,
  before: ObjectItem | null,
): ObjectItem {
  const isSame = before !== null && !before.deleted && before.uid === object.uid;
  return observedItem(clusterId, object, inForce(sources, object, isSame ? before : undefined), before);
}
