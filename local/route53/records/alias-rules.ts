// The rules of an alias target: it is in the hosted zone with the given id and has records of the alias' type there. A
// target in the same hosted zone must exist, so a batch creates it first. A target in another hosted zone of the
// account is refused. A target of an AWS service is checked by its name alone (aws-alias-zones.ts). Source: API
// reference AliasTarget; messages from reports in the wild, those of CloudFront in the same style. Last verified
// 2026-11-22.
import { isInZone } from '../values/domain-name.ts';
import { awsTypes, isCloudFront, isInAwsZone } from './aws-alias-zones.ts';
import type { LocalAlias, LocalRecordSet } from './record-set.ts';
import type { ZoneDraft } from './zone-records.ts';

/** The hosted zone that the alias is in. */
export type AliasZone = {
  readonly zoneId: string;
  readonly zoneName: string;
  readonly isPrivate: boolean;
  /** True for the id of a hosted zone of this account other than this one. */
  isOwnZone(id: string): boolean;
};

/** The faults of an alias target, given the record sets that the batch has left so far. */
export function aliasProblems(
  zone: AliasZone,
  draft: ZoneDraft,
  recordSet: LocalRecordSet,
  alias: LocalAlias,
): string[] {
  const { type } = recordSet;
  const { hostedZoneId, dnsName } = alias;
  if (type === 'NS' || type === 'SOA') return [`RRSet of type ${type} cannot be an alias`];
  const head = `Tried to create an alias that targets ${dnsName}, type ${type} in zone ${hostedZoneId}`;
  const notFound = `${head}, but that target was not found`;
  const outside = [`${head}, but the alias target name does not lie within the target zone`, notFound];
  if (hostedZoneId === zone.zoneId) {
    if (!isInZone(dnsName, zone.zoneName)) return outside;
    return isThere(draft, recordSet, dnsName) ? [] : [notFound];
  }
  if (zone.isOwnZone(hostedZoneId) || !isInAwsZone(dnsName, hostedZoneId)) return outside;
  if (!awsTypes(hostedZoneId).includes(type)) return [notFound];
  if (!isCloudFront(hostedZoneId)) return [];
  if (zone.isPrivate) return [`${head}, but an alias in a private hosted zone cannot target a CloudFront distribution`];
  if (!alias.evaluateTargetHealth) return [];
  return [`${head}, but EvaluateTargetHealth must be false for a CloudFront distribution`];
}

/** An alias of one name to itself, with another set identifier or without, leads nowhere. */
function isThere(draft: ZoneDraft, { name, type }: LocalRecordSet, dnsName: string): boolean {
  return dnsName !== name && draft.at(dnsName).some((other) => other.type === type);
}
