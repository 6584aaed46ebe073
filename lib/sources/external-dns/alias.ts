// Whether a host name becomes a CNAME or an alias. A name of an AWS service becomes an alias of each type that the
// service has; `alias: true`, `A` or `AAAA` also aliases a name in a live Zone, of the types that this name has, and
// with `aws-target-hosted-zone` any name.
//
//   alias      name of AWS                       other name, with types in DNS     any other name
//   absent     A and AAAA, or CNAME (prefer)     CNAME                             CNAME
//   false      CNAME                             CNAME                             CNAME
//   true       A and AAAA                        those of A, AAAA that it has      a problem
//   A, AAAA    that one                          that one, if it has it            a problem
import { type AliasTargetRow, aliasTargetOf } from '../../route53/alias-targets.ts';
import type { EndpointOptions } from './endpoint-options.ts';

/** What a host name becomes. `types`: the types of its aliases. */
export type HostBecomes =
  | { readonly kind: 'cname' }
  | {
      readonly kind: 'alias';
      readonly types: readonly string[];
      readonly target: string;
      readonly hostedZoneId: string | null;
      /** Requested types that the target does not have. */
      readonly missing: readonly string[];
    };

const BOTH: readonly string[] = ['A', 'AAAA'];
const CNAME: HostBecomes = { kind: 'cname' };

/** What `host` becomes at `fqdn`; null if the requested alias is impossible. Both names are canonical. */
export function becomes(
  fqdn: string,
  host: string,
  { alias, targetHostedZone }: EndpointOptions,
  preferCname: boolean,
  typesAt: (fqdn: string) => readonly string[],
): HostBecomes | null {
  if (alias === 'false' || (alias === null && preferCname)) return CNAME;
  const service = serviceOf(fqdn, host);
  if (alias === null && service === null) return CNAME;
  const wanted = alias === 'A' || alias === 'AAAA' ? [alias] : BOTH;
  if (service !== null) {
    const types = wanted.filter((type) => service.row.types.includes(type));
    const hostedZoneId = targetHostedZone ?? service.row.hostedZoneId;
    return types.length === 0 ? null : { kind: 'alias', types, target: service.target, hostedZoneId, missing: [] };
  }
  if (targetHostedZone !== null)
    return { kind: 'alias', types: wanted, target: host, hostedZoneId: targetHostedZone, missing: [] };
  const there = typesAt(host);
  const types = wanted.filter((type) => there.includes(type));
  const missing = wanted.filter((type) => !there.includes(type));
  return types.length === 0 ? null : { kind: 'alias', types, target: host, hostedZoneId: null, missing };
}

/** Names in regions of any partition of AWS: `x.elb.REGION.amazonaws.eu.`, `x.REGION.elb.…`, and so on. */
const REGIONAL: readonly (readonly [pattern: RegExp, what: string])[] = [
  [/\.elb\.(?:[a-z0-9-]+\.)?amazonaws\.(?:[a-z]+\.)+$/, 'a load balancer'],
  [/\.vpce\.amazonaws\.(?:[a-z]+\.)+$/, 'a VPC endpoint'],
  [/\.[a-z]+-[a-z0-9-]+\.elasticbeanstalk\.com\.$/, 'an environment of Elastic Beanstalk'],
];

/** What of AWS a name must be, although no table of aliases has its region; null for any other name. */
export function unknownAwsName(host: string): string | null {
  if (aliasTargetOf(host) !== null) return null;
  return REGIONAL.find(([pattern]) => pattern.test(host))?.[1] ?? null;
}

/** The most names that are followed to find a ring. Each needs a read, and longer chains of aliases are not in use. */
const RING_NAMES_MAX = 6;

/** The names from `fqdn` to where its aliases meet a ring; null if they end at an address or leave the hosted zone. */
export function ringFrom(
  fqdn: string,
  target: string,
  type: string,
  aliasesAt: (fqdn: string) => Readonly<Record<string, string>>,
): readonly string[] | null {
  const names = [fqdn, target];
  for (let last = target; names.length <= RING_NAMES_MAX; ) {
    const next = aliasesAt(last)[type];
    if (next === undefined) return null;
    names.push(next);
    if (names.indexOf(next) < names.length - 1) return names;
    last = next;
  }
  return null;
}

function serviceOf(fqdn: string, host: string): { readonly row: AliasTargetRow; readonly target: string } | null {
  const row = aliasTargetOf(host);
  if (row === null) return null;
  if (!row.suffix.startsWith('s3-website')) return { row, target: host };
  // A website serves the bucket named as the host of the request, so the bucket must have the name of the record.
  const isOwnBucket = host === row.suffix || host === `${fqdn}${row.suffix}`;
  return isOwnBucket ? { row, target: row.suffix } : null;
}
