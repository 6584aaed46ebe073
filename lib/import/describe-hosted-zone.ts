// Builds the objects that ask for exactly the present content of a hosted zone: one Zone, and one Record for each
// record set. If no Record can ask for a record set, that is a problem of this record set only. The NS and SOA at the
// apex belong to Route 53 and are left out; if zone53 publishes the SOA, the Zone has its settings. Pure and
// deterministic.
import { entryRouting } from '../dns/entry.ts';
import { parseName } from '../dns/names/name.ts';
import { inViewOf, PUBLIC, realName, viewOf, withViewsInWords } from '../dns/names/view.ts';
import { compareRecordSets } from '../dns/plan-changes.ts';
import { type RecordSet, type RecordSetContent, sameContent, showRecordSet } from '../dns/record-set.ts';
import { TAKEOVER_ANNOTATION } from '../objects/annotations.ts';
import type { Endpoint } from '../objects/endpoint.ts';
import { apiVersionOf, ZONE_KIND } from '../objects/kind.ts';
import type { Protection } from '../ports/hosted-zones.ts';
import { parseRecord } from '../sources/kubizone/parse-record.ts';
import { parseZone } from '../zones/parse-zone.ts';
import { recordObjectName } from './object-name.ts';

type Manifest = {
  readonly apiVersion: string;
  readonly kind: 'Zone' | 'Record';
  readonly metadata: {
    readonly name: string;
    readonly namespace: string;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly spec: Readonly<Record<string, unknown>>;
};

/** The objects, remarks on them, and what could not be said: "TYPE NAME: why". */
export type DescribedHostedZone = {
  readonly manifests: readonly Manifest[];
  /** What a comment before a manifest says: whose record set is protected, and why. */
  readonly remarks: ReadonlyMap<object, readonly string[]>;
  readonly problems: readonly string[];
};

const API_VERSION = apiVersionOf(ZONE_KIND);

type Naming = {
  readonly namespace: string;
  readonly zoneName: string;
  readonly isPrivate?: boolean;
  /** zone53 publishes the SOA of this hosted zone; default: no. */
  readonly hasSoa?: boolean;
  /** The Zone takes over what stands there; default: no. */
  readonly takesOver?: boolean;
  /** Where a record set was read, such as `FILE:LINE: `, for the begin of its problem; default: nowhere. */
  readonly placeOf?: (recordSet: RecordSet) => string;
  /** What somebody protects there; default: nothing. */
  readonly protections?: readonly Protection[];
};

export function describeHostedZone(
  apex: string,
  recordSets: readonly RecordSet[],
  {
    namespace,
    zoneName,
    isPrivate = false,
    hasSoa = false,
    takesOver = false,
    placeOf = () => '',
    protections = [],
  }: Naming,
): DescribedHostedZone {
  const soa = hasSoa ? recordSets.find(({ name, type }) => name === apex && type === 'SOA') : undefined;
  const settings = settingsOf(soa?.content);
  const flaws = soa === undefined ? [] : problemsOf(settings, namespace);
  const zone = { apex, namespace, name: zoneName, takesOver };
  const first = zoneManifest(zone, flaws.length > 0 ? {} : settings);
  const manifests: Manifest[] = [first];
  const remarks = new Map<object, readonly string[]>();
  const left = new Set(protections);
  const problems =
    soa === undefined || flaws.length === 0 ? [] : [`${placeOf(soa)}${cannotImport(soa, flaws.join('; '))}`];
  for (const recordSet of [...recordSets].sort(compareRecordSets)) {
    if (recordSet.name === apex && (recordSet.type === 'NS' || recordSet.type === 'SOA')) continue;
    const spec = specOfRecord(recordSet);
    const problem =
      isPrivate && recordSet.type === 'NS'
        ? 'zone53 publishes no delegation in a private hosted zone, as resolvers ignore it; it stays as it is'
        : problemOf(recordSet, spec, namespace);
    if (problem === null) {
      const metadata = { name: recordObjectName(recordSet), namespace };
      const manifest = { apiVersion: API_VERSION, kind: 'Record' as const, metadata, spec };
      manifests.push(manifest);
      const own = protections.filter(({ name, type }) => name === recordSet.name && type === recordSet.type);
      if (own.length > 0) remarks.set(manifest, own.map(remarkOn));
      for (const one of own) left.delete(one);
    } else {
      problems.push(`${placeOf(recordSet)}${cannotImport(recordSet, problem)}`);
    }
  }
  // The others have no Record, or no record set yet.
  if (left.size > 0) remarks.set(first, [...left].map(remarkOn));
  return { manifests, remarks, problems };
}

function remarkOn({ name, type, comment }: Protection): string {
  const said = comment === null ? 'without a comment' : `comment ${JSON.stringify(comment)}`;
  return `${type} ${realName(name)} is protected in Route 53, ${said}`;
}

function cannotImport(recordSet: RecordSet, why: string): string {
  return `Cannot import ${withViewsInWords(showRecordSet(recordSet))}: ${why}`;
}

type ZoneFacts = {
  readonly apex: string;
  readonly namespace: string;
  readonly name: string;
  readonly takesOver: boolean;
};

/** It gives every name to its own namespace. */
function zoneManifest({ apex, namespace, name, takesOver }: ZoneFacts, settings: Manifest['spec']): Manifest {
  const records = [{ pattern: '@' }, { pattern: '*' }];
  const view = viewOf(apex) === PUBLIC ? {} : { view: viewOf(apex) };
  return {
    apiVersion: API_VERSION,
    kind: 'Zone',
    metadata: { name, namespace, ...(takesOver && { annotations: { [TAKEOVER_ANNOTATION]: 'true' } }) },
    spec: { domainName: realName(apex), ...view, ...settings, delegations: [{ namespaces: [namespace], records }] },
  };
}

/** What a Zone says of its SOA: the TTL and the four timers. */
function settingsOf(soa: RecordSetContent | undefined): Manifest['spec'] {
  if (soa?.kind !== 'values') return {};
  const [refresh, retry, expire, negativeResponseCache] = (soa.values[0] ?? '').split(' ').slice(3).map(Number);
  return { ttl: soa.ttlSeconds, refresh, retry, expire, negativeResponseCache };
}

/** What a Zone with these settings would be told of them. */
function problemsOf(settings: Manifest['spec'], namespace: string): readonly string[] {
  const parsed = parseZone({ domainName: 'example.org.', ...settings }, namespace);
  return parsed.ok ? [] : parsed.problems;
}

function specOfRecord({ name, type, setIdentifier, content }: RecordSet): Manifest['spec'] {
  const { routing } = content;
  const routed =
    routing === undefined ? {} : { routing: entryRouting({ setIdentifier: setIdentifier ?? '', ...routing }) };
  const views = viewOf(name) === PUBLIC ? {} : { views: [viewOf(name)] };
  return { domainName: realName(name), ...views, type, ...saidBy(content), ...routed };
}

function saidBy(content: RecordSetContent): Manifest['spec'] {
  if (content.kind === 'alias') {
    const { dnsName, hostedZoneId, evaluateTargetHealth } = content.alias;
    return { alias: { target: realName(dnsName), hostedZoneId, evaluateTargetHealth } };
  }
  const { ttlSeconds: ttl, values } = content;
  return values.length === 1 ? { ttl, rdata: values[0] } : { ttl, values };
}

/** Why no Record can ask for this record set; null if the Record asks for exactly this content. */
function problemOf(recordSet: RecordSet, spec: Manifest['spec'], namespace: string): string | null {
  const { setIdentifier, content } = recordSet;
  const name = realName(recordSet.name);
  const parsed = parseName(name, { wildcard: true });
  if (!parsed.ok) return parsed.problems.join('; ');
  if (parsed.name !== name) return `its name would become ${parsed.name}`;
  if (content.kind === 'values' && content.values.length === 0)
    return 'Route 53 shows no values: a traffic policy instance manages it';
  if (setIdentifier !== null && content.routing === undefined)
    return `it has the set identifier "${setIdentifier}" and a routing policy that a Record does not support`;
  const record = parseRecord(spec, namespace);
  if (!record.ok) return record.problems.join('; ');
  return saysTheSame(record.spec, recordSet) ? null : 'a Record would ask for another content than the present one';
}

function saysTheSame({ ttl, values, alias, routing }: Endpoint, { content, setIdentifier }: RecordSet): boolean {
  if ((routing?.setIdentifier ?? null) !== setIdentifier) return false;
  const { policy, healthCheckId } = routing ?? {};
  const routed = policy === undefined ? {} : { routing: { policy, healthCheckId: healthCheckId ?? null } };
  if (alias !== undefined) {
    const { target, hostedZoneId, evaluateTargetHealth } = alias;
    const dnsName = content.kind === 'alias' ? inViewOf(content.alias.dnsName, target) : target;
    const same = { kind: 'alias' as const, alias: { dnsName, hostedZoneId: hostedZoneId ?? '', evaluateTargetHealth } };
    return sameContent({ ...same, ...routed }, content);
  }
  return sameContent({ kind: 'values', ttlSeconds: ttl ?? -1, values, ...routed }, content);
}
