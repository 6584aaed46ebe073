// The rules of routing policies, for a routed record set by itself and together with others. All sets of one name and
// type have the same policy; each has its own set identifier, and its own region, location or failover role.
// Messages are from reports in the wild where there are any; the rest are in the same style. Last verified 2026-11-22.
import { GEOPROXIMITY_RECORD_SETS_MAX, ROUTED_RECORD_SETS_MAX } from '../values/limits.ts';
import { CONTINENTS, countryName } from '../values/locations.ts';
import {
  type LocalRecordSet,
  type LocalRouting,
  type RoutingPolicy,
  routingElement,
  routingKey,
} from './record-set.ts';

/** What the rules need to know of the account, besides the hosted zone. */
export type RoutingAccount = {
  readonly isPrivate: boolean;
  /**
   * The location names of a CIDR collection; null if there is no such collection; 'any' if its locations are unknown.
   */
  cidrLocations(collectionId: string): ReadonlySet<string> | null | 'any';
};

const NO_ROUTING_TYPES = ['DS', 'NS', 'SOA'];
const DEFAULT_LOCATION = '*';

/** Policies whose value must differ between two sets of one name and type. */
const DISTINCT: readonly RoutingPolicy[] = ['Region', 'Failover', 'GeoLocation', 'CidrRoutingConfig'];

/** The name of each policy in messages. */
const POLICY_NAMES: Readonly<Record<RoutingPolicy, string>> = {
  Weight: 'weighted',
  Region: 'latency',
  Failover: 'failover',
  GeoLocation: 'GEO',
  MultiValueAnswer: 'multivalue answer',
  CidrRoutingConfig: 'CIDR',
  GeoProximityLocation: 'GEOPROXIMITY',
};

/** The faults in the routing of a record set by itself. */
export function ownRoutingProblems(account: RoutingAccount, recordSet: LocalRecordSet): string[] {
  const { name, type, routing, alias, healthCheckId = null } = recordSet;
  if (routing === null) return [];
  if (NO_ROUTING_TYPES.includes(type))
    return [`RRSet of type ${type} with DNS name ${name} cannot have a routing policy`];
  switch (routing.policy) {
    case 'MultiValueAnswer':
      if (alias !== null) return ['Multivalue answer rrset should not be an alias rrset'];
      if (type === 'CNAME') return [`RRSet of type ${type} with DNS name ${name} cannot be a multivalue answer rrset`];
      return [];
    case 'Failover':
      if (alias === null && routing.value === 'PRIMARY' && healthCheckId === null)
        return ['A non-alias primary ResourceRecordSet must have an associated health check.'];
      return [];
    case 'CidrRoutingConfig':
      return cidrProblems(account, recordSet, routing);
    default:
      return [];
  }
}

function cidrProblems(account: RoutingAccount, recordSet: LocalRecordSet, routing: LocalRouting): string[] {
  const head = `${headOf(recordSet)} cannot be created because`;
  if (account.isPrivate) return [`${head} a private hosted zone does not support CIDR routing.`];
  const collection = routingElement(routing.value, 'CollectionId') ?? '';
  const location = routingElement(routing.value, 'LocationName') ?? '';
  const locations = account.cidrLocations(collection);
  if (locations === 'any') return [];
  if (locations === null) return [`${head} the CIDR collection ${collection} does not exist.`];
  if (location === DEFAULT_LOCATION || locations.has(location)) return [];
  return [`${head} the CIDR collection ${collection} has no location ${location}.`];
}

/** The faults of a record set together with the others of its name and type. */
export function besideProblems(same: readonly LocalRecordSet[], recordSet: LocalRecordSet): string[] {
  if (same.length === 0) return [];
  const { name, type, routing, setIdentifier } = recordSet;
  if (routing === null) {
    return [
      `RRSet with DNS name ${name}, type ${type} cannot be created as other RRSets exist with the same name and type.`,
    ];
  }
  if (same.some((other) => other.routing?.policy !== routing.policy)) return [otherPolicy(recordSet, routing)];
  const key = routingKey(routing);
  if (DISTINCT.includes(routing.policy) && same.some((other) => routingKey(other.routing) === key)) {
    return [sameValue(recordSet, routing)];
  }
  const ttls = new Set([...same, recordSet].flatMap(({ ttl }) => (ttl === null ? [] : [ttl])));
  if (routing.policy === 'Weight' && ttls.size > 1) {
    const head = `RRSet with DNS name ${name} and type ${type}, SetIdentifier ${setIdentifier}`;
    return [`${head} cannot be created as weighted sets must contain the same TTL.`];
  }
  if (routing.policy === 'CidrRoutingConfig' && new Set([...same, recordSet].map(collectionOf)).size > 1) {
    return [
      `${headOf(recordSet)} cannot be created because a CIDR RRSet with the same name and type uses another collection.`,
    ];
  }
  const most = routing.policy === 'GeoProximityLocation' ? GEOPROXIMITY_RECORD_SETS_MAX : ROUTED_RECORD_SETS_MAX;
  if (same.length < most) return [];
  return [
    `${headOf(recordSet)} cannot be created as it exceeds the limit of ${most} sets with the same name and type.`,
  ];
}

function otherPolicy(recordSet: LocalRecordSet, { policy, value }: LocalRouting): string {
  const head = headOf(recordSet);
  const called = POLICY_NAMES[policy];
  if (policy === 'Weight') {
    return `${head} cannot be created as a non-weighted set exists with the same name and type.`;
  }
  if (policy === 'MultiValueAnswer') {
    return `${head} cannot be created as a non multivalue answer rrset exists with the same name and type.`;
  }
  const where = whereText({ policy, value });
  return `${head}, and ${where} cannot be created because a non-${called} RRSet with the same name and type already exists.`;
}

function sameValue(recordSet: LocalRecordSet, routing: LocalRouting): string {
  const what = { Region: 'region', Failover: 'role' }[routing.policy as string] ?? 'location';
  const twin = `a ${POLICY_NAMES[routing.policy]} RRSet with the same name, type and ${what} already exists.`;
  return `${headOf(recordSet)}, and ${whereText(routing)} cannot be created because ${twin}`;
}

function headOf({ name, type, setIdentifier }: LocalRecordSet): string {
  return `RRSet with DNS name ${name}, type ${type}, SetIdentifier ${setIdentifier}`;
}

function whereText({ policy, value }: LocalRouting): string {
  switch (policy) {
    case 'Region':
      return `Region Name=${value}`;
    case 'GeoLocation':
      return `routing to [${geoText(value)}]`;
    case 'Failover':
      return `Failover Type=${value}`;
    case 'CidrRoutingConfig':
      return `CIDR location [${routingElement(value, 'CollectionId')}, ${routingElement(value, 'LocationName')}]`;
    default:
      return `routing policy ${policy}`;
  }
}

function geoText(value: LocalRouting['value']): string {
  const continent = routingElement(value, 'ContinentCode');
  if (continent !== null) return `continent = (${continent}, ${CONTINENTS[continent] ?? continent})`;
  const country = routingElement(value, 'CountryCode') ?? '';
  const state = routingElement(value, 'SubdivisionCode');
  const text = `country = (${country}, ${countryName(country) ?? country})`;
  return state === null ? text : `${text}, subdivision = ${state}`;
}

function collectionOf({ routing }: LocalRecordSet): string | null {
  return routingElement(routing?.value, 'CollectionId');
}
