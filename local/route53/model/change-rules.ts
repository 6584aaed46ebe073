// The rules that one changed record set must keep: by itself (name, values, number of values) and beside its neighbours
// (CNAME, simple and routed, limits of a routing policy, alias targets). Each rule yields Route 53's message.
// Messages are from reports in the wild where there are any; the rest are in the same style. Last verified 2026-11-21.

import { checkValue } from '../values/check-value.ts';
import { isInZone, parseDomainName } from '../values/domain-name.ts';
import { GEOPROXIMITY_RECORD_SETS_MAX, ROUTED_RECORD_SETS_MAX, VALUES_MAX } from '../values/limits.ts';
import type { LocalAlias, LocalRecordSet } from './record-set.ts';
import type { ZoneDraft, ZoneRecords } from './zone-records.ts';

export type CheckedRecordSet =
  | { readonly ok: true; readonly recordSet: LocalRecordSet }
  | { readonly ok: false; readonly problems: string[] };

const NO_ROUTING_TYPES = ['DS', 'NS', 'SOA'];
const NO_MULTIVALUE_TYPES = ['CNAME', 'DS', 'NS', 'SOA'];
const AWS_TARGET =
  /\.(?:amazonaws\.com|amazonaws\.com\.cn|cloudfront\.net|awsglobalaccelerator\.com|elasticbeanstalk\.com)\.$/;

/** Checks a record set by itself; the answer has its names in kept form. */
export function checkRecordSet(target: BatchTarget, given: LocalRecordSet): CheckedRecordSet {
  const parsed = parseDomainName(given.name);
  if (!parsed.ok) return { ok: false, problems: [parsed.problem] };
  const aliasName = given.alias === null ? null : parseDomainName(given.alias.dnsName);
  if (aliasName !== null && !aliasName.ok) return { ok: false, problems: [aliasName.problem] };
  const alias = given.alias !== null && aliasName !== null ? { ...given.alias, dnsName: aliasName.name } : null;
  const recordSet: LocalRecordSet = { ...given, name: parsed.name, alias };
  const problems = [...nameProblems(target.zoneName, recordSet), ...valueProblems(recordSet)];
  return problems.length === 0 ? { ok: true, recordSet } : { ok: false, problems };
}

function nameProblems(zoneName: string, { name, type }: LocalRecordSet): string[] {
  if (!isInZone(name, zoneName)) return [`RRSet with DNS name ${name} is not permitted in zone ${zoneName}`];
  const of = `RRSet of type ${type} with DNS name ${name}`;
  if (type === 'CNAME' && name === zoneName) return [`${of} is not permitted at apex in zone ${zoneName}`];
  if (type === 'DS' && name === zoneName) return [`${of} is not permitted at apex in zone ${zoneName}`];
  if (type === 'SOA' && name !== zoneName) return [`${of} is only permitted at apex in zone ${zoneName}`];
  if (type === 'NS' && name.startsWith('\\052.')) return [`${of} is not permitted: wildcards cannot have type NS`];
  return [];
}

function valueProblems(recordSet: LocalRecordSet): string[] {
  const { type, values } = recordSet;
  const problems: string[] = [];
  if (values.length > VALUES_MAX) problems.push(`Cannot have more than ${VALUES_MAX} records in a RRSet.`);
  if ((type === 'CNAME' || type === 'SOA') && values.length > 1) {
    problems.push(`RRSet of type ${type} with DNS name ${recordSet.name} must have exactly one resource record`);
  }
  const seen = new Set<string>();
  for (const value of values) {
    const check = checkValue(type, value);
    if (!check.ok) problems.push(check.problem);
    else if (seen.has(check.canonical)) problems.push(`Duplicate Resource Record: '${value}'`);
    else seen.add(check.canonical);
  }
  return [...problems, ...routingProblems(recordSet)];
}

function routingProblems({ name, type, routing, alias }: LocalRecordSet): string[] {
  if (routing === null) return [];
  if (NO_ROUTING_TYPES.includes(type))
    return [`RRSet of type ${type} with DNS name ${name} cannot have a routing policy`];
  if (routing.policy !== 'MultiValueAnswer') return [];
  if (alias !== null) return [`Multi-value answer RRSet with DNS name ${name}, type ${type} cannot be an alias`];
  if (NO_MULTIVALUE_TYPES.includes(type)) {
    return [`RRSet of type ${type} with DNS name ${name} cannot be a multi-value answer RRSet`];
  }
  return [];
}

/** Checks a record set that is about to be put against what the batch has left so far. */
export function checkNeighbours(target: BatchTarget, draft: ZoneDraft, recordSet: LocalRecordSet): string[] {
  const others = draft
    .at(recordSet.name)
    .filter((other) => other.type !== recordSet.type || other.setIdentifier !== recordSet.setIdentifier);
  return [
    ...cnameProblems(target.zoneName, others, recordSet),
    ...sameTypeProblems(others, recordSet),
    ...(recordSet.alias === null ? [] : aliasProblems(target, draft, recordSet, recordSet.alias)),
  ];
}

function cnameProblems(zoneName: string, others: readonly LocalRecordSet[], { name, type }: LocalRecordSet): string[] {
  const conflict = others.some((other) => other.type !== type && (type === 'CNAME' || other.type === 'CNAME'));
  if (!conflict) return [];
  const head = `RRSet of type ${type} with DNS name ${name} is not permitted`;
  return [`${head} as it conflicts with other records with the same DNS name in zone ${zoneName}`];
}

function sameTypeProblems(others: readonly LocalRecordSet[], recordSet: LocalRecordSet): string[] {
  const same = others.filter((other) => other.type === recordSet.type);
  if (same.length === 0) return [];
  const identifier = recordSet.setIdentifier === null ? '' : `, SetIdentifier ${recordSet.setIdentifier}`;
  const head = `RRSet with DNS name ${recordSet.name}, type ${recordSet.type}${identifier} cannot be created`;
  const different = same.find((other) => other.routing?.policy !== recordSet.routing?.policy);
  if (different !== undefined) {
    const standing = different.routing === null ? 'simple' : different.routing.policy;
    return [`${head} as a set of another routing policy (${standing}) exists with the same name and type.`];
  }
  const policy = recordSet.routing?.policy;
  if (policy === 'Region' || policy === 'Failover' || policy === 'GeoLocation') {
    const value = JSON.stringify(recordSet.routing?.value);
    const twin = same.find((other) => JSON.stringify(other.routing?.value) === value);
    if (twin !== undefined) return [`${head} as a set with the same ${policy} exists with the same name and type.`];
  }
  const most = policy === 'GeoProximityLocation' ? GEOPROXIMITY_RECORD_SETS_MAX : ROUTED_RECORD_SETS_MAX;
  return same.length < most ? [] : [`${head} as it exceeds the limit of ${most} sets with the same name and type.`];
}

function aliasProblems(target: BatchTarget, draft: ZoneDraft, recordSet: LocalRecordSet, alias: LocalAlias): string[] {
  const head = `Tried to create an alias that targets ${alias.dnsName}, type ${recordSet.type} in zone ${alias.hostedZoneId}`;
  const outside = `${head}, but the alias target name does not lie within the target zone`;
  if (recordSet.type === 'NS' || recordSet.type === 'SOA')
    return [`RRSet of type ${recordSet.type} cannot be an alias`];
  if (alias.hostedZoneId !== target.zoneId) {
    return AWS_TARGET.test(alias.dnsName) && !target.isOwnZone(alias.hostedZoneId) ? [] : [outside];
  }
  if (!isInZone(alias.dnsName, target.zoneName)) return [outside, `${head}, but that target was not found`];
  const isTarget = (other: LocalRecordSet) => other.type === recordSet.type && other.name === alias.dnsName;
  if (alias.dnsName === recordSet.name || !draft.at(alias.dnsName).some(isTarget)) {
    return [`${head}, but that target was not found`];
  }
  return [];
}

/** What a batch is played into. */
export type BatchTarget = {
  readonly zoneId: string;
  readonly zoneName: string;
  readonly records: ZoneRecords;
  /** True for the id of a hosted zone of this account other than this one. */
  isOwnZone(id: string): boolean;
};
