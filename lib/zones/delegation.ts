// Who may put what into a Zone. No rule, no adoption: a Zone without delegations adopts nothing, not even from its own
// namespace (design section 4, "Delegations").
import { isBelow } from '../dns/names/name.ts';
import { matchesPattern, type Pattern } from '../dns/names/pattern.ts';
import type { ZoneKey } from '../objects/object-ref.ts';
import type { Delegation, ZoneSpec } from './parse-zone.ts';

/** A Zone that is an allowed root or is itself adopted by a live Zone; only these are visible to adoption. */
export type LiveZone = {
  readonly key: ZoneKey;
  readonly namespace: string;
  readonly fqdn: string;
  /** The live Zone that adopted it; null for a root. */
  readonly parent: ZoneKey | null;
  readonly spec: ZoneSpec;
};

/** One entry of the operator's `roots`: names that a Zone of these namespaces (null: of any) may have without a parent. */
export type RootRule = { readonly pattern: Pattern; readonly namespaces: readonly string[] | null };

/** True when a rule of the zone gives `fqdn` to Zones of `namespace`. */
export function delegatesZone(zone: LiveZone, fqdn: string, namespace: string): boolean {
  return zone.spec.delegations.some(
    (rule) => appliesTo(rule, namespace) && rule.zones.some((pattern) => matchesPattern(pattern, fqdn, zone.fqdn)),
  );
}

/** True when a rule of the zone gives `fqdn`, for records of `type`, to `namespace`. */
export function delegatesRecord(zone: LiveZone, fqdn: string, type: string, namespace: string): boolean {
  return zone.spec.delegations.some(
    (rule) =>
      appliesTo(rule, namespace) &&
      rule.records.some(
        ({ pattern, types }) =>
          (types.length === 0 || types.includes(type)) && matchesPattern(pattern, fqdn, zone.fqdn),
      ),
  );
}

/** True when a rule of the zone gives `fqdn`, for records of any type, to `namespace`. */
export function delegatesName(zone: LiveZone, fqdn: string, namespace: string): boolean {
  return zone.spec.delegations.some(
    (rule) =>
      appliesTo(rule, namespace) && rule.records.some(({ pattern }) => matchesPattern(pattern, fqdn, zone.fqdn)),
  );
}

/** True when `fqdn` may be a root for `namespace`. No rules at all (null): every name may. */
export function allowsRoot(roots: readonly RootRule[] | null, fqdn: string, namespace: string): boolean {
  if (roots === null) return true;
  return roots.some(
    ({ pattern, namespaces }) =>
      (namespaces === null || namespaces.includes(namespace)) && matchesPattern(pattern, fqdn, '.'),
  );
}

/** Why no rule fits, and what to write: for a `DelegationDenied` message. */
export function explainDenial(zone: LiveZone, fqdn: string, type: string | null, namespace: string): string {
  const what = type === null ? `Zone ${fqdn}` : `${fqdn} (${type})`;
  const list = type === null ? 'zones' : 'records';
  const relative = fqdn === zone.fqdn ? '@' : isBelow(fqdn, zone.fqdn) ? fqdn.slice(0, -zone.fqdn.length - 1) : fqdn;
  const concerned = zone.spec.delegations.filter((rule) => appliesTo(rule, namespace));
  const why =
    zone.spec.delegations.length === 0
      ? 'it has no delegations at all'
      : concerned.length === 0
        ? 'no rule names that namespace'
        : `no ${list} pattern of its rules for that namespace matches`;
  const remedy = type === null ? `zones: ["${relative}"]` : `records: [{ pattern: "${relative}" }]`;
  return `Zone ${zone.key} (${zone.fqdn}) does not delegate ${what} to namespace ${namespace}: ${why}; to allow it, add to its delegations { namespaces: [${namespace}], ${remedy} }`;
}

function appliesTo(rule: Delegation, namespace: string): boolean {
  return rule.namespaces === null || rule.namespaces.includes(namespace);
}
