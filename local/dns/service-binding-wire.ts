// SVCB and HTTPS rdata (RFC 9460 §2.2): priority, target, then the parameters by rising key number, each as key, length
// and value. The value of a list (alpn, mandatory, hints) is first decoded as a string and then split at commas. In
// alpn, a comma or backslash that is part of an item is escaped once more (appendix A.1).
import ipaddr from 'ipaddr.js';
import { encodeRoute53Name } from './octet-name.ts';
import { octetsOfString } from './value-tokens.ts';

const KEYS = ['mandatory', 'alpn', 'no-default-alpn', 'port', 'ipv4hint', 'ech', 'ipv6hint', 'dohpath', 'ohttp'];

/** The parts of an SVCB's rdata from the fields of its value. */
export function encodeServiceBinding(fields: readonly string[]): readonly Buffer[] {
  const [priority = '', target = '', ...params] = fields;
  const encoded = params.map(encodeParam).sort((a, b) => a.key - b.key);
  return [
    u16(priority),
    encodeRoute53Name(target),
    ...encoded.flatMap(({ key, value }) => [word(key), word(value.length), value]),
  ];
}

function encodeParam(field: string): { readonly key: number; readonly value: Buffer } {
  const at = field.indexOf('=');
  const name = at < 0 ? field : field.slice(0, at);
  const octets = at < 0 ? Buffer.alloc(0) : octetsOfString(field.slice(at + 1));
  return { key: keyNumber(name), value: paramValue(name, octets) };
}

function paramValue(name: string, octets: Buffer): Buffer {
  const text = octets.toString('latin1');
  switch (name) {
    case 'mandatory':
      return Buffer.concat(
        text
          .split(',')
          .map(keyNumber)
          .sort((a, b) => a - b)
          .map(word),
      );
    case 'alpn':
      return Buffer.concat(splitList(text).flatMap((id) => [Buffer.from([id.length]), Buffer.from(id, 'latin1')]));
    case 'port':
      return u16(text);
    case 'ipv4hint':
      return Buffer.concat(text.split(',').map((address) => Buffer.from(ipaddr.IPv4.parse(address).toByteArray())));
    case 'ipv6hint':
      return Buffer.concat(text.split(',').map((address) => Buffer.from(ipaddr.IPv6.parse(address).toByteArray())));
    case 'ech':
      return Buffer.from(text, 'base64');
    default:
      return octets;
  }
}

function splitList(text: string): string[] {
  const items = text.match(/(?:\\.|[^,\\])+/gs) ?? [];
  return items.map((item) => item.replace(/\\(.)/gs, '$1'));
}

function keyNumber(name: string): number {
  const known = KEYS.indexOf(name);
  if (known >= 0) return known;
  const digits = /^key(\d{1,5})$/.exec(name)?.[1];
  if (digits === undefined) throw new Error(`parameter ${JSON.stringify(name)} is not known`);
  return Number(digits);
}

function u16(text: string): Buffer {
  if (!/^\d+$/.test(text)) throw new Error(`${JSON.stringify(text)} is not a number`);
  return word(Number(text));
}

function word(number: number): Buffer {
  const buffer = Buffer.alloc(2);
  buffer.writeUInt16BE(number);
  return buffer;
}
