// Creates the ledger's table as the CDK construct does: string keys `pk` and `sk`, on demand, point-in-time recovery,
// and `ttl` for what DynamoDB removes by itself. Used by `--create-table` and by tests. An existing table is left as it
// is, if its keys are right.
import { setTimeout as sleep } from 'node:timers/promises';
import {
  CreateTableCommand,
  DescribeTableCommand,
  type DynamoDBClient,
  UpdateContinuousBackupsCommand,
  UpdateTimeToLiveCommand,
  waitUntilTableExists,
} from '@aws-sdk/client-dynamodb';
import { awsFailure } from '../aws/aws-failure.ts';

const CREATE_SECONDS_MAX = 120;
/** Tries to switch on recovery: a new table refuses it for some seconds (ContinuousBackupsUnavailableException). */
const RECOVERY_ATTEMPTS_MAX = 15;

/** Creates the table and waits until it can be used. Throws an Error if it exists with other keys. */
export async function createTable(client: DynamoDBClient, table: string): Promise<void> {
  const created = await create(client, table);
  await waitUntilTableExists(
    { client, minDelay: 1, maxDelay: 5, maxWaitTime: CREATE_SECONDS_MAX },
    { TableName: table },
  );
  if (created) {
    await recoverable(client, table);
    await expiring(client, table);
  }
  if (!created) await checkKeys(client, table);
}

async function create(client: DynamoDBClient, table: string): Promise<boolean> {
  const command = new CreateTableCommand({
    TableName: table,
    BillingMode: 'PAY_PER_REQUEST',
    AttributeDefinitions: [
      { AttributeName: 'pk', AttributeType: 'S' },
      { AttributeName: 'sk', AttributeType: 'S' },
    ],
    KeySchema: [
      { AttributeName: 'pk', KeyType: 'HASH' },
      { AttributeName: 'sk', KeyType: 'RANGE' },
    ],
  });
  try {
    await client.send(command);
    return true;
  } catch (cause) {
    const { code, message } = awsFailure(cause);
    if (code === 'ResourceInUseException') return false;
    throw new Error(`Cannot create ledger table "${table}": ${code}: ${message}`, { cause });
  }
}

async function checkKeys(client: DynamoDBClient, table: string): Promise<void> {
  const { Table } = await client.send(new DescribeTableCommand({ TableName: table }));
  const keys = (Table?.KeySchema ?? []).map(({ AttributeName, KeyType }) => `${AttributeName} ${KeyType}`).join(', ');
  if (keys !== 'pk HASH, sk RANGE') {
    throw new Error(`Cannot use table "${table}" as a ledger: its keys are "${keys}", not "pk HASH, sk RANGE"`);
  }
}

async function recoverable(client: DynamoDBClient, table: string): Promise<void> {
  const PointInTimeRecoverySpecification = { PointInTimeRecoveryEnabled: true };
  const command = new UpdateContinuousBackupsCommand({ TableName: table, PointInTimeRecoverySpecification });
  for (let attempt = 1; ; attempt += 1) {
    try {
      await client.send(command);
      return;
    } catch (cause) {
      const { code, message } = awsFailure(cause);
      // DynamoDB Local lacks this operation.
      if (code === 'UnknownOperationException') return;
      if (code !== 'ContinuousBackupsUnavailableException' || attempt >= RECOVERY_ATTEMPTS_MAX) {
        throw new Error(`Cannot turn on point-in-time recovery of table "${table}": ${code}: ${message}`, { cause });
      }
      await sleep(2_000);
    }
  }
}

/** Old entries of the history have the second in which they may be removed. */
async function expiring(client: DynamoDBClient, table: string): Promise<void> {
  const TimeToLiveSpecification = { AttributeName: 'ttl', Enabled: true };
  try {
    await client.send(new UpdateTimeToLiveCommand({ TableName: table, TimeToLiveSpecification }));
  } catch (cause) {
    const { code, message } = awsFailure(cause);
    throw new Error(`Cannot let items of table "${table}" expire: ${code}: ${message}`, { cause });
  }
}
