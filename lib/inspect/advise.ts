// Says in a sentence or two what to do about a name. The first case that applies decides:
//
//   no object asks for it        which Zone covers it, and how to ask; or that its view inherits it,
//                                or that it is in the cluster's own DNS
//   refused, and what it asks    why, and what is deleted until it is accepted
//   for is not there or goes
//   not publishable              why, as its condition says, unless a record set of another object is pending
//   the delete is held           why the guard holds it
//   an object is invalid         what is wrong with it, when nothing is pending
//   changed or deleted by hand   what Route 53 has
//   published as wanted          nothing
//   a record set is in the way   whose it is, and how to take it over
//   refused                      the message of Route 53
//   pending                      run apply
//
// Then, whatever the case: why no resolver sees it (out-of-reach.ts).
import type { PlannedHostedZone } from '../apply/plan-cluster.ts';
import { viewOf } from '../dns/names/view.ts';
import { showRecordSet } from '../dns/record-set.ts';
import { type ClusterDns, dnsVersionName, isClusterName } from '../zones/cluster-names.ts';
import type { ResolvedZone } from '../zones/resolve-cluster.ts';
import { verdictOfTarget } from '../zones/unpublished-reasons.ts';
import { WAITING } from './asking-objects.ts';
import type { Explanation } from './explanation.ts';
import type { Memory } from './shown-by-objects.ts';

type Known = {
  readonly zone: ResolvedZone | null;
  readonly planned: PlannedHostedZone | null;
  readonly wildcard: string | null;
  readonly isUnread: boolean;
  readonly clusterDns: ClusterDns | null;
  /** What somebody changed by hand, in words; null: nothing. */
  readonly drift: string | null;
  readonly memory: Memory;
};

type Explained = Omit<Explanation, 'advice'>;

const AS_DESIRED = 'Nothing to do: Route 53 has what is desired.';

export function adviseOn(of: Explained, known: Known): string {
  const unread = known.isUnread ? 'Route 53 could not be read, so its record sets are not shown. ' : '';
  const problem = of.delegation?.problem ?? null;
  const said = advice(of, known);
  if (problem === null) return `${unread}${said}`;
  return said.startsWith(AS_DESIRED.slice(0, -1)) ? `${unread}${problem}` : `${unread}${said} ${problem}`;
}

function advice(of: Explained, { zone, planned, wildcard, clusterDns, drift, memory }: Known): string {
  const { name, objects, held, pending, route53 } = of;
  if (objects.length === 0 && held.length === 0 && pending.length === 0) {
    const isInherited = [...(planned?.items.values() ?? [])].some(
      (item) => item.name === name && item.inherits === true && item.desired !== null,
    );
    if (isInherited)
      return `Nothing to do: no object asks for ${name}, and the view that this one extends publishes it. For something else here, create a Record with views: [${viewOf(name)}].`;
    return clusterDns !== null && isClusterName(name, clusterDns.zone)
      ? ofClusterDns(of, zone, clusterDns)
      : whenNobodyAsks(of, zone, wildcard);
  }
  const refusal = refusalOf(of);
  if (refusal !== null && held.length === 0) return refusal;
  const [first] = pending;
  const unpublished = objects.find(({ programmed }) =>
    ['HostedZoneNotFound', 'HostedElsewhere', 'Occluded', 'UnsupportedType'].includes(programmed?.reason ?? ''),
  );
  if (unpublished?.programmed != null && !isForOthers(first, unpublished.object))
    return `${unpublished.object} is not published (${unpublished.programmed.reason}): ${unpublished.programmed.message}.`;
  if (held.length > 0) {
    const why = refusal === null ? '' : `${refusal} `;
    const { guard, annotated } = planned?.plan ?? { guard: { reasons: [] }, annotated: [] };
    return `${why}The guard holds its delete. ${[...guard.reasons, ...annotated].join(' ')}`;
  }
  const invalid = objects.find((object) => object.accepted.reason === 'InvalidSpec');
  if (first === undefined && invalid !== undefined) return whyRefused(invalid);
  if (drift !== null) return drift;
  if (first === undefined && memory === 'statuses' && route53.some(({ owner }) => owner === 'zone53'))
    return `${AS_DESIRED.slice(0, -1)}, as the objects themselves say.`;
  if (first === undefined) return route53.length > 0 ? AS_DESIRED : `Nothing to do for ${name}`;
  const isExternalDns = route53.some(
    ({ type, setIdentifier, owner }) =>
      type === first.type && setIdentifier === first.setIdentifier && owner === 'external-dns',
  );
  if (memory === 'none' && first.standing === 'equal' && !isExternalDns)
    return 'Route 53 has what is desired, and this ledger is empty, so it is not known who published it. If zone53 did, name its ledger with --state or --table; if others did, see what zone53 plan says.';
  if (first.standing === 'foreign' || first.standing === 'equal' || first.standing === 'external-dns') {
    const how = first.action === 'create' ? '' : ' Run zone53 apply.';
    const ledger = memory === 'none' ? ' This ledger is empty: if zone53 published it, name its ledger first.' : '';
    return `${first.message}${how}${ledger}`;
  }
  if (first.message !== '') return first.message;
  const verb = { create: 'created', update: 'updated', delete: 'deleted', adopt: 'adopted', forget: 'forgotten' }[
    first.action
  ];
  return `${first.type} ${name} is to be ${verb}: run zone53 apply, or wait for the pipeline to publish it.`;
}

/**
 * Why an object is refused, if no object is accepted, or if what it asks for is to be deleted or is held; and what is
 * then deleted. Null: nobody is refused, or it has no consequence.
 */
function refusalOf({ objects, pending, held }: Explained): string | null {
  const refused = objects.filter(({ programmed, parent }) => programmed === null && parent === null);
  const isAsked = (type: string) => refused.find((object) => object.type === null || object.type === type);
  const deletes = pending.filter(({ action, type }) => action === 'delete' && isAsked(type) !== undefined);
  const [going] = [...deletes, ...held];
  const isAll = refused.length === objects.length;
  const others = pending.some((change) => change.action !== 'delete');
  const object = (going === undefined ? undefined : isAsked(going.type)) ?? (isAll && !others ? refused[0] : undefined);
  if (object === undefined) return null;
  if (deletes.length === 0) return whyRefused(object);
  const sets = deletes.map((change) => showRecordSet(change)).join(', ');
  const authors = [...new Set(deletes.flatMap((change) => change.objects))].filter((one) => one !== object.object);
  const by = authors.length === 0 ? '' : `, published for ${authors.join(', ')}`;
  return `${whyRefused(object)} Mend that first: until then, zone53 apply and the pipeline delete ${sets}${by}.`;
}

/** True for a change, other than a delete, that the object did not ask for. */
function isForOthers(change: Explanation['pending'][number] | undefined, object: string): boolean {
  return change !== undefined && change.action !== 'delete' && !change.objects.includes(object);
}

function whyRefused({ object, origin, accepted }: Explanation['objects'][number]): string {
  if (accepted.reason === WAITING) {
    const isOfFile = origin !== undefined && accepted.message.includes('status.');
    const how = isOfFile ? ' Manifests mostly have no status: read the cluster with --context, or write a target.' : '';
    return `${object} asks for it, but waits: ${accepted.message}.${how}`;
  }
  return `${object} is not accepted (${accepted.reason}): ${accepted.message}.`;
}

/** The advice for a name of the cluster's own DNS that nobody asks for. Only serviceDiscovery may publish it. */
function ofClusterDns({ name, route53 }: Explained, zone: ResolvedZone | null, clusterDns: ClusterDns): string {
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
  { name, type, route53, delegation }: Explained,
  zone: ResolvedZone | null,
  wildcard: string | null,
): string {
  const what = type === null ? name : `${name} ${type}`;
  const isOthers = route53.some(({ owner }) => owner !== 'zone53' && owner !== 'route53');
  const stands = isOthers
    ? ' Route 53 has record sets there that zone53 did not create; whoever created them manages them.'
    : '';
  const isRoute53s = route53.length > 0 && route53.every(({ owner }) => owner === 'route53');
  if (isRoute53s) return `Nothing to do: Route 53 made these record sets itself, with the hosted zone ${name}`;
  const elsewhere = servedElsewhere(name, zone, delegation);
  if (elsewhere !== null) return `No object asks for ${what}, and one would not help: ${elsewhere}${stands}`;
  if (wildcard !== null) return `No object asks for ${what} itself; ${wildcard} answers for it.${stands}`;
  if (zone === null)
    return `No object asks for ${what}, and no live Zone covers it: create a Zone for it or for a name above, then a Record.${stands}`;
  if (name.includes('\\'))
    return `No object can ask for ${what}: it has characters that no name of an object may have.${stands}`;
  // In YAML, a value that begins with a star is an alias, so it needs quotes.
  const domainName = name.startsWith('*') ? `"${name}"` : name;
  return `No object asks for ${what}: create a Record with domainName: ${domainName} in a namespace to which Zone ${zone.key} delegates it.${stands}`;
}

/** Why a Record of this name would not be published or not be seen, and where the name is served; null: it would. */
function servedElsewhere(
  name: string,
  zone: ResolvedZone | null,
  delegation: Explanation['delegation'],
): string | null {
  const target = zone?.placed?.target;
  const from = delegation?.path.at(-1);
  if (target?.kind === 'elsewhere') {
    const servers = zone?.placed?.nameServers.map(({ rdata }) => rdata) ?? [];
    const named = servers.length === 0 ? 'name servers of its own' : `the name servers ${servers.join(', ')}`;
    return `Zone ${target.zone} declares ${named}, and zone53 publishes nothing below ${target.fqdn} itself. Create ${name} there.`;
  }
  if (target?.kind === 'none' && zone?.placed != null) {
    const verdict = verdictOfTarget(zone.placed);
    return `Zone ${target.zone} has no hosted zone (${verdict?.reason}): ${verdict?.message}.`;
  }
  const cut = delegation?.cut ?? null;
  if (cut === null || from === undefined) return null;
  return `hosted zone ${from.id} (${from.name}) delegates ${cut.name} to ${cut.nameServers.join(', ')}. Create ${name} there.`;
}
