// The whole life of a deployment by the CloudFormation of another project (test/deployed/cloudformation-world.ts): a
// change through each event source of the template, what an operator sees, and what is left after the stack is deleted.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { ChangeResourceRecordSetsCommand } from '@aws-sdk/client-route-53';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  CLOUDFORMATION_ENGINES,
  CLUSTER,
  type CloudFormationWorld,
  SEED_NAMESPACE,
  startCloudFormationWorld,
} from '../deployed/cloudformation-world.ts';
import { addressRecord, ZONE } from '../deployed/world.ts';
import { describeWithEngine, engine } from '../engines/engines.ts';
import { apply, read, succeed } from '../engines/kubernetes/apply.ts';
import { ACCOUNT, REGION } from '../engines/ministack/start.ts';

const ROOT = path.join(import.meta.dirname, '..', '..');
const ISSUER = 'issuer.example';

/** A token as a seed's issuer would make it. MiniStack's STS checks the role's trust policy, and not the signature. */
function identityToken(): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const claims = { iss: `https://${ISSUER}`, sub: 'shoot', aud: ['sts.amazonaws.com'], exp: 4_102_444_800 };
  return `${part({ alg: 'RS256', typ: 'JWT' })}.${part(claims)}.c2lnbmF0dXJl`;
}
const sample = (name: string) => JSON.parse(readFileSync(path.join(ROOT, 'events', 'samples', `${name}.json`), 'utf8'));

describeWithEngine('ministack', 'MiniStack', () => {
  it('still deviates from AWS where launch.py mends it', () => {
    const launcher = path.join(ROOT, 'test', 'engines', 'ministack', 'launch.py');
    const said = execFileSync(engine('ministack') as string, [launcher, '--needed'], {
      encoding: 'utf8',
      stdio: 'pipe',
    });
    const mends = said.trim().split('\n');
    expect(mends.length).toBeGreaterThan(5);
    for (const mend of mends) expect(mend).toMatch(/ needed$/);
  });
});

describeWithEngine(CLOUDFORMATION_ENGINES, 'deployed by CloudFormation', () => {
  let world: CloudFormationWorld;
  beforeAll(async () => {
    world = await startCloudFormationWorld();
  });
  afterAll(() => world?.close());

  const standing = (name: string) =>
    world.local.state.recordSetsAt(world.hostedZoneId, `${name}.example.org.`).find(({ type }) => type === 'A')
      ?.values[0];
  const stands = (name: string, value: string | undefined) => world.inTime(() => standing(name) === value, name);
  const published = (what: string) =>
    world.inTime(async () => {
      const { status } = await read(world.engine, what);
      return status?.conditions.find(({ type }) => type === 'Programmed')?.reason === 'Published';
    }, what);
  /** Makes a role in the shoot's account, for tokens of the seed's issuer. */
  const makeRole = (RoleName: string) => {
    const trust = {
      Effect: 'Allow',
      Principal: { Federated: `arn:aws:iam::${ACCOUNT}:oidc-provider/${ISSUER}` },
      Action: 'sts:AssumeRoleWithWebIdentity',
      Condition: { StringEquals: { [`${ISSUER}:sub`]: 'shoot' } },
    };
    const AssumeRolePolicyDocument = JSON.stringify({ Version: '2012-10-17', Statement: [trust] });
    const form = { Action: 'CreateRole', Version: '2010-05-08', RoleName, AssumeRolePolicyDocument };
    return world.ministack.call({ service: 'iam', form });
  };
  /** Without the webhook the API server sends no event, so what is published then came by another way. */
  const withoutWebhook = () => succeed(world.engine, ['delete', 'validatingwebhookconfiguration', 'zone53']);

  it("publishes by the admission webhook with the stack's own secret: kubectl apply, an edit, a deletion", async () => {
    await apply(world.engine, [ZONE, addressRecord('www', '192.0.2.1')]);
    await stands('www', '192.0.2.1');
    await published('record/www');
    await published('zone/example-org');
    await apply(world.engine, [addressRecord('www', '192.0.2.2')]);
    await stands('www', '192.0.2.2');
    await succeed(world.engine, ['delete', 'record', 'www']);
    await stands('www', undefined);
  });

  it('the validating webhook refuses what the rules refuse', async () => {
    await succeed(world.engine, ['create', 'namespace', 'tenant']);
    const metadata = { name: 'stolen', namespace: 'tenant' };
    const zone = { apiVersion: 'kubi.zone/v1alpha1', kind: 'Zone', metadata, spec: { domainName: 'example.org.' } };
    let refusal = '';
    // On a busy machine a function may start too slowly to answer; then the API server accepts the write.
    await world.inTime(async () => {
      const { code, stderr } = await world.engine.kubectl(['apply', '-f', '-'], { input: JSON.stringify(zone) });
      if (code === 0) await succeed(world.engine, ['delete', 'zone/stolen', '-n', 'tenant']);
      refusal = stderr;
      return code !== 0;
    }, 'a verdict');
    expect(refusal).toMatch(/denied the request: RootNotAllowed: .*example\.org\./);
  });

  it.each([
    ['keys', { accessKeyID: 'AKIAIOSFODNN7EXAMPLE', secretAccessKey: 'a-key-of-the-shoot' }],
    ['a workload identity', { token: identityToken(), roleARN: `arn:aws:iam::${ACCOUNT}:role/shoot`, region: REGION }],
  ])('serves the DNSRecords of a seed, with %s: created, reconciled, deleted', async (credentials, data) => {
    const label = credentials.split(' ').at(-1);
    const secretRef = { namespace: SEED_NAMESPACE, name: `secret-${label}` };
    const metadata = { namespace: SEED_NAMESPACE, name: `api-${label}` };
    const object = ['-n', SEED_NAMESPACE, `dnsrecord/${metadata.name}`];
    const give = (one: object) => succeed(world.engine, ['apply', '--server-side', '-f', '-'], JSON.stringify(one));
    const dnsRecord = (values: readonly string[]) => ({
      apiVersion: 'extensions.gardener.cloud/v1alpha1',
      kind: 'DNSRecord',
      metadata: { ...metadata, annotations: { 'gardener.cloud/operation': 'reconcile' } },
      spec: { type: 'aws-route53', secretRef, name: `${metadata.name}.example.org`, recordType: 'A', values, ttl: 120 },
    });
    const isDone = (type: string) =>
      world.inTime(async () => {
        const { stdout } = await world.engine.kubectl(['get', ...object, '-o', 'json']);
        const { metadata: now, status } = JSON.parse(stdout);
        const { state, type: last } = status?.lastOperation ?? {};
        return state === 'Succeeded' && last === type && status.observedGeneration === now.generation;
      }, `${type} of ${metadata.name}`);
    if ('roleARN' in data) await makeRole(data.roleARN.split('/').at(-1) ?? '');
    await give({ apiVersion: 'v1', kind: 'Secret', metadata: secretRef, stringData: data });
    await give(dnsRecord(['192.0.2.31']));
    await isDone('Create');
    expect(standing(metadata.name)).toBe('192.0.2.31');
    await give(dnsRecord(['192.0.2.32']));
    await isDone('Reconcile');
    expect(standing(metadata.name)).toBe('192.0.2.32');
    // The finalizer keeps the object until its record set is deleted.
    await succeed(world.engine, ['annotate', ...object, 'confirmation.gardener.cloud/deletion=true']);
    await succeed(world.engine, ['delete', ...object, '--timeout=90s']);
    expect(standing(metadata.name)).toBeUndefined();
  });

  describe('without the webhook', () => {
    beforeAll(withoutWebhook);

    it('publishes by a line of the audit log, through the subscription', async () => {
      await apply(world.engine, [addressRecord('logged', '192.0.2.11')]);
      const recordedBatch = gunzipSync(Buffer.from(sample('cloudwatch-logs').awslogs.data, 'base64'));
      const { logEvents } = JSON.parse(recordedBatch.toString('utf8')) as { logEvents: { message: string }[] };
      const recorded = logEvents.map(({ message }) => JSON.parse(message)).find(({ verb }) => verb === 'create');
      const objectRef = { ...recorded.objectRef, resource: 'records', namespace: 'default', name: 'logged' };
      const message = JSON.stringify({ ...recorded, objectRef });
      const group = { logGroupName: `/aws/eks/${CLUSTER}/cluster`, logStreamName: 'kube-apiserver-audit-1' };
      const { call } = world.ministack;
      await call({ service: 'logs', target: 'Logs_20140328.CreateLogStream', body: group });
      const body = { ...group, logEvents: [{ timestamp: Date.now(), message }] };
      await call({ service: 'logs', target: 'Logs_20140328.PutLogEvents', body });
      await stands('logged', '192.0.2.11');
      await published('record/logged');
    });

    it('publishes by an event on the bus', async () => {
      await apply(world.engine, [addressRecord('bus', '192.0.2.13')]);
      const Detail = JSON.stringify({ kind: 'Record', namespace: 'default', name: 'bus' });
      const DetailType = sample('event-bridge.reference')['detail-type'];
      const Entries = [{ EventBusName: world.outputs.BusName, Source: 'zone53.test', DetailType, Detail }];
      await world.ministack.call({ service: 'events', target: 'AWSEvents.PutEvents', body: { Entries } });
      await stands('bus', '192.0.2.13');
      await published('record/bus');
    });

    it('publishes again by CloudTrail, when somebody else deletes a record set', async () => {
      const ResourceRecordSet = {
        ...{ Name: 'bus.example.org.', Type: 'A' as const, TTL: 60 },
        ResourceRecords: [{ Value: '192.0.2.13' }],
      };
      const ChangeBatch = { Changes: [{ Action: 'DELETE' as const, ResourceRecordSet }] };
      const HostedZoneId = world.hostedZoneId;
      await world.route53.send(new ChangeResourceRecordSetsCommand({ HostedZoneId, ChangeBatch }));
      expect(standing('bus')).toBeUndefined();
      const event = sample('event-bridge.route53-call');
      event.detail.eventTime = new Date().toISOString();
      event.detail.requestParameters.hostedZoneId = `/hostedzone/${HostedZoneId}`;
      // Only AWS may put events with a source of AWS. So we ask EventBridge whether the rule matches the event, and
      // then invoke the target ourselves.
      const { call } = world.ministack;
      const { Rules = [] } = await call({ service: 'events', target: 'AWSEvents.ListRules', body: {} });
      const [rule] = (Rules as { EventPattern: string }[]).filter((one) => one.EventPattern.includes('aws.route53'));
      const asked = { EventPattern: rule?.EventPattern, Event: JSON.stringify(event) };
      expect(await call({ service: 'events', target: 'AWSEvents.TestEventPattern', body: asked })).toEqual({
        Result: true,
      });
      const { Functions = [] } = await call({ service: 'lambda', method: 'GET', path: '/2015-03-31/functions/' });
      const names = (Functions as { FunctionName: string }[]).map(({ FunctionName }) => FunctionName);
      const sweep = names.find((name) => name.includes('Sweep'));
      await call({ service: 'lambda', path: `/2015-03-31/functions/${sweep}/invocations`, body: event });
      await stands('bus', '192.0.2.13');
    });
  });

  it('zone53 plan reads the deployed ledger and finds nothing to do', async () => {
    const { code, err } = await world.zone53(
      'plan',
      '--table',
      world.outputs.Table ?? '',
      '--context',
      'admin',
      '--detailed-exitcode',
    );
    expect(err).toBe('');
    expect(code).toBe(0);
  });

  it('cdk destroy leaves the table and every record', async () => {
    await world.cdk('destroy', '--all', '--force');
    const { call } = world.ministack;
    const describe = (TableName = '') =>
      call({ service: 'dynamodb', target: 'DynamoDB_20120810.DescribeTable', body: { TableName } });
    expect(await describe(world.outputs.Table)).toMatchObject({ Table: { TableStatus: 'ACTIVE' } });
    const { QueueUrls = [] } = await call({ service: 'sqs', target: 'AmazonSQS.ListQueues', body: {} });
    expect(QueueUrls).toEqual([]);
    expect(standing('bus')).toBe('192.0.2.13');
  });
});
