// CloudFormation templates for those without CDK: the construct, synthesized without assets and bootstrap. The
// functions' code comes from the zips of a release, in a bucket of the user's. One template has parameters in place of
// a configuration; the other is made for one `zone53.yaml`.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import {
  App,
  Aws,
  CfnCondition,
  CfnOutput,
  CfnParameter,
  type CfnParameterProps,
  CfnResource,
  DefaultStackSynthesizer,
  Fn,
  type IReusableStackSynthesizer,
  Stack,
  Token,
} from 'aws-cdk-lib';
import type { IAlarmAction } from 'aws-cdk-lib/aws-cloudwatch';
import { CfnAccessEntry } from 'aws-cdk-lib/aws-eks';
import { CfnPolicy, Policy, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { CfnFunction, CfnPermission, CfnUrl } from 'aws-cdk-lib/aws-lambda';
import { Bucket } from 'aws-cdk-lib/aws-s3';
import { stringify } from 'yaml';
import { DESCRIBE_CLUSTER } from './cluster-access.ts';
import { ConfigurationError } from './settings/settings.ts';
import { addStacks } from './stacks.ts';
import { type CodeProps, Zone53 } from './zone53.ts';

/** The context of cdk.json, on which what the constructs make depends. */
export const CONTEXT = {
  '@aws-cdk/core:target-partitions': ['aws', 'aws-us-gov', 'aws-cn'],
  '@aws-cdk/core:checkSecretUsage': true,
  '@aws-cdk/aws-iam:minimizePolicies': true,
  '@aws-cdk/aws-lambda:recognizeLayerVersion': true,
  '@aws-cdk/core:stackRelativeExports': true,
};

/** YAML. `drift`: the template of the stack that forwards events about drift; null if none is needed. */
export type FittedTemplate =
  | { readonly ok: true; readonly home: string; readonly drift: string | null }
  | { readonly ok: false; readonly message: string };

/** The template that fits a `zone53.yaml`. */
export function fittedTemplate(source: string, file: string): FittedTemplate {
  return synthesized((app) => {
    try {
      const { home, drift } = addStacks(app, source, file, undefined, codeOf);
      const templates = templatesOf(app);
      return { ok: true, home: templates(home), drift: drift === null ? null : templates(drift) };
    } catch (error) {
      if (error instanceof ConfigurationError) return { ok: false, message: error.message };
      throw error;
    }
  });
}

/** The template with parameters, for any configuration without what docs/deploy.md says that it lacks. */
export function parameterTemplate(): string {
  return synthesized((app) => {
    const stack = new Stack(app, 'Zone53', {
      description: 'zone53: DNS declared in Kubernetes, published to Route 53',
    });
    addZone53(stack);
    return templatesOf(app)(stack);
  });
}

/** Calls `work` with an app that writes to a folder of its own. */
function synthesized<T>(work: (app: App) => T): T {
  const outdir = mkdtempSync(path.join(tmpdir(), 'zone53-template-'));
  const { CDK_VALIDATION = '' } = process.env;
  try {
    // The CDK's own validation warns of parameters that are empty, although the conditions see to these.
    process.env.CDK_VALIDATION = 'false';
    const synthesizer: unknown = new DefaultStackSynthesizer({ generateBootstrapVersionRule: false });
    const defaultStackSynthesizer = synthesizer as IReusableStackSynthesizer;
    return work(new App({ outdir, analyticsReporting: false, context: CONTEXT, defaultStackSynthesizer }));
  } finally {
    process.env.CDK_VALIDATION = CDK_VALIDATION;
    rmSync(outdir, { recursive: true, force: true });
  }
}

/** CloudFormation reads YAML 1.1, in which a bare OFF is false. */
function templatesOf(app: App): (stack: Stack) => string {
  const assembly = app.synth();
  return ({ artifactId }) =>
    stringify(assembly.getStackArtifact(artifactId).template, {
      version: '1.1',
      lineWidth: 0,
      aliasDuplicateObjects: false,
    });
}

function parameter(stack: Stack, name: string, description: string, props: CfnParameterProps = {}): CfnParameter {
  return new CfnParameter(stack, name, { ...props, description });
}

const LIST = 'CommaDelimitedList';

function codeOf(stack: Stack): CodeProps {
  const bucket = parameter(stack, 'CodeBucket', 'The bucket, of this region, with the zips of the release.');
  const prefix = parameter(stack, 'CodePrefix', 'What is before the names of the zips, such as zone53/0.1.0/', {
    default: '',
    allowedPattern: '^(|.*/)$',
    constraintDescription: 'empty, or with a slash at its end',
  });
  return { bucket: Bucket.fromBucketName(stack, 'Code', bucket.valueAsString), prefix: prefix.valueAsString };
}

/** Adds zone53 with parameters for what a configuration would decide. */
function addZone53(stack: Stack): void {
  const code = codeOf(stack);
  const bucket = parameter(stack, 'ConfigurationBucket', 'The bucket, with versions on, that has the configuration.');
  const key = parameter(stack, 'ConfigurationKey', 'The object with the configuration: a zone53.yaml as JSON.');
  const arns = parameter(
    stack,
    'HostedZoneArns',
    'The hosted zones of the configuration: arn:aws:route53:::hostedzone/ID',
    {
      type: LIST,
    },
  );
  const apexes = parameter(
    stack,
    'ApexNames',
    'The names of these hosted zones, in lower case, without a final dot. NS and DS there are denied to zone53.',
    { type: LIST },
  );
  const cluster = parameter(
    stack,
    'EksCluster',
    'The EKS cluster, for its access entries; empty for another cluster.',
    {
      default: '',
    },
  );
  const zone53 = new Zone53(stack, 'Zone53', {
    roots: [],
    hostedZones: { arns: arns.valueAsList, apexNames: apexes.valueAsList },
    configuration: { bucket: Bucket.fromBucketName(stack, 'Configured', bucket.valueAsString), key: key.valueAsString },
    // Only the name of the cluster gets into the template: the rest is in the configuration.
    access: {
      kind: 'eks',
      clusterName: cluster.valueAsString,
      endpoint: 'https://unused.invalid',
      certificateAuthority: 'TFMw',
    },
    events: { webhook: { front: 'url' } },
    alarms: {
      page: [topicAction(stack, 'PageTopic', 'The SNS topic, of this region, that alarms page; empty for none.')],
      notify: [topicAction(stack, 'NotifyTopic', 'The SNS topic of alarms that can wait; empty for none.')],
    },
    service: Aws.STACK_NAME,
    code,
  });
  const hasCluster = given(stack, 'HasEksCluster', cluster.valueAsString);
  const isDescribing = (one: unknown) => one instanceof CfnPolicy && one.node.scope?.node.id === DESCRIBE_CLUSTER;
  only(stack, hasCluster, (one) => one instanceof CfnAccessEntry || isDescribing(one) || isOutput(one, 'EksCluster'));
  readToken(stack, zone53);
  chooseWebhook(stack);
  chooseReservations(stack);
}

/** The condition that a value is not empty. */
function given(stack: Stack, id: string, value: string): CfnCondition {
  return new CfnCondition(stack, id, { expression: Fn.conditionNot(Fn.conditionEquals(value, '')) });
}

/** Makes resources and outputs depend on a condition. */
function only(stack: Stack, condition: CfnCondition, which: (one: unknown) => boolean): void {
  for (const one of stack.node.findAll().filter(which)) {
    if (one instanceof CfnResource) one.cfnOptions.condition = condition;
    if (one instanceof CfnOutput) one.condition = condition;
  }
}

function isOutput(one: unknown, id: string): boolean {
  return one instanceof CfnOutput && one.node.id === id;
}

/** Lets the functions that call the API server read its token, of a cluster that is not EKS. */
function readToken(stack: Stack, { functions, poll }: Zone53): void {
  const secret = parameter(stack, 'TokenSecretArn', 'The secret with the bearer token of a cluster that is not EKS.', {
    default: '',
  }).valueAsString;
  const { reconcile, report, sweep } = functions;
  const policy = new Policy(stack, 'ReadToken', {
    statements: [
      new PolicyStatement({ sid: 'ReadToken', actions: ['secretsmanager:GetSecretValue'], resources: [secret] }),
    ],
    roles: [reconcile, report, sweep, poll].flatMap((one) => one?.role ?? []),
  });
  (policy.node.defaultChild as CfnPolicy).cfnOptions.condition = given(stack, 'HasTokenSecret', secret);
}

/** The function URL is left out if it is not wanted. The secret and the alarms stay, for an endpoint of the user's. */
function chooseWebhook(stack: Stack): void {
  const front = parameter(
    stack,
    'WebhookFront',
    'url: a function URL for webhooks and CloudEvents; none: no endpoint.',
    {
      default: 'url',
      allowedValues: ['url', 'none'],
    },
  );
  const expression = Fn.conditionEquals(front.valueAsString, 'url');
  const hasUrl = new CfnCondition(stack, 'HasUrl', { expression });
  only(
    stack,
    hasUrl,
    (one) =>
      one instanceof CfnUrl || (one instanceof CfnPermission && one.principal === '*') || isOutput(one, 'WebhookUrl'),
  );
}

function chooseReservations(stack: Stack): void {
  const wanted = parameter(
    stack,
    'ReserveConcurrency',
    'Whether to reserve 21 concurrent executions; a new account has too few.',
    {
      default: 'true',
      allowedValues: ['true', 'false'],
    },
  );
  const expression = Fn.conditionEquals(wanted.valueAsString, 'true');
  const reserves = new CfnCondition(stack, 'Reserves', { expression });
  for (const one of stack.node.findAll().filter((child) => child instanceof CfnFunction)) {
    const { reservedConcurrentExecutions } = one;
    if (reservedConcurrentExecutions === undefined) continue;
    const either = Fn.conditionIf(reserves.logicalId, reservedConcurrentExecutions, Aws.NO_VALUE);
    one.reservedConcurrentExecutions = Token.asNumber(either);
  }
}

/** What an alarm does: it notifies the topic of the parameter, if there is one. */
function topicAction(stack: Stack, name: string, description: string): IAlarmAction {
  const topic = parameter(stack, name, description, { default: '' }).valueAsString;
  const { logicalId } = given(stack, `Has${name}`, topic);
  return { bind: () => ({ alarmActionArn: Fn.conditionIf(logicalId, topic, Aws.NO_VALUE).toString() }) };
}
