import { describe, expect, it } from 'vitest';
import { evaluatePolicy } from '../test/support/evaluate-policy.ts';
import { exampleTemplate, type Resource, resolved } from '../test/support/example-template.ts';

const example = exampleTemplate();
const ZONE = 'arn:aws:route53:::hostedzone/Z0123456789ABCDEFGHIJ';

describe('rights of each function', () => {
  const change = (names: string[], types: string[], actions: string[]) => ({
    'route53:ChangeResourceRecordSetsNormalizedRecordNames': names,
    'route53:ChangeResourceRecordSetsRecordTypes': types,
    'route53:ChangeResourceRecordSetsActions': actions,
  });
  const CHANGE = 'route53:ChangeResourceRecordSets';
  it.each([
    ['publish', 'creates a record', CHANGE, ZONE, change(['www.example.org'], ['A'], ['CREATE']), 'allowed'],
    [
      'publish',
      'changes many',
      CHANGE,
      ZONE,
      change(['a.example.org', 'b.example.org'], ['A', 'TXT'], ['DELETE', 'CREATE']),
      'allowed',
    ],
    [
      'publish',
      'changes the apex address',
      CHANGE,
      ZONE,
      change(['example.org'], ['A', 'MX'], ['DELETE', 'CREATE']),
      'allowed',
    ],
    ['publish', 'sets the SOA timers', CHANGE, ZONE, change(['example.org'], ['SOA'], ['UPSERT']), 'allowed'],
    [
      'publish',
      'delegates a sub-zone',
      CHANGE,
      ZONE,
      change(['team.example.org'], ['NS', 'DS'], ['CREATE']),
      'allowed',
    ],
    ['publish', 'deletes the apex NS', CHANGE, ZONE, change(['example.org'], ['NS'], ['DELETE']), 'explicitly denied'],
    ['publish', 'replaces the apex NS', CHANGE, ZONE, change(['example.org'], ['NS'], ['UPSERT']), 'explicitly denied'],
    [
      'publish',
      'hides it among others',
      CHANGE,
      ZONE,
      change(['example.org', 'www.example.org'], ['A', 'NS'], ['DELETE', 'CREATE']),
      'explicitly denied',
    ],
    [
      'publish',
      'puts a DS at the apex',
      CHANGE,
      ZONE,
      change(['example.org'], ['DS'], ['CREATE']),
      'explicitly denied',
    ],
    ['publish', 'deletes the SOA', CHANGE, ZONE, change(['example.org'], ['SOA'], ['DELETE']), 'explicitly denied'],
    ['publish', 'reads record sets', 'route53:ListResourceRecordSets', ZONE, {}, 'allowed'],
    [
      'publish',
      'changes another hosted zone',
      CHANGE,
      'arn:aws:route53:::hostedzone/ZOTHER',
      change(['www.bank.example'], ['A'], ['CREATE']),
      'not allowed',
    ],
    ['publish', 'makes a hosted zone', 'route53:CreateHostedZone', '*', {}, 'not allowed'],
    ['publish', 'deletes a hosted zone', 'route53:DeleteHostedZone', ZONE, {}, 'not allowed'],
    ['publish', 'turns off DNSSEC', 'route53:DisableHostedZoneDNSSEC', ZONE, {}, 'not allowed'],
    ['publish', 'makes a health check, without the key', 'route53:CreateHealthCheck', '*', {}, 'not allowed'],
    ['ingest', 'changes a record', CHANGE, ZONE, change(['www.example.org'], ['A'], ['CREATE']), 'not allowed'],
    ['reconcile', 'changes a record', CHANGE, ZONE, change(['www.example.org'], ['A'], ['CREATE']), 'not allowed'],
    ['report', 'changes a record', CHANGE, ZONE, change(['www.example.org'], ['A'], ['CREATE']), 'not allowed'],
    ['sweep', 'changes a record', CHANGE, ZONE, change(['www.example.org'], ['A'], ['CREATE']), 'not allowed'],
    ['reconcile', 'reads the hosted zone', 'route53:GetHostedZone', ZONE, {}, 'allowed'],
    ['reconcile', 'follows a change', 'route53:GetChange', 'arn:aws:route53:::change/C1', {}, 'allowed'],
    ['sweep', 'follows a change', 'route53:GetChange', 'arn:aws:route53:::change/C1', {}, 'allowed'],
    ['publish', 'follows a change', 'route53:GetChange', 'arn:aws:route53:::change/C1', {}, 'not allowed'],
    ['reconcile', 'reads the SOA', 'route53:ListResourceRecordSets', ZONE, {}, 'allowed'],
    ['reconcile', 'lists all hosted zones', 'route53:ListHostedZones', '*', {}, 'not allowed'],
    ['publish', 'lists protections', 'route53:ListResourceRecordSetProtections', ZONE, {}, 'allowed'],
    ['sweep', 'lists protections', 'route53:ListResourceRecordSetProtections', ZONE, {}, 'allowed'],
    ['sweep', 'reads record sets', 'route53:ListResourceRecordSets', ZONE, {}, 'allowed'],
    ['report', 'reads record sets', 'route53:ListResourceRecordSets', ZONE, {}, 'not allowed'],
  ] as const)('%s %s', (name, _what, action, resource, context, decision) => {
    expect(evaluatePolicy(example.statementsOf(name), { action, resource, context })).toBe(decision);
  });

  it.each([
    ['ingest', 'sqs:SendMessage', 'AWS::SQS::Queue', 'QueuesHints', 'allowed'],
    ['ingest', 'sqs:SendMessage', 'AWS::SQS::Queue', 'QueuesPublish', 'not allowed'],
    ['ingest', 'sqs:ReceiveMessage', 'AWS::SQS::Queue', 'QueuesHints', 'not allowed'],
    ['ingest', 'dynamodb:PutItem', 'AWS::DynamoDB::Table', 'LedgerTable', 'not allowed'],
    ['ingest', 'secretsmanager:GetSecretValue', 'AWS::SecretsManager::Secret', 'SenderSecret', 'allowed'],
    ['ingest', 'secretsmanager:PutSecretValue', 'AWS::SecretsManager::Secret', 'SenderSecret', 'not allowed'],
    ['ingest', 'secretsmanager:GetSecretValue', 'AWS::SecretsManager::Secret', 'ValidateSecret', 'not allowed'],
    ['validate', 'secretsmanager:GetSecretValue', 'AWS::SecretsManager::Secret', 'ValidateSecret', 'allowed'],
    ['validate', 'secretsmanager:GetSecretValue', 'AWS::SecretsManager::Secret', 'SenderSecret', 'not allowed'],
    ['validate', 'sqs:SendMessage', 'AWS::SQS::Queue', 'QueuesHints', 'not allowed'],
    ['validate', 'dynamodb:Query', 'AWS::DynamoDB::Table', 'LedgerTable', 'not allowed'],
    ['publish', 'secretsmanager:GetSecretValue', 'AWS::SecretsManager::Secret', 'SenderSecret', 'not allowed'],
    ['publish', 'dynamodb:PutItem', 'AWS::DynamoDB::Table', 'LedgerTable', 'allowed'],
    ['publish', 'dynamodb:PartiQLInsert', 'AWS::DynamoDB::Table', 'LedgerTable', 'allowed'],
    ['publish', 'dynamodb:PartiQLSelect', 'AWS::DynamoDB::Table', 'LedgerTable', 'not allowed'],
    ['publish', 'dynamodb:Scan', 'AWS::DynamoDB::Table', 'LedgerTable', 'not allowed'],
    ['publish', 'dynamodb:DeleteTable', 'AWS::DynamoDB::Table', 'LedgerTable', 'not allowed'],
    ['publish', 'sqs:ChangeMessageVisibility', 'AWS::SQS::Queue', 'QueuesPublish', 'allowed'],
    ['reconcile', 'sqs:SendMessage', 'AWS::SQS::Queue', 'QueuesReports', 'allowed'],
    ['poll', 'sqs:SendMessage', 'AWS::SQS::Queue', 'QueuesHints', 'allowed'],
    ['poll', 'sqs:SendMessage', 'AWS::SQS::Queue', 'QueuesReports', 'allowed'],
    ['poll', 'sqs:SendMessage', 'AWS::SQS::Queue', 'QueuesPublish', 'not allowed'],
    ['poll', 'dynamodb:PutItem', 'AWS::DynamoDB::Table', 'LedgerTable', 'allowed'],
    ['report', 'sqs:SendMessage', 'AWS::SQS::Queue', 'QueuesReports', 'allowed'],
    ['report', 'sqs:SendMessage', 'AWS::SQS::Queue', 'QueuesHints', 'not allowed'],
    ['report', 'sqs:SendMessage', 'AWS::SQS::Queue', 'QueuesPublish', 'not allowed'],
    ['report', 'dynamodb:PutItem', 'AWS::DynamoDB::Table', 'LedgerTable', 'allowed'],
  ] as const)('%s %s %s%s', (name, action, type, text, decision) => {
    const id = example.idOf(type, text);
    const resource = type === 'AWS::SecretsManager::Secret' ? `ref:${id}` : `arn:${id}`;
    expect(evaluatePolicy(example.statementsOf(name), { action, resource })).toBe(decision);
  });
});

describe('the account for which a service may assume a role', () => {
  const ACTION = 'sts:AssumeRole';
  type Trust = { readonly Principal: unknown; readonly [key: string]: unknown };
  /** Every role of both stacks, with what its trust policy says of whom and when. */
  const trusts = () =>
    Object.entries({ ...example.resources, ...(example.drift.toJSON().Resources as Record<string, Resource>) })
      .filter(([, { Type }]) => Type === 'AWS::IAM::Role')
      .map(([id, { Properties }]) => {
        const { Statement } = resolved(Properties.AssumeRolePolicyDocument) as { Statement: readonly Trust[] };
        return { id, principals: Statement.map(({ Principal }) => Principal), Statement };
      });
  // A trust policy is about the role it belongs to, and names no resource.
  const decide = ({ Statement }: { readonly Statement: readonly Trust[] }, context: Record<string, string>) =>
    evaluatePolicy(
      Statement.map(({ Principal: _principal, ...rest }) => ({ ...rest, Resource: 'role' })),
      { action: ACTION, resource: 'role', context },
    );

  it.each([
    ['this account', { 'aws:SourceAccount': 'ref:AWS::AccountId' }, 'allowed'],
    ['another account', { 'aws:SourceAccount': '999988887777' }, 'not allowed'],
    [
      'an ARN of this account in place of its number',
      { 'aws:SourceArn': 'arn:aws:lambda:eu-west-1:ref' },
      'not allowed',
    ],
    ['no account', {}, 'not allowed'],
  ] as const)('%s', (_title, context, decision) => {
    const roles = trusts();
    expect(roles).toHaveLength(11);
    for (const role of roles) expect(decide(role, context as Record<string, string>), role.id).toBe(decision);
  });

  it('only the service that needs it, and nobody of another account', () => {
    const services = trusts().flatMap(({ principals }) => principals.map((one) => JSON.stringify(one)));
    const count = (name: string) => services.filter((one) => one === `{"Service":"${name}.amazonaws.com"}`).length;
    expect([count('lambda'), count('scheduler'), count('events'), services.length]).toEqual([9, 1, 1, 11]);
  });
});
