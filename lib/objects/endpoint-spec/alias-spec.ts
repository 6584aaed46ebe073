// An alias as an object asks for it, from an untrusted value: every problem at once. What the hosted zones decide (a
// target in a hosted zone of ours) is judged by the rules, in lib/zones. A hosted zone id that is given is taken as it
// is, also for a name of an AWS service: load balancers of before 2016, and new regions, have ids that no table has.
// Route 53 judges it.
import { parseName } from '../../dns/names/name.ts';
import { type AliasTargetRow, aliasTargetOf, aliasTargetOfHostedZone } from '../../route53/alias-targets.ts';
import type { EndpointAlias } from '../endpoint.ts';
import { describe, type Fields, openFields, optional, optionalText, requiredText } from '../spec-fields.ts';

const FIELDS = ['target', 'hostedZoneId', 'evaluateTargetHealth'];
/** Ids of hosted zones (API_AliasTarget: 32 characters at most). */
const HOSTED_ZONE_ID = /^[A-Z0-9]{1,32}$/;
/** Types that no alias may have: API_AliasTarget. */
const NEVER_ALIASED = ['NS', 'SOA'];

/** Where the problems of an alias are reported: the path of the alias, and that of the record's type. */
export type AliasPaths = { readonly alias: string; readonly type: string };

/**
 * Parses `{ target, hostedZoneId?, evaluateTargetHealth? }` of a record of `type`, in upper case (null: not a type).
 * Null where anything of it is wrong; `problems` then says what.
 */
export function parseAlias(
  value: unknown,
  type: string | null,
  paths: AliasPaths,
  problems: string[],
): EndpointAlias | null {
  const before = problems.length;
  const fields = openFields(value, paths.alias, FIELDS, problems);
  if (fields === null) return null;
  const target = readTarget(fields);
  const hostedZoneId = readHostedZoneId(fields);
  const row = rowOf(target, hostedZoneId);
  const health = optional(fields, 'evaluateTargetHealth', (value) => typeof value === 'boolean', 'true or false');
  if (health === true && row?.takesHealth === false) {
    problems.push(
      `${paths.alias}.evaluateTargetHealth: Route 53 cannot evaluate the health of ${row.service}; leave it out, or write false`,
    );
  }
  if (type !== null) checkType(type, row, paths.type, problems);
  if (problems.length > before || target === null) return null;
  return {
    target,
    hostedZoneId: hostedZoneId ?? row?.hostedZoneId ?? null,
    evaluateTargetHealth: health ?? row?.takesHealth !== false,
  };
}

function rowOf(target: string | null, hostedZoneId: string | null): AliasTargetRow | null {
  const byName = target === null ? null : aliasTargetOf(target);
  return byName ?? (hostedZoneId === null ? null : aliasTargetOfHostedZone(hostedZoneId));
}

function readTarget(fields: Fields): string | null {
  const text = requiredText(fields, 'target');
  if (text === null) return null;
  const parsed = parseName(text, { wildcard: true });
  if (!parsed.ok) {
    fields.problems.push(...parsed.problems.map((problem) => `${fields.path}.target: ${problem}`));
    return null;
  }
  if (parsed.name !== '.') return parsed.name;
  fields.problems.push(`${fields.path}.target: "." is the DNS root, which no alias may point to`);
  return null;
}

function readHostedZoneId(fields: Fields): string | null {
  const id = optionalText(fields, 'hostedZoneId');
  if (id === null || HOSTED_ZONE_ID.test(id)) return id;
  fields.problems.push(
    `${fields.path}.hostedZoneId: expected the id of a hosted zone, such as Z2FDTNDATAQYW2, got ${describe(id)}`,
  );
  return null;
}

function checkType(type: string, row: AliasTargetRow | null, path: string, problems: string[]): void {
  if (row !== null && !row.types.includes(type)) {
    problems.push(`${path}: an alias to ${row.service} is of type ${row.types.join(' or ')}, not ${type}`);
  } else if (NEVER_ALIASED.includes(type)) {
    problems.push(`${path}: a record of type ${type} cannot be an alias; write its value into rdata`);
  }
}
