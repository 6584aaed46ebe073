// Writes a whole reading of the cluster into the ledger, for `apply`: only what moved, and in an order that survives a
// crash. First the objects, unsettled, with their names; then the directory; then what is desired at each name, with
// its dirty mark; last that the objects are settled.

import { isDeepStrictEqual } from 'node:util';
import { isAtOrBelow } from '../dns/names/name.ts';
import { recordSetId } from '../dns/record-set.ts';
import { eachItem } from '../ledger/pages.ts';
import { formatRef, isZone, keyOf, type ObjectRef, type ZoneKey } from '../objects/object-ref.ts';
import { kindsOf } from '../objects/source.ts';
import { placesOf } from '../observe/name-index.ts';
import { deletedItem, type ObjectItem, objectCodec, objectsPartition } from '../observe/object-item.ts';
import type { ClusterReading, KnownObject } from '../observe/read-cluster.ts';
import { type NotedObject, namesAt, noteObject, noteSettled } from '../observe/save-object.ts';
import type { Context } from '../ports/context.ts';
import { inParallel } from '../ports/in-parallel.ts';
import { type DesiredRecordSet, touchDesired } from '../record-sets/desired-name.ts';
import { markDirty } from '../record-sets/dirty-mark.ts';
import type { RecordSetItem } from '../record-sets/record-set-item.ts';
import { needsPublishing } from '../record-sets/state.ts';
import { addMembers } from '../resolve/reconcile-hints.ts';
import { dropSubtreeTasks, readSubtreeTasks } from '../resolve/subtree-job.ts';
import { resolveDirectory } from '../resolve/update-directory.ts';
import { updateName } from '../resolve/update-name.ts';
import { updateZones } from '../resolve/update-zones.ts';
import { askedAgain } from './asked-again.ts';
import { type Given, taken } from './hand-over.ts';
import { type ClusterPlan, type PlannedHostedZone, type PlanOptions, planReading } from './plan-cluster.ts';
import { claimUnwanted } from './unwanted.ts';

/** An object that another run left unsettled is looked at again after so many seconds. */
const LOOK_AGAIN_SECONDS = 1;
/** Ledger writes at once: four requests of DynamoDB, one transaction of SQLite. */
const AT_ONCE = 100;
/** Objects for which a list costs about as much as a read. */
const LISTED_TOGETHER = 500;

export type CommitOptions = {
  /** Names of the hosted zones to write; the others are left alone, and the objects then stay unsettled. */
  readonly only?: (hostedZoneName: string) => boolean;
  readonly acknowledged?: readonly string[];
  /** As in planCluster(): where hosted zones are made, all is planned anew. */
  readonly refresh?: PlanOptions['refresh'];
  readonly reads?: boolean;
  /** Where a call was given up it is to be looked whether it landed since: for who does not sweep. */
  readonly doubtLate?: boolean;
  /** Called when a plan was let go that is made anew, and much memory with it. */
  readonly onLetGo?: () => void;
};

/** What was written. */
export type Committed = {
  /** The plan, made anew where hosted zones had to be created first. */
  readonly plan: ClusterPlan;
  readonly chosen: readonly PlannedHostedZone[];
  /** Objects that other runs changed meanwhile, so that the plan may be wrong about them: reported afterwards. */
  readonly overtaken: readonly ObjectRef[];
};

/** Writes a plan's reading and its desired record sets. It overwrites no newer run of `reconcile`, or repairs that. */
export async function commitCluster(
  context: Context,
  plan: Given<ClusterPlan>,
  {
    only = () => true,
    acknowledged = [],
    refresh,
    reads = false,
    doubtLate = false,
    onLetGo = () => {},
  }: CommitOptions = {},
): Promise<Committed> {
  // Let go before all is planned anew.
  let first: ClusterPlan | null = taken(plan);
  const { reading } = first;
  const noted = await noteReading(context, reading);
  const vanished = await noteVanished(context, reading, noted);
  await resolveDirectory(context, liveKeys(first));
  const tasks = await readSubtreeTasks(context);
  if (first.hostedZones.some((one) => one.pending)) {
    first = null;
    onLetGo();
  }
  const again = { acknowledged, reads, ...(refresh && { refresh }) };
  const current: ClusterPlan = first ?? (await planReading(context, reading, again));
  const chosen = current.hostedZones.filter(({ hostedZone }) => only(hostedZone.name));
  const touched = new Set<string>();
  for (const one of chosen) for (const name of await commitRecordSets(context, one, doubtLate)) touched.add(name);
  const overtaken = await updateOvertaken(context, reading, noted, vanished, touched, chosen);
  if (chosen.length === current.hostedZones.length) {
    await inParallel(noted.values(), AT_ONCE, async (one) => {
      if (!(await noteSettled(context, one))) await context.queues.hint([one.item.ref], LOOK_AGAIN_SECONDS);
    });
    // Every name was compared with the whole world: what was noted to be updated name by name is done.
    await dropSubtreeTasks(context, tasks);
  }
  return { plan: current, chosen, overtaken };
}

function liveKeys({ world }: ClusterPlan): ReadonlySet<ZoneKey> {
  return new Set([...world.zones.values()].flatMap((zone) => zone.live?.key ?? []));
}

async function noteReading(context: Context, reading: ClusterReading): Promise<Map<string, NotedObject>> {
  const noted = new Map<string, NotedObject>();
  const note = async (id: string, item: ObjectItem, revision: string | null) => {
    const one = await noteObject(context, item, revision);
    if (one !== null) noted.set(id, one);
  };
  await inParallel(reading.objects, AT_ONCE, async ([id, known]) => {
    if (isNews(known)) await note(id, known.now, known.revision);
  });
  await inParallel(reading.gone, AT_ONCE, ({ item, revision }) =>
    note(formatRef(item.ref), deletedItem(context.config.clusterId, item), revision),
  );
  return noted;
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
  // Of a first load all are new: none of them is read one by one.
  const isListed = fresh.length > reading.objects.size / LISTED_TOGETHER;
  const listed = isListed ? new Set((await cluster.list()).objects.map(({ ref }) => formatRef(ref))) : null;
  const vanished: ObjectItem[] = [];
  await inParallel(fresh, AT_ONCE, async ([id, { item, revision }]) => {
    if (listed?.has(id) === true || (await cluster.get(item.ref, item.file)).kind !== 'absent') return;
    vanished.push(item);
    const gone = await noteObject(context, deletedItem(context.config.clusterId, item), revision);
    if (gone === null) noted.delete(id);
    else noted.set(id, gone);
  });
  return vanished;
}

/**
 * Objects that another run observed since the reading: the names where they lie and lay, and those that we wrote by our
 * reading, are updated by the ledger, which knows better. Returns the objects at those names.
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
  // Whoever noted a Zone meanwhile did not find the Records that name it and that we were yet to note.
  for (const { ref } of changed) {
    if (isZone(ref)) await addMembers(context, keyOf(ref), (one) => objects.set(formatRef(one), one));
  }
  const hostedZones = chosen.map(({ hostedZone: { id, name } }) => ({ id, apex: name }));
  await inParallel(names, AT_ONCE, async (name) => {
    const alsoIn = hostedZones.filter(({ apex }) => isAtOrBelow(name, apex));
    for (const ref of (await updateName(context, name, { alsoIn })).objects) objects.set(formatRef(ref), ref);
  });
  // And where Zones moved under a faster run's feet, whatever it wrote by where they were.
  for (const ref of (await updateZones(context)).reports) objects.set(formatRef(ref), ref);
  return [...objects.values()];
}

/** The object items that do not stand as we read or noted them, each as it was and as it is. */
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
    // Another run may be in the midst of it.
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
      changed.push(objectCodec.decode(stored), ...(known === undefined ? [] : [known.item]));
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
 * Writes what is desired in one hosted zone where it differs from what the ledger holds, and marks to be looked at what
 * was refused, and where a call that was given up may have landed since. Returns the names written.
 */
async function commitRecordSets(
  context: Context,
  { hostedZone, items, stored, inTheWay, read }: PlannedHostedZone,
  doubtLate: boolean,
): Promise<readonly string[]> {
  const nowMs = context.clock.nowMs();
  const written = [...(await claimUnwanted(context, hostedZone, read?.unwanted ?? []))];
  const byName = Map.groupBy(items.values(), (item) => item.name);
  const again = askedAgain(items.values(), nowMs);
  await inParallel(byName, AT_ONCE, async ([name, ofName]) => {
    const late = doubtLate && ofName.some((item) => item.late.length > 0);
    const refused = ofName.some((item) => item.refusal !== null);
    if (late || refused || inTheWay.has(name)) {
      const retry = late || inTheWay.has(name) || again.has(name);
      await markDirty(context.ledger, hostedZone.id, name, nowMs, { retry });
    }
    if (!ofName.some((item) => isMoved(item, stored.get(recordSetId(item))?.item))) return;
    const { id: hostedZoneId, name: apex } = hostedZone;
    const recordSets = ofName.flatMap(desiredRecordSet);
    const heir = { zone: hostedZone.zone, takeover: hostedZone.takeover };
    written.push(name);
    const asked = ofName.flatMap(({ isAsked, type }) => (isAsked ? type : []));
    const known = ofName.flatMap((item) => stored.get(recordSetId(item)) ?? []);
    await touchDesired(context.ledger, { hostedZoneId, apex, name, recordSets, heir, asked }, nowMs, { known });
  });
  return written;
}

function isMoved(item: RecordSetItem, stored: RecordSetItem | undefined): boolean {
  return stored === undefined || needsPublishing(item) || !isDeepStrictEqual(item, stored);
}

function desiredRecordSet(item: RecordSetItem): DesiredRecordSet[] {
  const { name, type, setIdentifier, desired, objects, zone, takeover } = item;
  return desired === null ? [] : [{ name, type, setIdentifier, content: desired, objects, zone, takeover }];
}
