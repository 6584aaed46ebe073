// What to do about a name, in a sentence or two: the first of these that applies.
//
//   nothing asks for it          who covers it, and how to ask; or that it is the cluster's own DNS
//   no object is accepted        what the first one says of it
//   no hosted zone               how to get one
//   deletes are held             how to release them
//   somebody else's stands there whose, and how to take it over
//   refused                      what Route 53 said
//   pending                      run apply
//   an object is invalid         what is wrong with it, though what it last validly said stands
//   as wanted                    nothing
import type { PlannedHostedZone } from '../apply/plan-cluster.ts';
import { type ClusterDns, dnsVersionName, isClusterName } from '../zones/cluster-names.ts';
import type { WorldZone } from '../zones/resolve-cluster.ts';
import type { Explanation } from './explanation.ts';

type Known = {
  readonly zone: WorldZone | null;
  readonly planned: PlannedHostedZone | null;
  readonly wildcard: string | null;
  readonly isUnread: boolean;
  readonly clusterDns: ClusterDns | null;
};

/** The advice. */
export function adviseOn(of: Omit<Explanation, 'advice'>, known: Known): string {
  const unread = known.isUnread ? 'Route 53 could not be read, so what it holds is not shown. ' : '';
  return `${unread}${advice(of, known)}`;
}

function advice(of: Omit<Explanation, 'advice'>, { zone, planned, wildcard, clusterDns }: Known): string {
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
  if (unpublished?.programmed != null)
    return `${unpublished.object} is not published (${unpublished.programmed.reason}): ${unpublished.programmed.message}.`;
  if (held.length > 0) {
    const why = accepted.length === 0 && refusedObject !== undefined ? `${whyRefused(refusedObject)} ` : '';
    return `${why}The guard holds the delete of it. ${planned?.plan.guard.reasons.join(' ') ?? ''}`;
  }
  const [first] = pending;
  const invalid = objects.find((object) => object.accepted.reason === 'InvalidSpec');
  if (first === undefined && invalid !== undefined) return whyRefused(invalid);
  if (first === undefined)
    return route53.length > 0 ? 'Nothing to do: Route 53 holds what is wanted.' : `Nothing to do for ${name}.`;
  if (first.standing === 'foreign' || first.standing === 'equal' || first.standing === 'external-dns') {
    const how = first.action === 'create' ? '' : ' Run zone53 apply.';
    return `${first.message}${how}`;
  }
  if (first.message !== '') return first.message;
  const verb = { create: 'created', update: 'updated', delete: 'deleted', adopt: 'adopted' }[first.action];
  return `${first.type} ${name} is to be ${verb}: run zone53 apply, or wait for the pipeline to publish it.`;
}

function whyRefused({ object, accepted }: Explanation['objects'][number]): string {
  return `${object} is not accepted (${accepted.reason}): ${accepted.message}.`;
}

/** A name that the source serviceDiscovery alone publishes, and that no object asks for. */
function ofClusterDns(
  { name, route53 }: Omit<Explanation, 'advice'>,
  zone: WorldZone | null,
  clusterDns: ClusterDns,
): string {
  if (zone?.live?.fqdn !== clusterDns.zone) {
    return `${name} belongs to the DNS of the cluster, and there is no live Zone of exactly the name ${clusterDns.zone}, which sources.serviceDiscovery.zone of the configuration says: declare it.`;
  }
  if (name === dnsVersionName(clusterDns) && route53.some(({ owner }) => owner === 'zone53')) {
    return 'Nothing to do: the source serviceDiscovery publishes it with its Zone.';
  }
  return `${name} belongs to the DNS of the cluster, which the source serviceDiscovery publishes, and no Service or Pod that it reads has this name now.`;
}

function whenNobodyAsks(
  { name, type, route53 }: Omit<Explanation, 'advice'>,
  zone: WorldZone | null,
  wildcard: string | null,
): string {
  const what = type === null ? name : `${name} ${type}`;
  const foreign = route53.some(({ owner }) => owner !== 'zone53');
  const stands = foreign
    ? ' What Route 53 holds there was not created by zone53, and whoever created it manages it.'
    : '';
  if (wildcard !== null) return `No object asks for ${what} itself; ${wildcard} answers for it.${stands}`;
  if (zone === null)
    return `No object asks for ${what}, and no live Zone covers it: create a Zone for it or for a name above, then a Record.${stands}`;
  if (name.includes('\\'))
    return `No object can ask for ${what}: it has characters that no name of an object may have.${stands}`;
  // A YAML value that begins with a star is an alias.
  const domainName = name.startsWith('*') ? `"${name}"` : name;
  return `No object asks for ${what}: create a Record with domainName: ${domainName} in a namespace to which Zone ${zone.key} delegates it.${stands}`;
}
