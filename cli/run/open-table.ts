// Opens a ledger in a DynamoDB table. A separate file, because it is loaded only with --table.
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { awsFailure } from '../../lib/adapters/aws/aws-failure.ts';
import { unlogged } from '../../lib/adapters/aws/unlogged.ts';
import { createTable } from '../../lib/adapters/ledger/create-table.ts';
import { dynamodbLedger } from '../../lib/adapters/ledger/dynamodb-ledger.ts';
import { memoryLedger } from '../../lib/adapters/ledger/memory-ledger.ts';
import { checkFormat } from '../../lib/ledger/format.ts';
import type { Ledger } from '../../lib/ports/ledger.ts';
import { UsageError } from '../print/usage-error.ts';
import type { Store } from './requests.ts';

export type OpenLedger = { readonly ledger: Ledger; close(): Promise<void> };

/**
 * Opens the table, and creates it with `store.create`. With `readOnly`, nothing is created: the ledger is then an empty
 * one in memory.
 */
export async function openTable(store: Extract<Store, { kind: 'table' }>, readOnly: boolean): Promise<OpenLedger> {
  const client = unlogged(new DynamoDBClient({}));
  if (store.create && !readOnly) await createTable(client, store.table);
  const ledger = dynamodbLedger(DynamoDBDocumentClient.from(client), store.table);
  const close = async () => client.destroy();
  if (await isThere(ledger)) return { ledger, close };
  await close();
  if (store.create) return { ledger: memoryLedger(), close };
  throw new UsageError(
    `Cannot find DynamoDB table "${store.table}". Check its name and the region (AWS_REGION), or let apply --create-table create it.`,
  );
}

/**
 * Reads the mark, as every command does. The caller may have no right to describe the table.
 * @throws NewerLedgerError
 */
async function isThere(ledger: Ledger): Promise<boolean> {
  try {
    await checkFormat(ledger);
    return true;
  } catch (error) {
    const { cause } = error as { readonly cause?: unknown };
    if (awsFailure(cause).code === 'ResourceNotFoundException') return false;
    throw error;
  }
}
