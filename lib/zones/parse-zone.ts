// Parses a Zone's spec from an untrusted value: gives a ZoneSpec, or all problems at once.
import type { SoaSettings } from '../dns/hash.ts';
import { parseName } from '../dns/names/name.ts';
import { type Pattern, parsePattern } from '../dns/names/pattern.ts';
import { quote } from '../dns/names/quote.ts';
import { inView, isViewName, PUBLIC } from '../dns/names/view.ts';
import { alpnProblems, needsQuic } from '../dns/rdata/https-value.ts';
import { typeNumber } from '../dns/record-type.ts';
import type { ClaimSettings } from '../objects/claim-settings.ts';
import type { ZoneKey } from '../objects/object-ref.ts';
import { CLUSTER_ID } from '../objects/share-id.ts';
import {
  type DomainName,
  type Fields,
  list,
  nameAndReference,
  openFields,
  optionalBoolean,
  optionalSeconds,
  optionalText,
  requiredText,
  type SpecResult,
  textList,
} from '../objects/spec-fields.ts';

/** Which names of which types a rule delegates. Empty `types` means every type. */
type RecordRule = { readonly pattern: Pattern; readonly types: readonly string[] };

/** One delegation rule. `namespaces` null means every namespace. */
export type Delegation = {
  /** The other clusters whose Zones it is for; absent: it is for the own cluster. */
  readonly clusters?: readonly string[];
  readonly namespaces: readonly string[] | null;
  /** Objects of several namespaces may share a name. */
  readonly shared: boolean;
  readonly zones: readonly Pattern[];
  readonly records: readonly RecordRule[];
};

/** A valid Zone.spec. */
export type ZoneSpec = SoaSettings & {
  readonly domainName: Exclude<DomainName, { kind: 'apex' }>;
  readonly zoneRef: ZoneKey | null;
  readonly delegations: readonly Delegation[];
  /** `delegateTo`: a canonical name. Absent: ACME challenges are not delegated. */
  readonly acme?: { readonly delegateTo: string };
  /** `alpn`: the protocols of hosts with TLS. Absent: they get no HTTPS records. */
  readonly https?: { readonly alpn: readonly string[] };
  /** Its addresses get PTR records. Absent: they do not. */
  readonly ptr?: true;
  /** Absent: the public one. The full name of a Zone of another view has it, too (lib/dns/names/view.ts). */
  readonly view?: string;
  /** How all its names meet those of other clusters. It comes from its annotations (`withClaim()`). */
  readonly claim?: ClaimSettings;
};

/** The spec of a Zone with what its annotations say. */
export function withClaim(spec: ZoneSpec, claim: ClaimSettings | undefined): ZoneSpec {
  return claim === undefined ? spec : { ...spec, claim };
}

/** The defaults of a Zone, in seconds. */
const DEFAULTS: SoaSettings = {
  ttl: 360,
  refresh: 86_400,
  retry: 7_200,
  expire: 3_600_000,
  negativeResponseCache: 360,
};

/** What a host with TLS speaks at least, nearly everywhere. */
const DEFAULT_ALPN = ['h2'];
const QUIC_BY_ANNOTATION =
  'h3 needs UDP on port 443 at each host; leave it out here, and annotate the objects that have it with zone53.dev/https: "h2,h3"';

const TIMERS = ['ttl', 'refresh', 'retry', 'expire', 'negativeResponseCache'] as const;
const FIELDS = ['domainName', 'zoneRef', ...TIMERS, 'delegations', 'acme', 'https', 'ptr', 'view'];

/** Parses a Zone's spec; `namespace` is the object's own, for a zoneRef without one. */
export function parseZone(value: unknown, namespace: string): SpecResult<ZoneSpec> {
  const problems: string[] = [];
  const fields = openFields(value, 'spec', FIELDS, problems);
  if (fields === null) return { ok: false, problems };
  const { domainName, zoneRef } = nameAndReference(fields, namespace, { wildcard: false, apex: false });
  const settings = readSettings(fields);
  const delegations = list(fields, 'delegations').flatMap((item, index) =>
    readDelegation(item, `spec.delegations[${index}]`, problems),
  );
  const acme = readAcme(fields);
  const https = readHttps(fields);
  const ptr = optionalBoolean(fields, 'ptr') ?? false;
  const view = readView(fields);
  if (problems.length > 0 || domainName === null || domainName.kind === 'apex') return { ok: false, problems };
  const more = {
    ...(acme !== null && { acme }),
    ...(https !== null && { https }),
    ...(ptr && { ptr }),
    ...(view !== PUBLIC && { view }),
  };
  const named = domainName.kind === 'full' ? { ...domainName, fqdn: inView(domainName.fqdn, view) } : domainName;
  return { ok: true, spec: { domainName: named, zoneRef, ...settings, delegations, ...more } };
}

/** `view`: the public one if it is absent, or wrong, which is a problem. */
function readView(fields: Fields): string {
  const text = optionalText(fields, 'view');
  if (text === null || isViewName(text)) return text ?? PUBLIC;
  fields.problems.push(
    `spec.view: expected the name of a view (an RFC 1123 label), such as public or internal, got ${quote(text)}`,
  );
  return PUBLIC;
}

/** `acme`: where challenges are delegated to. Null if it is absent, or wrong, which is a problem. */
function readAcme({ values, problems }: Fields): NonNullable<ZoneSpec['acme']> | null {
  if ((values.acme ?? null) === null) return null;
  const fields = openFields(values.acme, 'spec.acme', ['delegateTo'], problems);
  const text = fields === null ? null : requiredText(fields, 'delegateTo');
  if (text === null) return null;
  const parsed = parseName(text);
  const flaws = parsed.ok ? (parsed.name === '.' ? ['write the name of a hosted zone'] : []) : parsed.problems;
  problems.push(...flaws.map((flaw) => `spec.acme.delegateTo: ${flaw}`));
  return parsed.ok && flaws.length === 0 ? { delegateTo: parsed.name } : null;
}

/** `https`: the protocols of hosts with TLS. Null if it is absent, or wrong, which is a problem. */
function readHttps({ values, problems }: Fields): NonNullable<ZoneSpec['https']> | null {
  if ((values.https ?? null) === null) return null;
  const fields = openFields(values.https, 'spec.https', ['alpn'], problems);
  if (fields === null) return null;
  if ((fields.values.alpn ?? null) === null) return { alpn: DEFAULT_ALPN };
  const before = problems.length;
  const alpn = textList(fields, 'alpn');
  if (problems.length > before) return null;
  const flaws = [...alpnProblems(alpn), ...(alpn.some(needsQuic) ? [QUIC_BY_ANNOTATION] : [])];
  problems.push(...flaws.map((flaw) => `spec.https.alpn: ${flaw}`));
  return flaws.length === 0 ? { alpn } : null;
}

function readSettings(fields: Fields): SoaSettings {
  const wrong = new Set<string>();
  const read = (key: (typeof TIMERS)[number]): number => {
    const before = fields.problems.length;
    const seconds = optionalSeconds(fields, key) ?? DEFAULTS[key];
    if (fields.problems.length > before) wrong.add(key);
    return seconds;
  };
  const settings = Object.fromEntries(TIMERS.map((key) => [key, read(key)])) as SoaSettings;
  const { refresh, retry, expire } = settings;
  // A timer with a problem of its own is not compared with the others.
  if (!wrong.has('refresh') && !wrong.has('retry') && retry >= refresh) {
    fields.problems.push(`spec.retry: ${retry} must be less than refresh, ${refresh} (RFC 1912 §2.2)`);
  }
  if (!wrong.has('refresh') && !wrong.has('retry') && !wrong.has('expire') && expire <= refresh + retry) {
    fields.problems.push(
      `spec.expire: ${expire} must be more than refresh + retry, ${refresh + retry} (RFC 1912 §2.2)`,
    );
  }
  return settings;
}

function readDelegation(value: unknown, path: string, problems: string[]): readonly Delegation[] {
  const fields = openFields(
    value,
    path,
    ['clusters', 'namespace', 'namespaces', 'shared', 'zones', 'records'],
    problems,
  );
  if (fields === null) return [];
  const one = Array.isArray(fields.values.namespace) ? refuseList(fields) : optionalText(fields, 'namespace');
  const many = textList(fields, 'namespaces');
  const shared = optionalBoolean(fields, 'shared') ?? false;
  const named = one === null ? many : [one, ...many];
  const zones = textList(fields, 'zones').flatMap((text, index) =>
    readPattern(text, `${path}.zones[${index}]`, problems),
  );
  const records = list(fields, 'records').flatMap((item, index) =>
    readRecordRule(item, `${path}.records[${index}]`, problems),
  );
  const clusters = readClusters(fields);
  return [
    { ...(clusters !== null && { clusters }), namespaces: named.length === 0 ? null : named, shared, zones, records },
  ];
}

/** `clusters`: null if it is absent, or wrong, which is a problem. */
function readClusters(fields: Fields): readonly string[] | null {
  const { values, path, problems } = fields;
  if ((values.clusters ?? null) === null) return null;
  const before = problems.length;
  const clusters = textList(fields, 'clusters');
  if (problems.length === before && clusters.length === 0)
    problems.push(`${path}.clusters: it names no cluster; write the id of one, or remove it`);
  clusters.forEach((id, index) => {
    if (!CLUSTER_ID.test(id))
      problems.push(`${path}.clusters[${index}]: expected the id of a cluster, such as prod-eu, got ${quote(id)}`);
  });
  const isEmpty = values.records == null || (Array.isArray(values.records) && values.records.length === 0);
  if (!isEmpty)
    problems.push(
      `${path}.records: no Zone adopts records of another cluster; write them into a rule without clusters, for records of this one`,
    );
  return clusters;
}

/** Refuses a list of namespaces under the key for one. */
function refuseList({ path, problems }: Fields): null {
  problems.push(`${path}.namespace: expected a string, got a list; write the list into namespaces`);
  return null;
}

function readRecordRule(value: unknown, path: string, problems: string[]): readonly RecordRule[] {
  const fields = openFields(value, path, ['pattern', 'types'], problems);
  if (fields === null) return [];
  const text = requiredText(fields, 'pattern');
  const types = textList(fields, 'types').map((type) => type.toUpperCase());
  types.forEach((type, index) => {
    if (typeNumber(type) === null)
      problems.push(`${path}.types[${index}]: ${JSON.stringify(type)} is not a DNS record type`);
  });
  return (text === null ? [] : readPattern(text, `${path}.pattern`, problems)).map((pattern) => ({ pattern, types }));
}

function readPattern(text: string, path: string, problems: string[]): readonly Pattern[] {
  const parsed = parsePattern(text);
  if (parsed.ok) return [parsed.pattern];
  problems.push(...parsed.problems.map((problem) => `${path}: ${problem}`));
  return [];
}

const PARSED = new WeakMap<object, SpecResult<ZoneSpec> & { readonly within: string }>();

/**
 * `parseZone()` with a memory: a value is parsed once for as long as it is in memory, because a sweep and an update of
 * a name meet the same spec several times. It relies on specs never being changed in place.
 */
export function parseZoneOnce(spec: unknown, namespace: string): SpecResult<ZoneSpec> {
  if (typeof spec !== 'object' || spec === null) return parseZone(spec, namespace);
  const found = PARSED.get(spec);
  if (found?.within === namespace) return found;
  const result = { ...parseZone(spec, namespace), within: namespace };
  PARSED.set(spec, result);
  return result;
}
