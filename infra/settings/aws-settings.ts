// The key `aws` of `zone53.yaml`, which only a deployment needs: its schema, and the problems of what is written there.
//
//   aws:
//     region: eu-west-1
//     account: "111122223333"                  # default: that of the credentials
//     stack: Zone53Prod                         # default: Zone53; another for each cluster of one account and region
//     cluster: { eks: prod, endpoint: https://….eks.amazonaws.com, certificateAuthority: LS0t… }
//           or { endpoint: https://k8s.example.org, certificateAuthority: LS0t…, tokenSecret: arn:aws:secretsmanag… }
//     events: { auditLog: true, webhook: secret, validate: true, bus: true, drift: true, sweepMinutes: 15 }
//     vpc: { id: vpc-0123, subnets: [subnet-0a], securityGroups: [sg-0b] }
//     alarmTopic: arn:aws:sns:…
//     reservedConcurrency: { ingest: 20, validate: 5, sweep: 1 }
//     table: Zone53-restored                    # an existing ledger; default: a new table
import * as z from 'zod';
import type { SettingsProblem } from '../../functions/runtime/environment.ts';
import { partitionOf } from './partition.ts';

/** The problem with `events.validate` without `webhook: secret`. */
export const VALIDATE_NEEDS_SECRET =
  'an API server can send a secret to a URL, but cannot sign with IAM, and webhook: none has no URL: write webhook: secret';

/** What lost events and hand edits left behind is to be repaired within a day. */
export const SWEEP_MINUTES_MAX = 1_440;
export const SWEEP_ONCE_A_DAY = `write ${SWEEP_MINUTES_MAX} minutes or less: a sweep repairs what events missed, at least once a day`;

/** The ARN of a secret ends in six random characters after its name. */
const SECRET_ARN = /^arn:[\w-]+:secretsmanager:[\w-]+:\d{12}:secret:\S+-[A-Za-z0-9]{6}$/;
const TOPIC_ARN = /^arn:[\w-]+:sns:[\w-]+:\d{12}:\S+$/;

const EKS_NAME = /^[0-9A-Za-z][\w-]{0,99}$/;

const text = (what: string) => z.string(`write ${what}`).min(1, `write ${what}`);
const idOf = (prefix: string, what: string) => {
  const wanted = `write ${what}, such as ${prefix}-0123456789abcdef0`;
  return z.string(wanted).regex(new RegExp(`^${prefix}-[0-9a-z]+$`), wanted);
};
const https = z.url({ protocol: /^https$/, error: 'write the API server address, such as https://k8s.example.org' });
const executions = z.int('write a whole number').min(0, 'write 0 or more');
const base64 = z.base64('write base64 of PEM, as `aws eks describe-cluster` prints it');

/** The key `aws`. The descriptions of its keys are those of docs/reference.md. */
export const awsSchema = z.strictObject(
  {
    region: text('a region, such as eu-west-1')
      .regex(/^[a-z]{2,4}(-[a-z]+)+-\d$/, 'write a region, such as eu-west-1')
      .describe('The region that zone53 runs in.'),
    account: z
      .string('write the account in quotation marks, such as "111122223333"')
      .regex(/^\d{12}$/, 'write 12 digits in quotation marks, such as "111122223333"')
      .exactOptional()
      .describe('The AWS account. Default: that of the credentials.'),
    stack: z
      .string('write the name of a stack, such as Zone53Prod')
      .regex(/^[A-Za-z][A-Za-z0-9-]{0,100}$/, 'write the name of a stack, such as Zone53Prod')
      .exactOptional()
      .describe(
        'The name of the stack. Default Zone53. A second cluster in the same account and region needs another name.',
      ),
    cluster: z
      .strictObject(
        {
          eks: text('the name of an EKS cluster')
            .regex(EKS_NAME, 'write the name of an EKS cluster, such as prod, not its ARN')
            .exactOptional()
            .describe('The name of the EKS cluster. For any other cluster write tokenSecret.'),
          endpoint: https.describe('The address of the API server.'),
          certificateAuthority: base64
            .exactOptional()
            .describe('The authority that signed its certificate, as base64 of PEM. Required for an EKS cluster.'),
          tokenSecret: text('the ARN of a secret')
            .exactOptional()
            .describe('The ARN of a secret with a bearer token, for a cluster that is not EKS.'),
          accessEntries: z
            .boolean('write true or false')
            .exactOptional()
            .describe('false: the stack does not create the EKS access entries, and you create them. Default true.'),
        },
        'write a mapping, such as { eks: prod, endpoint: https://…, certificateAuthority: LS0t… }',
      )
      .describe('The cluster whose objects are read.'),
    events: z
      .strictObject(
        {
          auditLog: z
            .boolean('write true or false')
            .exactOptional()
            .describe('Read the EKS audit log. Default true for an EKS cluster.'),
          webhook: z
            .enum(['none', 'secret', 'iam'], 'write none, secret or iam')
            .exactOptional()
            .describe(
              'A URL for webhooks and CloudEvents. secret: senders show a secret; iam: they sign with IAM; none: no URL. Default none.',
            ),
          validate: z
            .boolean('write true or false')
            .exactOptional()
            .describe('Refuse invalid objects at `kubectl apply`. Needs webhook: secret. Default false.'),
          bus: z
            .boolean('write true or false')
            .exactOptional()
            .describe('Create an EventBridge bus for change events. Default false.'),
          drift: z
            .boolean('write true or false')
            .exactOptional()
            .describe(
              'Check a hosted zone when CloudTrail reports that somebody else changed it. Needs a trail. Default false.',
            ),
          sweepMinutes: z
            .int('write whole minutes')
            .min(1, 'write 1 or more')
            .max(SWEEP_MINUTES_MAX, SWEEP_ONCE_A_DAY)
            .exactOptional()
            .describe('Minutes between two sweeps. Default 15.'),
        },
        'write a mapping, such as { webhook: secret }',
      )
      .exactOptional()
      .describe('How changes are noticed before the next sweep.'),
    vpc: z
      .strictObject(
        {
          id: idOf('vpc', 'the id of a VPC').describe('The VPC.'),
          subnets: z
            .array(idOf('subnet', 'the id of a subnet'), 'write a list of the ids of subnets')
            .min(1, 'write one subnet or more')
            .describe('Subnets with a route to SQS, DynamoDB and Route 53, such as a NAT gateway.'),
          securityGroups: z
            .array(idOf('sg', 'the id of a security group'), 'write a list of the ids of security groups')
            .min(1, 'write one security group or more')
            .describe('Security groups of the functions.'),
        },
        'write a mapping with id, subnets and securityGroups',
      )
      .exactOptional()
      .describe('The VPC of the functions, for an API server with a private endpoint. Default: no VPC.'),
    alarmTopic: text('the ARN of an SNS topic')
      .exactOptional()
      .describe('The SNS topic that alarms notify. Default: alarms notify nobody.'),
    reservedConcurrency: z
      .strictObject(
        {
          ingest: executions.exactOptional().describe('For ingest, if there is a webhook. Default 20.'),
          validate: executions.exactOptional().describe('For validate. Default 5.'),
          sweep: executions.exactOptional().describe('For sweep. Default 1.'),
        },
        'write a mapping, such as { ingest: 20 }',
      )
      .exactOptional()
      .describe(
        'Concurrent executions reserved for a function, which are also its maximum; 0 reserves none. Lambda keeps 100 of the account unreserved.',
      ),
    table: z
      .string('write the name of a DynamoDB table')
      .regex(/^[\w.-]{3,255}$/, 'write the name of a DynamoDB table')
      .exactOptional()
      .describe('An existing table to use as the ledger. Default: a new table.'),
  },
  'missing: write region and cluster, see docs/deploy.md',
);

export type AwsSettings = z.output<typeof awsSchema>;

/** The problems of the value of `aws`. */
export function awsProblems(aws: unknown): readonly SettingsProblem[] {
  const parsed = awsSchema.safeParse(aws);
  if (!parsed.success) {
    return parsed.error.issues.flatMap((issue) => {
      const path = ['aws', ...issue.path];
      return issue.code === 'unrecognized_keys'
        ? issue.keys.map((key) => ({ path: [...path, key], message: unknownKey(issue.path) }))
        : [{ path, message: issue.message }];
    });
  }
  const { region, cluster, events = {}, alarmTopic } = parsed.data;
  const problems: SettingsProblem[] = [];
  const refuse = (keys: string, message: string) => problems.push({ path: keys.split('.'), message });
  if (partitionOf(region) === null) {
    refuse('aws.region', `the partition of ${region} is not supported: write a region of aws, aws-us-gov or aws-cn`);
  }
  if (cluster.eks !== undefined && cluster.tokenSecret !== undefined) {
    refuse('aws.cluster.tokenSecret', 'zone53 signs in to an EKS cluster with IAM: write eks or tokenSecret, not both');
  }
  if (cluster.tokenSecret !== undefined && !SECRET_ARN.test(cluster.tokenSecret)) {
    refuse(
      'aws.cluster.tokenSecret',
      'write the whole ARN of a secret, such as arn:aws:secretsmanager:eu-west-1:111122223333:secret:token-AbCdEf',
    );
  }
  if (alarmTopic !== undefined && !TOPIC_ARN.test(alarmTopic)) {
    refuse('aws.alarmTopic', 'write the ARN of an SNS topic, such as arn:aws:sns:eu-west-1:111122223333:alarms');
  }
  const topicRegion = /^arn:[\w-]+:sns:([\w-]+):/.exec(alarmTopic ?? '')?.[1] ?? region;
  if (topicRegion !== region) {
    const advice = `alarms can notify only topics of their own region, ${region}: write the ARN of one there`;
    refuse('aws.alarmTopic', `the topic is in ${topicRegion}, and ${advice}`);
  }
  if (cluster.eks === undefined && cluster.tokenSecret === undefined) {
    refuse(
      'aws.cluster',
      'write eks, the name of an EKS cluster, or tokenSecret, the ARN of a secret with a bearer token',
    );
  }
  if (cluster.eks !== undefined && cluster.certificateAuthority === undefined) {
    refuse(
      'aws.cluster.certificateAuthority',
      'missing: write certificateAuthority.data of `aws eks describe-cluster`',
    );
  }
  if (cluster.eks === undefined && cluster.accessEntries !== undefined) {
    refuse('aws.cluster.accessEntries', 'only EKS has access entries: remove the key');
  }
  if (cluster.eks === undefined && events.auditLog === true) {
    refuse('aws.events.auditLog', 'only EKS writes its audit log to CloudWatch Logs: write webhook: secret instead');
  }
  if (events.validate === true && events.webhook !== 'secret') {
    refuse('aws.events.validate', VALIDATE_NEEDS_SECRET);
  }
  return problems;
}

function unknownKey(path: readonly PropertyKey[]): string {
  let schema: unknown = awsSchema;
  for (const key of path) schema = required(schema).shape[String(key)];
  return `unknown key; known here are ${Object.keys(required(schema).shape).join(', ')}`;
}

function required(schema: unknown): z.ZodObject {
  return (schema instanceof z.ZodExactOptional ? schema.unwrap() : schema) as z.ZodObject;
}
