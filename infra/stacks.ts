// The stacks that `zone53.yaml` describes. CloudTrail reports calls of Route 53 in one region; if drift is asked for
// elsewhere, a second, small stack forwards them from there.
import { type App, Duration, RemovalPolicy, Stack } from 'aws-cdk-lib';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { Table } from 'aws-cdk-lib/aws-dynamodb';
import { SecurityGroup, Subnet, Vpc } from 'aws-cdk-lib/aws-ec2';
import { Key } from 'aws-cdk-lib/aws-kms';
import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import { Topic } from 'aws-cdk-lib/aws-sns';
import type { AwsSettings } from '../lib/adapters/config/aws-schema.ts';
import { partitionOf } from '../lib/route53/partition.ts';
import type { AccessProps } from './cluster-access.ts';
import { DriftForwarding } from './drift-forwarding.ts';
import type { Network } from './lambda/pipeline-function.ts';
import { type Deployment, parseDeployment } from './settings/settings.ts';
import { type AlarmProps, type CodeProps, type EventProps, Zone53, type Zone53Props } from './zone53.ts';

/**
 * Adds the stacks of one `zone53.yaml`. `bundles`: the folder of the functions' bundles; default: that of `npm run
 * build`. `codeOf`: where their zips are, in place of bundles. Throws a ConfigurationError.
 */
export function addStacks(
  app: App,
  source: string,
  file: string,
  bundles?: string,
  codeOf?: (home: Stack) => CodeProps,
): { home: Stack; zone53: Zone53; drift: DriftForwarding | null } {
  const { pipeline, clusters, access, events, alarms, observability, aws } = parseDeployment(source, file);
  const account = aws.account ?? process.env.CDK_DEFAULT_ACCOUNT;
  const env = { region: aws.region, ...(account === undefined ? {} : { account }) };
  const name = aws.stack ?? 'Zone53';
  const home = new Stack(app, name, {
    env,
    description: 'zone53: DNS declared in Kubernetes, published to Route 53',
  });
  const ofClusters = clusters?.map((one) => {
    const given = { ...one.keys, access: accessOf(home, one.access, one.id), events: eventsOf(one.events) };
    return [one.id, given] as const;
  });
  const zone53 = new Zone53(home, 'Zone53', {
    ...pipeline,
    ...(ofClusters === undefined
      ? { access: accessOf(home, access), events: eventsOf(events) }
      : { clusters: Object.fromEntries(ofClusters) }),
    alarms: alarmsOf(home, alarms),
    observability,
    ...(aws.table === undefined ? {} : { table: Table.fromTableName(home, 'Ledger', aws.table) }),
    ...(aws.vpc === undefined ? {} : { network: networkOf(home, aws.vpc, aws.region) }),
    ...(aws.reservedConcurrency === undefined ? {} : { reservedConcurrency: aws.reservedConcurrency }),
    ...(bundles === undefined ? {} : { bundles }),
    ...(codeOf === undefined ? {} : { code: codeOf(home) }),
    ...keptOf(home, aws),
  });
  return {
    home,
    zone53,
    drift: (clusters ?? [{ events }]).some((one) => one.events.drift) ? driftOf(app, name, env, aws) : null,
  };
}

/** The stack that forwards what CloudTrail reports of Route 53; null if that is reported in the region of zone53. */
function driftOf(
  app: App,
  name: string,
  env: { readonly region: string },
  { trustConditions = false }: AwsSettings,
): DriftForwarding | null {
  const region = partitionOf(env.region)?.route53Region ?? env.region;
  if (env.region === region) return null;
  return new DriftForwarding(app, `${name}Drift`, {
    env: { ...env, region },
    toRegion: env.region,
    trustConditions,
    description: "zone53: forwards events about Route 53's calls to its home region",
  });
}

function eventsOf({ sweepMinutes, poll, webhook, ...further }: Deployment['events']): EventProps {
  return {
    ...further,
    poll: poll === null ? false : Duration.seconds(poll),
    ...(webhook === null ? {} : { webhook: { front: webhook.front, auth: webhook.auth } }),
    sweepEvery: Duration.minutes(sweepMinutes),
  };
}

function accessOf(scope: Stack, access: Deployment['access'], id = ''): AccessProps {
  if (access.kind === 'eks') return access;
  const { certificateAuthority, tokenSecret, ...token } = access;
  return {
    ...token,
    ...(certificateAuthority === null ? {} : { certificateAuthority }),
    tokenSecret: Secret.fromSecretCompleteArn(scope, `ClusterToken${id}`, tokenSecret),
  };
}

function alarmsOf(scope: Stack, { page, notify, ...rest }: Deployment['alarms']): AlarmProps {
  const actions = (id: string, topic: string | undefined) =>
    topic === undefined ? undefined : [new SnsAction(Topic.fromTopicArn(scope, id, topic))];
  const [pages, notifies] = [actions('PageTopic', page), actions('NotifyTopic', notify)];
  return {
    ...rest,
    ...(pages === undefined ? {} : { page: pages }),
    ...(notifies === undefined ? {} : { notify: notifies }),
  };
}

/** How logs are kept, and with which key everything is. */
function keptOf(
  scope: Stack,
  { encryptionKey, logLevel, logRetentionDays, keepLogs, tracing, trustConditions }: AwsSettings,
): Partial<Zone53Props> {
  return {
    ...(encryptionKey === undefined ? {} : { encryptionKey: Key.fromKeyArn(scope, 'EncryptionKey', encryptionKey) }),
    ...(logLevel === undefined ? {} : { logLevel }),
    // The members of RetentionDays are numbers of days.
    ...(logRetentionDays === undefined ? {} : { logRetention: logRetentionDays }),
    ...(keepLogs === false ? { logRemovalPolicy: RemovalPolicy.DESTROY } : {}),
    ...(tracing === undefined ? {} : { tracing }),
    ...(trustConditions === undefined ? {} : { trustConditions }),
  };
}

function networkOf(
  scope: Stack,
  { id, subnets, securityGroups }: NonNullable<AwsSettings['vpc']>,
  region: string,
): Network {
  const vpc = Vpc.fromVpcAttributes(scope, 'Vpc', {
    vpcId: id,
    availabilityZones: subnets.map((_, index) => `${region}${'abcdef'[index % 6]}`),
    privateSubnetIds: subnets,
  });
  return {
    vpc,
    vpcSubnets: { subnets: subnets.map((subnet, index) => Subnet.fromSubnetId(scope, `Subnet${index}`, subnet)) },
    securityGroups: securityGroups.map((group, index) =>
      SecurityGroup.fromSecurityGroupId(scope, `SecurityGroup${index}`, group, { mutable: false }),
    ),
  };
}
