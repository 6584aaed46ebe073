// The CDK app: `npx cdk deploy` makes the stack that `zone53.yaml` describes. Another file: `-c config=FILE`.
// CloudTrail reports calls of Route 53 in one region; if drift is asked for elsewhere, a second, small stack forwards
// them from there.
import { readFileSync } from 'node:fs';
import { App, Duration, Stack, Validations } from 'aws-cdk-lib';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { Table } from 'aws-cdk-lib/aws-dynamodb';
import { SecurityGroup, Subnet, Vpc } from 'aws-cdk-lib/aws-ec2';
import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { AwsSolutionsChecks } from 'cdk-nag';
import type { ClusterProps } from './cluster-access.ts';
import { DriftForwarding } from './drift-forwarding.ts';
import type { Network } from './lambda/pipeline-function.ts';
import type { AwsSettings } from './settings/aws-settings.ts';
import { partitionOf } from './settings/partition.ts';
import { ConfigurationError, parseDeployment } from './settings/settings.ts';
import { Zone53 } from './zone53.ts';

/**
 * Adds the stacks of one `zone53.yaml`. `bundles`: the folder of the functions' bundles; default: that of `npm run
 * build`.
 */
export function addStacks(app: App, source: string, file: string, bundles?: string): { home: Stack; zone53: Zone53 } {
  const { pipeline, aws } = parseDeployment(source, file);
  const account = aws.account ?? process.env.CDK_DEFAULT_ACCOUNT;
  const env = { region: aws.region, ...(account === undefined ? {} : { account }) };
  const name = aws.stack ?? 'Zone53';
  const home = new Stack(app, name, {
    env,
    description: 'zone53: DNS declared in Kubernetes, published to Route 53',
  });
  const { sweepMinutes = 15, ...events } = aws.events ?? {};
  const zone53 = new Zone53(home, 'Zone53', {
    ...pipeline,
    cluster: clusterOf(home, aws.cluster),
    events: { ...events, sweepEvery: Duration.minutes(sweepMinutes) },
    alarmActions:
      aws.alarmTopic === undefined ? [] : [new SnsAction(Topic.fromTopicArn(home, 'AlarmTopic', aws.alarmTopic))],
    ...(aws.table === undefined ? {} : { table: Table.fromTableName(home, 'Ledger', aws.table) }),
    ...(aws.vpc === undefined ? {} : { network: networkOf(home, aws.vpc, aws.region) }),
    ...(aws.reservedConcurrency === undefined ? {} : { reservedConcurrency: aws.reservedConcurrency }),
    ...(bundles === undefined ? {} : { bundles }),
  });
  const route53Region = partitionOf(aws.region)?.route53Region ?? aws.region;
  if (events.drift === true && aws.region !== route53Region) {
    const description = "zone53: forwards events about Route 53's calls to its home region";
    new DriftForwarding(app, `${name}Drift`, {
      env: { ...env, region: route53Region },
      toRegion: aws.region,
      description,
    });
  }
  return { home, zone53 };
}

function clusterOf(scope: Stack, cluster: AwsSettings['cluster']): ClusterProps {
  const { eks, endpoint, certificateAuthority, tokenSecret, accessEntries } = cluster;
  if (eks !== undefined) {
    return {
      kind: 'eks',
      clusterName: eks,
      endpoint,
      certificateAuthority: certificateAuthority ?? '',
      ...(accessEntries === undefined ? {} : { accessEntries }),
    };
  }
  return {
    kind: 'token',
    endpoint,
    ...(certificateAuthority === undefined ? {} : { certificateAuthority }),
    tokenSecret: Secret.fromSecretCompleteArn(scope, 'ClusterToken', tokenSecret ?? ''),
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

/** False where the configuration is wrong: that is printed without a stack trace, because the user can correct it. */
export function synthesize(app: App, writeError: (text: string) => void): boolean {
  const file = String(app.node.tryGetContext('config') ?? 'zone53.yaml');
  try {
    addStacks(app, readConfiguration(file), file);
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    writeError(`${error.message}\n`);
    return false;
  }
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
  return true;
}

function readConfiguration(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    const advice = 'copy examples/aws/zone53.yaml there, or name another file: -c config=FILE';
    throw new ConfigurationError(`Cannot read ${file}: ${reason}: ${advice}`, { cause });
  }
}

if (import.meta.main && !synthesize(new App(), (text) => process.stderr.write(text))) process.exit(1);
