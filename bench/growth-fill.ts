// Fills a table of DynamoDB Local by writing its database file. BatchWriteItem takes 0.3 ms of CPU for each item, which
// is twenty minutes for the four million items of a cluster of 1,000,000 Records. The file is SQLite, with a table for
// each of DynamoDB's, and the item's JSON in each row (DynamoDB Local 2.6.1). The items are read through the API before
// they are used.
import { randomUUID } from 'node:crypto';
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { JsonObject, LedgerKey } from '../lib/ports/ledger.ts';
import { startDynamodbLocal } from '../test/engines/engines.ts';
import { itemBytes, ledgerAttributes } from './measured-ledger.ts';

export const TABLE = 'ledger';

type LedgerFile = {
  /** Puts items into the table. */
  put(items: Iterable<{ readonly key: LedgerKey; readonly body: JsonObject }>): void;
  /**
   * Copies every item that has `mark` in its key, with each of `marks` in place of it, in small letters and in
   * capitals. The marks have equal length.
   */
  copy(mark: string, marks: readonly string[]): void;
  /** How many items the table has. */
  count(): number;
  close(): void;
};

/** Runs DynamoDB Local over the file. Nothing else may have the file open meanwhile. */
export async function withLedger(folder: string, work: (client: DynamoDBClient) => Promise<void>): Promise<void> {
  const local = await startDynamodbLocal({ folder });
  const credentials = { accessKeyId: 'bench', secretAccessKey: 'bench' };
  const client = new DynamoDBClient({ endpoint: local.url, region: 'us-east-1', credentials });
  try {
    await work(client);
  } finally {
    client.destroy();
    await local.close();
  }
}

/** Opens the file of a DynamoDB Local that has its tables in `folder`. TABLE must exist there. */
export function withFile<Result>(folder: string, work: (file: LedgerFile) => Result): Result {
  const file = openLedgerFile(folder, TABLE);
  try {
    return work(file);
  } finally {
    file.close();
  }
}

function openLedgerFile(folder: string, table: string): LedgerFile {
  const name = readdirSync(folder).find((file) => file.endsWith('.db'));
  if (name === undefined) throw new Error('DynamoDB Local has made no file for its tables');
  const database = new DatabaseSync(path.join(folder, name));
  database.exec('PRAGMA synchronous = OFF; PRAGMA cache_size = -262144');
  const inOne = (work: () => void) => {
    database.exec('BEGIN');
    work();
    database.exec('COMMIT');
  };
  const columns = 'hashKey, rangeKey, hashValue, rangeValue, itemSize, ObjectJSON';
  return {
    put: (items) => {
      const insert = database.prepare(`INSERT INTO "${table}" (${columns}) VALUES (?, ?, x'', x'', ?, ?)`);
      inOne(() => {
        for (const { key, body } of items) {
          const json = JSON.stringify(storedForm(ledgerAttributes(key, randomUUID(), body)));
          insert.run(Buffer.from(key.partition), Buffer.from(key.sort), itemBytes(key, body), Buffer.from(json));
        }
      });
    },
    copy: (mark, marks) => {
      const { last } = database.prepare(`SELECT max(rowid) AS last FROM "${table}"`).get() as { last: number };
      const renamed = (column: string) =>
        `CAST(replace(replace(${column}, :from, :to), upper(:from), upper(:to)) AS BLOB)`;
      const insert = database.prepare(
        `INSERT INTO "${table}" (${columns}) SELECT ${renamed('hashKey')}, ${renamed('rangeKey')}, x'', x'', itemSize,
         ${renamed('ObjectJSON')} FROM "${table}" WHERE rowid <= :last AND instr(lower(hashKey || rangeKey), :from) > 0`,
      );
      for (const to of marks) inOne(() => void insert.run({ from: mark, to, last }));
    },
    count: () => (database.prepare(`SELECT count(*) AS items FROM "${table}"`).get() as { items: number }).items,
    close: () => database.close(),
  };
}

/** An item as DynamoDB Local stores it: each attribute under its type. */
function storedForm(attributes: Readonly<Record<string, unknown>>): object {
  return Object.fromEntries(
    Object.entries(attributes).map(([name, value]) => [
      name,
      typeof value === 'string' ? { S: value } : { B: Buffer.from(value as Uint8Array).toString('base64') },
    ]),
  );
}
