// Parses the spec of a DNSRecord. It follows Gardener's validation, with its field paths and words, and also refuses
// what Gardener allows and Route 53 does not. All problems are found at once; each ends in ERR_CONFIGURATION_PROBLEM.
import { parseName } from '../../dns/names/name.ts';
import type { RecordSet } from '../../dns/record-set.ts';
import { isObjectName } from '../../objects/object-ref.ts';
import { at, mapping } from '../../objects/plain.ts';
import { TTL_SECONDS_MAX } from '../../objects/spec-fields.ts';
import { exceededLimit } from '../../route53/record-set-limits.ts';
import { recordSetsOf } from './content.ts';
import type { DnsRecord } from './dns-record.ts';
import { domainNameProblems } from './domain-name.ts';
import { forbidden, invalid, notSupported, required, wrongType } from './field-errors.ts';
import { type DnsRecordType, parseValue, RECORD_TYPES } from './values.ts';

/** The TTL of a DNSRecord that gives none. */
const DEFAULT_TTL_SECONDS = 120;

/** The Secret with the credentials. */
export type SecretRef = { readonly namespace: string; readonly name: string };

/** A valid spec. */
export type DnsRecordSpec = {
  /** Canonical, with the final dot. */
  readonly name: string;
  readonly recordType: DnsRecordType;
  /** Id of the hosted zone, without `/hostedzone/`; null: it must be found. */
  readonly zone: string | null;
  readonly region: string | null;
  readonly secretRef: SecretRef;
  readonly recordSets: readonly RecordSet[];
};

export type SpecResult =
  | { readonly ok: true; readonly spec: DnsRecordSpec }
  | { readonly ok: false; readonly problems: readonly string[] };

type Read = Pick<DnsRecord, 'ref' | 'annotations' | 'spec'>;
type Values = Readonly<Record<string, unknown>>;

/** Parses the spec, or returns all problems. It never throws. */
export function parseDnsRecord({ ref, annotations, spec }: Read): SpecResult {
  if (spec !== undefined && spec !== null && (typeof spec !== 'object' || Array.isArray(spec))) {
    return { ok: false, problems: [wrongType('spec', spec, 'object')] };
  }
  const problems: string[] = [];
  const fields = mapping(spec);
  if (readSpecText(fields, 'type', problems) === '') problems.push(required('spec.type', 'field is required'));
  const secretRef = readSecretRef(fields, ref.namespace, problems);
  const region = readSpecRegion(fields, problems);
  const zone = readSpecZone(fields, problems);
  const name = readSpecText(fields, 'name', problems);
  const typeText = readSpecText(fields, 'recordType', problems);
  if (name !== null) problems.push(...nameProblems(name, typeText));
  const recordType = RECORD_TYPES.find((type) => type === typeText);
  if (typeText !== null && recordType === undefined)
    problems.push(notSupported('spec.recordType', typeText, RECORD_TYPES));
  const values = readValues(fields, recordType, problems);
  const ttlSeconds = readTtl(fields, problems);
  if (problems.length > 0 || name === null || recordType === undefined) return { ok: false, problems };
  const asked = { name: `${name}.`, recordType, values, ttlSeconds };
  const recordSets = recordSetsOf(asked, annotations);
  const tooMuch = recordSets.flatMap(({ type, content }) => exceededLimit(type, content) ?? []);
  if (tooMuch.length > 0) return { ok: false, problems: tooMuch.map((limit) => forbidden('spec.values', limit)) };
  return { ok: true, spec: { name: asked.name, recordType, zone, region, secretRef, recordSets } };
}

/** The Secret that a spec names, even if the spec is invalid otherwise; null if it names none. */
export function secretRefOf({ ref, spec }: Pick<DnsRecord, 'ref' | 'spec'>): SecretRef | null {
  const secretRef = readSecretRef(mapping(spec), ref.namespace, []);
  return secretRef.name === '' ? null : secretRef;
}

/**
 * Why the Secret may not or cannot be read; null if it may. `namespaces`: those allowed; null: all. The API server
 * refuses some names that no Secret can have, and takes others for paths.
 */
export function secretRefProblem({ namespace, name }: SecretRef, namespaces: readonly string[] | null): string | null {
  if (!isObjectName(name)) return invalid('spec.secretRef.name', name, 'no Secret can have this name');
  if (!isObjectName(namespace) || namespace.includes('.'))
    return invalid('spec.secretRef.namespace', namespace, 'no namespace can have this name');
  if (namespaces === null || namespaces.includes(namespace)) return null;
  return forbidden(
    'spec.secretRef.namespace',
    `Secrets of the namespace ${JSON.stringify(namespace)} may not be read; add it to sources.dnsRecords.secretNamespaces`,
  );
}

/** Why a change of name or type is refused: the published record would be left behind. Null if neither changed. */
export function identityProblem(
  applied: Pick<DnsRecordSpec, 'name' | 'recordType'>,
  { spec }: Pick<DnsRecord, 'spec'>,
): string | null {
  const was: Values = { name: applied.name.slice(0, -1), recordType: applied.recordType };
  const problems = Object.keys(was).flatMap((key) => {
    const now = at(spec, key);
    return now === was[key] ? [] : [invalid(`spec.${key}`, now, 'field is immutable')];
  });
  return problems.length === 0 ? null : joinProblems(problems);
}

/** The most problems in a message. It is twice in the status, and an object has at most 1.5 MiB. */
const PROBLEMS_MAX = 100;

/** Several problems as one message. */
export function joinProblems(problems: readonly string[]): string {
  const [first, ...others] = problems;
  const more = problems.length - PROBLEMS_MAX;
  const shown = more > 0 ? [...problems.slice(0, PROBLEMS_MAX), `and ${more} more`] : problems;
  return others.length === 0 ? (first ?? '') : `[${shown.join(', ')}]`;
}

/** A string; empty if it is absent, null for another type, which is a problem. */
function readSpecText(fields: Values, key: string, problems: string[], path = `spec.${key}`): string | null {
  const value = at(fields, key) ?? '';
  if (typeof value === 'string') return value;
  problems.push(wrongType(path, value, 'string'));
  return null;
}

/** A string that may be absent but not empty. */
function readOptional(fields: Values, key: string, problems: string[]): string | null {
  const given = at(fields, key) ?? null;
  if (given === null) return null;
  if (given !== '') return readSpecText(fields, key, problems);
  problems.push(invalid(`spec.${key}`, given, 'field cannot be empty if specified'));
  return null;
}

function readSpecRegion(fields: Values, problems: string[]): string | null {
  const text = readOptional(fields, 'region', problems);
  if (text === null || isRegion(text)) return text;
  problems.push(invalid('spec.region', text, 'must be a region of AWS, such as eu-west-1'));
  return null;
}

/** True for a text that can be a region in the name of an AWS endpoint. */
export function isRegion(text: string): boolean {
  return /^[a-z0-9]([a-z0-9-]{0,30}[a-z0-9])?$/.test(text);
}

function readSpecZone(fields: Values, problems: string[]): string | null {
  const text = readOptional(fields, 'zone', problems);
  if (text === null) return null;
  const id = hostedZoneId(text);
  if (id === null) {
    const detail = 'must be the id of a hosted zone of Route 53, such as Z0123456789ABCDEFGHIJ';
    problems.push(invalid('spec.zone', text, detail));
  }
  return id;
}

/** The id of a hosted zone, with or without the prefix of Route 53's API; null for any other text. */
export function hostedZoneId(text: string): string | null {
  return /^(?:\/?hostedzone\/)?([A-Za-z0-9]{1,32})$/.exec(text)?.[1] ?? null;
}

/** Reads the reference. An empty namespace means the object's own. */
function readSecretRef(fields: Values, namespace: string, problems: string[]): SecretRef {
  const given = at(fields, 'secretRef') ?? {};
  if (typeof given !== 'object' || Array.isArray(given)) {
    problems.push(wrongType('spec.secretRef', given, 'object'));
    return { namespace, name: '' };
  }
  const inner = mapping(given);
  const name = readSpecText(inner, 'name', problems, 'spec.secretRef.name');
  if (name === '') problems.push(required('spec.secretRef.name', 'field is required'));
  const of = readSpecText(inner, 'namespace', problems, 'spec.secretRef.namespace') ?? '';
  return { namespace: of === '' ? namespace : of, name: name ?? '' };
}

/** Gardener removes one leading `_` of a TXT's name, and one leading `*.` of any other. */
function nameProblems(name: string, recordType: string | null): readonly string[] {
  const body = recordType === 'TXT' ? name.replace(/^_/, '') : name.replace(/^\*\./, '');
  const problems = domainNameProblems('spec.name', body);
  if (problems.length > 0) return problems;
  if (name.endsWith('.')) {
    return [invalid('spec.name', name, `must not end in a dot; write ${JSON.stringify(name.slice(0, -1))}`)];
  }
  const parsed = parseName(name, { wildcard: true });
  return parsed.ok ? [] : parsed.problems.map((problem) => invalid('spec.name', name, problem));
}

function readValues(fields: Values, type: DnsRecordType | undefined, problems: string[]): readonly string[] {
  const given: unknown = at(fields, 'values') ?? [];
  if (!Array.isArray(given)) {
    problems.push(wrongType('spec.values', given, 'array'));
    return [];
  }
  if (given.length === 0) problems.push(required('spec.values', 'field is required'));
  if (type === 'CNAME' && given.length > 1) {
    problems.push(invalid('spec.values', given, 'CNAME records must have a single value'));
  }
  return given.flatMap((value: unknown, index): string[] => {
    const path = `spec.values[${index}]`;
    if (typeof value !== 'string') {
      problems.push(wrongType(path, value, 'string'));
      return [];
    }
    if (type === undefined) return [];
    const parsed = parseValue(type, path, value);
    if (parsed.ok) return [parsed.rdata];
    problems.push(...parsed.problems);
    return [];
  });
}

/** Seconds; 0 stays 0. */
function readTtl(fields: Values, problems: string[]): number {
  const given = at(fields, 'ttl') ?? DEFAULT_TTL_SECONDS;
  if (typeof given !== 'number' || !Number.isInteger(given)) problems.push(wrongType('spec.ttl', given, 'integer'));
  else if (given < 0 || given > TTL_SECONDS_MAX) {
    problems.push(invalid('spec.ttl', given, `must be between 0 and ${TTL_SECONDS_MAX}, inclusive`));
  } else return given;
  return DEFAULT_TTL_SECONDS;
}
