// The construct that deploys zone53 for one cluster: `new Zone53(this, 'Zone53', { roots, hostedZones, cluster })`. Its
// props have the defaults of `zone53.yaml`, but `roots` is required. The keys under `aws` of that file are props, too.
import { Annotations, Aws, CfnOutput, Duration, Names, Stack, Token } from 'aws-cdk-lib';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { FunctionUrl, Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { SqsDestination } from 'aws-cdk-lib/aws-lambda-destinations';
import { SqsEventSource } from 'aws-cdk-lib/aws-lambda-event-sources';
import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import type { FunctionName } from '../functions/runtime/environment.ts';
import { allowReading, ClusterAccess, kubernetesSettings } from './cluster-access.ts';
import {
  AuditLogSource,
  BusSource,
  DriftSource,
  ScheduleSource,
  senderSecret,
  WebhookSource,
} from './event-sources.ts';
import { keyStatements } from './iam/key-policy.ts';
import {
  type ConfiguredHostedZone,
  publisherStatements,
  readerStatements,
  roleStatements,
  tagStatements,
} from './iam/publisher-policy.ts';
import { IntentApi } from './intent-api.ts';
import { bundlesFolder, jsonOf, type Network, pipelineFunction } from './lambda/pipeline-function.ts';
import { MEMORY_MB, TIMEOUTS } from './lambda/sizes.ts';
import { Observability } from './observability.ts';
import { partitionOf } from './settings/partition.ts';
import { Ledger } from './storage/ledger.ts';
import { Queues } from './storage/queues.ts';
import { eventsOf, readSettings, type Zone53Props } from './zone53-props.ts';

// The types that a user of the package needs.
export type { ClusterProps } from './cluster-access.ts';
export type { EventProps, HostedZoneProps, RootProps, Zone53Props } from './zone53-props.ts';

/**
 * Reserved concurrent executions, which also limit what a flood of requests can cost. A function URL takes ten requests
 * a second for each. When an API server is throttled, a hint is lost, or a write passes without a verdict.
 */
const RESERVED = { ingest: 20, validate: 5, sweep: 1 } as const;
/** What Lambda keeps unreserved in every account (PutFunctionConcurrency). Last verified 2026-11-22. */
const UNRESERVED_MIN = 100;
const MEASURE_EVERY = Duration.minutes(5);

type Make = <Name extends FunctionName>(
  name: Name,
  description: string,
  environment: Parameters<typeof pipelineFunction<Name>>[1]['environment'],
  more?: { readonly reservedConcurrency?: number; readonly network?: Network | undefined },
) => LambdaFunction;

/** zone53 for one cluster. */
export class Zone53 extends Construct {
  readonly ledger: Ledger;
  readonly queues: Queues;
  readonly functions: Readonly<Record<Exclude<FunctionName, 'validate' | 'intents'>, LambdaFunction>>;
  /** The function of the validating webhook, if `events.validate` is true. */
  readonly validate: LambdaFunction | null;
  /** The intent API, if `intents` is given. */
  readonly intents: IntentApi | null;
  /** The event bus, if `events.bus` is true. */
  readonly bus: BusSource | null;
  /** The function URL, unless `events.webhook` is `none`. With `iam`, its `grantInvokeUrl` lets a sender use it. */
  readonly url: FunctionUrl | null;
  private reserved = 0;

  constructor(scope: Construct, id: string, props: Zone53Props) {
    super(scope, id);
    const { settings, hostedZones, auditFilter } = readSettings(this, props);
    const events = eventsOf(props);
    this.ledger = new Ledger(this, 'Ledger', props.table === undefined ? {} : { table: props.table });
    this.queues = new Queues(this, 'Queues', {
      hints: Duration.seconds(6 * TIMEOUTS.reconcile.toSeconds() + 60),
      publish: Duration.seconds(6 * TIMEOUTS.publish.toSeconds() + 60),
      reports: Duration.seconds(6 * TIMEOUTS.report.toSeconds() + 60),
    });
    const { validate, intents, ...functions } = this.makeFunctions(props, settings, events);
    this.functions = functions;
    this.validate = validate;
    this.intents = intents;
    this.grant(hostedZones, props.intents?.assumeRoles ?? []);
    const keys = (props.takeover?.externalDns ?? []).flatMap(({ aesKeySecret }) => aesKeySecret ?? []);
    for (const statement of keyStatements(keys)) this.functions.publish.addToRolePolicy(statement);
    this.consume();
    const { reconcile, report, sweep } = this.functions;
    new ClusterAccess(this, 'Access', {
      cluster: props.cluster,
      functions: { reconcile, report, sweep },
      group: 'zone53',
    });
    const listening = this.listen(props, events, auditFilter);
    this.bus = listening.bus;
    this.url = listening.url;
    new Observability(this, 'Observability', {
      service: Names.uniqueResourceName(this, {}),
      functions: {
        ...this.functions,
        ...(validate === null ? {} : { validate }),
        ...(intents === null ? {} : { intents: intents.handler }),
      },
      queues: { hints: this.queues.hints, publish: this.queues.publish, reports: this.queues.reports },
      deadLetters: this.queues.deadLetters,
      sweepEvery: events.sweepEvery,
      hasWebhook: events.webhook !== 'none',
      runbook: props.runbook ?? 'docs/runbook.md',
      actions: props.alarmActions ?? [],
    });
    Annotations.of(this).addInfo(
      `The account needs a quota of ${UNRESERVED_MIN + this.reserved} concurrent executions: ${this.reserved} are reserved, and Lambda keeps ${UNRESERVED_MIN} for others`,
    );
    for (const [name, { role }] of Object.entries({ reconcile, report, sweep })) {
      new CfnOutput(this, `${name}Role`, { value: (role as NonNullable<typeof role>).roleArn });
    }
    if (props.cluster.kind === 'eks') new CfnOutput(this, 'EksCluster', { value: props.cluster.clusterName });
    new CfnOutput(this, 'Table', { value: this.ledger.table.tableName });
  }

  private makeFunctions(props: Zone53Props, settings: string, { webhook, validate }: ReturnType<typeof eventsOf>) {
    const { hints, publish, reports } = this.queues;
    const common = {
      service: Names.uniqueResourceName(this, {}),
      bundles: props.bundles ?? bundlesFolder(),
      logLevel: props.logLevel ?? 'INFO',
      logRetention: props.logRetention ?? RetentionDays.ONE_MONTH,
    };
    const secret = webhook === 'secret' ? senderSecret(this, 'SenderSecret', 'those who send it events') : null;
    const kubernetes = jsonOf(this, kubernetesSettings(this, props.cluster));
    const ZONE53_TABLE = this.ledger.table.tableName;
    const ZONE53_HINTS_URL = hints.queueUrl;
    const urls = { ZONE53_HINTS_URL, ZONE53_PUBLISH_URL: publish.queueUrl, ZONE53_REPORTS_URL: reports.queueUrl };
    const pipeline = { ZONE53_TABLE, ...urls, ZONE53_CONFIG: settings };
    const make: Make = (name, description, environment, more = {}) => {
      const sizes = { timeout: TIMEOUTS[name], memoryMb: MEMORY_MB[name] };
      return pipelineFunction(this, { ...common, ...sizes, ...more, name, description, environment });
    };
    const { network } = props;
    const ingest = make(
      'ingest',
      'turns events into hints',
      { ZONE53_HINTS_URL, ZONE53_CONFIG: settings, ZONE53_SENDER_SECRET: secret?.secretArn ?? null },
      webhook === 'none' ? {} : this.reserve(props, 'ingest'),
    );
    if (secret !== null) allowReading(ingest, secret, 'ReadSenderSecret');
    if (secret !== null) new CfnOutput(this, 'SenderSecretArn', { value: secret.secretArn });
    const publisher = make('publish', 'publishes dirty names to Route 53', pipeline);
    const publisherRole = (publisher.role as NonNullable<typeof publisher.role>).roleArn;
    return {
      ingest,
      reconcile: make(
        'reconcile',
        'observes objects and updates names',
        { ...pipeline, ZONE53_KUBERNETES: kubernetes },
        { network },
      ),
      publish: publisher,
      report: make(
        'report',
        'writes status back to the objects',
        {
          ZONE53_TABLE,
          ZONE53_REPORTS_URL: urls.ZONE53_REPORTS_URL,
          ZONE53_CONFIG: settings,
          ZONE53_KUBERNETES: kubernetes,
        },
        { network },
      ),
      sweep: make(
        'sweep',
        'compares everything, on a schedule',
        {
          ...pipeline,
          ZONE53_KUBERNETES: kubernetes,
          ZONE53_OWN_ROLES: Stack.of(this).toJsonString([publisherRole]),
        },
        { network, ...this.reserve(props, 'sweep') },
      ),
      validate: validate
        ? this.makeDoorkeeper(props, make, { ZONE53_CONFIG: settings, ZONE53_KUBERNETES: kubernetes })
        : null,
      intents:
        props.intents === undefined
          ? null
          : new IntentApi(this, 'IntentApi', {
              handler: make(
                'intents',
                'keeps DNS Update Records and makes DNS of them',
                { ZONE53_TABLE, ZONE53_HINTS_URL, ZONE53_CONFIG: settings, ZONE53_KUBERNETES: kubernetes },
                { network },
              ),
              ledger: this.ledger,
              hints,
              cluster: props.cluster,
            }),
    };
  }

  private reserve({ reservedConcurrency = {} }: Zone53Props, name: keyof typeof RESERVED) {
    const reserved = reservedConcurrency[name] ?? RESERVED[name];
    this.reserved += reserved;
    return reserved === 0 ? {} : { reservedConcurrency: reserved };
  }

  /**
   * Makes the validating webhook. It has a URL and a secret of its own, so that who may ask for verdicts may not send
   * hints.
   */
  private makeDoorkeeper(
    props: Zone53Props,
    make: Make,
    environment: Pick<
      Parameters<typeof pipelineFunction<'validate'>>[1]['environment'],
      'ZONE53_CONFIG' | 'ZONE53_KUBERNETES'
    >,
  ): LambdaFunction {
    const { cluster, network } = props;
    const secret = senderSecret(this, 'ValidateSecret', 'API servers that ask for a verdict');
    const validate = make(
      'validate',
      'refuses writes that the rules refuse',
      { ...environment, ZONE53_SENDER_SECRET: secret.secretArn },
      { network, ...this.reserve(props, 'validate') },
    );
    allowReading(validate, secret, 'ReadSenderSecret');
    new CfnOutput(this, 'ValidateSecretArn', { value: secret.secretArn });
    new ClusterAccess(this, 'ValidateAccess', { cluster, functions: { validate }, group: 'zone53-validate' });
    const { url } = new WebhookSource(this, 'Door', { handler: validate, auth: 'secret' });
    new CfnOutput(this, 'ValidateUrl', { value: url.url });
    new CfnOutput(this, 'validateRole', { value: (validate.role as NonNullable<typeof validate.role>).roleArn });
    return validate;
  }

  private grant(hostedZones: readonly ConfiguredHostedZone[], assumeRoles: readonly string[]): void {
    const { ingest, reconcile, publish, report, sweep } = this.functions;
    for (const one of [reconcile, publish, report, sweep]) this.ledger.grantUse(one);
    // CDK's own grant would also allow GetQueueAttributes and GetQueueUrl, which nothing uses.
    const send = (one: LambdaFunction, ...queues: { readonly queueArn: string }[]) =>
      one.addToRolePolicy(
        new PolicyStatement({
          sid: 'Send',
          actions: ['sqs:SendMessage'],
          resources: queues.map(({ queueArn }) => queueArn),
        }),
      );
    const { hints, publish: publishes, reports } = this.queues;
    send(ingest, hints);
    for (const one of [reconcile, publish, sweep]) send(one, hints, publishes, reports);
    const { region } = Stack.of(this);
    // As text if it is known: a reference is counted as longer than its text.
    const partition = (Token.isUnresolved(region) ? null : partitionOf(region)?.name) ?? Aws.PARTITION;
    for (const statement of publisherStatements(hostedZones, partition)) publish.addToRolePolicy(statement);
    for (const statement of readerStatements(hostedZones, partition, 'zones')) reconcile.addToRolePolicy(statement);
    for (const statement of readerStatements(hostedZones, partition, 'record-sets')) sweep.addToRolePolicy(statement);
    if (this.intents === null) return;
    const { handler: intents } = this.intents;
    for (const statement of tagStatements(hostedZones, partition)) intents.addToRolePolicy(statement);
    for (const one of [intents, reconcile, publish, sweep])
      for (const statement of roleStatements(assumeRoles)) one.addToRolePolicy(statement);
  }

  private consume(): void {
    const { reconcile, publish, report, ingest, sweep } = this.functions;
    const partial = { reportBatchItemFailures: true };
    reconcile.addEventSource(new SqsEventSource(this.queues.hints, { ...partial, batchSize: 10, maxConcurrency: 10 }));
    publish.addEventSource(new SqsEventSource(this.queues.publish, { ...partial, batchSize: 10, maxConcurrency: 5 }));
    report.addEventSource(new SqsEventSource(this.queues.reports, { ...partial, batchSize: 10, maxConcurrency: 2 }));
    const onFailure = new SqsDestination(this.queues.failedEvents);
    ingest.configureAsyncInvoke({ onFailure, maxEventAge: Duration.hours(6), retryAttempts: 2 });
    sweep.configureAsyncInvoke({ onFailure, maxEventAge: Duration.hours(1), retryAttempts: 1 });
  }

  private listen(props: Zone53Props, events: ReturnType<typeof eventsOf>, filter: string) {
    const { ingest, publish, sweep } = this.functions;
    const { sweepEvery } = events;
    new ScheduleSource(this, 'Schedule', {
      sweep,
      sweepEvery,
      measureEvery: MEASURE_EVERY,
      failed: this.queues.failedEvents,
    });
    if (events.auditLog && props.cluster.kind === 'eks') {
      new AuditLogSource(this, 'AuditLog', { clusterName: props.cluster.clusterName, ingest, filter });
    }
    const { failedEvents: failed } = this.queues;
    const url =
      events.webhook === 'none'
        ? null
        : new WebhookSource(this, 'Webhook', { handler: ingest, auth: events.webhook }).url;
    if (url !== null) new CfnOutput(this, 'WebhookUrl', { value: url.url });
    if (events.drift) new DriftSource(this, 'Drift', { sweep, failed, publish });
    const bus = events.bus ? new BusSource(this, 'Events', { ingest, failed }) : null;
    if (bus !== null) new CfnOutput(this, 'BusName', { value: bus.bus.eventBusName });
    return { bus, url };
  }
}
