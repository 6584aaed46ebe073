// The part of an acceptance run in AWS, by names that each run has in common: what a run left behind is found by the
// next one. Buckets and the stack are used by signed requests, as the SDK has a client of neither here.
import {
  DeleteTableCommand,
  DescribeTableCommand,
  DynamoDBClient,
  ListTablesCommand,
  ResourceNotFoundException,
  UpdateTableCommand,
} from '@aws-sdk/client-dynamodb';
import { XMLParser } from 'fast-xml-parser';
import { type Account, type SignedRequest, sendSigned } from '../../cli/account/doctor/signed-request.ts';

/** Where an emulator stands in for AWS; null: this is AWS. */
export const EMULATOR = process.env.AWS_ENDPOINT_URL ?? null;
export const STACK = 'Zone53Acceptance';
/** What the names of the stack's tables and log groups, and in lower case of its buckets, begin with. */
const PREFIX = `${STACK}-`;
const UPLOAD_MS_MAX = 120_000;

export type Outputs = Readonly<Record<string, string>>;
export type Stack = { readonly status: string; readonly outputs: Outputs };
/** One member of a list in an answer. Lists in it are read by `members()`. */
type Member = Readonly<Record<string, string>>;

/** One answer of S3 or CloudFormation as values. Elements that may be repeated are always lists. */
const XML = new XMLParser({
  parseTagValue: false,
  isArray: (name) => ['member', 'Bucket', 'Version', 'DeleteMarker'].includes(name),
});

/** Sends a request. Throws an Error with the answer unless its status is one of these. */
async function send(account: Account, request: SignedRequest, ...accepted: readonly number[]) {
  const answer = await sendSigned(account, request);
  if (answer.status < 300 || accepted.includes(answer.status)) return answer;
  const { service, method = 'GET', path, query } = request;
  throw new Error(`${service} ${query?.Action ?? `${method} ${path}`}: ${answer.status} ${answer.text}`);
}

/** A call of the query protocol. Null: CloudFormation refuses it because there is no such stack. */
async function cloudFormation(account: Account, Action: string, query: Outputs = {}): Promise<object | null> {
  const asked = { Action, Version: '2010-05-15', StackName: STACK, ...query };
  const request = { service: 'cloudformation', path: '/', query: asked, headers: { accept: 'application/xml' } };
  const { status, text } = await send(account, request, 400);
  if (status === 400) {
    if (/does not exist/.test(text)) return null;
    throw new Error(`cloudformation ${Action}: ${text}`);
  }
  return XML.parse(text)[`${Action}Response`]?.[`${Action}Result`] ?? {};
}

function members(within: object | null | undefined, list: string): readonly Member[] {
  return (within as Readonly<Record<string, { readonly member?: readonly Member[] }>> | null)?.[list]?.member ?? [];
}

/** The stack as it is; null: there is none. */
export async function readStack(account: Account): Promise<Stack | null> {
  const found = await cloudFormation(account, 'DescribeStacks');
  const [stack] = members(found, 'Stacks');
  if (stack === undefined || stack.StackStatus === 'DELETE_COMPLETE') return null;
  const outputs = members(stack, 'Outputs').map(({ OutputKey, OutputValue }) => [OutputKey, OutputValue]);
  return { status: String(stack.StackStatus), outputs: Object.fromEntries(outputs) };
}

/** Has the stack made from a template in S3. */
export async function createStack(account: Account, templateUrl: string, parameters: Outputs): Promise<void> {
  const given = Object.entries(parameters).flatMap(([key, value], index) => [
    [`Parameters.member.${index + 1}.ParameterKey`, key],
    [`Parameters.member.${index + 1}.ParameterValue`, value],
  ]);
  await cloudFormation(account, 'CreateStack', {
    ...{ TemplateURL: templateUrl, 'Capabilities.member.1': 'CAPABILITY_IAM', OnFailure: 'DO_NOTHING' },
    ...Object.fromEntries(given),
  });
}

export async function deleteStack(account: Account): Promise<void> {
  await cloudFormation(account, 'DeleteStack');
}

/** What CloudFormation could not make or delete, with its reasons. */
export async function failuresOf(account: Account): Promise<string> {
  const events = members(await cloudFormation(account, 'DescribeStackEvents'), 'StackEvents');
  return events
    .filter(({ ResourceStatus }) => String(ResourceStatus).endsWith('FAILED'))
    .map(({ LogicalResourceId, ResourceStatusReason }) => `${LogicalResourceId}: ${ResourceStatusReason}`)
    .join('\n');
}

/** Invokes the function of the stack whose logical id has this word, and waits for its end. */
export async function invoke(account: Account, word: string): Promise<void> {
  const resources = members(await cloudFormation(account, 'DescribeStackResources'), 'StackResources');
  const found = resources.find(
    ({ ResourceType, LogicalResourceId }) =>
      ResourceType === 'AWS::Lambda::Function' && String(LogicalResourceId).includes(word),
  );
  const path = `/2015-03-31/functions/${found?.PhysicalResourceId}/invocations`;
  const { text } = await send(account, { service: 'lambda', method: 'POST', path, body: '{}', msMax: UPLOAD_MS_MAX });
  if (/"errorMessage"/.test(text)) throw new Error(`Function ${found?.LogicalResourceId}: ${text}`);
}

/** Makes a bucket, or uses the one that is there. */
export async function makeBucket(account: Account, bucket: string): Promise<void> {
  // S3 has no constraint for its first region.
  const constraint = `<CreateBucketConfiguration><LocationConstraint>${account.region}</LocationConstraint></CreateBucketConfiguration>`;
  const body = account.region === 'us-east-1' ? '' : constraint;
  if ((await bucketsOf(account, bucket)).length > 0) return;
  await send(account, { service: 's3', method: 'PUT', path: `/${bucket}`, body });
}

export async function putObject(account: Account, bucket: string, key: string, body: string | Uint8Array) {
  await send(account, { service: 's3', method: 'PUT', path: `/${bucket}/${key}`, body, msMax: UPLOAD_MS_MAX });
}

async function bucketsOf(account: Account, prefix: string): Promise<readonly string[]> {
  const { text } = await send(account, { service: 's3', path: '/' });
  const found: readonly { readonly Name: string }[] = XML.parse(text).ListAllMyBucketsResult?.Buckets?.Bucket ?? [];
  return found.map(({ Name }) => Name).filter((name) => name.startsWith(prefix));
}

async function deleteBucket(account: Account, bucket: string): Promise<void> {
  const path = `/${bucket}`;
  for (;;) {
    const { text } = await send(account, { service: 's3', path, query: { versions: '' } });
    const { Version = [], DeleteMarker = [] } = XML.parse(text).ListVersionsResult ?? {};
    if (Version.length + DeleteMarker.length === 0) break;
    for (const { Key, VersionId } of [...Version, ...DeleteMarker])
      await send(account, { service: 's3', method: 'DELETE', path: `${path}/${Key}`, query: { versionId: VersionId } });
  }
  await send(account, { service: 's3', method: 'DELETE', path });
}

/** A call of CloudWatch Logs. */
async function logs(account: Account, action: string, input: object): Promise<object> {
  const headers = { 'content-type': 'application/x-amz-json-1.1', 'x-amz-target': `Logs_20140328.${action}` };
  const body = JSON.stringify(input);
  const { text } = await send(account, { service: 'logs', method: 'POST', path: '/', headers, body });
  return text === '' ? {} : JSON.parse(text);
}

async function logGroupsOf(account: Account): Promise<readonly string[]> {
  const names: string[] = [];
  // A log group that nobody has named may have its stack in a path.
  for (const logGroupNamePrefix of [PREFIX, `/aws/cloudformation/${STACK}/`, `/aws/lambda/${PREFIX}`]) {
    const said = await logs(account, 'DescribeLogGroups', { logGroupNamePrefix });
    const { logGroups } = said as { readonly logGroups: readonly { readonly logGroupName: string }[] };
    names.push(...logGroups.map(({ logGroupName }) => logGroupName));
  }
  return names;
}

/** The last lines that the functions logged as warnings and errors. */
export async function complaintsOf(account: Account): Promise<readonly string[]> {
  const lines: string[] = [];
  for (const logGroupName of await logGroupsOf(account)) {
    const said = await logs(account, 'FilterLogEvents', { logGroupName });
    const { events } = said as { readonly events: readonly { readonly message: string }[] };
    lines.push(...events.map(({ message }) => message.trim()));
  }
  return lines.filter((line) => /"level":"(WARN|ERROR)"/.test(line)).slice(-20);
}

/** What the stack leaves on purpose when it is deleted, and what a run made beside it. */
async function remainders(account: Account, bucket: string) {
  const client = new DynamoDBClient({ region: account.region });
  const { TableNames = [] } = await client.send(new ListTablesCommand({ ExclusiveStartTableName: STACK }));
  return {
    client,
    tables: TableNames.filter((name) => name.startsWith(PREFIX)),
    buckets: [...(await bucketsOf(account, PREFIX.toLowerCase())), ...(await bucketsOf(account, bucket))],
    logGroups: await logGroupsOf(account),
  };
}

/** Deletes what the stack leaves: its table, its logs, and the buckets with all their versions. */
export async function deleteRemainders(account: Account, bucket: string): Promise<void> {
  const { client, tables, buckets, logGroups } = await remainders(account, bucket);
  for (const TableName of tables) {
    const { Table } = await client.send(new DescribeTableCommand({ TableName }));
    if (Table?.TableStatus === 'DELETING') continue;
    await client.send(new UpdateTableCommand({ TableName, DeletionProtectionEnabled: false }));
    await client.send(new DeleteTableCommand({ TableName }));
  }
  for (const name of buckets) await deleteBucket(account, name);
  for (const logGroupName of logGroups) await logs(account, 'DeleteLogGroup', { logGroupName });
}

/** What is left of a run in AWS, for people. A table that is being deleted is none. */
export async function leftInAws(account: Account, bucket: string): Promise<readonly string[]> {
  const { client, tables, buckets, logGroups } = await remainders(account, bucket);
  const kept: string[] = [];
  for (const TableName of tables) {
    const status = await client.send(new DescribeTableCommand({ TableName })).then(
      ({ Table }) => Table?.TableStatus,
      (error: unknown) => {
        if (error instanceof ResourceNotFoundException) return 'DELETING';
        throw error;
      },
    );
    if (status !== 'DELETING') kept.push(`table ${TableName}`);
  }
  const stack = await readStack(account);
  return [
    ...(stack === null ? [] : [`stack ${STACK} (${stack.status})`]),
    ...kept,
    ...buckets.map((name) => `bucket ${name}`),
    ...logGroups.map((name) => `log group ${name}`),
  ];
}
