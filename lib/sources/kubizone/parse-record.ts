// Record.spec from an untrusted value: a RecordSpec, or every problem at once. Only what one object can know by itself
// is judged here; what needs other objects is judged by adoptRecord and settleName.
import { parseRdata } from '../../dns/rdata/rdata.ts';
import { CLASSES, typeNumber } from '../../dns/record-type.ts';
import type { RecordSpec } from '../../objects/endpoint.ts';

import { once } from '../../objects/parse-cache.ts';
import {
  nameAndReference,
  openFields,
  optionalSeconds,
  optionalText,
  requiredText,
  type SpecResult,
} from '../../objects/spec-fields.ts';

const FIELDS = ['domainName', 'zoneRef', 'type', 'class', 'ttl', 'rdata'];

/** Parses a Record's spec; `namespace` is the object's own, for a zoneRef without one. */
export function parseRecord(value: unknown, namespace: string): SpecResult<RecordSpec> {
  const problems: string[] = [];
  const fields = openFields(value, 'spec', FIELDS, problems);
  if (fields === null) return { ok: false, problems };
  const { domainName, zoneRef } = nameAndReference(fields, namespace, { wildcard: true, apex: true });
  const type = readType(requiredText(fields, 'type'), problems);
  const recordClass = readClass(optionalText(fields, 'class'), problems);
  const ttl = optionalSeconds(fields, 'ttl');
  const rdata = readRdata(type, recordClass, requiredText(fields, 'rdata'), problems);
  if (type === 'DS' && domainName?.kind === 'apex') {
    problems.push(
      'spec.domainName: a DS belongs to the Zone above the one it signs, never to that Zone\'s own apex "@"',
    );
  }
  if (problems.length > 0 || domainName === null || type === null || recordClass === null || rdata === null) {
    return { ok: false, problems };
  }
  return { ok: true, spec: { domainName, zoneRef, type, class: recordClass, ttl, rdata } };
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

function readRdata(
  type: string | null,
  recordClass: string | null,
  text: string | null,
  problems: string[],
): string | null {
  if (type === null || text === null) return null;
  // The presentation of A and its like is defined for class IN; another class is never published, so it is kept as it stands.
  if (recordClass !== null && recordClass !== 'IN') return text.trim() === '' ? emptyRdata(problems) : text.trim();
  const parsed = parseRdata(type, text);
  if (parsed.ok) return parsed.rdata;
  problems.push(...parsed.problems.map((problem) => `spec.rdata: ${problem}`));
  return null;
}

function emptyRdata(problems: string[]): null {
  problems.push('spec.rdata: expected a string that is not empty');
  return null;
}

/** `parseRecord`, which it remembers. */
export const parseRecordOnce = once<RecordSpec>(parseRecord);
