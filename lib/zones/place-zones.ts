// Where each live Zone publishes, and where a zone cut is:
//
//   has a hosted zone | declares NS at its apex | publishes into             | cut below its parent
//   ------------------|-------------------------|----------------------------|---------------------
//   yes               | either                  | its own                    | yes
//   no                | yes, and has a parent   | elsewhere, nothing by us   | yes
//   no                | no, and has a parent    | wherever its parent does   | no
//   no                | root                    | nowhere: HostedZoneNotFound| -
//   may not be read   | either                  | nowhere: HostedZoneNotFound| yes
//
// A hosted zone makes no cut while another cluster owns names at or below it. Hosted zones of other clusters make cuts,
// too (foreign-cuts.ts).
//
// In and under a private hosted zone there is no cut: resolvers do not follow delegations there, so none is published
// into it or for it, and name servers that a Zone declares there lead nowhere.

import type { ZoneKey } from '../objects/object-ref.ts';
import type { LiveZone } from './delegation.ts';
import { ALONE, cutsByZone, type Fleet, type ForeignCut } from './foreign-cuts.ts';

/** One name server of a Zone, with the objects that declare it; `ttl` in seconds. */
export type NameServer = { readonly rdata: string; readonly ttl: number; readonly objects: readonly string[] };

/** A hosted zone that may serve a Zone. `nameServers` is empty if they are not known. */
export type Hosting = {
  readonly id: string;
  readonly nameServers: readonly string[];
  /** zone53 created it. */
  readonly made: boolean;
  /** Its SOA gets the Zone's timers. Otherwise zone53 leaves the SOA alone. */
  readonly soa: boolean;
  /** It answers inside of VPCs only. */
  readonly isPrivate?: true;
  /** The account of the configuration that has it. Absent: the stack's own. */
  readonly account?: string;
  /** Why it could not be read, so it is not known whether it is the right one; or why there is none to use. */
  readonly unreadable?: string;
  /** Why the Zone still has it: the one that the configuration names cannot be used. */
  readonly keptBecause?: string;
};

/** Where entries are published. `zone` and `fqdn` are those of the Zone that decides it. */
export type Target =
  | {
      readonly kind: 'hosted';
      readonly hostedZoneId: string;
      readonly isPrivate?: true;
      readonly zone: ZoneKey;
      readonly fqdn: string;
    }
  | { readonly kind: 'elsewhere'; readonly zone: ZoneKey; readonly fqdn: string }
  | { readonly kind: 'none'; readonly zone: ZoneKey; readonly fqdn: string; readonly reason?: string };

/** A live Zone with its place. The Zones of one `group` share a contiguous piece of the DNS tree without a cut. */
export type PlacedZone = {
  readonly live: LiveZone;
  /** The name servers that it declares at its apex; if it declares none, those of its hosted zone. */
  readonly nameServers: readonly NameServer[];
  /** Its own hosted zone; null if it has none. */
  readonly hosting: Hosting | null;
  readonly cut: boolean;
  readonly group: ZoneKey;
  readonly target: Target;
  /** The cluster that owns names at or below its hosted zone, which makes no cut until then. */
  readonly ownedBelow?: string;
  /** The cuts of other clusters of which it is the Zone above. */
  readonly cuts?: readonly ForeignCut[];
  /** It is such a cut. */
  readonly foreign?: ForeignCut;
};

/** Places live Zones, parents first. `declared`: the NS at each Zone's apex; `hostings`: hosted zones by fqdn. */
export function placeZones(
  zones: Iterable<LiveZone>,
  declared: ReadonlyMap<ZoneKey, readonly NameServer[]>,
  hostings: ReadonlyMap<string, Hosting>,
  fleet: Fleet = ALONE,
): ReadonlyMap<ZoneKey, PlacedZone> {
  const placed = new Map<ZoneKey, PlacedZone>();
  const all = [...zones].toSorted((a, b) => a.fqdn.length - b.fqdn.length);
  const cuts = fleet.zones.length === 0 ? new Map() : cutsByZone(all, fleet);
  for (const live of all) {
    const parent = live.parent === null ? null : (placed.get(live.parent) ?? null);
    const place = placeZone(live, parent, declared.get(live.key) ?? [], hostings.get(live.fqdn) ?? null);
    placed.set(live.key, inFleet(place, cuts.get(live.key) ?? [], fleet));
  }
  return placed;
}

/** The Zone with what other clusters have at or below it. */
function inFleet(place: PlacedZone, found: readonly { readonly cut: ForeignCut }[], { ownerBelow }: Fleet): PlacedZone {
  const ownedBelow = place.hosting !== null && place.cut ? ownerBelow.get(place.live.fqdn) : undefined;
  // In and under a private hosted zone there is no cut.
  const cuts = isPrivate(place) ? [] : found.map(({ cut }) => cut);
  if (ownedBelow === undefined && cuts.length === 0) return place;
  const blocked = ownedBelow === undefined ? {} : { cut: false, ownedBelow };
  return { ...place, ...blocked, ...(cuts.length > 0 && { cuts }) };
}

/** Places one live Zone under its parent's place (null for a root). */
function placeZone(
  live: LiveZone,
  parent: PlacedZone | null,
  declared: readonly NameServer[],
  hosting: Hosting | null,
): PlacedZone {
  const own = { zone: live.key, fqdn: live.fqdn };
  const isBelowPrivate = parent !== null && isPrivate(parent);
  if (hosting?.unreadable !== undefined) {
    const target = { kind: 'none', reason: hosting.unreadable, ...own } as const;
    return { live, nameServers: declared, hosting: null, cut: true, group: live.key, target };
  }
  if (hosting !== null) {
    const nameServers = declared.length > 0 ? declared : ownNameServers(live, hosting);
    return {
      live,
      nameServers,
      hosting,
      cut: hosting.isPrivate !== true && !isBelowPrivate,
      group: live.key,
      target: {
        kind: 'hosted',
        hostedZoneId: hosting.id,
        ...(hosting.isPrivate === true ? { isPrivate: true } : {}),
        ...own,
      },
    };
  }
  if (parent === null) {
    return { live, nameServers: declared, hosting, cut: true, group: live.key, target: { kind: 'none', ...own } };
  }
  if (declared.length > 0 && !isBelowPrivate) {
    return { live, nameServers: declared, hosting, cut: true, group: live.key, target: { kind: 'elsewhere', ...own } };
  }
  return { live, nameServers: declared, hosting, cut: false, group: parent.group, target: parent.target };
}

/** The cut as a Zone among those at or above a name. Nothing is published into it. */
export function foreignPlace(above: PlacedZone, cut: ForeignCut): PlacedZone {
  const key = `${cut.zone}@${cut.cluster}`;
  const { live } = above;
  const objects = [`Zone ${live.key}`];
  return {
    live: { key, namespace: live.namespace, fqdn: cut.fqdn, parent: live.key, spec: { ...live.spec, delegations: [] } },
    nameServers: cut.nameServers.map((server) => ({ ...server, objects })),
    hosting: null,
    cut: cut.ownedBy === undefined,
    group: key,
    target: { kind: 'elsewhere', zone: key, fqdn: cut.fqdn },
    foreign: cut,
  };
}

/** True for a Zone whose entries go into a private hosted zone. */
export function isPrivate({ target }: PlacedZone): boolean {
  return target.kind === 'hosted' && target.isPrivate === true;
}

function ownNameServers(live: LiveZone, hosting: Hosting): readonly NameServer[] {
  return hosting.nameServers.map((rdata) => ({ rdata, ttl: live.spec.ttl, objects: [`Zone ${live.key}`] }));
}
