// Which endpoints of one name are accepted: each, oldest first, is compared with those accepted before it.
//
//   namespace           | types that go together (typeGroup()) are of one, unless all their delegations say `shared`
//   CNAME               | excludes other types (RFC 1034 §3.6.2), and cannot be at an apex
//   one name and type   | the oldest decides: one simple record set, or routed ones of one policy
//   one set identifier  | one policy value and one health check
//   one record set      | values merge; a CNAME has one value, and an alias merges only with an equal one
//   PTR of a cluster IP | belongs to its Service alone, even if another endpoint is older
//   routed record sets  | one PRIMARY, one SECONDARY; no geolocation, region or CIDR location twice
import { typesExclude } from '../dns/record-set.ts';
import { typeGroup } from '../dns/record-type.ts';
import { excludes, type RoutingPolicy, routingFields, sameRouting } from '../dns/routing-policy.ts';
import type { AcceptedReason, Verdict } from '../objects/conditions.ts';
import type { EndpointRouting } from '../objects/endpoint.ts';
import { formatRef, type ZoneKey } from '../objects/object-ref.ts';
import { sameJson } from '../objects/same-json.ts';
import type { AdoptedEndpoint } from './adopt-endpoint.ts';
import type { PlacedZone } from './place-zones.ts';
import { compareAdopted, isOfAnother, type NameHistory, seniority } from './seniority.ts';
import { isWithinGroup } from './zone-cuts.ts';

const CNAME_ALONE =
  'a CNAME allows no other record at its name (RFC 1034 §3.6.2); remove one of the two, or give one another name';

/** Why an endpoint conflicts with those accepted in the same piece of the DNS tree; null if it does not. */
export function conflictOf(
  name: string,
  places: ReadonlyMap<ZoneKey, PlacedZone>,
  place: PlacedZone,
  endpoint: AdoptedEndpoint,
  accepted: readonly AdoptedEndpoint[],
  history: NameHistory,
): Verdict<AcceptedReason> | null {
  if (endpoint.class !== 'IN') return null;
  // The apex of any Zone of this tree counts, also of a sub-zone, with or without a cut; not that of an unrelated root.
  const apex = [...places.values()].find(
    (zone) => zone.foreign === undefined && zone.live.fqdn === name && isWithinGroup(places, zone, place.group),
  );
  if (endpoint.type === 'CNAME' && apex !== undefined) {
    return {
      reason: 'Conflict',
      message: `a CNAME cannot be at the apex of Zone ${apex.live.key} (${name}), because SOA and NS are there (RFC 1912 §2.4): use A and AAAA, or an alias to the name of an AWS service or a name in the same hosted zone`,
    };
  }
  const rivals = accepted.filter((other) => other.class === 'IN' && brokenRule(endpoint, other) !== null);
  // Whose record set was saved first must not decide which rival is named: soon those of all are.
  const [rival] = rivals.toSorted(compareAdopted({ ...history, stands: () => false }));
  if (rival === undefined) return null;
  const said = [rival.type, contentOf(rival), ...(rival.routing === undefined ? [] : [routeInWords(rival.routing)])];
  const asked = `${name} ${said.join(' ')}`;
  const isOwn = formatRef(rival.ref) === formatRef(endpoint.ref);
  const who = isOwn
    ? `it asks for ${asked} too`
    : `${formatRef(rival.ref)} has ${asked} already and ${seniority(history, rival, endpoint)}`;
  return { reason: 'Conflict', message: `${who}: ${brokenRule(endpoint, rival)}` };
}

/** True if the name belongs to another namespace that has each value of the endpoint already: it adds none. */
export function standsAlready(endpoint: AdoptedEndpoint, accepted: readonly AdoptedEndpoint[]): boolean {
  if (endpoint.class !== 'IN' || !accepted.some((rival) => isOfAnother(endpoint, rival))) return false;
  const same = accepted.filter((rival) => isOfOneRecordSet(endpoint, rival));
  if (endpoint.alias !== undefined) return same.some(({ alias }) => sameJson(alias, endpoint.alias));
  const standing = new Set(same.flatMap(({ values }) => values));
  return endpoint.values.every((value) => standing.has(value));
}

function isOfOneRecordSet({ type, routing: own }: AdoptedEndpoint, rival: AdoptedEndpoint): boolean {
  const { class: recordClass, routing: other } = rival;
  if (recordClass !== 'IN' || rival.type !== type || own?.setIdentifier !== other?.setIdentifier) return false;
  return own === undefined || other === undefined || sameRouting(own, other);
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
  if (isOfAnother(endpoint, rival)) return ofOneNamespace(endpoint);
  if (endpoint.type !== rival.type) return typesExclude(endpoint.type, rival.type) ? CNAME_ALONE : null;
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

function ofOneNamespace({ type }: AdoptedEndpoint): string {
  const what = typeGroup(type) === 'A' ? 'A, AAAA, CNAME, HTTPS and SVCB of one name are' : `${type} of one name is`;
  return `${what} of one namespace, unless every delegation that allows them says shared: true; choose another name, or have them shared`;
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

function routeInWords({ setIdentifier, policy, healthCheckId }: EndpointRouting): string {
  const check = healthCheckId === null ? '' : `, health check ${healthCheckId}`;
  const [key, value] = Object.entries(routingFields(policy))[0] ?? [];
  return `("${setIdentifier}", ${key} ${typeof value === 'object' ? JSON.stringify(value) : String(value)}${check})`;
}
