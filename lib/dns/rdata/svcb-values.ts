// Values of SVCB parameters in wire form (RFC 9460 §7, §8): which octets are valid for a key, and their canonical text.
// The same rules apply whether the key was written as a name or as keyNNNNN.
import ipaddr from 'ipaddr.js';
import { escapeOctets } from './character-string.ts';

/** The numbers of the keys that have names. */
export const KEYS = {
  mandatory: 0,
  alpn: 1,
  noDefaultAlpn: 2,
  port: 3,
  ipv4hint: 4,
  ech: 5,
  ipv6hint: 6,
  dohpath: 7,
} as const;

/** Why the octets are not valid for the key; null if they are. */
export function wrongWire(key: number, value: Uint8Array): string | null {
  switch (key) {
    case KEYS.mandatory:
      return wrongMandatory(value);
    case KEYS.alpn:
      return alpnIdentifiers(value) === null ? 'is not a list of protocols' : null;
    case KEYS.noDefaultAlpn:
      return value.length > 0 ? 'must have no value' : null;
    case KEYS.port:
      return value.length === 2 ? null : 'is not a port';
    case KEYS.ipv4hint:
      return value.length > 0 && value.length % 4 === 0 ? null : 'is not a list of IPv4 addresses';
    case KEYS.ipv6hint:
      return value.length > 0 && value.length % 16 === 0 ? null : 'is not a list of IPv6 addresses';
    case KEYS.ech:
    case KEYS.dohpath:
      return value.length > 0 ? null : 'must have a value';
    default:
      return value.length <= 65_535 ? null : 'is longer than 65535 octets';
  }
}

/** The keys must be sorted and unique, and "mandatory" must not be one of them (RFC 9460 §8). */
function wrongMandatory(value: Uint8Array): string | null {
  if (value.length === 0 || value.length % 2 === 1) return 'is not a list of keys';
  const keys = mandatoryKeys(value);
  if (keys.includes(0)) return 'lists mandatory itself, which is not allowed';
  return keys.every((key, index) => index === 0 || key > (keys[index - 1] as number))
    ? null
    : 'lists a key twice or out of order';
}

/** The canonical text of a valid value that is not empty; null for a key without a text form. */
export function formatWire(key: number, value: Uint8Array, keyName: (key: number) => string): string | null {
  switch (key) {
    case KEYS.mandatory:
      return mandatoryKeys(value).map(keyName).join(',');
    case KEYS.alpn:
      return formatAlpn(alpnIdentifiers(value) ?? []);
    case KEYS.port:
      return String(Buffer.from(value).readUInt16BE(0));
    case KEYS.ipv4hint:
      return slices(value, 4)
        .map((address) => address.join('.'))
        .join(',');
    case KEYS.ipv6hint:
      return slices(value, 16)
        .map((address) => new ipaddr.IPv6([...address]).toRFC5952String())
        .join(',');
    case KEYS.ech:
      return Buffer.from(value).toString('base64');
    default:
      return null;
  }
}

/** Escapes the items of the list first, and then the character string around it (RFC 9460 appendix A.1). */
function formatAlpn(identifiers: readonly Uint8Array[]): string {
  const list = identifiers.map((id) => Buffer.from(id).toString('latin1').replace(/[\\,]/g, '\\$&')).join(',');
  return `"${escapeOctets(Buffer.from(list, 'latin1'), '"')}"`;
}

function alpnIdentifiers(value: Uint8Array): readonly Uint8Array[] | null {
  const identifiers: Uint8Array[] = [];
  for (let at = 0; at < value.length; ) {
    const length = value[at] as number;
    if (length === 0 || at + 1 + length > value.length) return null;
    identifiers.push(value.subarray(at + 1, at + 1 + length));
    at += 1 + length;
  }
  return identifiers.length === 0 ? null : identifiers;
}

function mandatoryKeys(value: Uint8Array): number[] {
  return slices(value, 2).map((octets) => Buffer.from(octets).readUInt16BE(0));
}

function slices(value: Uint8Array, octets: number): Uint8Array[] {
  return Array.from({ length: value.length / octets }, (_, index) =>
    value.subarray(index * octets, (index + 1) * octets),
  );
}
