// The rules for one changed record set: by itself (name, values, number of values) and together with its neighbours
// (CNAME, other sets of its type, alias targets). Each rule yields Route 53's message.
// Messages are from reports in the wild where there are any; the rest are in the same style. Last verified 2026-11-22.

import { checkValue } from '../values/check-value.ts';
import { isInZone, parseDomainName } from '../values/domain-name.ts';
import { VALUES_MAX } from '../values/limits.ts';
import { type AliasZone, aliasProblems } from './alias-rules.ts';
import type { LocalRecordSet } from './record-set.ts';
import { besideProblems, ownRoutingProblems, type RoutingAccount } from './routing-rules.ts';
import type { ZoneDraft, ZoneRecords } from './zone-records.ts';

export type CheckedRecordSet =
  | { readonly ok: true; readonly recordSet: LocalRecordSet }
  | { readonly ok: false; readonly problems: string[] };

/** Checks a record set by itself. The result has the names in kept form. */
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
  return problems;
}

/**
 * Checks that the hosted zone has room for one more record set. AWS documents the quota, but neither the code nor the
 * text of the refusal. Of the errors that its model gives for ChangeResourceRecordSets, only InvalidChangeBatch fits;
 * the text follows the one for weighted record sets ("Exceeded limit on number of weighted RRSets for …, type CNAME in
 * this zone.").
 */
export function checkRoom(target: BatchTarget, draft: ZoneDraft): string[] {
  return draft.size() < target.recordSetsMax ? [] : ['Exceeded limit on number of RRSets in this zone.'];
}

/** Checks a record set, before it is written, against the record sets that the batch has left so far. */
export function checkNeighbours(target: BatchTarget, draft: ZoneDraft, recordSet: LocalRecordSet): string[] {
  const others = draft
    .at(recordSet.name)
    .filter((other) => other.type !== recordSet.type || other.setIdentifier !== recordSet.setIdentifier);
  return [
    ...ownRoutingProblems(target, recordSet),
    ...cnameProblems(target.zoneName, others, recordSet),
    ...besideProblems(
      others.filter((other) => other.type === recordSet.type),
      recordSet,
    ),
    ...(recordSet.alias === null ? [] : aliasProblems(target, draft, recordSet, recordSet.alias)),
  ];
}

function cnameProblems(zoneName: string, others: readonly LocalRecordSet[], { name, type }: LocalRecordSet): string[] {
  const conflict = others.some((other) => other.type !== type && (type === 'CNAME' || other.type === 'CNAME'));
  if (!conflict) return [];
  const head = `RRSet of type ${type} with DNS name ${name} is not permitted`;
  return type === 'CNAME'
    ? [`${head} as it conflicts with other records with the same DNS name in zone ${zoneName}`]
    : [`${head} because a conflicting RRSet of type CNAME with the same DNS name already exists in zone ${zoneName}`];
}

/** The hosted zone that a batch is applied to. */
export type BatchTarget = AliasZone &
  RoutingAccount & {
    readonly records: ZoneRecords;
    /** The quota of the hosted zone. */
    readonly recordSetsMax: number;
    /** Why a record set may not change, by a protection of its name and type; null: it may. */
    readonly protectionProblem: (set: { readonly name: string; readonly type: string }) => string | null;
  };
