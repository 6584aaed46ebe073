// The names of PTR records: an address, and the name below in-addr.arpa. or ip6.arpa. that belongs to it.
import { isAtOrBelow } from '../names/name.ts';
import { REVERSE_NAMES } from '../names/service-name.ts';
import { realName } from '../names/view.ts';
import { readIpv4, readIpv6 } from './address.ts';

/** A canonical address: IPv4 in four decimal numbers, IPv6 by RFC 5952. */
export type Address = { readonly type: 'A' | 'AAAA'; readonly text: string; readonly octets: Uint8Array };

/** Parses an address; null for any other text. */
export function readAddress(text: string): Address | null {
  const four = readIpv4(text);
  if (four !== null) return { type: 'A', ...four };
  const six = readIpv6(text);
  return six === null ? null : { type: 'AAAA', ...six };
}

/** The name of an address' PTR record (RFC 1035 §3.5, RFC 3596 §2.5). */
export function reverseName({ type, octets }: Address): string {
  const reversed = [...octets].reverse();
  if (type === 'A') return `${reversed.join('.')}.in-addr.arpa.`;
  const nibbles = reversed.flatMap((octet) => [octet & 15, octet >> 4].map((nibble) => nibble.toString(16)));
  return `${nibbles.join('.')}.ip6.arpa.`;
}

/** True for a name at or below in-addr.arpa. or ip6.arpa. */
export function isReverseName(name: string): boolean {
  const real = realName(name);
  return REVERSE_NAMES.some((above) => isAtOrBelow(real, above));
}
