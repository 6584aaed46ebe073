// The intent API as it is deployed: who may take on which role, and who is told when it fails.
import { rmSync } from 'node:fs';
import { App, Stack } from 'aws-cdk-lib';
import { Match, Template } from 'aws-cdk-lib/assertions';
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import { expect, test } from 'vitest';
import { emptyBundles } from '../test/support/empty-bundles.ts';
import { NAMES } from '../test/support/example-template.ts';
import { Zone53 } from './zone53.ts';

const ROLE = 'arn:aws:iam::111122223333:role/dns';

/** The roles of the accounts, or undefined without the API. */
type Roles = readonly string[] | undefined;

function templateOf(given: Roles | ((stack: Stack) => Roles), id = 'Z0123456789ABCDEFGHIJ'): Template {
  const bundles = emptyBundles(NAMES);
  const stack = new Stack(new App(), 'Test');
  const roles = typeof given === 'function' ? given(stack) : given;
  const accounts = Object.fromEntries((roles ?? []).map((role, index) => [`a${index}`, { role, intents: true }]));
  const tokenSecret = Secret.fromSecretNameV2(stack, 'Token', 'token');
  new Zone53(stack, 'Zone53', {
    roots: [{ zone: 'example.org', namespaces: ['platform'] }],
    hostedZones: [{ zone: 'example.org', id }],
    access: { kind: 'token', endpoint: 'https://k8s.example.org', tokenSecret },
    events: { webhook: { front: 'url' } },
    bundles,
    accounts,
    ...(roles === undefined ? {} : { intents: {} }),
  });
  const template = Template.fromStack(stack);
  rmSync(bundles, { recursive: true });
  return template;
}

/** The ids of the policies that let a function take on the role. */
function mayAssume(template: Template, Resource: unknown = ROLE): readonly string[] {
  const Statement = Match.arrayWith([Match.objectLike({ Action: 'sts:AssumeRole', Effect: 'Allow', Resource })]);
  const found = template.findResources('AWS::IAM::Policy', { Properties: { PolicyDocument: { Statement } } });
  return Object.keys(found)
    .map((id) => /^Zone53(\w+?)Role/.exec(id)?.[1]?.toLowerCase() ?? id)
    .sort();
}

test('only functions that read or write hosted zones may assume the listed roles', () => {
  expect(mayAssume(templateOf([ROLE]))).toEqual(['intents', 'publish', 'reconcile', 'sweep']);
  expect(mayAssume(templateOf([]))).toEqual([]);
});

test('hundreds of roles may be listed', () => {
  const template = templateOf(Array.from({ length: 300 }, (_, index) => `${ROLE}-of-project-${index}`));
  const managed = Object.values(template.findResources('AWS::IAM::ManagedPolicy'));
  expect(managed.length).toBeGreaterThan(3);
  for (const { Properties } of managed)
    expect(JSON.stringify(Properties.PolicyDocument).length).toBeLessThanOrEqual(6_144);
});

test('a role of the same app may be listed', () => {
  const template = templateOf((stack) => {
    const role = new Role(stack, 'Writer', { assumedBy: new ServicePrincipal('lambda.amazonaws.com') });
    return [role.roleArn];
  });
  const arn = { 'Fn::GetAtt': [Match.stringLikeRegexp('^Writer'), 'Arn'] };
  expect(mayAssume(template, arn)).toEqual(['intents', 'publish', 'reconcile', 'sweep']);
});

test('an alarm rings when the API answers 5xx; without the API there is none', () => {
  const alarm = { MetricName: 'Url5xxCount', AlarmDescription: Match.stringLikeRegexp('failed-intents') };
  templateOf([]).hasResourceProperties('AWS::CloudWatch::Alarm', alarm);
  templateOf(undefined).resourcePropertiesCountIs('AWS::CloudWatch::Alarm', alarm, 0);
});

test('the function may read the tags of a hosted zone whose id is written as Route 53 prints it', () => {
  const template = templateOf([], '/hostedzone/Z0123456789ABCDEFGHIJ');
  const [statement] = Object.values(template.findResources('AWS::IAM::Policy')).flatMap(({ Properties }) =>
    Properties.PolicyDocument.Statement.filter(({ Sid }: { readonly Sid?: string }) => Sid?.startsWith('ReadTags')),
  );
  expect(JSON.stringify(statement.Resource)).toContain(':route53:::hostedzone/Z0123456789ABCDEFGHIJ"');
});

test('a sweep may take as long as the time between two sweeps', () => {
  templateOf([]).hasResourceProperties('AWS::Lambda::Function', {
    Description: Match.stringLikeRegexp('DNS Update Records'),
    Timeout: 300,
  });
});

test('a sweep that cannot start before the next one is given up', () => {
  const template = templateOf([]);
  template.hasResourceProperties('AWS::Events::Rule', {
    ScheduleExpression: 'rate(5 minutes)',
    Targets: [Match.objectLike({ RetryPolicy: { MaximumEventAgeInSeconds: 300, MaximumRetryAttempts: 0 } })],
  });
  template.hasResourceProperties('AWS::Lambda::EventInvokeConfig', {
    FunctionName: { Ref: Match.stringLikeRegexp('Intents') },
    MaximumEventAgeInSeconds: 300,
    MaximumRetryAttempts: 0,
  });
});
