// Parses, compares and orders domain names. A canonical name is lower case and absolute, and ends in a dot; the root is
// ".". Names are compared in the canonical order of RFC 4034 §6.1. Reversed keys sort bytewise in the same order, so a
// subtree is a range of keys.
//
// A name in Route 53 that zone53 did not write may have any octet. Route 53 shows unusual octets as `\ooo`. The
// canonical text keeps this escape, so that the same name can be sent back. Names from objects have no escapes.
import { parseLabel } from './label.ts';
import { cannotParse } from './quote.ts';
import { realName } from './view.ts';

export type NameResult =
  | { readonly ok: true; readonly name: string }
  | { readonly ok: false; readonly problems: string[] };

/** `wildcard`: whether `*` may be the leftmost label. */
export type NameOptions = { readonly wildcard?: boolean };

/** Maximum octets of a name in wire form, with the length octet of the root (RFC 1035 §2.3.4). */
export const NAME_OCTETS_MAX = 255;

const PLAIN_NAME = /^(?:[a-z0-9_/-]{1,63}\.)+$/;

/** Parses an absolute name, with or without final dot, or returns all problems (RFC 1035 §2.3.1, RFC 4592 §2.1.1). */
export function parseName(text: string, options: NameOptions = {}): NameResult {
  return explain(text, readName(text, options));
}

/** Like `parseName`, but the problems do not quote the name: for messages that quote it themselves. */
export function readName(text: string, options: NameOptions = {}): NameResult {
  if (text === '.') return { ok: true, name: '.' };
  if (text.length < NAME_OCTETS_MAX && PLAIN_NAME.test(text)) return { ok: true, name: text };
  const { labels, problems } = parseLabels(text.endsWith('.') ? text.slice(0, -1) : text, options);
  return checkedName(`${labels.join('.')}.`, problems);
}

/** Parses labels relative to a Zone's name, such as "www" or "a.b", without a dot at the end. */
export function parseRelativeName(text: string, options: NameOptions = {}): NameResult {
  const { labels, problems } = parseLabels(text, options);
  return explain(text, checkedName(labels.join('.'), problems));
}

function parseLabels(body: string, options: NameOptions): { labels: string[]; problems: string[] } {
  if (body === '') return { labels: [], problems: ['it is empty'] };
  const problems: string[] = [];
  const labels = body.split('.').map((text, index) => {
    if (text.includes('*')) {
      if (text === '*' && index === 0 && options.wildcard === true) return text;
      problems.push(misplacedWildcard(text, index, options));
      return text;
    }
    const parsed = parseLabel(text);
    if (parsed.ok) return parsed.label;
    problems.push(`label ${index + 1} ${parsed.detail}`);
    return text;
  });
  return { labels, problems };
}

function misplacedWildcard(text: string, index: number, options: NameOptions): string {
  if (options.wildcard !== true)
    return `label ${index + 1} has a "*", which may only be the leftmost label of a Record`;
  if (text === '*') return `label ${index + 1} is "*", which may only be the leftmost label`;
  return `label ${index + 1} has a "*" beside other characters; "*" may only be the whole leftmost label`;
}

function explain(text: string, result: NameResult): NameResult {
  return result.ok ? result : { ok: false, problems: cannotParse('name', text, result.problems) };
}

function checkedName(name: string, problems: string[]): NameResult {
  if (problems.length === 0) {
    const octets = nameOctets(name);
    if (octets <= NAME_OCTETS_MAX) return { ok: true, name };
    problems.push(`it is ${octets} octets long, more than ${NAME_OCTETS_MAX}`);
  }
  return { ok: false, problems };
}

/** Octets of a name in wire form: a length octet for each label and the root, and the characters (RFC 1035 §3.1). */
export function nameOctets(name: string): number {
  const real = realName(name);
  const plain = real.includes('\\') ? real.replace(/\\[0-7]{3}/g, '-') : real;
  if (plain === '.' || plain === '') return 1;
  return plain.endsWith('.') ? plain.length + 1 : plain.length + 2;
}

/** The labels of a canonical name, leftmost first; none for the root. */
export function labelsOf(name: string): string[] {
  return name === '.' ? [] : name.slice(0, -1).split('.');
}

/** The name without its leftmost label; null for the root. */
export function parentOf(name: string): string | null {
  if (name === '.') return null;
  return name.slice(name.indexOf('.') + 1) || '.';
}

/** True when `name` is `ancestor` or lies in its subtree. Both canonical. */
export function isAtOrBelow(name: string, ancestor: string): boolean {
  return name === ancestor || isBelow(name, ancestor);
}

/** True when `name` lies strictly below `ancestor`. Both canonical. */
export function isBelow(name: string, ancestor: string): boolean {
  if (ancestor === '.') return name !== '.';
  return name.length > ancestor.length && name.endsWith(ancestor) && name[name.length - ancestor.length - 1] === '.';
}

/** Canonical order (RFC 4034 §6.1): by labels from the right, a name before those below it. Returns <0, 0 or >0. */
export function compareNames(a: string, b: string): number {
  if (a === b) return 0;
  // Whole zones are sorted with this function, so it extracts a label only when it is needed.
  let endA = a === '.' ? 0 : a.length - 1;
  let endB = b === '.' ? 0 : b.length - 1;
  while (endA > 0 && endB > 0) {
    const startA = a.lastIndexOf('.', endA - 1) + 1;
    const startB = b.lastIndexOf('.', endB - 1) + 1;
    const x = a.slice(startA, endA);
    const y = b.slice(startB, endB);
    if (x !== y) return x < y ? -1 : 1;
    endA = startA - 1;
    endB = startB - 1;
  }
  return Math.max(endA, 0) - Math.max(endB, 0);
}

/** Labels from the right, a space after each ("org example www "). Sorts as `compareNames`; a subtree is a prefix. */
export function reversedKey(name: string): string {
  return labelsOf(name)
    .reverse()
    .map((label) => `${label} `)
    .join('');
}

export function nameOfReversedKey(key: string): string {
  if (key === '') return '.';
  return `${key.slice(0, -1).split(' ').reverse().join('.')}.`;
}

/** The octets of a label in canonical text: letters in lower case, unusual octets as `\ooo`. */
export function canonicalOctets(octets: Iterable<number>): string {
  return Array.from(octets, (octet) => {
    const character = String.fromCharCode(octet);
    const lower = /^[A-Z]$/.test(character) ? character.toLowerCase() : character;
    return /^[a-z0-9_*/-]$/.test(lower) ? lower : octalEscape(lower);
  }).join('');
}

/** One character (an octet) as `\ooo`. */
export function octalEscape(character: string): string {
  return `\\${character.charCodeAt(0).toString(8).padStart(3, '0')}`;
}

/** The names strictly above a name, the longest first, without the DNS root. */
export function ancestorsOf(fqdn: string): string[] {
  const labels = labelsOf(fqdn);
  return labels.slice(1).map((_, index) => `${labels.slice(index + 1).join('.')}.`);
}
