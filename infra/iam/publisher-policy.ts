// What the functions may do in Route 53. They may change the configured hosted zones only; they may never change NS or
// DS at an apex, nor delete an SOA. IAM denies these even if our code were wrong. The conditions see a batch as one set
// of names, types and actions, so changes at the apex go in a batch of their own (lib/route53/batch-changes.ts).
//
// IAM takes 10,240 characters of a role's inline policies, and 6,144 of each of ten managed policies at most. So each
// statement denies many apexes. If an apex is also a name in another hosted zone, whose NS delegates to it, it is
// denied in its own hosted zone only; other apexes are denied in all hosted zones.
import { Effect, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { iamRecordName } from '../../functions/runtime/environment.ts';

export type ConfiguredHostedZone = {
  /** Canonical name. */
  readonly zone: string;
  /** Id; may be a token. */
  readonly id: string;
};

/** What reads record sets, and protections of them, of which the answer to a batch says too little. */
const READS = ['route53:ListResourceRecordSets', 'route53:ListResourceRecordSetProtections'];
const CHANGE = 'route53:ChangeResourceRecordSets';
const NAMES = 'route53:ChangeResourceRecordSetsNormalizedRecordNames';
const TYPES = 'route53:ChangeResourceRecordSetsRecordTypes';
const ACTIONS = 'route53:ChangeResourceRecordSetsActions';

/** Hosted zones or roles in one statement: it stays below 6,144 characters with names of some 60. */
const STATEMENT_RESOURCES_MAX = 50;

/** Hosted zones as the statements name them. */
export type GrantedHostedZones = {
  readonly arns: readonly string[];
  /** The ARN of any hosted zone. */
  readonly anyArn: string;
  /** Names of apexes, as IAM writes them, that are denied in all hosted zones. */
  readonly apexNames: readonly string[];
  /** Those that are denied in their own hosted zone only. */
  readonly innerApexes: readonly { readonly name: string; readonly arn: string }[];
};

/** What the statements name of configured hosted zones. */
export function grantedHostedZones(
  hostedZones: readonly ConfiguredHostedZone[],
  partition: string,
): GrantedHostedZones {
  const arnOf = (id: string) => `arn:${partition}:route53:::hostedzone/${id}`;
  const inner = hostedZones.filter(({ zone }) => hostedZones.some((other) => isBelow(zone, other.zone)));
  const outer = hostedZones.filter((one) => !inner.includes(one));
  return {
    arns: hostedZones.map(({ id }) => arnOf(id)),
    anyArn: arnOf('*'),
    apexNames: outer.map(({ zone }) => iamRecordName(zone)),
    innerApexes: inner.map(({ zone, id }) => ({ name: iamRecordName(zone), arn: arnOf(id) })),
  };
}

function inParts<T>(all: readonly T[]): T[][] {
  const count = Math.ceil(all.length / STATEMENT_RESOURCES_MAX);
  return Array.from({ length: count }, (_, at) =>
    all.slice(at * STATEMENT_RESOURCES_MAX, (at + 1) * STATEMENT_RESOURCES_MAX),
  );
}

function allow(sid: string, actions: string[], resources: readonly string[]): PolicyStatement[] {
  return inParts(resources).map(
    (part, index) => new PolicyStatement({ sid: `${sid}${index}`, actions, resources: part }),
  );
}

/** Lets the publisher change and read the record sets of these hosted zones. */
export function publisherStatements({ arns, anyArn, apexNames, innerApexes }: GrantedHostedZones): PolicyStatement[] {
  return [
    ...allow('Publish', [CHANGE, ...READS], arns),
    // An SOA exists at an apex only, and is changed in a batch of its own.
    deny('NoSoaDelete', anyArn, { [TYPES]: ['SOA'], [ACTIONS]: ['DELETE'] }),
    ...inParts(apexNames).map((part, index) => noDelegation(`${index}`, part, anyArn)),
    ...innerApexes.map(({ name, arn }, index) => noDelegation(`In${index}`, [name], arn)),
  ];
}

function isBelow(name: string, other: string): boolean {
  return name !== other && name.endsWith(`.${other}`);
}

function noDelegation(part: string, apexNames: readonly string[], resource: string): PolicyStatement {
  return deny(`NoApexDelegation${part}`, resource, { [NAMES]: apexNames, [TYPES]: ['NS', 'DS'] });
}

function deny(sid: string, resource: string, values: Readonly<Record<string, readonly string[]>>): PolicyStatement {
  return new PolicyStatement({
    sid,
    effect: Effect.DENY,
    actions: [CHANGE],
    resources: [resource],
    conditions: { 'ForAnyValue:StringEquals': values },
  });
}

/**
 * Lets reconcile and sweep check what these hosted zones are; with `record-sets`, also list their record sets (sweep).
 */
export function readerStatements({ arns }: GrantedHostedZones, what: 'zones' | 'record-sets'): PolicyStatement[] {
  const actions = ['route53:GetHostedZone', ...(what === 'record-sets' ? READS : [])];
  return allow('ReadHostedZones', actions, arns);
}

/** Lets the intent API read the tags of these hosted zones. */
export function tagStatements({ arns }: GrantedHostedZones): PolicyStatement[] {
  return allow('ReadTags', ['route53:ListTagsForResource'], arns);
}

/** Lets a function assume these roles, given by their ARNs. */
export function roleStatements(assumeRoles: readonly string[]): PolicyStatement[] {
  return allow('AssumeRoles', ['sts:AssumeRole'], assumeRoles);
}
