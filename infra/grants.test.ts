// Every grant is used: an action of a function's role is either Lambda's own, for the queue that feeds the function and
// for what failed for good, or a command of the SDK that stands in that function's bundle.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { App, Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FUNCTION_ENVIRONMENT, type FunctionName } from '../functions/runtime/environment.ts';
import { buildFunctions } from './build-functions.ts';
import { addStacks } from './stacks.ts';

const NAMES = Object.keys(FUNCTION_ENVIRONMENT) as FunctionName[];
const EXAMPLE = readFileSync(path.join(import.meta.dirname, '..', 'examples', 'aws', 'zone53.yaml'), 'utf8');

/** What Lambda does with a function's role by itself. */
const OF_A_QUEUE = ['sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:GetQueueUrl', 'sqs:GetQueueAttributes'];
const OF_A_FAILURE = ['sqs:SendMessage', 'sqs:GetQueueUrl', 'sqs:GetQueueAttributes'];
const OF_THE_LOG = ['logs:CreateLogStream', 'logs:PutLogEvents'];
const LAMBDAS_OWN: Readonly<Record<FunctionName, readonly string[]>> = {
  ingest: [...OF_THE_LOG, ...OF_A_FAILURE],
  reconcile: [...OF_THE_LOG, ...OF_A_QUEUE],
  publish: [...OF_THE_LOG, ...OF_A_QUEUE],
  report: [...OF_THE_LOG, ...OF_A_QUEUE],
  sweep: [...OF_THE_LOG, ...OF_A_FAILURE],
  poll: OF_THE_LOG,
  validate: OF_THE_LOG,
  intents: OF_THE_LOG,
  configure: OF_THE_LOG,
};
/** The SDK's command where it has another name. */
const COMMANDS: Readonly<Record<string, string>> = {
  SendMessage: 'SendMessageBatch',
  ChangeMessageVisibility: 'ChangeMessageVisibilityBatch',
  PartiQLInsert: 'BatchExecuteStatement',
  PartiQLUpdate: 'BatchExecuteStatement',
  PartiQLDelete: 'BatchExecuteStatement',
};

/** Requests of lib/adapters/aws that are no commands of the SDK, by a text that only they have. */
const REQUESTS: Readonly<Record<string, string>> = {
  DescribeCluster: '/clusters/',
  GetObject: 'if-none-match',
  GetObjectVersion: 'versionId:',
  PutObject: '"PUT"',
};

type Resource = { readonly Type: string; readonly Properties: Record<string, unknown> };

let bundles: string;
let resources: readonly [string, Resource][];

beforeAll(async () => {
  bundles = mkdtempSync(path.join(tmpdir(), 'zone53-grants-'));
  await buildFunctions(bundles);
  const everything = `${EXAMPLE.replace('webhook: {', 'validate: true, webhook: {')}\nintents: {}\nhealthChecks: { max: 5 }\naccounts: { dns: { role: 'arn:aws:iam::111122223333:role/dns', intents: true } }\n`;
  const { home } = addStacks(new App(), everything, 'zone53.yaml', bundles);
  resources = Object.entries(Template.fromStack(home).toJSON().Resources as Record<string, Resource>);
}, 120_000);
afterAll(() => rmSync(bundles, { recursive: true }));

/** Allowed actions of a function's role, as often as they are granted. */
function actionsOf(name: FunctionName): readonly string[] {
  const roleId = resources.find(
    ([id, { Type }]) => Type === 'AWS::IAM::Role' && id.toLowerCase().startsWith(`zone53${name}role`),
  )?.[0];
  const policies = resources.filter(
    ([, { Type, Properties }]) =>
      Type === 'AWS::IAM::Policy' && (Properties.Roles as { Ref: string }[]).some(({ Ref }) => Ref === roleId),
  );
  const statements = policies.flatMap(
    ([, { Properties }]) =>
      (Properties.PolicyDocument as { Statement: { Effect: string; Action: string | string[] }[] }).Statement,
  );
  return statements.filter(({ Effect }) => Effect === 'Allow').flatMap(({ Action }) => Action);
}

/** The text of all modules of a function's bundle. */
function textOf(name: FunctionName): string {
  const folder = path.join(bundles, name);
  const modules = readdirSync(folder).filter((file) => file.endsWith('.mjs'));
  return modules.map((file) => readFileSync(path.join(folder, file), 'utf8')).join('\n');
}

/**
 * Whether a call is in a bundle: a command of the SDK, whose class is `command(endpoint, middleware, "Query", schema)`,
 * or a request that lib/adapters/aws makes by itself.
 */
const hasCommand = (bundle: string, call: string) =>
  [`,"${call}",`, `Action:"${call}"`, REQUESTS[call] ?? 'no such text'].some((text) => bundle.includes(text));

describe('every grant is used', () => {
  it.each(NAMES)('%s', (name) => {
    const bundle = textOf(name);
    const actions = actionsOf(name);
    expect(actions.length).toBeGreaterThan(2);
    const idle = actions.filter((action) => {
      const [, call = ''] = action.split(':');
      return !LAMBDAS_OWN[name].includes(action) && !hasCommand(bundle, COMMANDS[call] ?? call);
    });
    expect(idle).toEqual([]);
  });

  it('the check sees a grant that nobody uses', () => {
    const bundle = textOf('report');
    const found = ['ChangeResourceRecordSets', 'Query'].filter((call) => hasCommand(bundle, call));
    expect(found).toEqual(['Query']);
  });

  it('every function that consumes a queue, and no other, has the rights of a consumer', () => {
    const consumers = NAMES.filter((name) => actionsOf(name).includes('sqs:ReceiveMessage'));
    expect(consumers).toEqual(['reconcile', 'publish', 'report']);
  });
});

it('a ledger that exists already is used and not made', () => {
  const { home } = addStacks(new App(), EXAMPLE.replace('aws: {', 'aws: { table: Restored.1,'), 'zone53.yaml', bundles);
  const made = Template.fromStack(home);
  made.resourceCountIs('AWS::DynamoDB::Table', 0);
  const tables = Object.values(made.findResources('AWS::Lambda::Function')).flatMap(
    ({ Properties }) => Properties.Environment.Variables.ZONE53_TABLE ?? [],
  );
  expect(tables).toEqual(Array.from({ length: 6 }, () => 'Restored.1'));
  expect(JSON.stringify(made.findResources('AWS::IAM::Policy'))).toContain(':table/Restored.1');
});

it('two clusters in one account have stacks of their own', () => {
  const app = new App();
  for (const stack of ['ProdEu', 'ProdUs'])
    addStacks(app, EXAMPLE.replace('aws: {', `aws: { stack: ${stack},`), 'zone53.yaml', bundles);
  const names = app.node.children.filter((child) => child instanceof Stack).map((child) => child.node.id);
  expect(names).toEqual(['ProdEu', 'ProdEuDrift', 'ProdUs', 'ProdUsDrift']);
});
