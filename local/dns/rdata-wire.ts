// Encodes rdata from Route 53's value syntax to wire octets, for each of its 17 types. dns-packet has no SVCB or HTTPS
// and reads text as UTF-8, so all types are encoded here, one line of layout each. Names are not compressed (RFC 3597
// §4). Syntax: Developer Guide "Supported DNS record types": escapes are octal `\ooo`, `\"` and `\\`. A value that
// cannot be encoded throws: Route 53 would have refused it, so the caller passed a wrong zone.
import ipaddr from 'ipaddr.js';
import { encodeRoute53Name } from './octet-name.ts';
import { encodeServiceBinding } from './service-binding-wire.ts';
import { octetsOfString, tokensOf } from './value-tokens.ts';

type Encode = (tokens: readonly string[]) => readonly Buffer[];

const name = (token: string): Buffer => encodeRoute53Name(token);
const hex = (tokens: readonly string[]): Buffer => Buffer.from(tokens.join(''), 'hex');
const texts: Encode = (tokens) => tokens.map((token) => characterString(octetsOfString(token)));

const ENCODERS: Readonly<Record<string, readonly [fieldsMin: number, encode: Encode]>> = {
  A: [1, ([address = '']) => [Buffer.from(ipaddr.IPv4.parse(address).toByteArray())]],
  AAAA: [1, ([address = '']) => [Buffer.from(ipaddr.IPv6.parse(address).toByteArray())]],
  CAA: [3, ([flags, tag = '', value = '']) => [u8(flags), characterString(octets(tag)), octetsOfString(value)]],
  CNAME: [1, ([host = '']) => [name(host)]],
  DS: [4, ([keyTag, algorithm, digestType, ...digest]) => [u16(keyTag), u8(algorithm), u8(digestType), hex(digest)]],
  HTTPS: [2, encodeServiceBinding],
  MX: [2, ([preference, host = '']) => [u16(preference), name(host)]],
  NAPTR: [
    6,
    ([order, preference, flags = '', service = '', regexp = '', replacement = '']) => [
      u16(order),
      u16(preference),
      ...texts([flags, service, regexp]),
      name(replacement),
    ],
  ],
  NS: [1, ([host = '']) => [name(host)]],
  PTR: [1, ([host = '']) => [name(host)]],
  SOA: [7, ([mname = '', rname = '', ...timers]) => [name(mname), name(rname), ...timers.map((timer) => u32(timer))]],
  SPF: [1, texts],
  SRV: [4, ([priority, weight, port, host = '']) => [u16(priority), u16(weight), u16(port), name(host)]],
  SSHFP: [3, ([algorithm, kind, ...fingerprint]) => [u8(algorithm), u8(kind), hex(fingerprint)]],
  SVCB: [2, encodeServiceBinding],
  TLSA: [4, ([usage, selector, matching, ...data]) => [u8(usage), u8(selector), u8(matching), hex(data)]],
  TXT: [1, texts],
};

/** The rdata of one value, without its length. Throws on a type or value that Route 53 does not accept. */
export function encodeRdata(type: string, value: string): Buffer {
  const [fieldsMin, encode] = ENCODERS[type] ?? [0, null];
  if (encode === null) throw new Error(`Cannot encode rdata of type ${JSON.stringify(type)}: not one of Route 53's`);
  try {
    const tokens = tokensOf(value);
    if (tokens.length < fieldsMin) throw new Error(`${tokens.length} fields, ${fieldsMin} needed`);
    return Buffer.concat(encode(tokens));
  } catch (error) {
    const detail = error instanceof Error ? error.message : String(error);
    throw new Error(`Cannot encode ${type} value ${JSON.stringify(value)}: ${detail}`, { cause: error });
  }
}

function octets(text: string): Buffer {
  return Buffer.from(text, 'latin1');
}

function characterString(text: Buffer): Buffer {
  if (text.length > 255) throw new Error('a string is longer than 255 octets');
  return Buffer.concat([Buffer.from([text.length]), text]);
}

function u8(text: string | undefined): Buffer {
  const buffer = Buffer.alloc(1);
  buffer.writeUInt8(number(text));
  return buffer;
}

function u16(text: string | undefined): Buffer {
  const buffer = Buffer.alloc(2);
  buffer.writeUInt16BE(number(text));
  return buffer;
}

function u32(text: string | undefined): Buffer {
  const buffer = Buffer.alloc(4);
  buffer.writeUInt32BE(number(text));
  return buffer;
}

function number(text: string | undefined): number {
  if (text === undefined || !/^\d+$/.test(text)) throw new Error(`${JSON.stringify(text)} is not a number`);
  return Number(text);
}
