// Writes a whole reading of the cluster into the ledger, for `apply`: only what changed, in an order that survives a
// crash. First the objects, unsettled, with their names; then the directory; then the desired record sets of each name,
// with its dirty mark; at last the objects as settled.

import { isDeepStrictEqual } from 'node:util';
import { readAges, saveAges } from '../directory/name-ages-item.ts';
import { readPointers, savePointers } from '../directory/pointer-item.ts';
import { isAtOrBelow } from '../dns/names/name.ts';
import { recordSetId, sameContent } from '../dns/record-set.ts';
import { UnreadableItemError } from '../ledger/item-codec.ts';
import { eachItem } from '../ledger/pages.ts';
import { orUnread, whereReadable } from '../ledger/skip-unreadable.ts';
import { formatRef, isZone, keyOf, type ObjectRef } from '../objects/object-ref.ts';
import { sameJson } from '../objects/same-json.ts';
import { kindsOf } from '../objects/source.ts';
import { noteKinds } from '../observe/kinds-noted.ts';
import { lostObjects } from '../observe/lost-objects.ts';
import { placesOf } from '../observe/name-index.ts';
import { deletedItem, type ObjectItem, objectCodec, objectsPartition } from '../observe/object-item.ts';
import type { ClusterReading, KnownObject } from '../observe/read-cluster.ts';
import { type NotedObject, namesAt, noteObject, noteSettled } from '../observe/save-object.ts';
import type { Context } from '../ports/context.ts';
import { inParallel } from '../ports/in-parallel.ts';
import { type DesiredRecordSet, touchDesired } from '../record-sets/desired-name.ts';
import { markDirty } from '../record-sets/dirty-mark.ts';
import type { HostedZoneItem } from '../record-sets/hosted-zone-item.ts';
import type { RecordSetItem } from '../record-sets/record-set-item.ts';
import { needsPublishing } from '../record-sets/state.ts';
import { addMembers } from '../resolve/reconcile-hints.ts';
import { dropSubtreeTasks, readSubtreeTasks } from '../resolve/subtree-tasks.ts';
import { resolveDirectory } from '../resolve/update-directory.ts';
import { updateName } from '../resolve/update-name.ts';
import { updateZones } from '../resolve/update-zones.ts';
import { agesOf } from '../zones/name-ages.ts';
import { type Given, taken } from './hand-over.ts';
import { withUnread } from './kept-names.ts';
import { namesToRetry } from './names-to-retry.ts';
import { type ClusterPlan, type PlannedHostedZone, type PlanOptions, planReading } from './plan-cluster.ts';
import { claimUnwanted } from './unwanted.ts';

/** An object that could not be saved as settled is looked at again after so many seconds. */
const SETTLE_AGAIN_SECONDS = 1;
/** How many ledger writes are made at once: four requests of DynamoDB, one transaction of SQLite. */
const AT_ONCE = 100;
/** Listing so many objects costs about as much as reading one. */
const LISTED_TOGETHER = 500;

/** With the options of the plan: if hosted zones are created, everything is planned again. */
export type SaveOptions = Pick<PlanOptions, 'acknowledged' | 'refresh' | 'reads' | 'onReleased'> & {
  /** Which hosted zones to write. If others are left out, the objects stay unsettled. */
  readonly only?: (hostedZone: Pick<HostedZoneItem, 'id' | 'name'>) => boolean;
  /** Marks names to be read again if a call there was given up and may have landed since. For use without a sweep. */
  readonly doubtLate?: boolean;
};

/** A hosted zone's plan, with the names that are kept since it was planned. */
type SavedHostedZone = Omit<PlannedHostedZone, 'kept'> & { readonly kept: Unread };

/** What was written. */
export type SavedCluster = {
  /** The plan. It was made again if hosted zones had to be created first. */
  readonly plan: ClusterPlan;
  readonly chosen: readonly PlannedHostedZone[];
  /** Objects that other runs changed meanwhile. The plan may be wrong about them, so they are reported afterwards. */
  readonly overtaken: readonly ObjectRef[];
};

/** Writes a plan's reading and its desired record sets. It repairs what it overwrites of newer runs of `reconcile`. */
export async function saveCluster(
  context: Context,
  plan: Given<ClusterPlan>,
  { only = () => true, doubtLate = false, onReleased = () => {}, ...planOptions }: SaveOptions = {},
): Promise<SavedCluster> {
  let first: ClusterPlan | null = taken(plan);
  const { reading } = first;
  const liveZones = new Set([...first.resolved.zones.values()].flatMap(({ live }) => live?.key ?? []));
  // A plan that is made again later is released from memory now: the objects may be listed again meanwhile.
  if (first.hostedZones.some((one) => one.pending)) {
    first = null;
    onReleased();
  }
  const { noted, unread } = await noteReading(context, reading);
  const vanished = await noteVanished(context, reading, noted);
  await whereReadable(context, () => resolveDirectory(context, liveZones));
  const tasks = await readSubtreeTasks(context);
  // By now, the hosted zones have been created, or Route 53 has refused that.
  const again = { ...planOptions, onReleased, makesNone: true };
  const current: ClusterPlan = first ?? (await planReading(context, reading, again));
  await saveNameAges(context, current);
  await saveAllPointers(context, current);
  const hostedZones = current.hostedZones.map((planned) => ({ ...planned, kept: withObjectsOf(planned, unread) }));
  const chosen = hostedZones.filter(({ hostedZone }) => only(hostedZone));
  const touched = new Set<string>();
  // What other clusters want is theirs to save.
  const own = chosen.filter(({ isOthers }) => isOthers !== true);
  for (const one of own) for (const name of await saveRecordSets(context, one, doubtLate)) touched.add(name);
  const overtaken = await updateOvertaken(context, reading, noted, vanished, touched, own);
  if (chosen.length === current.hostedZones.length) {
    await inParallel(noted.values(), AT_ONCE, async (one) => {
      const settled = await whereReadable(context, () => noteSettled(context, one));
      if (settled === false) await context.queues.hint([one.item.ref], SETTLE_AGAIN_SECONDS);
    });
    // Every name was compared with the whole cluster, so the noted subtree tasks are done.
    await dropSubtreeTasks(context, tasks);
  }
  const keptIn = new Map(hostedZones.map(({ hostedZone, kept }) => [hostedZone.id, kept]));
  const resolved = withUnread(current.resolved, current.unread, keptIn);
  return { plan: { ...current, resolved, hostedZones }, chosen, overtaken };
}

/** Saves the ages at names, before what follows from them: also of names for which nobody asks any more. */
async function saveNameAges(
  { ledger, config, clock }: Context,
  { resolved, storedAges }: Pick<ClusterPlan, 'resolved' | 'storedAges'>,
): Promise<void> {
  const { clusterId } = config;
  const names = new Set([...resolved.ages.keys(), ...storedAges.keys()]);
  await inParallel(names, AT_ONCE, async (name) => {
    const asking = (resolved.ages.get(name) ?? []).filter(({ goneMs }) => goneMs === undefined);
    let stored: Parameters<typeof saveAges>[3]['stored'] = storedAges.get(name) ?? null;
    for (;;) {
      const ages = agesOf(stored?.item.ages ?? [], asking, clock.nowMs());
      if (await saveAges(ledger, clusterId, name, { stored, ages })) return;
      stored = await readAges(ledger, clusterId, name);
    }
  });
}

/** Saves which hosts have which addresses: the pointers of each host that has some now, or had. */
async function saveAllPointers(
  { ledger, config }: Context,
  { resolved }: Pick<ClusterPlan, 'resolved'>,
): Promise<void> {
  const wanted = Map.groupBy(resolved.pointers, ({ host }) => host);
  const stored = await readPointers(ledger, config.clusterId);
  const hosts = new Set([...wanted.keys(), ...stored.map(({ host }) => host)]);
  const known = Map.groupBy(stored, ({ host }) => host);
  const changed = [...hosts].filter((host) => !sameJson(known.get(host) ?? [], wanted.get(host) ?? []));
  await inParallel(changed, AT_ONCE, async (host) => {
    const { leaving } = await savePointers(ledger, config.clusterId, host, wanted.get(host) ?? []);
    for (const one of leaving) await ledger.remove(one, one.revision);
  });
}

type Noted = {
  readonly noted: Map<string, NotedObject>;
  /** Objects that could not be saved because of another item that cannot be read: what they published stays. */
  readonly unread: Unread;
};
type Unread = Map<string, UnreadableItemError>;

async function noteReading(context: Context, reading: ClusterReading): Promise<Noted> {
  await noteKinds(context);
  const noted = new Map<string, NotedObject>();
  const unread: Unread = new Map();
  const note = async (id: string, item: ObjectItem, revision: string | null) => {
    const one = await orUnread(() => noteObject(context, item, revision));
    if (one instanceof UnreadableItemError) unread.set(id, one);
    else if (one !== null) noted.set(id, one);
  };
  await inParallel(reading.objects, AT_ONCE, async ([id, known]) => {
    if (isNews(known) && !reading.unread.objects.has(id)) await note(id, known.now, known.revision);
  });
  await inParallel(reading.gone, AT_ONCE, ({ item, revision }) =>
    note(formatRef(item.ref), deletedItem(context.config.clusterId, item), revision),
  );
  return { noted, unread };
}

/** What keeps the names of a hosted zone as they are, with those of the objects that could not be saved. */
function withObjectsOf({ items, kept }: PlannedHostedZone, unread: Unread): Unread {
  const all = new Map(kept);
  for (const { name, objects, publishedObjects } of unread.size === 0 ? [] : items.values())
    for (const object of [...objects, ...publishedObjects]) {
      const error = unread.get(object);
      if (error !== undefined) all.set(name, error);
    }
  return all;
}

/**
 * Notes the deletion of new objects that were deleted after they were read and before they were saved: the run for that
 * deletion found nothing in the ledger.
 */
async function noteVanished(
  context: Context,
  reading: ClusterReading,
  noted: Map<string, NotedObject>,
): Promise<readonly ObjectItem[]> {
  const { cluster } = context;
  const fresh = [...noted].filter(([id]) => reading.objects.get(id)?.before === null);
  // If many objects are new, as in a first apply, they are listed instead of read one by one.
  const isListed = fresh.length > reading.objects.size / LISTED_TOGETHER;
  const listed = isListed ? new Set((await cluster.list()).objects.map(({ ref }) => formatRef(ref))) : null;
  const vanished: ObjectItem[] = [];
  await inParallel(fresh, AT_ONCE, async ([id, { item, revision }]) => {
    if (listed?.has(id) === true || (await cluster.get(item.ref, item.file)).kind !== 'absent') return;
    vanished.push(item);
    const gone = await orUnread(() => noteObject(context, deletedItem(context.config.clusterId, item), revision));
    if (gone === null || gone instanceof UnreadableItemError) noted.delete(id);
    else noted.set(id, gone);
  });
  return vanished;
}

/**
 * If other runs have observed objects since the reading, updates the names of these objects, present and former, from
 * the ledger, and all names that were written by the reading. Returns the objects at those names.
 */
async function updateOvertaken(
  context: Context,
  reading: ClusterReading,
  noted: ReadonlyMap<string, NotedObject>,
  vanished: readonly ObjectItem[],
  touched: ReadonlySet<string>,
  chosen: readonly PlannedHostedZone[],
): Promise<readonly ObjectRef[]> {
  const changed = [...vanished, ...(await changedSince(context, reading, noted))];
  if (changed.length === 0) return [];
  const names = new Set(touched);
  const places = changed.flatMap((item) => [...placesOf(context.config.clusterId, item), ...item.leaving]);
  for (const name of await namesAt(context, places)) names.add(name);
  const objects = new Map(changed.map(({ ref }) => [formatRef(ref), ref]));
  for (const [id, { now }] of reading.objects) if (isZone(now.ref)) objects.set(id, now.ref);
  // A run that observed a Zone meanwhile did not find Records that name it and were not saved yet.
  for (const { ref } of changed) {
    if (isZone(ref)) await addMembers(context, keyOf(ref), (one) => objects.set(formatRef(one), one));
  }
  const hostedZones = chosen.map(({ hostedZone: { id, name } }) => ({ id, apex: name }));
  await inParallel(names, AT_ONCE, async (name) => {
    const alsoIn = hostedZones.filter(({ apex }) => isAtOrBelow(name, apex));
    const updated = await whereReadable(context, () => updateName(context, name, { alsoIn }));
    for (const ref of updated?.objects ?? []) objects.set(formatRef(ref), ref);
  });
  // If Zones moved meanwhile, another run may have written names by their former places.
  const zones = await whereReadable(context, () => updateZones(context));
  for (const ref of zones?.reports ?? []) objects.set(formatRef(ref), ref);
  return [...objects.values()];
}

/** The object items that differ from what was read or saved here, each as it was and as it is. */
async function changedSince(
  { ledger, config, sources }: Context,
  reading: ClusterReading,
  noted: ReadonlyMap<string, NotedObject>,
): Promise<readonly ObjectItem[]> {
  const expected = new Map<string, { readonly item: ObjectItem; readonly revision: string | null }>();
  const changed: ObjectItem[] = [];
  const tombstones = new Set(reading.tombstones.map(({ revision }) => revision));
  for (const [id, { before, now, revision }] of reading.objects) {
    expected.set(id, { item: now, revision });
    // Another run may be working on an unsettled object.
    if (before?.unsettled === true) changed.push(before, now);
  }
  for (const one of reading.gone) {
    expected.set(formatRef(one.item.ref), one);
    if (one.item.unsettled) changed.push(one.item);
  }
  for (const [id, one] of noted) expected.set(id, one);
  for (const { kind } of kindsOf(sources)) {
    for await (const stored of eachItem(ledger, objectsPartition(config.clusterId, kind))) {
      const id = `${kind} ${stored.sort}`;
      const known = expected.get(id);
      expected.delete(id);
      if (known?.revision === stored.revision || tombstones.has(stored.revision)) continue;
      const now = objectCodec.read(stored);
      if (now instanceof UnreadableItemError) continue;
      changed.push(now, ...(known === undefined ? [] : [known.item]));
    }
  }
  return [...changed, ...[...expected.values()].map(({ item }) => item)];
}

function isNews({ before, now }: KnownObject): boolean {
  return (
    before === null ||
    before.unsettled ||
    before.digest !== now.digest ||
    (now.file === null && before.version !== now.version)
  );
}

/**
 * Writes the desired record sets of one hosted zone where they differ from the ledger. Marks names dirty with refusals,
 * or where a call that was given up may have landed since. Returns the names written.
 */
async function saveRecordSets(
  context: Context,
  { hostedZone, items, stored, inTheWay, read, kept, given, plan }: SavedHostedZone,
  doubtLate: boolean,
): Promise<readonly string[]> {
  const nowMs = context.clock.nowMs();
  const written: string[] = [];
  const byName = Map.groupBy(items.values(), (item) => item.name);
  const again = namesToRetry(items.values(), nowMs);
  // What the claims of several clusters change, although nobody here asks for anything else.
  const judged = plan.changes.filter((one) => {
    const desired = items.get(recordSetId(one))?.desired ?? null;
    return desired !== null && one.type !== 'SOA' && !sameContent(one.after, desired);
  });
  const giving = new Set([...given.map(({ item }) => item.name), ...judged.map(({ name }) => name)]);
  const lostOf = lostObjects(context);
  const save = async (name: string, ofName: readonly RecordSetItem[]) => {
    const late = doubtLate && ofName.some((item) => item.late.length > 0);
    const refused = ofName.some((item) => item.refusal !== null);
    if (late || refused || giving.has(name) || inTheWay.has(name)) {
      const retry = late || inTheWay.has(name) || again.has(name);
      await markDirty(context.ledger, hostedZone.id, name, nowMs, { retry });
    }
    if (!ofName.some((item) => isMoved(item, stored.get(recordSetId(item))?.item))) return;
    const { id: hostedZoneId, name: apex } = hostedZone;
    // The run of publish finds out what is inherited.
    if (ofName.some(({ inherits }) => inherits === true)) await markDirty(context.ledger, hostedZone.id, name, nowMs);
    const recordSets = ofName.flatMap(desiredRecordSet);
    const heir = { zone: hostedZone.zone, takeover: hostedZone.takeover };
    written.push(name);
    const asked = ofName.flatMap(({ isAsked, type }) => (isAsked ? type : []));
    const askers = ofName.flatMap(({ isAsked, publishedObjects }) => (isAsked ? publishedObjects : []));
    const known = ofName.flatMap((item) => stored.get(recordSetId(item)) ?? []);
    const wanted = { hostedZoneId, apex, name, recordSets, heir, asked, ...(hostedZone.retains && { askers }) };
    await touchDesired(context.ledger, wanted, nowMs, { known, lostOf });
  };
  await inParallel(byName, AT_ONCE, async ([name, ofName]) => {
    if (kept.has(name)) return;
    const saved = await orUnread(() => save(name, ofName));
    if (saved instanceof UnreadableItemError) kept.set(name, saved);
  });
  // An earlier plan may have saved some of these as desired.
  written.push(...(await claimUnwanted(context, hostedZone, read?.unwanted ?? [])));
  return written;
}

function isMoved(item: RecordSetItem, stored: RecordSetItem | undefined): boolean {
  return stored === undefined || needsPublishing(item) || !isDeepStrictEqual(item, stored);
}

function desiredRecordSet(item: RecordSetItem): DesiredRecordSet[] {
  const { name, type, setIdentifier, desired, objects, zone, takeover, takesEqual = false } = item;
  if (desired === null || item.inherits === true) return [];
  const standby = {
    ...(item.standbyMs !== undefined && { standby: true as const }),
    ...(item.merges && { merges: item.merges }),
  };
  return [
    { name, type, setIdentifier, content: item.claimed ?? desired, objects, zone, takeover, takesEqual, ...standby },
  ];
}
