import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { parseDeployment } from './settings.ts';

const SOURCE = readFileSync(path.join(import.meta.dirname, '..', '..', 'examples', 'aws', 'zone53.yaml'), 'utf8');
const CLUSTER = { eks: 'prod', endpoint: 'https://k8s.example.org', certificateAuthority: 'TFMw' };
const WHOLE = {
  roots: [{ zone: 'example.org' }],
  hostedZones: [{ zone: 'example.org', id: 'Z1' }],
  aws: { region: 'eu-west-1', cluster: CLUSTER },
};

describe('parseDeployment()', () => {
  it('reads the example', () => {
    const { pipeline, aws } = parseDeployment(SOURCE, 'zone53.yaml');
    expect(pipeline.clusterId).toBe('prod-eu');
    expect(aws).toMatchObject({ region: 'eu-west-1', cluster: { eks: 'prod' }, events: { drift: true } });
  });

  it('a key without a value counts as absent', () => {
    const { pipeline } = parseDeployment(`${stringify(WHOLE)}guard:\n`, 'z.yaml');
    expect(pipeline).not.toHaveProperty('guard');
  });

  it('a key without a value counts as absent under aws, too', () => {
    const aws = { ...WHOLE.aws, events: { webhook: null, bus: true }, vpc: null, alarmTopic: null, table: null };
    expect(parseDeployment(stringify({ ...WHOLE, aws }), 'z.yaml').aws).toEqual({
      ...WHOLE.aws,
      events: { bus: true },
    });
  });

  const { endpoint } = CLUSTER;
  it.each([
    ['no aws', { aws: undefined }, ['aws: missing: write region and cluster']],
    [
      'no roots, no hosted zones',
      { roots: undefined, hostedZones: undefined },
      ['roots: missing', 'hostedZones: missing'],
    ],
    ['an invalid region', { aws: { region: 'here', cluster: CLUSTER } }, ['aws.region: write a region']],
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
      { aws: { ...WHOLE.aws, events: true, vpc: 'vpc-1', reservedConcurrency: 20 } },
      [
        'aws.events: write a mapping, such as',
        'aws.vpc: write a mapping with id',
        'aws.reservedConcurrency: write a mapping, such as',
      ],
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
      { aws: { ...WHOLE.aws, cluster: { ...CLUSTER, name: 'prod' }, events: { hook: true } } },
      [
        'aws.cluster.name: unknown key; known here are eks, endpoint, certificateAuthority, tokenSecret, accessEntries',
        'aws.events.hook: unknown key; known here are auditLog, webhook, validate, bus, drift, sweepMinutes',
      ],
    ],
    [
      'an EKS cluster by its ARN',
      { aws: { ...WHOLE.aws, cluster: { ...CLUSTER, eks: 'arn:aws:eks:eu-west-1:111122223333:cluster/prod' } } },
      ['aws.cluster.eks: write the name of an EKS cluster, such as prod, not its ARN'],
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
      { aws: { ...WHOLE.aws, alarmTopic: 'arn:aws:sns:us-east-1:111122223333:alarms' } },
      ['aws.alarmTopic: the topic is in us-east-1, and alarms can notify only topics of their own region, eu-west-1'],
    ],
    ['no cluster', { aws: { region: 'eu-west-1', cluster: { endpoint } } }, ['aws.cluster: write eks']],
    [
      'both kinds of cluster',
      { aws: { ...WHOLE.aws, cluster: { ...CLUSTER, tokenSecret: 'arn' } } },
      ['aws.cluster.tokenSecret: zone53 signs in'],
    ],
    [
      'a secret by its name',
      { aws: { region: 'eu-west-1', cluster: { endpoint, tokenSecret: 'token' } } },
      ['aws.cluster.tokenSecret: write the whole ARN of a secret'],
    ],
    [
      'a topic by its name',
      { aws: { ...WHOLE.aws, alarmTopic: 'alarms' } },
      ['aws.alarmTopic: write the ARN of an SNS topic'],
    ],
    [
      'plain http',
      { aws: { ...WHOLE.aws, cluster: { ...CLUSTER, endpoint: 'http://x' } } },
      ['aws.cluster.endpoint: write the API'],
    ],
    [
      'EKS without its authority',
      { aws: { ...WHOLE.aws, cluster: { eks: 'prod', endpoint } } },
      ['aws.cluster.certificateAuthority: missing'],
    ],
    [
      'an invalid table name',
      { aws: { ...WHOLE.aws, table: 'my table' } },
      ['aws.table: write the name of a DynamoDB table'],
    ],
    [
      'verdicts without a secret',
      { aws: { ...WHOLE.aws, events: { webhook: 'none', validate: true } } },
      ['aws.events.validate: an API server can send a secret'],
    ],
    [
      'sweeps that are days apart',
      { aws: { ...WHOLE.aws, events: { sweepMinutes: 9_007_199_254_740_991 } } },
      ['aws.events.sweepMinutes: write 1440 minutes or less'],
    ],
    [
      'an audit log that does not exist',
      { aws: { region: 'eu-west-1', cluster: { endpoint, tokenSecret: 'arn' }, events: { auditLog: true } } },
      ['aws.events.auditLog: only EKS'],
    ],
    [
      'an unknown kind of webhook',
      { aws: { ...WHOLE.aws, events: { webhook: 'open' } } },
      ['aws.events.webhook: write none, secret or iam'],
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
      '  cluster:',
      '    endpoint: http://x',
      '  events: { webhok: iam }',
    ];
    const problems = [
      'line 4: hostedZones[1].id: write the id of a hosted zone',
      'line 5: gard: unknown key',
      'line 9: aws.cluster.endpoint: write the API server address',
      'line 10: aws.events.webhok: unknown key',
    ];
    for (const problem of problems) expect(() => parseDeployment(source.join('\n'), 'z.yaml')).toThrow(problem);
    const lacking = () => parseDeployment(stringify({ ...WHOLE, aws: { region: 'eu-west-1', cluster: {} } }), 'z.yaml');
    expect(lacking).toThrow('line 8: aws.cluster.endpoint: write the API server address');
    expect(() => parseDeployment('aws: {}', 'z.yaml')).toThrow('\n  roots: missing');
  });

  it('reports invalid YAML', () => {
    expect(() => parseDeployment('roots: [', 'z.yaml')).toThrow('Cannot deploy z.yaml');
    const lost = 'clusterId: a\n  - { zone: a.example. }\nguard: { deletesMax: 1 }\n';
    expect(() => parseDeployment(lost, 'z.yaml')).toThrow(
      /^Cannot deploy z.yaml:\n {2}\S[^\n]+ at line 1, [\s\S]{0,50}$/,
    );
    expect(() => parseDeployment('roots: *known', 'z.yaml')).toThrow(/Cannot deploy z.yaml:\n {2}Unresolved alias/);
    expect(() => parseDeployment('a: 1\n---\nb: 1', 'z.yaml')).toThrow('is one YAML document: remove this line');
  });

  it.each([
    ['has no anchor before it', 'clusterId: a\nroots: [*known]\nsoa: &known never', 'line 2, column 9'],
    ['contains itself', 'clusterId: a\nroots: &all\n  - *all', 'line 3, column 5'],
  ])('says on which line an alias %s', (_, source, place) => {
    expect(() => parseDeployment(source, 'z.yaml')).toThrow(new RegExp(`alias.* at ${place}$`));
  });
});
