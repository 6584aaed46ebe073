// The index in which the local DNS server looks names up: every name that exists in a hosted zone, empty non-terminals
// included (RFC 4592 §2.2.2), under its key. A zone is indexed at its first question, so that a change costs nothing
// before. If several hosted zones have the same name, a private one answers, as it does in its VPCs; if all are public,
// the one to which the zone above delegates, or the first in the list if there is no zone above.
import { keyOfRoute53Name, parentKey } from './octet-name.ts';

/** The content of a routing policy: text, or elements by name. */
export type RoutingValueView = string | { readonly [element: string]: RoutingValueView };

/** One record set of a hosted zone, in Route 53's own spelling (octal escapes). */
export type RecordSetView = {
  readonly name: string;
  readonly type: string;
  readonly setIdentifier: string | null;
  /** Seconds; null for an alias. */
  readonly ttl: number | null;
  readonly values: readonly string[];
  readonly alias: {
    readonly hostedZoneId: string;
    readonly dnsName: string;
    readonly evaluateTargetHealth: boolean;
  } | null;
  /** The routing policy in Route 53's words; null or absent for a simple record set. */
  readonly routing?: { readonly policy: string; readonly value: RoutingValueView } | null;
  /** Its health check; none if null or absent. */
  readonly healthCheckId?: string | null;
};

/** The data of a hosted zone that the server needs. */
export type HostedZoneView = {
  readonly id: string;
  readonly name: string;
  readonly isPrivate?: boolean;
  readonly recordSets: readonly RecordSetView[];
};

/** The record sets of one name by type; empty for an empty non-terminal. */
export type NameNode = ReadonlyMap<string, readonly RecordSetView[]>;

export type IndexedZone = {
  /** A key (octet-name.ts), as are those of `nodes`. */
  readonly name: string;
  readonly isPrivate: boolean;
  readonly nodes: () => ReadonlyMap<string, NameNode>;
};

export type ZoneIndex = {
  /** All zones of a name, private ones first. */
  readonly byName: ReadonlyMap<string, readonly IndexedZone[]>;
  readonly byId: ReadonlyMap<string, IndexedZone>;
  /** The ids of the health checks that fail. */
  readonly failing: ReadonlySet<string>;
};

/** Indexes hosted zones. The names of each are indexed at its first question. `failing`: ids of health checks. */
export function buildZoneIndex(zones: readonly HostedZoneView[], failing: ReadonlySet<string> = new Set()): ZoneIndex {
  const byName = new Map<string, readonly IndexedZone[]>();
  const byId = new Map<string, IndexedZone>();
  for (const view of zones) {
    const name = keyOfRoute53Name(view.name);
    const isPrivate = view.isPrivate === true;
    let nodes: ReadonlyMap<string, NameNode> | null = null;
    const zone: IndexedZone = {
      name,
      isPrivate,
      nodes: () => {
        nodes ??= indexNames(name, view.recordSets);
        return nodes;
      },
    };
    byId.set(bareId(view.id), zone);
    const others = byName.get(name) ?? [];
    byName.set(name, isPrivate && others[0]?.isPrivate === false ? [zone, ...others] : [...others, zone]);
  }
  return { byName, byId, failing };
}

/** `/hostedzone/Z1` and `Z1` are one id. */
export function bareId(id: string): string {
  return id.slice(id.lastIndexOf('/') + 1);
}

/**
 * The zone with the longest name at or above `key`, or null if none is served. A public zone is skipped unless the zone
 * above it delegates its name to it, because resolvers never reach it.
 */
export function zoneAtOrAbove(index: ZoneIndex, key: string | null): IndexedZone | null {
  for (let at = key; at !== null; at = parentKey(at)) {
    const zones = index.byName.get(at);
    if (zones?.[0] === undefined) continue;
    const above = zones[0].isPrivate ? null : zoneAtOrAbove(index, parentKey(at));
    return above === null ? zones[0] : (zones.find((zone) => delegatesTo(above, zone)) ?? above);
  }
  return null;
}

/** True if one of the zone's own name servers is in its delegation. Nobody looks for one in a private zone. */
function delegatesTo(above: IndexedZone, zone: IndexedZone): boolean {
  if (above.isPrivate) return true;
  const own = new Set(nameServersAt(zone, zone.name));
  return nameServersAt(above, zone.name).some((nameServer) => own.has(nameServer));
}

function nameServersAt(zone: IndexedZone, key: string): readonly string[] {
  const sets = zone.nodes().get(key)?.get('NS') ?? [];
  return sets.flatMap(({ values }) => values.map(keyOfRoute53Name));
}

function indexNames(apex: string, recordSets: readonly RecordSetView[]): ReadonlyMap<string, NameNode> {
  const nodes = new Map<string, Map<string, RecordSetView[]>>([[apex, new Map()]]);
  for (const recordSet of recordSets) {
    const key = keyOfRoute53Name(recordSet.name);
    const node = nodes.get(key) ?? addName(nodes, key, apex);
    const same = node.get(recordSet.type);
    if (same === undefined) node.set(recordSet.type, [recordSet]);
    else same.push(recordSet);
  }
  return nodes;
}

function addName(nodes: Map<string, Map<string, RecordSetView[]>>, key: string, apex: string) {
  const node = new Map<string, RecordSetView[]>();
  nodes.set(key, node);
  for (let up = parentKey(key); up !== null && up !== apex && !nodes.has(up); up = parentKey(up)) {
    nodes.set(up, new Map());
  }
  return node;
}
