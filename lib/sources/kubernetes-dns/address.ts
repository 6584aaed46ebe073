// Writes IP addresses into names as the Kubernetes DNS specification does.
import type { Address } from '../../dns/rdata/reverse-name.ts';

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
