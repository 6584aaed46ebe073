// Reads the body of ChangeResourceRecordSets: first by the schema, then by the rules that Route 53 calls "Invalid
// request". A change has either an alias, or a TTL with values; a routing policy needs a SetIdentifier, and the other
// way round. One InvalidInput has all such faults of a batch. Source: API reference ResourceRecordSet. Last verified
// 2026-11-21.
import type { ChangeAction, LocalChange } from '../records/change-batch.ts';
import { type LocalAlias, ROUTING_POLICIES } from '../records/record-set.ts';
import { RECORD_TYPES } from '../values/check-value.ts';
import { TTL_SECONDS_MAX } from '../values/limits.ts';
import { invalidInput, Route53Error } from '../values/route53-error.ts';
import { placeProblems, readRouting } from './read-routing.ts';
import { readBoolean, readChildren, readInteger, readList, readOneOf, readText, requiredChild } from './schema.ts';
import { readXml, type XmlElement } from './xml.ts';

const ACTIONS: readonly ChangeAction[] = ['CREATE', 'DELETE', 'UPSERT'];
const NAME_CHARACTERS_MAX = 1024;
const COMMENT_CHARACTERS_MAX = 256;
const IDENTIFIER_CHARACTERS_MAX = 128;
/** Far above the limit of a value, because a value that is too long is a fault of the batch and not of the XML. */
const VALUE_ELEMENT_CHARACTERS_MAX = 64_000;
const HEALTH_CHECK_CHARACTERS_MAX = 64;

export type ChangeBatchBody = { readonly comment: string | null; readonly changes: readonly LocalChange[] };

type Draft = {
  readonly change: LocalChange;
  readonly has: (name: string) => boolean;
  /** ` in Change with [Action=…]` */
  readonly where: string;
};

/** Reads a ChangeResourceRecordSetsRequest, or throws InvalidInput. */
export function readChangeBatch(body: string): ChangeBatchBody {
  const root = readXml(body, 'ChangeResourceRecordSetsRequest');
  const batch = readChildren(
    requiredChild(readChildren(root, ['ChangeBatch']), 'ChangeBatch'),
    ['Changes'],
    ['Comment'],
  );
  const comment = batch.get('Comment');
  const drafts = readList(requiredChild(batch, 'Changes'), 'Change').map(readChange);
  const problems = drafts.flatMap(requestProblems);
  if (problems.length > 0) throw invalidInput(problems.map((problem) => `Invalid request: ${problem}`).join(', '));
  return {
    comment: comment === undefined ? null : readText(comment, 0, COMMENT_CHARACTERS_MAX),
    changes: drafts.map((draft) => draft.change),
  };
}

function readChange(element: XmlElement): Draft {
  const fields = readChildren(element, ['Action', 'ResourceRecordSet']);
  const action = readOneOf(requiredChild(fields, 'Action'), ACTIONS);
  const optional = ['SetIdentifier', ...ROUTING_POLICIES, 'TTL', 'ResourceRecords', 'AliasTarget'];
  const set = readChildren(
    requiredChild(fields, 'ResourceRecordSet'),
    ['Name', 'Type'],
    [...optional, 'HealthCheckId', 'TrafficPolicyInstanceId'],
  );
  const ttl = set.get('TTL');
  const records = set.get('ResourceRecords');
  const alias = set.get('AliasTarget');
  const identifier = set.get('SetIdentifier');
  refuseTrafficPolicies(set);
  const healthCheck = set.get('HealthCheckId');
  const recordSet = {
    name: readText(requiredChild(set, 'Name'), 1, NAME_CHARACTERS_MAX),
    type: readOneOf(requiredChild(set, 'Type'), RECORD_TYPES),
    setIdentifier: identifier === undefined ? null : readText(identifier, 1, IDENTIFIER_CHARACTERS_MAX),
    ttl: ttl === undefined ? null : readInteger(ttl, TTL_SECONDS_MAX),
    values: records === undefined ? [] : readList(records, 'ResourceRecord').map(readValue),
    alias: alias === undefined ? null : readAlias(alias),
    routing: readRouting(set),
    healthCheckId: healthCheck === undefined ? null : readText(healthCheck, 1, HEALTH_CHECK_CHARACTERS_MAX),
  };
  const { name, type, setIdentifier } = recordSet;
  const where = ` in Change with [Action=${action}, Name=${name}, Type=${type}, SetIdentifier=${setIdentifier}]`;
  return { change: { action, recordSet }, has: (field) => set.has(field), where };
}

function refuseTrafficPolicies(set: ReadonlyMap<string, XmlElement>): void {
  const instance = set.get('TrafficPolicyInstanceId');
  if (instance === undefined) return;
  const message = `No traffic policy instance found with ID: ${instance.text}`;
  throw new Route53Error('NoSuchTrafficPolicyInstance', 404, message);
}

function readValue(element: XmlElement): string {
  return readText(requiredChild(readChildren(element, ['Value']), 'Value'), 0, VALUE_ELEMENT_CHARACTERS_MAX);
}

function readAlias(element: XmlElement): LocalAlias {
  const fields = readChildren(element, ['HostedZoneId', 'DNSName', 'EvaluateTargetHealth']);
  return {
    hostedZoneId: readText(requiredChild(fields, 'HostedZoneId'), 1, 32),
    dnsName: readText(requiredChild(fields, 'DNSName'), 1, NAME_CHARACTERS_MAX),
    evaluateTargetHealth: readBoolean(requiredChild(fields, 'EvaluateTargetHealth')),
  };
}

function requestProblems({ change, has, where }: Draft): string[] {
  const problems: string[] = [];
  const choice = 'Expected exactly one of [AliasTarget, all of [TTL, and ResourceRecords], or TrafficPolicyInstanceId]';
  const values = has('TTL') || has('ResourceRecords');
  if (has('AliasTarget') && values) problems.push(`${choice}, but found more than one${where}`);
  else if (!has('AliasTarget') && !(has('TTL') && has('ResourceRecords')))
    problems.push(`${choice}, but found none${where}`);
  const policies = ROUTING_POLICIES.filter(has);
  const identified = change.recordSet.setIdentifier !== null;
  const list = `[${ROUTING_POLICIES.slice(0, -1).join(', ')}, or ${ROUTING_POLICIES.at(-1)}]`;
  if (policies.length > 1) problems.push(`Expected exactly one of ${list}, but found more than one${where}`);
  if (policies.length > 0 && !identified) problems.push(`Missing field 'SetIdentifier'${where}`);
  if (policies.length === 0 && identified) {
    problems.push(`Expected exactly one of ${list}, but found none${where}`);
  }
  const places = placeProblems(change.recordSet.routing).map((problem) => `${problem}${where}`);
  return [...problems, ...places];
}
