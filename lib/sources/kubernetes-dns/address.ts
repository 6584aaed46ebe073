// Writes IP addresses into names as the Kubernetes DNS specification does.
import { readIpv4, readIpv6 } from '../../dns/rdata/address.ts';

/** A canonical address: IPv4 in four decimal numbers, IPv6 by RFC 5952. */
export type Address = { readonly type: 'A' | 'AAAA'; readonly text: string; readonly octets: Uint8Array };

/** Parses an address; null for any other text. */
export function readAddress(text: string): Address | null {
  const four = readIpv4(text);
  if (four !== null) return { type: 'A', ...four };
  const six = readIpv6(text);
  return six === null ? null : { type: 'AAAA', ...six };
}

/**
 * An address as a label: `10-0-3-7`, `2001-db8--7`. A label must not begin or end with `-`, so a `0` is added there. An
 * IPv4-mapped address ends in IPv4 notation (RFC 5952 §5), although its AAAA may not: `0--ffff-10-0-0-9`.
 */
export function addressLabel({ text, octets }: Address): string {
  const label = (isIpv4Mapped(octets) ? `::ffff:${octets.slice(12).join('.')}` : text).replace(/[.:]/g, '-');
  return `${label.startsWith('-') ? '0' : ''}${label}${label.endsWith('-') ? '0' : ''}`;
}

/** True below `::ffff:0:0/96` (RFC 4291 §2.5.5.2). */
function isIpv4Mapped(octets: Uint8Array): boolean {
  return octets.length === 16 && octets.slice(0, 12).every((octet, index) => octet === (index < 10 ? 0 : 255));
}

/** The name of an address' PTR record (RFC 1035 §3.5, RFC 3596 §2.5). */
export function reverseName({ type, octets }: Address): string {
  const reversed = [...octets].reverse();
  if (type === 'A') return `${reversed.join('.')}.in-addr.arpa.`;
  const nibbles = reversed.flatMap((octet) => [octet & 15, octet >> 4].map((nibble) => nibble.toString(16)));
  return `${nibbles.join('.')}.ip6.arpa.`;
}
