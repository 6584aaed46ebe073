// The props of the construct Zone53: the keys of `zone53.yaml`, and what only CDK code can give. They are validated as
// strictly as the file.
import { Duration, type RemovalPolicy, Token } from 'aws-cdk-lib';
import type { IAlarmAction } from 'aws-cdk-lib/aws-cloudwatch';
import type { ITable } from 'aws-cdk-lib/aws-dynamodb';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import type { RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { IHostedZone } from 'aws-cdk-lib/aws-route53';
import type { IBucket } from 'aws-cdk-lib/aws-s3';
import type { Construct } from 'constructs';
import { auditFilterOf, type BudgetProps, type GuardProps } from '../functions/runtime/environment.ts';
import type { Thresholds } from '../lib/adapters/config/alarms-schema.ts';
import { formatConfigProblem, parseDeployed } from '../lib/adapters/config/deployed-config.ts';
import {
  buildEvents,
  eventProblems,
  eventsSchema,
  SWEEP_MINUTES_MAX,
  SWEEP_ONCE_A_DAY,
  type WebhookFront,
} from '../lib/adapters/config/events-schema.ts';
import type { Config } from '../lib/ports/config.ts';
import type { ConfiguredHostedZone } from '../lib/route53/hosted-zone-policy.ts';
import { type AccessProps, type ClusterProps, plainAccess } from './cluster-access.ts';
import type { WebhookAuth } from './event-sources.ts';
import { jsonOf, type LogLevel, type Network } from './lambda/pipeline-function.ts';
import type { ExternalDnsProps } from './settings/settings.ts';
import type { ConfigurationProps } from './storage/configuration.ts';

export interface RootProps {
  /** A name or pattern, such as `example.org.`; the final dot is optional. */
  readonly zone: string;
  /**
   * Namespaces whose Zones may have this name.
   *
   * @default - any
   */
  readonly namespaces?: readonly string[];
}

export interface HostedZoneProps {
  /** The name of the Zone, such as `example.org.` */
  readonly zone: string;
  /** The id of its hosted zone; may be a token, such as `publicHostedZone.hostedZoneId`. */
  readonly id: string;
  /**
   * Whether it answers queries of the internet, or only those of VPCs.
   *
   * @default - Route 53 is asked once
   */
  readonly visibility?: 'public' | 'private';
  /**
   * The account, of `accounts`, that has it.
   *
   * @default - that of the stack
   */
  readonly account?: string;
  /**
   * The view of the Zones that publish into it.
   *
   * @default public
   */
  readonly view?: string;
}

/** A view other than public. */
export interface ViewProps {
  /**
   * `internal`: Services and Ingresses whose load balancer is internal by their annotations are in this view.
   *
   * @default - they are in the view public
   */
  readonly loadBalancerScheme?: 'internal';
  /**
   * The view whose names this one has, too, where it does not ask for them itself.
   *
   * @default - none
   */
  readonly extends?: string;
}

/** Another AWS account with hosted zones. `zone53 manifests-for-account` prints the template of its role. */
export interface OtherAccountProps {
  /** The ARN of the role that the functions assume there; may be a token. */
  readonly role: string;
  /**
   * What the trust policy of the role asks for.
   *
   * @default - it asks for nothing
   */
  readonly externalId?: string;
  /**
   * Whether a DNS Update Record may name the role in `aws-assume-role`.
   *
   * @default false
   */
  readonly intents?: boolean;
}

/** Hosted zones as lists that only CloudFormation knows, such as parameters of a stack. */
export interface HostedZoneListProps {
  /** The ARNs of the hosted zones. */
  readonly arns: string[];
  /**
   * Their names, in lower case and without the final dot. NS and DS at these are denied in every hosted zone, so none
   * of the hosted zones can delegate to another.
   */
  readonly apexNames: string[];
}

export interface EventProps {
  /**
   * Ask the API server for changes, by a short watch of each kind; true: every minute. Whole minutes.
   *
   * @default true
   */
  readonly poll?: boolean | Duration;
  /**
   * Read the EKS audit log, all of it: some 8.5 GB a day at 200 nodes.
   *
   * @default false
   */
  readonly auditLog?: boolean;
  /**
   * An endpoint for webhooks and CloudEvents. `front`: `url`, a function URL; `httpApi`, an HTTP API of API Gateway;
   * `alb`, a target group for a load balancer of yours; `none`, an endpoint of your own that invokes the function
   * ingest. `auth`: `secret`, senders show a secret, or `iam`, they sign with IAM.
   *
   * @default - none; of a webhook, front `url` and auth `secret`
   */
  readonly webhook?: { readonly front?: WebhookFront; readonly auth?: WebhookAuth };
  /**
   * A second endpoint of the same kind, for a webhook that refuses invalid objects at `kubectl apply`. Needs a webhook
   * with the auth `secret`.
   *
   * @default false
   */
  readonly validate?: boolean;
  /**
   * Create an EventBridge bus for change events.
   *
   * @default false
   */
  readonly bus?: boolean;
  /**
   * Check a hosted zone when CloudTrail reports that somebody else changed it. Needs a trail, and outside of us-east-1
   * a `DriftForwarding` stack there.
   *
   * @default false
   */
  readonly drift?: boolean;
  /**
   * The time between two whole sweeps, a day at most.
   *
   * @default Duration.minutes(15)
   */
  readonly sweepEvery?: Duration;
}

export interface AlarmProps {
  /**
   * What alarms do that somebody must look at now, such as `[new SnsAction(topic)]`.
   *
   * @default - the same as `notify`
   */
  readonly page?: readonly IAlarmAction[];
  /**
   * What alarms do that can wait, such as those about what a tenant wrote.
   *
   * @default - nothing
   */
  readonly notify?: readonly IAlarmAction[];
  /**
   * The address of docs/runbook.md, for the descriptions of alarms.
   *
   * @default - the page of this version
   */
  readonly runbook?: string;
  /**
   * The number from which on an alarm rings (docs/reference.md); false: there is no such alarm.
   *
   * @default - the numbers there
   */
  readonly thresholds?: Thresholds;
}

/** One of several clusters. */
export interface ClusterOfFleetProps {
  /** As that of `Zone53Props`. */
  readonly roots: readonly RootProps[];
  /** As that of `Zone53Props`. */
  readonly access: AccessProps | ClusterProps;
  /** As that of `Zone53Props`. The front and the auth of `webhook` are the same for all clusters. */
  readonly events?: EventProps;
  /** As that of `Zone53Props`. */
  readonly sources?: Readonly<Record<string, unknown>>;
  /** As that of `Zone53Props`. */
  readonly takeover?: TakeoverProps;
  /**
   * Whether the cluster is on standby: its names are published where no other cluster asks for them.
   *
   * @default false
   */
  readonly standby?: boolean;
  /**
   * The AWS region of the cluster. In another region than that of the stack, EKS' access entries are made by hand.
   *
   * @default - that of the stack
   */
  readonly region?: string;
}

/** Which record sets zone53 may take over that it did not create. */
export interface TakeoverProps {
  readonly namespaces?: readonly string[];
  readonly equal?: boolean;
  readonly externalDns?: readonly ExternalDnsProps[];
}

export interface Zone53Props {
  /**
   * The cluster's name in ledger, log and Events.
   *
   * @default 'default'
   */
  readonly clusterId?: string;
  /**
   * Several clusters, by their ids (docs/fleet.md), in place of `clusterId`, `roots`, `access`, `events`, `sources` and
   * `takeover`.
   *
   * @default - one cluster
   */
  readonly clusters?: Readonly<Record<string, ClusterOfFleetProps>>;
  /**
   * As that of `ClusterOfFleetProps`.
   *
   * @default - that of the stack
   */
  readonly region?: string;
  /**
   * The names that may be roots: Zones without a parent. Without roots, anybody who may create a Zone could publish any
   * name. Needed unless `clusters` is given.
   */
  readonly roots?: readonly RootProps[];
  /**
   * The hosted zones that zone53 may change, and no others. It may be empty for Gardener's DNSRecords alone. Lists need
   * `configuration`.
   */
  readonly hostedZones: readonly (HostedZoneProps | IHostedZone)[] | HostedZoneListProps;
  /**
   * Which hosted zones get the SOA timers of their Zone. `created`: those that zone53 created, which in a deployment
   * are none; `always`: all; `never`: none.
   *
   * @default 'created'
   */
  readonly soa?: 'created' | 'always' | 'never';
  /**
   * The most deletes that the guard lets through within an hour.
   *
   * @default - 100 record sets, and 0.3 of those published
   */
  readonly guard?: GuardProps;
  /**
   * Calls of Route 53 that zone53 may make. The whole AWS account shares one limit.
   *
   * @default - 10 a second and 50 at once, of which a fifth is left to others
   */
  readonly budget?: BudgetProps;
  /**
   * The kinds that are read beside Zone and Record: the key `sources` of `zone53.yaml` (docs/reference.md).
   *
   * @default - none
   */
  readonly sources?: Readonly<Record<string, unknown>>;
  /**
   * Which record sets zone53 may take over that it did not create: the namespaces whose Zones may use the annotation
   * `zone53.dev/takeover`; whether the objects of these namespaces take over, without it, what already is as they want
   * it (`equal`); and the external-dns whose record sets may be taken over.
   *
   * @default - no Zone may, and nothing is taken over from an external-dns
   */
  readonly takeover?: TakeoverProps;
  /**
   * The intent API, behind a function URL with IAM authentication. A DNS Update Record may name the roles of `accounts`
   * with `intents`. `cluster`: the cluster of `clusters` that it is for.
   *
   * @default - no intent API
   */
  readonly intents?: { readonly cluster?: string };
  /**
   * Other AWS accounts that have hosted zones, by a name of your choice (docs/accounts.md).
   *
   * @default - all hosted zones are in the account of the stack
   */
  readonly accounts?: Readonly<Record<string, OtherAccountProps>>;
  /**
   * What holds in views other than public, by the names that `hostedZones` has (docs/views.md).
   *
   * @default - nothing
   */
  readonly views?: Readonly<Record<string, ViewProps>>;
  /**
   * How many health checks zone53 may make for each namespace, and for which namespaces (docs/aliases-and-routing.md).
   *
   * @default - it makes none
   */
  readonly healthChecks?: { readonly max: number; readonly namespaces?: readonly string[] };
  /** The API server. Needed unless `clusters` is given. */
  readonly access?: AccessProps | ClusterProps;
  /**
   * How changes are noticed before the next sweep.
   *
   * @default - polls every minute
   */
  readonly events?: EventProps;
  /**
   * The VPC of the functions that call the API server, for a private endpoint. It needs a route to SQS, DynamoDB and
   * Route 53, such as a NAT gateway.
   *
   * @default - no VPC
   */
  readonly network?: Network;
  /**
   * Concurrent executions reserved for a function, which are also its maximum; 0 reserves none. A function URL takes
   * ten requests a second for each. Lambda keeps 100 of the account unreserved, so the defaults need a quota of 126.
   *
   * @default - 20 of ingest with a webhook, 5 of validate, 1 of sweep
   */
  readonly reservedConcurrency?: { readonly ingest?: number; readonly validate?: number; readonly sweep?: number };
  /**
   * An existing table to use as the ledger.
   *
   * @default - a new table
   */
  readonly table?: ITable;
  /**
   * An existing object in S3 to read the configuration from, which you write. The stack still gets its rights from the
   * other props.
   *
   * @default - a new bucket, with an object that a deployment writes
   */
  readonly configuration?: ConfigurationProps;
  /**
   * Whom alarms tell, and from which number on.
   *
   * @default - alarms notify nobody
   */
  readonly alarms?: AlarmProps;
  /**
   * `full`: every alarm, metric and the dashboard. `lean`: four alarms, the metrics that they need, and no dashboard.
   *
   * @default 'full'
   */
  readonly observability?: 'full' | 'lean';
  /**
   * @default RetentionDays.ONE_MONTH
   */
  readonly logRetention?: RetentionDays;
  /**
   * What becomes of the logs when the stack is deleted. They say who changed which record set.
   *
   * @default RemovalPolicy.RETAIN
   */
  readonly logRemovalPolicy?: RemovalPolicy;
  /**
   * @default 'INFO'
   */
  readonly logLevel?: LogLevel;
  /**
   * Traces of X-Ray for every function.
   *
   * @default false
   */
  readonly tracing?: boolean;
  /**
   * The KMS key of table, queues, logs, secrets and configuration. The policy of a key that was looked up must allow
   * what docs/iam.md lists.
   *
   * @default - keys of AWS
   */
  readonly encryptionKey?: IKey;
  /**
   * Whether services may assume the roles on behalf of this account only, by `aws:SourceAccount`. Nobody has tried it
   * on a real account.
   *
   * @default false
   */
  readonly trustConditions?: boolean;
  /**
   * The value of the dimension `service` of all metrics. Deployments of one account and region need different ones.
   *
   * @default - made of the path of the construct
   */
  readonly service?: string;
  /**
   * The folder with the functions' bundles.
   *
   * @default - what `npm run build` wrote, or what came with the package
   */
  readonly bundles?: string;
  /**
   * The functions' zips of a release, in place of `bundles`.
   *
   * @default - the bundles, as assets
   */
  readonly code?: CodeProps;
}

/** Zips in S3, each named for its function. */
export interface CodeProps {
  /** A bucket of the stack's region. */
  readonly bucket: IBucket;
  /** What is before the name of each zip, such as `zone53/0.1.0/`. */
  readonly prefix: string;
}

/** The props with the ids of hosted zones. */
export type PlainProps = Omit<Zone53Props, 'hostedZones'> & {
  readonly hostedZones: readonly HostedZoneProps[] | HostedZoneListProps;
};

/** Takes the ids of constructs. */
export function plainProps(props: Zone53Props): PlainProps {
  const { hostedZones: given } = props;
  const hostedZones = isLists(given)
    ? given
    : given?.map((one) => ('hostedZoneId' in one ? { zone: one.zoneName, id: one.hostedZoneId } : one));
  return { ...props, hostedZones };
}

/** One cluster of the props. `isNamed`: it is of `clusters`. `events`: with defaults. */
export type PlainCluster = {
  readonly id: string;
  readonly isNamed: boolean;
  readonly access: AccessProps;
  readonly events: ReturnType<typeof eventsOf>;
  readonly region: string | null;
  /** Its other keys. */
  readonly given: Omit<Partial<ClusterOfFleetProps>, 'access' | 'events'>;
};

/** Every cluster of the props. Throws an Error with the path of a key that is missing or contradicts the cluster. */
export function clustersOf(props: PlainProps): readonly [PlainCluster, ...PlainCluster[]] {
  const named = Object.entries(props.clusters ?? {});
  const one = (id: string, isNamed: boolean, given: Partial<ClusterOfFleetProps>): PlainCluster => {
    const at = isNamed ? `clusters.${id}.` : '';
    const { access, events = {}, ...keys } = given;
    if (access === undefined) throw new Error(`${at}access: missing: write where the API server is`);
    const plain = plainAccess(access);
    const { region = null } = keys;
    return { id, isNamed, access: plain, region, events: eventsOf({ access: plain, events }, at), given: keys };
  };
  const besides = (['access', 'events'] as const).find((key) => props[key] !== undefined);
  if (named.length > 0 && besides !== undefined)
    throw new Error(`${besides}: this is the short form of clusters.${named[0]?.[0]}, which is there, too: remove one`);
  const [first, ...others] = named.map(([id, given]) => one(id, true, given));
  return first === undefined ? [one(props.clusterId ?? 'default', false, props)] : [first, ...others];
}

/** The settings of `events`, with defaults. Throws an Error with the path of a key that contradicts the cluster. */
function eventsOf({ access, events }: { readonly access: AccessProps; readonly events: EventProps }, at: string) {
  const { poll, webhook, sweepEvery = Duration.minutes(15), ...flags } = events;
  const isEks = access.kind === 'eks';
  if (sweepEvery.toSeconds() > SWEEP_MINUTES_MAX * 60) throw new Error(`${at}events.sweepEvery: ${SWEEP_ONCE_A_DAY}`);
  const seconds = typeof poll === 'object' ? poll.toSeconds() : poll;
  const written = eventsSchema.safeParse({ ...flags, webhook, poll: seconds });
  const [issue] = written.error?.issues ?? [];
  if (issue !== undefined) throw new Error(`${at}events.${issue.path.join('.')}: ${issue.message}`);
  const settings = buildEvents(written.data ?? null);
  const [problem] = eventProblems(settings, isEks);
  if (problem !== undefined) throw new Error(`${at}events.${problem.key}: ${problem.message}`);
  return { ...settings, sweepEvery };
}

/** What the stack listens to: all that one of its clusters asks for, as often as one of them asks for it. */
export function eventsOfAll(clusters: readonly PlainCluster[]) {
  const all = clusters.map(({ events }) => events);
  const polls = all.flatMap(({ poll }) => poll ?? []);
  const sweeps = all.map(({ sweepEvery }) => sweepEvery).toSorted((a, b) => a.toSeconds() - b.toSeconds());
  return {
    poll: polls.length === 0 ? null : Math.min(...polls),
    webhook: all.find(({ webhook }) => webhook !== null)?.webhook ?? null,
    validate: all.some(({ validate }) => validate),
    bus: all.some(({ bus }) => bus),
    drift: all.some(({ drift }) => drift),
    sweepEvery: sweeps[0] ?? Duration.minutes(15),
    /** The longest time between two sweeps of a cluster. */
    sweptAfter: sweeps.at(-1) ?? Duration.minutes(15),
  };
}

/** Props that are under `aws` in `zone53.yaml`, or not in the file, and those whose values may be tokens. */
const NOT_OF_THE_FILE: Readonly<Record<Exclude<keyof Zone53Props, keyof Config | 'views'> | 'hostedZones', true>> = {
  hostedZones: true,
  clusters: true,
  access: true,
  events: true,
  network: true,
  reservedConcurrency: true,
  table: true,
  configuration: true,
  alarms: true,
  observability: true,
  logRetention: true,
  logLevel: true,
  logRemovalPolicy: true,
  tracing: true,
  encryptionKey: true,
  trustConditions: true,
  service: true,
  bundles: true,
  code: true,
};

function isLists(hostedZones: Zone53Props['hostedZones']): hostedZones is HostedZoneListProps {
  return typeof hostedZones === 'object' && 'arns' in hostedZones;
}

/** The roles of other accounts, by their ARNs. */
export function rolesOf({ accounts = {} }: PlainProps): readonly string[] {
  return [...new Set(Object.values(accounts).map(({ role }) => role))];
}

/** The hosted zones as lists; null if they are given one by one. */
export function hostedZoneLists({ hostedZones }: PlainProps): HostedZoneListProps | null {
  return isLists(hostedZones) ? hostedZones : null;
}

/** The hosted zones one by one; in place of lists, one that is made up. */
function eachHostedZone(scope: Construct, props: PlainProps): readonly HostedZoneProps[] {
  if (!isLists(props.hostedZones)) return props.hostedZones;
  if (props.configuration !== undefined) return [{ zone: 'made-up.example', id: 'ZMADEUP' }];
  throw new Error(
    `Cannot deploy ${scope.node.path}:\n  hostedZones: lists do not say which hosted zone is whose: write the configuration yourself, and give configuration`,
  );
}

/** What stands in for values that only CloudFormation knows, while the rest of the configuration is judged. */
const MADE_UP = {
  role: 'arn:aws:iam::111122223333:role/made-up',
  eks: 'made-up',
  endpoint: 'https://made-up.example',
  certificateAuthority: 'TFMw',
  tokenSecret: 'arn:aws:secretsmanager:eu-west-1:111122223333:secret:made-up-AbCdEf',
} as const;

/** The value; the made-up one if only CloudFormation knows it. */
function known(value: string, madeUp: string): string {
  return Token.isUnresolved(value) ? madeUp : value;
}

/** The key `access` of `zone53.yaml`. */
function writtenAccess(access: AccessProps): Readonly<Record<'endpoint', string>> & Readonly<Record<string, unknown>> {
  const { endpoint, certificateAuthority } = access;
  const common = { endpoint, ...(certificateAuthority === undefined ? {} : { certificateAuthority }) };
  if (access.kind === 'token') return { ...common, tokenSecret: access.tokenSecret.secretArn };
  const { clusterName: eks, accessEntries } = access;
  return { eks, ...common, ...(accessEntries === undefined ? {} : { accessEntries }) };
}

/** The key `events` of `zone53.yaml`. */
function writtenEvents({ sweepEvery, webhook, poll, ...flags }: PlainCluster['events']): object {
  const { sweepMinutes: _, ...asked } = flags;
  const minutes = Math.ceil(sweepEvery.toSeconds() / 60);
  return { ...asked, poll: poll ?? false, webhook, sweepMinutes: minutes };
}

/** The configuration for the functions, and its hosted zones. Throws an Error with the path of every invalid key. */
export function readSettings(
  scope: Construct,
  props: PlainProps,
  clusters: readonly PlainCluster[],
): {
  readonly settings: string;
  readonly hostedZones: readonly ConfiguredHostedZone[];
  /** The filter pattern for lines of an audit log about the kinds that are read, of each cluster. */
  readonly auditFilters: readonly string[];
} {
  const hostedZones = eachHostedZone(scope, props);
  const given = Object.entries(props).filter(([key]) => !(key in NOT_OF_THE_FILE));
  const written = JSON.parse(JSON.stringify(Object.fromEntries(given))) as object;
  /** The keys of the clusters; `madeUp`: with values in place of those that only CloudFormation knows. */
  const ofClusters = (madeUp: boolean): object => {
    const accessOf = ({ access }: PlainCluster, index: number) =>
      madeUp ? knownAccess(writtenAccess(access), index) : writtenAccess(access);
    const [first] = clusters;
    if (first?.isNamed === false) return { access: accessOf(first, 0) };
    const keys = clusters.map((one, index) => {
      const access = accessOf(one, index);
      return [
        one.id,
        { ...(JSON.parse(JSON.stringify(one.given)) as object), access, events: writtenEvents(one.events) },
      ];
    });
    return { clusters: Object.fromEntries(keys) };
  };
  // The same id stands in for the same token.
  const zones = hostedZones?.map(({ zone, id, visibility, account, view }) => ({
    zone,
    id: known(id, `ZTOKEN${hostedZones.findIndex((other) => other.id === id)}`),
    ...(visibility === undefined ? {} : { visibility }),
    ...(account === undefined ? {} : { account }),
    ...(view === undefined ? {} : { view }),
  }));
  const accounts = Object.entries(props.accounts ?? {}).map(
    ([name, one]) => [name, { ...one, role: known(one.role, MADE_UP.role) }] as const,
  );
  const judged = parseDeployed({
    ...written,
    ...(props.accounts === undefined ? {} : { accounts: Object.fromEntries(accounts) }),
    hostedZones: zones,
    ...ofClusters(true),
  });
  if (!judged.ok) {
    const problems = judged.problems.map((problem) => `  ${formatConfigProblem(problem)}`);
    throw new Error(`Cannot deploy ${scope.node.path}:\n${problems.join('\n')}`);
  }
  const [{ config }] = judged.clusters;
  const configured = config.hostedZones.map(({ id, ...hostedZone }, index) => {
    const own = hostedZones[index]?.id ?? id;
    return { ...hostedZone, id: Token.isUnresolved(own) ? own : id };
  });
  const settings = jsonOf(scope, { ...written, hostedZones: configured, ...ofClusters(false) });
  return { settings, hostedZones: configured, auditFilters: judged.clusters.map((one) => auditFilterOf(one.config)) };
}

/** The access of a cluster, with values in place of those that only CloudFormation knows. */
function knownAccess(access: ReturnType<typeof writtenAccess>, index: number): object {
  const ofKey = (key: string) => `${MADE_UP[key as keyof typeof MADE_UP]}${key === 'eks' && index > 0 ? index : ''}`;
  return Object.fromEntries(
    Object.entries(access).map(([key, value]) => [
      key,
      typeof value === 'string' && key in MADE_UP ? known(value, ofKey(key)) : value,
    ]),
  );
}
