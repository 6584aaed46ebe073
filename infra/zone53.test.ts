// The template of examples/aws/zone53.yaml with every function there is, synthesized once: what matters for security, that everything is wired, and a table
// of IAM decisions. cdk-nag runs over the same synth.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { App, Duration, Stack, Validations } from 'aws-cdk-lib';
import { Match, Template } from 'aws-cdk-lib/assertions';
import { type IVpc, Vpc } from 'aws-cdk-lib/aws-ec2';
import { PublicHostedZone } from 'aws-cdk-lib/aws-route53';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { AwsSolutionsChecks } from 'cdk-nag';
import { beforeAll, describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { FUNCTION_ENVIRONMENT, type FunctionName } from '../functions/runtime/environment.ts';
import { emptyBundles } from '../test/support/empty-bundles.ts';
import { evaluatePolicy } from '../test/support/evaluate-policy.ts';
import { addStacks } from './app.ts';
import { Zone53, type Zone53Props } from './zone53.ts';

const NAMES = Object.keys(FUNCTION_ENVIRONMENT) as FunctionName[];
const EXAMPLE = readFileSync(path.join(import.meta.dirname, '..', 'examples', 'aws', 'zone53.yaml'), 'utf8');
const SOURCE = EXAMPLE.replace('webhook: secret', 'webhook: secret, validate: true');
const ZONE = 'arn:aws:route53:::hostedzone/Z0123456789ABCDEFGHIJ';

type Resource = {
  readonly Type: string;
  readonly Properties: Record<string, unknown>;
  readonly DeletionPolicy?: string;
};

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

/** A value of the template with references made texts: the ARN of resource X is `arn:X`, its Ref `ref:X`. */
function resolved(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(resolved);
  if (typeof value !== 'object' || value === null) return value;
  const { Ref, 'Fn::GetAtt': attribute, 'Fn::Join': join } = value as Record<string, unknown>;
  if (Ref === 'AWS::Partition') return 'aws';
  if (typeof Ref === 'string') return `ref:${Ref}`;
  if (Array.isArray(attribute)) return `arn:${String(attribute[0])}`;
  if (Array.isArray(join)) return (resolved(join[1]) as string[]).join(String(join[0]));
  return Object.fromEntries(Object.entries(value).map(([key, of]) => [key, resolved(of)]));
}

/** The function's resource. */
function functionOf(name: FunctionName): [string, Resource] {
  return ofType('AWS::Lambda::Function').find(([, { Properties }]) =>
    String(Properties.Description).startsWith(DESCRIPTIONS[name]),
  ) as [string, Resource];
}
const DESCRIPTIONS: Readonly<Record<FunctionName, string>> = {
  ingest: 'turns events',
  reconcile: 'observes',
  publish: 'publishes',
  report: 'writes status',
  sweep: 'compares',
  validate: 'refuses writes',
};

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

describe('security', () => {
  type Report = { pluginReports: { pluginName: string; violations: { ruleName: string }[] }[] };
  const rulesBroken = (report: string) =>
    (JSON.parse(report) as Report).pluginReports.flatMap(({ violations }) =>
      violations.map(({ ruleName }) => ruleName),
    );

  it('cdk-nag finds nothing', () => {
    expect(rulesBroken(findings)).toEqual([]);
  });

  it('cdk-nag would find something', () => {
    const app = new App();
    new Queue(new Stack(app, 'Bad'), 'Queue');
    Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
    expect(() => app.synth()).toThrow('AwsSolutions-SQS3');
  });

  it('the table survives the stack, encrypted and recoverable', () => {
    template.hasResource('AWS::DynamoDB::Table', {
      DeletionPolicy: 'Retain',
      UpdateReplacePolicy: 'Retain',
      Properties: {
        BillingMode: 'PAY_PER_REQUEST',
        DeletionProtectionEnabled: true,
        SSESpecification: { SSEEnabled: true },
        PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
      },
    });
  });

  it('no hosted zone is made, so none goes with the stack', () => {
    template.resourceCountIs('AWS::Route53::HostedZone', 0);
  });

  it('nothing has a physical name but the bus, whose name is made up from the path', () => {
    const named = [
      'TableName',
      'QueueName',
      'FunctionName',
      'RoleName',
      'LogGroupName',
      'AlarmName',
      'DashboardName',
      'SecretName',
    ];
    const kept = [
      'AWS::Lambda::Permission',
      'AWS::Lambda::EventSourceMapping',
      'AWS::Lambda::EventInvokeConfig',
      'AWS::Logs::SubscriptionFilter',
    ];
    for (const [id, { Type, Properties }] of Object.entries(resources)) {
      if (kept.includes(Type)) continue;
      expect(
        Object.keys(Properties ?? {}).filter((key) => named.includes(key)),
        id,
      ).toEqual([]);
    }
  });

  it('no statement of a role has a wildcard, and none has a managed policy', () => {
    for (const [id, { Properties }] of ofType('AWS::IAM::Policy')) {
      const { Statement } = Properties.PolicyDocument as { Statement: { Action: unknown; Resource: unknown }[] };
      for (const { Action, Resource } of Statement)
        expect(JSON.stringify([Action, resolved(Resource)]), id).not.toContain('*');
    }
    for (const [, { Properties }] of ofType('AWS::IAM::Role')) expect(Properties.ManagedPolicyArns).toBeUndefined();
  });

  it('queues take encrypted connections only and keep messages for 14 days', () => {
    for (const [id, { Properties }] of ofType('AWS::SQS::Queue')) {
      expect(Properties, id).toMatchObject({ MessageRetentionPeriod: 1_209_600, SqsManagedSseEnabled: true });
    }
    expect(ofType('AWS::SQS::QueuePolicy')).toHaveLength(ofType('AWS::SQS::Queue').length);
  });

  it('the cluster lets in those that speak to it, with groups that RBAC knows: who judges may only list', () => {
    const entries = ofType('AWS::EKS::AccessEntry').map(([, { Properties }]) => Properties);
    for (const { ClusterName } of entries) expect(ClusterName).toBe('prod');
    expect(
      entries.map(({ PrincipalArn, KubernetesGroups }) => [resolved(PrincipalArn), KubernetesGroups]).toSorted(),
    ).toEqual(
      (['reconcile', 'report', 'sweep', 'validate'] as const).map((name) => [
        resolved(functionOf(name)[1].Properties.Role),
        [name === 'validate' ? 'zone53-validate' : 'zone53'],
      ]),
    );
    const rbac = parseAllDocuments(readFileSync(path.join(import.meta.dirname, '..', 'crds', 'rbac.yaml'), 'utf8')).map(
      (document) => document.toJS(),
    );
    for (const group of ['zone53', 'zone53-validate']) {
      const binding = rbac.find(({ kind, subjects }) => kind === 'ClusterRoleBinding' && subjects[0].name === group);
      const role = rbac.find(({ kind, metadata }) => kind === 'ClusterRole' && metadata.name === binding.roleRef.name);
      if (group === 'zone53-validate') {
        expect(role.rules).toEqual([{ apiGroups: ['kubi.zone'], resources: ['zones'], verbs: ['list'] }]);
      } else expect(role.rules.length).toBeGreaterThan(1);
    }
  });

  it('no statement id stands twice in one policy, which IAM refuses', () => {
    const scope = new Stack(new App(), 'Stack');
    const tokenSecret = { secretArn: 'arn:aws:secretsmanager:eu-west-1:111122223333:secret:t-AbCdEf' } as never;
    new Zone53(scope, 'Token', {
      roots: [{ zone: 'example.org' }],
      hostedZones: [{ zone: 'example.org', id: 'Z1' }],
      cluster: { kind: 'token', endpoint: 'https://k8s.example.org', tokenSecret },
      events: { webhook: 'secret', validate: true },
      bundles,
    });
    for (const made of [template, Template.fromStack(scope)]) {
      for (const [id, { Properties }] of Object.entries(made.findResources('AWS::IAM::Policy'))) {
        const sids = (Properties.PolicyDocument.Statement as { Sid?: string }[]).flatMap(({ Sid }) => Sid ?? []);
        expect(new Set(sids).size, id).toBe(sids.length);
      }
    }
  });
});

describe('wiring', () => {
  it.each(NAMES)('%s has every environment variable that it reads, and no other of ours', (name) => {
    const { Variables } = functionOf(name)[1].Properties.Environment as { Variables: Record<string, unknown> };
    const ours = Object.keys(Variables).filter((key) => key.startsWith('ZONE53_'));
    expect(ours.toSorted()).toEqual([...FUNCTION_ENVIRONMENT[name]].toSorted());
  });

  it.each(NAMES)('%s runs on Node 24 and arm64, with its own log group that ends', (name) => {
    expect(functionOf(name)[1].Properties).toMatchObject({
      Runtime: 'nodejs24.x',
      Architectures: ['arm64'],
      Handler: 'index.handler',
      LoggingConfig: { LogFormat: 'JSON' },
    });
    for (const [, { Properties }] of ofType('AWS::Logs::LogGroup')) expect(Properties.RetentionInDays).toBe(30);
  });

  it.each([
    ['reconcile', 'QueuesHints'],
    ['publish', 'QueuesPublish'],
    ['report', 'QueuesReports'],
  ] as const)(
    '%s consumes its queue with partial failures, within a sixth of the visibility timeout',
    (name, queue) => {
      const [id, made] = functionOf(name);
      const mapping = ofType('AWS::Lambda::EventSourceMapping').find(
        ([, { Properties }]) => (Properties.FunctionName as { Ref: string }).Ref === id,
      )?.[1].Properties as Record<string, unknown>;
      expect(mapping.FunctionResponseTypes).toEqual(['ReportBatchItemFailures']);
      const source = String(resolved(mapping.EventSourceArn)).slice('arn:'.length);
      expect(source).toContain(queue);
      const visibility = resources[source]?.Properties.VisibilityTimeout as number;
      expect((made.Properties.Timeout as number) * 6).toBeLessThan(visibility);
    },
  );

  it('every queue that is consumed has dead letters, of its own kind, and each of those an alarm at one', () => {
    const queues = ofType('AWS::SQS::Queue').filter(([, { Properties }]) => Properties.RedrivePolicy !== undefined);
    expect(queues).toHaveLength(3);
    for (const [, { Properties }] of queues) {
      const { deadLetterTargetArn, maxReceiveCount } = Properties.RedrivePolicy as Record<string, unknown>;
      const dead = resources[String(resolved(deadLetterTargetArn)).slice('arn:'.length)];
      expect(dead?.Properties.FifoQueue).toBe(Properties.FifoQueue);
      expect(maxReceiveCount).toBe(25);
    }
    const alarms = ofType('AWS::CloudWatch::Alarm').filter(([id]) => id.includes('DeadLetters'));
    expect(alarms).toHaveLength(4);
    for (const [, { Properties }] of alarms) expect(Properties).toMatchObject({ Threshold: 1, EvaluationPeriods: 1 });
  });

  it('every alarm names a heading of the runbook', () => {
    const runbook = readFileSync(path.join(import.meta.dirname, '..', 'docs', 'runbook.md'), 'utf8');
    const headings = [...runbook.matchAll(/^#+ (.+)$/gm)].map(([, text = '']) =>
      text
        .toLowerCase()
        .replace(/[^\w -]/g, '')
        .replaceAll(' ', '-'),
    );
    for (const [id, { Properties }] of ofType('AWS::CloudWatch::Alarm')) {
      const heading = /docs\/runbook\.md#(\S+)$/.exec(String(Properties.AlarmDescription))?.[1];
      expect(headings, id).toContain(heading);
    }
  });

  it('silence is an alarm: no measurement breaches the age of the sweep', () => {
    template.hasResourceProperties('AWS::CloudWatch::Alarm', {
      MetricName: 'SweepAge',
      TreatMissingData: 'breaching',
      Threshold: 2_700,
    });
  });

  it('the audit log passes on stored writes of our kinds, to ingest', () => {
    template.hasResourceProperties('AWS::Logs::SubscriptionFilter', {
      LogGroupName: '/aws/eks/prod/cluster',
      FilterPattern: Match.stringLikeRegexp('kubi.zone.*ResponseComplete.*NOT EXISTS'),
    });
    const pattern = ofType('AWS::Logs::SubscriptionFilter')[0]?.[1].Properties.FilterPattern as string;
    expect(pattern.length).toBeLessThanOrEqual(1_024);
  });

  it('schedules say what the sweep function parses', () => {
    const inputs = ofType('AWS::Scheduler::Schedule').map(
      ([, { Properties }]) => (Properties.Target as { Input: string }).Input,
    );
    expect(inputs.map((input) => JSON.parse(input)).toSorted((a, b) => (a.zone53 < b.zone53 ? -1 : 1))).toEqual([
      { zone53: 'measure' },
      { zone53: 'sweep' },
    ]);
  });

  it('drift comes from us-east-1 to the home region', () => {
    drift.hasResourceProperties('AWS::Events::Rule', {
      EventPattern: Match.objectLike({ source: ['aws.route53'] }),
      Targets: [Match.objectLike({ Arn: Match.objectLike({}) })],
    });
    expect(JSON.stringify(drift.toJSON())).toContain(':events:eu-west-1:');
    template.hasResourceProperties('AWS::Events::Rule', {
      EventPattern: Match.objectLike({ source: ['aws.route53'] }),
    });
  });
});

describe('who may do what', () => {
  const change = (names: string[], types: string[], actions: string[]) => ({
    'route53:ChangeResourceRecordSetsNormalizedRecordNames': names,
    'route53:ChangeResourceRecordSetsRecordTypes': types,
    'route53:ChangeResourceRecordSetsActions': actions,
  });
  const CHANGE = 'route53:ChangeResourceRecordSets';
  it.each([
    ['publish', 'creates a record', CHANGE, ZONE, change(['www.example.org'], ['A'], ['CREATE']), 'allowed'],
    [
      'publish',
      'changes many',
      CHANGE,
      ZONE,
      change(['a.example.org', 'b.example.org'], ['A', 'TXT'], ['DELETE', 'CREATE']),
      'allowed',
    ],
    [
      'publish',
      'changes the apex address',
      CHANGE,
      ZONE,
      change(['example.org'], ['A', 'MX'], ['DELETE', 'CREATE']),
      'allowed',
    ],
    ['publish', 'sets the SOA timers', CHANGE, ZONE, change(['example.org'], ['SOA'], ['UPSERT']), 'allowed'],
    [
      'publish',
      'delegates a sub-zone',
      CHANGE,
      ZONE,
      change(['team.example.org'], ['NS', 'DS'], ['CREATE']),
      'allowed',
    ],
    ['publish', 'deletes the apex NS', CHANGE, ZONE, change(['example.org'], ['NS'], ['DELETE']), 'explicitly denied'],
    ['publish', 'replaces the apex NS', CHANGE, ZONE, change(['example.org'], ['NS'], ['UPSERT']), 'explicitly denied'],
    [
      'publish',
      'hides it among others',
      CHANGE,
      ZONE,
      change(['example.org', 'www.example.org'], ['A', 'NS'], ['DELETE', 'CREATE']),
      'explicitly denied',
    ],
    [
      'publish',
      'puts a DS at the apex',
      CHANGE,
      ZONE,
      change(['example.org'], ['DS'], ['CREATE']),
      'explicitly denied',
    ],
    ['publish', 'deletes the SOA', CHANGE, ZONE, change(['example.org'], ['SOA'], ['DELETE']), 'explicitly denied'],
    ['publish', 'reads record sets', 'route53:ListResourceRecordSets', ZONE, {}, 'allowed'],
    [
      'publish',
      'changes another hosted zone',
      CHANGE,
      'arn:aws:route53:::hostedzone/ZOTHER',
      change(['www.bank.example'], ['A'], ['CREATE']),
      'not allowed',
    ],
    ['publish', 'makes a hosted zone', 'route53:CreateHostedZone', '*', {}, 'not allowed'],
    ['publish', 'deletes a hosted zone', 'route53:DeleteHostedZone', ZONE, {}, 'not allowed'],
    ['publish', 'turns off DNSSEC', 'route53:DisableHostedZoneDNSSEC', ZONE, {}, 'not allowed'],
    ['ingest', 'changes a record', CHANGE, ZONE, change(['www.example.org'], ['A'], ['CREATE']), 'not allowed'],
    ['reconcile', 'changes a record', CHANGE, ZONE, change(['www.example.org'], ['A'], ['CREATE']), 'not allowed'],
    ['report', 'changes a record', CHANGE, ZONE, change(['www.example.org'], ['A'], ['CREATE']), 'not allowed'],
    ['sweep', 'changes a record', CHANGE, ZONE, change(['www.example.org'], ['A'], ['CREATE']), 'not allowed'],
    ['reconcile', 'reads the hosted zone', 'route53:GetHostedZone', ZONE, {}, 'allowed'],
    ['reconcile', 'lists all hosted zones', 'route53:ListHostedZones', '*', {}, 'not allowed'],
    ['sweep', 'reads record sets', 'route53:ListResourceRecordSets', ZONE, {}, 'allowed'],
    ['report', 'reads record sets', 'route53:ListResourceRecordSets', ZONE, {}, 'not allowed'],
  ] as const)('%s %s', (name, _what, action, resource, context, decision) => {
    expect(evaluatePolicy(statementsOf(name), { action, resource, context })).toBe(decision);
  });

  it.each([
    ['ingest', 'sqs:SendMessage', 'AWS::SQS::Queue', 'QueuesHints', 'allowed'],
    ['ingest', 'sqs:SendMessage', 'AWS::SQS::Queue', 'QueuesPublish', 'not allowed'],
    ['ingest', 'sqs:ReceiveMessage', 'AWS::SQS::Queue', 'QueuesHints', 'not allowed'],
    ['ingest', 'dynamodb:PutItem', 'AWS::DynamoDB::Table', 'LedgerTable', 'not allowed'],
    ['ingest', 'secretsmanager:GetSecretValue', 'AWS::SecretsManager::Secret', 'SenderSecret', 'allowed'],
    ['ingest', 'secretsmanager:PutSecretValue', 'AWS::SecretsManager::Secret', 'SenderSecret', 'not allowed'],
    ['validate', 'secretsmanager:GetSecretValue', 'AWS::SecretsManager::Secret', 'SenderSecret', 'allowed'],
    ['validate', 'sqs:SendMessage', 'AWS::SQS::Queue', 'QueuesHints', 'not allowed'],
    ['validate', 'dynamodb:Query', 'AWS::DynamoDB::Table', 'LedgerTable', 'not allowed'],
    ['publish', 'secretsmanager:GetSecretValue', 'AWS::SecretsManager::Secret', 'SenderSecret', 'not allowed'],
    ['publish', 'dynamodb:PutItem', 'AWS::DynamoDB::Table', 'LedgerTable', 'allowed'],
    ['publish', 'dynamodb:Scan', 'AWS::DynamoDB::Table', 'LedgerTable', 'not allowed'],
    ['publish', 'dynamodb:DeleteTable', 'AWS::DynamoDB::Table', 'LedgerTable', 'not allowed'],
    ['publish', 'sqs:ChangeMessageVisibility', 'AWS::SQS::Queue', 'QueuesPublish', 'allowed'],
    ['reconcile', 'sqs:SendMessage', 'AWS::SQS::Queue', 'QueuesReports', 'allowed'],
    ['report', 'sqs:SendMessage', 'AWS::SQS::Queue', 'QueuesPublish', 'not allowed'],
    ['report', 'dynamodb:PutItem', 'AWS::DynamoDB::Table', 'LedgerTable', 'allowed'],
  ] as const)('%s %s %s%s', (name, action, type, text, decision) => {
    const id = idOf(type, text);
    const resource = type === 'AWS::SecretsManager::Secret' ? `ref:${id}` : `arn:${id}`;
    expect(evaluatePolicy(statementsOf(name), { action, resource })).toBe(decision);
  });
});

describe('as a library', () => {
  const cluster = {
    kind: 'token',
    endpoint: 'https://k8s.example.org',
    tokenSecret: { secretArn: 'arn:aws:secretsmanager:eu-west-1:111122223333:secret:t-AbCdEf' } as never,
  } as const;
  const props: Zone53Props = {
    roots: [{ zone: 'example.org' }],
    hostedZones: [{ zone: 'example.org', id: 'Z1' }],
    cluster,
    bundles,
  };
  const stack = () => new Stack(new App(), 'Stack');

  it.each([
    ['no roots', { roots: undefined }, 'roots: missing'],
    ['no hosted zones', { hostedZones: [] }, 'hostedZones: missing'],
    ['a misspelt name', { hostedZones: [{ zone: 'example..org', id: 'Z1' }] }, 'hostedZones[0].zone'],
    ['a bad guard', { guard: { deletesShareMax: 3 } }, 'guard.deletesShareMax: write a share from 0 to 1'],
    ['an audit log that does not exist', { events: { auditLog: true } }, 'events.auditLog: only EKS'],
    ['a door without a secret', { events: { webhook: 'iam', validate: true } }, 'events.validate: an API server'],
  ])('%s fails with the path of the key', (_title, change, words) => {
    expect(() => new Zone53(stack(), 'Zone53', { ...props, ...change } as Zone53Props)).toThrow(words);
  });

  it('refuses an environment that Lambda would not take', () => {
    const hostedZones = Array.from({ length: 120 }, (_, index) => ({
      zone: `z${index}.example.org`,
      id: `Z${index}AAAAAAAAAAAAAAA`,
    }));
    expect(() => new Zone53(stack(), 'Zone53', { ...props, hostedZones })).toThrow('4096 at most');
  });

  it('twice in one stack, with hosted zones of the same app, in a VPC, and without events', () => {
    const scope = stack();
    const id = new PublicHostedZone(scope, 'HostedZone', { zoneName: 'example.org' }).hostedZoneId;
    const hostedZones = [{ zone: 'Example.Org', id }];
    new Zone53(scope, 'One', { ...props, hostedZones, events: { sweepEvery: Duration.minutes(5) } });
    new Zone53(scope, 'Two', { ...props, network: { vpc: new Vpc(scope, 'Vpc') as IVpc } });
    const made = Template.fromStack(scope);
    made.resourceCountIs('AWS::DynamoDB::Table', 2);
    made.resourceCountIs('AWS::Lambda::Url', 0);
    made.resourceCountIs('AWS::EKS::AccessEntry', 0);
    const inVpc = Object.values(made.findResources('AWS::Lambda::Function')).filter(
      ({ Properties }) => Properties.VpcConfig,
    );
    expect(inVpc).toHaveLength(3);
    made.hasResourceProperties('AWS::IAM::Policy', {
      PolicyDocument: {
        Statement: Match.arrayWith([
          Match.objectLike({
            Effect: 'Deny',
            Resource: { 'Fn::Join': ['', Match.arrayWith([{ Ref: Match.stringLikeRegexp('HostedZone') }])] },
          }),
        ]),
      },
    });
  });
});
