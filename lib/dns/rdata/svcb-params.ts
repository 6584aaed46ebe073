// The parameters of SVCB and HTTPS (RFC 9460 §2.1, §7, §8, appendix A; RFC 9461 for dohpath). Each is parsed into its
// wire form, and its canonical text is made from that. `alpn=h2` and `key1="\002h2"` mean the same, so they have the
// same canonical text.
import { quote } from '../names/quote.ts';
import { readIpv4, readIpv6 } from './address.ts';
import { formatString, tokenOctets } from './character-string.ts';
import { numberOctets } from './fields.ts';
import { formatWire, KEYS, wrongWire } from './svcb-values.ts';

/** One parameter: its key's number and its value in wire form. */
export type Param = { readonly key: number; readonly value: Uint8Array };

/** The names, by number. */
const NAMES = ['mandatory', 'alpn', 'no-default-alpn', 'port', 'ipv4hint', 'ech', 'ipv6hint', 'dohpath'];
/** 65535 is reserved as the invalid key (RFC 9460 §14.3.2). */
const KEY_MAX = 65_534;

/** The name of a key, or keyNNNNN. */
export function keyName(key: number): string {
  return NAMES[key] ?? `key${key}`;
}

function parseKey(text: string): number | null {
  const known = NAMES.indexOf(text);
  if (known >= 0) return known;
  const generic = /^key(0|[1-9][0-9]{0,4})$/.exec(text);
  return generic !== null && Number(generic[1]) <= KEY_MAX ? Number(generic[1]) : null;
}

/** Parses `key`, `key=value` or `key="value"`. */
export function parseParam(token: string, problems: string[]): Param | null {
  const equals = token.indexOf('=');
  const name = equals < 0 ? token : token.slice(0, equals);
  const key = parseKey(name);
  if (key === null) {
    problems.push(
      `${quote(name)} is not a parameter; the parameters are ${NAMES.join(', ')} and key0 to key${KEY_MAX}`,
    );
    return null;
  }
  const octets = tokenOctets(equals < 0 ? '' : token.slice(equals + 1), name, problems);
  if (octets === null) return null;
  const noted: string[] = [];
  const value = name.startsWith('key') ? octets : parseValue(key, octets, noted);
  const wrong = value !== null && noted.length === 0 ? wrongWire(key, value) : null;
  if (wrong !== null) noted.push(wrong);
  problems.push(...noted.map((problem) => `${name} ${quote(Buffer.from(octets).toString('utf8'))} ${problem}`));
  return value === null || noted.length > 0 ? null : { key, value };
}

/** The canonical text of a parameter. */
export function formatParam({ key, value }: Param): string {
  if (value.length === 0) return keyName(key);
  return `${keyName(key)}=${formatWire(key, value, keyName) ?? formatString(value)}`;
}

function parseValue(key: number, octets: Uint8Array, problems: string[]): Uint8Array | null {
  const text = Buffer.from(octets).toString('latin1');
  switch (key) {
    case KEYS.mandatory:
      return parseMandatory(text, problems);
    case KEYS.alpn:
      return parseAlpn(text, problems);
    case KEYS.port:
      return parsePort(text, problems);
    case KEYS.ipv4hint:
      return parseAddresses(text, 'IPv4', problems);
    case KEYS.ipv6hint:
      return parseAddresses(text, 'IPv6', problems);
    case KEYS.ech:
      return parseBase64(text, problems);
    default:
      return octets;
  }
}

function parseMandatory(text: string, problems: string[]): Uint8Array | null {
  const keys = text.split(',').map((name) => {
    const key = parseKey(name);
    if (key === null) problems.push(`lists ${quote(name)}, which is not a parameter`);
    return key ?? 0;
  });
  return Buffer.concat(keys.sort((a, b) => a - b).map((key) => numberOctets(key, 2)));
}

/** A comma-separated list with its own escapes: `\,` and `\\` (RFC 9460 appendix A.1). */
function parseAlpn(text: string, problems: string[]): Uint8Array | null {
  const identifiers: string[] = [''];
  for (const piece of text.match(/\\[\\,]|./gs) ?? []) {
    if (piece === ',') identifiers.push('');
    else if (piece === '\\') problems.push('has a "\\" before a character other than "," and "\\"');
    else identifiers.push(`${identifiers.pop() ?? ''}${piece.slice(-1)}`);
  }
  if (identifiers.some(({ length }) => length === 0)) problems.push('has an empty protocol');
  if (identifiers.some(({ length }) => length > 255)) problems.push('has a protocol of more than 255 octets');
  if (problems.length > 0) return null;
  return Buffer.concat(identifiers.map((id) => Buffer.concat([numberOctets(id.length, 1), Buffer.from(id, 'latin1')])));
}

function parsePort(text: string, problems: string[]): Uint8Array | null {
  if (/^[0-9]{1,5}$/.test(text) && Number(text) <= 65_535) return numberOctets(Number(text), 2);
  problems.push('is not a whole number from 0 to 65535');
  return null;
}

function parseAddresses(text: string, family: 'IPv4' | 'IPv6', problems: string[]): Uint8Array | null {
  const read = family === 'IPv4' ? readIpv4 : readIpv6;
  const addresses = text.split(',').map((address) => {
    const parsed = read(address);
    if (parsed === null) problems.push(`lists ${quote(address)}, which is not an ${family} address`);
    return parsed?.octets ?? new Uint8Array();
  });
  return Buffer.concat(addresses);
}

function parseBase64(text: string, problems: string[]): Uint8Array | null {
  const octets = Buffer.from(text, 'base64');
  if (text !== '' && octets.toString('base64') === text) return octets;
  problems.push('is not base64 with padding (RFC 4648 §4)');
  return null;
}
