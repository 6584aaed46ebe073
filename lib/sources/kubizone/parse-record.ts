// Parses Record.spec from an untrusted value into an Endpoint, or into all problems at once. Only what the object alone
// can show is checked here; adoptEndpoint and resolveName check what needs other objects.
import { labelsOf } from '../../dns/names/name.ts';
import { parseRdata } from '../../dns/rdata/rdata.ts';
import { CLASSES, typeMeant, typeNumber } from '../../dns/record-type.ts';
import { annotationNotes } from '../../objects/annotations.ts';
import type { Endpoint, EndpointAlias } from '../../objects/endpoint.ts';
import { parseAlias } from '../../objects/endpoint-spec/alias-spec.ts';
import { parseRouting } from '../../objects/endpoint-spec/routing-spec.ts';
import type { Source } from '../../objects/source.ts';
import {
  describe,
  type Fields,
  list,
  nameAndReference,
  openFields,
  optionalSeconds,
  optionalText,
  requiredText,
  type SpecResult,
} from '../../objects/spec-fields.ts';
import { annotationOfRecord, readViews } from '../../objects/views.ts';
import { VALUES_MAX, valueTooLong } from '../../route53/record-set-limits.ts';

const FIELDS = ['domainName', 'zoneRef', 'type', 'class', 'ttl', 'rdata', 'values', 'alias', 'routing', 'views'];
const ALIAS_PATHS = { alias: 'spec.alias', type: 'spec.type' };

/** `views`: in which views it asks for its name. Absent: it does not say. */
type RecordSpec = Endpoint & { readonly views?: readonly string[] };

/** Parses a Record's spec; `namespace` is the object's own, for a zoneRef without one. */
export function parseRecord(value: unknown, namespace: string): SpecResult<RecordSpec> {
  const problems: string[] = [];
  const fields = openFields(value, 'spec', FIELDS, problems);
  if (fields === null) return { ok: false, problems };
  const { domainName, zoneRef } = nameAndReference(fields, namespace, { wildcard: true, apex: true });
  const type = readType(requiredText(fields, 'type'), problems);
  const recordClass = readClass(optionalText(fields, 'class'), problems);
  const ttl = optionalSeconds(fields, 'ttl');
  const isAlias = (fields.values.alias ?? null) !== null;
  const values = isAlias ? [] : readValues(fields, type, recordClass);
  const alias = isAlias ? readAlias(fields, type) : null;
  const isRouted = (fields.values.routing ?? null) !== null;
  const routing = isRouted ? parseRouting(fields.values.routing, { type, isAlias }, 'spec.routing', problems) : null;
  const views = readViews(fields);
  if (type === 'DS' && domainName?.kind === 'apex') {
    problems.push(
      'spec.domainName: a DS belongs to the Zone above the one it signs, never to that Zone\'s own apex "@"',
    );
  }
  if (domainName?.kind === 'full' && alias !== null) checkTarget(domainName.fqdn, alias, problems);
  if (problems.length > 0 || domainName === null || type === null || recordClass === null) {
    return { ok: false, problems };
  }
  const endpoint = { domainName, zoneRef, type, class: recordClass, ttl, values };
  const more = { ...(alias === null ? {} : { alias }), ...(routing === null ? {} : { routing }) };
  return { ok: true, spec: { ...endpoint, ...more, ...(views === null ? {} : { views }) } };
}

/** Reads `alias`, which replaces `rdata` and `values`. It has no TTL: Route 53 answers with its target's. */
function readAlias(fields: Fields, type: string | null): EndpointAlias | null {
  const { problems, values } = fields;
  for (const key of ['rdata', 'values']) {
    if ((values[key] ?? null) !== null) problems.push(`spec.alias: there is ${key} as well; keep one of the two`);
  }
  if ((values.ttl ?? null) !== null) {
    problems.push("spec.ttl: an alias has its target's TTL; remove ttl");
  }
  return parseAlias(values.alias, type, ALIAS_PATHS, problems);
}

/**
 * Checks the target of an alias as far as that needs no Zone. No alias may lead to itself, whatever its hosted zone. A
 * Zone lies below one top-level domain, so a target in its hosted zone has the same one.
 */
function checkTarget(name: string, { target, hostedZoneId }: EndpointAlias, problems: string[]): void {
  if (target === name) {
    problems.push(`spec.alias.target: ${name} is the record's own name; write another`);
  } else if (hostedZoneId === null && labelsOf(target).at(-1) !== labelsOf(name).at(-1)) {
    problems.push(
      `spec.alias.hostedZoneId is required: ${target} is not the name of an AWS service that zone53 knows, and no hosted zone can have both it and ${name}; if it is of AWS, write the id of its hosted zone, else write its values into rdata, or a CNAME save at the name of a Zone`,
    );
  }
}

function readType(text: string | null, problems: string[]): string | null {
  if (text === null) return null;
  const type = text.toUpperCase();
  if (typeNumber(type) !== null) return type;
  problems.push(`spec.type: ${JSON.stringify(text)} is not a DNS record type; ${typeMeant(text)}`);
  return null;
}

function readClass(text: string | null, problems: string[]): string | null {
  const recordClass = (text ?? 'IN').toUpperCase();
  if ((CLASSES as readonly string[]).includes(recordClass)) return recordClass;
  problems.push(`spec.class: ${JSON.stringify(text)} is not a DNS class; leave it out, or write IN`);
  return null;
}

/** Reads `rdata` or `values`, exactly one of them: canonical, each value once. Empty if any part is invalid. */
function readValues(fields: Fields, type: string | null, recordClass: string | null): readonly string[] {
  const { problems, values } = fields;
  const [rdata, several] = [values.rdata ?? null, values.values ?? null];
  if (rdata === null && several === null) {
    problems.push('spec.rdata: it is missing; write one value into rdata, several into the list values, or an alias');
    return [];
  }
  if (rdata !== null && several !== null) {
    problems.push('spec.values: there is rdata as well; write every value into values, and remove rdata');
    return [];
  }
  if (several !== null) return readList(fields, type, recordClass);
  if (Array.isArray(rdata)) {
    problems.push('spec.rdata: expected one value, a string, got a list; write the list as values, and remove rdata');
    return [];
  }
  const text = requiredText(fields, 'rdata');
  const read = readRdata('spec.rdata', type, recordClass, text, problems);
  if (read.length === 0 && type !== null && text !== null && !parseRdata(type, text).ok && holdsSeveral(type, text)) {
    problems.push('spec.rdata: it holds several values; write them as the list values, and remove rdata');
  }
  return read;
}

function readList(fields: Fields, type: string | null, recordClass: string | null): readonly string[] {
  const { problems } = fields;
  const items = list(fields, 'values');
  if (Array.isArray(fields.values.values) && (items.length === 0 || items.length > VALUES_MAX)) {
    problems.push(`spec.values: expected 1 to ${VALUES_MAX} values, got ${items.length}`);
    return [];
  }
  const read = items.flatMap((item, index) => {
    const path = `spec.values[${index}]`;
    if (typeof item === 'string' && item !== '') return readRdata(path, type, recordClass, item, problems);
    problems.push(`${path}: expected a string that is not empty, got ${describe(item)}`);
    return [];
  });
  const distinct = [...new Set(read)];
  if (type === 'CNAME' && distinct.length > 1) {
    problems.push(`spec.values: a CNAME has one value, got ${distinct.length} (RFC 1034 §3.6.2)`);
  }
  return distinct;
}

/** True for invalid rdata that would be valid if it were split at commas, semicolons, line ends or spaces. */
function holdsSeveral(type: string, text: string): boolean {
  if (type === 'CNAME') return false;
  return [/[,;\r\n]+/, /[,;\s]+/].some((separator) => {
    const parts = text.split(separator).filter((part) => part.trim() !== '');
    return parts.length > 1 && parts.length <= VALUES_MAX && parts.every((part) => parseRdata(type, part).ok);
  });
}

/** Reads one value; none if it is invalid. */
function readRdata(
  path: string,
  type: string | null,
  recordClass: string | null,
  text: string | null,
  problems: string[],
): readonly string[] {
  if (type === null || text === null) return [];
  // The text format of A and similar types is defined for class IN. Another class is never published, so its text is
  // kept.
  if (recordClass !== null && recordClass !== 'IN') {
    if (text.trim() !== '') return [text.trim()];
    problems.push(`${path}: expected a string that is not empty`);
    return [];
  }
  const parsed = parseRdata(type, text);
  const tooLong = parsed.ok ? valueTooLong(type, parsed.rdata) : null;
  if (tooLong !== null) {
    problems.push(`${path}: ${tooLong}`);
    return [];
  }
  if (parsed.ok) return [parsed.rdata];
  problems.push(...parsed.problems.map((problem) => `${path}: ${problem}`));
  return [];
}

/** The source of Records: one endpoint for each object. */
export const RECORD: Source = {
  kind: 'Record',
  group: 'kubi.zone',
  version: 'v1alpha1',
  resource: 'records',
  status: 'subresource',
  key: null,
  endpointsOf: (object) => {
    const parsed = parseRecord(object.spec, object.ref.namespace);
    if (!parsed.ok) return parsed;
    const wrong = annotationOfRecord(object);
    if (wrong !== null) return { ok: false, problems: [wrong] };
    const { views, ...others } = parsed.spec;
    // A copy of every Record takes more memory than the Record.
    const endpoint = views === undefined ? parsed.spec : others;
    const notes = annotationNotes(object, false);
    const noted = notes.length === 0 ? endpoint : { ...endpoint, note: notes.join('; ') };
    return { ok: true, endpoints: [noted], ...(views !== undefined && { views }) };
  },
};
