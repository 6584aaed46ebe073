// The ledger's contract on Amazon's own DynamoDB Local.
import { it } from 'vitest';
import { createTable } from '../../lib/adapters/ledger/create-table.ts';
import { dynamodbLedger } from '../../lib/adapters/ledger/dynamodb-ledger.ts';
import { ledgerContract } from '../contract/ledger/ledger-contract.ts';
import { describeWithEngine, startDynamodbLocal } from '../engines/engines.ts';
import { openLocalTable } from '../support/local-table.ts';

const TABLE = 'zone53-contract';

describeWithEngine('dynamodb-local', 'the ledger on DynamoDB Local', () => {
  ledgerContract('DynamoDB Local', async () => {
    const { client, documentClient, close } = await openLocalTable(TABLE);
    await createTable(client, TABLE);
    return { ledger: dynamodbLedger(documentClient, TABLE), close };
  });

  it('starts and stops, leaving nothing behind', async ({ expect }) => {
    const running = await startDynamodbLocal();
    await running.close();
    await expect(fetch(running.url)).rejects.toThrow();
  });
});
