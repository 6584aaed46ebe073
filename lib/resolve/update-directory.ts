// Decides which Zones are live and where each publishes, and notes what must be updated when that changes. It reads
// every Zone of the cluster (there are few, compared with Records), applies the pure rules to all at once and writes
// the changes of the directory. A change may concern a whole subtree, so a task in the ledger notes it first. The task
// is removed only when every name was updated: a run that dies in between leaves it.

import { type DirectoryItem, directoryCodec, directoryKey } from '../directory/directory-item.ts';
import { readAges, type StoredAges, saveAges, unreadAges } from '../directory/name-ages-item.ts';
import { isUnread, readDirectory, readHistory } from '../directory/read-directory.ts';
import { labelsOf } from '../dns/names/name.ts';
import { realName } from '../dns/names/view.ts';
import { claimHostedZones } from '../hosting/claim-hosted-zones.ts';
import { type Stored, UnreadableItemError } from '../ledger/item-codec.ts';
import { allItems } from '../ledger/pages.ts';
import { acceptedCondition } from '../objects/conditions.ts';
import { formatRef, keyOf, type ObjectRef, type ZoneKey, zoneOfKey } from '../objects/object-ref.ts';
import { sameJson } from '../objects/same-json.ts';
import { memberPrefix, membersPartition, namePrefix, namesPartition } from '../observe/name-index.ts';
import { declaredZone, type ObjectItem } from '../observe/object-item.ts';
import { objectBehind } from '../observe/save-object.ts';
import { isOldSerial, type StatusItem, statusCodec, statusesPartition } from '../observe/status-item.ts';
import { zoneObjects } from '../observe/zone-objects.ts';
import { clusterDnsOf, mayTakeOver } from '../ports/config.ts';
import type { Context } from '../ports/context.ts';
import type { LedgerItem } from '../ports/ledger.ts';
import type { LiveZone } from '../zones/delegation.ts';
import { agesOf, type NameAge } from '../zones/name-ages.ts';
import { type NameServer, type PlacedZone, placeZones } from '../zones/place-zones.ts';
import { agesAt, judgeObject } from '../zones/resolve-cluster.ts';
import { resolveZones, type ZoneResolution, zoneAges } from '../zones/resolve-zones.ts';
import { declaredNameServers } from '../zones/zone-cuts.ts';
import { readFleet } from './read-fleet.ts';
import { noteCutTasks, noteSubtreeTask } from './subtree-tasks.ts';

/** How often the directory is resolved while other runs change it, before the message is left to come back. */
const ROUNDS_MAX = 10;

/**
 * Brings the directory up to date. `apexMoved` names Zones whose apex NS records changed. Returns the Zones whose
 * status may have changed.
 */
export async function resolveDirectory(
  context: Context,
  apexMoved: ReadonlySet<ZoneKey>,
): Promise<readonly ObjectRef[]> {
  const moved = new Map<string, ObjectRef>();
  for (let round = 0; round < ROUNDS_MAX; round += 1) {
    const { changed, reports } = await updateDirectory(context, apexMoved);
    for (const ref of reports) moved.set(formatRef(ref), ref);
    if (!changed) return [...moved.values()];
  }
  throw new Error(`Cannot resolve the directory: it kept changing for ${ROUNDS_MAX} rounds`);
}

/** One round: false if the directory was already up to date. A write may fail because another run was faster. */
export async function updateDirectory(
  context: Context,
  apexMoved: ReadonlySet<ZoneKey>,
): Promise<{ readonly changed: boolean; readonly reports: readonly ObjectRef[] }> {
  const found = await directoryChanges(context, apexMoved);
  const { changes, reports, oldSerials } = found;
  // The ages are saved before what follows from them: who comes next must find them.
  if (!(await saveZoneAges(context, found))) return { changed: true, reports };
  for (const change of changes) await noteTasks(context, change);
  for (const change of changes) await writeChange(context, change);
  for (const serial of oldSerials) await context.ledger.remove(serial, serial.revision);
  return { changed: changes.length > 0, reports };
}

/** Notes what must be resolved again after a change: if only cuts of other clusters changed, what is below these. */
async function noteTasks(context: Context, { before, after }: DirectoryChange): Promise<void> {
  if (before !== null && after !== null && sameJson(withoutCuts(before), withoutCuts(after)))
    return noteCutTasks(context, before, after);
  await noteSubtreeTask(context, before, after);
}

function withoutCuts({ cuts: _, ...item }: DirectoryItem): Omit<DirectoryItem, 'cuts'> {
  return item;
}

type DirectoryChange = {
  readonly fqdn: string;
  readonly stored: Stored<DirectoryItem> | null;
  readonly before: DirectoryItem | null;
  readonly after: DirectoryItem | null;
};

/** `oldSerials`: what is left of the reports of deleted Zones, and no longer needed. */
type DirectoryChanges = {
  readonly changes: readonly DirectoryChange[];
  readonly reports: readonly ObjectRef[];
  readonly oldSerials: readonly LedgerItem[];
  /** Since when Zones have asked for each fqdn, as it was read and as it is now. */
  readonly storedAges: StoredAges;
  readonly ages: ReadonlyMap<string, readonly NameAge[]>;
};

async function directoryChanges(context: Context, apexMoved: ReadonlySet<ZoneKey>): Promise<DirectoryChanges> {
  const { ledger, config } = context;
  // The directory is read first: if another run writes it afterwards, our own write fails, and we read again.
  const read = await readDirectory(ledger, config.clusterId);
  for (const [zone, { message }] of read.unread) context.log('error', message, { zone });
  const directory = read.zones;
  // As in loadName(), the ages are read before the objects.
  const history = await readHistory(ledger, config.clusterId, context.clock.nowMs(), read);
  const { items: objects, unreadable } = await zoneObjects(context, read);
  const declared = objects.map(declaredZone);
  const resolutions = resolveZones(declared, config.roots, clusterDnsOf(config), history);
  const wanted = await wantedDirectory(
    context,
    objects,
    resolutions,
    directory.map(({ item }) => item),
    apexMoved,
  );
  const before = new Map(directory.map((stored) => [stored.item.fqdn, stored]));
  const unread = { ...read, unread: new Map([...read.unread, ...unreadAges(history.stored)]) };
  const names = [...new Set([...before.keys(), ...wanted.keys()])].filter((fqdn) => !isUnread(unread, fqdn));
  const changes = names.flatMap((fqdn) => {
    const stored = before.get(fqdn) ?? null;
    const after = wanted.get(fqdn) ?? null;
    return sameJson(stored?.item ?? null, after) ? [] : [{ fqdn, stored, before: stored?.item ?? null, after }];
  });
  const statuses = await allItems(ledger, statusesPartition(config.clusterId, 'Zone'));
  const reported = new Map(statuses.map((stored) => [stored.sort, statusCodec.read(stored)]));
  // A Zone whose item cannot be read cannot be reported either.
  const known = objects.filter(({ ref }) => !unreadable.has(keyOf(ref)));
  // Of a report that cannot be read nothing is known, and none can be saved.
  const news = known.filter(({ ref }) => {
    const last = reported.get(keyOf(ref));
    return !(last instanceof UnreadableItemError) && isNews(last, resolutions.get(keyOf(ref)));
  });
  // The report of the parent of an unsettled Zone may be out of date: it may show an earlier state of this Zone.
  const above = known.flatMap(({ ref, unsettled }) => (unsettled && resolutions.get(keyOf(ref))?.live?.parent) || []);
  const existing = new Set(objects.map(({ ref }) => keyOf(ref)));
  const nowMs = context.clock.nowMs();
  const oldSerials = statuses.filter(({ sort }) => {
    const last = reported.get(sort);
    return (
      !existing.has(sort) && last !== undefined && !(last instanceof UnreadableItemError) && isOldSerial(last, nowMs)
    );
  });
  return {
    changes,
    reports: [...news.map((item) => item.ref), ...above.map((key) => zoneOfKey(key))],
    oldSerials,
    storedAges: history.stored,
    ages: zoneAges(declared, resolutions, history),
  };
}

/**
 * Saves since when Zones have asked for their names. False if another run has written some of it meanwhile. The names
 * above come first, and what is below one that was not saved is left to the next round: otherwise it could be older by
 * this run's clock than the name above is by the other run's.
 */
async function saveZoneAges(
  { ledger, config, clock }: Context,
  { storedAges, ages }: Pick<DirectoryChanges, 'storedAges' | 'ages'>,
): Promise<boolean> {
  const names = [...new Set([...storedAges.keys(), ...ages.keys()])];
  const levels = Map.groupBy(names, (fqdn) => labelsOf(fqdn).length);
  for (const [, level] of [...levels].toSorted(([a], [b]) => a - b)) {
    const saved = await Promise.all(
      level.map((fqdn) => {
        const stored = storedAges.get(fqdn) ?? null;
        const now = ages.get(fqdn) ?? agesOf(stored?.item.ages ?? [], [], clock.nowMs());
        return saveAges(ledger, config.clusterId, fqdn, { stored, ages: now }, 'zones');
      }),
    );
    if (saved.includes(false)) return false;
  }
  return true;
}

/** True if the verdict on a Zone, its name or its parent is not what was last reported. */
function isNews(reported: StatusItem | undefined, resolution: ZoneResolution | undefined): boolean {
  const fqdn = resolution?.fqdn == null ? resolution?.fqdn : realName(resolution.fqdn);
  if (reported?.fqdn !== fqdn || reported?.parent !== (resolution?.live?.parent ?? null)) return true;
  const condition = reported?.conditions.find(({ type }) => type === 'Accepted');
  const now = resolution === undefined ? undefined : acceptedCondition(resolution.verdict);
  return condition?.reason !== now?.reason || condition?.message !== now?.message;
}

async function wantedDirectory(
  context: Context,
  objects: readonly ObjectItem[],
  resolutions: ReadonlyMap<ZoneKey, ZoneResolution>,
  directory: readonly DirectoryItem[],
  apexMoved: ReadonlySet<ZoneKey>,
): Promise<Map<string, DirectoryItem>> {
  const live = [...resolutions.values()].flatMap((resolution) => resolution.live ?? []);
  const byKey = new Map(objects.map((item) => [keyOf(item.ref), item]));
  const declared = await declaredOf(context, live, resolutions, directory, byKey, apexMoved);
  const { hostings, found } = await claimHostedZones(context, live, declared, byKey);
  const fleet = await readFleet(context, { live, hostings, found });
  const placed = placeZones(live, declared, hostings, fleet);
  return new Map(
    [...placed.values()].map((place) => {
      const { key, fqdn } = place.live;
      return [fqdn, directoryItem(context, place, declared.get(key) ?? [], byKey.get(key) as ObjectItem)];
    }),
  );
}

/** The NS at the apex of each live Zone: from the directory if neither Zone nor NS changed, else read again. */
async function declaredOf(
  context: Context,
  live: readonly LiveZone[],
  resolutions: ReadonlyMap<ZoneKey, ZoneResolution>,
  directory: readonly DirectoryItem[],
  objects: ReadonlyMap<ZoneKey, ObjectItem>,
  apexMoved: ReadonlySet<ZoneKey>,
): Promise<Map<ZoneKey, readonly NameServer[]>> {
  const known = new Map(directory.map((item) => [item.key, item]));
  const declared = new Map<ZoneKey, readonly NameServer[]>();
  for (const zone of live) {
    const item = known.get(zone.key);
    const unmoved =
      item !== undefined && item.fqdn === zone.fqdn && sameJson(item.spec, objects.get(zone.key)?.spec ?? null);
    declared.set(
      zone.key,
      unmoved && !apexMoved.has(zone.key) ? item.declared : await readApex(context, zone, resolutions, live),
    );
  }
  return declared;
}

async function readApex(
  context: Context,
  zone: LiveZone,
  resolutions: ReadonlyMap<ZoneKey, ZoneResolution>,
  live: readonly LiveZone[],
): Promise<readonly NameServer[]> {
  const { ledger, config } = context;
  // As in loadName(), the ages are read before the objects.
  const ages = (await readAges(ledger, config.clusterId, zone.fqdn))?.item.ages ?? [];
  const entries = await Promise.all([
    allItems(ledger, namesPartition(config.clusterId), namePrefix(zone.fqdn)),
    allItems(ledger, membersPartition(config.clusterId, zone.key), memberPrefix('')),
  ]);
  const objects = await Promise.all(entries.flat().map((entry) => objectBehind(ledger, config.clusterId, entry)));
  const byName = new Map(live.map((one) => [one.fqdn, one]));
  const lookup = { byKey: (key: ZoneKey) => resolutions.get(key), liveAt: (fqdn: string) => byName.get(fqdn) };
  const judged = objects.flatMap((object) => (object === null ? [] : judgeObject(object, lookup)));
  const adopted = judged.flatMap((one) => one.adopted ?? []);
  const past = { nowMs: context.clock.nowMs(), agesAt: () => ages, stands: () => false };
  const history = { ages: agesAt(zone.fqdn, judged, past), stands: past.stands };
  return declaredNameServers(adopted, resolutions, () => history).get(zone.key) ?? [];
}

/** Writes one change, conditionally. If another run has written the item meanwhile, the next round sees it. */
async function writeChange({ ledger, config }: Context, { fqdn, stored, after }: DirectoryChange): Promise<void> {
  const key = directoryKey(config.clusterId, fqdn);
  if (after !== null) await ledger.put(key, directoryCodec.encode(after), stored?.revision ?? null);
  else if (stored !== null) await ledger.remove(key, stored.revision);
}

/** The directory item of a placed Zone; `object` is the Zone's own item. */
function directoryItem(
  { config }: Context,
  place: PlacedZone,
  declared: readonly NameServer[],
  object: ObjectItem,
): DirectoryItem {
  const { live, nameServers, hosting, cut, group, target, ownedBelow, cuts } = place;
  const { spec } = object;
  return {
    key: live.key,
    fqdn: live.fqdn,
    parent: live.parent,
    spec,
    declared,
    nameServers,
    hosting,
    cut,
    group,
    target,
    ...(ownedBelow !== undefined && { ownedBelow }),
    ...(cuts !== undefined && {
      cuts: cuts.map((one) => ({ ...one, nameServers: [...one.nameServers], glue: [...one.glue] })),
    }),
    takeover: mayTakeOver(config, object),
    ...(object.retains && { retains: object.retains }),
    ...(object.claim && { claim: object.claim }),
  };
}
