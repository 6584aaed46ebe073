// Record.spec from an untrusted value: an Endpoint, or every problem at once. Only what one object can know by itself
// is judged here; what needs other objects is judged by adoptEndpoint and settleName.
import { parseRdata } from '../../dns/rdata/rdata.ts';
import { CLASSES, typeNumber } from '../../dns/record-type.ts';
import type { Endpoint } from '../../objects/endpoint.ts';
import { once } from '../../objects/parse-cache.ts';
import type { Source } from '../../objects/source.ts';
import {
  type Fields,
  nameAndReference,
  openFields,
  optionalSeconds,
  optionalText,
  requiredText,
  type SpecResult,
  textList,
} from '../../objects/spec-fields.ts';

const FIELDS = ['domainName', 'zoneRef', 'type', 'class', 'ttl', 'rdata', 'values'];
/** Values of one Record at most: what one record set of Route 53 holds. */
const VALUES_MAX = 400;

/** Parses a Record's spec; `namespace` is the object's own, for a zoneRef without one. */
export function parseRecord(value: unknown, namespace: string): SpecResult<Endpoint> {
  const problems: string[] = [];
  const fields = openFields(value, 'spec', FIELDS, problems);
  if (fields === null) return { ok: false, problems };
  const { domainName, zoneRef } = nameAndReference(fields, namespace, { wildcard: true, apex: true });
  const type = readType(requiredText(fields, 'type'), problems);
  const recordClass = readClass(optionalText(fields, 'class'), problems);
  const ttl = optionalSeconds(fields, 'ttl');
  const values = readValues(fields, type, recordClass);
  if (type === 'DS' && domainName?.kind === 'apex') {
    problems.push(
      'spec.domainName: a DS belongs to the Zone above the one it signs, never to that Zone\'s own apex "@"',
    );
  }
  if (problems.length > 0 || domainName === null || type === null || recordClass === null || values.length === 0) {
    return { ok: false, problems };
  }
  return { ok: true, spec: { domainName, zoneRef, type, class: recordClass, ttl, values } };
}

function readType(text: string | null, problems: string[]): string | null {
  if (text === null) return null;
  const type = text.toUpperCase();
  if (typeNumber(type) !== null) return type;
  problems.push(
    `spec.type: ${JSON.stringify(text)} is no DNS record type; write one such as A, AAAA, CNAME, MX or TXT`,
  );
  return null;
}

function readClass(text: string | null, problems: string[]): string | null {
  const recordClass = (text ?? 'IN').toUpperCase();
  if ((CLASSES as readonly string[]).includes(recordClass)) return recordClass;
  problems.push(`spec.class: ${JSON.stringify(text)} is no DNS class; leave it out, or write IN`);
  return null;
}

/** `rdata` or `values`, exactly one of the two: canonical, each value once. Empty where anything of it is wrong. */
function readValues(fields: Fields, type: string | null, recordClass: string | null): readonly string[] {
  const { problems, values } = fields;
  const isGiven = (key: string) => values[key] !== undefined && values[key] !== null;
  if (isGiven('rdata') && isGiven('values')) {
    problems.push('spec.values: there is spec.rdata as well; write all values into values, and drop rdata');
    return [];
  }
  if (!isGiven('values')) {
    if (Array.isArray(values.rdata)) {
      problems.push('spec.rdata: expected one value, a string; write a list as spec.values, in place of rdata');
      return [];
    }
    return readRdata('spec.rdata', type, recordClass, requiredText(fields, 'rdata'), problems);
  }
  const texts = textList(fields, 'values');
  const count = Array.isArray(values.values) ? values.values.length : 1;
  if (count === 0 || count > VALUES_MAX) problems.push(`spec.values: expected 1 to ${VALUES_MAX} values, got ${count}`);
  const read = texts.map((text, index) => readRdata(`spec.values[${index}]`, type, recordClass, text, problems));
  const distinct = [...new Set(read.flat())];
  if (type === 'CNAME' && distinct.length > 1) {
    problems.push(`spec.values: a CNAME has one value, got ${distinct.length} (RFC 1034 §3.6.2)`);
  }
  return distinct;
}

/** One value; none where it is wrong. */
function readRdata(
  path: string,
  type: string | null,
  recordClass: string | null,
  text: string | null,
  problems: string[],
): readonly string[] {
  if (type === null || text === null) return [];
  // The presentation of A and its like is defined for class IN; another class is never published, so it is kept as it stands.
  if (recordClass !== null && recordClass !== 'IN') {
    if (text.trim() !== '') return [text.trim()];
    problems.push(`${path}: expected a string that is not empty`);
    return [];
  }
  const parsed = parseRdata(type, text);
  if (parsed.ok) return [parsed.rdata];
  problems.push(...parsed.problems.map((problem) => `${path}: ${problem}`));
  return [];
}

const parseOnce = once<Endpoint>(parseRecord);

/** Record, the kind of its own: one object, one endpoint. */
export const RECORD: Source = {
  kind: 'Record',
  group: 'kubi.zone',
  version: 'v1alpha1',
  resource: 'records',
  status: 'subresource',
  pageSize: 500,
  endpointsOf: ({ ref, spec }) => {
    const parsed = parseOnce(spec, ref.namespace);
    return parsed.ok ? { ok: true, spec: [parsed.spec] } : parsed;
  },
};
