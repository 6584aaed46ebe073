// The intent API as it is deployed: who may take on which role, and who is told when it fails.
import { rmSync } from 'node:fs';
import { App, Stack } from 'aws-cdk-lib';
import { Match, Template } from 'aws-cdk-lib/assertions';
import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import { expect, test } from 'vitest';
import { emptyBundles } from '../test/support/empty-bundles.ts';
import { NAMES } from '../test/support/example-template.ts';
import { Zone53 } from './zone53.ts';

const ROLE = 'arn:aws:iam::111122223333:role/dns';

function templateOf(intents: { readonly assumeRoles?: readonly string[] } | undefined): Template {
  const bundles = emptyBundles(NAMES);
  const stack = new Stack(new App(), 'Test');
  const tokenSecret = Secret.fromSecretNameV2(stack, 'Token', 'token');
  new Zone53(stack, 'Zone53', {
    roots: [{ zone: 'example.org', namespaces: ['platform'] }],
    hostedZones: [{ zone: 'example.org', id: 'Z0123456789ABCDEFGHIJ' }],
    cluster: { kind: 'token', endpoint: 'https://k8s.example.org', tokenSecret },
    events: { webhook: 'secret' },
    bundles,
    ...(intents === undefined ? {} : { intents }),
  });
  const template = Template.fromStack(stack);
  rmSync(bundles, { recursive: true });
  return template;
}

/** The ids of the policies that let a function take on the role. */
function mayAssume(template: Template): readonly string[] {
  const Statement = Match.arrayWith([Match.objectLike({ Action: 'sts:AssumeRole', Effect: 'Allow', Resource: ROLE })]);
  const found = template.findResources('AWS::IAM::Policy', { Properties: { PolicyDocument: { Statement } } });
  return Object.keys(found)
    .map((id) => /^Zone53(\w+?)Role/.exec(id)?.[1]?.toLowerCase() ?? id)
    .sort();
}

test('only functions that read or write hosted zones may assume the listed roles', () => {
  expect(mayAssume(templateOf({ assumeRoles: [ROLE] }))).toEqual(['intents', 'publish', 'reconcile', 'sweep']);
  expect(mayAssume(templateOf({}))).toEqual([]);
});

test('an alarm rings when the API answers 5xx; without the API there is none', () => {
  const alarm = { MetricName: 'Url5xxCount', AlarmDescription: Match.stringLikeRegexp('failed-intents') };
  templateOf({}).hasResourceProperties('AWS::CloudWatch::Alarm', alarm);
  templateOf(undefined).resourcePropertiesCountIs('AWS::CloudWatch::Alarm', alarm, 0);
});
