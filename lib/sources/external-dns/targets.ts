// Parses the targets of names, as texts or from the status of a load balancer: addresses of both families, and host
// names. Of several host names one is chosen, because a CNAME has one target.
//
//   192.0.2.1              A
//   2001:db8::1            AAAA
//   lb.example.net         CNAME, or an alias (alias.ts)

import { compareText } from '../../dns/names/compare-text.ts';
import { quote } from '../../dns/names/quote.ts';
import { readIpv4, readIpv6 } from '../../dns/rdata/address.ts';
import { whatToRemove } from '../../dns/rdata/almost-host.ts';
import { parseRdata, sortRdata } from '../../dns/rdata/rdata.ts';
import { listAt, textAt } from '../../objects/plain.ts';
import type { Written } from './annotations.ts';
import type { Draft } from './draft.ts';

/** Targets by type, canonical, each once, in order. */
export type Targets = {
  readonly ipv4: readonly string[];
  readonly ipv6: readonly string[];
  /** Canonical names. */
  readonly hosts: readonly string[];
};

export const NO_TARGETS: Targets = { ipv4: [], ipv6: [], hosts: [] };

export function hasTargets({ ipv4, ipv6, hosts }: Targets): boolean {
  return ipv4.length + ipv6.length + hosts.length > 0;
}

/** All targets parsed; null if one is neither an address nor a host name, which is a problem. */
export function parseTargets(targets: readonly Written[], draft: Draft, leavesOut: string | null): Targets | null {
  const ipv4 = new Set<string>();
  const ipv6 = new Set<string>();
  const hosts = new Set<string>();
  let whole = true;
  for (const { text, path } of targets) {
    const [four, six] = [readIpv4(text), readIpv6(text)];
    const host = four ?? six ?? parseRdata('CNAME', text);
    if (four !== null) ipv4.add(four.text);
    else if (six !== null) ipv6.add(six.text);
    else if ('rdata' in host) hosts.add(host.rdata);
    else {
      whole = false;
      const advice = whatToRemove(text);
      const why = advice === '' ? '' : `: ${advice}`;
      draft.problem(`${path}: ${quote(text)} is neither an address nor a host name${why}`, leavesOut);
    }
  }
  if (!whole) return null;
  return {
    ipv4: sortRdata('A', ipv4),
    ipv6: sortRdata('AAAA', ipv6),
    hosts: [...hosts].toSorted(compareText),
  };
}

/** The addresses and host names of a load balancer in the status of a Service or an Ingress. */
export function loadBalancerTargets(status: unknown): readonly Written[] {
  const path = 'status.loadBalancer.ingress';
  return listAt(status, 'loadBalancer', 'ingress').flatMap((ingress, index) =>
    ['ip', 'hostname'].flatMap((field) => {
      const text = textAt(ingress, field);
      return text === null ? [] : [{ text, path: `${path}[${index}].${field}` }];
    }),
  );
}

/** The address types that can be published; the default is IPAddress (Gateway API: GatewayStatusAddress). */
const ADDRESS_TYPES = ['IPAddress', 'Hostname'];

/** The addresses in the status of a Gateway. `where`: comes before their place in messages. */
export function gatewayAddresses(status: unknown, where: string): readonly Written[] {
  return listAt(status, 'addresses').flatMap((address) => {
    const text = ADDRESS_TYPES.includes(textAt(address, 'type') ?? 'IPAddress') ? textAt(address, 'value') : null;
    return text === null ? [] : [{ text, path: `${where}status.addresses` }];
  });
}

/** Why a name waits whose object has no load balancer yet. */
export const NO_LOAD_BALANCER = 'its load balancer has no address yet (status.loadBalancer.ingress)';

/** The default targets of the configuration, for objects that have none. */
export function defaultTargets(texts: readonly string[]): readonly Written[] {
  return texts.map((text) => ({ text, path: 'defaultTargets' }));
}

/** The host name for a CNAME; null if there is none. A problem names the others. */
export function chosenHost({ hosts }: Targets, draft: Draft): string | null {
  const [first, ...others] = hosts;
  if (first === undefined) return null;
  if (others.length > 0)
    draft.problem(
      `${first} is the target, the first of ${hosts.length} in order of text; left out: ${others.join(', ')}`,
    );
  return first;
}
