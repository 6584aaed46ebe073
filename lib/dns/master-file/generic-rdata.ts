// Rdata in the form of RFC 3597 §5, `\# 4 c0000201`: its length and its octets in hexadecimal. It is turned into the
// words that the type has in a master file, with absolute names.
import { escapeOctets, formatString } from '../rdata/character-string.ts';
import { type Field, layoutOf } from './rdata-layout.ts';
import type { Word } from './split-entries.ts';

type Result = { readonly ok: true; readonly text: string } | { readonly ok: false; readonly problem: string };

/** True for the word that begins such rdata. */
export function isGeneric(word: Word | undefined): boolean {
  return word !== undefined && !word.quoted && word.text === '\\#';
}

/** The text of `type` for the words after `\#`. */
export function readGeneric(type: string, [length, ...hex]: readonly Word[]): Result {
  const digits = hex.map(({ text }) => text).join('');
  if (length === undefined || !/^[0-9]{1,5}$/.test(length.text) || !/^(?:[0-9a-f]{2})*$/i.test(digits))
    return { ok: false, problem: 'expected "\\# <length> <hexadecimal>" (RFC 3597 §5)' };
  const octets = Buffer.from(digits, 'hex');
  if (octets.length !== Number(length.text))
    return { ok: false, problem: `it has ${octets.length} octets, and its length says ${length.text} (RFC 3597 §5)` };
  const text = readLayout(layoutOf(type), octets);
  return text === null
    ? { ok: false, problem: `its octets are no rdata of type ${type} (RFC 3597 §5)` }
    : { ok: true, text };
}

function readLayout(layout: readonly Field[], octets: Buffer): string | null {
  const words: string[] = [];
  let rest = octets;
  for (const field of layout) {
    const read = readField(field, rest);
    if (read === null) return null;
    words.push(read.text);
    rest = rest.subarray(read.length);
  }
  return rest.length > 0 ? null : words.join(' ');
}

type Read = { readonly text: string; readonly length: number } | null;

const NUMBER_OCTETS = { u8: 1, u16: 2, u32: 4, time: 4 } as const;

function readField(field: Field, octets: Buffer): Read {
  const all = (text: string): Read => ({ text, length: octets.length });
  switch (field) {
    case 'u8':
    case 'u16':
    case 'u32':
    case 'time': {
      const length = NUMBER_OCTETS[field];
      return octets.length < length ? null : { text: String(octets.readUIntBE(0, length)), length };
    }
    case 'name':
      return readWireName(octets);
    case 'string':
      return readCharacterString(octets, formatString);
    case 'tag':
      return readCharacterString(octets, (tag) => escapeOctets(tag, ' "();@$'));
    case 'strings':
      return readMany(octets, (rest) => readCharacterString(rest, formatString));
    case 'params':
      return octets.length === 0 ? all('') : readMany(octets, readParam);
    case 'rest':
      return all(formatString(octets));
    case 'hex':
      return all(octets.toString('hex'));
    case 'ipv4':
      return octets.length === 4 ? all([...octets].join('.')) : null;
    case 'ipv6':
      return octets.length === 16 ? all((octets.toString('hex').match(/.{4}/g) ?? []).join(':')) : null;
    default:
      return field satisfies never;
  }
}

function readCharacterString(octets: Buffer, format: (octets: Uint8Array) => string): Read {
  const length = octets[0];
  if (length === undefined || octets.length <= length) return null;
  return { text: format(octets.subarray(1, 1 + length)), length: 1 + length };
}

/** A parameter of SVCB by the number of its key (RFC 9460 §2.2). */
function readParam(octets: Buffer): Read {
  if (octets.length < 4) return null;
  const length = 4 + octets.readUInt16BE(2);
  if (octets.length < length) return null;
  return { text: `key${octets.readUInt16BE(0)}=${formatString(octets.subarray(4, length))}`, length };
}

/** One or more of these until nothing is left. */
function readMany(octets: Buffer, read: (octets: Buffer) => Read): Read {
  const words: string[] = [];
  let at = 0;
  do {
    const one = read(octets.subarray(at));
    if (one === null) return null;
    words.push(one.text);
    at += one.length;
  } while (at < octets.length);
  return { text: words.join(' '), length: at };
}

/** An uncompressed name in wire form (RFC 1035 §3.1), with its last dot. */
function readWireName(octets: Buffer): Read {
  let name = '';
  for (let at = 0; at < octets.length; ) {
    const length = octets[at] as number;
    if (length === 0) return { text: name === '' ? '.' : name, length: at + 1 };
    if (length > 63 || at + 1 + length > octets.length) return null;
    name += `${escapeOctets(octets.subarray(at + 1, at + 1 + length), ' ."();@$')}.`;
    at += 1 + length;
  }
  return null;
}
