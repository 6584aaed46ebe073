// The ledger's contract on Amazon's own DynamoDB Local: what dynalite is trusted for must hold there as well.
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { it } from 'vitest';
import { createTable } from '../../lib/adapters/ledger/create-table.ts';
import { dynamodbLedger } from '../../lib/adapters/ledger/dynamodb-ledger.ts';
import { ledgerContract } from '../contract/ledger/ledger-contract.ts';
import { describeWithEngine, startDynamodbLocal } from '../engines/engines.ts';

const TABLE = 'zone53-contract';

describeWithEngine('dynamodb-local', 'the ledger on DynamoDB Local', () => {
  ledgerContract('DynamoDB Local', async () => {
    const running = await startDynamodbLocal();
    const credentials = { accessKeyId: 'test', secretAccessKey: 'test' };
    const client = new DynamoDBClient({ endpoint: running.url, region: 'us-east-1', credentials });
    await createTable(client, TABLE);
    await createTable(client, TABLE);
    const close = async () => {
      client.destroy();
      await running.close();
    };
    return { ledger: dynamodbLedger(DynamoDBDocumentClient.from(client), TABLE), close };
  });

  it('starts and stops, leaving nothing behind', async ({ expect }) => {
    const running = await startDynamodbLocal();
    await running.close();
    await expect(fetch(running.url)).rejects.toThrow();
  });
});
