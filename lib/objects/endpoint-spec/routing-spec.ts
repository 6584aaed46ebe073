// Routing as an object asks for it, from an untrusted value: every problem at once. Whatever Route 53 refuses of one
// record set alone is found here; what depends on its neighbours is judged by the rules, in lib/zones.

import { healthCheckText } from '../../dns/health-check.ts';
import type { RoutingPolicy } from '../../dns/routing-policy.ts';
import { MULTIVALUE_TYPES, ROUTING_REGIONS } from '../../route53/routing-values.ts';
import type { EndpointRouting } from '../endpoint.ts';
import { describe, type Fields, isWhole, openFields, optional, optionalText, requiredText } from '../spec-fields.ts';
import { parseHealthCheck } from './health-check-spec.ts';
import { readCidr, readGeolocation, readGeoproximity } from './routing-locations.ts';

/** The keys of which a routing has exactly one: its policy. */
const POLICIES = ['weight', 'region', 'failover', 'geolocation', 'geoproximity', 'multivalue', 'cidr'] as const;
const FIELDS = ['setIdentifier', ...POLICIES, 'healthCheckId', 'healthCheck'];
const SET_IDENTIFIER_CHARACTERS_MAX = 128;
/** Control characters, halves of surrogate pairs, and what XML, which Route 53 speaks, has not (XML 1.0, 2.2). */
const NOT_IN_SET_IDENTIFIER = /[\p{Cc}\p{Cs}\ufffe\uffff]/u;
const WEIGHT_MAX = 255;
/** Ids of health checks (API_ResourceRecordSet: 64 characters at most). */
const HEALTH_CHECK_ID = /^[A-Za-z0-9-]{1,64}$/;
/** Types that Route 53 has simple routing for alone: API_ResourceRecordSet. */
const NEVER_ROUTED = ['NS', 'DS', 'SOA'];

/** What the routing belongs to: the record's type in upper case (null: not a type), and whether it is an alias. */
export type RoutedRecord = { readonly type: string | null; readonly isAlias: boolean };

/** Parses a routing at `path`. Null where anything of it is wrong; `problems` then says what. */
export function parseRouting(
  value: unknown,
  record: RoutedRecord,
  path: string,
  problems: string[],
): EndpointRouting | null {
  const before = problems.length;
  const fields = openFields(value, path, FIELDS, problems);
  if (fields === null) return null;
  const setIdentifier = readSetIdentifier(fields);
  const policy = readPolicy(fields);
  const healthCheckId = readHealthCheckId(fields);
  checkRecord(record, fields);
  checkPrimary(record, policy, fields);
  if (problems.length > before || setIdentifier === null || policy === null) return null;
  return { setIdentifier, policy, healthCheckId };
}

function readSetIdentifier(fields: Fields): string | null {
  const text = requiredText(fields, 'setIdentifier');
  if (text === null) return null;
  if (text.length <= SET_IDENTIFIER_CHARACTERS_MAX && !NOT_IN_SET_IDENTIFIER.test(text)) return text;
  fields.problems.push(
    `${fields.path}.setIdentifier: expected 1 to ${SET_IDENTIFIER_CHARACTERS_MAX} characters, none of them a control character, got ${describe(text)}`,
  );
  return null;
}

/** The id of a health check, or one that is to be made, as its text (lib/dns/health-check.ts). */
function readHealthCheckId(fields: Fields): string | null {
  const id = optionalText(fields, 'healthCheckId');
  const { values, path, problems } = fields;
  if ((values.healthCheck ?? null) !== null) {
    if (id !== null) problems.push(`${path}.healthCheck: there is healthCheckId as well; keep one of the two`);
    const check = parseHealthCheck(values.healthCheck, `${path}.healthCheck`, problems);
    return check === null ? null : healthCheckText(check);
  }
  if (id === null || HEALTH_CHECK_ID.test(id)) return id;
  fields.problems.push(
    `${fields.path}.healthCheckId: expected the id of a health check, such as 01234567-89ab-cdef-0123-456789abcdef, got ${describe(id)}`,
  );
  return null;
}

function checkRecord({ type, isAlias }: RoutedRecord, { path, problems, values }: Fields): void {
  if (type !== null && NEVER_ROUTED.includes(type)) {
    problems.push(`${path}: Route 53 has no routing for type ${type}; remove routing`);
    return;
  }
  if ((values.multivalue ?? null) === null) return;
  if (isAlias) problems.push(`${path}.multivalue: an alias cannot be a multivalue answer; use weight, or write values`);
  if (type === 'CNAME') {
    problems.push(`${path}.multivalue: a CNAME cannot be a multivalue answer; use weight, or type A or AAAA`);
  } else if (type !== null && !MULTIVALUE_TYPES.has(type)) {
    problems.push(`${path}.multivalue: Route 53 has no multivalue answers of type ${type}`);
  }
}

/** Route 53 always refuses it: "A non-alias primary ResourceRecordSet must have an associated health check." */
function checkPrimary(
  { isAlias }: RoutedRecord,
  policy: RoutingPolicy | null,
  { path, problems, values }: Fields,
): void {
  const isPrimary = policy?.kind === 'failover' && policy.failover === 'PRIMARY';
  if (!isPrimary || isAlias || (values.healthCheckId ?? values.healthCheck ?? null) !== null) return;
  problems.push(
    `${path}.healthCheckId: a PRIMARY that is not an alias needs a health check; write the id of one, or healthCheck`,
  );
}

function readPolicy(fields: Fields): RoutingPolicy | null {
  const given = POLICIES.filter((key) => (fields.values[key] ?? null) !== null);
  if (given.length !== 1) {
    const found = given.length === 0 ? 'there is none' : `there are ${given.join(' and ')}`;
    fields.problems.push(`${fields.path}: expected exactly one of ${POLICIES.join(', ')}; ${found}`);
  }
  const policies = given.map((key) => READERS[key](fields));
  return given.length === 1 ? (policies[0] ?? null) : null;
}

const READERS: Readonly<Record<(typeof POLICIES)[number], (fields: Fields) => RoutingPolicy | null>> = {
  weight: readWeight,
  region: readRegion,
  failover: readFailover,
  geolocation: readGeolocation,
  geoproximity: readGeoproximity,
  multivalue: readMultivalue,
  cidr: readCidr,
};

function readWeight(fields: Fields): RoutingPolicy | null {
  const weight = optional(fields, 'weight', isWhole(0, WEIGHT_MAX), `a whole number from 0 to ${WEIGHT_MAX}`);
  return weight === null ? null : { kind: 'weight', weight };
}

function readRegion(fields: Fields): RoutingPolicy | null {
  const isRegion = (value: unknown): value is string => typeof value === 'string' && ROUTING_REGIONS.has(value);
  const region = optional(fields, 'region', isRegion, 'an AWS region, such as eu-west-1');
  return region === null ? null : { kind: 'region', region };
}

function readFailover(fields: Fields): RoutingPolicy | null {
  const isRole = (value: unknown): value is 'PRIMARY' | 'SECONDARY' => value === 'PRIMARY' || value === 'SECONDARY';
  const failover = optional(fields, 'failover', isRole, 'PRIMARY or SECONDARY');
  return failover === null ? null : { kind: 'failover', failover };
}

function readMultivalue({ values, path, problems }: Fields): RoutingPolicy | null {
  if (values.multivalue === true) return { kind: 'multivalue' };
  problems.push(
    `${path}.multivalue: expected true, got ${describe(values.multivalue)}; leave it out for another policy`,
  );
  return null;
}
