// Names as Route 53 keeps and returns them: lower case, with a trailing dot, and every octet other than `a-z 0-9 - _`
// as `\ooo` (octal): `\052.example.com.`. A request may have a plain `*`; non-ASCII must be escaped or punycode.
// Source: Developer Guide "DNS domain name format". This file uses nothing of lib/dns, so that the two cannot share a
// mistake.
import { LABEL_OCTETS_MAX, NAME_OCTETS_MAX } from './limits.ts';

export type DomainNameResult =
  | { readonly ok: true; readonly name: string }
  | { readonly ok: false; readonly problem: string };

type LabelResult = { readonly ok: true; readonly label: string } | { readonly ok: false; readonly reason: string };

const OCTAL = /^[0-3][0-7]{2}$/;

/** Reads a name, its trailing dot optional. The result is the name as Route 53 returns it, or a FATAL problem text. */
export function parseDomainName(text: string): DomainNameResult {
  if (text === '.') return { ok: true, name: '.' };
  const body = text.endsWith('.') && !text.endsWith('\\.') ? text.slice(0, -1) : text;
  const labels: string[] = [];
  for (const raw of body.split('.')) {
    const result = parseLabel(raw);
    if (!result.ok) return fatal(result.reason, text);
    labels.push(result.label);
  }
  const octets = labels.reduce((sum, label) => sum + label.length + 1, 1);
  if (octets > NAME_OCTETS_MAX) return fatal('DomainNameTooLong (Domain name is too long)', text);
  return { ok: true, name: formatLabels(labels) };
}

function fatal(reason: string, text: string): DomainNameResult {
  return { ok: false, problem: `FATAL problem: ${reason} encountered with '${text}'` };
}

function parseLabel(raw: string): LabelResult {
  let label = '';
  for (let at = 0; at < raw.length; at += 1) {
    const char = raw.charAt(at);
    const code = raw.charCodeAt(at);
    if (char === '\\') {
      const digits = raw.slice(at + 1, at + 4);
      if (!OCTAL.test(digits)) return { ok: false, reason: 'InvalidEscape (Value contains an invalid escape code)' };
      label += String.fromCharCode(Number.parseInt(digits, 8));
      at += 3;
    } else if (code <= 32 || code >= 127) {
      return { ok: false, reason: 'UnsupportedCharacter (Value contains unsupported characters)' };
    } else {
      label += char;
    }
  }
  if (label === '') return { ok: false, reason: 'DomainLabelEmpty (Domain label is empty)' };
  if (label.length > LABEL_OCTETS_MAX) return { ok: false, reason: 'DomainLabelTooLong (Domain label is too long)' };
  return { ok: true, label: label.replace(/[A-Z]/g, (letter) => letter.toLowerCase()) };
}

function formatLabels(labels: readonly string[]): string {
  const escaped = labels.map((label) =>
    label.replace(/[^a-z0-9_-]/g, (char) => `\\${char.charCodeAt(0).toString(8).padStart(3, '0')}`),
  );
  return `${escaped.join('.')}.`;
}

/** The labels of a kept name as octets (one character each, latin1), leftmost first; the root has none. */
export function labelsOfDomainName(name: string): string[] {
  if (name === '.') return [];
  return name
    .slice(0, -1)
    .split('.')
    .map((label) => label.replace(/\\([0-7]{3})/g, (_, digits) => String.fromCharCode(Number.parseInt(digits, 8))));
}

/** The sort key of ListResourceRecordSets: labels reversed, joined and ended by a dot, compared as ASCII. */
export function recordNameSortKey(name: string): string {
  return `${labelsOfDomainName(name).reverse().join('.')}.`;
}

/** The sort key of ListHostedZonesByName: labels reversed, in the escaped form in which they are kept. */
export function zoneNameSortKey(name: string): string {
  return `${name.slice(0, -1).split('.').reverse().join('.')}.`;
}

/** True when a kept name is the zone's own or lies below it. */
export function isInZone(name: string, zoneName: string): boolean {
  return name === zoneName || name.endsWith(`.${zoneName}`);
}

/** ASCII order, for names, keys and identifiers. */
export function compareAscii(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
