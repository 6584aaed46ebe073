// The key `aws` of `zone53.yaml`, which only a deployment by the CDK needs: its schema, and the problems of what is
// written there.
//
//   aws:
//     region: eu-west-1
//     account: "111122223333"                  # default: that of the credentials
//     stack: Zone53Prod                         # default: Zone53; another for each deployment
//     vpc: { id: vpc-0123, subnets: [subnet-0a], securityGroups: [sg-0b] }
//     reservedConcurrency: { ingest: 20, validate: 5, sweep: 1 }
//     table: Zone53-restored                    # an existing ledger; default: a new table
//     encryptionKey: arn:aws:kms:…
//     logLevel: DEBUG                           # and logRetentionDays, keepLogs, tracing, trustConditions

import * as z from 'zod';
import { partitionOf } from '../../route53/partition.ts';
import { type ConfigProblem, MOVED, unknownKey } from './config-schema.ts';
import { flag, regionName } from './value-schemas.ts';

const idOf = (prefix: string, what: string) => {
  const wanted = `write ${what}, such as ${prefix}-0123456789abcdef0`;
  return z.string(wanted).regex(new RegExp(`^${prefix}-[0-9a-z]+$`), wanted);
};
const WANTED_KEY = 'write the ARN of a KMS key, such as arn:aws:kms:eu-west-1:111122223333:key/…';
/** What CloudWatch Logs takes (PutRetentionPolicy). Last verified 2026-11-29. */
const RETENTION_DAYS = [
  1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731, 1096, 1827, 2192, 2557, 2922, 3288, 3653,
] as const;
const executions = z.int('write a whole number').min(0, 'write 0 or more');

/** The key `aws`. The descriptions of its keys are those of docs/reference.md. */
export const awsSchema = z.strictObject(
  {
    region: regionName.describe('The region that zone53 runs in.'),
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
        'The name of the stack. Default Zone53. A second deployment in the same account and region needs another name.',
      ),
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
    encryptionKey: z
      .string(WANTED_KEY)
      .regex(/^arn:[\w-]+:kms:[\w-]+:\d{12}:key\/\S+$/, WANTED_KEY)
      .exactOptional()
      .describe(
        'The KMS key of table, queues, logs, secrets and configuration (docs/iam.md has its policy). Default: keys of AWS.',
      ),
    logLevel: z
      .enum(['DEBUG', 'INFO', 'WARN', 'ERROR'], 'write DEBUG, INFO, WARN or ERROR')
      .exactOptional()
      .describe('The least level of the log lines. Default INFO.'),
    logRetentionDays: z
      .literal(RETENTION_DAYS, `write one of ${RETENTION_DAYS.join(', ')}`)
      .exactOptional()
      .describe('How many days log lines are kept. Default 30.'),
    keepLogs: flag.exactOptional().describe('Whether the logs stay when the stack is deleted. Default true.'),
    tracing: flag.exactOptional().describe('Whether X-Ray traces every function. Default false.'),
    trustConditions: flag
      .exactOptional()
      .describe('Whether the roles have the condition aws:SourceAccount (docs/iam.md). Default false.'),
  },
  'missing: write region, see docs/deploy.md',
);

export type AwsSettings = Readonly<z.output<typeof awsSchema>>;

/** The problems of the value of `aws`. */
export function awsProblems(aws: unknown): readonly ConfigProblem[] {
  const parsed = awsSchema.safeParse(aws);
  if (!parsed.success) {
    return parsed.error.issues.flatMap((issue): readonly ConfigProblem[] => {
      const path = ['aws', ...issue.path];
      if (issue.code !== 'unrecognized_keys') return [{ path, message: issue.message, unknownKey: false }];
      const known = knownAt(issue.path);
      // The words of earlier versions have an error of their own.
      const unknown = issue.keys.filter((key) => issue.path.length > 0 || !(key in MOVED));
      return unknown.map((key) => ({ path: [...path, key], message: unknownKey(key, known), unknownKey: true }));
    });
  }
  const { region } = parsed.data;
  if (partitionOf(region) !== null) return [];
  const message = `the partition of ${region} is not supported: write a region of aws, aws-us-gov or aws-cn`;
  return [{ path: ['aws', 'region'], message, unknownKey: false }];
}

function knownAt(path: readonly PropertyKey[]): readonly string[] {
  let schema: unknown = awsSchema;
  for (const one of path) schema = required(schema).shape[String(one)];
  return Object.keys(required(schema).shape);
}

function required(schema: unknown): z.ZodObject {
  return (schema instanceof z.ZodExactOptional ? schema.unwrap() : schema) as z.ZodObject;
}
