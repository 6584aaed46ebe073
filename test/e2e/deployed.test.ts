// End to end as deployed: the bundles in processes of their own, with the environment of the synthesized template, between a
// real API server that calls a real webhook, SQS and Secrets Manager as moto has them, DynamoDB as dynalite has it, and our own
// Route 53. `kubectl apply` ends in Route 53 and in the object's status.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { CreateHostedZoneCommand, Route53Client } from '@aws-sdk/client-route-53';
import { CreateSecretCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { GetQueueAttributesCommand, SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import { buildFunctions } from '../../infra/build-functions.ts';
import { createTable } from '../../lib/adapters/dynamodb-ledger-table.ts';
import { startDynalite } from '../../local/dynalite.ts';
import { openLocalRoute53 } from '../../local/route53/open.ts';
import { type Deployment, deploy } from '../deployed/deployment.ts';
import { type EventSourceMapping, eventSourceMapping } from '../deployed/event-source-mapping.ts';
import { functionUrl } from '../deployed/function-url.ts';
import { describeWithEngine, startMoto } from '../engines/engines.ts';
import { apply, applyCrds, CRDS, eventually, type Manifest, read, succeed } from '../engines/kubernetes/apply.ts';
import { type KubernetesEngine, startKubernetes } from '../engines/kubernetes/start.ts';

const TABLE = 'zone53';
const SECRET = 'a-secret-that-only-the-cluster-and-ingest-know';
const credentials = { accessKeyId: 'test', secretAccessKey: 'test' };
const region = 'eu-west-1';

describeWithEngine(['kube-apiserver', 'etcd', 'moto'], 'as deployed', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'zone53-deployed-'));
  const closing: (() => unknown)[] = [() => rmSync(folder, { recursive: true, force: true })];
  let engine: KubernetesEngine;
  let deployment: Deployment;
  let sqs: SQSClient;
  let local: Awaited<ReturnType<typeof openLocalRoute53>>;
  let hostedZoneId: string;
  let mappings: readonly EventSourceMapping[];

  beforeAll(async () => {
    const bundles = path.join(folder, 'bundles');
    await buildFunctions(bundles);
    engine = await startKubernetes();
    closing.push(() => engine.stop());
    const moto = await startMoto();
    closing.push(() => moto.close());
    const dynalite = await startDynalite();
    closing.push(() => dynalite.close());
    local = await openLocalRoute53(path.join(folder, 'route53.json'), 0);
    closing.push(() => local.close());
    await createTable(dynalite.client, TABLE);
    sqs = new SQSClient({ endpoint: moto.url, region, credentials });
    const route53 = new Route53Client({ endpoint: local.url, region, credentials });
    const secrets = new SecretsManagerClient({ endpoint: moto.url, region, credentials });
    const made = await route53.send(new CreateHostedZoneCommand({ Name: 'example.org', CallerReference: 'test' }));
    hostedZoneId = (made.HostedZone?.Id ?? '').replace('/hostedzone/', '');
    const token = await secrets.send(new CreateSecretCommand({ Name: 'token', SecretString: 'zone53-token' }));
    deployment = await deploy({
      source: configuration(token.ARN ?? ''),
      bundles,
      table: TABLE,
      sqs,
      secrets,
      senderSecret: SECRET,
      visibilitySeconds: 4,
      environment: {
        AWS_REGION: region,
        AWS_ACCESS_KEY_ID: 'test',
        AWS_SECRET_ACCESS_KEY: 'test',
        AWS_ENDPOINT_URL_SQS: moto.url,
        AWS_ENDPOINT_URL_SECRETS_MANAGER: moto.url,
        AWS_ENDPOINT_URL_DYNAMODB: dynalite.endpoint,
        AWS_ENDPOINT_URL_ROUTE_53: local.url,
      },
    });
    closing.push(() => deployment.close());
    const { functions, queues } = deployment;
    mappings = [
      eventSourceMapping(sqs, { queueUrl: queues.hints, batchSize: 10, pollers: 2, handler: functions.reconcile }),
      eventSourceMapping(sqs, { queueUrl: queues.publish, batchSize: 10, pollers: 2, handler: functions.publish }),
      eventSourceMapping(sqs, { queueUrl: queues.reports, batchSize: 10, pollers: 1, handler: functions.report }),
    ];
    for (const mapping of mappings) closing.push(() => mapping.close());
    const url = await functionUrl(engine.certificate, functions.ingest);
    closing.push(() => url.close());
    await applyCrds(engine);
    await applyWebhook(`${url.url}/admission/${SECRET}`);
  });

  afterAll(async () => {
    for (const close of closing.reverse()) await close();
  });

  function configuration(tokenSecret: string): string {
    return stringify({
      clusterId: 'deployed',
      roots: [{ zone: 'example.org.', namespaces: ['default'] }],
      hostedZones: [{ zone: 'example.org.', id: hostedZoneId }],
      aws: {
        region,
        account: '111122223333',
        cluster: {
          endpoint: engine.url,
          certificateAuthority: Buffer.from(engine.ca).toString('base64'),
          tokenSecret,
        },
        events: { webhook: 'secret' },
      },
    });
  }

  async function applyWebhook(url: string): Promise<void> {
    const text = readFileSync(path.join(CRDS, 'examples', 'admission-webhook.yaml'), 'utf8');
    const webhook = parse(text);
    webhook.webhooks[0].clientConfig = { url, caBundle: Buffer.from(engine.ca).toString('base64') };
    await succeed(engine, ['apply', '-f', '-'], stringify(webhook));
  }

  const zone: Manifest = {
    kind: 'Zone',
    name: 'example-org',
    spec: { domainName: 'example.org.', delegations: [{ records: [{ pattern: '*' }] }] },
  };
  const record = (name: string, rdata: string): Manifest => ({
    kind: 'Record',
    name,
    spec: { domainName: `${name}.example.org.`, type: 'A', ttl: 60, rdata },
  });

  // Not by a call: it would take from the budget that the functions share.
  function standing(name: string): string | undefined {
    return local.state.recordSetsAt(hostedZoneId, name).find(({ type }) => type === 'A')?.values[0];
  }
  const stands = (name: string, value: string | undefined) =>
    eventually(() => standing(`${name}.example.org.`) === value);
  async function programmed(what: string): Promise<string | undefined> {
    const { status } = await read(engine, what);
    return status?.conditions.find(({ type }) => type === 'Programmed')?.reason;
  }
  async function waiting(queueUrl: string): Promise<number> {
    const { Attributes = {} } = await sqs.send(
      new GetQueueAttributesCommand({ QueueUrl: queueUrl, AttributeNames: ['All'] }),
    );
    return Number(Attributes.ApproximateNumberOfMessages) + Number(Attributes.ApproximateNumberOfMessagesNotVisible);
  }

  it('kubectl apply ends in Route 53 and in the status of the objects', async () => {
    await succeed(engine, ['get', 'zones']);
    await apply(engine, [zone, record('www', '192.0.2.1')]);
    await stands('www', '192.0.2.1');
    await eventually(async () => (await programmed('record/www')) === 'Published');
    await eventually(async () => (await programmed('zone/example-org')) === 'Published');
  });

  it('an edit and a deletion, too', async () => {
    await apply(engine, [record('www', '192.0.2.2')]);
    await stands('www', '192.0.2.2');
    await succeed(engine, ['delete', 'record', 'www']);
    await stands('www', undefined);
  });

  it('two publishers at once publish a burst whole, and all functions together keep to the budget', async () => {
    const burst = Array.from({ length: 40 }, (_, index) => record(`burst${index}`, `198.51.100.${index}`));
    await apply(engine, burst);
    await stands('burst39', '198.51.100.39');
    await stands('burst0', '198.51.100.0');
    // Our Route 53 takes five calls a second and refuses the sixth, as the real one does.
    expect(local.requests.Throttling ?? 0).toBe(0);
  });

  it('a poisoned message is gone, a message twice does no harm', async () => {
    const { hints } = deployment.queues;
    for (const MessageBody of ['{', '{"v":7,"kind":"hint"}'])
      await sqs.send(new SendMessageCommand({ QueueUrl: hints, MessageBody }));
    const hint = { v: 1, kind: 'hint', hint: { kind: 'Record', namespace: 'default', name: 'burst0' } };
    for (let count = 0; count < 2; count += 1) {
      await sqs.send(new SendMessageCommand({ QueueUrl: hints, MessageBody: JSON.stringify(hint) }));
    }
    await eventually(async () => (await waiting(hints)) === 0);
    expect(await waiting(deployment.queues.hintsDead)).toBe(0);
    expect(standing('burst0.example.org.')).toBe('198.51.100.0');
  });

  it('publish killed in the middle: the lease runs out, the message comes back, and the change goes out', async () => {
    const killing = setInterval(() => deployment.functions.publish.kill(), 15);
    try {
      await apply(engine, [record('killed', '192.0.2.3')]);
      await eventually(() => (mappings[1]?.counts.failed ?? 0) > 0);
    } finally {
      clearInterval(killing);
    }
    // A run that took the lease before it died holds the hosted zone for 65 s (DEFAULT_LEASE_LIMITS).
    const deadline = performance.now() + 120_000;
    while (standing('killed.example.org.') !== '192.0.2.3' && performance.now() < deadline) await sleep(200);
    expect(standing('killed.example.org.')).toBe('192.0.2.3');
  });

  it('a lost event is found by the scheduled sweep', async () => {
    await succeed(engine, ['delete', 'validatingwebhookconfiguration', 'zone53']);
    await apply(engine, [record('swept', '192.0.2.9')]);
    await deployment.functions.sweep.invoke(deployment.schedules.sweep);
    await stands('swept', '192.0.2.9');
    await deployment.functions.sweep.invoke(deployment.schedules.measure);
    const figures = deployment.functions.sweep.output.join('');
    for (const name of ['SweepAge', 'DirtyNames', 'OldestDirty']) expect(figures).toContain(`"${name}":`);
  });

  it('the log is JSON, and says no secret', () => {
    const lines = Object.values(deployment.functions).flatMap(({ output }) =>
      output.join('').split('\n').filter(Boolean),
    );
    for (const line of lines) expect(() => JSON.parse(line), line).not.toThrow();
    const text = lines.join('\n');
    for (const figure of ['Hints', 'ReconcileLatency', 'PublishLatency', 'Batches', 'BudgetCalls', 'EventsRefused']) {
      expect(text).toContain(`"${figure}":`);
    }
    expect(text).not.toContain(SECRET);
    expect(text).not.toContain('zone53-token');
  });
});
