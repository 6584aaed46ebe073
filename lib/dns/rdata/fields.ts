// Reads the fields of rdata: whole numbers, hexadecimal, host names. Each function returns the canonical text and its
// octets in wire form. If the field is invalid, it adds a problem that names the field, and returns null.
import { labelsOf, readName } from '../names/name.ts';
import { quote } from '../names/quote.ts';
import { whatToRemove, whyNoHost } from './almost-host.ts';

/** The canonical text and the wire form of the data of a record (RFC 1035 §3.3, §5.1). */
export type ParsedRdata = { readonly text: string; readonly octets: Uint8Array };

/** Parses the rdata of one type. If it is invalid, adds its problems and returns null. */
export type ParseRdata = (text: string, problems: string[]) => ParsedRdata | null;

/** Splits `text` into as many fields as `expected` has words. `joinLast`: further fields are joined to the last. */
export function splitFields(
  text: string,
  expected: string,
  problems: string[],
  joinLast = false,
): readonly string[] | null {
  const fields = text.trim().split(/[ \t\r\n]+/);
  const count = expected.split(' ').length;
  const joined =
    joinLast && fields.length > count ? [...fields.slice(0, count - 1), fields.slice(count - 1).join('')] : fields;
  if (joined.length === count && joined[0] !== '') return joined;
  problems.push(`expected ${quote(expected)}`);
  return null;
}

/** A whole number from 0 to 2^(8·octets) - 1, or to `max`. */
export function readNumber(
  text: string,
  field: string,
  octets: 1 | 2 | 4,
  problems: string[],
  max = 2 ** (8 * octets) - 1,
): ParsedRdata | null {
  const value = /^[0-9]{1,20}$/.test(text) ? Number(text) : Number.NaN;
  if (value <= max) return { text: String(value), octets: numberOctets(value, octets) };
  problems.push(`${field} ${quote(text)} is not a whole number from 0 to ${max}`);
  return null;
}

/** A number in network order. */
export function numberOctets(value: number, octets: 1 | 2 | 4): Uint8Array {
  const buffer = Buffer.alloc(octets);
  buffer.writeUIntBE(value, 0, octets);
  return buffer;
}

/** Hexadecimal of at least one octet, in lower case. `octets`: the required number, if known. */
export function readHex(
  text: string,
  field: string,
  octets: number | undefined,
  problems: string[],
): ParsedRdata | null {
  const before = problems.length;
  if (!/^[0-9A-Fa-f]+$/.test(text)) problems.push(`${field} ${quote(text)} is not hexadecimal`);
  else if (text.length % 2 === 1) {
    problems.push(`${field} ${quote(text)} has an odd number of hexadecimal digits, ${text.length}`);
  } else if (octets !== undefined && text.length !== 2 * octets) {
    problems.push(`${field} ${quote(text)} has ${text.length} hexadecimal digits, its type needs ${2 * octets}`);
  }
  if (problems.length > before) return null;
  return { text: text.toLowerCase(), octets: Buffer.from(text, 'hex') };
}

/** An absolute host name, with or without its last dot. `root`: whether "." alone is allowed. */
export function readHost(text: string, field: string, root: boolean, problems: string[]): ParsedRdata | null {
  const parsed = readName(text);
  if (!parsed.ok) {
    const advice = whatToRemove(text);
    problems.push(
      ...(advice === '' ? parsed.problems : [advice]).map((problem) => `${field} ${quote(text)}: ${problem}`),
    );
    return null;
  }
  if (parsed.name === '.' && !root) {
    problems.push(`${field} "." is the DNS root, which is not a host`);
    return null;
  }
  const wrong = whyNoHost(parsed.name);
  if (wrong !== null) {
    const advice = whatToRemove(text);
    problems.push(`${field} ${quote(text)} ${advice === '' ? wrong : `is no host name: ${advice}`}`);
    return null;
  }
  return { text: parsed.name, octets: nameWire(parsed.name) };
}

/** A canonical name in wire form, uncompressed (RFC 1035 §3.1). */
export function nameWire(name: string): Uint8Array {
  const labels = labelsOf(name).flatMap((label) => [Buffer.from([label.length]), Buffer.from(label, 'latin1')]);
  return Buffer.concat([...labels, Buffer.from([0])]);
}

/** Joins the fields; null if one of them is null. */
export function joinFields(fields: readonly (ParsedRdata | null)[]): ParsedRdata | null {
  const present = fields.filter((field) => field !== null);
  if (present.length < fields.length) return null;
  return {
    text: present.map(({ text }) => text).join(' '),
    octets: Buffer.concat(present.map(({ octets }) => octets)),
  };
}
