// The whole cluster at once, together with what the ledger remembers of it: what is in force now, which objects changed,
// and which are gone. Deleting needs positive evidence, so an object that is missing from the listing is gone only when
// asking for it by name says so too; where its file does not parse, it stays in force (design sections 4 and 6).

import { allItems } from '../ledger/pages.ts';
import type { RecordSpec } from '../objects/endpoint.ts';
import { type Declared, formatRef, type ObjectKind } from '../objects/object-ref.ts';
import type { Cluster, ClusterObject, Listing, Observation } from '../ports/cluster.ts';
import type { Ledger } from '../ports/ledger.ts';
import type { ZoneSpec } from '../zones/parse-zone.ts';
import { declareRecord, declareZone } from './last-valid-spec.ts';
import { recordKey } from './name-index.ts';
import {
  declaredRecord,
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
  readonly records: readonly Declared<RecordSpec>[];
  /** Every object in force, by `formatRef`. */
  readonly objects: ReadonlyMap<string, KnownObject>;
  /** Objects that are positively gone. */
  readonly gone: readonly { readonly item: ObjectItem; readonly revision: string }[];
};

type Remembered = Map<string, { readonly item: ObjectItem; readonly revision: string }>;

/** Reads everything. Throws when the listing is not whole: an incomplete read changes nothing. */
export async function readCluster(cluster: Cluster, ledger: Ledger): Promise<ClusterReading> {
  const remembered = await rememberedObjects(ledger, cluster.clusterId);
  const listing = await cluster.list();
  const objects = new Map<string, KnownObject>();
  const zones: Declared<ZoneSpec>[] = [];
  const records: Declared<RecordSpec>[] = [];
  const keep = ({ known, declared }: Known) => {
    objects.set(formatRef(known.now.ref), known);
    if (known.now.ref.kind === 'Zone') zones.push((declared as Declared<ZoneSpec> | null) ?? declaredZone(known.now));
    else records.push((declared as Declared<RecordSpec> | null) ?? declaredRecord(known.now));
  };
  for (const object of listing.objects)
    keep(nowKnown(cluster.clusterId, object, remembered.get(formatRef(object.ref))));
  const gone: { item: ObjectItem; revision: string }[] = [];
  for (const [id, { item, revision }] of remembered) {
    if (objects.has(id)) continue;
    const observation = await observeMissing(cluster, listing, item);
    if (observation.kind === 'absent' || (observation.kind === 'unknown' && item.deleted))
      gone.push({ item, revision });
    else if (observation.kind === 'present') keep(nowKnown(cluster.clusterId, observation.object, { item, revision }));
    else keep({ known: { before: item, revision, now: unreadableItem(item, observation.message) }, declared: null });
  }
  return { listing, zones, records, objects, gone };
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

async function rememberedObjects(ledger: Ledger, clusterId: string): Promise<Remembered> {
  const remembered: Remembered = new Map();
  for (const kind of ['Zone', 'Record'] satisfies ObjectKind[]) {
    for (const stored of await allItems(ledger, objectsPartition(clusterId, kind))) {
      const item = objectCodec.decode(stored);
      remembered.set(formatRef(item.ref), { item, revision: stored.revision });
    }
  }
  return remembered;
}

/** A known object with what it declares; null where that is still to be parsed. */
type Known = { readonly known: KnownObject; readonly declared: Declared<ZoneSpec | RecordSpec> | null };

function nowKnown(
  clusterId: string,
  object: ClusterObject,
  remembered: { readonly item: ObjectItem; readonly revision: string } | undefined,
): Known {
  const before = remembered?.item ?? null;
  const revision = remembered?.revision ?? null;
  if (before !== null && before.uid === object.uid && isOlder(object.version, before.version))
    return { known: { before, revision, now: before }, declared: null };
  const { item, declared } = observe(clusterId, object, before);
  return { known: { before, revision, now: item }, declared };
}

/** The item that an observation makes, with what it declares. A different uid is a different object: nothing of the old one's spec stays. */
export function observe(
  clusterId: string,
  object: ClusterObject,
  before: ObjectItem | null,
): { readonly item: ObjectItem; readonly declared: Declared<ZoneSpec | RecordSpec> } {
  const same = before !== null && !before.deleted && before.uid === object.uid;
  const lastValid = same ? before.spec : null;
  if (object.ref.kind === 'Zone') {
    const { declared, rawSpec } = declareZone(object, lastValid);
    return { item: observedItem(object, { rawSpec, problems: declared.problems, location: null }, before), declared };
  }
  const { declared, rawSpec } = declareRecord(object, lastValid);
  const location = declared.spec === null ? null : recordKey(clusterId, object.ref, declared.spec);
  return { item: observedItem(object, { rawSpec, problems: declared.problems, location }, before), declared };
}
