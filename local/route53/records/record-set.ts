// A record set as the local Route 53 stores it, in plain JSON: names as Route 53 returns them
// (local/route53/values/domain-name.ts), values and routing as they were sent. A record set is unique by name, type and
// set identifier; `values` is empty for an alias.
import { compareAscii } from '../values/domain-name.ts';

export type LocalAlias = {
  readonly hostedZoneId: string;
  readonly dnsName: string;
  readonly evaluateTargetHealth: boolean;
};

/** A scalar or nested element of a routing policy, as on the wire: '10', or { ContinentCode: 'EU' }. */
export type RoutingValue = string | { readonly [element: string]: RoutingValue };

export type LocalRouting = { readonly policy: RoutingPolicy; readonly value: RoutingValue };

export type LocalRecordSet = {
  readonly name: string;
  readonly type: string;
  readonly setIdentifier: string | null;
  /** Seconds; null for an alias. */
  readonly ttl: number | null;
  readonly values: readonly string[];
  readonly alias: LocalAlias | null;
  readonly routing: LocalRouting | null;
  /** None where absent or null. */
  readonly healthCheckId?: string | null;
};

/** The elements of routing policies. A record set with a SetIdentifier has exactly one of them. */
export const ROUTING_POLICIES = [
  'Weight',
  'Region',
  'Failover',
  'GeoLocation',
  'MultiValueAnswer',
  'CidrRoutingConfig',
  'GeoProximityLocation',
] as const;

export type RoutingPolicy = (typeof ROUTING_POLICIES)[number];

/** What makes a record set unique at its name. */
export function recordSetKey(recordSet: { readonly type: string; readonly setIdentifier: string | null }): string {
  return `${recordSet.type} ${recordSet.setIdentifier ?? ''}`;
}

/** Route 53's order at one name: type, then set identifier. */
export function compareAtName(a: LocalRecordSet, b: LocalRecordSet): number {
  return compareAscii(a.type, b.type) || compareAscii(a.setIdentifier ?? '', b.setIdentifier ?? '');
}

/** The element of a routing value at a path of names; null where there is none. */
export function routingElement(value: RoutingValue | undefined, ...path: readonly string[]): string | null {
  const [name, ...rest] = path;
  if (value === undefined) return null;
  if (name === undefined) return typeof value === 'string' ? value : null;
  return typeof value === 'string' ? null : routingElement(value[name], ...rest);
}

/** The same text for routing that means the same: elements in order, numbers as numbers, a bias of 0 left out. */
export function routingKey(routing: LocalRouting | null): string {
  return routing === null ? '' : `${routing.policy} ${valueKey(routing.value)}`;
}

function valueKey(value: RoutingValue): string {
  if (typeof value === 'string') return /^-?\d+(?:\.\d+)?$/.test(value) ? String(Number(value)) : value;
  const elements = Object.entries(value).map(([name, inside]) => [name, valueKey(inside)] as const);
  const said = elements.filter(([name, inside]) => name !== 'Bias' || inside !== '0');
  return JSON.stringify(said.sort(([a], [b]) => compareAscii(a, b)));
}

/**
 * True when a DELETE of `given` matches `stored`: same TTL and values (as a set) or same alias, same routing, same
 * health check.
 */
export function matchesStored(given: LocalRecordSet, stored: LocalRecordSet): boolean {
  if (routingKey(given.routing) !== routingKey(stored.routing)) return false;
  if ((given.healthCheckId ?? null) !== (stored.healthCheckId ?? null)) return false;
  if (given.alias !== null || stored.alias !== null) {
    return (
      given.alias !== null &&
      stored.alias !== null &&
      given.alias.hostedZoneId === stored.alias.hostedZoneId &&
      given.alias.dnsName === stored.alias.dnsName &&
      given.alias.evaluateTargetHealth === stored.alias.evaluateTargetHealth
    );
  }
  if (given.ttl !== stored.ttl || given.values.length !== stored.values.length) return false;
  const values = new Set(stored.values);
  return given.values.every((value) => values.has(value));
}
