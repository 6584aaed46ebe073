import { App, Duration, Stack } from 'aws-cdk-lib';
import { Match, Template } from 'aws-cdk-lib/assertions';
import { type IVpc, Vpc } from 'aws-cdk-lib/aws-ec2';
import { PublicHostedZone } from 'aws-cdk-lib/aws-route53';
import { describe, expect, it } from 'vitest';
import { emptyBundles } from '../test/support/empty-bundles.ts';
import { NAMES } from '../test/support/example-template.ts';
import { Zone53, type Zone53Props } from './zone53.ts';

const bundles = emptyBundles(NAMES);

describe('as a library', () => {
  const cluster = {
    kind: 'token',
    endpoint: 'https://k8s.example.org',
    tokenSecret: { secretArn: 'arn:aws:secretsmanager:eu-west-1:111122223333:secret:t-AbCdEf' } as never,
  } as const;
  const props: Zone53Props = {
    roots: [{ zone: 'example.org' }],
    hostedZones: [{ zone: 'example.org', id: 'Z1' }],
    cluster,
    bundles,
  };
  const stack = () => new Stack(new App(), 'Stack');

  it.each([
    ['no roots', { roots: undefined }, 'roots: missing'],
    ['no hosted zones', { hostedZones: [] }, 'hostedZones: missing'],
    ['a misspelt name', { hostedZones: [{ zone: 'example..org', id: 'Z1' }] }, 'hostedZones[0].zone'],
    ['a bad guard', { guard: { deletesShareMax: 3 } }, 'guard.deletesShareMax: write a share from 0 to 1'],
    ['an audit log that does not exist', { events: { auditLog: true } }, 'events.auditLog: only EKS'],
    ['a door without a secret', { events: { webhook: 'iam', validate: true } }, 'events.validate: an API server'],
  ])('%s fails with the path of the key', (_title, change, words) => {
    expect(() => new Zone53(stack(), 'Zone53', { ...props, ...change } as Zone53Props)).toThrow(words);
  });

  it('refuses an environment that Lambda would not take', () => {
    const hostedZones = Array.from({ length: 120 }, (_, index) => ({
      zone: `z${index}.example.org`,
      id: `Z${index}AAAAAAAAAAAAAAA`,
    }));
    expect(() => new Zone53(stack(), 'Zone53', { ...props, hostedZones })).toThrow('4096 at most');
  });

  it('twice in one stack, with hosted zones of the same app, in a VPC, and without events', () => {
    const scope = stack();
    const id = new PublicHostedZone(scope, 'HostedZone', { zoneName: 'example.org' }).hostedZoneId;
    const hostedZones = [{ zone: 'Example.Org', id }];
    new Zone53(scope, 'One', { ...props, hostedZones, events: { sweepEvery: Duration.minutes(5) } });
    new Zone53(scope, 'Two', { ...props, network: { vpc: new Vpc(scope, 'Vpc') as IVpc } });
    const made = Template.fromStack(scope);
    made.resourceCountIs('AWS::DynamoDB::Table', 2);
    made.resourceCountIs('AWS::Lambda::Url', 0);
    made.resourceCountIs('AWS::EKS::AccessEntry', 0);
    const inVpc = Object.values(made.findResources('AWS::Lambda::Function')).filter(
      ({ Properties }) => Properties.VpcConfig,
    );
    expect(inVpc).toHaveLength(3);
    made.hasResourceProperties('AWS::IAM::Policy', {
      PolicyDocument: {
        Statement: Match.arrayWith([
          Match.objectLike({
            Effect: 'Deny',
            Resource: { 'Fn::Join': ['', Match.arrayWith([{ Ref: Match.stringLikeRegexp('HostedZone') }])] },
          }),
        ]),
      },
    });
  });
});
