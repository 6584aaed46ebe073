// What zone53 itself publishes for a binding of provider aws: the record sets of its DNSEndpoint, as the record's
// parameters allow.
//
//   policy       what was published and is asked for no more    what was published and is to change
//   sync         goes                                            changes
//   upsert-only  stays                                           changes
//   create-only  stays                                           stays
//   dry-run, and `once` after the first publication: all stays, nothing changes, nothing is new
//   a record set that stays allows no CNAME beside it, nor a CNAME anything else: then nothing changes either
import { typesExclude } from '../../dns/record-set.ts';
import { aliasTargetOf } from '../../route53/alias-targets.ts';
import { fqdnOf, isPrivate } from '../model/app.ts';
import { listed, type Parameters } from '../model/parameters.ts';
import { type DnsUpdateRecord, ownerOf } from '../model/record.ts';
import type { Binding } from './bindings.ts';
import { dnsEndpointOf, endpointName } from './dns-endpoint.ts';
import { evaluatesTargetHealth } from './ignored.ts';
import { textNameOf } from './text-name.ts';

export type EndpointSet = {
  readonly dnsName: string;
  readonly recordType: string;
  readonly recordTTL?: number;
  readonly targets: readonly string[];
  readonly providerSpecific?: readonly { readonly name: string; readonly value: string }[];
};

/** The hosted zone that a name is published into. */
export type HostedZoneFacts = {
  readonly id: string;
  /** With the final dot. */
  readonly name: string;
  readonly isPrivate: boolean;
  /** Null: they cannot be read. */
  readonly tags: Readonly<Record<string, string>> | null;
};

/** The TTL of the TXT records of external-dns. */
const TXT_TTL = 300;

/** Why the parameters of a record exclude a name; null: they do not. `zone`: null if no hosted zone is known. */
export function leftOut(dnsName: string, { parameters }: DnsUpdateRecord, zone: HostedZoneFacts | null): string | null {
  const name = fqdnOf(dnsName).slice(0, -1);
  const within = listed(parameters['domain-filter']);
  if (within.length > 0 && !within.some((domain) => covers(domain, name)))
    return `${name} is outside of domain-filter ${within.join(', ')}`;
  const excluded = listed(parameters['exclude-domains']).find((domain) => covers(domain, name));
  if (excluded !== undefined) return `${name} is excluded by exclude-domains ${excluded}`;
  return zone === null ? unknownZone(name, parameters) : zoneLeftOut(zone, parameters);
}

/** Filters of hosted zones. A name is left out until its hosted zone is known: only then they can be applied. */
const OF_ZONES = ['zone-id-filter', 'aws-zone-type', 'aws-zone-tags'];

function unknownZone(name: string, parameters: Parameters): string | null {
  const filter = OF_ZONES.find((one) => listed(parameters[one]).length > 0);
  if (filter === undefined) return null;
  return `the hosted zone of ${name} is not known yet, and ${filter} needs it: a live Zone with a hosted zone must delegate the name to the namespace of the project`;
}

/** `example.org` covers itself and all below it; with a leading dot only what is below. */
function covers(domain: string, name: string): boolean {
  const isBelow = domain.startsWith('.');
  const wanted = fqdnOf(isBelow ? domain.slice(1) : domain).slice(0, -1);
  return name.endsWith(`.${wanted}`) || (!isBelow && name === wanted);
}

function zoneLeftOut(zone: HostedZoneFacts, parameters: Parameters): string | null {
  const { id, isPrivate: isInside, tags } = zone;
  const ids = listed(parameters['zone-id-filter']);
  if (ids.length > 0 && !ids.some((one) => id.endsWith(one)))
    return `hosted zone ${id} is outside of zone-id-filter ${ids.join(', ')}`;
  const type = parameters['aws-zone-type'];
  if (type !== undefined && (type === 'private') !== isInside)
    return `hosted zone ${id} is ${isInside ? 'private' : 'public'}, and aws-zone-type is ${String(type)}`;
  const wanted = listed(parameters['aws-zone-tags']);
  if (wanted.length === 0) return null;
  if (tags === null) return `the tags of hosted zone ${id} cannot be read, and aws-zone-tags needs them`;
  const missing = wanted.find((tag) => !hasTag(tags, tag));
  return missing === undefined ? null : `hosted zone ${id} has no tag ${missing}`;
}

/** `key=value`, or `key` with any value. */
function hasTag(tags: Readonly<Record<string, string>>, wanted: string): boolean {
  const at = wanted.indexOf('=');
  return at < 0 ? Object.hasOwn(tags, wanted) : tags[wanted.slice(0, at)] === wanted.slice(at + 1);
}

/** The endpoints that a binding asks for, whatever was published before. */
export function askedSets(project: string, binding: Binding, zone: HostedZoneFacts | null): readonly EndpointSet[] {
  const { definition, service, record } = binding;
  const manifest = dnsEndpointOf(project, binding);
  if (definition === null || manifest === null || leftOut(service.dnsName, definition, zone) !== null) return [];
  const { endpoints } = manifest.spec as { readonly endpoints: readonly EndpointSet[] };
  const properties = [
    ...(definition.parameters['aws-prefer-cname'] === true ? [{ name: 'alias', value: 'false' }] : []),
    { name: 'aws/evaluate-target-health', value: String(evaluatesTargetHealth(definition)) },
  ];
  const sets = endpoints.map((set) => (set.recordType === 'CNAME' ? { ...set, providerSpecific: properties } : set));
  // As external-dns does where it is given no registry: TXT.
  if (definition.parameters.registry === 'noop') return sets;
  const resource = `crd/${project}/${endpointName(service.name, record)}`;
  const value = `"heritage=external-dns,external-dns/owner=${ownerOf(project, definition)},external-dns/resource=${resource}"`;
  return [...sets, ...sets.flatMap((set) => ownershipOf(set, definition, zone, value))];
}

/** The TXT records of one endpoint; like external-dns, none whose name would be outside of the hosted zone. */
function ownershipOf(
  set: EndpointSet,
  { parameters }: DnsUpdateRecord,
  zone: HostedZoneFacts | null,
  value: string,
): readonly EndpointSet[] {
  return typesNoted(set).flatMap((type) => {
    const dnsName = textNameOf(parameters, type, set.dnsName);
    if (dnsName === null || (zone !== null && !`.${dnsName}.`.endsWith(`.${zone.name}`))) return [];
    return [{ dnsName, recordType: 'TXT', recordTTL: TXT_TTL, targets: [value] }];
  });
}

/** The types in the names of TXT records. External-dns notes an alias A as CNAME, and an AAAA beside it as AAAA. */
function typesNoted(set: EndpointSet): readonly string[] {
  const type = set.recordType.toLowerCase();
  return type === 'cname' && typesServed(set).includes('AAAA') ? [type, 'aaaa'] : [type];
}

/** The types of the record sets in Route 53: those of an alias, if the target has one. */
function typesServed({ recordType, targets, providerSpecific = [] }: EndpointSet): readonly string[] {
  if (recordType !== 'CNAME' || providerSpecific.some(({ name, value }) => name === 'alias' && value === 'false'))
    return [recordType];
  return aliasTargetOf(`${targets[0] ?? ''}.`)?.types ?? [recordType];
}

/** What to publish now, after `stood` was published before. `isFrozen`: nothing may change any more. */
export function servedSets(
  asked: readonly EndpointSet[],
  stood: readonly EndpointSet[],
  { parameters }: Pick<DnsUpdateRecord, 'parameters'>,
  isFrozen: boolean,
): readonly EndpointSet[] {
  if (isFrozen || parameters['dry-run'] === true) return stood;
  const { policy = 'sync' } = parameters;
  if (policy === 'sync') return asked;
  const [first, then] = policy === 'create-only' ? [stood, asked] : [asked, stood];
  const more = then.filter((set) => !isCovered(set, first));
  return more.some((set) => first.some((other) => excludes(set, other))) ? stood : [...first, ...more];
}

/** True if `others` have all of its record sets, perhaps with other content. */
function isCovered(set: EndpointSet, others: readonly EndpointSet[]): boolean {
  const types = new Set(others.flatMap((other) => (other.dnsName === set.dnsName ? typesServed(other) : [])));
  return typesServed(set).every((type) => types.has(type));
}

/** True if a name cannot have both: they have a type in common, or one of them is a CNAME. */
function excludes(one: EndpointSet, other: EndpointSet): boolean {
  if (one.dnsName !== other.dnsName) return false;
  const beside = typesServed(other);
  return typesServed(one).some((type) => beside.some((present) => type === present || typesExclude(type, present)));
}

/**
 * What was published before, without the private addresses of a name whose hosted zone is public by now. No parameter
 * keeps them there.
 */
export function withoutPrivate(stood: readonly EndpointSet[], dnsName: string): readonly EndpointSet[] {
  const name = fqdnOf(dnsName);
  return stood.flatMap((set) => {
    if (fqdnOf(set.dnsName) !== name || !set.targets.some(isPrivate)) return [set];
    const targets = set.targets.filter((target) => !isPrivate(target));
    return targets.length === 0 ? [] : [{ ...set, targets }];
  });
}
