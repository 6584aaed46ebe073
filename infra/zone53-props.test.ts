import { App, Duration, Stack } from 'aws-cdk-lib';
import { Annotations, Match, Template } from 'aws-cdk-lib/assertions';
import { type IVpc, Vpc } from 'aws-cdk-lib/aws-ec2';
import { PublicHostedZone } from 'aws-cdk-lib/aws-route53';
import { Bucket, type IBucket } from 'aws-cdk-lib/aws-s3';
import type { ISecret } from 'aws-cdk-lib/aws-secretsmanager';
import { describe, expect, it } from 'vitest';
import { emptyBundles } from '../test/support/empty-bundles.ts';
import { NAMES } from '../test/support/example-template.ts';
import { Zone53, type Zone53Props } from './zone53.ts';
import { clustersOf, plainProps, readSettings } from './zone53-props.ts';

const bundles = emptyBundles(NAMES);

describe('as a library', () => {
  const access = {
    kind: 'token',
    endpoint: 'https://k8s.example.org',
    tokenSecret: { secretArn: 'arn:aws:secretsmanager:eu-west-1:111122223333:secret:t-AbCdEf' } as ISecret,
  } as const;
  const props: Zone53Props = {
    roots: [{ zone: 'example.org' }],
    hostedZones: [{ zone: 'example.org', id: 'Z1' }],
    access,
    bundles,
  };
  const stack = () => new Stack(new App(), 'Stack');
  const settingsOf = (scope: Stack, given: Zone53Props) => {
    const plain = plainProps(given);
    return readSettings(scope, plain, clustersOf(plain));
  };

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
    ['polls too often', { events: { poll: Duration.seconds(59) } }, 'events.poll: write true, false, or 60'],
    [
      'a load balancer with IAM',
      { events: { webhook: { front: 'alb', auth: 'iam' } } },
      'events.webhook: a load balanc',
    ],
    ['an audit log that does not exist', { events: { auditLog: true } }, 'events.auditLog: only EKS'],
    [
      'sweeps that are days apart',
      { events: { sweepEvery: Duration.days(2) } },
      'events.sweepEvery: write 1440 minutes',
    ],
    [
      'verdicts without a secret',
      { events: { webhook: { auth: 'iam' }, validate: true } },
      'events.validate: an API server',
    ],
  ])('%s fails with the path of the key', (_title, change, words) => {
    expect(() => new Zone53(stack(), 'Zone53', { ...props, ...change } as Zone53Props)).toThrow(words);
  });

  it('every key of zone53.yaml reaches the functions, and an unknown key fails', () => {
    const scope = stack();
    const more = { soa: 'always', takeover: { namespaces: ['platform'] }, sources: { services: {} } } as const;
    const { settings } = settingsOf(scope, { ...props, ...more });
    expect(JSON.parse(settings)).toEqual({
      ...more,
      roots: [{ zone: 'example.org' }],
      hostedZones: [{ zone: 'example.org.', id: 'Z1' }],
      access: { endpoint: access.endpoint, tokenSecret: access.tokenSecret.secretArn },
    });
    const misspelt = { ...props, takeovers: {} } as Zone53Props;
    expect(() => settingsOf(scope, misspelt)).toThrow('takeovers: unknown key');
  });

  it('hosted zones of the same app fit, however many', () => {
    const scope = stack();
    const hostedZones = Array.from({ length: 40 }, (_, index) => ({
      zone: `z${index}.example.org`,
      id: new PublicHostedZone(scope, `HostedZone${index}`, { zoneName: `z${index}.example.org` }).hostedZoneId,
    }));
    new Zone53(scope, 'Zone53', { ...props, hostedZones });
    const [written] = Object.values(Template.fromStack(scope).findResources('Custom::Zone53Configuration'));
    expect(written?.Properties.Configuration['Fn::Join'][1]).toContainEqual({
      Ref: expect.stringMatching(/^HostedZone39/),
    });
  });

  it('stacks with different configurations have the same code', () => {
    const codeOf = (change: Partial<Zone53Props>) => {
      const scope = stack();
      new Zone53(scope, 'Zone53', { ...props, ...change });
      const functions = Object.values(Template.fromStack(scope).findResources('AWS::Lambda::Function'));
      return functions.map(({ Properties }) => Properties.Code.S3Key as string);
    };
    const change = {
      clusterId: 'other',
      roots: [{ zone: 'example.net', namespaces: ['a'] }],
      hostedZones: [{ zone: 'example.net', id: 'Z2' }],
      sources: { services: {} },
      access: { ...access, endpoint: 'https://other.example.org' },
    };
    expect(new Set(codeOf({}))).toHaveLength(7);
    expect(codeOf(change)).toEqual(codeOf({}));
  });

  it('an object of the user is read, and not written', () => {
    const scope = stack();
    const bucket = Bucket.fromBucketName(scope, 'Own', 'own-configuration') as IBucket;
    new Zone53(scope, 'Zone53', { ...props, configuration: { bucket, key: 'dns/zone53.json' } });
    const template = Template.fromStack(scope);
    template.resourceCountIs('AWS::S3::Bucket', 0);
    template.resourceCountIs('Custom::Zone53Configuration', 0);
    template.resourceCountIs('AWS::Lambda::Function', 6);
    template.allResourcesProperties('AWS::Lambda::Function', {
      Environment: {
        Variables: { ZONE53_CONFIG_BUCKET: 'own-configuration', ZONE53_CONFIG_KEY: 'dns/zone53.json' },
      },
    });
  });

  it.each([
    ['by default', undefined, { ingest: 20, validate: 5, sweep: 1 }, 126],
    ['with configured numbers', { ingest: 30, validate: 10, sweep: 1 }, { ingest: 30, validate: 10, sweep: 1 }, 141],
    ['in an account with a quota of ten', { ingest: 0, validate: 0, sweep: 0 }, {}, 100],
  ])('%s: reserved executions, and the quota that they need', (_title, reservedConcurrency, expected, quota) => {
    const scope = stack();
    const events = { webhook: { front: 'url' }, validate: true } as const;
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

  it.each([
    ['by default, every minute', {}, ['rate(1 minute)']],
    ['every so often', { poll: Duration.seconds(150) }, ['rate(3 minutes)']],
    ['never', { poll: false }, []],
  ])('polls: %s', (_title, events, rates) => {
    const scope = stack();
    new Zone53(scope, 'Zone53', { ...props, events });
    const schedules = Object.values(Template.fromStack(scope).findResources('AWS::Scheduler::Schedule'));
    const polls = schedules.filter(({ Properties }) => Properties.Target.Input === '{"zone53":"poll"}');
    expect(polls.map(({ Properties }) => Properties.ScheduleExpression)).toEqual(rates);
  });

  it.each([
    ['url', { 'AWS::Lambda::Url': 2 }, ['ValidateUrl', 'WebhookUrl']],
    ['httpApi', { 'AWS::ApiGatewayV2::Api': 2 }, ['ValidateUrl', 'WebhookUrl']],
    ['alb', { 'AWS::ElasticLoadBalancingV2::TargetGroup': 2 }, ['ValidateTargetGroup', 'WebhookTargetGroup']],
    ['none', {}, []],
  ] as const)('a webhook with the front %s', (front, made, outputs) => {
    const scope = stack();
    new Zone53(scope, 'Zone53', { ...props, events: { webhook: { front }, validate: true } });
    const template = Template.fromStack(scope);
    for (const type of ['Lambda::Url', 'ApiGatewayV2::Api', 'ElasticLoadBalancingV2::TargetGroup'])
      template.resourceCountIs(`AWS::${type}`, (made as Record<string, number>)[`AWS::${type}`] ?? 0);
    const names = Object.keys(template.toJSON().Outputs).map((name) => name.replace(/^Zone53|[0-9A-F]{8}$/g, ''));
    expect(names.filter((name) => /Url|TargetGroup/.test(name)).toSorted()).toEqual(outputs);
    // Its senders show a secret, whatever brings their requests.
    template.resourceCountIs('AWS::SecretsManager::Secret', 2);
    const principals = Object.values(template.findResources('AWS::Lambda::Permission'));
    expect(principals.filter(({ Properties }) => Properties.Principal === '*')).toHaveLength(front === 'url' ? 4 : 0);
  });

  it('an HTTP API with the auth iam asks IAM', () => {
    const scope = stack();
    new Zone53(scope, 'Zone53', { ...props, events: { webhook: { front: 'httpApi', auth: 'iam' } } });
    Template.fromStack(scope).hasResourceProperties('AWS::ApiGatewayV2::Route', { AuthorizationType: 'AWS_IAM' });
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
    expect(inVpc).toHaveLength(4);
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
            Action: [
              'route53:ChangeResourceRecordSets',
              'route53:ListResourceRecordSets',
              'route53:ListResourceRecordSetProtections',
            ],
            Resource: { 'Fn::Join': ['', Match.arrayWith([{ Ref: Match.stringLikeRegexp('HostedZone') }])] },
          }),
        ]),
      },
    });
  });
});
