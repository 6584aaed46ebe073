// What the local Route 53 keeps of a record set, in plain JSON: names as Route 53 returns them (local/route53/values/domain-name.ts), values
// as they were sent. A record set is unique by name, type and set identifier; `values` is empty for an alias.
import { compareAscii } from '../values/domain-name.ts';

export type LocalAlias = {
  readonly hostedZoneId: string;
  readonly dnsName: string;
  readonly evaluateTargetHealth: boolean;
};

/** A scalar or nested element of a routing policy, as on the wire: '10', or { ContinentCode: 'EU' }. */
export type RoutingValue = string | { readonly [element: string]: RoutingValue };

export type LocalRouting = { readonly policy: string; readonly value: RoutingValue };

export type LocalRecordSet = {
  readonly name: string;
  readonly type: string;
  readonly setIdentifier: string | null;
  /** Seconds; null for an alias. */
  readonly ttl: number | null;
  readonly values: readonly string[];
  readonly alias: LocalAlias | null;
  readonly routing: LocalRouting | null;
};

/** The elements that make a record set more than simple; exactly one goes with a SetIdentifier. */
export const ROUTING_POLICIES: readonly string[] = [
  'Weight',
  'Region',
  'GeoLocation',
  'Failover',
  'MultiValueAnswer',
  'CidrRoutingConfig',
  'GeoProximityLocation',
];

/** What makes a record set unique at its name. */
export function recordSetKey(recordSet: { readonly type: string; readonly setIdentifier: string | null }): string {
  return `${recordSet.type} ${recordSet.setIdentifier ?? ''}`;
}

/** Route 53's order at one name: type, then set identifier. */
export function compareAtName(a: LocalRecordSet, b: LocalRecordSet): number {
  return compareAscii(a.type, b.type) || compareAscii(a.setIdentifier ?? '', b.setIdentifier ?? '');
}

/** True when a DELETE of `given` meets `stored`: same TTL and values (as a set), or same alias. Routing may be left out. */
export function matchesStored(given: LocalRecordSet, stored: LocalRecordSet): boolean {
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
