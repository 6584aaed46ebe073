// The record set is Route 53's unit: one (name, type, set identifier) with either a TTL and values, or an alias.
// A record set with a set identifier has routing besides (routing-policy.ts).
// Values are canonical rdata (see lib/dns/rdata/rdata.ts), deduplicated and in the canonical order of RFC 4034 §6.3, so
// that two record sets mean the same exactly when their contents are equal field by field.
import { keyText } from './own-text.ts';
import { excludes, type Routing, sameRouting } from './routing-policy.ts';

/** What makes a record set unique in a hosted zone. `setIdentifier` is null for simple routing. */
export type RecordSetKey = {
  readonly name: string;
  readonly type: string;
  readonly setIdentifier: string | null;
};

/** Route 53's alias target (API_AliasTarget). */
export type AliasTarget = {
  readonly hostedZoneId: string;
  readonly dnsName: string;
  readonly evaluateTargetHealth: boolean;
};

/** The content of a record set: a TTL in seconds with values, or an alias; and routing, if it has a set identifier. */
export type RecordSetContent = (
  | { readonly kind: 'values'; readonly ttlSeconds: number; readonly values: readonly string[] }
  | { readonly kind: 'alias'; readonly alias: AliasTarget }
) & { readonly routing?: Routing };

export type RecordSet = RecordSetKey & { readonly content: RecordSetContent };

/** One change of a batch. CREATE and UPSERT carry the wanted record set, DELETE the existing one. */
export type RecordSetChange = { readonly action: 'CREATE' | 'DELETE' | 'UPSERT'; readonly recordSet: RecordSet };

/** True when both contents are equal, or both are absent. Both must be canonical. */
export function sameContent(a: RecordSetContent | null, b: RecordSetContent | null): boolean {
  if (a === null || b === null) return a === b;
  if (!sameRouting(a.routing, b.routing)) return false;
  if (a.kind === 'values') {
    if (b.kind !== 'values' || a.ttlSeconds !== b.ttlSeconds || a.values.length !== b.values.length) return false;
    return a.values.every((value, index) => value === b.values[index]);
  }
  if (b.kind !== 'alias') return false;
  return (
    a.alias.hostedZoneId === b.alias.hostedZoneId &&
    a.alias.dnsName === b.alias.dnsName &&
    a.alias.evaluateTargetHealth === b.alias.evaluateTargetHealth
  );
}

/** True when both contents are equal but for their TTL. Both must be canonical. */
export function sameButTtl(a: RecordSetContent, b: RecordSetContent): boolean {
  return sameContent(a.kind === 'values' && b.kind === 'values' ? { ...a, ttlSeconds: b.ttlSeconds } : a, b);
}

/** True when no name can have record sets of both types: a CNAME tolerates no neighbour (RFC 1034 §3.6.2). */
export function typesExclude(a: string, b: string): boolean {
  return a !== b && (a === 'CNAME' || b === 'CNAME');
}

/**
 * True when two record sets of one name and type with different set identifiers cannot both exist: their routing
 * excludes each other, or both are weighted and have different TTLs.
 */
export function excludesBeside(a: RecordSetContent, b: RecordSetContent): boolean {
  if (excludes(a.routing, b.routing)) return true;
  const isWeighted = a.routing?.policy.kind === 'weight';
  return isWeighted && a.kind === 'values' && b.kind === 'values' && a.ttlSeconds !== b.ttlSeconds;
}

/** A record set in a message, such as `A www.example.org.`, with its set identifier if it has one: `[eu]`. */
export function showRecordSet({ name, type, setIdentifier }: RecordSetKey): string {
  return `${type} ${name}${setIdentifier === null ? '' : ` [${setIdentifier}]`}`;
}

export function recordSetId(key: RecordSetKey): string {
  return keyText([key.name, ' ', key.type, ' ', key.setIdentifier ?? '']);
}
