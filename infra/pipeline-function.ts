// One of the functions: the bundle of `npm run build`, Node 24 on arm64, a log group of its own that it may write and no
// other, a role without managed policies, and exactly the environment that functions/runtime/environment.ts lists for it.
import { existsSync } from 'node:fs';
import path from 'node:path';
import { type Duration, RemovalPolicy, Stack, Token, Validations } from 'aws-cdk-lib';
import type { ISecurityGroup, IVpc, SubnetSelection } from 'aws-cdk-lib/aws-ec2';
import { ManagedPolicy, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Architecture, Code, Function as LambdaFunction, LoggingFormat, Runtime } from 'aws-cdk-lib/aws-lambda';
import { LogGroup, type RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import {
  ENVIRONMENT_OCTETS_MAX,
  type EnvironmentName,
  type FunctionName,
  OPTIONAL,
} from '../functions/runtime/environment.ts';

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
  /** Every name of the function's environment; null only for those that may be absent. */
  readonly environment: Readonly<Record<EnvironmentName<Name>, string | null>>;
  /** The `service` dimension of all figures. */
  readonly service: string;
  readonly bundles: string;
  readonly logLevel: string;
  readonly logRetention: RetentionDays;
  readonly reservedConcurrency?: number | undefined;
  readonly network?: Network | undefined;
};

export const METRICS_NAMESPACE = 'zone53';

/** Where `npm run build` puts the bundles: beside the package's folder `infra`, or in `dist` of a checkout. */
export function bundlesFolder(): string {
  const candidates = [
    path.join(import.meta.dirname, '..', 'bundles'),
    path.join(import.meta.dirname, '..', 'dist', 'bundles'),
  ];
  const found = candidates.find((folder) => existsSync(path.join(folder, 'ingest', 'index.mjs')));
  if (found !== undefined) return found;
  throw new Error(`Cannot find the functions' bundles in ${candidates.join(' or ')}: run "npm run build" first`);
}

/** Makes the function. Throws when its environment is larger than Lambda takes. */
export function pipelineFunction<Name extends FunctionName>(
  scope: Construct,
  props: PipelineFunctionProps<Name>,
): LambdaFunction {
  const id = props.name[0]?.toUpperCase() + props.name.slice(1);
  const logGroup = new LogGroup(scope, `${id}Logs`, {
    retention: props.logRetention,
    removalPolicy: RemovalPolicy.DESTROY,
  });
  const role = new Role(scope, `${id}Role`, {
    assumedBy: new ServicePrincipal('lambda.amazonaws.com'),
    description: `zone53 ${props.name}: ${props.description}`,
  });
  if (props.network !== undefined) allowNetworkInterfaces(role);
  const made = new LambdaFunction(scope, id, {
    runtime: Runtime.NODEJS_24_X,
    architecture: Architecture.ARM_64,
    handler: 'index.handler',
    code: Code.fromAsset(path.join(props.bundles, props.name)),
    description: props.description,
    timeout: props.timeout,
    memorySize: props.memoryMb,
    role,
    logGroup,
    loggingFormat: LoggingFormat.JSON,
    environment: environmentOf(scope, props),
    ...(props.reservedConcurrency === undefined ? {} : { reservedConcurrentExecutions: props.reservedConcurrency }),
    ...(props.network ?? {}),
  });
  logGroup.grantWrite(role);
  return made;
}

function environmentOf<Name extends FunctionName>(scope: Construct, props: PipelineFunctionProps<Name>) {
  const own: Record<string, string> = {};
  for (const [name, value] of Object.entries<string | null>(props.environment)) {
    if (value !== null) own[name] = value;
    else if (!OPTIONAL.includes(name as EnvironmentName)) throw new Error(`${props.name} needs ${name}`);
  }
  const environment = {
    ...own,
    NODE_OPTIONS: '--enable-source-maps',
    POWERTOOLS_SERVICE_NAME: props.service,
    POWERTOOLS_METRICS_NAMESPACE: METRICS_NAMESPACE,
    POWERTOOLS_LOG_LEVEL: props.logLevel,
  };
  const lengthOf = (text: string) =>
    Token.isUnresolved(text) ? JSON.stringify(Stack.of(scope).resolve(text)).length : Buffer.byteLength(text);
  const octets = Object.entries(environment)
    .flat()
    .reduce((sum, text) => sum + lengthOf(text), 0);
  if (octets > ENVIRONMENT_OCTETS_MAX) {
    throw new Error(
      `Cannot give ${props.name} an environment of ${octets} octets, ${ENVIRONMENT_OCTETS_MAX} at most: roots and hostedZones are too long; spread them over several Zone53 constructs that share one ledger`,
    );
  }
  return environment;
}

/** What Lambda itself needs to place a function in a VPC; AWS offers no narrower policy. */
function allowNetworkInterfaces(role: Role): void {
  role.addManagedPolicy(ManagedPolicy.fromAwsManagedPolicyName('service-role/AWSLambdaENIManagementAccess'));
  Validations.of(role).acknowledge({
    id: 'AwsSolutions-IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/service-role/AWSLambdaENIManagementAccess]',
    reason:
      'A function in a VPC needs network interfaces whose ids are not known beforehand; AWS maintains this policy for exactly that.',
  });
}
