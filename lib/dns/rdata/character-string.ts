// Character strings of zone files (RFC 1035 §5.1), with or without quotes. `\DDD` is the octet with that decimal
// number, and `\X` is X itself. The canonical form has quotes, and escapes for all octets that are not printable ASCII.
// The form of Route 53 differs only in its escapes, which are octal.
import { quote } from '../names/quote.ts';

/** Maximum octets of a character string (RFC 1035 §3.3). */
export const STRING_OCTETS_MAX = 255;

/**
 * Splits at spaces outside quotes. A token that begins with a quote ends at the closing quote. Tokens keep their quotes
 * and escapes. If a quote is not closed, that is a problem.
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
      problems.push('a quote is not closed');
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

export function isQuoted(token: string): boolean {
  return token.startsWith('"');
}

/** The octets of a token with or without quotes. Characters outside ASCII become UTF-8. */
export function tokenOctets(token: string, field: string, problems: string[]): Uint8Array | null {
  const quoted = isQuoted(token);
  const body = quoted ? token.slice(1, -1) : token;
  if (body.replace(/\\./gsu, '').includes('"')) {
    problems.push(`${field} ${quote(token)} has a quote inside it; write \\" for a quote`);
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
      problems.push(
        `${field} has the escape ${quote(piece)}; write exactly three digits after "\\", from \\000 to \\255`,
      );
    }
    return Buffer.from([Number(piece.slice(1)) & 0xff]);
  });
  return problems.length > before ? null : Buffer.concat(pieces);
}

/** Octets as a canonical character string, in quotes. */
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

/** A character string in wire form (RFC 1035 §3.3). Throws if it is too long. */
export function stringWire(octets: Uint8Array): Uint8Array {
  if (octets.length > STRING_OCTETS_MAX) throw new Error(`a character string of ${octets.length} octets`);
  return Buffer.concat([Buffer.from([octets.length]), octets]);
}

/** Replaces decimal escapes by Route 53's octal ones ("TXT record type" of its developer guide). */
export function decimalToOctal(text: string): string {
  return text.replace(/\\(?:([0-9]{3})|.)/gsu, (found, decimal?: string) =>
    decimal === undefined ? found : `\\${Number(decimal).toString(8).padStart(3, '0')}`,
  );
}

/** Replaces Route 53's octal escapes by decimal ones; null if one of them is not an octet. */
export function octalToDecimal(text: string): string | null {
  let valid = true;
  const decimal = text.replace(/\\(?:([0-9]{1,3})|.)/gsu, (found, digits?: string) => {
    if (digits === undefined) return found;
    if (!/^[0-3][0-7]{2}$/.test(digits)) valid = false;
    return `\\${String(Number.parseInt(digits, 8)).padStart(3, '0')}`;
  });
  return valid ? decimal : null;
}
