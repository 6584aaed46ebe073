// A stack for two clusters, beside a stack for one of them.
import { App, Duration, Stack } from 'aws-cdk-lib';
import { Match, Template } from 'aws-cdk-lib/assertions';
import type { ISecret } from 'aws-cdk-lib/aws-secretsmanager';
import { expect, it } from 'vitest';
import { jsonOf } from '../lib/objects/plain.ts';
import { emptyBundles } from '../test/support/empty-bundles.ts';
import { NAMES, resolved } from '../test/support/example-template.ts';
import { addStacks } from './stacks.ts';
import { type ClusterOfFleetProps, Zone53, type Zone53Props } from './zone53.ts';

const bundles = emptyBundles(NAMES);
const hostedZones = [{ zone: 'example.org', id: 'Z1' }];
const roots = [{ zone: 'example.org' }];
const eksOf = (clusterName: string) =>
  ({ kind: 'eks', clusterName, endpoint: `https://${clusterName}.example`, certificateAuthority: 'TFMw' }) as const;
const events = { webhook: { front: 'url' }, validate: true, auditLog: true } as const;
const EU: ClusterOfFleetProps = { roots, access: eksOf('kube-eu'), events };
const US: ClusterOfFleetProps = {
  ...{
    roots,
    access: eksOf('kube-us'),
    takeover: { namespaces: ['platform'] },
    sources: { services: {} },
    standby: true,
  },
  events: { ...events, poll: Duration.minutes(5), sweepEvery: Duration.minutes(60) },
};

function templateOf(props: Partial<Zone53Props>): Template {
  const stack = new Stack(new App(), 'Dns', { env: { region: 'eu-west-1', account: '111122223333' } });
  new Zone53(stack, 'Zone53', { hostedZones, bundles, ...props });
  return Template.fromStack(stack);
}

const one = templateOf({ clusters: { eu: EU } });
const two = templateOf({ clusters: { eu: EU, us: US } });

it('one more cluster costs no function, alarm, queue, table, secret or schedule', () => {
  const types = ['Lambda::Function', 'CloudWatch::Alarm', 'CloudWatch::Dashboard', 'SQS::Queue', 'DynamoDB::Table'];
  for (const type of [...types, 'SecretsManager::Secret', 'Scheduler::Schedule', 'Lambda::Url', 'S3::Bucket'].map(
    (of) => `AWS::${of}`,
  ))
    expect([type, Object.keys(two.findResources(type)).toSorted()]).toEqual([
      type,
      Object.keys(one.findResources(type)).toSorted(),
    ]);
});

it('what one cluster had stays as it was when another is added', () => {
  for (const type of ['AWS::EKS::AccessEntry', 'AWS::Logs::SubscriptionFilter']) {
    const [before, after] = [one.findResources(type), two.findResources(type)];
    expect(Object.keys(after)).toHaveLength(2 * Object.keys(before).length);
    expect(after).toMatchObject(before);
  }
  const short = templateOf({ clusterId: 'eu', ...EU });
  expect(short.findResources('AWS::EKS::AccessEntry')).toEqual(one.findResources('AWS::EKS::AccessEntry'));
});

it('each function signs in to every cluster, and may describe these alone', () => {
  const entries = Object.values(two.findResources('AWS::EKS::AccessEntry'));
  const groups = entries.map(
    ({ Properties: { ClusterName, KubernetesGroups } }) => `${ClusterName} ${KubernetesGroups}`,
  );
  const expected = (cluster: string) => [...Array(4).fill(`${cluster} zone53`), `${cluster} zone53-validate`];
  expect(groups.toSorted()).toEqual([...expected('kube-eu'), ...expected('kube-us')].toSorted());
  const statements = Object.values(two.findResources('AWS::IAM::Policy'))
    .flatMap(({ Properties }) => Properties.PolicyDocument.Statement as { Action: unknown; Resource: unknown }[])
    .filter(({ Action }) => Action === 'eks:DescribeCluster');
  expect(statements).toHaveLength(2);
  for (const { Resource } of statements)
    expect([Resource].flat().flatMap(resolved)).toEqual(
      ['kube-eu', 'kube-us'].map((name) => expect.stringMatching(new RegExp(`:cluster/${name}$`))),
    );
});

it('a cluster of another region is described there, and gets its access entries by hand', () => {
  const elsewhere = { ...US, region: 'us-east-1', events: { poll: true } };
  const template = templateOf({ clusters: { eu: EU, us: elsewhere } });
  const names = Object.values(template.findResources('AWS::EKS::AccessEntry')).map(
    ({ Properties }) => Properties.ClusterName,
  );
  expect(new Set(names)).toEqual(new Set(['kube-eu']));
  const policies = JSON.stringify(template.findResources('AWS::IAM::Policy'));
  expect(policies).toMatch(/:eks:us-east-1:111122223333:cluster\/kube-us/);
  const written = Object.values(template.findResources('Custom::Zone53Configuration'));
  expect(jsonOf(written[0]?.Properties.Configuration)).toMatchObject({ clusters: { us: { region: 'us-east-1' } } });
  const logged = { ...elsewhere, events: { auditLog: true } };
  expect(() => templateOf({ clusters: { eu: EU, us: logged } })).toThrow('clusters.us.events.auditLog: the log of a');
});

it('a token of each cluster may be read by the functions that call its API server', () => {
  const tokenOf = (name: string) =>
    ({ secretArn: `arn:aws:secretsmanager:eu-west-1:111122223333:secret:${name}-AbCdEf` }) as ISecret;
  const clusterOf = (name: string): ClusterOfFleetProps => ({
    roots,
    access: { kind: 'token', endpoint: `https://${name}.example`, tokenSecret: tokenOf(name) },
  });
  const template = templateOf({ clusters: { eu: clusterOf('eu'), us: clusterOf('us') } });
  const readers = Object.entries(template.findResources('AWS::IAM::Policy')).flatMap(([id, { Properties }]) => {
    const statements = Properties.PolicyDocument.Statement as { Action: unknown; Resource: unknown }[];
    const tokens = statements.filter(({ Action }) => Action === 'secretsmanager:GetSecretValue');
    return tokens.length === 0
      ? []
      : [[/Zone53([A-Z][a-z]+)/.exec(id)?.[1], tokens.flatMap(({ Resource }) => Resource)]];
  });
  const both = ['eu', 'us'].map((name) => `${tokenOf(name).secretArn}-??????`);
  expect(Object.fromEntries(readers)).toEqual({ Reconcile: both, Report: both, Sweep: both, Poll: both });
});

it('the functions get every cluster with its events, and the stack is as fast as the fastest', () => {
  const written = Object.values(two.findResources('Custom::Zone53Configuration'));
  const settings = jsonOf(written[0]?.Properties.Configuration) as { clusters: Record<string, { events: object }> };
  expect(settings).toMatchObject({
    clusters: {
      eu: { roots, access: { eks: 'kube-eu' }, events: { poll: 60, sweepMinutes: 15, webhook: { front: 'url' } } },
      us: {
        ...{
          standby: true,
          access: { eks: 'kube-us' },
          takeover: { namespaces: ['platform'] },
          sources: { services: {} },
        },
        events: { poll: 300, sweepMinutes: 60 },
      },
    },
  });
  const rates = Object.values(two.findResources('AWS::Scheduler::Schedule')).map(
    ({ Properties }) => Properties.ScheduleExpression as string,
  );
  expect(rates.toSorted()).toEqual(['rate(1 minute)', 'rate(15 minutes)', 'rate(5 minutes)']);
  two.hasResourceProperties('AWS::CloudWatch::Alarm', { MetricName: 'SweepAge', Threshold: 3 * 3_600 });
  const filters = Object.values(two.findResources('AWS::Logs::SubscriptionFilter'));
  const read = filters.map(({ Properties }) => [Properties.LogGroupName, /services/.test(Properties.FilterPattern)]);
  expect(read.toSorted()).toEqual([
    ['/aws/eks/kube-eu/cluster', false],
    ['/aws/eks/kube-us/cluster', true],
  ]);
});

it('the intent API signs in to its cluster alone', () => {
  const template = templateOf({ clusters: { eu: EU, us: US }, intents: { cluster: 'us' } });
  const entries = Match.objectLike({ KubernetesGroups: ['zone53-intents'] });
  template.resourcePropertiesCountIs('AWS::EKS::AccessEntry', entries, 1);
  template.hasResourceProperties('AWS::EKS::AccessEntry', {
    KubernetesGroups: ['zone53-intents'],
    ClusterName: 'kube-us',
  });
});

it.each<[string, Partial<Zone53Props>, string]>([
  [
    'no roots',
    { clusters: { eu: { ...EU, roots: undefined } as unknown as ClusterOfFleetProps } },
    'clusters.eu.roots: missing',
  ],
  ['no access', { clusters: { eu: { roots } as unknown as ClusterOfFleetProps } }, 'clusters.eu.access: missing'],
  ['the short form besides', { clusters: { eu: EU }, roots }, 'roots: this is the short form of roots of clusters.eu'],
  ['an access besides', { clusters: { eu: EU }, access: EU.access }, 'access: this is the short form of clusters.eu'],
  [
    'two endpoints',
    { clusters: { eu: EU, us: { ...US, events: { webhook: { front: 'alb' } } } } },
    'clusters.us.events.webhook: the clusters of',
  ],
  [
    'polls too often',
    { clusters: { eu: { ...EU, events: { poll: Duration.seconds(1) } } } },
    'clusters.eu.events.poll: write',
  ],
  ['intents of no cluster', { clusters: { eu: EU, us: US }, intents: {} }, 'intents.cluster: missing'],
])('%s fails with the path of the key', (_title, props, words) => {
  expect(() => templateOf(props)).toThrow(words);
});

it('zone53.yaml with two clusters makes the same stack', () => {
  const cluster = (name: string) =>
    `{ roots: [{ zone: example.org }], region: us-east-1, access: { eks: ${name}, endpoint: "https://${name}.example", certificateAuthority: TFMw }, events: { drift: true } }`;
  const source = `
clusters:
  eu: ${cluster('kube-eu')}
  us: ${cluster('kube-us')}
hostedZones: [{ zone: example.org, id: Z1 }]
aws: { region: us-east-1, account: "111122223333" }
`;
  const { home, drift } = addStacks(new App(), source, 'zone53.yaml', bundles);
  expect(drift).toBe(null);
  const template = Template.fromStack(home);
  template.resourceCountIs('AWS::EKS::AccessEntry', 8);
  template.resourceCountIs('AWS::Events::Rule', 1);
});
