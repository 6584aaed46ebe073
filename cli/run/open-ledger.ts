// The ledger that a command keeps: embedded in a folder, or a DynamoDB table. A plan leaves a folder that is not there
// alone: it then works on an empty ledger in memory.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { createTable } from '../../lib/adapters/ledger/create-table.ts';
import { dynamodbLedger } from '../../lib/adapters/ledger/dynamodb-ledger.ts';
import { memoryLedger } from '../../lib/adapters/ledger/memory-ledger.ts';
import type { Ledger } from '../../lib/ports/cluster.ts';
import { startDynalite } from '../../local/dynalite.ts';
import type { Store } from './use-cases.ts';

/** The one table of an embedded ledger. */
const EMBEDDED_TABLE = 'zone53';

export type OpenLedger = { readonly ledger: Ledger; close(): Promise<void> };

/** Opens the ledger of a command. With `readOnly`, nothing is made. */
export async function openLedger(store: Store, readOnly: boolean): Promise<OpenLedger> {
  if (store.kind === 'folder') return openFolder(store.folder, readOnly);
  const client = new DynamoDBClient({});
  if (store.create && !readOnly) await createTable(client, store.table);
  const ledger = dynamodbLedger(DynamoDBDocumentClient.from(client), store.table);
  return { ledger, close: async () => client.destroy() };
}

async function openFolder(folder: string, readOnly: boolean): Promise<OpenLedger> {
  const path = join(folder, 'ledger');
  if (readOnly && !existsSync(path)) return { ledger: memoryLedger(), close: async () => {} };
  const dynalite = await startDynalite({ path });
  await createTable(dynalite.client, EMBEDDED_TABLE);
  return { ledger: dynamodbLedger(dynalite.documentClient, EMBEDDED_TABLE), close: dynalite.close };
}
