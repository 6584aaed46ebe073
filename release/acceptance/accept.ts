// One acceptance run: walks docs/deploy.md ("Without CDK") in a sandbox account, with a real hosted zone and cluster,
// measures, and removes everything. Each step looks at what is there already, so a run that was killed is continued by
// the next one, or removed by `--destroy`.
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  ChangeResourceRecordSetsCommand,
  GetHostedZoneCommand,
  ListHostedZonesByNameCommand,
  ListResourceRecordSetsCommand,
  type ResourceRecordSet,
  Route53Client,
} from '@aws-sdk/client-route-53';
import { stringify } from 'yaml';
import { type Account, getSigned, openAccount } from '../../cli/account/doctor/signed-request.ts';
import { buildFunctions } from '../../infra/build-functions.ts';
import { systemClock } from '../../lib/adapters/system/system-time.ts';
import { zip } from '../archive.ts';
import {
  accessOf,
  applyCrds,
  checkUnused,
  cleanCluster,
  deleteObjects,
  deleteWebhook,
  dig,
  kubectl,
  leftInCluster,
  NAMESPACE,
  type Shell,
  zone53,
} from './cluster.ts';
import {
  complaintsOf,
  createStack,
  deleteRemainders,
  deleteStack,
  EMULATOR,
  failuresOf,
  invoke,
  leftInAws,
  makeBucket,
  putObject,
  readStack,
  STACK,
} from './stack.ts';

export type Options = {
  /** A public hosted zone of the account, which serves nothing that matters. */
  readonly zone: string;
  /** The EKS cluster, and the context of kubectl for it. */
  readonly eks: string;
  readonly context: string;
  readonly region: string | null;
  /** A name server to ask in place of those of the hosted zone: `HOST#PORT`. */
  readonly nameServer: string | null;
};

/** What a step took, and what it measured. */
export type Measured = { readonly step: string; readonly seconds: number; readonly figure: string };
export type Say = (line: string) => void;

type Place = {
  readonly account: Account;
  readonly route53: Route53Client;
  readonly accountId: string;
  readonly hostedZone: { readonly id: string; readonly name: string; readonly nameServers: readonly string[] };
  /** The bucket with the code. */
  readonly bucket: string;
};

const MINUTE_MS = 60_000;
const STACK_MS_MAX = 8 * MINUTE_MS;
/** A change comes by the webhook in a second, and by the poll within a minute. */
const ANSWER_MS_MAX = 2.5 * MINUTE_MS;
const EDITS = 5;
const TTL_SECONDS = 60;
const CODE_PREFIX = 'zone53/';

const nameOf = ({ hostedZone }: Pick<Place, 'hostedZone'>) => `zone53-acceptance.${hostedZone.name}`;

async function openPlace({ zone, eks, region, nameServer }: Options): Promise<Place> {
  const account = await openAccount(region, systemClock);
  const described = await getSigned(account, 'eks', `/clusters/${encodeURIComponent(eks)}`);
  if (described.status !== 200)
    throw new Error(`Cannot find EKS cluster ${eks}: ${described.status} ${described.text}`);
  const accountId: string = JSON.parse(described.text).cluster.arn.split(':')[4];
  const route53 = new Route53Client({ region: account.region });
  const name = `${zone.toLowerCase().replace(/\.$/, '')}.`;
  const { HostedZones = [] } = await route53.send(new ListHostedZonesByNameCommand({ DNSName: name }));
  const [found, ...others] = HostedZones.filter((one) => one.Name === name && one.Config?.PrivateZone !== true);
  if (found?.Id === undefined || others.length > 0)
    throw new Error(`The account has ${found === undefined ? 'no' : 'several'} public hosted zones named ${name}`);
  const { DelegationSet } = await route53.send(new GetHostedZoneCommand({ Id: found.Id }));
  const nameServers = nameServer === null ? (DelegationSet?.NameServers ?? []) : [nameServer];
  const hostedZone = { id: found.Id.replace('/hostedzone/', ''), name, nameServers };
  return { account, route53, accountId, hostedZone, bucket: `zone53-acceptance-${accountId}-${account.region}` };
}

/** Looks for what a run needs. Throws an Error that says what is missing; nothing was made then. */
export async function checkPlace(options: Options): Promise<void> {
  await openPlace(options);
  await checkUnused({ context: options.context, signal: null });
}

/** Asks until `isTrue`; throws an Error with `what` when the time is over. Returns the milliseconds that it took. */
async function until(isTrue: () => Promise<boolean>, what: string, msMax: number, signal: AbortSignal | null) {
  const begin = performance.now();
  while (!(await isTrue())) {
    if (performance.now() - begin > msMax) throw new Error(`${what}: not within ${msMax / 1_000} s`);
    await sleep(EMULATOR === null ? 250 : 50, undefined, signal === null ? {} : { signal });
  }
  return performance.now() - begin;
}

/** Until every name server answers with this text, or with nothing. */
function answers(place: Place, text: string, signal: AbortSignal | null): Promise<number> {
  const all = async () => (await dig(signal, place.hostedZone.nameServers, nameOf(place))).every((one) => one === text);
  return until(all, `${nameOf(place)} TXT "${text}"`, ANSWER_MS_MAX, signal);
}

const inSeconds = (ms: number) => `${(ms / 1_000).toFixed(1)} s`;

function objects({ hostedZone }: Place, text: string): string {
  const about = (name: string) => ({ apiVersion: 'kubi.zone/v1alpha1', metadata: { name, namespace: NAMESPACE } });
  const delegations = [{ namespaces: [NAMESPACE], records: [{ pattern: 'zone53-acceptance' }] }];
  const spec = { domainName: `zone53-acceptance.${hostedZone.name}`, type: 'TXT', ttl: TTL_SECONDS, rdata: text };
  return [
    { ...about('acceptance'), kind: 'Zone', spec: { domainName: hostedZone.name, delegations } },
    { ...about('acceptance'), kind: 'Record', spec },
  ]
    .map((one) => JSON.stringify(one))
    .join('\n---\n');
}

/** Walks all steps. `say` is told of each. Throws an Error at the first one that fails; nothing is removed then. */
export async function accept(options: Options, say: Say, signal: AbortSignal): Promise<readonly Measured[]> {
  const shell: Shell = { context: options.context, signal };
  const measured: Measured[] = [];
  const step = async <T>(name: string, work: () => Promise<T>, figureOf: (result: T) => string = () => '') => {
    signal.throwIfAborted();
    say(name);
    const begin = performance.now();
    const result = await work();
    measured.push({ step: name, seconds: (performance.now() - begin) / 1_000, figure: figureOf(result) });
    return result;
  };
  const folder = mkdtempSync(path.join(tmpdir(), 'zone53-acceptance-'));
  const file = (name: string, text: string) => {
    writeFileSync(path.join(folder, name), text);
    return path.join(folder, name);
  };
  try {
    const place = await openPlace(options);
    const { account, bucket } = place;
    const configuration = file('zone53.yaml', stringify(await configurationOf(place, options, shell)));
    await step('the functions into a bucket', () => upload(place, path.join(folder, 'bundles')));
    const template = path.join(folder, 'template.yaml');
    await step('zone53 template --config zone53.yaml', () =>
      zone53(shell, 'template', '--config', configuration, '-o', template),
    );
    const outputs = await step(
      'aws cloudformation deploy',
      async () => {
        await putObject(account, bucket, 'template.yaml', readFileSync(template));
        return deployStack(place, signal);
      },
      (made) => `${Object.keys(made).length} outputs`,
    );
    await step('kubectl apply of the CRDs', () => applyCrds(shell));
    const described = { Stacks: [{ StackName: STACK, Outputs: outputsOf(outputs) }] };
    await step('zone53 manifests-for-cluster', () =>
      zone53(
        ...([shell, 'manifests-for-cluster', '--outputs', file('outputs.json', JSON.stringify(described))] as const),
        ...['--context', options.context, '--yes', ...emulatedUrl(outputs)],
      ),
    );
    const change = async (text: string) => {
      await kubectl(shell, ['apply', '-f', '-'], objects(place, text));
      return answers(place, text, signal);
    };
    await step('the first record, until every name server has it', () => change('first'), inSeconds);
    await step(
      `${EDITS} edits by the webhook, each until every name server has it`,
      async () => {
        const all: number[] = [];
        for (let edit = 1; edit <= EDITS; edit += 1) all.push(await change(`edit-${edit}`));
        return all.toSorted((a, b) => a - b);
      },
      (all) => `median ${inSeconds(all[EDITS >> 1] ?? 0)}, most ${inSeconds(all.at(-1) ?? 0)}`,
    );
    await step(
      'an edit by the poll, without the webhook',
      async () => {
        await deleteWebhook(shell);
        // The first poll of a cluster only notes where it is: the first sweep reads everything.
        await invoke(account, 'Poll');
        await kubectl(shell, ['apply', '-f', '-'], objects(place, 'polled'));
        // An emulator need not be waited for.
        if (EMULATOR !== null) await invoke(account, 'Poll');
        return answers(place, 'polled', signal);
      },
      inSeconds,
    );
    const table = outputsOf(outputs).find(({ OutputKey }) => /Table[0-9A-F]{8}$/.test(OutputKey))?.OutputValue ?? '';
    const inTable = ['--table', table, '--context', options.context, '--config', configuration];
    await step('zone53 plan --table', () => zone53(shell, 'plan', ...inTable, '--detailed-exitcode'));
    // An emulator has another API server than the one that its EKS describes.
    if (EMULATOR === null)
      await step('zone53 doctor', () =>
        zone53(shell, 'doctor', '--config', configuration, '--context', options.context, '--stack', STACK),
      );
    await step(
      'kubectl delete of the record, until no name server has it',
      async () => {
        await kubectl(shell, ['delete', 'record', 'acceptance', '-n', NAMESPACE]);
        if (EMULATOR !== null) await invoke(account, 'Poll');
        return answers(place, '', signal);
      },
      inSeconds,
    );
    return measured;
  } catch (error) {
    if (!signal.aborted) for (const line of await complaintsOf((await openPlace(options)).account)) say(line);
    throw error;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function configurationOf({ account, accountId, hostedZone }: Place, { eks }: Options, shell: Shell) {
  return {
    clusterId: 'acceptance',
    // The SOA of the hosted zone stays as it is.
    soa: 'never',
    roots: [{ zone: hostedZone.name, namespaces: [NAMESPACE] }],
    hostedZones: [{ zone: hostedZone.name, id: hostedZone.id }],
    access: { eks, ...(await accessOf(shell)) },
    events: { webhook: { front: 'url' } },
    aws: {
      ...{ region: account.region, account: accountId, keepLogs: false },
      // A new account has not enough executions to reserve any.
      reservedConcurrency: { ingest: 0, sweep: 0 },
    },
  };
}

async function upload({ account, bucket }: Place, bundles: string): Promise<void> {
  await buildFunctions(bundles);
  await makeBucket(account, bucket);
  for (const name of readdirSync(bundles)) {
    const folder = path.join(bundles, name);
    const files = readdirSync(folder).map((one) => ({ name: one, bytes: readFileSync(path.join(folder, one)) }));
    await putObject(account, bucket, `${CODE_PREFIX}${name}.zip`, zip(files));
  }
}

/** Makes the stack, or waits for the one that is being made. One that failed is deleted first. */
async function deployStack({ account, bucket }: Place, signal: AbortSignal) {
  const begun = await readStack(account);
  if (begun !== null && !/^CREATE_(IN_PROGRESS|COMPLETE)$/.test(begun.status)) await removeStack(account, signal);
  if ((await readStack(account)) === null) {
    const host = EMULATOR === null ? `https://s3.${account.region}.amazonaws.com` : EMULATOR;
    const url = `${host}/${bucket}/template.yaml`;
    await createStack(account, url, { CodeBucket: bucket, CodePrefix: CODE_PREFIX });
  }
  let outputs = {};
  const isMade = async () => {
    const stack = await readStack(account);
    if (stack?.status === 'CREATE_IN_PROGRESS') return false;
    if (stack?.status !== 'CREATE_COMPLETE')
      throw new Error(`Stack ${STACK} is ${stack?.status ?? 'gone'}:\n${await failuresOf(account)}`);
    outputs = stack.outputs;
    return true;
  };
  await until(isMade, `stack ${STACK}`, STACK_MS_MAX, signal);
  return outputs as Readonly<Record<string, string>>;
}

async function removeStack(account: Account, signal: AbortSignal | null): Promise<void> {
  await deleteStack(account);
  const isGone = async () => {
    const stack = await readStack(account);
    if (stack?.status === 'DELETE_FAILED') throw new Error(`Stack ${STACK}:\n${await failuresOf(account)}`);
    return stack === null;
  };
  await until(isGone, `the end of stack ${STACK}`, STACK_MS_MAX, signal);
}

function outputsOf(outputs: Readonly<Record<string, string>>) {
  return Object.entries(outputs).map(([OutputKey, OutputValue]) => ({ OutputKey, OutputValue }));
}

/** On AWS a function URL has a host name of its own; an emulator serves it below a path. */
function emulatedUrl(outputs: Readonly<Record<string, string>>): readonly string[] {
  const url = Object.entries(outputs).find(([key]) => key.includes('WebhookUrl'))?.[1];
  if (EMULATOR === null || url === undefined) return [];
  const at = `${EMULATOR}/_aws/lambda-url/${new URL(url).hostname.split('.')[0]}/`;
  return ['--url', at, ...(process.env.NODE_EXTRA_CA_CERTS ? ['--ca-file', process.env.NODE_EXTRA_CA_CERTS] : [])];
}

/** Removes what runs have made, in whatever state they ended. Returns what could not be removed, for people. */
export async function removeAll(options: Options, say: Say): Promise<readonly string[]> {
  const shell: Shell = { context: options.context, signal: null };
  const place = await openPlace(options);
  const { account, bucket } = place;
  const problems: string[] = [];
  const step = async (name: string, work: () => Promise<unknown>) => {
    say(name);
    await work().catch((error: Error) => problems.push(`${name}: ${error.message}`));
  };
  await step('remove the objects', () => deleteObjects(shell));
  if ((await readStack(account))?.status === 'CREATE_COMPLETE')
    await step('wait until the functions have removed the record', () =>
      until(async () => (await recordSets(place)).length === 0, nameOf(place), ANSWER_MS_MAX / 5, null).catch(() => {}),
    );
  await step('aws cloudformation delete-stack', async () => {
    if ((await readStack(account)) !== null) await removeStack(account, null);
  });
  await step('remove the record', () => deleteRecordSets(place));
  await step('remove the table, the buckets and the logs', () => deleteRemainders(account, bucket));
  await step('remove the CRDs and the manifests', () => cleanCluster(shell));
  return [
    ...problems,
    ...(await leftInAws(account, bucket)),
    ...(await leftInCluster(shell)),
    ...(await recordSets(place)).map(({ Name, Type }) => `record set ${Name} ${Type}`),
  ];
}

async function recordSets(place: Place): Promise<readonly ResourceRecordSet[]> {
  const StartRecordName = nameOf(place);
  const asked = { HostedZoneId: place.hostedZone.id, StartRecordName, MaxItems: 10 };
  const { ResourceRecordSets = [] } = await place.route53.send(new ListResourceRecordSetsCommand(asked));
  return ResourceRecordSets.filter(({ Name }) => Name === StartRecordName);
}

async function deleteRecordSets(place: Place): Promise<void> {
  const Changes = (await recordSets(place)).map((ResourceRecordSet) => ({
    Action: 'DELETE' as const,
    ResourceRecordSet,
  }));
  if (Changes.length === 0) return;
  const asked = { HostedZoneId: place.hostedZone.id, ChangeBatch: { Changes } };
  await place.route53.send(new ChangeResourceRecordSetsCommand(asked));
}
