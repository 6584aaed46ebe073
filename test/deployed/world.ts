// A whole deployment on this machine: a real API server that sends its audit events to the function URL, SQS and
// Secrets Manager by moto, DynamoDB Local, our own Route 53, and the functions' bundles under Lambda's runtime client,
// behind event source mappings. `zone53 manifests-for-cluster` makes the objects that the cluster needs.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { CreateHostedZoneCommand, Route53Client } from '@aws-sdk/client-route-53';
import { CreateSecretCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { GetQueueAttributesCommand, SQSClient } from '@aws-sdk/client-sqs';
import { stringify } from 'yaml';
import type { FunctionName } from '../../functions/runtime/environment.ts';
import { buildFunctions } from '../../infra/build-functions.ts';
import { createTable } from '../../lib/adapters/ledger/create-table.ts';
import { openLocalRoute53 } from '../../local/route53/api/open-local-route53.ts';
import { selfSigned } from '../../local/self-signed-certificate.ts';
import { type EngineName, startDynamodbLocal, startMoto } from '../engines/engines.ts';
import { applyCrds, CRDS, type Manifest, read, succeed } from '../engines/kubernetes/apply.ts';
import { type KubernetesEngine, startKubernetes } from '../engines/kubernetes/start.ts';
import { type CommandPlace, type Ran, zone53 } from '../support/zone53-command.ts';
import { type Deployment, deploy } from './deployment.ts';
import { type EventSourceMapping, eventSourceMapping } from './event-source-mapping.ts';
import { type FunctionUrl, functionUrl } from './function-url.ts';

/** The engines of this world. Under CI that includes Lambda's real runtime client. */
export const DEPLOYED_ENGINES: readonly EngineName[] = [
  'kube-apiserver',
  'etcd',
  'moto',
  'dynamodb-local',
  ...(process.env.CI ? (['lambda-ric'] as const) : []),
];

export const SECRET = 'a-secret-that-only-the-cluster-and-ingest-know';
const DOOR_SECRET = 'another-for-those-who-ask-for-a-verdict';
export const TABLE = 'zone53';
const REGION = 'eu-west-1';
const credentials = { accessKeyId: 'test', secretAccessKey: 'test' };

export type DeployedWorld = {
  readonly engine: KubernetesEngine;
  readonly deployment: Deployment;
  readonly mappings: Readonly<Record<'reconcile' | 'publish' | 'report', EventSourceMapping>>;
  readonly url: FunctionUrl;
  /** The function URL of validate, which may refuse writes. */
  readonly door: FunctionUrl;
  readonly sqs: SQSClient;
  readonly route53: Route53Client;
  readonly local: Awaited<ReturnType<typeof openLocalRoute53>>;
  readonly hostedZoneId: string;
  /** Runs a zone53 command with the settings that an operator of this stack has. */
  zone53(...argv: string[]): Promise<Ran>;
  close(): Promise<void>;
};

/**
 * Starts everything. Namespace `default` may publish `example.org.`, and every way in is still closed. `besideDead`:
 * the cluster is one of two, and the API server of the other one refuses every connection.
 */
export async function startDeployedWorld({ besideDead = false } = {}): Promise<DeployedWorld> {
  const folder = mkdtempSync(path.join(tmpdir(), 'zone53-deployed-'));
  const closing: (() => unknown)[] = [() => rmSync(folder, { recursive: true, force: true })];
  const close = async () => {
    for (const one of closing.splice(0).reverse()) await one();
  };
  try {
    return await start(folder, closing, close, besideDead);
  } catch (error) {
    await close();
    throw error;
  }
}

async function start(
  folder: string,
  closing: (() => unknown)[],
  close: () => Promise<void>,
  besideDead: boolean,
): Promise<DeployedWorld> {
  const file = (name: string, text: string) => {
    writeFileSync(path.join(folder, name), text);
    return path.join(folder, name);
  };
  const bundles = path.join(folder, 'bundles');
  await buildFunctions(bundles);
  const identity = selfSigned('127.0.0.1', Date.now());
  const [url, door] = [await functionUrl(identity), await functionUrl(identity)];
  closing.push(() => url.close());
  closing.push(() => door.close());
  const local = await openLocalRoute53(path.join(folder, 'route53.json'), 0);
  closing.push(() => local.close());
  const shown = ['--secret-file', file('secret', SECRET), '--ca-file', file('ca.pem', url.ca)];
  const doorSecret = ['--validate-secret-file', file('door-secret', DOOR_SECRET)];
  const place: CommandPlace = { folder, route53: local.url };
  const ofCluster = besideDead ? ['--cluster', 'deployed'] : [];
  file('zone53.yaml', besideDead ? 'clusters: { deployed: {}, dead: {} }' : '{}');
  const audit = await zone53(place, [
    'manifests-for-cluster',
    '--url',
    url.url,
    ...shown,
    ...ofCluster,
    '--print',
    'audit-kubeconfig',
  ]);
  if (audit.code !== 0) throw new Error(audit.err);
  const starting = startKubernetes({
    apiServerArgs: [
      `--audit-policy-file=${path.join(CRDS, 'examples', 'audit-policy.yaml')}`,
      `--audit-webhook-config-file=${file('audit.kubeconfig', audit.out)}`,
      '--audit-webhook-batch-max-wait=1s',
      '--audit-webhook-initial-backoff=1s',
    ],
  });
  // These start at the same time. Each is ended again, also when another fails to start.
  const [engine, moto, dynamodb] = await Promise.all([
    endedWith(closing, starting, (one) => one.stop()),
    endedWith(closing, startMoto(), (one) => one.close()),
    endedWith(closing, startDynamodbLocal(), (one) => one.close()),
  ]);
  await createTable(new DynamoDBClient({ endpoint: dynamodb.url, region: REGION, credentials }), TABLE);
  const sqs = new SQSClient({ endpoint: moto.url, region: REGION, credentials });
  const route53 = new Route53Client({ endpoint: local.url, region: REGION, credentials });
  const secrets = new SecretsManagerClient({ endpoint: moto.url, region: REGION, credentials });
  const made = await route53.send(new CreateHostedZoneCommand({ Name: 'example.org', CallerReference: 'test' }));
  const hostedZoneId = (made.HostedZone?.Id ?? '').replace('/hostedzone/', '');
  const token = await secrets.send(new CreateSecretCommand({ Name: 'token', SecretString: 'zone53-token' }));
  const source = configuration(engine, hostedZoneId, token.ARN ?? '', besideDead);
  const deployment = await deploy({
    source,
    bundles,
    table: TABLE,
    s3Url: moto.url,
    sqs,
    secrets,
    senderSecret: SECRET,
    doorSecret: DOOR_SECRET,
    url: url.url,
    doorUrl: door.url,
    visibilitySeconds: 4,
    receivesMax: 3,
    environment: {
      AWS_REGION: REGION,
      AWS_ACCESS_KEY_ID: 'test',
      AWS_SECRET_ACCESS_KEY: 'test',
      AWS_ENDPOINT_URL_SQS: moto.url,
      AWS_ENDPOINT_URL_SECRETS_MANAGER: moto.url,
      AWS_ENDPOINT_URL_DYNAMODB: dynamodb.url,
      AWS_ENDPOINT_URL_S3: moto.url,
      AWS_ENDPOINT_URL_ROUTE_53: local.url,
    },
  });
  closing.push(() => deployment.close());
  const mappings = Object.fromEntries(
    deployment.mappings.map(({ name, ...mapping }) => [
      name,
      eventSourceMapping(sqs, { ...mapping, handler: deployment.functions[name] }),
    ]),
  ) as Record<FunctionName, EventSourceMapping>;
  for (const mapping of Object.values(mappings)) closing.push(() => mapping.close());
  url.attach(deployment.functions.ingest);
  door.attach(deployment.functions.validate);
  await applyCrds(engine);
  const env = { KUBECONFIG: engine.kubeconfig, AWS_REGION: REGION };
  const outputs = file('outputs.json', JSON.stringify(deployment.outputs));
  const own: CommandPlace = { folder, route53: local.url, dynamodb: dynamodb.url, env };
  file('zone53.yaml', stringify(besideDead ? ofTwo(configurationOf(hostedZoneId), {}) : configurationOf(hostedZoneId)));
  const applied = await zone53(own, [
    ...['manifests-for-cluster', '--outputs', outputs, ...shown, ...doorSecret, ...ofCluster],
    ...['--context', 'admin', '--yes'],
  ]);
  if (applied.code !== 0) throw new Error(applied.err);
  // By default the API server waits three seconds for a webhook and then goes on. On a busy machine that loses the
  // hint.
  const patient = [{ op: 'replace', path: '/webhooks/0/timeoutSeconds', value: 30 }];
  for (const name of ['zone53', 'zone53-validate']) {
    await succeed(engine, [
      ...['patch', 'validatingwebhookconfiguration', name, '--type=json', '-p', JSON.stringify(patient)],
    ]);
  }
  return {
    ...{ engine, deployment, mappings, url, door, sqs, route53, local, hostedZoneId, close },
    zone53: (...argv) => zone53(own, argv),
  };
}

/** Waits until something has started, and adds its end to the list of what is to be closed. */
async function endedWith<One>(
  closing: (() => unknown)[],
  starting: Promise<One>,
  end: (one: One) => unknown,
): Promise<One> {
  const one = await starting;
  closing.push(() => end(one));
  return one;
}

function configurationOf(hostedZoneId: string) {
  return {
    clusterId: 'deployed',
    roots: [{ zone: 'example.org.', namespaces: ['default'] }],
    hostedZones: [{ zone: 'example.org.', id: hostedZoneId }],
  };
}

/** The configuration of this cluster, and of one that does not answer. */
function ofTwo(
  { clusterId, roots, ...rest }: ReturnType<typeof configurationOf>,
  { access, events }: { readonly access?: object; readonly events?: object },
) {
  const dead = { ...access, endpoint: 'https://127.0.0.1:9' };
  const keysOf = (own?: object) => ({ roots, ...(own !== undefined && { access: own }), ...(events && { events }) });
  return { clusters: { dead: keysOf(access && dead), [clusterId]: keysOf(access) }, ...rest };
}

function configuration(
  engine: KubernetesEngine,
  hostedZoneId: string,
  tokenSecret: string,
  besideDead: boolean,
): string {
  const certificateAuthority = Buffer.from(engine.ca).toString('base64');
  const access = { endpoint: engine.url, certificateAuthority, tokenSecret };
  const events = { webhook: { front: 'url' }, validate: true, bus: true, drift: true };
  const own = configurationOf(hostedZoneId);
  return stringify({
    ...(besideDead ? ofTwo(own, { access, events }) : { ...own, access, events }),
    aws: { region: REGION, account: '111122223333' },
  });
}

/** The one Zone of these suites. */
export const ZONE: Manifest = {
  kind: 'Zone',
  name: 'example-org',
  spec: { domainName: 'example.org.', delegations: [{ records: [{ pattern: '*' }] }] },
};

/** An A record in that Zone. */
export function addressRecord(name: string, rdata: string): Manifest {
  return { kind: 'Record', name, spec: { domainName: `${name}.example.org.`, type: 'A', ttl: 60, rdata } };
}

/**
 * The address that Route 53 has for a name. It is read without a call, because calls count against the budget that the
 * functions share.
 */
export function standing({ local, hostedZoneId }: DeployedWorld, name: string): string | undefined {
  const sets = local.state.recordSetsAt(hostedZoneId, `${name}.example.org.`);
  return sets.find(({ type }) => type === 'A')?.values[0];
}

/**
 * How long a test waits. On a busy machine the first start of a function takes seconds; the message and the lease of a
 * killed run last 40 s.
 */
const WAIT_MS_MAX = 150_000;

/** Asks again and again until it is true; throws after WAIT_MS_MAX. */
export async function inTime(isTrue: () => Promise<boolean> | boolean): Promise<void> {
  const deadline = performance.now() + WAIT_MS_MAX;
  while (!(await isTrue())) {
    if (performance.now() > deadline) throw new Error(`it did not come true within ${WAIT_MS_MAX / 1_000} s`);
    await sleep(100);
  }
}

/** Waits until the name has this address; `undefined`: until it has none. */
export function stands(world: DeployedWorld, name: string, value: string | undefined): Promise<void> {
  return withTrouble(world, () => standing(world, name) === value);
}

/** Waits until the status of the object says that it is published. */
export function published(world: DeployedWorld, what: string): Promise<void> {
  return withTrouble(world, async () => {
    const { status } = await read(world.engine, what);
    return status?.conditions.find(({ type }) => type === 'Programmed')?.reason === 'Published';
  });
}

/**
 * Waits until it is true. If that took over a minute, prints how long, and the warnings and errors of the functions: a
 * message that failed comes back late.
 */
export async function withTrouble(world: DeployedWorld, isTrue: () => Promise<boolean> | boolean): Promise<void> {
  const beganMs = performance.now();
  try {
    await inTime(isTrue);
  } finally {
    const tookSeconds = (performance.now() - beganMs) / 1_000;
    const trouble = logLines(world).filter(({ level }) => level === 'WARN' || level === 'ERROR');
    if (tookSeconds > 60)
      console.log(`waited ${tookSeconds.toFixed(0)} s; ${JSON.stringify(trouble.slice(-20), null, 1)}`);
  }
}

/** The number of messages of a queue, those in flight included. */
export async function waiting({ sqs }: DeployedWorld, queueUrl: string): Promise<number> {
  const command = new GetQueueAttributesCommand({ QueueUrl: queueUrl, AttributeNames: ['All'] });
  const { Attributes = {} } = await sqs.send(command);
  const { ApproximateNumberOfMessages, ApproximateNumberOfMessagesNotVisible } = Attributes;
  return Number(ApproximateNumberOfMessages) + Number(ApproximateNumberOfMessagesNotVisible);
}

/** How many messages of a queue are not to be delivered yet: a report that comes again when a transition has stood. */
export async function delayedIn({ sqs }: DeployedWorld, queueUrl: string): Promise<number> {
  const name = 'ApproximateNumberOfMessagesDelayed';
  const { Attributes = {} } = await sqs.send(
    new GetQueueAttributesCommand({ QueueUrl: queueUrl, AttributeNames: [name] }),
  );
  return Number(Attributes[name]);
}

/** All lines that the functions have logged. */
export function logLines({ deployment }: DeployedWorld): readonly Record<string, unknown>[] {
  const texts = Object.values(deployment.functions).flatMap(({ output }) =>
    output.join('').split('\n').filter(Boolean),
  );
  return texts.map((text) => JSON.parse(text) as Record<string, unknown>);
}
