// Whom the configuration lets take over: publish may read the keys, and no other function may.
import { App, Stack } from 'aws-cdk-lib';
import { Match, Template } from 'aws-cdk-lib/assertions';
import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import { expect, it } from 'vitest';
import { FUNCTION_ENVIRONMENT } from '../functions/runtime/environment.ts';
import { emptyBundles } from '../test/support/empty-bundles.ts';
import { resolved } from '../test/support/example-template.ts';
import { Zone53 } from './zone53.ts';

const ARN = 'arn:aws:secretsmanager:eu-west-1:111122223333:secret:dns-AbCdEf';

it('only publish may read the secrets of takeover keys', () => {
  const scope = new Stack(new App(), 'Stack');
  const tokenSecret = { secretArn: 'arn:aws:secretsmanager:eu-west-1:111122223333:secret:t-AbCdEf' } as never;
  new Zone53(scope, 'Dns', {
    roots: [{ zone: 'example.org' }],
    hostedZones: [{ zone: 'example.org', id: 'Z1' }],
    takeover: {
      externalDns: [{ ownerId: 'a', aesKeySecret: ARN }, { ownerId: 'b' }],
    },
    access: { kind: 'token', endpoint: 'https://k8s.example.org', tokenSecret },
    events: { webhook: { front: 'url' } },
    bundles: emptyBundles(Object.keys(FUNCTION_ENVIRONMENT)),
  });
  const template = Template.fromStack(scope);
  const statement = { Sid: 'ReadTxtKeys', Action: 'secretsmanager:GetSecretValue', Resource: ARN, Effect: 'Allow' };
  const policies = template.findResources('AWS::IAM::Policy', {
    Properties: { PolicyDocument: { Statement: Match.arrayWith([statement]) } },
  });
  expect(Object.keys(policies)).toEqual([expect.stringContaining('Publish')]);
});

it.each<[string, (scope: Stack) => string, unknown]>([
  ['its ARN', () => ARN, ARN],
  [
    'the ARN of a secret of the same app',
    (scope) => new Secret(scope, 'Key').secretArn,
    expect.stringMatching(/^ref:Key/),
  ],
  [
    'the ARN that CDK makes of its name',
    (scope) => Secret.fromSecretNameV2(scope, 'Key', 'dns').secretArn,
    'arn:aws:secretsmanager:eu-west-1:111122223333:secret:dns-??????',
  ],
])('publish may read a takeover key that is given by %s', (_title, secretOf, resource) => {
  const scope = new Stack(new App(), 'Stack', { env: { region: 'eu-west-1', account: '111122223333' } });
  new Zone53(scope, 'Dns', {
    roots: [{ zone: 'example.org' }],
    hostedZones: [{ zone: 'example.org', id: 'Z1' }],
    takeover: { externalDns: [{ ownerId: 'a', aesKeySecret: secretOf(scope) }] },
    access: { kind: 'eks', clusterName: 'c', endpoint: 'https://k8s.example.org', certificateAuthority: 'TFMw' },
    bundles: emptyBundles(Object.keys(FUNCTION_ENVIRONMENT)),
  });
  const policies = Object.values(Template.fromStack(scope).findResources('AWS::IAM::Policy'));
  const statements = policies.flatMap(
    ({ Properties }) => Properties.PolicyDocument.Statement as { Sid?: string; Resource: unknown }[],
  );
  const [found] = statements.filter(({ Sid }) => Sid === 'ReadTxtKeys');
  expect(resolved(found?.Resource)).toEqual(resource);
});
