// A deployment as `cdk deploy` makes it, by the CloudFormation of another project: MiniStack takes the template
// unmodified, enforces the policies of the roles and runs the bundles. The API server is a real one, which asks
// MiniStack's EKS for the user of a token. Route 53 is our double. The tests type what an operator types
// (docs/deploy.md).
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { CreateHostedZoneCommand, Route53Client } from '@aws-sdk/client-route-53';
import { stringify } from 'yaml';
import { buildFunctions } from '../../infra/build-functions.ts';
import { openLocalRoute53 } from '../../local/route53/api/open-local-route53.ts';
import type { EngineName } from '../engines/engines.ts';
import { applyCrds, succeed } from '../engines/kubernetes/apply.ts';
import { type KubernetesEngine, startKubernetes } from '../engines/kubernetes/start.ts';
import { ACCOUNT, type MiniStack, REGION, startMiniStack } from '../engines/ministack/start.ts';
import { GARDENER_CRDS } from '../support/gardener/crds.ts';
import { type CommandPlace, type Ran, zone53 } from '../support/zone53-command.ts';
import { deployTemplate } from './deploy-template.ts';

export const CLOUDFORMATION_ENGINES: readonly EngineName[] = ['ministack', 'kube-apiserver', 'etcd'];
export const CLUSTER = 'prod';
/** The namespace of DNSRecords and their Secrets. */
export const SEED_NAMESPACE = 'shoot--foo--bar';

const ROOT = path.join(import.meta.dirname, '..', '..');
/** The CRDs that docs/deploy.md tells an operator to apply. `manifests-for-cluster` makes the rest of crds/. */
const TYPES = ['zones', 'records'].flatMap((name) => ['-f', path.join(ROOT, 'crds', `${name}.yaml`)]);
const run = promisify(execFile);

export type CloudFormationWorld = {
  readonly engine: KubernetesEngine;
  readonly ministack: MiniStack;
  readonly local: Awaited<ReturnType<typeof openLocalRoute53>>;
  readonly route53: Route53Client;
  readonly hostedZoneId: string;
  /** The outputs of the stack. The keys of the template begin with `Zone53`; here that is left out. */
  readonly outputs: Readonly<Record<string, string>>;
  /** Runs `cdk …` with this world's zone53.yaml. Throws an Error with what it printed when it fails. */
  cdk(...argv: string[]): Promise<string>;
  /** Runs a zone53 command with the settings that an operator of this stack has. */
  zone53(...argv: string[]): Promise<Ran>;
  /**
   * Asks `isTrue` again and again until it is true. When the time is over, throws an Error with `what` and the warnings
   * and errors that the functions logged.
   */
  inTime(isTrue: () => Promise<boolean> | boolean, what: string): Promise<void>;
  close(): Promise<void>;
};

/**
 * How long a test waits. On a busy machine the first start of a function takes seconds, and a failed message comes back
 * late.
 */
const WAIT_MS_MAX = 90_000;

/** How the stack is deployed: by `cdk`, by the template of a release with parameters, or not yet. */
type Way = 'cdk' | 'parameters' | 'none';

/**
 * Starts everything and deploys the stack, and then what the cluster needs. Namespace `default` may publish
 * `example.org.`.
 */
export async function startCloudFormationWorld(way: Way = 'cdk'): Promise<CloudFormationWorld> {
  const folder = mkdtempSync(path.join(tmpdir(), 'zone53-cloudformation-'));
  const closing: (() => unknown)[] = [() => rmSync(folder, { recursive: true, force: true })];
  const close = async () => {
    for (const one of closing.splice(0).reverse()) await one();
  };
  try {
    return await start(way, folder, closing, close);
  } catch (error) {
    await close();
    throw error;
  }
}

async function start(
  way: Way,
  folder: string,
  closing: (() => unknown)[],
  close: () => Promise<void>,
): Promise<CloudFormationWorld> {
  const file = (name: string, text: string) => {
    writeFileSync(path.join(folder, name), text);
    return path.join(folder, name);
  };
  const local = await openLocalRoute53(path.join(folder, 'route53.json'), 0);
  closing.push(() => local.close());
  const credentials = { accessKeyId: 'test', secretAccessKey: 'test' };
  const route53 = new Route53Client({ endpoint: local.url, region: REGION, credentials });
  const made = await route53.send(new CreateHostedZoneCommand({ Name: 'example.org', CallerReference: 'test' }));
  const hostedZoneId = (made.HostedZone?.Id ?? '').replace('/hostedzone/', '');
  const ministack = await startMiniStack({ route53: local.url });
  closing.push(() => ministack.close());
  const engine = await startKubernetes({
    apiServerArgs: [
      `--authentication-token-webhook-config-file=${file('tokens.kubeconfig', ministack.tokenWebhook(CLUSTER))}`,
    ],
  });
  closing.push(() => engine.stop());
  await makeCluster(ministack);
  const configured = configurationOf(engine, hostedZoneId);
  const configuration = file('zone53.yaml', stringify(configured));
  const cdk = (...argv: string[]) => runCdk(ministack, folder, configuration, argv);
  const outputsFile = path.join(folder, 'outputs.json');
  if (way === 'cdk') {
    await buildFunctions(path.join(ROOT, 'dist', 'bundles'));
    await cdk('bootstrap', `aws://${ACCOUNT}/${REGION}`, `aws://${ACCOUNT}/us-east-1`);
    await cdk('deploy', '--all', '--require-approval', 'never', '--outputs-file', outputsFile);
  } else if (way === 'parameters') {
    const bundles = path.join(folder, 'bundles');
    await buildFunctions(bundles);
    const fit = { configuration: configured, hostedZoneId, cluster: CLUSTER };
    file('outputs.json', JSON.stringify({ Zone53: await deployTemplate(ministack, bundles, fit) }));
  }
  const outputs = way === 'none' ? {} : shortNames(JSON.parse(readFileSync(outputsFile, 'utf8')).Zone53);
  const place: CommandPlace = {
    ...{ folder, route53: local.url },
    env: { ...ministack.env, KUBECONFIG: engine.kubeconfig },
  };
  if (way !== 'none') await prepareCluster(engine, ministack, place, outputsFile, outputs);
  return {
    ...{ engine, ministack, local, route53, hostedZoneId, outputs, cdk, close },
    zone53: (...argv: string[]) => zone53(place, argv),
    inTime: async (isTrue: () => Promise<boolean> | boolean, what: string) => {
      const deadline = performance.now() + WAIT_MS_MAX;
      while (!(await isTrue())) {
        if (performance.now() > deadline) throw new Error(`${what}: waited in vain\n${await complaints(ministack)}`);
        await sleep(100);
      }
    },
  };
}

/** Applies the CRDs and the manifests, as docs/deploy.md says. */
async function prepareCluster(
  engine: KubernetesEngine,
  ministack: MiniStack,
  place: CommandPlace,
  outputsFile: string,
  outputs: Readonly<Record<string, string>>,
): Promise<void> {
  await applyCrds(engine, TYPES);
  await succeed(engine, ['apply', '--server-side', '-f', '-'], JSON.stringify(GARDENER_CRDS));
  await succeed(engine, ['create', 'namespace', SEED_NAMESPACE]);
  const applied = await zone53(place, [
    ...['manifests-for-cluster', '--outputs', outputsFile, '--context', 'admin', '--yes'],
    // On AWS a function URL has a host name of its own; here it is a path of MiniStack.
    ...['--url', localUrl(ministack, outputs.WebhookUrl)],
    ...(outputs.ValidateUrl === undefined ? [] : ['--validate-url', localUrl(ministack, outputs.ValidateUrl)]),
    ...['--ca-file', ministack.caFile],
  ]);
  if (applied.code !== 0) throw new Error(applied.err);
}

/**
 * Makes the EKS cluster in MiniStack, with our API server behind it, and the log group into which AWS writes its audit
 * log.
 */
async function makeCluster({ call }: MiniStack): Promise<void> {
  const trust = { Effect: 'Allow', Principal: { Service: 'eks.amazonaws.com' }, Action: 'sts:AssumeRole' };
  const AssumeRolePolicyDocument = JSON.stringify({ Version: '2012-10-17', Statement: [trust] });
  await call({
    service: 'iam',
    form: { Action: 'CreateRole', Version: '2010-05-08', RoleName: 'eks', AssumeRolePolicyDocument },
  });
  const roleArn = `arn:aws:iam::${ACCOUNT}:role/eks`;
  const accessConfig = { authenticationMode: 'API' };
  await call({
    service: 'eks',
    path: '/clusters',
    body: { name: CLUSTER, roleArn, resourcesVpcConfig: {}, accessConfig },
  });
  const logGroupName = `/aws/eks/${CLUSTER}/cluster`;
  await call({ service: 'logs', target: 'Logs_20140328.CreateLogGroup', body: { logGroupName } });
}

function configurationOf(engine: KubernetesEngine, hostedZoneId: string): object {
  const certificateAuthority = Buffer.from(engine.ca).toString('base64');
  return {
    clusterId: 'prod-eu',
    roots: [{ zone: 'example.org.', namespaces: ['default'] }],
    hostedZones: [{ zone: 'example.org.', id: hostedZoneId }],
    sources: { dnsRecords: { secretNamespaces: [SEED_NAMESPACE], requestsPerSecond: 20 } },
    access: { eks: CLUSTER, endpoint: engine.url, certificateAuthority },
    events: { auditLog: true, webhook: { front: 'url' }, validate: true, bus: true, drift: true },
    aws: { region: REGION, account: ACCOUNT },
  };
}

async function runCdk(ministack: MiniStack, folder: string, configuration: string, argv: readonly string[]) {
  const cdk = path.join(ROOT, 'node_modules', '.bin', 'cdk');
  const env = {
    ...ministack.env,
    PATH: `${path.dirname(process.execPath)}${path.delimiter}${process.env.PATH}`,
    HOME: folder,
    CI: 'true',
    CDK_DISABLE_CLI_TELEMETRY: 'true',
    // What `deploy` has validated is the same template for the rest.
    ...(argv[0] === 'deploy' ? {} : { CDK_VALIDATION: 'false' }),
  };
  const flags = ['-c', `config=${configuration}`, '--output', path.join(folder, 'cdk.out'), '--no-notices'];
  try {
    const { stdout } = await run(cdk, [...argv, ...flags], { cwd: ROOT, env, maxBuffer: 2 ** 26 });
    return stdout;
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string };
    throw new Error(`cdk ${argv.join(' ')}:\n${stdout}\n${stderr}\n${ministack.logTail()}`, { cause: error });
  }
}

/** The outputs with keys that lack the construct's name and CDK's eight hex digits. */
function shortNames(outputs: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(outputs).map(([key, value]) => [key.replace(/^Zone53/, '').replace(/[0-9A-F]{8}$/, ''), value]),
  );
}

function localUrl(ministack: MiniStack, url = ''): string {
  return `${ministack.url}/_aws/lambda-url/${new URL(url).hostname.split('.')[0]}/`;
}

/** The lines that the functions logged as WARN or ERROR; if there is none, the last lines of every level. */
async function complaints({ call, logTail }: MiniStack): Promise<string> {
  const groups = await call({ service: 'logs', target: 'Logs_20140328.DescribeLogGroups', body: {} });
  const names = (groups.logGroups as { logGroupName: string }[]).map(({ logGroupName }) => logGroupName);
  const lines: string[] = [];
  for (const logGroupName of names.filter((name) => !name.startsWith('/aws/eks'))) {
    const found = await call({ service: 'logs', target: 'Logs_20140328.FilterLogEvents', body: { logGroupName } });
    lines.push(...(found.events as { message: string }[]).map(({ message }) => message));
  }
  const bad = lines.filter((line) => /"level":"(WARN|ERROR)"/.test(line));
  return [...(bad.length > 0 ? bad : lines).slice(-30), logTail()].join('\n');
}
