// Reads what the other clusters of the ledger have at or below the Zones of this one: which of their Zones make zone
// cuts, and who owns names below a hosted zone, so that it makes none yet (lib/zones/foreign-cuts.ts). Both the update
// of the directory and a plan ask for it. A cluster without others costs no read.

import { type DirectoryItem, directoryCodec, directoryKey } from '../directory/directory-item.ts';
import { readDirectory } from '../directory/read-directory.ts';
import { ancestorsOf, isAtOrBelow, isBelow, reversedKey } from '../dns/names/name.ts';
import { inViewOf } from '../dns/names/view.ts';
import type { Hostings } from '../hosting/find-hosted-zones.ts';
import { UnreadableItemError } from '../ledger/item-codec.ts';
import { eachItem } from '../ledger/pages.ts';
import { whereReadable } from '../ledger/skip-unreadable.ts';
import type { Context } from '../ports/context.ts';
import type { Ledger } from '../ports/ledger.ts';
import { standbyAmong } from '../record-sets/cluster-item.ts';
import { type HostedZoneItem, hostedZoneIdOf, isOfDnsRecords } from '../record-sets/hosted-zone-item.ts';
import { recordSetCodec, recordSetsPartition } from '../record-sets/record-set-item.ts';
import { ownedOf } from '../record-sets/state.ts';
import { objectsOf } from '../record-sets/transitions.ts';
import type { LiveZone } from '../zones/delegation.ts';
import { ALONE, type Fleet, type ForeignCut, type ForeignZone, type Glue, zoneAbove } from '../zones/foreign-cuts.ts';
import type { Hosting } from '../zones/place-zones.ts';
import { resolveName } from '../zones/resolve-name.ts';
import { loadName } from './load-name.ts';

type FleetContext = Pick<Context, 'ledger' | 'config' | 'clock' | 'account' | 'log'>;

/** What is known of the own cluster: its live Zones, where they publish, and the hosted zones of all clusters. */
export type OwnZones = {
  readonly live: readonly LiveZone[];
  readonly hostings: ReadonlyMap<string, Hosting>;
  readonly found: Pick<Hostings, 'all' | 'unread'>;
};

/** Reads what the other clusters have at or below these live Zones, and above them. */
export async function readFleet(context: FleetContext, own: OwnZones): Promise<Fleet> {
  const { clusterId } = context.config;
  const all = own.found.all.filter(({ id, isPrivate }) => !isPrivate && !isOfDnsRecords(id));
  const named = new Set(own.live.flatMap(({ spec }) => spec.delegations.flatMap(({ clusters = [] }) => clusters)));
  named.delete(clusterId);
  if (named.size === 0 && own.found.unread.size === 0 && all.every(({ cluster }) => cluster === clusterId))
    return ALONE;
  const zones = await foreignZones(context, own, all, named);
  return { zones, ownerBelow: await ownersBelow(context, own, all, zones) };
}

/** The live Zones of other clusters at or below our own, in the order in which their hosted zones were used. */
async function foreignZones(
  context: FleetContext,
  { live, found }: OwnZones,
  all: readonly HostedZoneItem[],
  named: ReadonlySet<string>,
): Promise<readonly ForeignZone[]> {
  const { ledger, config } = context;
  const byName = new Map(live.map((zone) => [zone.fqdn, zone]));
  const isCovered = (name: string) => [name, ...ancestorsOf(name)].some((one) => byName.has(one));
  const others = all.filter(({ cluster, name }) => cluster !== config.clusterId && isCovered(name));
  const items = new Map<string, DirectoryItem>();
  const unread = new Set<string>();
  for (const { cluster, name } of others.toSorted((a, b) => a.id.length - b.id.length)) {
    if (named.has(cluster)) continue;
    const stored = await ledger.get(directoryKey(cluster, name));
    const item = stored === null ? null : directoryCodec.read(stored);
    if (item instanceof UnreadableItemError) unread.add(`${cluster} ${name}`);
    else if (item !== null) items.set(`${cluster} ${name}`, item);
  }
  for (const cluster of [...named].toSorted()) {
    const directory = await readDirectory(ledger, cluster);
    for (const name of directory.unread.keys()) unread.add(`${cluster} ${name}`);
    for (const { item } of directory.zones) if (isCovered(item.fqdn)) items.set(`${cluster} ${item.fqdn}`, item);
  }
  const zones = await Promise.all(
    [...items].map(async ([at, item]) => {
      const cluster = at.slice(0, at.indexOf(' '));
      const zone = foreignZone(cluster, item);
      const above = zoneAbove(zone, (name) => byName.get(name));
      return above?.isDelegated === true ? { ...zone, glue: await glueOf(context, zone) } : zone;
    }),
  );
  const isUsed = ({ hostedZoneId, nameServers }: ForeignZone) => hostedZoneId !== null || nameServers.length > 0;
  const kept = unread.size === 0 && found.unread.size === 0 ? [] : await keptCuts(context, live);
  const isUnread = ({ cluster, fqdn, hostedZoneId }: ForeignCut) =>
    unread.has(`${cluster} ${fqdn}`) || [...found.unread.keys()].some((id) => hostedZoneIdOf(id) === hostedZoneId);
  return [...zones.filter(isUsed), ...kept.filter(isUnread).map(asBefore)];
}

function foreignZone(cluster: string, { key, fqdn, hosting, target, nameServers }: DirectoryItem): ForeignZone {
  const own = target.kind === 'hosted' && target.fqdn === fqdn && target.isPrivate !== true ? hosting : null;
  // The Zone of a hosted zone that is not its own publishes into that of its parent, and makes no cut.
  const isElsewhere = hosting === null && target.kind !== 'hosted';
  return {
    ...{ cluster, zone: key, namespace: key.slice(0, key.indexOf('/')), fqdn },
    hostedZoneId: own === null ? null : hostedZoneIdOf(own.id),
    nameServers: own !== null || isElsewhere ? nameServers.map(({ rdata, ttl }) => ({ rdata, ttl })) : [],
    glue: [],
  };
}

/** The addresses of a Zone's name servers within the Zone, as its own cluster resolves them. */
async function glueOf(context: FleetContext, { cluster, fqdn, nameServers }: ForeignZone): Promise<readonly Glue[]> {
  const names = nameServers.map(({ rdata }) => inViewOf(fqdn, rdata)).filter((name) => isAtOrBelow(name, fqdn));
  const config = { ...context.config, clusterId: cluster, sources: {} };
  const found = await Promise.all(
    [...new Set(names)].map((name) =>
      whereReadable(context, async () => {
        const { adopted, zones, history } = await loadName({ ...context, config }, name, false);
        const { endpoints } = resolveName(name, adopted, zones, history);
        return [...endpoints].flatMap(([{ type, class: recordClass, alias, routing, values }, { refusal, ttl }]) => {
          const isAddress = (type === 'A' || type === 'AAAA') && recordClass === 'IN';
          if (refusal !== null || !isAddress || alias !== undefined || routing !== undefined) return [];
          return values.map((rdata): Glue => ({ name, type, ttl, rdata }));
        });
      }),
    ),
  );
  return found.flatMap((glue) => glue ?? []).toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
}

/** The cuts of other clusters as the own directory has them. */
async function keptCuts(
  { ledger, config }: FleetContext,
  live: readonly LiveZone[],
): Promise<readonly (ForeignCut & { readonly namespace: string })[]> {
  const stored = await Promise.all(live.map(({ fqdn }) => ledger.get(directoryKey(config.clusterId, fqdn))));
  const items = stored.flatMap((one) => (one === null ? [] : directoryCodec.read(one)));
  return items
    .flatMap((item) => (item instanceof UnreadableItemError ? [] : (item.cuts ?? [])))
    .map((cut) => ({ ...cut, namespace: cut.zone.slice(0, cut.zone.indexOf('/')) }));
}

function asBefore({ isDelegated: _, ownedBy: __, ...zone }: ForeignCut & { readonly namespace: string }): ForeignZone {
  return zone;
}

/** By the name of each hosted zone: another active cluster that owns a name at or below it, in a hosted zone above. */
async function ownersBelow(
  { ledger, config, clock }: FleetContext,
  { hostings }: OwnZones,
  all: readonly HostedZoneItem[],
  zones: readonly ForeignZone[],
): Promise<ReadonlyMap<string, string>> {
  const users = Map.groupBy(
    zones.filter(({ hostedZoneId }) => hostedZoneId !== null),
    ({ fqdn }) => fqdn,
  );
  const own = [...hostings].flatMap(([fqdn, { unreadable, isPrivate }]) =>
    unreadable === undefined && isPrivate !== true ? [fqdn] : [],
  );
  const onStandby = await standbyAmong({ ledger, clock }, config, [...new Set(all.map(({ cluster }) => cluster))]);
  const active = all.filter(({ cluster }) => !onStandby.has(cluster));
  const owners = new Map<string, string>();
  for (const fqdn of new Set([...own, ...users.keys()])) {
    const using = new Set(users.get(fqdn)?.map(({ cluster }) => cluster));
    if (own.includes(fqdn)) using.add(config.clusterId);
    const above = active.filter(({ name, cluster }) => isBelow(fqdn, name) && !using.has(cluster));
    for (const { id, cluster } of above.toSorted((a, b) => (a.cluster < b.cluster ? -1 : 1)))
      if (!owners.has(fqdn) && (await ownsBelow(ledger, id, fqdn))) owners.set(fqdn, cluster);
  }
  return owners;
}

/** True if something active is published at or below the name, but for the delegation to it and the glue of that. */
async function ownsBelow(ledger: Ledger, hostedZoneId: string, fqdn: string): Promise<boolean> {
  for await (const stored of eachItem(ledger, recordSetsPartition(hostedZoneId), reversedKey(fqdn))) {
    const item = recordSetCodec.read(stored);
    // What cannot be read may be published.
    if (item instanceof UnreadableItemError) return true;
    const isDelegation = item.name === fqdn && (item.type === 'NS' || item.type === 'DS');
    const isGlue =
      (item.type === 'A' || item.type === 'AAAA') && objectsOf(item).every((one) => one.startsWith('Zone '));
    if (!isDelegation && !isGlue && item.standbyMs === undefined && item.inherits !== true && ownedOf(item) !== null)
      return true;
  }
  return false;
}
