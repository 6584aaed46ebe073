// TXT (RFC 1035 §3.3.14) and SPF (RFC 4408 §3.1.1). Text that begins with a quote is a list of quoted strings with the
// escapes of zone files. Any other text is one string, and its backslashes are literal. Strings longer than 255 octets
// are split.
import { quote } from '../names/quote.ts';
import { formatString, isQuoted, STRING_OCTETS_MAX, splitTokens, stringWire, tokenOctets } from './character-string.ts';
import type { ParsedRdata } from './fields.ts';

/** Parses TXT or SPF rdata. */
export function parseText(text: string, problems: string[]): ParsedRdata | null {
  const strings = isQuoted(text) ? readQuoted(text, problems) : [Buffer.from(text, 'utf8')];
  if (strings === null) return null;
  const pieces = strings.flatMap(splitString);
  const octets = Buffer.concat(pieces.map(stringWire));
  return { text: pieces.map(formatString).join(' '), octets };
}

function readQuoted(text: string, problems: string[]): readonly Uint8Array[] | null {
  const tokens = splitTokens(text, problems);
  if (tokens === null) return null;
  const strings = tokens.map((token, index) => {
    if (isQuoted(token)) return tokenOctets(token, `string ${index + 1}`, problems);
    problems.push(`${quote(token)} is outside the quotes`);
    return null;
  });
  const present = strings.filter((string) => string !== null);
  return present.length === strings.length ? present : null;
}

function splitString(string: Uint8Array): readonly Uint8Array[] {
  if (string.length <= STRING_OCTETS_MAX) return [string];
  const pieces: Uint8Array[] = [];
  for (let at = 0; at < string.length; at += STRING_OCTETS_MAX)
    pieces.push(string.subarray(at, at + STRING_OCTETS_MAX));
  return pieces;
}
