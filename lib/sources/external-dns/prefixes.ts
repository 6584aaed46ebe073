// What the annotations are called under each prefix. Under any prefix they have the keys of external-dns, except under
// that of Gardener's shoots, which counts only where `annotationPrefixes` of the configuration has it:
//
//   dns.gardener.cloud/dnsnames   hostname; `*` and `all` stand for the hosts in the object's own spec
//                     /ttl        ttl
//                     /class      `garden`: these annotations are for DNS in a shoot; any other: they are not ours
//
// Reference: gardener/external-dns-management, "Using DNS by annotations". Last verified 2026-11-29.
import { didYouMean } from '../../dns/names/edit-distance.ts';
import { quote } from '../../dns/names/quote.ts';

export const SHOOT_PREFIX = 'dns.gardener.cloud/';
const SHOOT_CLASS = 'garden';
const SHOOT_KEYS = { hostname: 'dnsnames', ttl: 'ttl', class: 'class' } as const;
const ALL_HOSTS = ['*', 'all'];

/** The key of an annotation under a prefix; null if there is none of this name. `name`: as external-dns has it. */
export function keyUnder(prefix: string, name: string): string | null {
  if (prefix !== SHOOT_PREFIX) return `${prefix}${name}`;
  if (name === 'hostname' || name === 'ttl') return `${prefix}${SHOOT_KEYS[name]}`;
  return null;
}

/** True for a host in an annotation, as a message names it, that stands for the hosts in the object's own spec. */
export function isAllHosts({ text, path }: { readonly text: string; readonly path: string }): boolean {
  return ALL_HOSTS.includes(text) && path.endsWith(`annotation ${SHOOT_PREFIX}${SHOOT_KEYS.hostname}`);
}

/** The prefixes that count for an object with these annotations, and notes on what is ignored under that of shoots. */
export function prefixesFor(
  annotations: Readonly<Record<string, string>>,
  prefixes: readonly string[],
): { readonly prefixes: readonly string[]; readonly notes: readonly string[] } {
  if (!prefixes.includes(SHOOT_PREFIX)) return { prefixes, notes: [] };
  const own: readonly string[] = Object.values(SHOOT_KEYS);
  const keys = Object.keys(annotations).filter((key) => key.startsWith(SHOOT_PREFIX));
  const given = annotations[`${SHOOT_PREFIX}${SHOOT_KEYS.class}`]?.trim() ?? '';
  if (given !== '' && given !== SHOOT_CLASS) {
    const what = `annotation ${SHOOT_PREFIX}class: ${quote(given)} is not ${SHOOT_CLASS}`;
    const notes = keys.length > 1 ? [`${what}, so the annotations ${SHOOT_PREFIX}* of this object are ignored`] : [];
    return { prefixes: prefixes.filter((prefix) => prefix !== SHOOT_PREFIX), notes };
  }
  const unread = keys.filter((key) => !own.includes(key.slice(SHOOT_PREFIX.length)));
  return {
    prefixes,
    notes: unread.map((key) => `annotation ${key} is not read${didYouMean(key.slice(SHOOT_PREFIX.length), own)}`),
  };
}
