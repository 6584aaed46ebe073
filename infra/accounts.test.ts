// Other accounts in a deployment: the functions may assume the declared roles and no others, and have no right of their
// own in hosted zones of other accounts.
import { rmSync } from 'node:fs';
import { App, Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import { beforeAll, expect, test } from 'vitest';
import { emptyBundles } from '../test/support/empty-bundles.ts';
import { evaluatePolicy } from '../test/support/evaluate-policy.ts';
import { NAMES, resolved } from '../test/support/example-template.ts';
import { Zone53, type Zone53Props } from './zone53.ts';

const ROLE = 'arn:aws:iam::222222222222:role/zone53';
const OTHER = 'arn:aws:iam::222222222222:role/other';

function templateOf(more: Partial<Zone53Props>): Template {
  const bundles = emptyBundles(NAMES);
  const stack = new Stack(new App(), 'Test', { env: { region: 'eu-west-1', account: '111122223333' } });
  const tokenSecret = Secret.fromSecretNameV2(stack, 'Token', 'token');
  new Zone53(stack, 'Zone53', {
    roots: [{ zone: 'example.org', namespaces: ['platform'] }],
    hostedZones: [{ zone: 'own.example', id: 'ZOWN' }],
    access: { kind: 'token', endpoint: 'https://k8s.example.org', tokenSecret },
    bundles,
    ...more,
  });
  const template = Template.fromStack(stack);
  rmSync(bundles, { recursive: true });
  return template;
}

let template: Template;
beforeAll(() => {
  template = templateOf({
    hostedZones: [
      { zone: 'own.example', id: 'ZOWN' },
      { zone: 'dns.example', id: 'ZDNS', account: 'dns' },
    ],
    accounts: { dns: { role: ROLE, externalId: 'ours' } },
  });
});

/** What IAM decides about a request of a function. */
function decide(name: string, action: string, resource: string): string {
  const policies = Object.entries(template.findResources('AWS::IAM::Policy')).filter(([id]) =>
    id.toLowerCase().startsWith(`zone53${name}role`),
  );
  const statements = policies.flatMap(
    ([, { Properties }]) => resolved(Properties.PolicyDocument.Statement) as object[],
  );
  return evaluatePolicy(statements, { action, resource });
}

test.each([
  ['publish', ROLE, 'allowed'],
  ['reconcile', ROLE, 'allowed'],
  ['sweep', ROLE, 'allowed'],
  ['report', ROLE, 'not allowed'],
  ['ingest', ROLE, 'not allowed'],
  ['publish', OTHER, 'not allowed'],
  ['publish', 'arn:aws:iam::111122223333:role/admin', 'not allowed'],
])('whether %s may assume %s: %s', (name, role, decision) => {
  expect(decide(name, 'sts:AssumeRole', role)).toBe(decision);
});

test.each([
  ['publish', 'route53:ListResourceRecordSets', 'ZOWN', 'allowed'],
  ['publish', 'route53:ListResourceRecordSets', 'ZDNS', 'not allowed'],
  ['reconcile', 'route53:GetHostedZone', 'ZDNS', 'not allowed'],
  ['sweep', 'route53:ListResourceRecordSets', 'ZDNS', 'not allowed'],
])("whether %s may %s in %s with the function's own role: %s", (name, action, id, decision) => {
  expect(decide(name, action, `arn:aws:route53:::hostedzone/${id}`)).toBe(decision);
});

test('the output publishRole, which trust policies name, is there with accounts only', () => {
  const outputs = (of: Template) =>
    Object.keys(of.toJSON().Outputs as object).filter((key) => key.includes('publishRole'));
  expect(outputs(template)).toHaveLength(1);
  expect(outputs(templateOf({}))).toEqual([]);
});

test('an account that is not declared is refused with its path', () => {
  const hostedZones = [{ zone: 'dns.example', id: 'ZDNS', account: 'dns' }];
  expect(() => templateOf({ hostedZones })).toThrow('hostedZones[0].account: accounts has no "dns"');
});
