// The construct that deploys zone53: `new Zone53(this, 'Zone53', { roots, hostedZones, access })`, or with `clusters`.
// Its props have the defaults of `zone53.yaml`, but `roots` is required. The keys under `aws` are props, too.
import { Annotations, Aws, CfnOutput, Duration, Names, RemovalPolicy, Stack, Token, Validations } from 'aws-cdk-lib';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { FunctionUrl, Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { SqsDestination } from 'aws-cdk-lib/aws-lambda-destinations';
import { SqsEventSource } from 'aws-cdk-lib/aws-lambda-event-sources';
import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { CONFIGURATION_PARTITION, type FunctionName } from '../functions/runtime/environment.ts';
import type { WebhookFront } from '../lib/adapters/config/events-schema.ts';
import {
  type ConfiguredHostedZone,
  type GrantedHostedZones,
  grantedHostedZones,
  healthCheckMakerStatements,
  healthCheckTidierStatements,
  publisherStatements,
  readerStatements,
  roleStatements,
  type Statement,
  tagStatements,
} from '../lib/route53/hosted-zone-policy.ts';
import { partitionOf } from '../lib/route53/partition.ts';
import { allowReading, ClusterAccess, isElsewhere } from './cluster-access.ts';
import {
  AuditLogSource,
  BusSource,
  DriftSource,
  QUEUE_KEY_ACTIONS,
  ScheduleSource,
  senderSecret,
  WebhookSource,
} from './event-sources.ts';
import { keyStatements } from './iam/key-policy.ts';
import { policyStatements } from './iam/publisher-policy.ts';
import { setTrustConditions } from './iam/service-role.ts';
import { IntentApi } from './intent-api.ts';
import { urlProblems } from './lambda/function-urls.ts';
import { bundlesFolder, type Network, pipelineFunction } from './lambda/pipeline-function.ts';
import { MEMORY_MB, TIMEOUTS } from './lambda/sizes.ts';
import { Observability } from './observability.ts';
import { ConfigurationObject } from './storage/configuration.ts';
import { allowServices } from './storage/encryption.ts';
import { Ledger } from './storage/ledger.ts';
import { Queues } from './storage/queues.ts';
import {
  clustersOf,
  eventsOfAll,
  hostedZoneLists,
  type PlainCluster,
  type PlainProps,
  plainProps,
  readSettings,
  rolesOf,
  type Zone53Props,
} from './zone53-props.ts';

// The types that a user of the package needs.
export type { AccessProps, ClusterProps } from './cluster-access.ts';
export type { ObservabilityProps } from './observability.ts';
export { Observability } from './observability.ts';
export type { ConfigurationProps } from './storage/configuration.ts';
export type {
  AlarmProps,
  ClusterOfFleetProps,
  CodeProps,
  EventProps,
  HostedZoneListProps,
  HostedZoneProps,
  RootProps,
  TakeoverProps,
  Zone53Props,
} from './zone53-props.ts';

/**
 * Reserved concurrent executions, which also limit what a flood of requests can cost. A function URL takes ten requests
 * a second for each. When an API server is throttled, a hint is lost, or a write passes without a verdict.
 */
const RESERVED = { ingest: 20, validate: 5, sweep: 1 } as const;
/** What Lambda keeps unreserved in every account (PutFunctionConcurrency). Last verified 2026-11-22. */
const UNRESERVED_MIN = 100;
const MEASURE_EVERY = Duration.minutes(5);

/** Functions that not every stack has. */
type OptionalFunction = 'poll' | 'validate' | 'intents' | 'configure';

type Make = <Name extends FunctionName>(
  name: Name,
  description: string,
  environment: Parameters<typeof pipelineFunction<Name>>[1]['environment'],
  more?: { readonly reservedConcurrency?: number; readonly network?: Network | undefined },
) => LambdaFunction;

/** zone53 for one cluster, or for several. */
export class Zone53 extends Construct {
  readonly ledger: Ledger;
  readonly queues: Queues;
  /** The object in S3 that has the configuration. */
  readonly configuration: ConfigurationObject;
  readonly functions: Readonly<Record<Exclude<FunctionName, OptionalFunction>, LambdaFunction>>;
  /** The function that polls, if `events.poll` is not false. */
  readonly poll: LambdaFunction | null;
  /** The function of the validating webhook, if `events.validate` is true. */
  readonly validate: LambdaFunction | null;
  /** The intent API, if `intents` is given. */
  readonly intents: IntentApi | null;
  /** The event bus, if `events.bus` is true. */
  readonly bus: BusSource | null;
  /** What brings requests to the function ingest, if there is an `events.webhook`. */
  readonly webhook: WebhookSource | null;
  /**
   * The function URL, if `events.webhook` has the front `url`. With the auth `iam`, its `grantInvokeUrl` lets a sender
   * use it.
   */
  readonly url: FunctionUrl | null;
  /** The alarms. */
  readonly observability: Observability;
  private reserved = 0;

  constructor(scope: Construct, id: string, given: Zone53Props) {
    super(scope, id);
    const props = plainProps(given);
    setTrustConditions(this, props.trustConditions ?? false);
    const clusters = clustersOf(props);
    const { settings, hostedZones, auditFilters } = readSettings(this, props, clusters);
    const events = eventsOfAll(clusters);
    refuseUrls(this, { ...events, intents: props.intents !== undefined });
    const { encryptionKey, table } = props;
    if (encryptionKey !== undefined) allowServices(this, encryptionKey);
    this.ledger = new Ledger(this, 'Ledger', { ...(table === undefined ? {} : { table }), encryptionKey });
    const visible = {
      hints: Duration.seconds(6 * TIMEOUTS.reconcile.toSeconds() + 60),
      publish: Duration.seconds(6 * TIMEOUTS.publish.toSeconds() + 60),
      reports: Duration.seconds(6 * TIMEOUTS.report.toSeconds() + 60),
    };
    this.queues = new Queues(this, 'Queues', visible, encryptionKey);
    this.configuration = new ConfigurationObject(this, 'Configuration', props.configuration, encryptionKey);
    const { poll, validate, intents, configure, ...functions } = this.makeFunctions(props, clusters, events);
    this.functions = functions;
    this.poll = poll;
    this.validate = validate;
    this.intents = intents;
    this.configureWith(configure, settings);
    this.grant(this.granted(props, hostedZones), rolesOf(props));
    if (props.healthChecks !== undefined) this.grantHealthChecks();
    const externalDns = clusters.flatMap((one) => one.given.takeover?.externalDns ?? []);
    const keys = externalDns.flatMap(({ aesKeySecret }) => aesKeySecret ?? []);
    for (const statement of keyStatements(keys)) this.functions.publish.addToRolePolicy(statement);
    for (const one of this.all()) encryptionKey?.grant(one, ...QUEUE_KEY_ACTIONS);
    this.consume();
    const { reconcile, report, sweep } = this.functions;
    const polling = poll === null ? {} : { poll };
    const ofCluster = { reconcile, report, sweep, ...polling };
    new ClusterAccess(this, 'Access', { clusters, functions: ofCluster, group: 'zone53' });
    const listening = this.listen(clusters, events, auditFilters, hostedZones);
    this.bus = listening.bus;
    this.webhook = listening.webhook;
    this.url = listening.webhook?.url ?? null;
    this.observability = new Observability(this, 'Observability', {
      ...props.alarms,
      level: props.observability ?? 'full',
      service: this.service(props),
      functions: {
        ...this.functions,
        ...polling,
        ...(validate === null ? {} : { validate }),
        ...(intents === null ? {} : { intents: intents.handler }),
      },
      queues: { hints: this.queues.hints, publish: this.queues.publish, reports: this.queues.reports },
      deadLetters: this.queues.deadLetters,
      sweepEvery: events.sweptAfter,
      hasWebhook: events.webhook !== null,
    });
    Annotations.of(this).addInfo(
      `The account needs a quota of ${UNRESERVED_MIN + this.reserved} concurrent executions: ${this.reserved} are reserved, and Lambda keeps ${UNRESERVED_MIN} for others`,
    );
    // The trust policies of other accounts name these roles.
    const assuming = Object.keys(props.accounts ?? {}).length === 0 ? {} : { publish: this.functions.publish };
    for (const [name, { role }] of Object.entries({ ...ofCluster, ...assuming })) {
      new CfnOutput(this, `${name}Role`, { value: (role as NonNullable<typeof role>).roleArn });
    }
    const [{ access }, second] = clusters;
    if (access.kind === 'eks' && second === undefined) new CfnOutput(this, 'EksCluster', { value: access.clusterName });
    new CfnOutput(this, 'Table', { value: this.ledger.table.tableName });
    const { bucket, key } = this.configuration;
    new CfnOutput(this, 'ConfigurationObject', { value: bucket.s3UrlForObject(key) });
  }

  private service({ service }: PlainProps): string {
    return service ?? Names.uniqueResourceName(this, {});
  }

  private makeFunctions(
    props: PlainProps,
    clusters: readonly [PlainCluster, ...PlainCluster[]],
    { poll, webhook, validate }: ReturnType<typeof eventsOfAll>,
  ) {
    const { hints, publish, reports } = this.queues;
    const common = {
      service: this.service(props),
      code: props.code ?? props.bundles ?? bundlesFolder(),
      logLevel: props.logLevel ?? 'INFO',
      logRetention: props.logRetention ?? RetentionDays.ONE_MONTH,
      logRemovalPolicy: props.logRemovalPolicy ?? RemovalPolicy.RETAIN,
      tracing: props.tracing ?? false,
      encryptionKey: props.encryptionKey,
    };
    const secret =
      webhook?.auth === 'secret'
        ? senderSecret(this, 'SenderSecret', 'those who send it events', props.encryptionKey)
        : null;
    const configured = {
      ZONE53_TABLE: this.ledger.table.tableName,
      ZONE53_CONFIG_BUCKET: this.configuration.bucket.bucketName,
      ZONE53_CONFIG_KEY: this.configuration.key,
      ZONE53_METRICS: props.observability ?? 'full',
    };
    const ZONE53_HINTS_URL = hints.queueUrl;
    const urls = { ZONE53_HINTS_URL, ZONE53_PUBLISH_URL: publish.queueUrl, ZONE53_REPORTS_URL: reports.queueUrl };
    const pipeline = { ...configured, ...urls };
    const make: Make = (name, description, environment, more = {}) => {
      const sizes = { timeout: TIMEOUTS[name], memoryMb: MEMORY_MB[name] };
      return pipelineFunction(this, { ...common, ...sizes, ...more, name, description, environment });
    };
    const { network } = props;
    const ingest = make(
      'ingest',
      'turns events into hints',
      { ...configured, ZONE53_HINTS_URL, ZONE53_SENDER_SECRET: secret?.secretArn ?? null },
      webhook === null ? {} : this.reserve(props, 'ingest'),
    );
    if (secret !== null) allowReading(ingest, secret, 'ReadSenderSecret');
    if (secret !== null) new CfnOutput(this, 'SenderSecretArn', { value: secret.secretArn });
    const publisher = make('publish', 'publishes dirty names to Route 53', pipeline);
    const publisherRole = (publisher.role as NonNullable<typeof publisher.role>).roleArn;
    return {
      ingest,
      reconcile: make('reconcile', 'observes objects and updates names', pipeline, { network }),
      publish: publisher,
      report: make(
        'report',
        'writes status back to the objects',
        {
          ...configured,
          ZONE53_REPORTS_URL: urls.ZONE53_REPORTS_URL,
        },
        { network },
      ),
      sweep: make(
        'sweep',
        'compares everything, on a schedule',
        {
          ...pipeline,
          ZONE53_OWN_ROLES: Stack.of(this).toJsonString([publisherRole]),
        },
        { network, ...this.reserve(props, 'sweep') },
      ),
      poll:
        poll === null
          ? null
          : make(
              'poll',
              'asks the API server for changes, on a schedule',
              { ...configured, ZONE53_HINTS_URL, ZONE53_REPORTS_URL: urls.ZONE53_REPORTS_URL },
              { network },
            ),
      configure:
        props.configuration === undefined
          ? make('configure', 'writes the configuration of the stack to S3', {
              ZONE53_CONFIG_BUCKET: configured.ZONE53_CONFIG_BUCKET,
              ZONE53_CONFIG_KEY: configured.ZONE53_CONFIG_KEY,
              ZONE53_METRICS: configured.ZONE53_METRICS,
            })
          : null,
      validate:
        validate && webhook !== null ? this.makeDoorkeeper(props, clusters, make, configured, webhook.front) : null,
      intents:
        props.intents === undefined
          ? null
          : new IntentApi(this, 'IntentApi', {
              handler: make(
                'intents',
                'keeps DNS Update Records and makes DNS of them',
                { ...configured, ZONE53_HINTS_URL },
                { network },
              ),
              ledger: this.ledger,
              hints,
              cluster: clusters.find(({ id }) => id === props.intents?.cluster) ?? clusters[0],
            }),
    };
  }

  private reserve({ reservedConcurrency = {} }: PlainProps, name: keyof typeof RESERVED) {
    const reserved = reservedConcurrency[name] ?? RESERVED[name];
    this.reserved += reserved;
    return reserved === 0 ? {} : { reservedConcurrency: reserved };
  }

  /**
   * Makes the validating webhook. It has a URL and a secret of its own, so that who may ask for verdicts may not send
   * hints.
   */
  private makeDoorkeeper(
    props: PlainProps,
    clusters: readonly PlainCluster[],
    make: Make,
    environment: Omit<Parameters<typeof pipelineFunction<'validate'>>[1]['environment'], 'ZONE53_SENDER_SECRET'>,
    front: WebhookFront,
  ): LambdaFunction {
    const { network } = props;
    const secret = senderSecret(this, 'ValidateSecret', 'API servers that ask for a verdict', props.encryptionKey);
    const validate = make(
      'validate',
      'refuses writes that the rules refuse',
      { ...environment, ZONE53_SENDER_SECRET: secret.secretArn },
      { network, ...this.reserve(props, 'validate') },
    );
    allowReading(validate, secret, 'ReadSenderSecret');
    new CfnOutput(this, 'ValidateSecretArn', { value: secret.secretArn });
    const asking = clusters.filter(({ events }) => events.validate);
    new ClusterAccess(this, 'ValidateAccess', { clusters: asking, functions: { validate }, group: 'zone53-validate' });
    new WebhookSource(this, 'Door', { handler: validate, auth: 'secret', front }).output(this, 'Validate');
    new CfnOutput(this, 'validateRole', { value: (validate.role as NonNullable<typeof validate.role>).roleArn });
    return validate;
  }

  /**
   * Lets all functions read the configuration. If the stack has its own, it is written before a function gets new code:
   * while code does not know a key of the configuration, the last valid version stays in force.
   */
  private configureWith(configure: LambdaFunction | null, settings: string): void {
    const written = configure === null ? null : this.configuration.writeWith(configure, settings);
    for (const one of this.all()) {
      this.configuration.grantRead(one);
      if (written !== null) one.node.addDependency(written);
    }
    for (const one of [this.functions.ingest, this.validate])
      if (one !== null) this.ledger.grantReadOf(one, CONFIGURATION_PARTITION);
  }

  /** All functions that work by the configuration. */
  private all(): readonly LambdaFunction[] {
    const more = [this.poll, this.validate, this.intents?.handler ?? null].filter((one) => one !== null);
    return [...Object.values(this.functions), ...more];
  }

  private granted(props: PlainProps, hostedZones: Parameters<typeof grantedHostedZones>[0]): GrantedHostedZones {
    const { region } = Stack.of(this);
    // As text if it is known: a reference is counted as longer than its text.
    const partition = (Token.isUnresolved(region) ? null : partitionOf(region)?.name) ?? Aws.PARTITION;
    const lists = hostedZoneLists(props);
    const own = hostedZones.filter(({ account }) => account === undefined);
    const granted = grantedHostedZones(lists === null ? own : [], partition);
    return lists === null ? granted : { ...granted, ...lists };
  }

  private grant(hostedZones: GrantedHostedZones, assumeRoles: readonly string[]): void {
    const { ingest, reconcile, publish, report, sweep } = this.functions;
    for (const one of [reconcile, publish, report, sweep, this.poll]) if (one !== null) this.ledger.grantUse(one);
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
    send(report, reports);
    if (this.poll !== null) send(this.poll, hints, reports);
    const allow = (one: LambdaFunction, statements: readonly Statement[]) => {
      for (const statement of policyStatements(statements)) one.addToRolePolicy(statement);
    };
    allow(publish, publisherStatements(hostedZones));
    allow(reconcile, readerStatements(hostedZones, 'zones'));
    allow(sweep, readerStatements(hostedZones, 'record-sets'));
    for (const { role } of [reconcile, sweep])
      if (role !== undefined)
        Validations.of(role).acknowledge({
          id: 'AwsSolutions-IAM5[Resource::arn:aws:route53:::change/*]',
          reason: 'Route 53 gives each change an id of its own, so those of a hosted zone cannot be named.',
        });
    const intents = this.intents?.handler ?? null;
    for (const one of [intents, reconcile, publish, sweep]) if (one !== null) allow(one, roleStatements(assumeRoles));
    if (intents !== null) allow(intents, tagStatements(hostedZones));
  }

  private grantHealthChecks(): void {
    const { publish, sweep } = this.functions;
    for (const one of policyStatements(healthCheckMakerStatements())) publish.addToRolePolicy(one);
    for (const one of policyStatements(healthCheckTidierStatements())) sweep.addToRolePolicy(one);
  }

  private consume(): void {
    const { reconcile, publish, report, ingest, sweep } = this.functions;
    const partial = { reportBatchItemFailures: true };
    reconcile.addEventSource(new SqsEventSource(this.queues.hints, { ...partial, batchSize: 10, maxConcurrency: 10 }));
    // One hosted zone an invocation: in a batch, one would wait for the runs of the others.
    publish.addEventSource(new SqsEventSource(this.queues.publish, { ...partial, batchSize: 1, maxConcurrency: 5 }));
    report.addEventSource(new SqsEventSource(this.queues.reports, { ...partial, batchSize: 10, maxConcurrency: 2 }));
    const onFailure = new SqsDestination(this.queues.failedEvents);
    ingest.configureAsyncInvoke({ onFailure, maxEventAge: Duration.hours(6), retryAttempts: 2 });
    sweep.configureAsyncInvoke({ onFailure, maxEventAge: Duration.hours(1), retryAttempts: 1 });
    // The next poll finds what this one did not.
    this.poll?.configureAsyncInvoke({ maxEventAge: Duration.minutes(1), retryAttempts: 0 });
  }

  private listen(
    clusters: readonly PlainCluster[],
    events: ReturnType<typeof eventsOfAll>,
    filters: readonly string[],
    hostedZones: readonly ConfiguredHostedZone[],
  ) {
    const { ingest, publish, sweep } = this.functions;
    const task = (handler: LambdaFunction, due: string, every: Duration, description: string) => ({
      ...{ handler, due, every, description },
    });
    new ScheduleSource(this, 'Schedule', {
      tasks: {
        Sweep: task(sweep, 'sweep', events.sweepEvery, 'compare everything'),
        Measure: task(sweep, 'measure', MEASURE_EVERY, 'measure how far behind it is'),
        ...(this.poll !== null &&
          events.poll !== null && {
            Poll: task(this.poll, 'poll', Duration.seconds(events.poll), 'ask the API server for changes'),
          }),
      },
      failed: this.queues.failedEvents,
    });
    for (const [index, { id, isNamed, access, region, events: own }] of clusters.entries()) {
      if (!own.auditLog || access.kind !== 'eks') continue;
      if (isElsewhere(this, region))
        throw new Error(
          `${isNamed ? `clusters.${id}.` : ''}events.auditLog: the log of a cluster in ${region} cannot be read from another region: write webhook: { front: url } instead`,
        );
      const { clusterName } = access;
      const filter = filters[index] ?? '';
      new AuditLogSource(this, `AuditLog-${id}`, { clusterName, ingest, filter });
    }
    const { failedEvents: failed } = this.queues;
    const webhook =
      events.webhook === null ? null : new WebhookSource(this, 'Webhook', { handler: ingest, ...events.webhook });
    webhook?.output(this, 'Webhook');
    const hostedZoneIds = hostedZones.map(({ id }) => id);
    if (events.drift) new DriftSource(this, 'Drift', { hostedZoneIds, sweep, failed, publish });
    const bus = events.bus ? new BusSource(this, 'Events', { ingest, failed }) : null;
    if (bus !== null) new CfnOutput(this, 'BusName', { value: bus.bus.eventBusName });
    return { bus, webhook };
  }
}

/** Throws an Error if the stack would have a function URL in a region without. */
function refuseUrls(scope: Construct, wanted: Parameters<typeof urlProblems>[1]): void {
  const { region } = Stack.of(scope);
  const [problem] = Token.isUnresolved(region) ? [] : urlProblems(region, wanted);
  if (problem !== undefined) throw new Error(`${problem.path.join('.')}: ${problem.message}`);
}
