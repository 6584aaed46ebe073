// Makes one of the functions: Node 24 on arm64, the bundle of `npm run build`, its own log group, and a role without
// managed policies. Its environment has exactly the names that functions/runtime/environment.ts lists for it.
import { cpSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type Duration, RemovalPolicy, Stack, Token, Validations } from 'aws-cdk-lib';
import type { ISecurityGroup, IVpc, SubnetSelection } from 'aws-cdk-lib/aws-ec2';
import { PolicyStatement, type Role } from 'aws-cdk-lib/aws-iam';
import {
  Architecture,
  Code,
  Function as LambdaFunction,
  LoggingFormat,
  RecursiveLoop,
  Runtime,
} from 'aws-cdk-lib/aws-lambda';
import { LogGroup, type RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import {
  ENVIRONMENT_OCTETS_MAX,
  type EnvironmentName,
  type FunctionName,
  IN_FILES,
  OPTIONAL,
} from '../../functions/runtime/environment.ts';
import { serviceRole } from '../iam/service-role.ts';
import { partitionOf } from '../settings/partition.ts';
import { environmentOctets } from './environment-size.ts';

export type Network = {
  readonly vpc: IVpc;
  readonly vpcSubnets?: SubnetSelection;
  readonly securityGroups?: ISecurityGroup[];
};

export type PipelineFunctionProps<Name extends FunctionName> = {
  readonly name: Name;
  readonly description: string;
  readonly timeout: Duration;
  readonly memoryMb: number;
  /** Every name of the function's environment. Null is allowed only for optional ones. */
  readonly environment: Readonly<Record<EnvironmentName<Name>, string | null>>;
  /** The value of the dimension `service` of all metrics. */
  readonly service: string;
  readonly bundles: string;
  readonly logLevel: string;
  readonly logRetention: RetentionDays;
  readonly reservedConcurrency?: number | undefined;
  readonly network?: Network | undefined;
};

export const METRICS_NAMESPACE = 'zone53';

/**
 * The functions whose messages come back to them: the rest of a long piece of work, or another try after a pause. Such
 * a chain may be long: a Zone with 100,000 names below it takes 50 messages. By default, Lambda stops a chain that
 * invokes a function more than 16 times, and its message becomes a dead letter ("Use Lambda recursive loop detection").
 * GovCloud and two young regions have neither the detection nor the setting: a template with it fails there. Last
 * verified 2026-11-28, in AWS's public roadmap of 2025-09.
 */
const IN_A_LOOP: ReadonlySet<FunctionName> = new Set(['reconcile', 'publish']);
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

/** Makes the function. Throws an Error when its environment is too large for Lambda. */
export function pipelineFunction<Name extends FunctionName>(
  scope: Construct,
  props: PipelineFunctionProps<Name>,
): LambdaFunction {
  const id = props.name[0]?.toUpperCase() + props.name.slice(1);
  const logGroup = new LogGroup(scope, `${id}Logs`, {
    retention: props.logRetention,
    removalPolicy: RemovalPolicy.DESTROY,
  });
  const role = serviceRole(scope, `${id}Role`, {
    service: 'lambda.amazonaws.com',
    description: `zone53 ${props.name}: ${props.description}`,
  });
  if (props.network !== undefined) allowNetworkInterfaces(role);
  const { environment, files } = environmentOf(scope, props);
  const folder = codeFolder(path.join(props.bundles, props.name), files);
  const made = new LambdaFunction(scope, id, {
    runtime: Runtime.NODEJS_24_X,
    architecture: Architecture.ARM_64,
    handler: 'index.handler',
    code: Code.fromAsset(folder),
    description: props.description,
    timeout: props.timeout,
    memorySize: props.memoryMb,
    role,
    logGroup,
    loggingFormat: LoggingFormat.JSON,
    environment,
    ...(IN_A_LOOP.has(props.name) && hasLoopDetection(scope) ? { recursiveLoop: RecursiveLoop.ALLOW } : {}),
    ...(props.reservedConcurrency === undefined ? {} : { reservedConcurrentExecutions: props.reservedConcurrency }),
    ...(props.network ?? {}),
  });
  rmSync(folder, { recursive: true });
  logGroup.grantWrite(role);
  return made;
}

function hasLoopDetection(scope: Construct): boolean {
  const { region } = Stack.of(scope);
  if (Token.isUnresolved(region)) return true;
  return partitionOf(region)?.name !== 'aws-us-gov' && !WITHOUT_DETECTION.includes(region);
}

type Files = Readonly<Record<string, string>>;

function environmentOf<Name extends FunctionName>(scope: Construct, props: PipelineFunctionProps<Name>) {
  const own: Record<string, string> = {};
  const files: Record<string, string> = {};
  for (const [name, value] of Object.entries<string | null>(props.environment)) {
    const file = IN_FILES[name as EnvironmentName];
    if (value === null) {
      if (!OPTIONAL.includes(name as EnvironmentName)) throw new Error(`${props.name} needs ${name}`);
    } else if (file === undefined || Token.isUnresolved(value)) own[name] = value;
    else [own[name], files[file]] = [file, value];
  }
  const environment = {
    ...own,
    NODE_OPTIONS: '--enable-source-maps',
    POWERTOOLS_SERVICE_NAME: props.service,
    POWERTOOLS_METRICS_NAMESPACE: METRICS_NAMESPACE,
    POWERTOOLS_LOG_LEVEL: props.logLevel,
  };
  const octets = environmentOctets(scope, environment);
  if (octets > ENVIRONMENT_OCTETS_MAX) {
    throw new Error(
      `Cannot give ${props.name} an environment of ${octets} octets, ${ENVIRONMENT_OCTETS_MAX} at most: write the ids of hosted zones and what describes the cluster as text, which goes into a file beside the code; values that only CloudFormation knows are too long here`,
    );
  }
  return { environment, files };
}

/**
 * Copies the bundle and writes the files beside it. CDK stages a copy of the folder, so it can be removed afterwards.
 */
function codeFolder(bundle: string, files: Files): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'zone53-code-'));
  cpSync(bundle, folder, { recursive: true });
  for (const [name, text] of Object.entries(files)) writeFileSync(path.join(folder, name), text);
  return folder;
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
  Validations.of(role).acknowledge({
    id: 'AwsSolutions-IAM5[Resource::*]',
    reason: 'EC2 accepts these actions for all resources only. No other statement of the role names all resources.',
  });
}
