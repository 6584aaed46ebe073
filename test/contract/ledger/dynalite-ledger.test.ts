import { createTable } from '../../../lib/adapters/ledger/create-table.ts';
import { dynamodbLedger } from '../../../lib/adapters/ledger/dynamodb-ledger.ts';
import { startDynalite } from '../../../local/dynalite.ts';
import { ledgerContract } from './ledger-contract.ts';

ledgerContract('dynalite', async () => {
  const dynalite = await startDynalite();
  await createTable(dynalite.client, 'zone53-contract');
  return { ledger: dynamodbLedger(dynalite.documentClient, 'zone53-contract'), close: dynalite.close };
});
