// Which endpoints of one name are accepted: each, oldest first, is compared with those accepted before it.
//
//   CNAME               | excludes other types (RFC 1034 §3.6.2), and cannot be at an apex
//   one name and type   | the oldest decides: one simple record set, or routed ones of one policy
//   one set identifier  | one policy value and one health check
//   one record set      | values merge; a CNAME has one value, and an alias merges only with an equal one
//   PTR of a cluster IP | belongs to its Service alone, even if another endpoint is older
//   routed record sets  | one PRIMARY, one SECONDARY; no geolocation, region or CIDR location twice
import { compareText } from '../dns/names/compare-text.ts';
import { excludes, type RoutingPolicy, routingFields, sameRouting } from '../dns/routing-policy.ts';
import type { AcceptedReason, Verdict } from '../objects/conditions.ts';
import type { EndpointRouting } from '../objects/endpoint.ts';
import { compareAge, formatRef, type ZoneKey } from '../objects/object-ref.ts';
import { sameJson } from '../objects/same-json.ts';
import type { AdoptedEndpoint } from './adopt-endpoint.ts';
import type { PlacedZone } from './place-zones.ts';
import { isWithinGroup } from './zone-cuts.ts';

const CNAME_ALONE =
  'a CNAME allows no other record at its name (RFC 1034 §3.6.2); remove one of the two, or give one another name';

/** Oldest first. Endpoints of one object are sorted by content, values before aliases. */
export function compareAdopted(a: AdoptedEndpoint, b: AdoptedEndpoint): number {
  return (
    compareAge(a.age, b.age) ||
    compareText(formatRef(a.ref), formatRef(b.ref)) ||
    compareText(a.type, b.type) ||
    Number(a.alias !== undefined) - Number(b.alias !== undefined) ||
    compareText(a.values.join('\n'), b.values.join('\n')) ||
    compareText(saidOf(a), saidOf(b))
  );
}

function saidOf({ alias, routing }: AdoptedEndpoint): string {
  const { target, hostedZoneId, evaluateTargetHealth } = alias ?? {};
  const route = routing === undefined ? null : [routingFields(routing.policy), routing.healthCheckId];
  return JSON.stringify([routing?.setIdentifier, route, target, hostedZoneId, evaluateTargetHealth]);
}

/** Why an endpoint conflicts with those accepted in the same piece of the DNS tree; null if it does not. */
export function conflictOf(
  name: string,
  places: ReadonlyMap<ZoneKey, PlacedZone>,
  place: PlacedZone,
  endpoint: AdoptedEndpoint,
  accepted: readonly AdoptedEndpoint[],
): Verdict<AcceptedReason> | null {
  if (endpoint.class !== 'IN') return null;
  // The apex of any Zone of this tree counts, also of a sub-zone, with or without a cut; not that of an unrelated root.
  const apex = [...places.values()].find((zone) => zone.live.fqdn === name && isWithinGroup(places, zone, place.group));
  if (endpoint.type === 'CNAME' && apex !== undefined) {
    return {
      reason: 'Conflict',
      message: `a CNAME cannot be at the apex of Zone ${apex.live.key} (${name}), because SOA and NS are there (RFC 1912 §2.4): use A and AAAA, or an alias to the name of an AWS service or a name in the same hosted zone`,
    };
  }
  for (const rival of accepted) {
    const rule = rival.class === 'IN' ? brokenRule(endpoint, rival) : null;
    if (rule === null) continue;
    const said = [rival.type, contentOf(rival), ...(rival.routing === undefined ? [] : [routeOf(rival.routing)])];
    const asked = `${name} ${said.join(' ')}`;
    const isOwn = formatRef(rival.ref) === formatRef(endpoint.ref);
    const who = isOwn ? `it asks for ${asked} too` : `${formatRef(rival.ref)} has ${asked} already and is older`;
    return { reason: 'Conflict', message: `${who}: ${rule}` };
  }
  return null;
}

/** Why a PTR that no Service asks for conflicts with the one of a cluster IP; null if it does not. */
export function conflictWithClusterIp(
  { type, fqdn, class: recordClass, reverse }: AdoptedEndpoint,
  ofClusterIp: AdoptedEndpoint | undefined,
): Verdict<AcceptedReason> | null {
  if (ofClusterIp === undefined || type !== 'PTR' || recordClass !== 'IN' || reverse !== undefined) return null;
  return {
    reason: 'Conflict',
    message: `${fqdn} is the name of the cluster IP of ${formatRef(ofClusterIp.ref)}: only that Service can have its PTR; choose another name`,
  };
}

/** The rule that an endpoint breaks beside an older one, in words; null: none. */
function brokenRule(endpoint: AdoptedEndpoint, rival: AdoptedEndpoint): string | null {
  if (endpoint.type !== rival.type) {
    const tolerant = endpoint.type !== 'CNAME' && rival.type !== 'CNAME';
    return tolerant ? null : CNAME_ALONE;
  }
  const [own, other] = [endpoint.routing, rival.routing];
  if (own === undefined && other === undefined) return brokenMerge(endpoint, rival);
  if (own?.policy.kind !== other?.policy.kind) {
    return `all record sets of one name and type have the same routing policy: ${wordOf(other)}, not ${wordOf(own)}`;
  }
  if (own === undefined || other === undefined) return null;
  if (own.setIdentifier !== other.setIdentifier) return repeatedRoute(own.policy, other.policy);
  if (!sameRouting(own, other)) {
    return `the set identifier "${own.setIdentifier}" belongs to one record set: use the same routing, or another set identifier`;
  }
  return brokenMerge(endpoint, rival);
}

/** The same for two endpoints of one record set. */
function brokenMerge(endpoint: AdoptedEndpoint, rival: AdoptedEndpoint): string | null {
  if (endpoint.alias !== undefined || rival.alias !== undefined) {
    return sameJson(endpoint.alias, rival.alias) ? null : 'an alias can only be merged with an identical alias';
  }
  if (endpoint.type !== 'CNAME' || endpoint.values[0] === rival.values[0]) return null;
  return endpoint.routing === undefined ? CNAME_ALONE : 'a CNAME has one value';
}

/** The rule about routing values that only one record set of a name and type may have; null: it is not broken. */
function repeatedRoute(own: RoutingPolicy, other: RoutingPolicy): string | null {
  if (!excludes({ policy: own, healthCheckId: null }, { policy: other, healthCheckId: null })) return null;
  switch (own.kind) {
    case 'failover':
      return `there can be only one ${own.failover}`;
    case 'geolocation':
    case 'region':
    case 'cidr':
      return `each ${own.kind === 'cidr' ? 'CIDR location' : own.kind} can be used only once`;
    case 'weight':
    case 'geoproximity':
    case 'multivalue':
      return null;
    default:
      return own satisfies never;
  }
}

function wordOf(routing: EndpointRouting | undefined): string {
  return routing === undefined ? 'simple' : routing.policy.kind;
}

function contentOf({ values, alias }: AdoptedEndpoint): string {
  return alias === undefined ? values.join(', ') : `ALIAS ${alias.target}`;
}

function routeOf({ setIdentifier, policy, healthCheckId }: EndpointRouting): string {
  const check = healthCheckId === null ? '' : `, health check ${healthCheckId}`;
  const [key, value] = Object.entries(routingFields(policy))[0] ?? [];
  return `("${setIdentifier}", ${key} ${typeof value === 'object' ? JSON.stringify(value) : String(value)}${check})`;
}
