// The templates of those without CDK are what the construct makes: with a configuration, the same resources; with
// parameters, roles that may do nothing that the construct's may not.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { App, Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { Bucket } from 'aws-cdk-lib/aws-s3';
import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import { beforeAll, describe, expect, it, test } from 'vitest';
import { parse } from 'yaml';
import { emptyBundles } from '../test/support/empty-bundles.ts';
import { evaluatePolicy } from '../test/support/evaluate-policy.ts';
import { NAMES, type Resource, resolved } from '../test/support/example-template.ts';
import { CONTEXT, fittedTemplate, parameterTemplate } from './cloudformation-template.ts';
import type { AccessProps } from './cluster-access.ts';
import { addStacks } from './stacks.ts';
import { Zone53 } from './zone53.ts';

type Json = Readonly<Record<string, unknown>>;
type Parsed = {
  readonly Parameters: Readonly<Record<string, Json>>;
  readonly Conditions?: Json;
  readonly Resources: Readonly<Record<string, Resource & { readonly Condition?: string }>>;
  readonly Rules?: Json;
};

const ROOT = path.join(import.meta.dirname, '..');
const EXAMPLE = readFileSync(path.join(ROOT, 'examples', 'aws', 'zone53.yaml'), 'utf8');
const bundles = emptyBundles(NAMES);

/** As CloudFormation reads it. */
const yaml = (text: string) => parse(text, { version: '1.1' }) as Parsed;
const appHere = () => new App({ context: CONTEXT });

/** The resources with code of one place, whichever it is. */
function withoutCode(resources: Parsed['Resources']): Json {
  return Object.fromEntries(
    Object.entries(resources).map(([id, { Properties, ...rest }]) => {
      const { Metadata: _, ...kept } = rest as Json;
      const { Code: __, ...properties } = (Properties ?? {}) as Json;
      return [id, { ...kept, Properties: properties }];
    }),
  );
}

describe('the template that fits a configuration', () => {
  const everything = `${EXAMPLE.replace('webhook: {', 'validate: true, webhook: {')}\nintents: {}\naccounts: { dns: { role: 'arn:aws:iam::111122223333:role/dns', intents: true } }\n`;

  it.each([
    ['the example', EXAMPLE],
    ['every function', everything],
  ])('has the resources of cdk deploy: %s', (_title, source) => {
    const fitted = fittedTemplate(source, 'zone53.yaml');
    if (!fitted.ok) throw new Error(fitted.message);
    const app = appHere();
    const { home, drift } = addStacks(app, source, 'zone53.yaml', bundles);
    const ofCdk = (stack: Stack) => Template.fromStack(stack).toJSON() as Parsed;
    expect(withoutCode(yaml(fitted.home).Resources)).toEqual(withoutCode(ofCdk(home).Resources));
    expect(withoutCode(yaml(fitted.drift ?? '').Resources)).toEqual(withoutCode(ofCdk(drift as Stack).Resources));
  });

  it('says what is wrong with a configuration', () => {
    const fitted = fittedTemplate('roots: []\n', 'here.yaml');
    expect(fitted).toMatchObject({ ok: false, message: expect.stringContaining('Cannot deploy here.yaml:') });
  });

  it('has no second stack where drift is seen in its own region', () => {
    const source = EXAMPLE.replace('region: eu-west-1', 'region: us-east-1');
    expect(fittedTemplate(source, 'zone53.yaml')).toMatchObject({ ok: true, drift: null });
  });
});

test.each([
  ['fitted', () => (fittedTemplate(EXAMPLE, 'zone53.yaml') as { readonly home: string }).home],
  ['with parameters', parameterTemplate],
])('a template %s needs no bootstrap and no assets, and takes the zips of a release', (_title, make) => {
  const text = make();
  const { Parameters, Rules, Resources } = yaml(text);
  expect(text).not.toMatch(/cdk-|asset|CDKMetadata|BootstrapVersion/i);
  expect(Rules).toBeUndefined();
  expect(Parameters).toMatchObject({ CodeBucket: { Type: 'String' }, CodePrefix: { Default: '' } });
  const code = Object.values(Resources)
    .filter(({ Type }) => Type === 'AWS::Lambda::Function')
    .map(({ Properties }) => Properties.Code);
  const key = (name: string) => ({ 'Fn::Join': ['', [{ Ref: 'CodePrefix' }, `${name}.zip`]] });
  expect(code.length).toBeGreaterThanOrEqual(5);
  for (const one of code)
    expect(NAMES.map((name) => ({ S3Bucket: { Ref: 'CodeBucket' }, S3Key: key(name) }))).toContainEqual(one);
});

test('the template with parameters polls once a minute', () => {
  const resources = Object.entries(yaml(parameterTemplate()).Resources);
  const [poll] = resources.find(([id, { Type }]) => Type === 'AWS::Lambda::Function' && /Poll/.test(id)) ?? [];
  const schedules = resources.filter(([, { Type }]) => Type === 'AWS::Scheduler::Schedule');
  const target = { Arn: { 'Fn::GetAtt': [poll, 'Arn'] }, Input: '{"zone53":"poll"}' };
  expect(schedules.map(([, { Properties }]) => Properties)).toContainEqual(
    expect.objectContaining({ ScheduleExpression: 'rate(1 minute)', Target: expect.objectContaining(target) }),
  );
});

test('it is the same text each time', () => {
  expect(parameterTemplate()).toBe(parameterTemplate());
});

test('what the context of cdk.json changes is the same without the CDK command', () => {
  expect(CONTEXT).toEqual(JSON.parse(readFileSync(path.join(ROOT, 'cdk.json'), 'utf8')).context);
});

const ZONES = [
  { zone: 'example.org.', id: 'Z0123456789ABCDEFGHIJ' },
  { zone: 'shop.example.org.', id: 'Z1123456789ABCDEFGHIJ' },
  { zone: 'a_b.example.com.', id: 'Z2123456789ABCDEFGHIJ' },
];
const arnOf = (id: string) => `arn:aws:route53:::hostedzone/${id}`;
const TOKEN = 'arn:aws:secretsmanager:eu-west-1:111122223333:secret:token-AbCdEf';
const endpoint = 'https://k8s.example.org';

describe.each([
  ['an EKS cluster', { EksCluster: 'prod', TokenSecretArn: '' }],
  ['another cluster', { EksCluster: '', TokenSecretArn: TOKEN }],
])('the template with parameters, for %s', (_title, access) => {
  const parameters: Json = {
    ...access,
    CodeBucket: 'code',
    CodePrefix: '',
    ConfigurationBucket: 'configurations',
    ConfigurationKey: 'zone53.json',
    HostedZoneArns: ZONES.map(({ id }) => arnOf(id)),
    ApexNames: ['example.org', 'shop.example.org', 'a_b.example.com'],
    PageTopic: '',
    NotifyTopic: '',
    ReserveConcurrency: 'true',
    WebhookFront: 'url',
  };
  let template: Parsed;
  let construct: Parsed;

  beforeAll(() => {
    template = filledIn(yaml(parameterTemplate()), parameters);
    const stack = new Stack(appHere(), 'Zone53');
    new Zone53(stack, 'Zone53', {
      roots: [{ zone: 'example.org.' }],
      hostedZones: ZONES,
      access: accessOf(stack, access),
      configuration: { bucket: Bucket.fromBucketName(stack, 'Bucket', 'configurations'), key: 'zone53.json' },
      events: { webhook: { front: 'url' } },
      bundles,
    });
    construct = Template.fromStack(stack).toJSON() as Parsed;
  }, 60_000);

  function accessOf(stack: Stack, { EksCluster, TokenSecretArn }: typeof access): AccessProps {
    return EksCluster === ''
      ? { kind: 'token', endpoint, tokenSecret: Secret.fromSecretCompleteArn(stack, 'Token', TokenSecretArn) }
      : { kind: 'eks', clusterName: EksCluster, endpoint, certificateAuthority: 'TFMw' };
  }

  it('is told the value of each parameter by this test', () => {
    expect(Object.keys(parameters).toSorted()).toEqual(Object.keys(yaml(parameterTemplate()).Parameters).toSorted());
  });

  it('has roles that may do what those of the construct may, and nothing else', () => {
    const roles = rolesOf(construct);
    expect(roles.length).toBeGreaterThanOrEqual(6);
    expect(rolesOf(template)).toEqual(roles);
    for (const role of roles) expect(grants(template, role, 'Allow')).toEqual(grants(construct, role, 'Allow'));
  });

  it('trusts and admits the same services', () => {
    const others = ({ Resources }: Parsed) =>
      Object.entries(Resources)
        .filter(([, { Type }]) => /::(Role|Permission|QueuePolicy|BucketPolicy|AccessEntry|Url)$/.test(Type))
        .map(([id, { Type, Properties }]) => [id, Type, resolved(Properties)]);
    expect(others(template)).toEqual(others(construct));
  });

  it('denies every apex that the construct denies', () => {
    const role = rolesOf(construct).find((id) => id.startsWith('Zone53PublishRole')) as string;
    const decide = (where: Parsed, request: Parameters<typeof evaluatePolicy>[1]) =>
      evaluatePolicy(statementsOf(where, role), request);
    const names = ZONES.flatMap(({ zone }) => [zone.slice(0, -1), `www.${zone.slice(0, -1)}`]);
    let allowed = 0;
    for (const { id } of [...ZONES, { id: 'ZOTHER' }])
      for (const name of names)
        for (const type of ['A', 'NS', 'DS', 'SOA'])
          for (const action of ['CREATE', 'UPSERT', 'DELETE']) {
            const request = {
              action: 'route53:ChangeResourceRecordSets',
              resource: arnOf(id),
              context: {
                'route53:ChangeResourceRecordSetsNormalizedRecordNames': [name],
                'route53:ChangeResourceRecordSetsRecordTypes': [type],
                'route53:ChangeResourceRecordSetsActions': [action],
              },
            };
            const byTemplate = decide(template, request);
            if (byTemplate === 'allowed') {
              allowed += 1;
              expect({ ...request, decision: decide(construct, request) }).toMatchObject({ decision: 'allowed' });
            }
          }
    expect(allowed).toBeGreaterThan(50);
    const apex = { action: 'route53:ChangeResourceRecordSets', resource: arnOf(ZONES[0]?.id ?? '') };
    for (const type of ['NS', 'DS']) {
      const context = {
        'route53:ChangeResourceRecordSetsNormalizedRecordNames': ['example.org'],
        'route53:ChangeResourceRecordSetsRecordTypes': [type],
        'route53:ChangeResourceRecordSetsActions': ['UPSERT'],
      };
      expect(decide(template, { ...apex, context })).toBe('explicitly denied');
    }
  });
});

test('the parameters of the template choose what it has', () => {
  const base = yaml(parameterTemplate());
  const parameters: Record<string, unknown> = Object.fromEntries(
    Object.entries(base.Parameters).map(([name, { Default = 'given' }]) => [name, Default]),
  );
  const made = (change: Json) => filledIn(base, { ...parameters, ...change });
  const types = ({ Resources }: Parsed) => Object.values(Resources).map(({ Type }) => Type);
  const reserved = ({ Resources }: Parsed) =>
    Object.values(Resources).flatMap(({ Properties }) => Properties?.ReservedConcurrentExecutions ?? []);
  const actions = ({ Resources }: Parsed) =>
    Object.values(Resources).flatMap(({ Type, Properties }) =>
      Type === 'AWS::CloudWatch::Alarm' ? ((Properties.AlarmActions ?? []) as unknown[]) : [],
    );
  expect(types(made({ WebhookFront: 'url' }))).toContain('AWS::Lambda::Url');
  expect(types(made({ WebhookFront: 'none' }))).not.toContain('AWS::Lambda::Url');
  expect(types(made({ EksCluster: 'prod' })).filter((type) => type === 'AWS::EKS::AccessEntry')).toHaveLength(4);
  expect(types(made({ EksCluster: '' }))).not.toContain('AWS::EKS::AccessEntry');
  expect(reserved(made({ ReserveConcurrency: 'true' }))).toEqual([20, 1]);
  expect(reserved(made({ ReserveConcurrency: 'false' }))).toEqual([]);
  expect(actions(made({}))).not.toContain('given');
  expect(actions(made({ PageTopic: 'pages', NotifyTopic: 'notes' }))).toEqual(
    expect.arrayContaining(['pages', 'notes']),
  );
});

/** The template with these parameters: conditions are decided, and what they leave out is gone. */
function filledIn({ Conditions = {}, ...template }: Parsed, parameters: Json): Parsed {
  const GONE = Symbol('gone');
  const holds = (id: string): boolean => fill(Conditions[id]) === true;
  const fill = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(fill).filter((one) => one !== GONE);
    if (typeof value !== 'object' || value === null) return value;
    const { Ref, 'Fn::If': chosen, 'Fn::Not': not, 'Fn::Equals': equal, 'Fn::Join': join } = value as Json;
    if (Ref === 'AWS::NoValue') return GONE;
    if (typeof Ref === 'string' && Ref in parameters) return parameters[Ref];
    if (chosen !== undefined) {
      const [id, yes, no] = chosen as [string, unknown, unknown];
      return fill(holds(id) ? yes : no);
    }
    if (not !== undefined) return !fill((not as unknown[])[0]);
    if (equal !== undefined) return new Set((equal as unknown[]).map((one) => fill(one))).size === 1;
    if (join !== undefined) return { 'Fn::Join': fill(join) };
    const filled = Object.entries(value).map(([key, one]) => [key, fill(one)] as const);
    return Object.fromEntries(filled.filter(([, one]) => one !== GONE));
  };
  const kept = Object.entries(template.Resources).filter(
    ([, { Condition }]) => Condition === undefined || holds(Condition),
  );
  return { ...template, Resources: fill(Object.fromEntries(kept)) as Parsed['Resources'] };
}

function rolesOf({ Resources }: Parsed): readonly string[] {
  return Object.entries(Resources)
    .flatMap(([id, { Type }]) => (Type === 'AWS::IAM::Role' ? [id] : []))
    .toSorted();
}

function statementsOf({ Resources }: Parsed, role: string): readonly Json[] {
  return Object.values(Resources)
    .filter(({ Type }) => Type === 'AWS::IAM::Policy' || Type === 'AWS::IAM::ManagedPolicy')
    .filter(({ Properties }) => (Properties.Roles as { readonly Ref: string }[]).some(({ Ref }) => Ref === role))
    .flatMap(({ Properties }) => resolved((Properties.PolicyDocument as Json).Statement) as Json[]);
}

/** Each action on each resource by itself. */
function grants(template: Parsed, role: string, effect: 'Allow' | 'Deny'): readonly string[] {
  const list = (value: unknown) => [value].flat() as readonly unknown[];
  const all = statementsOf(template, role)
    .filter(({ Effect }) => Effect === effect)
    .flatMap(({ Action, Resource, Condition = null }) =>
      list(Action).flatMap((action) =>
        list(Resource).map((resource) => `${action} ${resource} ${JSON.stringify(Condition)}`),
      ),
    );
  return [...new Set(all)].toSorted();
}
