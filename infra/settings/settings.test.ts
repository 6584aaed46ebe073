import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import { parseDeployment } from './settings.ts';

const SOURCE = readFileSync(path.join(import.meta.dirname, '..', '..', 'examples', 'aws', 'zone53.yaml'), 'utf8');
const ACCESS = { eks: 'prod', endpoint: 'https://k8s.example.org', certificateAuthority: 'TFMw' };
const WHOLE = {
  roots: [{ zone: 'example.org' }],
  hostedZones: [{ zone: 'example.org', id: 'Z1' }],
  access: ACCESS,
  aws: { region: 'eu-west-1' },
};

describe('parseDeployment()', () => {
  it('reads the example', () => {
    const { pipeline, access, events, aws } = parseDeployment(SOURCE, 'zone53.yaml');
    expect(pipeline.clusterId).toBe('prod-eu');
    expect([access, events, aws]).toMatchObject([{ clusterName: 'prod' }, { drift: true }, { region: 'eu-west-1' }]);
  });

  it('reads clusters.<id> as it reads its short form', () => {
    const { clusterId, roots, access, events, ...rest } = parse(SOURCE) as Record<string, unknown>;
    const whole = { clusters: { [String(clusterId)]: { roots, access, events } }, ...rest };
    expect(parseDeployment(stringify(whole), 'z.yaml')).toEqual(parseDeployment(SOURCE, 'z.yaml'));
  });

  it('a key without a value counts as absent', () => {
    const { pipeline } = parseDeployment(`${stringify(WHOLE)}guard:\n`, 'z.yaml');
    expect(pipeline).not.toHaveProperty('guard');
  });

  it('a key without a value counts as absent under aws, too', () => {
    const aws = { ...WHOLE.aws, vpc: null, table: null };
    expect(parseDeployment(stringify({ ...WHOLE, aws }), 'z.yaml').aws).toEqual(WHOLE.aws);
    const events = { webhook: null, bus: true };
    expect(parseDeployment(stringify({ ...WHOLE, events }), 'z.yaml').events).toMatchObject({
      webhook: null,
      bus: true,
    });
  });

  const { endpoint } = ACCESS;
  it.each([
    ['no aws', { aws: undefined }, ['aws: missing: write region']],
    [
      'no roots, no hosted zones',
      { roots: undefined, hostedZones: undefined },
      ['roots: missing', 'hostedZones: missing'],
    ],
    ['an invalid region', { aws: { region: 'here' } }, ['aws.region: write a region']],
    [
      'executions that cannot be reserved',
      { aws: { ...WHOLE.aws, reservedConcurrency: { ingest: -1, publish: 3 } } },
      ['aws.reservedConcurrency.ingest: write 0 or more', 'aws.reservedConcurrency.publish: unknown key'],
    ],
    [
      'a VPC without its subnets',
      { aws: { ...WHOLE.aws, vpc: { id: 'vpc-1' } } },
      ['aws.vpc.subnets: write a list of the ids', 'aws.vpc.securityGroups: write a list of the ids'],
    ],
    [
      'values in place of mappings',
      { aws: { ...WHOLE.aws, vpc: 'vpc-1', reservedConcurrency: 20 } },
      ['aws.vpc: write a mapping with id', 'aws.reservedConcurrency: write a mapping, such as'],
    ],
    [
      'a takeover whose namespaces are not a list',
      { takeover: { namespaces: 'platform' } },
      ['takeover.namespaces: write a list of namespaces'],
    ],
    [
      'a key in the environment',
      { takeover: { externalDns: [{ ownerId: 'a' }, { ownerId: 'b', aesKeySecret: 'env:KEY' }] } },
      ['takeover.externalDns[1].aesKeySecret: the functions have no variable KEY: write the ARN or name of a secret'],
    ],
    [
      'an account as a number',
      { aws: { ...WHOLE.aws, account: 111122223333 } },
      ['aws.account: write the account in quotation'],
    ],
    ['an invalid stack name', { aws: { ...WHOLE.aws, stack: 'my stack' } }, ['aws.stack: write the name']],
    ['a misspelt key', { aws: { ...WHOLE.aws, event: {} } }, ['aws.event: unknown key']],
    [
      'unknown keys, of which it lists the known ones',
      { access: { ...ACCESS, name: 'prod' }, events: { hook: true } },
      [
        'access.name: unknown key; known here are eks, endpoint, certificateAuthority, tokenSecret, accessEntries',
        'events.hook: unknown key; known here are poll, auditLog, webhook, validate, bus, drift, sweepMinutes',
      ],
    ],
    [
      'an EKS cluster by its ARN',
      { access: { ...ACCESS, eks: 'arn:aws:eks:eu-west-1:111122223333:cluster/prod' } },
      ['access.eks: write the name of an EKS cluster, such as prod, not its ARN'],
    ],
    [
      'names in place of ids',
      { aws: { ...WHOLE.aws, vpc: { id: 'prod', subnets: ['private'], securityGroups: ['default'] } } },
      [
        'aws.vpc.id: write the id of a VPC, such as vpc-',
        'aws.vpc.subnets[0]: write the id of a subnet, such as subnet-',
        'aws.vpc.securityGroups[0]: write the id of a security group, such as sg-',
      ],
    ],
    [
      'a topic of another region',
      { alarms: { notify: 'arn:aws:sns:us-east-1:111122223333:alarms' } },
      ['alarms.notify: the topic is in us-east-1, and alarms can notify only topics of their own region, eu-west-1'],
    ],
    [
      'the topic of earlier versions',
      { aws: { ...WHOLE.aws, alarmTopic: 'arn:aws:sns:eu-west-1:111122223333:alarms' } },
      ['aws.alarmTopic: this key is now alarms, at the top of the file: write alarms: { page: TOPIC, notify: TOPIC }'],
    ],
    [
      'thresholds of what is no alarm, or no numbers',
      { alarms: { thresholds: { Refusal: 1, OldestDirty: 'off' } }, observability: 'some' },
      [
        'alarms.thresholds.Refusal: unknown key',
        'did you mean Refusals?',
        'alarms.thresholds.OldestDirty: write a number from 0 on, or false for no alarm',
        'observability: write full or lean',
      ],
    ],
    ['no cluster', { access: { endpoint } }, ['access: write eks']],
    ['both kinds of cluster', { access: { ...ACCESS, tokenSecret: 'arn' } }, ['access.tokenSecret: zone53 signs in']],
    [
      'a secret by its name',
      { access: { endpoint, tokenSecret: 'token' } },
      ['access.tokenSecret: write the whole ARN of a secret'],
    ],
    ['a topic by its name', { alarms: { page: 'alarms' } }, ['alarms.page: write the ARN of an SNS topic']],
    ['plain http', { access: { ...ACCESS, endpoint: 'http://x' } }, ['access.endpoint: write the API']],
    ['EKS without its authority', { access: { eks: 'prod', endpoint } }, ['access.certificateAuthority: missing']],
    [
      'an invalid table name',
      { aws: { ...WHOLE.aws, table: 'my table' } },
      ['aws.table: write the name of a DynamoDB table'],
    ],
    ['verdicts without a secret', { events: { validate: true } }, ['events.validate: an API server can send a secret']],
    [
      'sweeps that are days apart',
      { events: { sweepMinutes: 9_007_199_254_740_991 } },
      ['events.sweepMinutes: write 1440 minutes or less'],
    ],
    [
      'an audit log that does not exist',
      { access: { endpoint, tokenSecret: 'arn' }, events: { auditLog: true } },
      ['events.auditLog: only EKS'],
    ],
    [
      'unknown kinds of webhooks',
      { events: { webhook: { front: 'open', auth: 'none' } } },
      ['events.webhook.front: write url, httpApi, alb or none', 'events.webhook.auth: write secret or iam'],
    ],
    ['a webhook in one word', { events: { webhook: true } }, ['events.webhook: write a mapping, such as']],
    ...['secret', 'iam', 'none'].map((webhook): [string, object, string[]] => [
      `the earlier word ${webhook}`,
      { events: { webhook } },
      [{ secret: 'write webhook: { front: url }', iam: 'auth: iam }', none: 'remove the key' }[webhook] ?? ''],
    ]),
    [
      'the earlier keys below aws',
      { aws: { ...WHOLE.aws, cluster: ACCESS, events: { bus: true } } },
      [
        'aws.cluster: this key is now access, at the top of the file or below clusters.<id>: move it there',
        'aws.events: this key is now events, at the top',
      ],
    ],
    [
      'a second cluster without its keys',
      { roots: undefined, access: undefined, clusters: { a: { roots: [], access: ACCESS }, b: {} } },
      ['clusters.b.roots: missing', 'clusters.b.access: missing'],
    ],
    [
      'clusters without a cluster',
      { roots: undefined, access: undefined, clusters: {} },
      ['clusters: write the cluster'],
    ],
    [
      'a misspelt key of a cluster',
      { roots: undefined, access: undefined, clusters: { a: { root: [] } } },
      [
        'clusters.a.root: unknown key; known here are roots, sources, takeover, access, events, region, standby; did you mean roots?',
      ],
    ],
    [
      'a cluster without roots and access',
      { roots: undefined, access: undefined, clusters: { a: {} } },
      ['clusters.a.roots: missing', 'clusters.a.access: missing'],
    ],
    [
      'a region in place of a mapping',
      { roots: undefined, access: undefined, clusters: 'a' },
      ['clusters: write a mapping, such as'],
    ],
  ])('%s', (_title, change, problems) => {
    const parse = () => parseDeployment(stringify({ ...WHOLE, ...change }), 'z.yaml');
    expect(parse).toThrow('Cannot deploy z.yaml');
    for (const problem of problems) expect(parse).toThrow(problem);
  });

  it('says on which line a key is, or the mapping that lacks it', () => {
    const source = [
      'roots: [{ zone: example.org. }]',
      'hostedZones:',
      '  - { zone: example.org., id: Z1 }',
      '  - { zone: a.example., id: "!" }',
      'gard: {}',
      'aws:',
      '  region: eu-west-1',
      '  stak: x',
      'access:',
      '    endpoint: http://x',
      'events: { webhok: iam }',
    ];
    const problems = [
      'z.yaml:4:29: hostedZones[1].id: write the id of a hosted zone',
      'z.yaml:5:1: gard: unknown key',
      'z.yaml:8:3: aws.stak: unknown key',
      'z.yaml:10:15: access.endpoint: write the API server address',
      'z.yaml:11:11: events.webhok: unknown key',
    ];
    for (const problem of problems) expect(() => parseDeployment(source.join('\n'), 'z.yaml')).toThrow(problem);
    const lacking = () => parseDeployment(stringify({ ...WHOLE, access: {} }), 'z.yaml');
    expect(lacking).toThrow('z.yaml:6:9: access.endpoint: write the API server address');
    expect(() => parseDeployment('aws: {}', 'z.yaml')).toThrow('\n  z.yaml:1:1: roots: missing');
  });

  it('names both lines where clusters and its short form are there', () => {
    const source = 'clusterId: a\nroots: []\nclusters:\n  b: { roots: [] }\n';
    const both = [
      'z.yaml:1:1: clusterId: this is the short form of the key clusters.b, which is there, too: remove one (clusters is in line 3)',
      'z.yaml:2:1: roots: this is the short form of roots of clusters.b, which is there, too: remove one (clusters is in line 3)',
    ];
    for (const problem of both) expect(() => parseDeployment(source, 'z.yaml')).toThrow(problem);
  });

  it('reports invalid YAML', () => {
    expect(() => parseDeployment('roots: [', 'z.yaml')).toThrow('Cannot deploy z.yaml');
    const lost = 'clusterId: a\n  - { zone: a.example. }\nguard: { deletesMax: 1 }\n';
    expect(() => parseDeployment(lost, 'z.yaml')).toThrow(
      /^Cannot deploy z.yaml:\n {2}z.yaml:2:3: Cannot parse YAML: [^\n]+$/,
    );
    expect(() => parseDeployment('roots: *known', 'z.yaml')).toThrow(/Cannot deploy z.yaml:\n {2}z.yaml:1:8: .*alias/);
    expect(() => parseDeployment('a: 1\n---\nb: 1', 'z.yaml')).toThrow('is one YAML document: remove this line');
  });

  it.each([
    ['has no anchor before it', 'clusterId: a\nroots: [*known]\nsoa: &known never', '2:9'],
    ['contains itself', 'clusterId: a\nroots: &all\n  - *all', '3:5'],
  ])('says on which line an alias %s', (_, source, place) => {
    expect(() => parseDeployment(source, 'z.yaml')).toThrow(new RegExp(`z.yaml:${place}: .*alias`));
  });
});
