// Names of a cluster's own DNS (the source serviceDiscovery). Only that source may publish them, whatever Zones
// delegate, and even while their Zone is not live. No other object can have such a name, and no Zone can begin there.
import { isAtOrBelow } from '../dns/names/name.ts';
import type { AcceptedReason, Verdict } from '../objects/conditions.ts';
import type { Endpoint } from '../objects/endpoint.ts';

/** The DNS of the cluster: the name of its Zone, and the TTL of its names in seconds. */
export type ClusterDns = { readonly zone: string; readonly ttlSeconds: number };

/** The version of the Kubernetes DNS specification whose names are published. */
export const SCHEMA_VERSION = '1.1.0';

const SUBTREES = ['svc', 'pod', 'dns-version'];

/** True for `svc.<zone>`, `pod.<zone>`, `dns-version.<zone>`, names below them, and `*.<zone>`. All are canonical. */
export function isClusterName(fqdn: string, zone: string): boolean {
  return fqdn === `*.${zone}` || SUBTREES.some((label) => isAtOrBelow(fqdn, `${label}.${zone}`));
}

/** The verdict on another object that asks for such a name. */
export function reservedName(fqdn: string, zone: string): Verdict<AcceptedReason> {
  return {
    reason: 'DelegationDenied',
    message: `${fqdn} belongs to the DNS of the cluster: sources.serviceDiscovery of the configuration publishes svc, pod, dns-version and * below ${zone}; choose another name`,
  };
}

/** How many of these endpoints are PTRs of addresses. */
export function countReversed(endpoints: readonly Endpoint[]): number {
  return endpoints.filter(({ reverse }) => reverse !== undefined).length;
}

/** The name that an endpoint of a cluster's own DNS asks for; null for any other endpoint. */
export function clusterNameOf({ clusterZone, domainName }: Endpoint): string | null {
  return clusterZone === undefined || domainName.kind !== 'full' ? null : domainName.fqdn;
}

/** The names of the PTRs that Services ask for as cluster IPs, whether or not a Zone adopts them. */
export function clusterIpNames(endpoints: readonly Endpoint[]): ReadonlySet<string> {
  return new Set(endpoints.flatMap((one) => (one.reverse === 'clusterIP' ? (clusterNameOf(one) ?? []) : [])));
}

/** Leaves out PTRs of other objects at names of cluster IPs, because anybody may write an EndpointSlice. */
export function withoutOverridden<One extends { readonly fqdn: string; readonly reverse?: Endpoint['reverse'] }>(
  adopted: readonly One[],
  clusterIps: ReadonlySet<string>,
): readonly One[] {
  return adopted.filter(({ fqdn, reverse }) => reverse !== 'endpoint' || !clusterIps.has(fqdn));
}

/** The log message about PTRs that were left out. */
export function leftOutMessage(count: number): string {
  return `${count} PTR record${count === 1 ? ' is' : 's are'} left out: no live Zone covers the name below in-addr.arpa. or ip6.arpa. and delegates the PTR to the Service's namespace; declare one, or set sources.serviceDiscovery.reverse to false`;
}

/** The name whose TXT has the version of the specification. */
export function dnsVersionName({ zone }: ClusterDns): string {
  return `dns-version.${zone}`;
}
