// The template of examples/aws/zone53.yaml with every function, synthesized once for the tests of a file.
// cdk-nag runs over the same synth.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { App, Validations } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { AwsSolutionsChecks } from 'cdk-nag';
import { beforeAll } from 'vitest';
import { FUNCTION_ENVIRONMENT, type FunctionName } from '../../functions/runtime/environment.ts';
import { addStacks } from '../../infra/stacks.ts';
import { emptyBundles } from './empty-bundles.ts';

export const NAMES = Object.keys(FUNCTION_ENVIRONMENT) as FunctionName[];
const EXAMPLE = readFileSync(path.join(import.meta.dirname, '..', '..', 'examples', 'aws', 'zone53.yaml'), 'utf8');
const SOURCE = `${EXAMPLE.replace('webhook: {', 'validate: true, webhook: {').replace('eu-west-1 }', 'eu-west-1, trustConditions: true }')}\nintents: {}\n`;

export type Resource = {
  readonly Type: string;
  readonly Properties: Record<string, unknown>;
  readonly DeletionPolicy?: string;
};

const DESCRIPTIONS: Readonly<Record<FunctionName, string>> = {
  ingest: 'turns events',
  reconcile: 'observes',
  publish: 'publishes',
  report: 'writes status',
  sweep: 'compares',
  poll: 'asks the API server',
  validate: 'refuses writes',
  intents: 'keeps DNS Update Records',
  configure: 'writes the configuration',
};

/** A value of the template with its references as texts: the ARN of resource X is `arn:X`, its Ref `ref:X`. */
export function resolved(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(resolved);
  if (typeof value !== 'object' || value === null) return value;
  const { Ref, 'Fn::GetAtt': attribute, 'Fn::Join': join } = value as Record<string, unknown>;
  if (Ref === 'AWS::Partition') return 'aws';
  if (typeof Ref === 'string') return `ref:${Ref}`;
  if (Array.isArray(attribute)) return `arn:${String(attribute[0])}`;
  if (Array.isArray(join)) return (resolved(join[1]) as string[]).join(String(join[0]));
  return Object.fromEntries(Object.entries(value).map(([key, of]) => [key, resolved(of)]));
}

/** Synthesizes before the tests of the file that calls it, and finds resources in the template. */
export function exampleTemplate() {
  const bundles = emptyBundles(NAMES);
  let template: Template;
  let resources: Record<string, Resource>;
  let drift: Template;
  let findings: string;

  beforeAll(() => {
    const app = new App({ context: { '@aws-cdk/aws-iam:minimizePolicies': true } });
    const { home } = addStacks(app, SOURCE, 'zone53.yaml', bundles);
    Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
    const assembly = app.synth();
    findings = readFileSync(path.join(assembly.directory, 'validation-report.json'), 'utf8');
    template = Template.fromStack(home);
    resources = template.toJSON().Resources as Record<string, Resource>;
    drift = Template.fromJSON(assembly.getStackByName('Zone53Drift').template as Record<string, unknown>);
  }, 120_000);

  const ofType = (type: string) => Object.entries(resources).filter(([, { Type }]) => Type === type);

  /** The function's resource. */
  function functionOf(name: FunctionName): [string, Resource] {
    return ofType('AWS::Lambda::Function').find(([, { Properties }]) =>
      String(Properties.Description).startsWith(DESCRIPTIONS[name]),
    ) as [string, Resource];
  }

  /** All statements of a function's role. */
  function statementsOf(name: FunctionName): Record<string, unknown>[] {
    const role = (functionOf(name)[1].Properties.Role as { 'Fn::GetAtt': string[] })['Fn::GetAtt'][0];
    return ofType('AWS::IAM::Policy')
      .filter(([, { Properties }]) => (Properties.Roles as { Ref: string }[]).some(({ Ref }) => Ref === role))
      .flatMap(
        ([, { Properties }]) =>
          resolved((Properties.PolicyDocument as { Statement: unknown }).Statement) as Record<string, unknown>[],
      );
  }

  function idOf(type: string, text: string): string {
    const found = ofType(type).filter(([id]) => new RegExp(`^Zone53${text}[0-9A-F]{8}$`).test(id));
    if (found.length !== 1) throw new Error(`${found.length} resources of type ${type} with ${text}`);
    return found[0]?.[0] as string;
  }
  return {
    bundles,
    ofType,
    functionOf,
    statementsOf,
    idOf,
    get template() {
      return template;
    },
    get resources() {
      return resources;
    },
    get drift() {
      return drift;
    },
    get findings() {
      return findings;
    },
  };
}
