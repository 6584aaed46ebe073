// Reads that begin at the same moment are sent in one request. A middleware simulates keys that DynamoDB leaves
// unprocessed, because DynamoDB Local never leaves any.
import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { dynamodbLedger } from '../../lib/adapters/ledger/dynamodb-ledger.ts';
import type { Ledger } from '../../lib/ports/ledger.ts';
import { describeWithEngine } from '../engines/engines.ts';
import { type LocalTable, openLocalTable } from '../support/local-table.ts';

const TABLE = 'zone53-ledger';
let local: LocalTable;
let ledger: Ledger;
/** The names of the commands sent, and the keys of each BatchGetItem. */
let sent: string[] = [];
let keys: number[] = [];
/** How many keys of a BatchGetItem are processed; the others are left unprocessed. Null: the answer is empty. */
let processed: number | null = Number.POSITIVE_INFINITY;

type Batch = { RequestItems: Record<string, { Keys: unknown[] }> };

function keyOf(n: number) {
  return { partition: `p${n % 3}`, sort: `s${n}` };
}

async function readAll(count: number): Promise<unknown[]> {
  const items = await Promise.all(Array.from({ length: count }, (_, n) => ledger.get(keyOf(n))));
  return items.map((item) => item?.body.n);
}

const upTo = (count: number) => Array.from({ length: count }, (_, n) => n);

describeWithEngine('dynamodb-local', 'dynamodbLedger().get() of many at once', () => {
  beforeAll(async () => {
    local = await openLocalTable(TABLE);
    ledger = dynamodbLedger(local.documentClient, TABLE);
    // The middleware is on this client, because the document client sends everything through it.
    local.client.middlewareStack.add(
      (next, context) => async (args) => {
        sent.push(String(context.commandName));
        if (context.commandName !== 'BatchGetItemCommand') return next(args);
        const { RequestItems } = args.input as Batch;
        const all = RequestItems[TABLE]?.Keys;
        if (all === undefined) return next(args);
        keys.push(all.length);
        if (processed === null) return { response: {}, output: { $metadata: {} } as never };
        const [now, left] = [all.slice(0, processed), all.slice(processed)];
        const UnprocessedKeys = left.length === 0 ? {} : { [TABLE]: { Keys: left, ConsistentRead: true } };
        if (now.length === 0)
          return { response: {}, output: { $metadata: {}, Responses: {}, UnprocessedKeys } as never };
        const input = { RequestItems: { [TABLE]: { Keys: now, ConsistentRead: true } } } as never;
        const answer = await next({ ...args, input });
        return { ...answer, output: { ...answer.output, UnprocessedKeys } as never };
      },
      { step: 'initialize', name: 'watched', priority: 'low' },
    );
    await Promise.all(Array.from({ length: 250 }, (_, n) => ledger.put(keyOf(n), { n }, null)));
    sent = [];
  });
  afterAll(() => local.close());
  afterEach(() => {
    [sent, keys, processed] = [[], [], Number.POSITIVE_INFINITY];
  });

  it('sends one read alone as a GetItem', async () => {
    expect(await readAll(1)).toEqual([0]);
    expect(sent).toEqual(['GetItemCommand']);
  });

  it('sends reads of one moment in one request, and each gets its own item', async () => {
    expect(await readAll(40)).toEqual(upTo(40));
    expect(sent).toEqual(['BatchGetItemCommand']);
  });

  it('sends several requests for more reads than one request may have', async () => {
    expect(await readAll(250)).toEqual(upTo(250));
    expect(keys.toSorted((a, b) => b - a)).toEqual([100, 100, 50]);
  });

  it('asks once for a key that is read twice, and answers both', async () => {
    const [one, other, third] = await Promise.all([ledger.get(keyOf(7)), ledger.get(keyOf(7)), ledger.get(keyOf(8))]);
    expect([one?.body.n, other?.body.n, third?.body.n]).toEqual([7, 7, 8]);
    expect(keys).toEqual([2]);
  });

  it('gives null for a missing item beside an existing one', async () => {
    const items = await Promise.all([ledger.get(keyOf(1)), ledger.get({ partition: 'p', sort: 'absent' })]);
    expect(items.map((item) => item?.body.n ?? null)).toEqual([1, null]);
  });

  it('shows a write to a read that began after it', async () => {
    const key = { partition: 'p', sort: 'fresh' };
    const revision = await ledger.put(key, { n: 'new' }, null);
    const [fresh] = await Promise.all([ledger.get(key), ledger.get(keyOf(1))]);
    expect(fresh).toMatchObject({ revision, body: { n: 'new' } });
  });

  it('asks again for what DynamoDB left unprocessed, and does not take it for absent', async () => {
    processed = 3;
    expect(await readAll(8)).toEqual(upTo(8));
    expect(keys).toEqual([8, 5, 2]);
  });

  it('throws an Error for what DynamoDB never processes, and does not take it for absent', {
    timeout: 60_000,
  }, async () => {
    processed = 0;
    const results = await Promise.allSettled([ledger.get(keyOf(1)), ledger.get(keyOf(2))]);
    for (const result of results) {
      expect(result).toMatchObject({ status: 'rejected' });
      expect(String((result as PromiseRejectedResult).reason)).toMatch(
        /Cannot read "p\d" \/ "s\d" of ledger table "zone53-ledger": UnprocessedKeys: 2 keys were left 6 times over/,
      );
    }
  });

  it('throws an Error for an empty answer, and does not take it for absence', async () => {
    processed = null;
    await expect(Promise.all([ledger.get(keyOf(1)), ledger.get(keyOf(2))])).rejects.toThrow('NoAnswer');
  });

  it('fails only the read of an item that is not ours', async () => {
    const Item = { pk: 'p', sk: 'theirs', other: 1 };
    await local.documentClient.send(new PutCommand({ TableName: TABLE, Item }));
    const [theirs, ours] = await Promise.allSettled([
      ledger.get({ partition: 'p', sort: 'theirs' }),
      ledger.get(keyOf(1)),
    ]);
    expect(theirs).toMatchObject({ status: 'rejected' });
    expect(ours).toMatchObject({ status: 'fulfilled', value: { body: { n: 1 } } });
  });

  it('fails every read of a missing table, each with its own message', async () => {
    const nowhere = dynamodbLedger(local.documentClient, 'zone53-absent');
    const results = await Promise.allSettled([nowhere.get(keyOf(1)), nowhere.get(keyOf(2))]);
    expect(results.map((result) => String((result as PromiseRejectedResult).reason))).toEqual([
      expect.stringContaining('Cannot read "p1" / "s1" of ledger table "zone53-absent": ResourceNotFound'),
      expect.stringContaining('Cannot read "p2" / "s2" of ledger table "zone53-absent": ResourceNotFound'),
    ]);
  });
});
