// Builds the CloudFormation template of the role by which zone53 works in another AWS account: who may assume it, and
// what it may do there, with the same denials as the stack's own policy. Pure: the configuration is an argument.
import { didYouMean } from '../../lib/dns/names/edit-distance.ts';
import type { Config } from '../../lib/ports/config.ts';
import {
  creatorStatements,
  grantedHostedZones,
  healthCheckMakerStatements,
  healthCheckTidierStatements,
  publisherStatements,
  readerStatements,
  type Statement,
  tagStatements,
  VALUES_OPERATOR,
} from '../../lib/route53/hosted-zone-policy.ts';
import { UsageError } from '../print/usage-error.ts';

/** Characters of a policy: IAM takes 10,240 of all inline policies together, and 6,144 of a managed one. */
const INLINE_CHARACTERS_MAX = 10_000;
const MANAGED_CHARACTERS_MAX = 6_000;

/** The template of the role of an account. `principals`: the ARNs of those who may assume it. Throws UsageError. */
export function accountTemplate(config: Config, account: string, principals: readonly string[]): object {
  const settings = config.accounts[account];
  const declared = Object.keys(config.accounts);
  if (settings === undefined) {
    const known = declared.length === 0 ? 'it declares none' : `it declares ${declared.join(', ')}`;
    throw new UsageError(`accounts of the configuration has no "${account}": ${known}${didYouMean(account, declared)}`);
  }
  if (principals.length === 0)
    throw new UsageError(
      `Nobody could assume the role: name the functions with --outputs FILE of the deployed stack, and people or jobs with --operators ARN`,
    );
  const [, partition = '', , , , resource = ''] = settings.role.split(':');
  const [, path = '/', name = ''] = /^role(\/(?:.*\/)?)([^/]+)$/.exec(resource) ?? [];
  const [inline, ...more] = policiesOf(statementsOf(config, account, partition, settings.intents));
  const condition =
    settings.externalId === null ? {} : { Condition: { StringEquals: { 'sts:ExternalId': settings.externalId } } };
  return {
    AWSTemplateFormatVersion: '2010-09-09',
    Description: `The role by which zone53 publishes into hosted zones of account ${account}`,
    Resources: {
      Role: {
        Type: 'AWS::IAM::Role',
        Properties: {
          RoleName: name,
          Path: path,
          AssumeRolePolicyDocument: {
            Version: '2012-10-17',
            Statement: [
              { Effect: 'Allow', Principal: { AWS: [...principals] }, Action: 'sts:AssumeRole', ...condition },
            ],
          },
          Policies: [{ PolicyName: 'zone53', PolicyDocument: inline }],
        },
      },
      ...Object.fromEntries(
        more.map((PolicyDocument, index) => [
          `More${index + 1}`,
          { Type: 'AWS::IAM::ManagedPolicy', Properties: { PolicyDocument, Roles: [{ Ref: 'Role' }] } },
        ]),
      ),
    },
    Outputs: { Role: { Value: { 'Fn::GetAtt': ['Role', 'Arn'] } } },
  };
}

/** True if the template lets zone53 create hosted zones, and write those that the configuration does not list. */
export function allowsUnlisted({ createHostedZones }: Pick<Config, 'createHostedZones'>): boolean {
  return createHostedZones === 'all';
}

function statementsOf(config: Config, account: string, partition: string, readsTags: boolean): readonly Statement[] {
  const listed = config.hostedZones.filter((one) => one.account === account);
  const isOpen = allowsUnlisted(config);
  if (listed.length === 0 && !isOpen)
    throw new UsageError(
      `hostedZones of the configuration lists no hosted zone with account: ${account}, so the role could do nothing`,
    );
  const exact = grantedHostedZones(listed, partition);
  const granted = isOpen ? { ...exact, arns: [exact.anyArn] } : exact;
  return [
    ...readerStatements(granted, 'zones'),
    ...publisherStatements(granted),
    ...(config.healthChecks.max > 0 ? [...healthCheckMakerStatements(), ...healthCheckTidierStatements()] : []),
    ...(readsTags ? tagStatements(granted) : []),
    ...(isOpen ? creatorStatements() : []),
  ];
}

/** The statements as policies, each as large as IAM takes: the first is inline. */
function policiesOf(statements: readonly Statement[]): readonly object[] {
  const policies: object[][] = [[]];
  for (const written of statements.map(writtenStatement)) {
    const max = policies.length === 1 ? INLINE_CHARACTERS_MAX : MANAGED_CHARACTERS_MAX;
    const last = policies.at(-1) ?? [];
    if (last.length > 0 && JSON.stringify([...last, written]).length > max) policies.push([written]);
    else last.push(written);
  }
  return policies.map((Statement) => ({ Version: '2012-10-17', Statement }));
}

function writtenStatement({ sid, effect, actions, resources, values }: Statement): object {
  return {
    ...{ Sid: sid, Effect: effect, Action: actions, Resource: resources },
    ...(values === undefined ? {} : { Condition: { [VALUES_OPERATOR]: values } }),
  };
}
