// The props of the construct Zone53: the shape of `zone53.yaml`, with what only the CDK can give. Judged as strictly as
// the file.
import { Duration, Token } from 'aws-cdk-lib';
import type { IAlarmAction } from 'aws-cdk-lib/aws-cloudwatch';
import type { ITable } from 'aws-cdk-lib/aws-dynamodb';
import type { RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import { auditFilterOf, parseSettings, settingsProblems } from '../functions/runtime/environment.ts';
import type { ClusterProps } from './cluster-access.ts';
import type { WebhookAuth } from './event-sources.ts';
import type { ConfiguredHostedZone } from './iam/publisher-policy.ts';
import { jsonOf, type Network } from './lambda/pipeline-function.ts';
import { type ExternalDnsProps, VALIDATE_NEEDS_SECRET } from './settings.ts';

export interface RootProps {
  /** A name or pattern, such as `example.org.`; the last dot may be left out. */
  readonly zone: string;
  /**
   * Namespaces whose Zones may have it.
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
   * Whether it answers the internet, or inside of VPCs only.
   *
   * @default - Route 53 is asked once
   */
  readonly visibility?: 'public' | 'private';
}

export interface EventProps {
  /**
   * The EKS audit log.
   *
   * @default true for a cluster of kind `eks`
   */
  readonly auditLog?: boolean;
  /**
   * The function URL for webhooks and CloudEvents: `secret` for senders that show one, `iam` for those that sign,
   * `none`.
   *
   * @default 'none'
   */
  readonly webhook?: WebhookAuth | 'none';
  /**
   * A second function URL for a webhook that refuses at `kubectl apply` what the rules refuse. Needs `webhook:
   * 'secret'`.
   *
   * @default false
   */
  readonly validate?: boolean;
  /**
   * An EventBridge bus of our own.
   *
   * @default false
   */
  readonly bus?: boolean;
  /**
   * Look at a hosted zone when CloudTrail says that somebody else changed it. Outside us-east-1 it needs a
   * `DriftForwarding` stack there, and everywhere a trail.
   *
   * @default false
   */
  readonly drift?: boolean;
  /**
   * Between two whole sweeps.
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
  /** Who may have a Zone that no other Zone adopts. Without it anybody who may create a Zone could publish any name. */
  readonly roots: readonly RootProps[];
  /** The hosted zones that zone53 may change, and no others. */
  readonly hostedZones: readonly HostedZoneProps[];
  /**
   * Whose SOA gets the timers of its Zone: `created`, those of hosted zones that zone53 made, of which a deployment has
   * none; `always`, those of all; `never`.
   *
   * @default 'created'
   */
  readonly soa?: 'created' | 'always' | 'never';
  /**
   * How many deletes the guard lets through within an hour.
   *
   * @default - 100 record sets, and 0.3 of those published
   */
  readonly guard?: { readonly deletesMax?: number; readonly deletesShareMax?: number };
  /**
   * Calls of Route 53, which the whole account shares.
   *
   * @default - 5 a second, of which 1 is left to others
   */
  readonly budget?: { readonly callsPerSecond?: number; readonly reservedForOthers?: number };
  /**
   * The kinds of objects that are read beside Zone and Record, as under `sources` of `zone53.yaml` (docs/reference.md).
   *
   * @default - none
   */
  readonly sources?: Readonly<Record<string, unknown>>;
  /**
   * What may be replaced though zone53 did not create it: whose Zones may say so by the annotation
   * `zone53.dev/takeover`, and from which external-dns record sets may be taken over.
   *
   * @default - the Zones of every namespace may, and nothing is taken over from an external-dns
   */
  readonly takeover?: {
    readonly namespaces?: readonly string[];
    readonly externalDns?: readonly ExternalDnsProps[];
  };
  /**
   * The intent API, behind a function URL with IAM authentication; its roles are those that a DNS Update Record may
   * name.
   *
   * @default - no intent API
   */
  readonly intents?: { readonly assumeRoles?: readonly string[] };
  /** The API server. */
  readonly cluster: ClusterProps;
  /**
   * How changes are noticed, beside the sweep.
   *
   * @default - the audit log of an EKS cluster
   */
  readonly events?: EventProps;
  /**
   * For the functions that speak to the API server, where its endpoint is private. It needs a way to SQS, DynamoDB and
   * Route 53, such as a NAT gateway.
   *
   * @default - no VPC
   */
  readonly network?: Network;
  /**
   * Concurrent executions that are reserved, and are the most that a function gets; 0 reserves none. A function URL
   * takes ten requests a second for each. Lambda keeps 100 of the account's unreserved, so the defaults need a quota of
   * 126.
   *
   * @default - 20 of ingest with a webhook, 5 of validate, 1 of sweep
   */
  readonly reservedConcurrency?: { readonly ingest?: number; readonly validate?: number; readonly sweep?: number };
  /**
   * A ledger that exists already.
   *
   * @default - a new table
   */
  readonly table?: ITable;
  /**
   * What alarms do.
   *
   * @default - nothing, they only show
   */
  readonly alarmActions?: readonly IAlarmAction[];
  /**
   * Where docs/runbook.md is read.
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

/** Which events there are, with the defaults. Throws an Error with the path of a key that contradicts the cluster. */
export function eventsOf({ cluster, events = {} }: Zone53Props) {
  const auditLog = events.auditLog ?? cluster.kind === 'eks';
  if (auditLog && cluster.kind !== 'eks') {
    throw new Error(
      'events.auditLog: only EKS writes its audit log to CloudWatch Logs: write false, and webhook: secret',
    );
  }
  const { webhook = 'none', validate = false, bus = false, drift = false, sweepEvery = Duration.minutes(15) } = events;
  if (validate && webhook !== 'secret') throw new Error(`events.validate: ${VALIDATE_NEEDS_SECRET}`);
  return { auditLog, webhook, validate, bus, drift, sweepEvery };
}

/** Props that `zone53.yaml` has under `aws`, or not at all; and the hosted zones, whose ids may be tokens. */
const NOT_OF_THE_FILE: readonly string[] = [
  'hostedZones',
  'cluster',
  'events',
  'network',
  'reservedConcurrency',
  'table',
  'alarmActions',
  'runbook',
  'logRetention',
  'logLevel',
  'bundles',
] satisfies (keyof Zone53Props)[];

/**
 * The configuration as the functions read it, and its hosted zones. Throws an Error with the path of every key that is
 * wrong.
 */
export function readSettings(
  scope: Construct,
  props: Zone53Props,
): {
  readonly settings: string;
  readonly hostedZones: readonly ConfiguredHostedZone[];
  /** Which lines of an audit log are about the kinds that are read. */
  readonly auditFilter: string;
} {
  const { hostedZones } = props;
  const given = Object.entries(props).filter(([key]) => !NOT_OF_THE_FILE.includes(key));
  const written = JSON.parse(JSON.stringify(Object.fromEntries(given))) as object;
  // An id that is a token is some id.
  const judged = hostedZones?.map(({ zone, id, visibility }, index) => ({
    zone,
    id: Token.isUnresolved(id) ? `ZTOKEN${index}` : id,
    ...(visibility === undefined ? {} : { visibility }),
  }));
  const problems = settingsProblems({ ...written, hostedZones: judged });
  if (problems.length > 0) {
    throw new Error(`Cannot deploy ${scope.node.path}:\n${problems.map((problem) => `  ${problem}`).join('\n')}`);
  }
  const config = parseSettings({ ...written, hostedZones: judged });
  const configured = config.hostedZones.map(({ id, ...hostedZone }, index) => {
    const own = hostedZones[index]?.id ?? id;
    return { ...hostedZone, id: Token.isUnresolved(own) ? own : id };
  });
  const settings = jsonOf(scope, { ...written, hostedZones: configured });
  return { settings, hostedZones: configured, auditFilter: auditFilterOf(config) };
}
