// A ledger in DynamoDB Local, in a new table.
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { unlogged } from '../../lib/adapters/aws/unlogged.ts';
import { createTable } from '../../lib/adapters/ledger/create-table.ts';
import { dynamodbLedger } from '../../lib/adapters/ledger/dynamodb-ledger.ts';
import type { Ledger } from '../../lib/ports/ledger.ts';

export async function openDynamodb(endpoint: string, table: string): Promise<Ledger> {
  const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
  const client = unlogged(new DynamoDBClient({ endpoint, region: 'us-east-1', credentials }));
  await createTable(client, table);
  return dynamodbLedger(DynamoDBDocumentClient.from(client), table);
}
