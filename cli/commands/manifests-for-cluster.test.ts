// The command with the outputs of the example's own template, whose names are CDK's: a renamed output is found here.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { App } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { FUNCTION_ENVIRONMENT } from '../../functions/runtime/environment.ts';
import { addStacks } from '../../infra/stacks.ts';
import { clusterSecret } from '../../lib/adapters/aws/cluster-secret.ts';
import { emptyBundles } from '../../test/support/empty-bundles.ts';
import { plainPaint } from '../print/terminal-text.ts';
import { runProgram } from '../program.ts';
import type { KubernetesObject } from '../setup/cluster-manifests.ts';

const URL = 'https://abc.lambda-url.eu-west-1.on.aws/';
const DOOR = 'https://def.lambda-url.eu-west-1.on.aws/';
const SECRET_ARN = 'arn:aws:secretsmanager:eu-west-1:111122223333:secret:s-AbCdEf';
const ROLES = ['reconcile', 'report', 'sweep', 'poll'].map((name) => `arn:aws:iam::111122223333:role/${name}`);
const VALIDATE_SECRET_ARN = 'arn:aws:secretsmanager:eu-west-1:111122223333:secret:v-AbCdEf';
const VALIDATE_ROLE = 'arn:aws:iam::111122223333:role/validate';
const INTENTS_ROLE = 'arn:aws:iam::111122223333:role/intents';

let folder: string;
let outputs: string;
const file = (name: string, text: string) => {
  const at = path.join(folder, name);
  writeFileSync(at, text);
  return at;
};

beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'zone53-manifests-'));
  outputs = file('outputs.json', JSON.stringify({ Zone53: exampleOutputs(), Zone53Drift: {} }));
}, 120_000);
afterAll(() => rmSync(folder, { recursive: true }));

let keys: readonly string[] | null = null;

/** The outputs that CloudFormation would have for the example, by the template's own names. */
function exampleOutputs(): Record<string, string> {
  keys ??= outputKeys();
  return Object.fromEntries(keys.map((key) => [key, outputValue(key)]));
}

function outputKeys(more = ''): readonly string[] {
  const example = readFileSync(path.join(import.meta.dirname, '..', '..', 'examples', 'aws', 'zone53.yaml'), 'utf8');
  const source = `${example.replace('webhook: { front: url }', 'webhook: { front: url }, validate: true')}${more}`;
  const { home } = addStacks(new App(), source, 'zone53.yaml', emptyBundles(Object.keys(FUNCTION_ENVIRONMENT)));
  return Object.keys(Template.fromStack(home).toJSON().Outputs as object);
}

function outputValue(key: string): string {
  if (key.includes('WebhookUrl')) return URL;
  if (key.includes('ValidateUrl')) return DOOR;
  if (key.includes('validateRole')) return VALIDATE_ROLE;
  if (key.includes('IntentApiRole')) return INTENTS_ROLE;
  if (key.includes('SenderSecretArn')) return SECRET_ARN;
  if (key.includes('ValidateSecretArn')) return VALIDATE_SECRET_ARN;
  if (key.includes('EksCluster')) return 'prod';
  return ROLES.find((role) => key.includes(`${role.split('/')[1]}Role`)) ?? 'some value';
}

async function run(argv: readonly string[], answer?: string) {
  const [out, err]: [string[], string[]] = [[], []];
  const applied: { context: string; objects: readonly KubernetesObject[]; force: boolean }[] = [];
  const asked: string[] = [];
  const never = () => Promise.reject(new Error('no such use case here'));
  const code = await runProgram(
    ['manifests-for-cluster', ...argv],
    {
      write: (text) => out.push(text),
      writeError: (text) => err.push(text),
      paint: plainPaint,
      paintError: plainPaint,
      fit: (text) => text,
      fitError: (text) => text,
      columns: () => null,
      isTerminal: false,
      showsProgress: false,
      ask: answer === undefined ? null : async () => answer,
      untilStopped: () => new AbortController().signal,
    },
    {
      render: never,
      plan: never,
      apply: never,
      local: never,
      template: never,
      importHostedZone: never,
      importZoneFile: never,
      explain: never,
      migrate: never,
      forget: never,
      history: never,
      console: never,
      consoleOfLocal: never,
      clusters: never,
      standby: never,
      retire: never,
      rebuilt: never,
      checkLedger: never,
      doctor: never,
      applyObjects: async (context, objects, force) => void applied.push({ context, objects, force }),
      readSenderSecret: async (arn) => {
        asked.push(arn);
        return arn === VALIDATE_SECRET_ARN ? 'the-doors-secret' : 'the-secret';
      },
    },
  );
  return { code, out: out.join(''), err: err.join(''), applied, asked };
}

const documents = (text: string) => parseAllDocuments(text).map((document) => document.toJS());

describe('zone53 manifests-for-cluster', () => {
  it('prints roles, bindings and webhook configurations of a deployed stack, as kubectl takes them', async () => {
    const { code, out, asked } = await run(['--outputs', outputs]);
    expect(code).toBe(0);
    expect(asked).toEqual([SECRET_ARN, VALIDATE_SECRET_ARN]);
    const objects = documents(out);
    expect(objects.map(({ kind, metadata }) => `${kind} ${metadata.name}`)).toEqual([
      'ClusterRole zone53',
      'ClusterRoleBinding zone53',
      'ClusterRole zone53-validate',
      'ClusterRoleBinding zone53-validate',
      'ValidatingWebhookConfiguration zone53',
      'ValidatingWebhookConfiguration zone53-validate',
    ]);
    const [, binding, , , webhook, door] = objects;
    expect(binding.subjects).toEqual([{ apiGroup: 'rbac.authorization.k8s.io', kind: 'Group', name: 'zone53' }]);
    expect(door.webhooks[0].clientConfig).toEqual({ url: `${DOOR}admission/the-doors-secret` });
    expect(door.webhooks[0].failurePolicy).toBe('Ignore');
    expect(webhook.webhooks[0].clientConfig).toEqual({ url: `${URL}admission/the-secret` });
    expect(webhook.webhooks[0].failurePolicy).toBe('Ignore');
  });

  it('prints the same as one List in JSON', async () => {
    const { out } = await run(['--outputs', outputs, '-o', 'json']);
    const list = JSON.parse(out);
    expect(list).toMatchObject({ apiVersion: 'v1', kind: 'List' });
    expect(list.items).toHaveLength(6);
  });

  it('reads outputs with a byte order mark', async () => {
    const marked = file('marked.json', `\uFEFF${JSON.stringify({ Zone53: exampleOutputs(), Zone53Drift: {} })}`);
    expect((await run(['--outputs', marked])).code).toBe(0);
  });

  it('takes the secret from a file, the certificate authority of an address of its own, and another subject', async () => {
    const pem = '-----BEGIN CERTIFICATE-----\nAA==\n-----END CERTIFICATE-----\n';
    const argv = ['--url', 'https://hints.example.org', '--secret-file', file('secret', ' from-a-file\n')];
    const { out, asked } = await run([...argv, '--ca-file', file('ca', pem), '--subject', 'ServiceAccount:dns:zone53']);
    const [, binding, webhook] = documents(out);
    expect(asked).toEqual([]);
    expect(webhook.webhooks[0].clientConfig).toEqual({
      url: 'https://hints.example.org/admission/from-a-file',
      caBundle: Buffer.from(pem).toString('base64'),
    });
    expect(binding.subjects).toEqual([{ apiGroup: '', kind: 'ServiceAccount', name: 'zone53', namespace: 'dns' }]);
    const own = await run([...argv, '--validate-url', 'https://door.example.org', '--subject', 'User:zone53']);
    const urls = documents(own.out).flatMap(({ webhooks = [] }) => webhooks[0]?.clientConfig.url ?? []);
    expect(urls).toEqual([
      'https://hints.example.org/admission/from-a-file',
      'https://door.example.org/admission/from-a-file',
    ]);
    // One identity has the whole role: nobody is bound to the lesser one.
    const ofTheDoor = await run([
      '--outputs',
      outputs,
      '--url',
      'https://a.example',
      ...argv.slice(2),
      '--ca-file',
      file('ca', pem),
    ]);
    const authorities = documents(ofTheDoor.out).flatMap(({ webhooks = [] }) =>
      webhooks.map(({ clientConfig }: { clientConfig: object }) => 'caBundle' in clientConfig),
    );
    expect(authorities, 'AWS itself needs none').toEqual([true, false]);
    const roles = documents(own.out).filter(({ kind }) => kind === 'ClusterRole');
    expect(roles.map(({ metadata }) => metadata.name)).toEqual(['zone53']);
  });

  it.each([
    ['few kinds, and not kube-system', '{}', false, ['NotIn', ['kube-system']]],
    ['all kinds', '{ kinds: all }', true, ['NotIn', ['kube-system']]],
    ['the namespaces of the configuration', '{ namespaces: [team, apps] }', false, ['In', ['apps', 'team']]],
  ])('the webhook tells of %s', async (_title, webhook, pods, [operator, values]) => {
    const config = file('events.yaml', `sources: { services: {} }\nevents: { webhook: ${webhook} }\n`);
    const { out } = await run(['--outputs', outputs, '--config', config]);
    const { webhooks } = documents(out).find(
      ({ kind, metadata }) => kind.startsWith('Val') && metadata.name === 'zone53',
    );
    const sources = webhooks.find(({ name }: { name: string }) => name === 'sources.zone53.dev');
    expect(JSON.stringify(sources.rules).includes('pods')).toBe(pods);
    expect(sources.namespaceSelector.matchExpressions).toEqual([expect.objectContaining({ operator, values })]);
  });

  it('prints the kubeconfig of an audit webhook', async () => {
    const [config] = documents((await run(['--outputs', outputs, '--print', 'audit-kubeconfig'])).out);
    expect(config.clusters[0].cluster).toEqual({ server: `${URL}audit` });
    expect(config.users[0].user).toEqual({ token: 'the-secret' });
  });

  it('prints an audit policy for the kinds that are on', async () => {
    const [policy] = documents((await run(['--print', 'audit-policy', '--source', 'ingresses'])).out);
    expect(policy).toMatchObject({ apiVersion: 'audit.k8s.io/v1', kind: 'Policy' });
    expect(policy.rules[1].resources).toContainEqual({
      group: 'networking.k8s.io',
      resources: ['ingresses', 'ingresses/status'],
    });
  });

  it('prints the access entries as commands, and as the input of the API, without reading the secret', async () => {
    const { out, asked } = await run(['--outputs', outputs, '--print', 'access-entries']);
    expect(asked).toEqual([]);
    expect(out.trim().split('\n')).toEqual(
      [...ROLES.map((role) => [role, 'zone53']), [VALIDATE_ROLE, 'zone53-validate']].map(
        ([role, group]) =>
          `aws eks create-access-entry --cluster-name prod --principal-arn ${role} --kubernetes-groups ${group} --type STANDARD`,
      ),
    );
    const json = await run(['--outputs', outputs, '--print', 'access-entries', '-o', 'json']);
    expect(JSON.parse(json.out)).toHaveLength(5);
  });

  it('prints the access entry of the intent API, if the stack has one', async () => {
    const values = Object.fromEntries(outputKeys('\nintents: {}\n').map((key) => [key, outputValue(key)]));
    const stack = file('intents.json', JSON.stringify({ Zone53: values }));
    const { out } = await run(['--outputs', stack, '--print', 'access-entries', '-o', 'json']);
    const entries = JSON.parse(out) as { principalArn: string; kubernetesGroups: string[] }[];
    expect(entries).toHaveLength(6);
    expect(entries.at(-1)).toMatchObject({ principalArn: INTENTS_ROLE, kubernetesGroups: ['zone53-intents'] });
  }, 120_000);

  it('reads what the AWS CLI prints of a stack', async () => {
    const Outputs = Object.entries(exampleOutputs()).map(([OutputKey, OutputValue]) => ({ OutputKey, OutputValue }));
    const described = file('described.json', JSON.stringify({ Stacks: [{ StackName: 'Zone53', Outputs }] }));
    expect((await run(['--outputs', described])).out).toContain(`${URL}admission/the-secret`);
  });

  it('without a function URL it prints only RBAC, and says why', async () => {
    const bare = Object.entries(exampleOutputs()).filter(([key]) => !/WebhookUrl|SenderSecretArn|alidate/.test(key));
    const { code, out, err } = await run([
      '--outputs',
      file('bare.json', JSON.stringify({ S: Object.fromEntries(bare) })),
    ]);
    expect(code).toBe(0);
    expect(documents(out).map(({ kind }) => kind)).toEqual(['ClusterRole', 'ClusterRoleBinding']);
    expect(err).toContain('no webhook configuration: the stack has no function URL with a secret');
    expect((await run([])).err).toContain('no webhook configuration: --outputs is not given, and --url is not given');
  });

  it.each<[string, string[], RegExp]>([
    [
      'a file that does not exist',
      ['--outputs', 'missing.json'],
      /Cannot read stack outputs from missing.json: there is no such file/,
    ],
    ['a URL without a secret', ['--url', 'https://a.example'], /--url needs --secret-file/],
    ['a verdict URL without a hints URL', ['--validate-url', 'https://a.example'], /--validate-url also needs/],
    ['plain http', ['--url', 'http://a.example', '--secret-file', 's'], /Write an https address/],
    ['an invalid subject', ['--subject', 'alice'], /Write Group:NAME, User:NAME/],
    ['access entries without the outputs of a stack', ['--print', 'access-entries'], /Access entries need --outputs/],
    ['an audit webhook without a URL', ['--print', 'audit-kubeconfig'], /no URL to send audit events to/],
    ['a question without a terminal', ['--context', 'prod'], /pass --yes/],
    ['--yes without anything to apply', ['--yes'], /need --context NAME/],
    ['--force-conflicts without anything to apply', ['--force-conflicts'], /need --context NAME/],
    [
      'a missing secret',
      ['--url', 'https://a.example', '--secret-file', 'nosuch'],
      /from nosuch: there is no such file/,
    ],
    [
      'a missing authority',
      ['--url', 'https://a.example', '--secret-file', 'package.json', '--ca-file', 'nosuch'],
      /--ca-file nosuch: there is no such file/,
    ],
    ['a kubeconfig that is to be applied', ['--context', 'prod', '--print', 'audit-kubeconfig'], /leave --print out/],
  ])('%s: a message, and exit code 1', async (_title, argv, message) => {
    const { code, err, applied } = await run(argv);
    expect(code).toBe(1);
    expect(err).toMatch(message);
    expect(applied).toEqual([]);
  });

  it('gives each cluster of a configuration with `clusters` an address and a secret of its own', async () => {
    const access = 'access: { eks: kube-us, endpoint: "https://us.example", certificateAuthority: TFMw }';
    const config = file('fleet.yaml', `clusters: { eu: { roots: [] }, us: { ${access}, sources: { services: {} } } }`);
    const shared = Object.fromEntries(Object.entries(exampleOutputs()).filter(([key]) => !key.includes('EksCluster')));
    const of = [
      '--outputs',
      file('fleet.json', JSON.stringify({ Zone53: shared })),
      '--config',
      config,
      '--cluster',
      'us',
    ];
    const { out } = await run([...of, '-o', 'json']);
    const urls = JSON.parse(out).items.flatMap((one: { webhooks?: { clientConfig: { url: string } }[] }) =>
      (one.webhooks ?? []).map(({ clientConfig }) => clientConfig.url),
    );
    const hints = `${URL}clusters/us/admission/${clusterSecret('the-secret', 'us')}`;
    expect(urls).toEqual([hints, hints, `${DOOR}clusters/us/admission/${clusterSecret('the-doors-secret', 'us')}`]);
    const audit = JSON.parse((await run([...of, '--print', 'audit-kubeconfig', '-o', 'json'])).out);
    expect(audit.clusters[0].cluster.server).toBe(`${URL}clusters/us/audit`);
    expect(audit.users[0].user.token).toBe(clusterSecret('the-secret', 'us'));
    expect((await run([...of, '--print', 'access-entries'])).out).toContain('--cluster-name kube-us ');
    expect((await run(of.slice(0, 4))).err).toContain('there are 2 clusters: choose one with --cluster');
  });

  it('lists the stacks to choose from, and uses the named one', async () => {
    const two = file('two.json', JSON.stringify({ One: exampleOutputs(), Two: exampleOutputs() }));
    expect((await run(['--outputs', two])).err).toContain('choose one with --stack: One, Two');
    expect((await run(['--outputs', two, '--stack', 'Three'])).err).toContain('it has One, Two');
    expect((await run(['--outputs', two, '--stack', 'Two'])).code).toBe(0);
    const again = Object.fromEntries(
      Object.entries(exampleOutputs()).map(([key, value]) => [key.replace(/^Zone53/, 'Other'), value]),
    );
    const both = file('both.json', JSON.stringify({ S: { ...exampleOutputs(), ...again } }));
    expect((await run(['--outputs', both])).err).toContain('S/Zone53, S/Other');
  });

  it('applies to a context after asking, and only then', async () => {
    const no = await run(['--outputs', outputs, '--context', 'prod'], 'n');
    expect(no).toMatchObject({ code: 1, applied: [] });
    const yes = await run(['--outputs', outputs, '--context', 'prod'], 'y');
    expect(yes.code).toBe(0);
    expect(yes.applied).toMatchObject([{ context: 'prod', force: false }]);
    expect(yes.applied[0]?.objects.map(({ metadata }) => metadata.name)).toEqual([
      'zone53',
      'zone53',
      'zone53-validate',
      'zone53-validate',
      'zone53',
      'zone53-validate',
    ]);
    expect(`${yes.out}${yes.err}`).not.toContain('the-secret');
    const unasked = await run(['--outputs', outputs, '--context', 'prod', '--yes', '--force-conflicts']);
    expect(unasked.applied).toMatchObject([{ force: true }]);
  });
});
