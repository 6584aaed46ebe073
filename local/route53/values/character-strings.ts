// The quoted character strings of TXT, SPF, CAA and NAPTR values. Route 53's escapes are octal (`\ooo`), where a zone
// file's are decimal; a quote is `\"`, a backslash `\\`. Octets 0-37 and 177-377 (octal) must be escaped, a space need
// not. Source: Developer Guide "Supported DNS record types" (TXT). Last verified 2026-11-21.
import { CHARACTER_STRING_OCTETS_MAX } from './limits.ts';

export type CharacterStringsResult =
  | { readonly ok: true /** One entry a string, each character one octet. */; readonly strings: readonly string[] }
  | { readonly ok: false; readonly reason: string };

type OneString =
  | { readonly ok: true; readonly octets: string; readonly next: number }
  | { readonly ok: false; readonly reason: string };

export const NOT_QUOTED = 'InvalidCharacterString (Value should be enclosed in quotation marks)';
const UNSUPPORTED = 'UnsupportedCharacter (Value contains unsupported characters)';
const BAD_ESCAPE = 'InvalidCharacterString (Value contains an invalid escape code)';
const TOO_LONG = 'CharacterStringTooLong (Value is too long)';

/** Reads one or more quoted strings separated by spaces, or says why Route 53 would refuse them. */
export function parseCharacterStrings(value: string): CharacterStringsResult {
  const strings: string[] = [];
  let at = 0;
  while (at < value.length) {
    const one = parseQuoted(value, at);
    if (!one.ok) return one;
    if (one.octets.length > CHARACTER_STRING_OCTETS_MAX) return { ok: false, reason: TOO_LONG };
    strings.push(one.octets);
    at = one.next;
    if (at < value.length && value[at] !== ' ') return { ok: false, reason: NOT_QUOTED };
    while (value[at] === ' ') at += 1;
  }
  return strings.length === 0 ? { ok: false, reason: NOT_QUOTED } : { ok: true, strings };
}

/** Reads the one quoted string that begins at `start`; `next` is the position after its closing quote. */
function parseQuoted(value: string, start: number): OneString {
  if (value[start] !== '"') return { ok: false, reason: NOT_QUOTED };
  let octets = '';
  for (let at = start + 1; at < value.length; at += 1) {
    const char = value.charAt(at);
    const code = value.charCodeAt(at);
    if (char === '"') return { ok: true, octets, next: at + 1 };
    if (code < 32 || code > 126) return { ok: false, reason: UNSUPPORTED };
    if (char !== '\\') {
      octets += char;
      continue;
    }
    const escaped = /^(?:[0-3][0-7]{2}|["\\])/.exec(value.slice(at + 1, at + 4))?.[0];
    if (escaped === undefined) return { ok: false, reason: BAD_ESCAPE };
    octets += escaped.length === 3 ? String.fromCharCode(Number.parseInt(escaped, 8)) : escaped;
    at += escaped.length;
  }
  return { ok: false, reason: NOT_QUOTED };
}

/** Splits a value at spaces, keeping quoted strings (with their quotes and escapes) whole. */
export function splitFields(value: string): string[] {
  return value.match(/"(?:\\.|[^"\\])*"|[^\s"]+(?:"(?:\\.|[^"\\])*"?)?|"/g) ?? [];
}
