// Builds the objects that ask for exactly the present content of a hosted zone: one Zone, and one Record for each
// record set. If no Record can ask for a record set, that is a problem of this record set only. The NS and SOA at the
// apex belong to Route 53 and are left out; if zone53 publishes the SOA, the Zone has its settings. Pure and
// deterministic.
import { entryRouting } from '../dns/entry.ts';
import { parseName } from '../dns/names/name.ts';
import { compareRecordSets } from '../dns/plan-changes.ts';
import { type RecordSet, type RecordSetContent, sameContent } from '../dns/record-set.ts';
import { TAKEOVER_ANNOTATION } from '../objects/annotations.ts';
import type { Endpoint } from '../objects/endpoint.ts';
import { apiVersionOf, ZONE_KIND } from '../objects/kind.ts';
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

/** The objects, and what could not be said: "TYPE NAME: why". */
export type DescribedHostedZone = { readonly manifests: readonly Manifest[]; readonly problems: readonly string[] };

const API_VERSION = apiVersionOf(ZONE_KIND);

type Naming = {
  readonly namespace: string;
  readonly zoneName: string;
  readonly isPrivate?: boolean;
  /** zone53 publishes the SOA of this hosted zone; default: no. */
  readonly hasSoa?: boolean;
};

export function describeHostedZone(
  apex: string,
  recordSets: readonly RecordSet[],
  { namespace, zoneName, isPrivate = false, hasSoa = false }: Naming,
): DescribedHostedZone {
  const soa = hasSoa ? recordSets.find(({ name, type }) => name === apex && type === 'SOA') : undefined;
  const settings = settingsOf(soa?.content);
  const flaws = soa === undefined ? [] : problemsOf(settings, namespace);
  const manifests: Manifest[] = [zoneManifest(apex, namespace, zoneName, flaws.length > 0 ? {} : settings)];
  const problems = flaws.length > 0 ? [`Cannot import SOA ${apex}: ${flaws.join('; ')}`] : [];
  for (const recordSet of [...recordSets].sort(compareRecordSets)) {
    if (recordSet.name === apex && (recordSet.type === 'NS' || recordSet.type === 'SOA')) continue;
    const spec = specOf(recordSet);
    const problem =
      isPrivate && recordSet.type === 'NS'
        ? 'zone53 publishes no delegation in a private hosted zone, as resolvers ignore it; it stays as it is'
        : problemOf(recordSet, spec, namespace);
    if (problem === null) {
      const metadata = { name: recordObjectName(recordSet), namespace };
      manifests.push({ apiVersion: API_VERSION, kind: 'Record', metadata, spec });
    } else {
      const identifier = recordSet.setIdentifier === null ? '' : ` [${recordSet.setIdentifier}]`;
      problems.push(`Cannot import ${recordSet.type} ${recordSet.name}${identifier}: ${problem}`);
    }
  }
  return { manifests, problems };
}

/** It gives every name to its own namespace, and takes over what it was made of. */
function zoneManifest(apex: string, namespace: string, name: string, settings: Manifest['spec']): Manifest {
  const records = [{ pattern: '@' }, { pattern: '*' }];
  return {
    apiVersion: API_VERSION,
    kind: 'Zone',
    metadata: { name, namespace, annotations: { [TAKEOVER_ANNOTATION]: 'true' } },
    spec: { domainName: apex, ...settings, delegations: [{ namespaces: [namespace], records }] },
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

function specOf({ name, type, setIdentifier, content }: RecordSet): Manifest['spec'] {
  const { routing } = content;
  const routed =
    routing === undefined ? {} : { routing: entryRouting({ setIdentifier: setIdentifier ?? '', ...routing }) };
  return { domainName: name, type, ...saidBy(content), ...routed };
}

function saidBy(content: RecordSetContent): Manifest['spec'] {
  if (content.kind === 'alias') {
    const { dnsName, hostedZoneId, evaluateTargetHealth } = content.alias;
    return { alias: { target: dnsName, hostedZoneId, evaluateTargetHealth } };
  }
  const { ttlSeconds: ttl, values } = content;
  return values.length === 1 ? { ttl, rdata: values[0] } : { ttl, values };
}

/** Why no Record can ask for this record set; null if the Record asks for exactly this content. */
function problemOf(recordSet: RecordSet, spec: Manifest['spec'], namespace: string): string | null {
  const { name, setIdentifier, content } = recordSet;
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
    const { target: dnsName, hostedZoneId, evaluateTargetHealth } = alias;
    const same = { kind: 'alias' as const, alias: { dnsName, hostedZoneId: hostedZoneId ?? '', evaluateTargetHealth } };
    return sameContent({ ...same, ...routed }, content);
  }
  return sameContent({ kind: 'values', ttlSeconds: ttl ?? -1, values, ...routed }, content);
}
