// What zone53 may do in Route 53, as IAM statements. It may change the listed hosted zones only; it may never change NS
// or DS at an apex, nor delete an SOA. IAM denies these even if our code were wrong. The conditions see a batch as one
// set of names, types and actions, so changes at the apex go in a batch of their own (batch-changes.ts).
//
// IAM takes 10,240 characters of a role's inline policies, and 6,144 of each of ten managed policies at most. So each
// statement denies many apexes. If an apex is also a name in another hosted zone, whose NS delegates to it, it is
// denied in its own hosted zone only; other apexes are denied in all hosted zones.
import { formatRoute53Name } from './escapes.ts';

export type ConfiguredHostedZone = {
  /** Canonical name. */
  readonly zone: string;
  /** Id; may be a token of the CDK. */
  readonly id: string;
  /** The account, of `accounts`, that has it. Absent: the stack's own. */
  readonly account?: string;
};

/** A statement of a policy. `values`: what the condition keys must not have. */
export type Statement = {
  readonly sid: string;
  readonly effect: 'Allow' | 'Deny';
  readonly actions: readonly string[];
  readonly resources: readonly string[];
  readonly values?: Readonly<Record<string, readonly string[]>>;
};

/** The operator of the condition on `values`. */
export const VALUES_OPERATOR = 'ForAnyValue:StringEquals';

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

/** What the statements name of these hosted zones, which are all of one account. */
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

/** A name as in Route 53's IAM condition keys: lower case, `\ooo` octal escapes, no last dot. */
export function iamRecordName(name: string): string {
  return formatRoute53Name(name).replace(/\.$/, '');
}

function inParts<T>(all: readonly T[]): T[][] {
  const count = Math.ceil(all.length / STATEMENT_RESOURCES_MAX);
  return Array.from({ length: count }, (_, at) =>
    all.slice(at * STATEMENT_RESOURCES_MAX, (at + 1) * STATEMENT_RESOURCES_MAX),
  );
}

function allow(sid: string, actions: readonly string[], resources: readonly string[]): readonly Statement[] {
  return inParts(resources).map((part, index) => ({
    ...{ sid: `${sid}${index}`, effect: 'Allow', actions, resources: part },
  }));
}

/** Lets the publisher change and read the record sets of these hosted zones. */
export function publisherStatements({
  arns,
  anyArn,
  apexNames,
  innerApexes,
}: GrantedHostedZones): readonly Statement[] {
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

function noDelegation(part: string, apexNames: readonly string[], resource: string): Statement {
  return deny(`NoApexDelegation${part}`, resource, { [NAMES]: apexNames, [TYPES]: ['NS', 'DS'] });
}

function deny(sid: string, resource: string, values: NonNullable<Statement['values']>): Statement {
  return { sid, effect: 'Deny', actions: [CHANGE], resources: [resource], values };
}

/**
 * Lets reconcile and sweep check what these hosted zones are, read an SOA, and ask whether all name servers have a
 * change, which IAM knows by an id of its own; with `record-sets`, also list protections (sweep).
 */
export function readerStatements(
  { arns, anyArn }: GrantedHostedZones,
  what: 'zones' | 'record-sets',
): readonly Statement[] {
  const actions = ['route53:GetHostedZone', ...(what === 'record-sets' ? READS : READS.slice(0, 1))];
  const changes = anyArn.replace(/hostedzone\/\*$/, 'change/*');
  return [...allow('ReadHostedZones', actions, arns), ...allow('FollowChanges', ['route53:GetChange'], [changes])];
}

/** Lets the intent API read the tags of these hosted zones. */
export function tagStatements({ arns }: GrantedHostedZones): readonly Statement[] {
  return allow('ReadTags', ['route53:ListTagsForResource'], arns);
}

/** Lets the publisher make health checks, which have no names before they exist, and change them. */
export function healthCheckMakerStatements(): readonly Statement[] {
  return allow(
    'MakeHealthChecks',
    ['Create', 'Get', 'Update'].map((verb) => `route53:${verb}HealthCheck`),
    ['*'],
  );
}

/** Lets the sweep delete health checks that nothing uses any more, and find those that somebody deleted. */
export function healthCheckTidierStatements(): readonly Statement[] {
  return allow('TidyHealthChecks', ['route53:DeleteHealthCheck', 'route53:ListHealthChecks'], ['*']);
}

/** Lets hosted zones be created, and found again: both are granted only for all. */
export function creatorStatements(): readonly Statement[] {
  return allow('CreateHostedZones', ['route53:CreateHostedZone', 'route53:ListHostedZonesByName'], ['*']);
}

/** Lets a function assume these roles, given by their ARNs. */
export function roleStatements(assumeRoles: readonly string[]): readonly Statement[] {
  return allow('AssumeRoles', ['sts:AssumeRole'], assumeRoles);
}
