// Zone cuts of other clusters: what a cluster must know of a Zone of another one that has a hosted zone of its own
// below one of its Zones, or that one of its Zones delegates to. The Zone above has it in its item in the directory.
//
//   another active cluster owns names at or below it | no cut: its Zone is OwnedByAnotherCluster, and publishes
//   a delegation names its cluster                   | the Zone above publishes its NS and glue
//   else                                             | the Zone above publishes nothing there, but NS and DS of its own
import { ancestorsOf } from '../dns/names/name.ts';
import { delegatesToCluster, type LiveZone } from './delegation.ts';

/** A name server of another cluster's Zone; `ttl` in seconds. */
type ForeignNameServer = { readonly rdata: string; readonly ttl: number };

/** An address of such a name server, at a name within the Zone. */
export type Glue = { readonly name: string; readonly type: string; readonly ttl: number; readonly rdata: string };

/** A live Zone of another cluster, that has a hosted zone or name servers. */
export type ForeignZone = {
  readonly cluster: string;
  readonly namespace: string;
  /** "ns/name", in that cluster. */
  readonly zone: string;
  readonly fqdn: string;
  /** Its hosted zone in Route 53; null: it has none, and is hosted elsewhere. */
  readonly hostedZoneId: string | null;
  readonly nameServers: readonly ForeignNameServer[];
  readonly glue: readonly Glue[];
};

/** A cut below a Zone. `nameServers` and `glue` are those that the Zone publishes: none if it does not delegate it. */
export type ForeignCut = Omit<ForeignZone, 'namespace'> & {
  readonly isDelegated: boolean;
  /** The cluster that owns names at or below it, so there is no cut. */
  readonly ownedBy?: string;
};

/** What the other clusters have. `ownerBelow`: who owns names at or below a hosted zone, by the name of that. */
export type Fleet = {
  readonly zones: readonly ForeignZone[];
  readonly ownerBelow: ReadonlyMap<string, string>;
};

/** A cluster that is alone. */
export const ALONE: Fleet = { zones: [], ownerBelow: new Map() };

/** The live Zones above a Zone of another cluster that may publish its NS: first one that delegates it. */
export function zoneAbove(
  { fqdn, cluster, namespace }: Pick<ForeignZone, 'fqdn' | 'cluster' | 'namespace'>,
  liveAt: (name: string) => LiveZone | undefined,
): { readonly live: LiveZone; readonly isDelegated: boolean } | null {
  const above = ancestorsOf(fqdn).flatMap((name) => liveAt(name) ?? []);
  const delegating = above.find((live) => delegatesToCluster(live, fqdn, cluster, namespace));
  const live = delegating ?? above[0];
  return live === undefined ? null : { live, isDelegated: delegating !== undefined };
}

/** The cuts of other clusters by the Zone above. Where the own cluster has a Zone, that one is the cut. */
export function cutsByZone(zones: readonly LiveZone[], { zones: foreign, ownerBelow }: Fleet) {
  const byName = new Map(zones.map((live) => [live.fqdn, live]));
  const found = foreign.flatMap(({ namespace, ...zone }) => {
    const above = byName.has(zone.fqdn) ? null : zoneAbove({ ...zone, namespace }, (name) => byName.get(name));
    if (above === null) return [];
    const { isDelegated } = above;
    if (zone.hostedZoneId === null && (!isDelegated || zone.nameServers.length === 0)) return [];
    const ownedBy = ownerBelow.get(zone.fqdn);
    const published = isDelegated ? {} : { nameServers: [], glue: [] };
    const cut: ForeignCut = { ...zone, ...published, isDelegated, ...(ownedBy !== undefined && { ownedBy }) };
    return [{ above: above.live.key, cut }];
  });
  // Of several clusters, the one that is delegated to, then the first that used the hosted zone.
  const firstAt = Map.groupBy(found, ({ cut }) => cut.fqdn);
  const chosen = [...firstAt.values()].flatMap((all) => all.find(({ cut }) => cut.isDelegated) ?? all[0] ?? []);
  return Map.groupBy(chosen, ({ above }) => above);
}

/** Where a cut of another cluster is, in words. */
export function foreignInWords({ hostedZoneId, fqdn, cluster }: ForeignCut): string {
  return hostedZoneId === null
    ? `the zone cut ${fqdn} of cluster ${cluster}`
    : `hosted zone ${hostedZoneId} (${fqdn}) of cluster ${cluster}`;
}
