// The template of examples/aws/zone53.yaml: what matters for security, and that everything is wired.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { App, Stack, Validations } from 'aws-cdk-lib';
import { Match, Template } from 'aws-cdk-lib/assertions';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { AwsSolutionsChecks } from 'cdk-nag';
import { describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { FUNCTION_ENVIRONMENT, type FunctionName } from '../functions/runtime/environment.ts';
import { exampleTemplate, NAMES, type Resource, resolved } from '../test/support/example-template.ts';
import { Zone53 } from './zone53.ts';

const example = exampleTemplate();

describe('security', () => {
  type Report = { pluginReports: { pluginName: string; violations: { ruleName: string }[] }[] };
  const rulesBroken = (report: string) =>
    (JSON.parse(report) as Report).pluginReports.flatMap(({ violations }) =>
      violations.map(({ ruleName }) => ruleName),
    );

  it('cdk-nag finds nothing', () => {
    expect(rulesBroken(example.findings)).toEqual([]);
  });

  it('cdk-nag finds a fault where there is one', () => {
    const app = new App();
    new Queue(new Stack(app, 'Bad'), 'Queue');
    Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
    expect(() => app.synth()).toThrow('AwsSolutions-SQS3');
  });

  it('the table survives the stack, encrypted and recoverable', () => {
    example.template.hasResource('AWS::DynamoDB::Table', {
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

  it('no hosted zone is created, so none is deleted with the stack', () => {
    example.template.resourceCountIs('AWS::Route53::HostedZone', 0);
  });

  it('only the bus has a physical name, derived from its path', () => {
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
    for (const [id, { Type, Properties }] of Object.entries(example.resources)) {
      if (kept.includes(Type)) continue;
      expect(
        Object.keys(Properties ?? {}).filter((key) => named.includes(key)),
        id,
      ).toEqual([]);
    }
  });

  it('no statement of a role has a wildcard but for the ids of changes, and none has a managed policy', () => {
    // Route 53 gives each change an id of its own.
    const changes = JSON.stringify(['route53:GetChange', 'arn:aws:route53:::change/*']);
    for (const [id, { Properties }] of example.ofType('AWS::IAM::Policy')) {
      const { Statement } = Properties.PolicyDocument as {
        Statement: { Effect: string; Action: unknown; Resource: unknown }[];
      };
      for (const { Action, Resource } of Statement.filter(({ Effect }) => Effect === 'Allow'))
        expect(JSON.stringify([Action, resolved(Resource)]).replace(changes, ''), id).not.toContain('*');
    }
    for (const [, { Properties }] of example.ofType('AWS::IAM::Role'))
      expect(Properties.ManagedPolicyArns).toBeUndefined();
  });

  it('a service may assume a role only for this account', () => {
    const drift = Object.entries(example.drift.findResources('AWS::IAM::Role'));
    const roles = [...example.ofType('AWS::IAM::Role'), ...drift];
    expect(roles).toHaveLength(11);
    for (const [id, { Properties }] of roles) {
      const { Statement } = Properties.AssumeRolePolicyDocument as { Statement: Record<string, unknown>[] };
      expect(Statement, id).toHaveLength(1);
      const { Condition } = Statement[0] ?? {};
      expect(resolved(Condition), id).toEqual({ StringEquals: { 'aws:SourceAccount': 'ref:AWS::AccountId' } });
    }
  });

  it('hints and verdicts have separate secrets', () => {
    const ids = ['Zone53SenderSecret', 'Zone53ValidateSecret'].map((text) =>
      example.ofType('AWS::SecretsManager::Secret').find(([id]) => id.startsWith(text)),
    );
    const [hints, verdicts] = ids.map((found) => `ref:${found?.[0]}`);
    const shown = (name: FunctionName) => {
      const { Variables } = example.functionOf(name)[1].Properties.Environment as { Variables: object };
      return resolved((Variables as Record<string, unknown>).ZONE53_SENDER_SECRET);
    };
    expect([shown('ingest'), shown('validate')]).toEqual([hints, verdicts]);
    const outputs = Object.entries(example.template.toJSON().Outputs as Record<string, { Value: unknown }>);
    const arns = outputs.filter(([key]) => /SecretArn[0-9A-F]{8}$/.test(key)).map(([, { Value }]) => resolved(Value));
    expect(arns.toSorted()).toEqual([hints, verdicts].toSorted());
  });

  it('queues accept only encrypted connections, and keep messages for 14 days', () => {
    for (const [id, { Properties }] of example.ofType('AWS::SQS::Queue')) {
      expect(Properties, id).toMatchObject({ MessageRetentionPeriod: 1_209_600, SqsManagedSseEnabled: true });
    }
    expect(example.ofType('AWS::SQS::QueuePolicy')).toHaveLength(example.ofType('AWS::SQS::Queue').length);
  });

  it('functions that call the cluster have access entries with groups of the RBAC: validate may only list', () => {
    const entries = example.ofType('AWS::EKS::AccessEntry').map(([, { Properties }]) => Properties);
    for (const { ClusterName } of entries) expect(ClusterName).toBe('prod');
    expect(
      entries.map(({ PrincipalArn, KubernetesGroups }) => [resolved(PrincipalArn), KubernetesGroups]).toSorted(),
    ).toEqual(
      (['intents', 'poll', 'reconcile', 'report', 'sweep', 'validate'] as const).map((name) => [
        resolved(example.functionOf(name)[1].Properties.Role),
        [name === 'validate' || name === 'intents' ? `zone53-${name}` : 'zone53'],
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

  it('no policy has a statement id twice, which IAM refuses', () => {
    const scope = new Stack(new App(), 'Stack');
    const tokenSecret = { secretArn: 'arn:aws:secretsmanager:eu-west-1:111122223333:secret:t-AbCdEf' } as never;
    new Zone53(scope, 'Token', {
      roots: [{ zone: 'example.org' }],
      hostedZones: [{ zone: 'example.org', id: 'Z1' }],
      access: { kind: 'token', endpoint: 'https://k8s.example.org', tokenSecret },
      events: { webhook: { front: 'url' }, validate: true },
      bundles: example.bundles,
    });
    for (const made of [example.template, Template.fromStack(scope)]) {
      for (const [id, { Properties }] of Object.entries(made.findResources('AWS::IAM::Policy'))) {
        const sids = (Properties.PolicyDocument.Statement as { Sid?: string }[]).flatMap(({ Sid }) => Sid ?? []);
        expect(new Set(sids).size, id).toBe(sids.length);
      }
    }
  });
});

describe('wiring', () => {
  it.each(NAMES)('%s has every environment variable that it reads, and no other of ours', (name) => {
    const { Variables } = example.functionOf(name)[1].Properties.Environment as { Variables: Record<string, unknown> };
    const ours = Object.keys(Variables).filter((key) => key.startsWith('ZONE53_'));
    expect(ours.toSorted()).toEqual([...FUNCTION_ENVIRONMENT[name]].toSorted());
  });

  it.each(NAMES)('%s runs on Node 24 and arm64, with its own log group that ends', (name) => {
    expect(example.functionOf(name)[1].Properties).toMatchObject({
      Runtime: 'nodejs24.x',
      Architectures: ['arm64'],
      Handler: 'index.handler',
      LoggingConfig: { LogFormat: 'JSON' },
    });
    for (const [, { Properties }] of example.ofType('AWS::Logs::LogGroup')) expect(Properties.RetentionInDays).toBe(30);
  });

  it.each([
    ['reconcile', 'QueuesHints'],
    ['publish', 'QueuesPublish'],
    ['report', 'QueuesReports'],
  ] as const)(
    '%s consumes its queue with partial failures, within a sixth of the visibility timeout',
    (name, queue) => {
      const [id, made] = example.functionOf(name);
      const mapping = example
        .ofType('AWS::Lambda::EventSourceMapping')
        .find(([, { Properties }]) => (Properties.FunctionName as { Ref: string }).Ref === id)?.[1]
        .Properties as Record<string, unknown>;
      expect(mapping.FunctionResponseTypes).toEqual(['ReportBatchItemFailures']);
      const source = String(resolved(mapping.EventSourceArn)).slice('arn:'.length);
      expect(source).toContain(queue);
      const visibility = example.resources[source]?.Properties.VisibilityTimeout as number;
      expect((made.Properties.Timeout as number) * 6).toBeLessThan(visibility);
    },
  );

  it('every consumed queue has a dead-letter queue of its own kind, with an alarm at one message', () => {
    const queues = example
      .ofType('AWS::SQS::Queue')
      .filter(([, { Properties }]) => Properties.RedrivePolicy !== undefined);
    expect(queues).toHaveLength(3);
    for (const [, { Properties }] of queues) {
      const { deadLetterTargetArn, maxReceiveCount } = Properties.RedrivePolicy as Record<string, unknown>;
      const dead = example.resources[String(resolved(deadLetterTargetArn)).slice('arn:'.length)];
      expect(dead?.Properties.FifoQueue).toBe(Properties.FifoQueue);
      expect(maxReceiveCount).toBe(25);
    }
    const alarms = example.ofType('AWS::CloudWatch::Alarm').filter(([id]) => id.includes('DeadLetters'));
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
    for (const [id, { Properties }] of example.ofType('AWS::CloudWatch::Alarm')) {
      const heading = /docs\/runbook\.md#(\S+)$/.exec(String(Properties.AlarmDescription))?.[1];
      expect(headings, id).toContain(heading);
    }
  });

  it.each([
    ['HintsLost', 'HintsLost'],
    ['HintsFailed', 'Url5xxCount'],
    ['HintsThrottled', 'Throttles'],
  ])('%s: a possibly lost hint starts a sweep at once', (id, MetricName) => {
    const [sweep, ingest] = [example.functionOf('sweep')[0], example.functionOf('ingest')[0]];
    const [[alarmId, alarm] = []] = example.ofType('AWS::CloudWatch::Alarm').filter(([one]) => one.includes(id));
    const { Dimensions, AlarmActions, ...rest } = (alarm as Resource).Properties;
    expect(rest).toMatchObject({ MetricName, Threshold: 1, Period: 60, TreatMissingData: 'notBreaching' });
    if (MetricName !== id) expect(resolved(Dimensions)).toEqual([{ Name: 'FunctionName', Value: `ref:${ingest}` }]);
    expect(resolved(AlarmActions)).toEqual([`arn:${sweep}`]);
    example.template.hasResourceProperties('AWS::Lambda::Permission', {
      FunctionName: { 'Fn::GetAtt': [sweep, 'Arn'] },
      Principal: 'lambda.alarms.cloudwatch.amazonaws.com',
      SourceArn: { 'Fn::GetAtt': [alarmId, 'Arn'] },
    });
  });

  it('the audit log passes on stored writes of our kinds, to ingest', () => {
    example.template.hasResourceProperties('AWS::Logs::SubscriptionFilter', {
      LogGroupName: '/aws/eks/prod/cluster',
      FilterPattern: Match.stringLikeRegexp('ResponseComplete.*NOT EXISTS.*kubi.zone'),
    });
    const pattern = example.ofType('AWS::Logs::SubscriptionFilter')[0]?.[1].Properties.FilterPattern as string;
    expect(pattern.length).toBeLessThanOrEqual(1_024);
  });

  it('the sweep function can parse the payload of each schedule', () => {
    const inputs = example
      .ofType('AWS::Scheduler::Schedule')
      .map(([, { Properties }]) => (Properties.Target as { Input: string }).Input);
    expect(inputs.map((input) => JSON.parse(input)).toSorted((a, b) => (a.zone53 < b.zone53 ? -1 : 1))).toEqual([
      { zone53: 'measure' },
      { zone53: 'poll' },
      { zone53: 'sweep' },
    ]);
  });

  it('drift comes from us-east-1 to the home region', () => {
    example.drift.hasResourceProperties('AWS::Events::Rule', {
      EventPattern: Match.objectLike({ source: ['aws.route53'] }),
      Targets: [Match.objectLike({ Arn: Match.objectLike({}) })],
    });
    expect(JSON.stringify(example.drift.toJSON())).toContain(':events:eu-west-1:');
    // What cannot be forwarded is kept, and rings.
    example.drift.hasResourceProperties('AWS::Events::Rule', {
      Targets: [Match.objectLike({ DeadLetterConfig: { Arn: Match.objectLike({}) } })],
    });
    example.drift.hasResourceProperties('AWS::CloudWatch::Alarm', {
      Threshold: 1,
      AlarmDescription: Match.stringLikeRegexp('runbook.md#drift-stopped$'),
    });
    example.template.hasResourceProperties('AWS::Events::Rule', {
      EventPattern: Match.objectLike({ source: ['aws.route53'] }),
    });
  });
});
