import { App, Duration, Stack } from 'aws-cdk-lib';
import { Annotations, Match, Template } from 'aws-cdk-lib/assertions';
import { type IVpc, Vpc } from 'aws-cdk-lib/aws-ec2';
import { PublicHostedZone } from 'aws-cdk-lib/aws-route53';
import { describe, expect, it } from 'vitest';
import { emptyBundles } from '../test/support/empty-bundles.ts';
import { NAMES } from '../test/support/example-template.ts';
import { Zone53, type Zone53Props } from './zone53.ts';
import { readSettings } from './zone53-props.ts';

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
    [
      'one hosted zone for two Zones',
      {
        hostedZones: [
          { zone: 'example.org', id: 'Z1' },
          { zone: 'a.example.org', id: '/hostedzone/Z1' },
        ],
      },
      'hostedZones[1].id: Z1 is the hosted zone of example.org. already, in hostedZones[0]: write that of a.example.org.',
    ],
    ['a misspelt name', { hostedZones: [{ zone: 'example..org', id: 'Z1' }] }, 'hostedZones[0].zone'],
    ['invalid guard limits', { guard: { deletesShareMax: 3 } }, 'guard.deletesShareMax: write a share from 0 to 1'],
    ['an audit log that does not exist', { events: { auditLog: true } }, 'events.auditLog: only EKS'],
    [
      'sweeps that are days apart',
      { events: { sweepEvery: Duration.days(2) } },
      'events.sweepEvery: write 1440 minutes',
    ],
    ['verdicts without a secret', { events: { webhook: 'iam', validate: true } }, 'events.validate: an API server'],
  ])('%s fails with the path of the key', (_title, change, words) => {
    expect(() => new Zone53(stack(), 'Zone53', { ...props, ...change } as Zone53Props)).toThrow(words);
  });

  it('every key of zone53.yaml reaches the functions, and an unknown key fails', () => {
    const scope = stack();
    const more = { soa: 'always', takeover: { namespaces: ['platform'] }, sources: { services: {} } } as const;
    const { settings } = readSettings(scope, { ...props, ...more });
    expect(JSON.parse(settings)).toEqual({
      ...more,
      roots: [{ zone: 'example.org' }],
      hostedZones: [{ zone: 'example.org.', id: 'Z1' }],
    });
    const misspelt = { ...props, takeovers: {} } as Zone53Props;
    expect(() => readSettings(scope, misspelt)).toThrow('takeovers: unknown key');
  });

  it('an environment that is too large for Lambda is refused', () => {
    const scope = stack();
    // Ids that only CloudFormation knows cannot stand in a file.
    const hostedZones = Array.from({ length: 40 }, (_, index) => ({
      zone: `z${index}.example.org`,
      id: new PublicHostedZone(scope, `HostedZone${index}`, { zoneName: `z${index}.example.org` }).hostedZoneId,
    }));
    expect(() => new Zone53(scope, 'Zone53', { ...props, hostedZones })).toThrow(
      /environment of \d+ octets, 4096 at most/,
    );
  });

  it.each([
    ['by default', undefined, { ingest: 20, validate: 5, sweep: 1 }, 126],
    ['with configured numbers', { ingest: 30, validate: 10, sweep: 1 }, { ingest: 30, validate: 10, sweep: 1 }, 141],
    ['in an account with a quota of ten', { ingest: 0, validate: 0, sweep: 0 }, {}, 100],
  ])('%s: reserved executions, and the quota that they need', (_title, reservedConcurrency, expected, quota) => {
    const scope = stack();
    const events = { webhook: 'secret', validate: true } as const;
    new Zone53(scope, 'Zone53', { ...props, events, ...(reservedConcurrency && { reservedConcurrency }) });
    const functions = Object.entries(Template.fromStack(scope).findResources('AWS::Lambda::Function'));
    const reserved = functions.flatMap(([id, { Properties }]) => {
      const name = id
        .replace(/^Zone53/, '')
        .replace(/[0-9A-F]{8}$/, '')
        .toLowerCase();
      const count = Properties.ReservedConcurrentExecutions as number | undefined;
      return count === undefined ? [] : [[name, count]];
    });
    expect(Object.fromEntries(reserved)).toEqual(expected);
    Annotations.fromStack(scope).hasInfo('/Stack/Zone53', Match.stringLikeRegexp(`quota of ${quota} concurrent`));
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
    // All that Lambda asks of a role that places its function in a VPC.
    const NETWORK = ['Create', 'Describe', 'Delete'].map(
      (verb) => `ec2:${verb}NetworkInterface${verb === 'Describe' ? 's' : ''}`,
    );
    for (const { Properties } of inVpc) {
      const role = Properties.Role['Fn::GetAtt'][0];
      const statements = Object.values(made.findResources('AWS::IAM::Policy'))
        .filter((policy) => policy.Properties.Roles.some(({ Ref }: { Ref: string }) => Ref === role))
        .flatMap((policy) => policy.Properties.PolicyDocument.Statement as { Action: string | string[] }[]);
      const actions = statements.flatMap(({ Action }) => Action);
      for (const action of [
        ...NETWORK,
        'ec2:DescribeSubnets',
        'ec2:AssignPrivateIpAddresses',
        'ec2:UnassignPrivateIpAddresses',
      ])
        expect(actions).toContain(action);
      expect(made.findResources('AWS::IAM::Role')[role]?.Properties.ManagedPolicyArns).toBeUndefined();
    }
    made.hasResourceProperties('AWS::IAM::Policy', {
      PolicyDocument: {
        Statement: Match.arrayWith([
          Match.objectLike({
            Action: ['route53:ChangeResourceRecordSets', 'route53:ListResourceRecordSets'],
            Resource: { 'Fn::Join': ['', Match.arrayWith([{ Ref: Match.stringLikeRegexp('HostedZone') }])] },
          }),
        ]),
      },
    });
  });
});
