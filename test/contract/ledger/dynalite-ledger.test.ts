import { dynamodbLedger } from '../../../lib/adapters/dynamodb-ledger.ts';
import { createTable } from '../../../lib/adapters/dynamodb-ledger-table.ts';
import { startDynalite } from '../../../local/dynalite.ts';
import { ledgerContract } from './ledger-contract.ts';

ledgerContract('dynalite', async () => {
  const dynalite = await startDynalite();
  await createTable(dynalite.client, 'zone53-contract');
  return { ledger: dynamodbLedger(dynalite.documentClient, 'zone53-contract'), close: dynalite.close };
});
