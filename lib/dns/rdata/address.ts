// A (RFC 1035 §3.4.1) and AAAA (RFC 3596 §2.4). IPv4 is four decimal octets without leading zeros, because some
// software reads those as octal. IPv6 is written as in RFC 5952, without a zone index.
import ipaddr from 'ipaddr.js';
import { quote } from '../names/quote.ts';
import { whatToRemove } from './almost-host.ts';
import type { ParsedRdata } from './fields.ts';

const OCTET = '(?:0|[1-9][0-9]?|1[0-9][0-9]|2[0-4][0-9]|25[0-5])';
const IPV4 = new RegExp(`^${OCTET}(?:\\.${OCTET}){3}$`);
const IPV4_AT_END = new RegExp(`(?<=:)${OCTET}(?:\\.${OCTET}){3}$`);

/** Parses an IPv4 address. */
export function parseA(text: string, problems: string[]): ParsedRdata | null {
  const address = readIpv4(text.trim());
  if (address === null)
    problems.push(`expected an IPv4 address, four numbers from 0 to 255 without leading zeros${meant(text)}`);
  return address;
}

/** Parses an IPv6 address. */
export function parseAaaa(text: string, problems: string[]): ParsedRdata | null {
  const trimmed = text.trim();
  const address = readIpv6(trimmed);
  if (address === null) {
    const zoned = trimmed.includes('%')
      ? `; DNS has no zone index: remove ${quote(trimmed.slice(trimmed.indexOf('%')))}`
      : '';
    problems.push(`expected an IPv6 address${zoned === '' ? meant(text) : zoned}`);
  }
  return address;
}

/** What may have been meant by a text that is no address of this type; empty if that is not known. */
function meant(text: string): string {
  const trimmed = text.trim();
  if (readIpv4(trimmed) !== null) return '; it is an IPv4 address, for type A';
  if (readIpv6(trimmed) !== null) return '; it is an IPv6 address, for type AAAA';
  if (HOST.test(trimmed)) return '; it is a host name, for type CNAME or an alias';
  return MENDABLE.test(trimmed) ? `; ${whatToRemove(trimmed)}` : '';
}

const HOST = /^(?:[a-z0-9_-]+\.)+[a-z][a-z0-9-]+\.?$/i;
/** A URL, an address with a port or a prefix, or a template. */
const MENDABLE = /:\/\/|[.\]]\S*:[0-9]+$|^[0-9a-f.:]+\/[0-9]{1,3}$|\{\{|\$\{/i;

/** An IPv4 address, or null. */
export function readIpv4(text: string): ParsedRdata | null {
  return IPV4.test(text) ? { text, octets: Buffer.from(text.split('.').map(Number)) } : null;
}

/** An IPv6 address, or null. */
export function readIpv6(text: string): ParsedRdata | null {
  // ipaddr.js 2.5.0 reads "::1.2.3.4" as "::ffff:1.2.3.4", so the IPv4 part is turned into two groups first.
  const groups = text.replace(IPV4_AT_END, (ipv4) => {
    const [a, b, c, d] = ipv4.split('.').map(Number) as [number, number, number, number];
    return `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`;
  });
  if (!/^[0-9A-Fa-f:]+$/.test(groups) || !ipaddr.IPv6.isValid(groups)) return null;
  const address = ipaddr.IPv6.parse(groups);
  return { text: address.toRFC5952String(), octets: Buffer.from(address.toByteArray()) };
}
