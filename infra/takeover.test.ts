// Whom the configuration lets take over: publish may read the keys, and no other function may.
import { App, Stack } from 'aws-cdk-lib';
import { Match, Template } from 'aws-cdk-lib/assertions';
import { expect, it } from 'vitest';
import { FUNCTION_ENVIRONMENT } from '../functions/runtime/environment.ts';
import { emptyBundles } from '../test/support/empty-bundles.ts';
import { Zone53 } from './zone53.ts';

const ARN = 'arn:aws:secretsmanager:eu-west-1:111122223333:secret:dns-AbCdEf';

it('only publish may read the secrets of takeover keys', () => {
  const scope = new Stack(new App(), 'Stack');
  const tokenSecret = { secretArn: 'arn:aws:secretsmanager:eu-west-1:111122223333:secret:t-AbCdEf' } as never;
  new Zone53(scope, 'Dns', {
    roots: [{ zone: 'example.org' }],
    hostedZones: [{ zone: 'example.org', id: 'Z1' }],
    takeover: {
      externalDns: [
        { ownerId: 'a', aesKeySecret: ARN },
        { ownerId: 'b', aesKeySecret: 'env:KEY' },
      ],
    },
    cluster: { kind: 'token', endpoint: 'https://k8s.example.org', tokenSecret },
    events: { webhook: 'secret' },
    bundles: emptyBundles(Object.keys(FUNCTION_ENVIRONMENT)),
  });
  const template = Template.fromStack(scope);
  const statement = { Sid: 'ReadTxtKeys', Action: 'secretsmanager:GetSecretValue', Resource: ARN, Effect: 'Allow' };
  const policies = template.findResources('AWS::IAM::Policy', {
    Properties: { PolicyDocument: { Statement: Match.arrayWith([statement]) } },
  });
  expect(Object.keys(policies)).toEqual([expect.stringContaining('Publish')]);
});
