// The delegations of a Zone: which namespaces may have which names in it. A Zone without delegations adopts nothing,
// not even from its own namespace.
import { matchesPattern } from '../dns/names/pattern.ts';
import type { ZoneKey } from '../objects/object-ref.ts';
import type { RootRule } from '../objects/root-rule.ts';
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

/** True if a rule of the Zone delegates `fqdn` to Zones of `namespace`. */
export function delegatesZone(zone: LiveZone, fqdn: string, namespace: string): boolean {
  return zone.spec.delegations.some(
    (rule) =>
      isOwn(rule) &&
      appliesTo(rule, namespace) &&
      rule.zones.some((pattern) => matchesPattern(pattern, fqdn, zone.fqdn)),
  );
}

/** True if a rule of the Zone delegates `fqdn` to Zones of this namespace of another cluster. */
export function delegatesToCluster(zone: LiveZone, fqdn: string, cluster: string, namespace: string): boolean {
  return zone.spec.delegations.some(
    (rule) =>
      rule.clusters?.includes(cluster) === true &&
      appliesTo(rule, namespace) &&
      rule.zones.some((pattern) => matchesPattern(pattern, fqdn, zone.fqdn)),
  );
}

/** True if a rule of the Zone delegates `fqdn`, for records of `type` (null: of any type), to `namespace`. */
export function delegatesRecord(zone: LiveZone, fqdn: string, type: string | null, namespace: string): boolean {
  return delegatingRule(zone, fqdn, type, namespace) !== null;
}

/** The place of the first such rule among the delegations, from 0; null: there is none. */
export function delegatingRule(zone: LiveZone, fqdn: string, type: string | null, namespace: string): number | null {
  const index = zone.spec.delegations.findIndex((rule) => allowsRecord(rule, zone, fqdn, type, namespace));
  return index === -1 ? null : index;
}

/** True if every rule of the Zone that delegates `fqdn`, for records of `type`, to `namespace` says `shared`. */
export function sharesRecord(zone: LiveZone, fqdn: string, type: string, namespace: string): boolean {
  const allowing = zone.spec.delegations.filter((rule) => allowsRecord(rule, zone, fqdn, type, namespace));
  return allowing.length > 0 && allowing.every(({ shared }) => shared);
}

function allowsRecord(rule: Delegation, zone: LiveZone, fqdn: string, type: string | null, namespace: string): boolean {
  if (!isOwn(rule) || !appliesTo(rule, namespace)) return false;
  return rule.records.some(
    ({ pattern, types }) =>
      (type === null || types.length === 0 || types.includes(type)) && matchesPattern(pattern, fqdn, zone.fqdn),
  );
}

/** True if `fqdn` may be a root for `namespace`. `roots` null: every name may. */
export function allowsRoot(roots: readonly RootRule[] | null, fqdn: string, namespace: string): boolean {
  if (roots === null) return true;
  return roots.some((rule) => appliesTo(rule, namespace) && matchesPattern(rule.pattern, fqdn, '.'));
}

/** True if a rule is for objects of the cluster itself. */
export function isOwn({ clusters }: Pick<Delegation, 'clusters'>): boolean {
  return clusters === undefined;
}

/** True if a rule is for `namespace`; `namespaces` null: it is for all. */
export function appliesTo({ namespaces }: Pick<Delegation, 'namespaces'>, namespace: string): boolean {
  return namespaces === null || namespaces.includes(namespace);
}
