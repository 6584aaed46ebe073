// The ranges of the ledger that have the names of a subtree: endpoints by full name, live Zones, endpoints that name a
// Zone at, below or above its top, and record sets that perhaps nothing asks for any more.

import { type DirectoryItem, directoryCodec, directoryKey, directoryPartition } from '../directory/directory-item.ts';
import { pointerCodec, pointersPartition } from '../directory/pointer-item.ts';
import { readDirectory as readLiveZones } from '../directory/read-directory.ts';
import type { SubtreeTask } from '../directory/subtree-task-item.ts';
import { ancestorsOf, isAtOrBelow, nameOfReversedKey, reversedKey } from '../dns/names/name.ts';
import { REVERSE_NAMES } from '../dns/names/service-name.ts';
import { inViewOf, PUBLIC, realName, viewOf } from '../dns/names/view.ts';
import type { Stop } from '../ledger/scan.ts';
import { readableItems } from '../ledger/skip-unreadable.ts';
import { type ObjectRef, type ZoneKey, zoneOfKey } from '../objects/object-ref.ts';
import {
  membersPartition,
  type NamedItem,
  namedCodec,
  namesPartition,
  placeOf,
  targetsPartition,
} from '../observe/name-index.ts';
import { clusterDnsOf } from '../ports/config.ts';
import type { Context } from '../ports/context.ts';
import type { LedgerItem, LedgerKey } from '../ports/ledger.ts';
import { recordSetCodec, recordSetsPartition } from '../record-sets/record-set-item.ts';
import { relativeLabels } from './load-name.ts';

/** What an item leads to: names to update, further places, and the object to report. */
type Found = {
  readonly names: readonly string[];
  readonly places?: readonly LedgerKey[];
  readonly ref: ObjectRef | null;
};

export type SubtreeStop = Stop & { readonly read: (item: LedgerItem) => Found };

/** The ranges with every name at or below the task's that is or was asked for, with its objects. */
export async function subtreeStops(
  context: Context,
  task: SubtreeTask,
): Promise<{
  readonly stops: readonly SubtreeStop[];
  readonly above: readonly DirectoryItem[];
}> {
  const { ledger, config } = context;
  const { fqdn, members } = task;
  if (fqdn === null)
    return {
      stops: members.map((key) => membersStop(config.clusterId, key, '', [])),
      above: [],
    };
  const prefix = reversedKey(fqdn);
  const dns = clusterDnsOf(config);
  const below = (await readLiveZones(ledger, config.clusterId, prefix)).zones.map(({ item }) => item);
  const above = await zonesAt(context, ancestorsOf(fqdn));
  const zones = new Map<ZoneKey, Set<string>>();
  if (task.ofCut === undefined) for (const key of members) zones.set(key, new Set([fqdn]));
  for (const zone of below) zones.set(zone.key, (zones.get(zone.key) ?? new Set()).add(zone.fqdn));
  const hostedZones = new Set(task.alsoIn.map(({ id }) => id));
  for (const { target } of above) if (target.kind === 'hosted') hostedZones.add(target.hostedZoneId);
  const stops = [
    namesStop(config.clusterId, prefix),
    targetsStop(config.clusterId, prefix),
    // An alias of an object with a zoneRef has a target without the view, which is that of its Zone.
    ...(viewOf(fqdn) === PUBLIC ? [] : [targetsStop(config.clusterId, reversedKey(realName(fqdn)))]),
    { partition: directoryPartition(config.clusterId), prefix, read: readDirectory },
    ...[...zones].map(([key, fqdns]) => membersStop(config.clusterId, key, '', [...fqdns])),
    ...above.map((zone) => {
      const labels = reversedKey(`${relativeLabels(fqdn, zone.fqdn)}.`);
      return membersStop(config.clusterId, zone.key, labels, [zone.fqdn]);
    }),
    ...[...hostedZones].map((id) => ({ partition: recordSetsPartition(id), prefix, read: readRecordSet })),
    // The PTRs of a cluster's DNS depend on its Zone, and their names are below other Zones, which may lose entries.
    ...(dns !== null && isAtOrBelow(dns.zone, fqdn)
      ? REVERSE_NAMES.map((name) => elsewhereStop(config.clusterId, reversedKey(name)))
      : []),
    // Of hosts that have addresses, and at the reverse names of addresses.
    { partition: pointersPartition(config.clusterId), prefix, read: readPointer },
  ];
  return { stops, above };
}

/** The first step of a task: its own name, and the Zones that it is about. */
export function subtreeBegin(
  { fqdn, members }: SubtreeTask,
  above: readonly DirectoryItem[],
): { readonly names: readonly string[]; readonly refs: readonly ObjectRef[] } {
  if (fqdn === null) return { names: [], refs: [] };
  const refs = [...members, ...above.map(({ key }) => key)].map((key) => zoneOfKey(key));
  const cuts = above.flatMap(({ cuts = [] }) => cuts).filter((cut) => cut.fqdn === fqdn);
  return { names: [fqdn, ...cuts.flatMap(namesOfCut)], refs };
}

/** The names where the Zone above a cut of another cluster publishes something for it. */
function namesOfCut({ fqdn, glue }: NonNullable<DirectoryItem['cuts']>[number]): readonly string[] {
  return [fqdn, ...glue.map(({ name }) => name)];
}

async function zonesAt({ ledger, config }: Context, names: readonly string[]): Promise<readonly DirectoryItem[]> {
  const stored = await Promise.all(names.map((name) => ledger.get(directoryKey(config.clusterId, name))));
  return readableItems(
    directoryCodec,
    stored.filter((item) => item !== null),
  );
}

function namesStop(clusterId: string, prefix: string): SubtreeStop {
  const read = (item: LedgerItem) => ({ names: [nameOfReversedKey(keyPart(item))], ...readNamedItem(clusterId, item) });
  return { partition: namesPartition(clusterId), prefix, read };
}

/** The range of aliases with targets in the subtree; their names may be outside of it. */
function targetsStop(clusterId: string, prefix: string): SubtreeStop {
  const read = (item: LedgerItem) => ({ names: [], ...readNamedItem(clusterId, item) });
  return { partition: targetsPartition(clusterId), prefix, read };
}

/** A range of endpoints whose names are outside of the subtree. */
function elsewhereStop(clusterId: string, prefix: string): SubtreeStop {
  const read = (item: LedgerItem) => ({ names: [], places: [item], ref: namedCodec.decode(item).ref });
  return { partition: namesPartition(clusterId), prefix, read };
}

/** The range of endpoints that name a Zone, with their names below each name that the Zone has or had. */
function membersStop(clusterId: string, key: ZoneKey, prefix: string, fqdns: readonly string[]): SubtreeStop {
  const read = (item: LedgerItem) => ({
    names: fqdns.map((fqdn) => nameOfReversedKey(reversedKey(fqdn) + keyPart(item))),
    ...readNamedItem(clusterId, item),
  });
  return { partition: membersPartition(clusterId, key), prefix, read };
}

function keyPart({ sort }: LedgerItem): string {
  return sort.slice(0, sort.indexOf('!'));
}

function readNamedItem(clusterId: string, item: LedgerItem): Pick<Found, 'places' | 'ref'> {
  const { ref, standIns = [] }: NamedItem = namedCodec.decode(item);
  return { places: standIns.map((one) => placeOf(clusterId, ref, one)), ref };
}

function readDirectory(stored: LedgerItem): Found {
  const [zone] = readableItems(directoryCodec, [stored]);
  if (zone === undefined) return { names: [], ref: null };
  const { fqdn, nameServers, cuts = [] } = zone;
  const servers = nameServers.map(({ rdata }) => inViewOf(fqdn, rdata)).filter((name) => isAtOrBelow(name, fqdn));
  return {
    names: [fqdn, ...servers, ...cuts.flatMap(namesOfCut)],
    ref: null,
  };
}

/** The name of a record set item. The object that asked for it may be gone already. */
function readRecordSet(stored: LedgerItem): Found {
  return { names: [recordSetCodec.decode(stored).name], ref: null };
}

/** The host of a pointer and its reverse name. One of the two is in the subtree. */
function readPointer(stored: LedgerItem): Found {
  return { names: readableItems(pointerCodec, [stored]).flatMap(({ name, host }) => [name, host]), ref: null };
}
