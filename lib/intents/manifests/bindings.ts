// Binds services to DNS Update Records, with the addresses to publish. A service uses the records on the list of its
// logical cloud, and those on the lists of the clusters that it runs in:
//
//   on the list of               addresses
//   the logical cloud            the public ones, of all of its clusters
//   a cluster                    that cluster's own; of several such clusters, all of theirs
//   both                         the public ones

import { compareText } from '../../dns/names/compare-text.ts';
import { canonicalAddress, isIp, isPrivate } from '../model/app.ts';
import type { DnsUpdateRecord } from '../model/record.ts';
import type { LiveService, Project } from './project.ts';

/** Why a record does not publish a service, or only a part of its addresses. */
type Trouble = { readonly state: 'Pending' | 'Error'; readonly reason: string };

/** One service published by one record. */
export type Binding = LiveService & {
  readonly record: string;
  /** Null: there is no such record. */
  readonly definition: DnsUpdateRecord | null;
  /** The addresses to publish; empty if there are none. */
  readonly targets: Targets;
  readonly trouble: Trouble | null;
};

export type Targets = {
  readonly ipv4: readonly string[];
  readonly ipv6: readonly string[];
  readonly host: string | null;
};

export const NO_TARGETS: Targets = { ipv4: [], ipv6: [], host: null };

/** The bindings of one service, ordered by record. */
export function bindingsOf(project: Project, live: LiveService): readonly Binding[] {
  const { service, app } = live;
  const ofCloud = new Set(project.recordsOfCloud(app.logicalCloud));
  const inCloud = [...ofCloud].map((record) => ({
    record,
    addresses: service.clusters.flatMap(({ publicAddresses = [] }) => publicAddresses),
  }));
  const inClusters = service.clusters.flatMap(({ provider, cluster, clusterAddresses = [] }) => {
    const records = project.recordsOfCluster(provider, cluster).filter((record) => !ofCloud.has(record));
    return records.map((record) => ({ record, addresses: clusterAddresses }));
  });
  return [...Map.groupBy([...inCloud, ...inClusters], ({ record }) => record)]
    .sort(([a], [b]) => compareText(a, b))
    .map(([record, found]) => {
      const addresses = new Set(found.flatMap(({ addresses }) => addresses.map(canonicalAddress)));
      return bind(project, live, record, [...addresses].sort());
    });
}

function bind(project: Project, live: LiveService, record: string, addresses: readonly string[]): Binding {
  const definition = project.record(record);
  const none = (state: Trouble['state'], reason: string): Binding => ({
    ...live,
    record,
    definition,
    targets: NO_TARGETS,
    trouble: { state, reason },
  });
  if (definition === null)
    return none(
      'Error',
      `project ${project.name} has no DNS Update Record "${record}": create it, or remove it from the list`,
    );
  if (addresses.length === 0)
    return none('Pending', 'the service has no address yet: instantiate the app again once it has one');
  const refused = goesToPublicZone(project, live, definition) ? addresses.filter(isPrivate) : [];
  const allowed = addresses.filter((address) => !refused.includes(address));
  const privacy: Trouble | null =
    refused.length === 0
      ? null
      : {
          state: 'Error',
          reason: `private addresses do not go into a public hosted zone: ${refused.join(', ')} ${refused.length === 1 ? 'is' : 'are'} left out`,
        };
  const hosts = allowed.filter((address) => !isIp(address));
  if (hosts.length > 1) return none('Error', `a name can have one host name as its target, not ${hosts.join(' and ')}`);
  if (hosts.length === 1 && allowed.length > 1)
    return none('Error', `a name has either addresses or a host name: ${allowed.join(', ')}`);
  return { ...live, record, definition, targets: targetsOf(allowed), trouble: privacy };
}

function targetsOf(addresses: readonly string[]): Targets {
  const ips = addresses.filter(isIp);
  return {
    ipv4: ips.filter((address) => !address.includes(':')),
    ipv6: ips.filter((address) => address.includes(':')),
    host: addresses.find((address) => !isIp(address)) ?? null,
  };
}

/** True if anybody can query the record's zone. A hosted zone that is not known yet counts as public. */
function goesToPublicZone(project: Project, { service }: LiveService, { provider, parameters }: DnsUpdateRecord) {
  if (provider === 'aws') return parameters['aws-zone-type'] !== 'private' && !project.isPrivate(service.dnsName);
  if (provider === 'aws-sd') return parameters['aws-zone-type'] !== 'private';
  return provider === 'azure' || provider === 'azure-dns';
}

export function isEmpty({ ipv4, ipv6, host }: Targets): boolean {
  return ipv4.length + ipv6.length === 0 && host === null;
}
