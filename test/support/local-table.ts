// A table of its own in a DynamoDB Local of its own, with the clients that ask it.
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { createTable } from '../../lib/adapters/ledger/create-table.ts';
import { startDynamodbLocal } from '../engines/engines.ts';

export type LocalTable = {
  readonly client: DynamoDBClient;
  readonly documentClient: DynamoDBDocumentClient;
  close(): Promise<void>;
};

/** Starts the engine and makes the table. */
export async function openLocalTable(table: string): Promise<LocalTable> {
  const running = await startDynamodbLocal();
  const credentials = { accessKeyId: 'test', secretAccessKey: 'test' };
  const client = new DynamoDBClient({ endpoint: running.url, region: 'us-east-1', credentials });
  await createTable(client, table);
  const close = async () => {
    client.destroy();
    await running.close();
  };
  return { client, documentClient: DynamoDBDocumentClient.from(client), close };
}
