// Says in a sentence or two what to do about a name. The first case that applies decides:
//
//   no object asks for it        which Zone covers it, and how to ask; or that it is in the cluster's own DNS
//   no object is accepted        why the first one is not
//   not publishable              why, as its condition says, unless a record set of another object is pending
//   the delete is held           why the guard holds it
//   an object is invalid         what is wrong with it, when nothing is pending
//   changed or deleted by hand   what Route 53 has, when nothing is pending
//   published as wanted          nothing
//   a record set is in the way   whose it is, and how to take it over
//   refused                      the message of Route 53
//   pending                      run apply
import type { PlannedHostedZone } from '../apply/plan-cluster.ts';
import { type ClusterDns, dnsVersionName, isClusterName } from '../zones/cluster-names.ts';
import type { ResolvedZone } from '../zones/resolve-cluster.ts';
import type { Explanation } from './explanation.ts';

type Known = {
  readonly zone: ResolvedZone | null;
  readonly planned: PlannedHostedZone | null;
  readonly wildcard: string | null;
  readonly isUnread: boolean;
  readonly clusterDns: ClusterDns | null;
  /** What somebody changed by hand, in words; null: nothing. */
  readonly drift: string | null;
};

export function adviseOn(of: Omit<Explanation, 'advice'>, known: Known): string {
  const unread = known.isUnread ? 'Route 53 could not be read, so its record sets are not shown. ' : '';
  return `${unread}${advice(of, known)}`;
}

function advice(of: Omit<Explanation, 'advice'>, { zone, planned, wildcard, clusterDns, drift }: Known): string {
  const { name, objects, held, pending, route53 } = of;
  if (objects.length === 0 && held.length === 0 && pending.length === 0) {
    return clusterDns !== null && isClusterName(name, clusterDns.zone)
      ? ofClusterDns(of, zone, clusterDns)
      : whenNobodyAsks(of, zone, wildcard);
  }
  const accepted = objects.filter((object) => object.programmed !== null || object.parent !== null);
  const [refusedObject] = objects;
  if (accepted.length === 0 && refusedObject !== undefined && pending.length === 0 && held.length === 0)
    return whyRefused(refusedObject);
  const unpublished = objects.find(({ programmed }) =>
    ['HostedZoneNotFound', 'HostedElsewhere', 'Occluded', 'UnsupportedType'].includes(programmed?.reason ?? ''),
  );
  const [first] = pending;
  if (unpublished?.programmed != null && !isForOthers(first, unpublished.object))
    return `${unpublished.object} is not published (${unpublished.programmed.reason}): ${unpublished.programmed.message}.`;
  if (held.length > 0) {
    const why = accepted.length === 0 && refusedObject !== undefined ? `${whyRefused(refusedObject)} ` : '';
    const { guard, annotated } = planned?.plan ?? { guard: { reasons: [] }, annotated: [] };
    return `${why}The guard holds its delete. ${[...guard.reasons, ...annotated].join(' ')}`;
  }
  const invalid = objects.find((object) => object.accepted.reason === 'InvalidSpec');
  if (first === undefined && invalid !== undefined) return whyRefused(invalid);
  if (first === undefined && drift !== null) return drift;
  if (first === undefined)
    return route53.length > 0 ? 'Nothing to do: Route 53 has what is desired.' : `Nothing to do for ${name}`;
  if (first.standing === 'foreign' || first.standing === 'equal' || first.standing === 'external-dns') {
    const how = first.action === 'create' ? '' : ' Run zone53 apply.';
    return `${first.message}${how}`;
  }
  if (first.message !== '') return first.message;
  const verb = { create: 'created', update: 'updated', delete: 'deleted', adopt: 'adopted' }[first.action];
  return `${first.type} ${name} is to be ${verb}: run zone53 apply, or wait for the pipeline to publish it.`;
}

/** True for a change, other than a delete, that the object did not ask for. */
function isForOthers(change: Explanation['pending'][number] | undefined, object: string): boolean {
  return change !== undefined && change.action !== 'delete' && !change.objects.includes(object);
}

function whyRefused({ object, accepted }: Explanation['objects'][number]): string {
  return `${object} is not accepted (${accepted.reason}): ${accepted.message}.`;
}

/** The advice for a name of the cluster's own DNS that nobody asks for. Only serviceDiscovery may publish it. */
function ofClusterDns(
  { name, route53 }: Omit<Explanation, 'advice'>,
  zone: ResolvedZone | null,
  clusterDns: ClusterDns,
): string {
  if (zone?.live?.fqdn !== clusterDns.zone) {
    return `${name} belongs to the DNS of the cluster, and there is no live Zone with exactly the name ${clusterDns.zone}, the value of sources.serviceDiscovery.zone in the configuration: declare it.`;
  }
  if (name === dnsVersionName(clusterDns)) {
    return route53.some(({ owner }) => owner === 'zone53')
      ? 'Nothing to do: the source serviceDiscovery publishes it with its Zone.'
      : `The source serviceDiscovery publishes the TXT of ${name} with Zone ${zone.key}: see whether that Zone is published.`;
  }
  return `${name} belongs to the DNS of the cluster, which the source serviceDiscovery publishes, and no Service or Pod that it reads has this name now.`;
}

function whenNobodyAsks(
  { name, type, route53 }: Omit<Explanation, 'advice'>,
  zone: ResolvedZone | null,
  wildcard: string | null,
): string {
  const what = type === null ? name : `${name} ${type}`;
  const foreign = route53.some(({ owner }) => owner !== 'zone53');
  const stands = foreign
    ? ' Route 53 has record sets there that zone53 did not create; whoever created them manages them.'
    : '';
  if (wildcard !== null) return `No object asks for ${what} itself; ${wildcard} answers for it.${stands}`;
  if (zone === null)
    return `No object asks for ${what}, and no live Zone covers it: create a Zone for it or for a name above, then a Record.${stands}`;
  if (name.includes('\\'))
    return `No object can ask for ${what}: it has characters that no name of an object may have.${stands}`;
  // In YAML, a value that begins with a star is an alias, so it needs quotes.
  const domainName = name.startsWith('*') ? `"${name}"` : name;
  return `No object asks for ${what}: create a Record with domainName: ${domainName} in a namespace to which Zone ${zone.key} delegates it.${stands}`;
}
