// Which Service a name of the Kubernetes DNS specification is of: told by the name itself, and for a PTR by where it
// leads.
import { isAtOrBelow } from './name.ts';

const REVERSE_NAMES = ['in-addr.arpa.', 'ip6.arpa.'];

/** `<service>.<namespace>.svc.<zone>` for that name and for every one below it; null for any other. Canonical names. */
export function serviceName(name: string, zone: string): string | null {
  const suffix = zone === '.' ? '.svc.' : `.svc.${zone}`;
  if (!name.endsWith(suffix)) return null;
  const labels = name.slice(0, -suffix.length).split('.');
  return labels.length < 2 ? null : `${labels.slice(-2).join('.')}${suffix}`;
}

/**
 * The Services that a record set of a cluster's own DNS is of: one for a name below `svc.<zone>`, each that a PTR of an
 * address leads to, none for a Pod's. Null: it is no name of that DNS. `values` are canonical rdata.
 */
export function servicesBehind(
  { name, type }: { readonly name: string; readonly type: string },
  values: readonly string[],
  zone: string,
): readonly string[] | null {
  const own = serviceName(name, zone);
  if (own !== null) return [own];
  if (isAtOrBelow(name, zone === '.' ? 'pod.' : `pod.${zone}`)) return [];
  if (type !== 'PTR' || !REVERSE_NAMES.some((above) => isAtOrBelow(name, above))) return null;
  const services = values.map((value) => serviceName(value, zone));
  return services.length === 0 || services.includes(null) ? null : [...new Set(services as string[])];
}
