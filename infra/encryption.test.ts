// A key of the user's own, and how logs are kept.
import { App, RemovalPolicy, Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { Cluster } from 'aws-cdk-lib/aws-eks';
import { Key } from 'aws-cdk-lib/aws-kms';
import { PublicHostedZone } from 'aws-cdk-lib/aws-route53';
import { describe, expect, it } from 'vitest';
import { emptyBundles } from '../test/support/empty-bundles.ts';
import { NAMES, resolved } from '../test/support/example-template.ts';
import { Zone53, type Zone53Props } from './zone53.ts';

const bundles = emptyBundles(NAMES);

function templateOf(more: (scope: Stack) => Partial<Zone53Props>): Template {
  const scope = new Stack(new App(), 'Stack');
  new Zone53(scope, 'Zone53', {
    roots: [{ zone: 'example.org' }],
    hostedZones: [{ zone: 'example.org', id: 'Z1' }],
    access: { kind: 'eks', clusterName: 'prod', endpoint: 'https://k8s.example.org', certificateAuthority: 'TFMw' },
    events: { webhook: { front: 'url' }, validate: true, bus: true },
    bundles,
    ...more(scope),
  });
  return Template.fromStack(scope);
}

const propertiesOf = (template: Template, type: string) =>
  Object.values(template.findResources(type)).map(({ Properties }) => resolved(Properties) as Record<string, unknown>);

describe('encryptionKey', () => {
  const template = templateOf((scope) => ({ encryptionKey: new Key(scope, 'Key') }));
  const key = expect.stringMatching(/^arn:Key/);

  it('encrypts table, queues, logs, secrets and configuration', () => {
    expect(propertiesOf(template, 'AWS::DynamoDB::Table')).toMatchObject([
      { SSESpecification: { SSEType: 'KMS', KMSMasterKeyId: key } },
    ]);
    for (const queue of propertiesOf(template, 'AWS::SQS::Queue')) expect(queue.KmsMasterKeyId).toEqual(key);
    for (const log of propertiesOf(template, 'AWS::Logs::LogGroup')) expect(log.KmsKeyId).toEqual(key);
    const secrets = propertiesOf(template, 'AWS::SecretsManager::Secret');
    expect(secrets).toHaveLength(2);
    for (const secret of secrets) expect(secret.KmsKeyId).toEqual(key);
    expect(JSON.stringify(propertiesOf(template, 'AWS::S3::Bucket'))).toMatch(/"KMSMasterKeyID":"arn:Key/);
  });

  it('lets every function use the key, and the services that write with it', () => {
    const roles = propertiesOf(template, 'AWS::IAM::Policy').filter((policy) =>
      JSON.stringify(policy).includes('"kms:GenerateDataKey'),
    );
    expect(roles).toHaveLength(9);
    const [{ KeyPolicy } = {}] = propertiesOf(template, 'AWS::KMS::Key');
    const text = JSON.stringify(KeyPolicy);
    for (const service of ['logs.ref:AWS::Region.ref:AWS::URLSuffix', 'events.amazonaws.com'])
      expect(text).toContain(`{"Service":"${service}"}`);
  });
});

describe('logs', () => {
  it('are kept when the stack is deleted, and Lambda passes lines of the level', () => {
    const template = templateOf(() => ({ logLevel: 'DEBUG' }));
    const logs = Object.values(template.findResources('AWS::Logs::LogGroup'));
    expect(logs.map(({ DeletionPolicy }) => DeletionPolicy)).toEqual(Array(8).fill('Retain'));
    for (const { LoggingConfig, Environment } of propertiesOf(template, 'AWS::Lambda::Function')) {
      expect(LoggingConfig).toMatchObject({ LogFormat: 'JSON', ApplicationLogLevel: 'DEBUG' });
      expect(Environment).toMatchObject({ Variables: { POWERTOOLS_LOG_LEVEL: 'DEBUG' } });
    }
  });

  it('may go with the stack', () => {
    const template = templateOf(() => ({ logRemovalPolicy: RemovalPolicy.DESTROY }));
    const logs = Object.values(template.findResources('AWS::Logs::LogGroup'));
    for (const { DeletionPolicy } of logs) expect(DeletionPolicy).toBe('Delete');
  });
});

it('takes constructs for hosted zones and the cluster', () => {
  const template = templateOf((scope) => {
    const hostedZone = PublicHostedZone.fromHostedZoneAttributes(scope, 'Zone', {
      zoneName: 'a.example',
      hostedZoneId: 'ZA',
    });
    const cluster = Cluster.fromClusterAttributes(scope, 'Cluster', {
      clusterName: 'own',
      clusterEndpoint: 'https://own.example',
      clusterCertificateAuthorityData: 'TFMw',
    });
    return { hostedZones: [hostedZone], access: { kind: 'eks', cluster } };
  });
  const [{ Configuration } = {}] = propertiesOf(template, 'Custom::Zone53Configuration');
  expect(JSON.parse(String(Configuration))).toMatchObject({
    hostedZones: [{ zone: 'a.example.', id: 'ZA' }],
    access: { eks: 'own', endpoint: 'https://own.example', certificateAuthority: 'TFMw' },
  });
  expect(propertiesOf(template, 'AWS::EKS::AccessEntry').map(({ ClusterName }) => ClusterName)).toContain('own');
});

it('tracing is on for every function, or for none', () => {
  const modes = (tracing: boolean) =>
    propertiesOf(
      templateOf(() => ({ tracing })),
      'AWS::Lambda::Function',
    ).map(({ TracingConfig }) => TracingConfig);
  expect(modes(true)).toEqual(Array(8).fill({ Mode: 'Active' }));
  expect(modes(false)).toEqual(Array(8).fill(undefined));
});

it('roles have no condition unless it is asked for', () => {
  const trusted = (props: Partial<Zone53Props>) =>
    JSON.stringify(
      propertiesOf(
        templateOf(() => props),
        'AWS::IAM::Role',
      ),
    );
  expect(trusted({})).not.toContain('aws:SourceAccount');
  expect(trusted({ trustConditions: true })).toContain('aws:SourceAccount');
});
