// Finds the Service that a name of the Kubernetes DNS specification belongs to: from the name, or from the target of a
// PTR.
import { isAtOrBelow } from './name.ts';

/** The zones of reverse names, which belong to addresses. */
export const REVERSE_NAMES = ['in-addr.arpa.', 'ip6.arpa.'];

/** `<service>.<namespace>.svc.<zone>` for this name and all names below it; null for others. Names are canonical. */
export function serviceName(name: string, zone: string): string | null {
  const suffix = zone === '.' ? '.svc.' : `.svc.${zone}`;
  if (!name.endsWith(suffix)) return null;
  const labels = name.slice(0, -suffix.length).split('.');
  return labels.length < 2 ? null : `${labels.slice(-2).join('.')}${suffix}`;
}

/**
 * The Services that a record set of a cluster's own DNS belongs to. A name below `svc.<zone>` belongs to one Service,
 * the PTR of an address to its targets, and the name of a Pod to none. Null: the name is not part of that DNS. `values`
 * are canonical rdata.
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
