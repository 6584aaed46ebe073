// Makes one of the functions: Node 24 on arm64, the bundle of `npm run build`, its own log group, and a role without
// managed policies. Its environment has exactly the names that functions/runtime/environment.ts lists for it.
import { existsSync } from 'node:fs';
import path from 'node:path';
import { type Duration, type RemovalPolicy, Stack, Token, Validations } from 'aws-cdk-lib';
import type { ISecurityGroup, IVpc, SubnetSelection } from 'aws-cdk-lib/aws-ec2';
import { PolicyStatement, type Role } from 'aws-cdk-lib/aws-iam';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import {
  ApplicationLogLevel,
  Architecture,
  Code,
  Function as LambdaFunction,
  LoggingFormat,
  RecursiveLoop,
  Runtime,
  Tracing,
} from 'aws-cdk-lib/aws-lambda';
import { LogGroup, type RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { IBucket } from 'aws-cdk-lib/aws-s3';
import type { Construct } from 'constructs';
import { type EnvironmentName, type FunctionName, OPTIONAL } from '../../functions/runtime/environment.ts';
import { partitionOf } from '../../lib/route53/partition.ts';
import { serviceRole } from '../iam/service-role.ts';

export type Network = {
  readonly vpc: IVpc;
  readonly vpcSubnets?: SubnetSelection;
  readonly securityGroups?: ISecurityGroup[];
};

/** Zips in S3, each named for its function: `prefix`NAME.zip. */
type CodePlace = { readonly bucket: IBucket; readonly prefix: string };

export type PipelineFunctionProps<Name extends FunctionName> = {
  readonly name: Name;
  readonly description: string;
  readonly timeout: Duration;
  readonly memoryMb: number;
  /** Every name of the function's environment. Null is allowed only for optional ones. */
  readonly environment: Readonly<Record<EnvironmentName<Name>, string | null>>;
  /** The value of the dimension `service` of all metrics. */
  readonly service: string;
  /** The folder of the bundles, or where their zips are. */
  readonly code: string | CodePlace;
  readonly logLevel: LogLevel;
  readonly logRetention: RetentionDays;
  /** What becomes of the log when the stack is deleted. */
  readonly logRemovalPolicy: RemovalPolicy;
  readonly tracing: boolean;
  readonly encryptionKey?: IKey | undefined;
  readonly reservedConcurrency?: number | undefined;
  readonly network?: Network | undefined;
};

export type LogLevel = 'DEBUG' | 'INFO' | 'WARN' | 'ERROR';

export const METRICS_NAMESPACE = 'zone53';

/**
 * The functions whose messages come back to them: the rest of a long piece of work, or another try after a pause. Such
 * a chain may be long: a Zone with 100,000 names below it takes 50 messages. By default, Lambda stops a chain that
 * invokes a function more than 16 times, and its message becomes a dead letter ("Use Lambda recursive loop detection").
 * GovCloud, the China regions and two young regions have neither the detection nor the setting: a template with it
 * fails there (AWS's public roadmap of 2025-09; "Getting started with AWS services in China", AWS Lambda). Last
 * verified 2026-11-29.
 */
const IN_A_LOOP: ReadonlySet<FunctionName> = new Set(['reconcile', 'publish', 'report']);
const WITHOUT_DETECTION: readonly string[] = ['mx-central-1', 'ap-southeast-6'];

/** The folder that `npm run build` writes: beside `infra` in the package, in `dist` of a checkout. */
export function bundlesFolder(): string {
  const candidates = [
    path.join(import.meta.dirname, '..', '..', 'bundles'),
    path.join(import.meta.dirname, '..', '..', 'dist', 'bundles'),
  ];
  const found = candidates.find((folder) => existsSync(path.join(folder, 'ingest', 'index.mjs')));
  if (found !== undefined) return found;
  throw new Error(`Cannot find the functions' bundles in ${candidates.join(' or ')}: run "npm run build" first`);
}

/** Makes the function. */
export function pipelineFunction<Name extends FunctionName>(
  scope: Construct,
  props: PipelineFunctionProps<Name>,
): LambdaFunction {
  const id = props.name[0]?.toUpperCase() + props.name.slice(1);
  const logGroup = new LogGroup(scope, `${id}Logs`, {
    retention: props.logRetention,
    removalPolicy: props.logRemovalPolicy,
    ...(props.encryptionKey === undefined ? {} : { encryptionKey: props.encryptionKey }),
  });
  const role = serviceRole(scope, `${id}Role`, {
    service: 'lambda.amazonaws.com',
    description: `zone53 ${props.name}: ${props.description}`,
  });
  if (props.network !== undefined) allowNetworkInterfaces(role);
  if (props.tracing || props.network !== undefined) acknowledgeAll(role);
  const made = new LambdaFunction(scope, id, {
    runtime: Runtime.NODEJS_24_X,
    architecture: Architecture.ARM_64,
    handler: 'index.handler',
    code: codeOf(props),
    description: props.description,
    timeout: props.timeout,
    memorySize: props.memoryMb,
    role,
    logGroup,
    loggingFormat: LoggingFormat.JSON,
    // Without it Lambda drops lines below INFO, whatever the logger writes.
    applicationLogLevelV2: ApplicationLogLevel[props.logLevel],
    ...(props.tracing ? { tracing: Tracing.ACTIVE } : {}),
    environment: environmentOf(props),
    ...(IN_A_LOOP.has(props.name) && hasLoopDetection(scope) ? { recursiveLoop: RecursiveLoop.ALLOW } : {}),
    ...(props.reservedConcurrency === undefined ? {} : { reservedConcurrentExecutions: props.reservedConcurrency }),
    ...(props.network ?? {}),
  });
  logGroup.grantWrite(role);
  return made;
}

function codeOf({ code, name }: Pick<PipelineFunctionProps<FunctionName>, 'code' | 'name'>): Code {
  if (typeof code === 'string') return Code.fromAsset(path.join(code, name));
  return Code.fromBucket(code.bucket, `${code.prefix}${name}.zip`);
}

function hasLoopDetection(scope: Construct): boolean {
  const { region } = Stack.of(scope);
  if (Token.isUnresolved(region)) return true;
  return partitionOf(region)?.name === 'aws' && !WITHOUT_DETECTION.includes(region);
}

function environmentOf<Name extends FunctionName>(props: PipelineFunctionProps<Name>): Record<string, string> {
  const own = Object.entries<string | null>(props.environment).filter((entry): entry is [string, string] => {
    const [name, value] = entry;
    if (value === null && !OPTIONAL.includes(name as EnvironmentName)) throw new Error(`${props.name} needs ${name}`);
    return value !== null;
  });
  return {
    ...Object.fromEntries(own),
    NODE_OPTIONS: '--enable-source-maps',
    POWERTOOLS_SERVICE_NAME: props.service,
    POWERTOOLS_METRICS_NAMESPACE: METRICS_NAMESPACE,
    POWERTOOLS_LOG_LEVEL: props.logLevel,
  };
}

/** JSON of a value: plain text, or a token if the value has parts that only CloudFormation knows. */
export function jsonOf(scope: Construct, value: object): string {
  const text = JSON.stringify(value);
  return Token.isUnresolved(text) ? Stack.of(scope).toJsonString(value) : text;
}

/**
 * What Lambda needs to place a function in a VPC (developer guide, "Giving Lambda functions access to resources in an
 * Amazon VPC"). EC2 accepts most of these for all resources only, because the ids of the interfaces are not known. Last
 * verified 2026-11-22.
 */
const NETWORK_ACTIONS = [
  'ec2:CreateNetworkInterface',
  'ec2:DescribeNetworkInterfaces',
  'ec2:DescribeSubnets',
  'ec2:DeleteNetworkInterface',
  'ec2:AssignPrivateIpAddresses',
  'ec2:UnassignPrivateIpAddresses',
];

function allowNetworkInterfaces(role: Role): void {
  role.addToPolicy(new PolicyStatement({ sid: 'NetworkInterfaces', actions: NETWORK_ACTIONS, resources: ['*'] }));
}

function acknowledgeAll(role: Role): void {
  Validations.of(role).acknowledge({
    id: 'AwsSolutions-IAM5[Resource::*]',
    reason:
      'EC2 accepts the actions on network interfaces, and X-Ray those on traces, for all resources only. No other statement of the role names all resources.',
  });
}
