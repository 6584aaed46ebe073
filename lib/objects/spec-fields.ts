// Reads an untrusted spec field by field, so that all problems are found at once and each says what to write
// instead. null counts as absent, as for an API server with nullable fields.
import { didYouMean } from '../dns/names/edit-distance.ts';
import { parseName, parseRelativeName } from '../dns/names/name.ts';
import { quote } from '../dns/names/quote.ts';
import { isNamespace, isObjectName } from './object-ref.ts';
import { isMapping } from './plain.ts';

/** Maximum TTL or timer, in seconds (RFC 2181 §8). */
export const TTL_SECONDS_MAX = 2_147_483_647;

/** A name in a spec: fully qualified, relative to the Zone of the zoneRef, or the name of that Zone itself (`@`). */
export type DomainName =
  | { readonly kind: 'full'; readonly fqdn: string }
  | { readonly kind: 'partial'; readonly labels: string }
  | { readonly kind: 'apex' };

/** The fields of one mapping, and the problems found so far. */
export type Fields = {
  readonly values: Readonly<Record<string, unknown>>;
  readonly path: string;
  readonly problems: string[];
};

/** A spec may have very many unknown fields; so many have advice. */
const ADVISED_MAX = 20;

/** Checks that the value is a mapping and has no fields but those in `known`. Returns null when it is no mapping. */
export function openFields(value: unknown, path: string, known: readonly string[], problems: string[]): Fields | null {
  if (!isMapping(value)) {
    problems.push(`${path}: expected a mapping, got ${describe(value)}`);
    return null;
  }
  const unknown = Object.keys(value).filter((key) => !known.includes(key));
  for (const [index, key] of unknown.entries()) {
    const advice = index < ADVISED_MAX ? didYouMean(key, known) : '';
    problems.push(`${path}.${key.toWellFormed()}: unknown field; the fields are ${known.join(', ')}${advice}`);
  }
  return { values: value, path, problems };
}

/** A field that must be a non-empty string. */
export function requiredText(fields: Fields, key: string): string | null {
  const value = fields.values[key];
  if (isText(value)) return value;
  const isMissing = value === undefined || value === null;
  const problem = isMissing ? ' is required' : `: expected a string that is not empty, got ${describe(value)}`;
  fields.problems.push(`${fields.path}.${key}${problem}`);
  return null;
}

/** A field that may be absent. A value that `isRight` refuses is a problem, and null. */
export function optional<Value>(
  { values, path, problems }: Fields,
  key: string,
  isRight: (value: unknown) => value is Value,
  expected: string,
): Value | null {
  const value = values[key];
  if (value === undefined || value === null) return null;
  if (isRight(value)) return value;
  problems.push(`${path}.${key}: expected ${expected}, got ${describe(value)}${whatToWrite(value, isRight)}`);
  return null;
}

/** A string that may be absent. */
export function optionalText(fields: Fields, key: string): string | null {
  return optional(fields, key, isText, 'a string that is not empty');
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

/** True or false; null when absent. */
export function optionalBoolean(fields: Fields, key: string): boolean | null {
  return optional(fields, key, (value) => typeof value === 'boolean', 'true or false');
}

/** A test for whole numbers of a range. */
export function isWhole(min: number, max: number) {
  return (value: unknown): value is number => Number.isInteger(value) && Number(value) >= min && Number(value) <= max;
}

/** Whole seconds from 0 to 2147483647; null when absent. */
export function optionalSeconds(fields: Fields, key: string): number | null {
  return optional(fields, key, isWhole(0, TTL_SECONDS_MAX), `whole seconds from 0 to ${TTL_SECONDS_MAX}`);
}

/** A list of strings that are not empty. An absent list is empty. */
export function textList(fields: Fields, key: string): readonly string[] {
  return list(fields, key).flatMap((item, index) => {
    if (isText(item)) return [item];
    fields.problems.push(`${fields.path}.${key}[${index}]: expected a string that is not empty, got ${describe(item)}`);
    return [];
  });
}

/** A list of any values. An absent list is empty. */
export function list(fields: Fields, key: string): readonly unknown[] {
  return optional(fields, key, (value) => Array.isArray(value), 'a list') ?? [];
}

/** Reads `domainName` and `zoneRef`. A fully qualified name must have no zoneRef; any other must have one. */
export function nameAndReference(
  fields: Fields,
  namespace: string,
  allow: { readonly wildcard: boolean; readonly apex: boolean },
): { readonly domainName: DomainName | null; readonly zoneRef: string | null } {
  const zoneRef = readReference(fields, namespace);
  const text = requiredText(fields, 'domainName');
  if (text === null) return { domainName: null, zoneRef };
  const domainName = readDomainName(fields, text, allow);
  const refGiven = fields.values.zoneRef !== undefined && fields.values.zoneRef !== null;
  if (text.endsWith('.') && refGiven) {
    fields.problems.push(
      `${fields.path}.domainName: ${quote(text)} is fully qualified and there is a zoneRef: remove the zoneRef, or write a name relative to its Zone, without the last dot`,
    );
  }
  const meant = text.trim();
  if (!meant.endsWith('.') && !refGiven) {
    fields.problems.push(
      `${fields.path}.domainName: ${quote(text)} is partial and there is no zoneRef: end it in a dot (${quote(`${meant === '@' ? 'example.org' : meant}.`)}), or add a zoneRef`,
    );
  }
  return { domainName, zoneRef };
}

function readReference(fields: Fields, namespace: string): string | null {
  const value = fields.values.zoneRef;
  if (value === undefined || value === null) return null;
  const inner = openFields(value, `${fields.path}.zoneRef`, ['name', 'namespace'], fields.problems);
  if (inner === null) return null;
  const before = fields.problems.length;
  const [name, given] = [requiredText(inner, 'name'), optionalText(inner, 'namespace')];
  if (name !== null && !isObjectName(name)) fields.problems.push(`${inner.path}.name: ${refuseObjectName(name)}`);
  if (given !== null && !isNamespace(given)) fields.problems.push(`${inner.path}.namespace: ${refuseNamespace(given)}`);
  return fields.problems.length > before ? null : `${given ?? namespace}/${name}`;
}

/** Why no object has this name (RFC 1123, as an API server holds it). */
function refuseObjectName(name: string): string {
  return `no object can have the name ${quote(name)}; a name has 1 to 253 lower case letters, digits, "-" and ".", and a letter or digit at both ends of each part between two dots`;
}

/** Why no namespace has this name. */
function refuseNamespace(namespace: string): string {
  return `no namespace can have the name ${quote(namespace)}; a name has 1 to 63 lower case letters, digits and "-", and a letter or digit at both ends`;
}

function readDomainName(fields: Fields, text: string, allow: { wildcard: boolean; apex: boolean }): DomainName | null {
  if (text === '@') {
    if (allow.apex) return { kind: 'apex' };
    fields.problems.push(`${fields.path}.domainName: "@" is for a Record; a Zone needs one label at least`);
    return null;
  }
  const meant = text.trim();
  if (meant !== text) {
    fields.problems.push(`${fields.path}.domainName: ${quote(text)} has white space around it: write ${quote(meant)}`);
    return null;
  }
  const full = text.endsWith('.');
  const parsed = full
    ? parseName(text, { wildcard: allow.wildcard })
    : parseRelativeName(text, { wildcard: allow.wildcard });
  if (!parsed.ok) {
    fields.problems.push(...parsed.problems.map((problem) => `${fields.path}.domainName: ${problem}`));
    return null;
  }
  if (full && parsed.name === '.') {
    fields.problems.push(`${fields.path}.domainName: "." is the DNS root, which cannot be published`);
    return null;
  }
  return full ? { kind: 'full', fqdn: parsed.name } : { kind: 'partial', labels: parsed.name };
}

/** Seconds of the units of a duration, such as 1h30m. */
const UNITS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400, w: 604_800 };
const DURATION = /^(?:[0-9]{1,9}[smhdw])+$/i;

/** The right value that a wrong one stands for; empty: none is known. */
function whatToWrite(value: unknown, isRight: (value: unknown) => boolean): string {
  if (typeof value !== 'string') return '';
  const text = value.trim();
  if (/^-?[0-9]{1,15}$/.test(text) && isRight(Number(text))) return `; remove the quotes: ${Number(text)}`;
  const percent = /^([0-9]{1,3}) ?%$/.exec(text)?.[1];
  if (percent !== undefined && isRight(Number(percent))) return `; write ${Number(percent)}`;
  if (DURATION.test(text) && isRight(secondsOf(text))) return `; write ${secondsOf(text)}`;
  if (/^(?:true|yes|on)$/i.test(text) && isRight(true)) return '; write true, without quotes';
  if (/^(?:false|no|off)$/i.test(text) && isRight(false)) return '; write false, without quotes';
  return isRight([value]) ? `; write a list: [${JSON.stringify(shorten(value))}]` : '';
}

function secondsOf(duration: string): number {
  const parts = duration.toLowerCase().matchAll(/([0-9]+)([smhdw])/g);
  return parts.reduce((sum, [, count, unit = 's']) => sum + Number(count) * (UNITS[unit] ?? 0), 0);
}

/** A short description of a value, for messages. */
export function describe(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (value === null) return 'null';
  if (typeof value === 'string') return `the string ${JSON.stringify(shorten(value))}`;
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object') return isTemplate(value) ? TEMPLATE : 'a mapping';
  return `${typeof value} ${String(value)}`;
}

const TEMPLATE = 'a template in {{ }}: render it before, as "helm template" does, or write the value itself';

/** `{{ .Values.ip }}` is a mapping in YAML, with a mapping as its key. */
function isTemplate(value: object): boolean {
  const [key, ...others] = Object.keys(value);
  return others.length === 0 && key?.startsWith('{ ') === true && (value as Record<string, unknown>)[key] === null;
}

/** At most 80 characters of an untrusted text. */
function shorten(text: string): string {
  return text.length <= 80 ? text : `${text.slice(0, 77)}...`;
}

export type SpecResult<Spec> =
  | { readonly ok: true; readonly spec: Spec }
  | { readonly ok: false; readonly problems: readonly string[] };
