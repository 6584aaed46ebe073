// Builds the value of an HTTPS record for a name that has addresses itself (RFC 9460 §9): priority 1, the target `.`,
// the protocols, and the addresses as hints.
import { quote } from '../names/quote.ts';

/** Maximum number of protocols, and of the octets of one (RFC 7301 §3.1). */
const ALPN_MAX = 8;
const ALPN_OCTETS_MAX = 255;
/** With more addresses of a family there are no hints: a client asks for the addresses anyway (RFC 9460 §7.3). */
const HINTS_MAX = 8;

/** What is wrong with a list of protocols, in words for its author; none if it is right. */
export function alpnProblems(alpn: readonly string[]): readonly string[] {
  if (alpn.length === 0 || alpn.length > ALPN_MAX)
    return [`expected 1 to ${ALPN_MAX} protocols, such as h2, got ${alpn.length}`];
  return alpn.flatMap((id, index) => {
    if (id.length > ALPN_OCTETS_MAX) return [`${quote(id)} has more than ${ALPN_OCTETS_MAX} characters`];
    if (!/^[A-Za-z0-9./_-]+$/.test(id))
      return [`${quote(id)} is not a protocol; write names of ALPN, such as h2 or http/1.1`];
    return alpn.indexOf(id) < index ? [`${quote(id)} is given more than once`] : [];
  });
}

/** True for HTTP/3 in any version, which is spoken over QUIC. */
export function needsQuic(id: string): boolean {
  return /^h3(?:-|$)/.test(id);
}

/** Canonical rdata. `alpn` has no problems; the addresses are canonical and in the order of their record sets. */
export function httpsValue(alpn: readonly string[], ipv4: readonly string[], ipv6: readonly string[]): string {
  const hasHints = ipv4.length <= HINTS_MAX && ipv6.length <= HINTS_MAX;
  const hint = (key: string, addresses: readonly string[]) =>
    hasHints && addresses.length > 0 ? [`${key}=${addresses.join(',')}`] : [];
  return [`1 . alpn="${alpn.join(',')}"`, ...hint('ipv4hint', ipv4), ...hint('ipv6hint', ipv6)].join(' ');
}
