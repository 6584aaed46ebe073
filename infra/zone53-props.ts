// The props of the construct Zone53: the keys of `zone53.yaml`, and what only CDK code can give. They are validated as
// strictly as the file.
import { Duration, Token } from 'aws-cdk-lib';
import type { IAlarmAction } from 'aws-cdk-lib/aws-cloudwatch';
import type { ITable } from 'aws-cdk-lib/aws-dynamodb';
import type { RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import { auditFilterOf, type GuardProps, parseSettings, settingsProblems } from '../functions/runtime/environment.ts';
import type { ClusterProps } from './cluster-access.ts';
import type { WebhookAuth } from './event-sources.ts';
import type { ConfiguredHostedZone } from './iam/publisher-policy.ts';
import { jsonOf, type Network } from './lambda/pipeline-function.ts';
import { SWEEP_MINUTES_MAX, SWEEP_ONCE_A_DAY, VALIDATE_NEEDS_SECRET } from './settings/aws-settings.ts';
import type { ExternalDnsProps } from './settings/settings.ts';

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
}

export interface EventProps {
  /**
   * Read the EKS audit log.
   *
   * @default true for a cluster of kind `eks`
   */
  readonly auditLog?: boolean;
  /**
   * A function URL for webhooks and CloudEvents. `secret`: senders show a secret; `iam`: they sign with IAM; `none`: no
   * URL.
   *
   * @default 'none'
   */
  readonly webhook?: WebhookAuth | 'none';
  /**
   * A second function URL, for a webhook that refuses invalid objects at `kubectl apply`. Needs `webhook: 'secret'`.
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

export interface Zone53Props {
  /**
   * The cluster's name in ledger, log and Events.
   *
   * @default 'default'
   */
  readonly clusterId?: string;
  /**
   * The names that may be roots: Zones without a parent. Without roots, anybody who may create a Zone could publish any
   * name.
   */
  readonly roots: readonly RootProps[];
  /** The hosted zones that zone53 may change, and no others. It may be empty for Gardener's DNSRecords alone. */
  readonly hostedZones: readonly HostedZoneProps[];
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
   * @default - 5 a second, of which 1 is left to others
   */
  readonly budget?: { readonly callsPerSecond?: number; readonly reservedForOthers?: number };
  /**
   * The kinds that are read beside Zone and Record: the key `sources` of `zone53.yaml` (docs/reference.md).
   *
   * @default - none
   */
  readonly sources?: Readonly<Record<string, unknown>>;
  /**
   * Which record sets zone53 may take over that it did not create: the namespaces whose Zones may use the annotation
   * `zone53.dev/takeover`, and the external-dns whose record sets may be taken over.
   *
   * @default - the Zones of every namespace may, and nothing is taken over from an external-dns
   */
  readonly takeover?: {
    readonly namespaces?: readonly string[];
    readonly externalDns?: readonly ExternalDnsProps[];
  };
  /**
   * The intent API, behind a function URL with IAM authentication. `assumeRoles`: the roles that a DNS Update Record
   * may name.
   *
   * @default - no intent API
   */
  readonly intents?: { readonly assumeRoles?: readonly string[] };
  /** The API server. */
  readonly cluster: ClusterProps;
  /**
   * How changes are noticed before the next sweep.
   *
   * @default - the audit log of an EKS cluster
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
   * The actions of the alarms.
   *
   * @default - none: alarms notify nobody
   */
  readonly alarmActions?: readonly IAlarmAction[];
  /**
   * The address of docs/runbook.md, for the descriptions of alarms.
   *
   * @default 'docs/runbook.md'
   */
  readonly runbook?: string;
  /**
   * @default RetentionDays.ONE_MONTH
   */
  readonly logRetention?: RetentionDays;
  /**
   * @default 'INFO'
   */
  readonly logLevel?: 'DEBUG' | 'INFO' | 'WARN' | 'ERROR';
  /**
   * The folder with the functions' bundles.
   *
   * @default - what `npm run build` wrote, or what came with the package
   */
  readonly bundles?: string;
}

/** The settings of `events`, with defaults. Throws an Error with the path of a key that contradicts the cluster. */
export function eventsOf({ cluster, events = {} }: Zone53Props) {
  const auditLog = events.auditLog ?? cluster.kind === 'eks';
  if (auditLog && cluster.kind !== 'eks') {
    throw new Error(
      'events.auditLog: only EKS writes its audit log to CloudWatch Logs: write false, and webhook: secret',
    );
  }
  const { webhook = 'none', validate = false, bus = false, drift = false, sweepEvery = Duration.minutes(15) } = events;
  if (sweepEvery.toSeconds() > SWEEP_MINUTES_MAX * 60) throw new Error(`events.sweepEvery: ${SWEEP_ONCE_A_DAY}`);
  if (validate && webhook !== 'secret') throw new Error(`events.validate: ${VALIDATE_NEEDS_SECRET}`);
  return { auditLog, webhook, validate, bus, drift, sweepEvery };
}

/** Props that are under `aws` in `zone53.yaml`, or not in the file; and the hosted zones, whose ids may be tokens. */
const NOT_OF_THE_FILE: Readonly<
  Record<Exclude<keyof Zone53Props, keyof ReturnType<typeof parseSettings>> | 'hostedZones', true>
> = {
  hostedZones: true,
  cluster: true,
  events: true,
  network: true,
  reservedConcurrency: true,
  table: true,
  alarmActions: true,
  runbook: true,
  logRetention: true,
  logLevel: true,
  bundles: true,
};

const MADE_UP_ROLE = 'arn:aws:iam::111122223333:role/made-up';

/** The configuration for the functions, and its hosted zones. Throws an Error with the path of every invalid key. */
export function readSettings(
  scope: Construct,
  props: Zone53Props,
): {
  readonly settings: string;
  readonly hostedZones: readonly ConfiguredHostedZone[];
  /** The filter pattern for lines of an audit log about the kinds that are read. */
  readonly auditFilter: string;
} {
  const { hostedZones } = props;
  const given = Object.entries(props).filter(([key]) => !(key in NOT_OF_THE_FILE));
  const written = JSON.parse(JSON.stringify(Object.fromEntries(given))) as object;
  // The value of a token is unknown here, so a made-up id or role replaces it, the same one for the same token.
  const judged = hostedZones?.map(({ zone, id, visibility }) => ({
    zone,
    id: Token.isUnresolved(id) ? `ZTOKEN${hostedZones.findIndex((other) => other.id === id)}` : id,
    ...(visibility === undefined ? {} : { visibility }),
  }));
  const roles = props.intents?.assumeRoles?.map((role) => (Token.isUnresolved(role) ? MADE_UP_ROLE : role));
  const intents = roles === undefined ? {} : { intents: { ...props.intents, assumeRoles: roles } };
  const problems = settingsProblems({ ...written, ...intents, hostedZones: judged });
  if (problems.length > 0) {
    throw new Error(`Cannot deploy ${scope.node.path}:\n${problems.map((problem) => `  ${problem}`).join('\n')}`);
  }
  const config = parseSettings({ ...written, ...intents, hostedZones: judged });
  const configured = config.hostedZones.map(({ id, ...hostedZone }, index) => {
    const own = hostedZones[index]?.id ?? id;
    return { ...hostedZone, id: Token.isUnresolved(own) ? own : id };
  });
  const settings = jsonOf(scope, { ...written, hostedZones: configured });
  return { settings, hostedZones: configured, auditFilter: auditFilterOf(config) };
}
