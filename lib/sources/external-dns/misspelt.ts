// Finds annotations that are probably meant for zone53 and misspelt: a key that is nearly one that is read, or such a
// key with nearly the right prefix. A key that is nothing like ours is somebody else's, such as another provider's.
//
//   external-dns.alpha.kubernetes.io/hostnames      did you mean external-dns.alpha.kubernetes.io/hostname?
//   external-dns.alpha.kubernetes.io/weight         … aws-weight?
//   externaldns.kubernetes.io/hostname              … external-dns.kubernetes.io/hostname?
import { editDistance, lettersOf } from '../../dns/names/edit-distance.ts';
import { HEALTH_CHECK_ANNOTATION, HTTPS_ANNOTATION } from '../../objects/annotations.ts';
import { DEFAULT_SETTINGS } from '../../objects/source-settings.ts';
import { SHOOT_PREFIX } from './prefixes.ts';

const AWS_KEYS = [
  ...['weight', 'region', 'failover', 'multi-value-answer', 'health-check-id', 'evaluate-target-health'],
  ...['geolocation-continent-code', 'geolocation-country-code', 'geolocation-subdivision-code'],
  ...['geoproximity-region', 'geoproximity-bias', 'geoproximity-coordinates', 'geoproximity-local-zone-group'],
  ...['target-hosted-zone', 'hosted-zone-id'],
].map((key) => `aws-${key}`);
const KEYS = [
  ...['hostname', 'internal-hostname', 'target', 'ttl', 'controller', 'access', 'endpoints-type'],
  ...['ingress-hostname-source', 'gateway-hostname-source', 'alias', 'set-identifier'],
  ...AWS_KEYS,
];
/** Keys of external-dns that zone53 does not need, and that begin as one of ours does. */
const OTHER_KEYS = ['ingress', 'gateway', 'owner', 'resource'];
/** Words that people use for a key. */
const SYNONYMS: Readonly<Record<string, string>> = {
  ...{ host: 'hostname', hosts: 'hostname', name: 'hostname', names: 'hostname', domain: 'hostname' },
  ...{ domains: 'hostname', dnsname: 'hostname', fqdn: 'hostname', internalhost: 'internal-hostname' },
  ...{ recordttl: 'ttl', dnsttl: 'ttl', timetolive: 'ttl', identifier: 'set-identifier', aliases: 'alias' },
};
/** A shorter word is the beginning of too many others. */
const BEGINNING_MIN = 5;

/** A note for each key that is probably misspelt. */
export function misspeltIn(keys: readonly string[], prefixes: readonly string[]): readonly string[] {
  return keys.flatMap((key) => {
    const meant = meantKey(key, prefixes);
    return meant === null ? [] : [`annotation ${key} is not read: did you mean ${meant}?`];
  });
}

/** The note on a property of a DNSEndpoint that is probably misspelt; null for one that is read, or of others. */
export function misspeltProperty(name: string): string | null {
  const known = [...AWS_KEYS.map(propertyOf), 'alias', HEALTH_CHECK_ANNOTATION];
  if (known.includes(name)) return null;
  const key = nearestKey(name);
  const meant = key === null ? undefined : known.find((one) => one === propertyOf(key));
  return meant === undefined ? null : `providerSpecific ${name} is not read: did you mean ${meant}?`;
}

/** The property of a DNSEndpoint for a key: `aws/weight` for `aws-weight`. */
function propertyOf(key: string): string {
  return key.replace(/^aws-/, 'aws/');
}

/** The key that was probably meant; null if this one is read, or somebody else's. */
function meantKey(key: string, all: readonly string[]): string | null {
  if (key.startsWith(SHOOT_PREFIX) || [HTTPS_ANNOTATION, HEALTH_CHECK_ANNOTATION].includes(key)) return null;
  const prefixes = all.filter((one) => one !== SHOOT_PREFIX);
  const prefix = prefixes.find((one) => key.startsWith(one));
  if (prefix !== undefined) {
    const name = key.slice(prefix.length);
    const meant = KEYS.includes(name) ? null : nearestKey(name);
    return meant === null ? null : `${prefix}${meant}`;
  }
  const end = Math.max(key.lastIndexOf('/'), 0);
  const [host, name] = [key.slice(0, end), key.slice(end).replace('/', '')];
  // These count only where the configuration names them: who names others does so on purpose.
  if (DEFAULT_SETTINGS.annotationPrefixes.includes(`${host}/`)) return null;
  if (!prefixes.some((one) => isLikePrefix(host, one))) return null;
  const meant = KEYS.includes(name) ? name : nearestKey(name);
  return meant === null ? null : `${prefixes[0]}${meant}`;
}

/** True for a prefix that is nearly this one, or for that of zone53 itself. */
function isLikePrefix(host: string, prefix: string): boolean {
  const [a, b] = [lettersOf(host), lettersOf(prefix)];
  if (a.startsWith('zone53') || (b.includes('externaldns') && a.includes('externaldns'))) return true;
  return a.length >= BEGINNING_MIN && editDistance(a, b) <= 3;
}

function nearestKey(name: string): string | null {
  const text = lettersOf(name);
  if (OTHER_KEYS.includes(text)) return null;
  const known = SYNONYMS[text];
  if (known !== undefined) return known;
  const near = KEYS.flatMap((key) => {
    const spellings = key.startsWith('aws-') ? [lettersOf(key), lettersOf(key.slice(4))] : [lettersOf(key)];
    const distance = Math.min(...spellings.map((one) => distanceOf(text, one)));
    return Number.isFinite(distance) ? [{ key, distance }] : [];
  }).toSorted((a, b) => a.distance - b.distance);
  return near[0]?.key ?? null;
}

/** How much a text differs from a key; infinite if it resembles it too little. */
function distanceOf(text: string, key: string): number {
  const distance = editDistance(text, key);
  if (distance <= Math.min(3, Math.floor(key.length / 3))) return distance;
  const begins = text.length >= BEGINNING_MIN && key.startsWith(text);
  return begins ? 3 : Number.POSITIVE_INFINITY;
}
