// The role that another account needs: who may assume it, and what IAM decides about its requests. The outputs of the
// stack are those of its own template, whose names are CDK's.
import { rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { App } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { beforeEach, describe, expect, test } from 'vitest';
import { parse, stringify } from 'yaml';
import { FUNCTION_ENVIRONMENT } from '../../functions/runtime/environment.ts';
import { addStacks } from '../../infra/stacks.ts';
import { emptyBundles } from '../../test/support/empty-bundles.ts';
import { evaluatePolicy } from '../../test/support/evaluate-policy.ts';
import { runHere } from '../../test/support/run-here.ts';
import { testFolder } from '../../test/support/test-folder.ts';

const ACCOUNTS = {
  dns: { role: 'arn:aws:iam::222222222222:role/teams/zone53-publisher', externalId: 'ours', intents: true },
  shop: { role: 'arn:aws:iam::333333333333:role/zone53' },
  idle: { role: 'arn:aws:iam::444444444444:role/zone53' },
};
const HOSTED_ZONES = [
  { zone: 'own.example', id: 'ZOWN' },
  { zone: 'example.org', id: 'ZDNS', account: 'dns' },
  { zone: 'inner.example.org', id: 'ZINNER', account: 'dns' },
  { zone: 'shop.example', id: 'ZSHOP', account: 'shop' },
];
const CI = 'arn:aws:iam::111122223333:role/ci';

let folder: string;
beforeEach(() => {
  folder = testFolder();
});

function write(name: string, value: object): string {
  const file = path.join(folder, name);
  writeFileSync(file, stringify(value));
  return file;
}

const configured = (more: object = {}) =>
  write('zone53.yaml', { accounts: ACCOUNTS, hostedZones: HOSTED_ZONES, ...more });
const ask = (account: string, ...flags: readonly string[]) => runHere('manifests-for-account', account, ...flags);

// biome-ignore lint/suspicious/noExplicitAny: a template, which each test looks into
type Printed = any;

async function templateOf(account: string, ...flags: readonly string[]): Promise<Printed> {
  const { code, out, err } = await ask(account, '--config', configured(), '--operators', CI, ...flags);
  expect([code, err]).toEqual([0, '']);
  // CloudFormation takes no aliases of YAML.
  expect(out).not.toMatch(/[&*]a\d/);
  return parse(out);
}

function statementsOf({ Resources }: Printed): readonly object[] {
  const { Role, ...more } = Resources;
  const documents = [
    ...Role.Properties.Policies.map(({ PolicyDocument }: Printed) => PolicyDocument),
    ...Object.values(more).map(({ Properties }: Printed) => Properties.PolicyDocument),
  ];
  return documents.flatMap(({ Statement }) => Statement);
}

const change = (id: string, name: string, type: string, action = 'CREATE') => ({
  action: 'route53:ChangeResourceRecordSets',
  resource: `arn:aws:route53:::hostedzone/${id}`,
  context: {
    'route53:ChangeResourceRecordSetsNormalizedRecordNames': [name],
    'route53:ChangeResourceRecordSetsRecordTypes': [type],
    'route53:ChangeResourceRecordSetsActions': [action],
  },
});

test('the role has the name and the path of its ARN, and asks for the external id', async () => {
  const { Resources } = await templateOf('dns');
  const { RoleName, Path, AssumeRolePolicyDocument } = Resources.Role.Properties;
  expect([RoleName, Path]).toEqual(['zone53-publisher', '/teams/']);
  expect(AssumeRolePolicyDocument.Statement).toEqual([
    {
      Effect: 'Allow',
      Principal: { AWS: [CI] },
      Action: 'sts:AssumeRole',
      Condition: { StringEquals: { 'sts:ExternalId': 'ours' } },
    },
  ]);
  const other = await templateOf('shop');
  expect(other.Resources.Role.Properties.AssumeRolePolicyDocument.Statement[0]).not.toHaveProperty('Condition');
});

test.each([
  ['a record set', change('ZDNS', 'www.example.org', 'A'), 'allowed'],
  ['a delegation below the apex', change('ZDNS', 'sub.example.org', 'NS'), 'allowed'],
  ['the delegation to another hosted zone of the account', change('ZDNS', 'inner.example.org', 'NS'), 'allowed'],
  ['the NS of an apex', change('ZDNS', 'example.org', 'NS'), 'explicitly denied'],
  ['the DS of an apex', change('ZDNS', 'example.org', 'DS'), 'explicitly denied'],
  ['the NS of an inner apex', change('ZINNER', 'inner.example.org', 'NS'), 'explicitly denied'],
  ['the SOA', change('ZDNS', 'example.org', 'SOA', 'UPSERT'), 'allowed'],
  ['a delete of the SOA', change('ZDNS', 'example.org', 'SOA', 'DELETE'), 'explicitly denied'],
  ["another account's hosted zone", change('ZSHOP', 'www.shop.example', 'A'), 'not allowed'],
  ['a hosted zone that is not listed', change('ZOTHER', 'www.example.org', 'A'), 'not allowed'],
  [
    'to read a hosted zone',
    { action: 'route53:GetHostedZone', resource: 'arn:aws:route53:::hostedzone/ZDNS' },
    'allowed',
  ],
  ['to create one', { action: 'route53:CreateHostedZone', resource: '*' }, 'not allowed'],
  ['to list them', { action: 'route53:ListHostedZones', resource: '*' }, 'not allowed'],
  [
    'tags, for intents',
    { action: 'route53:ListTagsForResource', resource: 'arn:aws:route53:::hostedzone/ZDNS' },
    'allowed',
  ],
])('IAM decides over %s', async (_, request, decision) => {
  expect(evaluatePolicy(statementsOf(await templateOf('dns')), request)).toBe(decision);
});

test('without intents, the role may read no tags', async () => {
  const request = { action: 'route53:ListTagsForResource', resource: 'arn:aws:route53:::hostedzone/ZSHOP' };
  expect(evaluatePolicy(statementsOf(await templateOf('shop')), request)).toBe('not allowed');
});

test('with createHostedZones: all the role may create and write what is not listed, and the command says so', async () => {
  const config = configured({ createHostedZones: 'all' });
  const { code, out, err } = await ask('dns', '--config', config, '--operators', CI);
  expect(code).toBe(0);
  expect(err).toBe(
    'createHostedZones is all, so the role may create hosted zones in account dns, and write every hosted zone of it\n',
  );
  const statements = statementsOf(parse(out));
  expect(evaluatePolicy(statements, { action: 'route53:CreateHostedZone', resource: '*' })).toBe('allowed');
  expect(evaluatePolicy(statements, change('ZNEW', 'www.new.example.org', 'A'))).toBe('allowed');
  expect(evaluatePolicy(statements, change('ZDNS', 'example.org', 'NS'))).toBe('explicitly denied');
});

test('five hundred hosted zones fit into the policies that IAM takes', async () => {
  const hostedZones = Array.from({ length: 500 }, (_, index) => ({
    ...{ zone: `a-brand-of-the-company-${index}.example`, id: `Z${String(index).padStart(20, '0')}`, account: 'dns' },
  }));
  const config = configured({ hostedZones });
  const { out } = await ask('dns', '--config', config, '--operators', CI);
  const { Role, ...more } = parse(out).Resources;
  expect(JSON.stringify(Role.Properties.Policies[0].PolicyDocument).length).toBeLessThanOrEqual(10_240);
  expect(Object.keys(more).length).toBeLessThanOrEqual(20);
  for (const { Properties } of Object.values<Printed>(more))
    expect(JSON.stringify(Properties.PolicyDocument).length).toBeLessThanOrEqual(6_144);
});

describe('with the outputs of a stack', () => {
  /** The outputs of a stack with these further lines in its configuration, each with its own key as value. */
  const outputsOf = (more: object) => {
    const source = stringify({
      roots: [{ zone: 'own.example', namespaces: ['platform'] }],
      access: { eks: 'prod', endpoint: 'https://k8s.example', certificateAuthority: 'TFMw' },
      hostedZones: [HOSTED_ZONES[0]],
      aws: { region: 'eu-west-1', account: '111122223333' },
      ...more,
    });
    const bundles = emptyBundles(Object.keys(FUNCTION_ENVIRONMENT));
    const { home } = addStacks(new App(), source, 'zone53.yaml', bundles);
    const keys = Object.keys(Template.fromStack(home).toJSON().Outputs as object);
    rmSync(bundles, { recursive: true });
    const values = keys.map((key) => [key, `arn:aws:iam::111122223333:role/${key}`]);
    const file = path.join(folder, 'outputs.json');
    writeFileSync(file, JSON.stringify({ Zone53: Object.fromEntries(values) }));
    return file;
  };

  test('the functions that work in hosted zones may assume the role, and no others', async () => {
    const outputs = outputsOf({ accounts: ACCOUNTS, hostedZones: HOSTED_ZONES, intents: {} });
    const { code, out, err } = await ask('shop', '--config', configured(), '--outputs', outputs);
    expect([code, err]).toEqual([0, '']);
    const [{ Principal }] = parse(out).Resources.Role.Properties.AssumeRolePolicyDocument.Statement;
    const names = Principal.AWS.map((arn: string) => /(publish|reconcile|sweep|IntentApi)Role/.exec(arn)?.[1] ?? arn);
    expect(names).toEqual(['publish', 'reconcile', 'sweep', 'IntentApi']);
  }, 60_000);

  test('a stack that was deployed without accounts is refused', async () => {
    const { code, err } = await ask('shop', '--config', configured(), '--outputs', outputsOf({}));
    expect([code, err]).toEqual([1, expect.stringContaining('was deployed without accounts: deploy it first')]);
  }, 60_000);
});

test.each([
  ['an account that is not declared', ['shpo', '--operators', CI], 'it declares dns, shop, idle; did you mean shop?'],
  ['an account without hosted zones', ['idle', '--operators', CI], 'lists no hosted zone with account: idle'],
  ['nobody who may assume it', ['dns'], 'Nobody could assume the role'],
  ['everybody', ['dns', '--operators', '*'], 'Write the ARN of a role or user'],
  [
    'a session',
    ['dns', '--operators', 'arn:aws:sts::111122223333:assumed-role/ci/me'],
    'Write the ARN of a role or user',
  ],
])('%s is refused', async (_, argv, message) => {
  const { code, out, err } = await ask(argv[0] ?? '', '--config', configured(), ...argv.slice(1));
  expect([code, out]).toEqual([1, '']);
  expect(err).toContain(message);
});
