// Whether a host name becomes a CNAME or an alias. A name of an AWS service becomes an alias of each type that the
// service has; `alias: true`, `A` or `AAAA` also aliases a name in a live Zone, of the types that this name has.
//
//   alias      name of AWS                       other name, with types in DNS     any other name
//   absent     A and AAAA, or CNAME (prefer)     CNAME                             CNAME
//   false      CNAME                             CNAME                             CNAME
//   true       A and AAAA                        those of A, AAAA that it has      a problem
//   A, AAAA    that one                          that one, if it has it            a problem
import { type AliasTargetRow, aliasTargetOf } from '../../route53/alias-targets.ts';
import type { Wishes } from './wishes.ts';

/** What a host name becomes. `types`: those of its aliases. */
export type HostBecomes =
  | { readonly kind: 'cname' }
  | {
      readonly kind: 'alias';
      readonly types: readonly string[];
      readonly target: string;
      readonly hostedZoneId: string | null;
      /** Types that were asked for and that the target has not. */
      readonly missing: readonly string[];
    };

const BOTH: readonly string[] = ['A', 'AAAA'];
const CNAME: HostBecomes = { kind: 'cname' };

/** What `host` becomes at `fqdn`; null where the wish for an alias cannot be met. Both names are canonical. */
export function becomes(
  fqdn: string,
  host: string,
  { alias, targetHostedZone }: Wishes,
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

/** Names of one ring at most: each is a reading, and nobody chains more aliases. */
const RING_NAMES_MAX = 6;

/**
 * The names from `fqdn` on where its alias leads into a ring; null where it ends at an address, or outside of the
 * hosted zone.
 */
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

/** The AWS service behind a host name, and the name that an alias to it has. */
function serviceOf(fqdn: string, host: string): { readonly row: AliasTargetRow; readonly target: string } | null {
  const row = aliasTargetOf(host);
  if (row === null) return null;
  if (!row.suffix.startsWith('s3-website')) return { row, target: host };
  // A website answers by the name that is asked for, so its bucket must be named as the record.
  const isOwnBucket = host === row.suffix || host === `${fqdn}${row.suffix}`;
  return isOwnBucket ? { row, target: row.suffix } : null;
}
