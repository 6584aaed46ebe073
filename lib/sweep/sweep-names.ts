// Derives again what depends on the observed objects: every name that has items is updated, and the last report of each
// object is compared with the present one. That costs some twenty reads a Record, so each sweep does a bounded part,
// and the next continues there. A cluster of some hundred Records is done as a whole in each sweep.

import { directoryCodec, directoryKey, directoryPartition } from '../directory/directory-item.ts';
import { agesCodec, agesPartition } from '../directory/name-ages-item.ts';
import { readDirectory } from '../directory/read-directory.ts';
import { isAtOrBelow, nameOfReversedKey, reversedKey } from '../dns/names/name.ts';
import { readItem } from '../ledger/item-codec.ts';
import { type Stop, type WalkCursor, walkOn } from '../ledger/scan.ts';
import { whereReadable } from '../ledger/skip-unreadable.ts';
import { ZONE_KIND } from '../objects/kind.ts';
import { findRef, formatRef, isZone, type ObjectRef, type ZoneKey, zoneOfKey } from '../objects/object-ref.ts';
import { kindsEverRead } from '../observe/kinds-noted.ts';
import { membersPartition, namesPartition, placesOf, targetsPartition } from '../observe/name-index.ts';
import { type ObjectItem, objectCodec, objectKey, objectsPartition } from '../observe/object-item.ts';
import { namesAt, objectBehind, restoreNamed } from '../observe/save-object.ts';
import type { Context } from '../ports/context.ts';
import { inParallel } from '../ports/in-parallel.ts';
import type { LedgerItem } from '../ports/ledger.ts';
import type { HostedZoneName } from '../record-sets/hosted-zone-item.ts';
import { hostedZonesOf } from '../record-sets/list-hosted-zones.ts';
import { type RecordSetItem, recordSetCodec, recordSetsPartition } from '../record-sets/record-set-item.ts';
import { isMisreported } from '../report/report-object.ts';
import { taskBudget } from '../resolve/subtree-tasks.ts';
import { updateName } from '../resolve/update-name.ts';
import { updateZones } from '../resolve/update-zones.ts';
import { leftOutMessage } from '../zones/cluster-names.ts';
import { forgetUnneeded, relatedStops } from './forget-related.ts';

const ITEMS_A_PIECE = 200;
const ITEMS_A_PIECE_MIN = 10;
const AT_ONCE = 8;
/**
 * What one sweep may cost, and what each item costs, in units of about two reads. A sweep does 800 Records, or 50
 * Zones, whose reports read everything below them. With a sweep every 15 minutes that is some 50 million reads a month,
 * and 10,000 Records are done in three hours. Several clusters share it.
 */
const COST_MAX = 10_000;
const COST = {
  zone: 200,
  object: 10,
  directory: 10,
  ages: 1,
  entry: 1,
  recordSet: 1,
  dependent: 1,
  related: 2,
  recheck: 1,
} as const;
const SUBTREE_NAMES_MAX = 1_000;

type NamesStop = Stop & { readonly holds: keyof typeof COST; readonly fqdn?: string };

/**
 * Does one piece from `cursor` on. `cost`: of the pieces before it. `clusters`: so many are swept. `ended`: this sweep
 * has done its part. `leavesOut`: an item or a name that fails is left out, with a line in the log, because the same
 * piece has failed before.
 */
export async function sweepNames(
  context: Context,
  cursor: WalkCursor | null,
  cost: number,
  { clusters = 1, leavesOut = false }: { readonly clusters?: number; readonly leavesOut?: boolean } = {},
): Promise<{ readonly cursor: WalkCursor | null; readonly cost: number; readonly ended: boolean }> {
  const hostedZones = await knownHostedZones(context);
  const itemsMax = Math.max(ITEMS_A_PIECE_MIN, Math.ceil(ITEMS_A_PIECE / clusters));
  const { items, next } = await walkOn(context.ledger, await stopsOf(context, hostedZones), cursor, itemsMax);
  const names = new Set<string>();
  const reports = new Map<string, ObjectRef>();
  await inParallel(items, AT_ONCE, async ({ stop, item }) => {
    const look = () => whereReadable(context, () => lookAt(context, stop, item));
    const found = (await (leavesOut ? orLeaveOut(context, item, look) : look())) ?? NOTHING;
    for (const name of found.names) names.add(name);
    for (const ref of found.reports) reports.set(formatRef(ref), ref);
  });
  await updateSweptNames(context, names, hostedZones, reports, leavesOut);
  if (reports.size > 0) await context.queues.report([...reports.values()]);
  const spent = cost + items.reduce((sum, { stop }) => sum + COST[stop.holds], 0);
  return { cursor: next, cost: spent, ended: next === null || spent >= COST_MAX / clusters };
}

/** The result of `work`; null, and a line in the log, if it throws. */
async function orLeaveOut<T>(
  { log }: Context,
  { sort, name, partition }: { readonly partition?: string; readonly sort?: string; readonly name?: string },
  work: () => Promise<T | null>,
): Promise<T | null> {
  try {
    return await work();
  } catch (error) {
    const where = { partition, sort, name };
    log('error', 'a part of the ledger could not be swept and is left out', { ...where, reason: String(error) });
    return null;
  }
}

async function knownHostedZones({ ledger, config, log }: Context): Promise<readonly HostedZoneName[]> {
  const items = await hostedZonesOf(ledger, config.clusterId, log);
  return items.map(({ id, name }) => ({ id, apex: name }));
}

async function stopsOf(
  { ledger, config, sources }: Context,
  hostedZones: readonly HostedZoneName[],
): Promise<NamesStop[]> {
  const { clusterId } = config;
  const { zones } = await readDirectory(ledger, clusterId);
  const { related } = await kindsEverRead(ledger, clusterId, sources);
  return [
    { partition: directoryPartition(clusterId), prefix: '', holds: 'directory' },
    { partition: agesPartition(clusterId), prefix: '', holds: 'ages' },
    { partition: namesPartition(clusterId), prefix: '', holds: 'entry' },
    { partition: targetsPartition(clusterId), prefix: '', holds: 'entry' },
    ...zones.map(({ item: { key, fqdn } }) => {
      return { partition: membersPartition(clusterId, key), prefix: '', holds: 'entry', fqdn } as const;
    }),
    ...sources.map(
      ({ kind }) => ({ partition: objectsPartition(clusterId, kind), prefix: '', holds: 'object' }) as const,
    ),
    { partition: objectsPartition(clusterId, ZONE_KIND.kind), prefix: '', holds: 'zone' },
    ...relatedStops(clusterId, related),
    ...hostedZones.map(({ id }) => ({ partition: recordSetsPartition(id), prefix: '', holds: 'recordSet' }) as const),
  ];
}

type Found = { readonly names: readonly string[]; readonly reports: readonly ObjectRef[] };

const NOTHING: Found = { names: [], reports: [] };

async function lookAt(context: Context, stop: NamesStop, stored: LedgerItem): Promise<Found> {
  switch (stop.holds) {
    case 'directory':
      return { names: [directoryCodec.decode(stored).fqdn], reports: [] };
    case 'zone':
      return { names: [], reports: [zoneOfKey(stored.sort)] };
    case 'object':
      return lookAtObject(context, stored);
    case 'entry': {
      // A NamedItem that is up to date is updated with its object. One that is left over is removed.
      if ((await objectBehind(context.ledger, context.config.clusterId, stored)) !== null) return NOTHING;
      const base = stop.fqdn === undefined ? '' : reversedKey(stop.fqdn);
      return { names: [nameOfReversedKey(base + stored.sort.slice(0, stored.sort.indexOf('!')))], reports: [] };
    }
    case 'ages': {
      // The ages at a name that is asked for are updated with its objects.
      const name = nameOfReversedKey(stored.sort);
      return {
        names: agesCodec.decode(stored).ages.some(({ goneMs }) => goneMs !== undefined) ? [name] : [],
        reports: [],
      };
    }
    case 'recordSet': {
      const item = recordSetCodec.decode(stored);
      return (await isUpdatedWithItsObject(context, item)) ? NOTHING : { names: [item.name], reports: [] };
    }
    case 'dependent':
    case 'related':
    case 'recheck':
      await forgetUnneeded(context, { holds: stop.holds }, stored);
      return NOTHING;
    default:
      return stop.holds satisfies never;
  }
}

/** Updates the names of an object and compares its report. An unsettled object has a hint already. */
async function lookAtObject(context: Context, stored: LedgerItem): Promise<Found> {
  const item = objectCodec.decode(stored);
  if (item.deleted || item.unsettled) return NOTHING;
  await restoreNamed(context, item);
  return { names: await namesOf(context, item), reports: (await isMisreported(context, item)) ? [item.ref] : [] };
}

function namesOf(context: Context, item: ObjectItem): Promise<readonly string[]> {
  return namesAt(context, placesOf(context.config.clusterId, item));
}

/** True if the name is updated together with an object that asks for it, or with the live Zone at the name. */
async function isUpdatedWithItsObject(context: Context, item: RecordSetItem): Promise<boolean> {
  const { ledger, config } = context;
  const [object] = item.objects;
  if (item.desired === null || object === undefined) return false;
  const ref = findRef(object);
  if (ref === null) return false;
  if (isZone(ref)) return (await ledger.get(directoryKey(config.clusterId, item.name))) !== null;
  const owner = (await readItem(ledger, objectKey(config.clusterId, ref), objectCodec))?.item ?? null;
  return owner !== null && !owner.deleted && (await namesOf(context, owner)).includes(item.name);
}

async function updateSweptNames(
  context: Context,
  names: ReadonlySet<string>,
  hostedZones: readonly HostedZoneName[],
  reports: Map<string, ObjectRef>,
  leavesOut: boolean,
): Promise<void> {
  const apexMoved = new Set<ZoneKey>();
  let leftOut = 0;
  await inParallel(names, AT_ONCE, async (name) => {
    const alsoIn = hostedZones.filter(({ apex }) => isAtOrBelow(name, apex));
    const update = () => whereReadable(context, () => updateName(context, name, { alsoIn }));
    const updated = await (leavesOut ? orLeaveOut(context, { name }, update) : update());
    if (updated === null) return;
    leftOut += updated.leftOut;
    if (updated.moved) for (const ref of updated.objects) reports.set(formatRef(ref), ref);
    if (updated.apexMoved !== null) apexMoved.add(updated.apexMoved);
  });
  if (leftOut > 0) context.log('warn', leftOutMessage(leftOut));
  if (apexMoved.size === 0) return;
  const budget = taskBudget(Number.POSITIVE_INFINITY, SUBTREE_NAMES_MAX);
  const zones = await updateZones(context, apexMoved, { budget });
  for (const ref of zones.reports) reports.set(formatRef(ref), ref);
  if (zones.left !== null) await context.queues.hint([{ ...zones.left }]);
}
