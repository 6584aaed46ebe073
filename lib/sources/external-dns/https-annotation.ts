// The HTTPS record that an object asks for by the annotation zone53.dev/https, beside the addresses of a name:
//
//   h2,h3      1 . alpn="h2,h3", with the addresses as hints; without hints beside aliases and routed record sets
//   none       none, also in a Zone with spec.https
//   absent     what the Zone says for hosts with TLS (lib/zones/https.ts)
import { alpnProblems, httpsValue } from '../../dns/rdata/https-value.ts';
import { aboutAnnotation, listOf } from './annotations.ts';
import type { Draft } from './draft.ts';
import type { EndpointOptions } from './endpoint-options.ts';
import type { Targets } from './targets.ts';

const NONE = 'none';

/**
 * The value that the annotation asks for at a name; null: none. `host`: what the host name among the targets became;
 * null: there is none.
 */
export function annotatedHttps(
  fqdn: string,
  { ipv4, ipv6 }: Pick<Targets, 'ipv4' | 'ipv6'>,
  host: 'alias' | 'cname' | null,
  { https: found, routing }: Pick<EndpointOptions, 'https' | 'routing'>,
  draft: Draft,
): string | null {
  if (found === null || found.value === NONE) return null;
  if (host === 'cname') {
    draft.note(`${found.path} has no effect at ${fqdn}: it is a CNAME, and no other record can be there`);
    return null;
  }
  const alpn = listOf(found.value);
  const problems = alpnProblems(alpn);
  if (problems.length > 0) {
    const advice = `${problems.join('; ')}; write protocols, such as h2,h3, or ${NONE}`;
    draft.problem(aboutAnnotation(found, `asks for no HTTPS record: ${advice}`), fqdn, 'HTTPS');
    return null;
  }
  const hasHints = host === null && routing === null;
  return hasHints ? httpsValue(alpn, ipv4, ipv6) : httpsValue(alpn, [], []);
}
