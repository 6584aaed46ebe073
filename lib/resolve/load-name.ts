// Reads from the ledger what is needed to resolve one name: the live Zones at or above it, and its endpoints, each from
// its object item. The number of reads depends on the labels of the name and the objects at it, never on the size of
// the zone or of the cluster.

import { type DirectoryItem, directoryCodec, directoryKey, placedZone } from '../directory/directory-item.ts';
import { type NameAgesItem, readAges } from '../directory/name-ages-item.ts';
import { pointerCodec, pointerItemsAt } from '../directory/pointer-item.ts';
import { ancestorsOf, isAtOrBelow, labelsOf } from '../dns/names/name.ts';
import { inViewOf } from '../dns/names/view.ts';
import { isReverseName } from '../dns/rdata/reverse-name.ts';
import type { Stored } from '../ledger/item-codec.ts';
import { allItems } from '../ledger/pages.ts';
import { readableItems } from '../ledger/skip-unreadable.ts';
import type { ZoneKey } from '../objects/object-ref.ts';
import { memberPrefix, membersPartition, namePrefix, namesPartition, placeOf } from '../observe/name-index.ts';
import { type KeptObjects, namesAt, objectBehind } from '../observe/save-object.ts';
import { clusterDnsOf } from '../ports/config.ts';
import type { Context } from '../ports/context.ts';
import type { Ledger } from '../ports/ledger.ts';
import type { RecordSetItem } from '../record-sets/record-set-item.ts';
import { readName } from '../record-sets/store.ts';
import { delegateChallenges, delegationOf, hostsOf } from '../zones/acme.ts';
import { type AdoptedEndpoint, type DeclaredObject, dnsVersion } from '../zones/adopt-endpoint.ts';
import {
  type ClusterDns,
  clusterIpNames,
  clusterNameOf,
  countReversed,
  dnsVersionName,
  withoutOverridden,
} from '../zones/cluster-names.ts';
import type { PlacedZone } from '../zones/place-zones.ts';
import { ptrOf } from '../zones/pointers.ts';
import { agesAt, chainOf, type JudgedEndpoint, judgeObject } from '../zones/resolve-cluster.ts';
import { hasConflict, resolveName, type ZonesElsewhere } from '../zones/resolve-name.ts';
import type { NameHistory, Past } from '../zones/seniority.ts';
import { standingAt, standsIn } from './standing.ts';

/** One name as the ledger knows it. */
export type LoadedName = {
  readonly name: string;
  readonly zones: ZonesAround;
  /** The directory items of the live Zones at or above the name. */
  readonly directory: readonly DirectoryItem[];
  /** All endpoints that objects ask for at the name. */
  readonly endpoints: readonly JudgedEndpoint[];
  readonly adopted: readonly AdoptedEndpoint[];
  /** The types that objects ask for here for a cluster's own DNS, whether or not a Zone adopts them. */
  readonly asked: readonly string[];
  /** How many PTRs no Zone adopts. */
  readonly leftOut: number;
  readonly history: NameHistory;
  /** The ages at the name as they were read. */
  readonly storedAges: Stored<NameAgesItem> | null;
  /** The record set items at the name, by hosted zone; absent if they were not asked for. */
  readonly recordSets?: ReadonlyMap<string, readonly Stored<RecordSetItem>[]>;
};

type AdoptedName = Omit<LoadedName, 'history' | 'storedAges' | 'recordSets'>;

/** The live Zones that decide what a name has. */
type ZonesAround = {
  /** At or above the name, the shortest first. */
  readonly chain: readonly PlacedZone[];
  /** Zones elsewhere that the endpoints of the name need. */
  readonly beside: readonly PlacedZone[];
} & ZonesElsewhere;

/** Loads one name. `withRecordSets`: with the ledger's record sets. `kept`: objects read once for all names. */
export async function loadName(
  context: Pick<Context, 'ledger' | 'config' | 'clock' | 'account' | 'log'>,
  name: string,
  withRecordSets: boolean,
  kept?: KeptObjects,
): Promise<LoadedName> {
  const { ledger, config } = context;
  const { clusterId } = config;
  const dns = clusterDnsOf(config);
  // The ages are read before the objects: who has an age and is not found then has gone.
  const [directory, storedAges] = await Promise.all([directoryAbove(context, name), readAges(ledger, clusterId, name)]);
  const chain = directory.map(placedZone);
  const [objects, recordSets] = await Promise.all([
    loadObjects(ledger, clusterId, name, chain, kept),
    withRecordSets ? loadRecordSets(ledger, name, chain) : null,
  ]);
  // A PTR needs the Zone of the cluster's DNS, which is not above it.
  const asksForCluster = objects.some(({ spec }) => spec?.some(({ reverse }) => reverse !== undefined));
  const cluster = dns === null || !asksForCluster ? null : await ledger.get(directoryKey(clusterId, dns.zone));
  const beside = [
    ...(await zonesElsewhere(context, name, objects)),
    ...(cluster === null ? [] : [placedZone(directoryCodec.decode(cluster))]),
  ];
  const own = adoptLoaded(name, { chain, beside }, directory, objects, dns);
  const derived = [...(await delegationAt(context, own, kept)), ...(await ptrAt(context, own))];
  const adopted = { ...own, adopted: [...own.adopted, ...derived] };
  const history = await historyOf(context, adopted, storedAges, recordSets);
  const loaded = { ...adopted, history, storedAges };
  return recordSets === null ? loaded : { ...loaded, recordSets };
}

/** The delegation of the ACME challenge of this name, if it is one and nothing else is adopted here. */
async function delegationAt(
  context: Parameters<typeof loadName>[0],
  { name, adopted, zones }: AdoptedName,
  kept: KeptObjects | undefined,
): Promise<readonly AdoptedEndpoint[]> {
  const hosts = hostsOf(name);
  const { chain } = zones;
  if (hosts.length === 0 || adopted.length > 0 || chain.at(-1)?.live.fqdn === name || !delegateChallenges(chain))
    return [];
  const loaded = await Promise.all(hosts.map((host) => loadName(context, host, false, kept)));
  const resolved = loaded.map((one) => resolveName(one.name, one.adopted, one.zones, one.history));
  const delegation = delegationOf(name, resolved, zones.placeOf);
  return delegation === null ? [] : [delegation];
}

/** The PTR of the hosts that have this address, if it is a reverse name and nothing else is adopted here. */
async function ptrAt(
  { ledger, config: { clusterId } }: Pick<Context, 'ledger' | 'config'>,
  { name, adopted, zones: { chain } }: AdoptedName,
): Promise<readonly AdoptedEndpoint[]> {
  if (!isReverseName(name) || adopted.length > 0 || chain.length === 0 || chain.at(-1)?.live.fqdn === name) return [];
  const pointers = readableItems(pointerCodec, await pointerItemsAt(ledger, clusterId, name));
  const fqdns = [...new Set(pointers.map(({ fqdn }) => fqdn))];
  const stored = await Promise.all(fqdns.map((fqdn) => ledger.get(directoryKey(clusterId, fqdn))));
  const live = stored.flatMap((item) => (item === null ? [] : [placedZone(directoryCodec.decode(item)).live]));
  const ptr = ptrOf(name, pointers, chain, (fqdn) => live.find((zone) => zone.fqdn === fqdn));
  return ptr === null ? [] : [ptr];
}

/**
 * The history of a name. What it has already is read only where one endpoint excludes another: from the ledger, and
 * from Route 53 where the ledger has nothing at the name. Without record sets, as for a report, Route 53 is not asked.
 */
async function historyOf(
  context: Pick<Context, 'ledger' | 'clock' | 'account' | 'log'>,
  { name, endpoints, adopted, zones }: AdoptedName,
  storedAges: Stored<NameAgesItem> | null,
  recordSets: LoadedName['recordSets'] | null,
): Promise<NameHistory> {
  const { ledger, clock } = context;
  const known = { nowMs: clock.nowMs(), agesAt: () => storedAges?.item.ages ?? [] };
  const historyBy = (stands: Past['stands']) => ({ ages: agesAt(name, endpoints, { ...known, stands }), stands });
  const history = historyBy(() => false);
  if (adopted.length < 2 || !hasConflict(resolveName(name, adopted, zones, history))) return history;
  const there = recordSets ?? (await loadRecordSets(ledger, name, zones.chain));
  const sets = await Promise.all(
    [...there].map(([id, items]) =>
      items.length > 0 || recordSets === null ? items.map(({ item }) => item) : standingAt(context, id, name),
    ),
  );
  return historyBy(standsIn(sets.flat()));
}

/** The live Zones at or above a name, the shortest first. */
async function directoryAbove(
  { ledger, config }: Pick<Context, 'ledger' | 'config'>,
  name: string,
): Promise<readonly DirectoryItem[]> {
  const names = [name, ...ancestorsOf(name)];
  const stored = await Promise.all(names.map((at) => ledger.get(directoryKey(config.clusterId, at))));
  return stored.flatMap((item) => (item === null ? [] : [directoryCodec.decode(item)])).reverse();
}

/**
 * The live Zones at or above the names of newer endpoints and of the targets of aliases, except those above this name,
 * which are read already.
 */
async function zonesElsewhere(
  context: Pick<Context, 'ledger' | 'config'>,
  name: string,
  objects: readonly DeclaredObject[],
): Promise<readonly PlacedZone[]> {
  const asked = objects.flatMap(({ ref, spec }) => (spec ?? []).map((endpoint) => ({ ref, endpoint })));
  const names = new Set<string>();
  for (const { ref, endpoint } of asked) {
    const { alias, standsInFor = [] } = endpoint;
    if (alias?.hostedZoneId === null) names.add(inViewOf(name, alias.target));
    // A newer endpoint may be at a name of another view, and so is its target.
    for (const newer of standsInFor)
      for (const at of await namesAt(context, [placeOf(context.config.clusterId, ref, newer)])) {
        names.add(at);
        if (newer.target !== null) names.add(inViewOf(at, newer.target));
      }
  }
  const directories = [...names].map((other) => directoryAbove(context, other));
  const zones = (await Promise.all(directories)).flat().filter(({ fqdn }) => !isAtOrBelow(name, fqdn));
  return zones.map(placedZone);
}

async function loadRecordSets(ledger: Ledger, name: string, chain: readonly PlacedZone[]) {
  const ids = new Set(chain.flatMap(({ target }) => (target.kind === 'hosted' ? [target.hostedZoneId] : [])));
  return new Map(await Promise.all([...ids].map(async (id) => [id, await readName(ledger, id, name)] as const)));
}

async function loadObjects(
  ledger: Ledger,
  clusterId: string,
  name: string,
  chain: readonly PlacedZone[],
  kept: KeptObjects | undefined,
): Promise<DeclaredObject[]> {
  const queries = [
    allItems(ledger, namesPartition(clusterId), namePrefix(name)),
    ...chain.map(({ live }) =>
      allItems(ledger, membersPartition(clusterId, live.key), memberPrefix(relativeLabels(name, live.fqdn))),
    ),
  ];
  const entries = (await Promise.all(queries)).flat();
  const objects = await Promise.all(entries.map((entry) => objectBehind(ledger, clusterId, entry, kept)));
  return objects.filter((object) => object !== null);
}

function adoptLoaded(
  name: string,
  { chain, beside }: Pick<ZonesAround, 'chain' | 'beside'>,
  directory: readonly DirectoryItem[],
  objects: readonly DeclaredObject[],
  clusterDns: ClusterDns | null,
): AdoptedName {
  const byKey = new Map([...beside, ...chain].map((place) => [place.live.key, place]));
  const byFqdn = new Map([...beside, ...chain].map((place) => [place.live.fqdn, place]));
  const lookup = {
    byKey: (key: string) => byKey.get(key),
    liveAt: (fqdn: string) => byFqdn.get(fqdn)?.live,
    clusterDns,
  };
  const endpoints = objects.flatMap((object) => judgeObject(object, lookup));
  const own =
    clusterDns !== null && name === dnsVersionName(clusterDns) ? byFqdn.get(clusterDns.zone)?.live : undefined;
  const wanted = objects.flatMap(({ spec }) => spec ?? []);
  const all = [...endpoints.flatMap((one) => one.adopted ?? []), ...dnsVersion(own, clusterDns)];
  const adopted = withoutOverridden(all, clusterIpNames(wanted));
  const asked = new Set(wanted.flatMap((one) => (clusterNameOf(one) === name ? one.type : [])));
  const leftOut = countReversed(wanted) - countReversed(endpoints.flatMap(({ endpoint }) => endpoint ?? []));
  const zones = {
    chain,
    beside,
    placeOf: (zone: ZoneKey) => byKey.get(zone),
    chainOf: (at: string) => chainOf(at, byFqdn),
  };
  return { name, zones, directory, endpoints, adopted, asked: [...asked].sort(), leftOut };
}

/** The labels of a name below a Zone, without the last dot; empty for the Zone itself. */
export function relativeLabels(name: string, zone: string): string {
  const labels = labelsOf(name);
  return labels.slice(0, labels.length - labelsOf(zone).length).join('.');
}
