// The DynamoDB ledger with a bad network: answers that are lost after the write was applied. The middleware below is
// under the SDK's retry.
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createTable } from '../../lib/adapters/ledger/create-table.ts';
import { dynamodbLedger } from '../../lib/adapters/ledger/dynamodb-ledger.ts';
import { OutcomeUnknownError } from '../../lib/ports/outcome-unknown-error.ts';
import { describeWithEngine } from '../engines/engines.ts';
import { type LocalTable, openLocalTable } from '../support/local-table.ts';

const TABLE = 'zone53-ledger';
let local: LocalTable;

/** Lets the first `count` writes through and loses their answers. `between` runs before the next attempt. */
function loseAnswers(client: DynamoDBClient, count: number, between: () => Promise<void> = async () => {}): void {
  let left = count;
  client.middlewareStack.add(
    (next, context) => async (args) => {
      if (!/Put|Delete/.test(String(context.commandName)) || left === 0) return next(args);
      await next(args).catch(() => {});
      left -= 1;
      await between();
      throw Object.assign(new Error('socket hang up'), { code: 'ECONNRESET', name: 'TimeoutError' });
    },
    { step: 'deserialize', name: 'lost', priority: 'high' },
  );
}

let keys = 0;
const newKey = () => {
  keys += 1;
  return { partition: 'p', sort: `s${keys}` };
};

describeWithEngine('dynamodb-local', 'the ledger on DynamoDB Local, with a bad network', () => {
  beforeAll(async () => {
    local = await openLocalTable(TABLE);
  });
  afterAll(() => local.close());
  afterEach(() => local.client.middlewareStack.remove('lost'));

  it('an item that is no JSON, or whose octets are damaged, affects itself alone', async () => {
    const ledger = dynamodbLedger(local.documentClient, TABLE);
    const put = (sk: string, more: object) =>
      local.documentClient.send(new PutCommand({ TableName: TABLE, Item: { pk: 'damaged', sk, ...more } }));
    await put('a', { rev: '1', body: '{"v":1' });
    await put('c', { rev: '1', zbody: new Uint8Array([1, 2, 3]) });
    await ledger.put({ partition: 'damaged', sort: 'd' }, { v: 1 }, null);
    const { items } = await ledger.query('damaged');
    expect(items.map(({ sort, body }) => [sort, body.v])).toEqual([
      ['a', null],
      ['c', null],
      ['d', 1],
    ]);
  });

  describe('dynamodbLedger() when answers are lost', () => {
    it('put() that landed at its first attempt and was sent again is not a conflict', async () => {
      const ledger = dynamodbLedger(local.documentClient, TABLE);
      const key = newKey();
      loseAnswers(local.client, 1);
      const revision = await ledger.put(key, { n: 1 }, null);
      expect(revision).toEqual(expect.any(String));
      expect(await ledger.get(key)).toMatchObject({ revision, body: { n: 1 } });
    });

    it('put() that lost to another writer is a conflict also when its answer was lost', async () => {
      const ledger = dynamodbLedger(local.documentClient, TABLE);
      const key = newKey();
      const first = await ledger.put(key, { n: 1 }, null);
      await ledger.put(key, { n: 2 }, first);
      loseAnswers(local.client, 1);
      expect(await ledger.put(key, { n: 3 }, first)).toBeNull();
      expect((await ledger.get(key))?.body).toEqual({ n: 2 });
    });

    it('put() throws OutcomeUnknownError when no attempt was answered, because one may have landed', async () => {
      const ledger = dynamodbLedger(local.documentClient, TABLE);
      const key = newKey();
      loseAnswers(local.client, 100);
      await expect(ledger.put(key, { n: 1 }, null)).rejects.toThrow(OutcomeUnknownError);
      expect((await ledger.get(key))?.body).toEqual({ n: 1 });
    });

    it('remove() that was sent again and finds nothing throws OutcomeUnknownError', async () => {
      const ledger = dynamodbLedger(local.documentClient, TABLE);
      const key = newKey();
      const revision = (await ledger.put(key, {}, null)) ?? '';
      loseAnswers(local.client, 1);
      await expect(ledger.remove(key, revision)).rejects.toThrow(OutcomeUnknownError);
      expect(await ledger.get(key)).toBeNull();
    });

    it('remove() that was sent again and finds a newer item leaves that, and gives false', async () => {
      const ledger = dynamodbLedger(local.documentClient, TABLE);
      const key = newKey();
      const revision = (await ledger.put(key, { n: 1 }, null)) ?? '';
      const item = { pk: key.partition, sk: key.sort, rev: 'newer', body: '{"n":2}' };
      loseAnswers(local.client, 1, async () => {
        local.client.middlewareStack.remove('lost');
        await local.documentClient.send(new PutCommand({ TableName: TABLE, Item: item }));
      });
      expect(await ledger.remove(key, revision)).toBe(false);
      expect((await ledger.get(key))?.revision).toBe('newer');
    });
  });

  describe('dynamodbLedger() and the table', () => {
    it('a refused write is a plain Error that says what was refused', async () => {
      const ledger = dynamodbLedger(local.documentClient, 'zone53-absent');
      const error = await ledger.put(newKey(), {}, null).catch((thrown: unknown) => thrown);
      expect(error).not.toBeInstanceOf(OutcomeUnknownError);
      expect(String(error)).toMatch(/Cannot write "p" \/ "s\d+" of ledger table "zone53-absent": ResourceNotFound/);
    });

    it('an item that is not ours is an Error that names it', async () => {
      const key = newKey();
      const item = { pk: key.partition, sk: key.sort, other: 1 };
      await local.documentClient.send(new PutCommand({ TableName: TABLE, Item: item }));
      const ledger = dynamodbLedger(local.documentClient, TABLE);
      await expect(ledger.get(key)).rejects.toThrow(`Cannot read ledger item "p" / "${key.sort}"`);
    });

    it('createTable() leaves an existing table as it is', async () => {
      const ledger = dynamodbLedger(local.documentClient, TABLE);
      const key = newKey();
      await ledger.put(key, { n: 1 }, null);
      await createTable(local.client, TABLE);
      expect((await ledger.get(key))?.body).toEqual({ n: 1 });
    });

    it('createTable() refuses a table with other keys', async () => {
      const { CreateTableCommand } = await import('@aws-sdk/client-dynamodb');
      await local.client.send(
        new CreateTableCommand({
          TableName: 'zone53-other',
          BillingMode: 'PAY_PER_REQUEST',
          AttributeDefinitions: [{ AttributeName: 'id', AttributeType: 'S' }],
          KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
        }),
      );
      await expect(createTable(local.client, 'zone53-other')).rejects.toThrow('its keys are "id HASH"');
    });
  });
});
