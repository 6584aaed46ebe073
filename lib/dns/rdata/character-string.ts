// Character strings of zone files (RFC 1035 §5.1): bare or in quotes, `\DDD` for the octet of that decimal number, `\X`
// for X itself. The canonical form is quoted and escapes what is not printable ASCII. Route 53 writes the same escape
// in octal, and that is the only difference between the two forms.
import { quote } from '../names/quote.ts';

/** Octets of one character string at most (RFC 1035 §3.3). */
export const STRING_OCTETS_MAX = 255;

/**
 * Splits at spaces outside quotes. A token that begins with a quote ends at the closing one; tokens keep their quotes
 * and escapes. A quote left open is a problem.
 */
export function splitTokens(text: string, problems: string[]): readonly string[] | null {
  const tokens: string[] = [];
  let at = 0;
  while (at < text.length) {
    if (/[ \t\r\n]/.test(text[at] as string)) {
      at += 1;
      continue;
    }
    const end = tokenEnd(text, at);
    if (end === null) {
      problems.push('a quote is left open');
      return null;
    }
    tokens.push(text.slice(at, end));
    at = end;
  }
  return tokens;
}

function tokenEnd(text: string, start: number): number | null {
  let open = false;
  for (let at = start; at < text.length; at += 1) {
    const character = text[at] as string;
    if (character === '\\') at += 1;
    else if (character === '"') {
      if (open && text[start] === '"') return at + 1;
      open = !open;
    } else if (!open && /[ \t\r\n]/.test(character)) return at;
  }
  return open ? null : text.length;
}

/** True when the token stands in quotes. */
export function isQuoted(token: string): boolean {
  return token.startsWith('"');
}

/** The octets that a bare or quoted token means; characters beyond ASCII are their UTF-8. */
export function tokenOctets(token: string, field: string, problems: string[]): Uint8Array | null {
  const quoted = isQuoted(token);
  const body = quoted ? token.slice(1, -1) : token;
  if (body.replace(/\\./gsu, '').includes('"')) {
    problems.push(`${field} ${quote(token)} has a quote inside; write \\" for a quote`);
    return null;
  }
  return unescapeText(body, field, problems);
}

function unescapeText(body: string, field: string, problems: string[]): Uint8Array | null {
  const before = problems.length;
  const pieces = (body.match(/\\[0-9]{1,3}|\\.?|[^\\]+/gsu) ?? []).map((piece) => {
    if (!piece.startsWith('\\')) return Buffer.from(piece, 'utf8');
    if (!/^\\[0-9]/.test(piece)) {
      if (piece.length === 1) problems.push(`${field} ends in a "\\" with nothing after it`);
      return Buffer.from(piece.slice(1), 'utf8');
    }
    if (piece.length < 4 || Number(piece.slice(1)) > 255) {
      problems.push(`${field} has the escape ${quote(piece)}; a "\\" before a digit takes three, from \\000 to \\255`);
    }
    return Buffer.from([Number(piece.slice(1)) & 0xff]);
  });
  return problems.length > before ? null : Buffer.concat(pieces);
}

/** The canonical quoted form of some octets. */
export function formatString(octets: Uint8Array): string {
  return `"${escapeOctets(octets, '"')}"`;
}

/** Octets as text: `\DDD` for all but printable ASCII, and a "\" before itself and each character of `special`. */
export function escapeOctets(octets: Uint8Array, special: string): string {
  let text = '';
  for (const octet of octets) {
    const character = String.fromCharCode(octet);
    if (octet < 32 || octet > 126) text += `\\${String(octet).padStart(3, '0')}`;
    else text += character === '\\' || special.includes(character) ? `\\${character}` : character;
  }
  return text;
}

/** A character string in wire form; it must fit (RFC 1035 §3.3). */
export function stringWire(octets: Uint8Array): Uint8Array {
  if (octets.length > STRING_OCTETS_MAX) throw new Error(`a character string of ${octets.length} octets`);
  return Buffer.concat([Buffer.from([octets.length]), octets]);
}

/** Decimal escapes to Route 53's octal ones ("TXT record type" of its developer guide). */
export function decimalToOctal(text: string): string {
  return text.replace(/\\(?:([0-9]{3})|.)/gsu, (found, decimal?: string) =>
    decimal === undefined ? found : `\\${Number(decimal).toString(8).padStart(3, '0')}`,
  );
}

/** Route 53's octal escapes to decimal ones; null when one is no octet. */
export function octalToDecimal(text: string): string | null {
  let valid = true;
  const decimal = text.replace(/\\(?:([0-9]{1,3})|.)/gsu, (found, digits?: string) => {
    if (digits === undefined) return found;
    if (!/^[0-3][0-7]{2}$/.test(digits)) valid = false;
    return `\\${String(Number.parseInt(digits, 8)).padStart(3, '0')}`;
  });
  return valid ? decimal : null;
}
