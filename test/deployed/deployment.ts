// Does with the CDK app's template what CloudFormation would do, as far as moto and the doubles allow: it makes the
// queues in SQS with their attributes and dead-letter queues, the sender's secret, and each function with its
// environment, its event source and the outputs of the stack. All settings of a function come from the template; this
// file has none.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { CreateSecretCommand, type SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { CreateQueueCommand, type SQSClient } from '@aws-sdk/client-sqs';
import { App } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { FUNCTION_ENVIRONMENT, type FunctionName } from '../../functions/runtime/environment.ts';
import { addStacks } from '../../infra/stacks.ts';
import type { EventSourceOptions } from './event-source-mapping.ts';
import { type LambdaFunction, lambdaFunction } from './lambda-process.ts';

export type Deployment = {
  readonly functions: Readonly<Record<FunctionName, LambdaFunction>>;
  readonly queues: Readonly<
    Record<'hints' | 'publish' | 'reports' | 'hintsDead' | 'publishDead' | 'reportsDead', string>
  >;
  readonly mappings: readonly Mapping[];
  /** In the form of `cdk deploy --outputs-file`. */
  readonly outputs: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** What the schedule of each task sends. */
  readonly schedules: Readonly<Record<'sweep' | 'measure', unknown>>;
  close(): void;
};

export type DeploymentOptions = {
  /** The text of a `zone53.yaml`. */
  readonly source: string;
  readonly bundles: string;
  readonly table: string;
  readonly s3Url: string;
  readonly sqs: SQSClient;
  readonly secrets: SecretsManagerClient;
  readonly senderSecret: string;
  readonly doorSecret: string;
  /** Variables with endpoints and credentials, for every function. */
  readonly environment: Readonly<Record<string, string>>;
  /** The URL of the function ingest. `doorUrl` is that of validate. */
  readonly url: string;
  readonly doorUrl: string;
  /** Lower than in AWS, so that the messages of a killed function come back while a test waits. */
  readonly visibilitySeconds: number;
  /** Lower than in AWS, where it takes an hour and a half until SQS gives a message up. */
  readonly receivesMax: number;
};

/** What the template says of an event source mapping. */
type Mapping = Pick<EventSourceOptions, 'queueUrl' | 'batchSize' | 'windowSeconds' | 'pollers'> & {
  readonly name: FunctionName;
};

/** How many batches of one event source run at the same time. The test machine has few cores. */
const POLLERS_MAX = 2;

type Resource = { readonly Type: string; readonly Properties: Record<string, unknown> };

/** Deploys the stack of a `zone53.yaml`. */
export async function deploy(options: DeploymentOptions): Promise<Deployment> {
  const app = new App({ outdir: path.join(options.bundles, '..', 'cdk.out') });
  const { home } = addStacks(app, options.source, 'zone53.yaml', options.bundles);
  const { directory } = app.synth();
  const template = Template.fromStack(home).toJSON();
  const resources = template.Resources as Record<string, Resource>;
  const refs = await makeResources(resources, options);
  const found = Object.entries(resources).filter(([, { Type }]) => Type === 'AWS::Lambda::Function');
  const names = new Map<string, FunctionName>();
  const functions = Object.fromEntries(
    found.map(([id, { Properties }]) => {
      const { Variables } = Properties.Environment as { Variables: Record<string, unknown> };
      const own = Object.fromEntries(
        Object.entries(Variables).map(([name, value]) => [name, String(fill(value, refs))]),
      );
      const name = nameOf(id, Object.keys(own));
      names.set(id, name);
      // The asset that CDK would upload: the bundle and the files beside it.
      const { S3Key } = Properties.Code as { S3Key: string };
      const folder = path.join(directory, `asset.${path.parse(S3Key).name}`);
      const bundle = path.join(folder, 'index.mjs');
      const environment = { ...options.environment, AWS_LAMBDA_FUNCTION_NAME: name, ...own };
      const sizes = { timeoutMs: Number(Properties.Timeout) * 1_000, memoryMb: Number(Properties.MemorySize) };
      return [name, lambdaFunction({ bundle, environment, ...sizes })];
    }),
  ) as unknown as Deployment['functions'];
  await writeConfiguration(resources, functions.configure, refs);
  const queue = (name: string) =>
    refs.get(Object.keys(resources).find((id) => new RegExp(`Queues${name}[0-9A-F]{8}$`).test(id)) ?? '') ?? '';
  return {
    functions,
    queues: {
      hints: queue('Hints'),
      publish: queue('Publish'),
      reports: queue('Reports'),
      hintsDead: queue('HintsDead'),
      publishDead: queue('PublishDead'),
      reportsDead: queue('ReportsDead'),
    },
    mappings: mappingsOf(resources, names, refs),
    outputs: { [home.stackName]: outputsOf(template.Outputs as Record<string, { Value: unknown }>, refs) },
    schedules: schedulesOf(resources),
    close: () => {
      for (const one of Object.values(functions)) one.close();
    },
  };
}

/** The function with this id in the template, which must have exactly its variables. */
function nameOf(id: string, variables: readonly string[]): FunctionName {
  const word = /([A-Z][a-z]+)[0-9A-F]{8}$/.exec(id)?.[1]?.toLowerCase() ?? '';
  const expected = [...(FUNCTION_ENVIRONMENT[word as FunctionName] ?? [])].toSorted().join();
  const ours = variables.filter((name) => name.startsWith('ZONE53_')).toSorted();
  if (expected !== ours.join()) throw new Error(`Function ${id} has the variables ${ours.join()}, not ${expected}`);
  return word as FunctionName;
}

async function makeResources(
  resources: Record<string, Resource>,
  options: DeploymentOptions,
): Promise<Map<string, string>> {
  const refs = new Map([
    ['AWS::Region', 'eu-west-1'],
    ['AWS::Partition', 'aws'],
    ['AWS::AccountId', '111122223333'],
  ]);
  const queues = Object.entries(resources).filter(([, { Type }]) => Type === 'AWS::SQS::Queue');
  // Dead-letter queues first: the other queues refer to them.
  const ordered = queues.toSorted(
    ([, a], [, b]) => Number('RedrivePolicy' in a.Properties) - Number('RedrivePolicy' in b.Properties),
  );
  for (const [id, { Properties }] of ordered) refs.set(id, await makeQueue(id, Properties, refs, options));
  for (const [id, { Type }] of Object.entries(resources)) {
    if (Type === 'AWS::DynamoDB::Table') refs.set(id, options.table);
    if (Type === 'AWS::S3::Bucket') refs.set(id, await makeBucket(id, options.s3Url));
    if (Type === 'AWS::Lambda::Url')
      refs.set(`${id}.FunctionUrl`, id.includes('Validate') ? options.doorUrl : options.url);
    if (Type !== 'AWS::SecretsManager::Secret') continue;
    const command = new CreateSecretCommand({
      Name: id,
      SecretString: id.includes('Validate') ? options.doorSecret : options.senderSecret,
    });
    refs.set(id, (await options.secrets.send(command)).ARN ?? '');
  }
  return refs;
}

/** What CloudFormation does with the custom resource of the configuration. Throws an Error with what it would print. */
async function writeConfiguration(
  resources: Record<string, Resource>,
  configure: LambdaFunction,
  refs: ReadonlyMap<string, string>,
): Promise<void> {
  const [id, written] = Object.entries(resources).find(([, { Type }]) => Type === 'Custom::Zone53Configuration') ?? [];
  let told = (_: string) => {};
  const answered = new Promise<string>((resolve) => {
    told = resolve;
  });
  const server = createServer((request, response) => {
    text(request).then(told, told);
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await configure.invoke({
    ...{ RequestType: 'Create', ResponseURL: `http://127.0.0.1:${port}/answer` },
    ...{ StackId: 'stack', RequestId: 'request', LogicalResourceId: id },
    ResourceProperties: fill(written?.Properties, refs),
  });
  const { Status, Reason } = JSON.parse(await answered);
  server.close();
  if (Status !== 'SUCCESS') throw new Error(Reason);
}

/** Makes a bucket that keeps versions. */
async function makeBucket(id: string, url: string): Promise<string> {
  const name = id.toLowerCase();
  const versioning = '<VersioningConfiguration><Status>Enabled</Status></VersioningConfiguration>';
  for (const [path, body] of [
    ['', `<CreateBucketConfiguration><LocationConstraint>eu-west-1</LocationConstraint></CreateBucketConfiguration>`],
    ['?versioning', versioning],
  ]) {
    const { ok, status } = await fetch(`${url}/${name}${path}`, { method: 'PUT', body: body ?? '' });
    if (!ok) throw new Error(`Cannot make bucket ${name}: ${status}`);
  }
  return name;
}

async function makeQueue(
  id: string,
  properties: Resource['Properties'],
  refs: Map<string, string>,
  options: DeploymentOptions,
) {
  const fifo = properties.FifoQueue === true;
  const written = fill(properties.RedrivePolicy, refs) as object | undefined;
  const redrive = written === undefined ? undefined : { ...written, maxReceiveCount: options.receivesMax };
  const Attributes: Record<string, string> = {
    VisibilityTimeout: String(options.visibilitySeconds),
    MessageRetentionPeriod: String(properties.MessageRetentionPeriod),
    ...(fifo ? { FifoQueue: 'true' } : {}),
    ...(redrive === undefined ? {} : { RedrivePolicy: JSON.stringify(redrive) }),
  };
  const { QueueUrl = '' } = await options.sqs.send(
    new CreateQueueCommand({ QueueName: `${id}${fifo ? '.fifo' : ''}`, Attributes }),
  );
  refs.set(`${id}.Arn`, `arn:aws:sqs:eu-west-1:123456789012:${QueueUrl.split('/').at(-1)}`);
  return QueueUrl;
}

function mappingsOf(
  resources: Record<string, Resource>,
  names: ReadonlyMap<string, FunctionName>,
  refs: ReadonlyMap<string, string>,
): readonly Mapping[] {
  const found = Object.values(resources).filter(({ Type }) => Type === 'AWS::Lambda::EventSourceMapping');
  return found.map(({ Properties }) => {
    const source = (Properties.EventSourceArn as { 'Fn::GetAtt': string[] })['Fn::GetAtt'][0] ?? '';
    const { MaximumConcurrency } = Properties.ScalingConfig as { MaximumConcurrency: number };
    return {
      name: names.get((Properties.FunctionName as { Ref: string }).Ref) as FunctionName,
      queueUrl: refs.get(source) ?? '',
      batchSize: Number(Properties.BatchSize),
      windowSeconds: Number(Properties.MaximumBatchingWindowInSeconds ?? 0),
      pollers: Math.min(POLLERS_MAX, MaximumConcurrency),
    };
  });
}

function outputsOf(
  outputs: Record<string, { Value: unknown }>,
  refs: ReadonlyMap<string, string>,
): Record<string, string> {
  return Object.fromEntries(Object.entries(outputs).map(([key, { Value }]) => [key, String(fill(Value, refs))]));
}

function schedulesOf(resources: Record<string, Resource>): Deployment['schedules'] {
  const inputs = Object.values(resources)
    .filter(({ Type }) => Type === 'AWS::Scheduler::Schedule')
    .map(({ Properties }) => JSON.parse((Properties.Target as { Input: string }).Input) as { zone53: string });
  return Object.fromEntries(inputs.map((input) => [input.zone53, input])) as Deployment['schedules'];
}

/** A value of the template, with its references replaced by what they refer to. */
function fill(value: unknown, refs: ReadonlyMap<string, string>): unknown {
  if (Array.isArray(value)) return value.map((one) => fill(one, refs));
  if (typeof value !== 'object' || value === null) return value;
  const { Ref, 'Fn::GetAtt': attribute, 'Fn::Join': join } = value as Record<string, unknown>;
  if (typeof Ref === 'string') return refs.get(Ref) ?? `ref:${Ref}`;
  if (Array.isArray(attribute))
    return refs.get(attribute.join('.')) ?? `arn:aws:iam::111122223333:role/${String(attribute[0])}`;
  if (Array.isArray(join)) return (fill(join[1], refs) as string[]).join(String(join[0]));
  return Object.fromEntries(Object.entries(value).map(([key, of]) => [key, fill(of, refs)]));
}
