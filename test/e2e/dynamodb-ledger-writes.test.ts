// Writes that begin at the same moment are sent in one request. A middleware simulates lost answers, and answers to a
// statement that DynamoDB Local never gives (throttled, or none at all).
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { dynamodbLedger } from '../../lib/adapters/ledger/dynamodb-ledger.ts';
import type { Ledger } from '../../lib/ports/ledger.ts';
import { OutcomeUnknownError } from '../../lib/ports/outcome-unknown-error.ts';
import { describeWithEngine } from '../engines/engines.ts';
import { type LocalTable, openLocalTable } from '../support/local-table.ts';

const TABLE = 'zone53-ledger';
type Response = { Error?: { Code?: string; Message?: string } };
let local: LocalTable;
let ledger: Ledger;
let sent: string[] = [];
/** How the middleware changes the answer to a request that was carried out. */
let answered: (responses: Response[]) => Response[] = (responses) => responses;
/** This many statements, the last ones, are not carried out and answer with this code. */
let refused: { readonly count: number; readonly code: string } | null = null;
/** This many answers are lost after their batches were carried out. */
let lost = 0;

let partitions = 0;
let partition = 'p0';
const keyOf = (n: number) => ({ partition, sort: `s${n}` });
const putAll = (count: number) =>
  Promise.allSettled(Array.from({ length: count }, (_, n) => ledger.put(keyOf(n), { n }, null)));

describeWithEngine('dynamodb-local', 'dynamodbLedger() with writes of one moment', () => {
  beforeAll(async () => {
    local = await openLocalTable(TABLE);
    ledger = dynamodbLedger(local.documentClient, TABLE);
    local.client.middlewareStack.add(
      (next, context) => async (args) => {
        sent.push(String(context.commandName).replace('Command', ''));
        if (context.commandName !== 'BatchExecuteStatementCommand') return next(args);
        const { Statements } = args.input as { Statements: unknown[] };
        const kept = refused === null ? Statements : Statements.slice(0, -refused.count);
        const answer = await next({ ...args, input: { ...args.input, Statements: kept } as never });
        const { Responses, ...output } = answer.output as unknown as { Responses: Response[] };
        const code = refused?.code;
        const added = Statements.slice(kept.length).map(
          () => ({ Error: { Code: code, Message: `${code}` } }) as Response,
        );
        return { ...answer, output: { ...output, Responses: answered([...Responses, ...added]) } as never };
      },
      { step: 'initialize', name: 'watched', priority: 'low' },
    );
    // This middleware runs below the SDK's retry.
    local.client.middlewareStack.add(
      (next, context) => async (args) => {
        const answer = await next(args);
        if (context.commandName !== 'BatchExecuteStatementCommand' || lost === 0) return answer;
        lost -= 1;
        throw Object.assign(new Error('socket hang up'), { code: 'ECONNRESET', name: 'TimeoutError' });
      },
      { step: 'deserialize', name: 'lost', priority: 'high' },
    );
  });
  afterAll(() => local.close());
  afterEach(() => {
    [sent, refused, lost, answered] = [[], null, 0, (responses) => responses];
    partitions += 1;
    partition = `p${partitions}`;
  });

  it('sends one write alone as a PutItem or a DeleteItem', async () => {
    const revision = await ledger.put(keyOf(0), {}, null);
    expect(await ledger.remove(keyOf(0), revision ?? '')).toBe(true);
    expect(sent).toEqual(['PutItem', 'DeleteItem']);
  });

  it('sends writes of one moment in requests of 25, and a single one left over alone', async () => {
    expect((await putAll(51)).every(({ status }) => status === 'fulfilled')).toBe(true);
    expect(sent.toSorted()).toEqual(['BatchExecuteStatement', 'BatchExecuteStatement', 'PutItem']);
  });

  it('sends each write alone without the right to PartiQL, and from then on at once', async () => {
    refused = { count: 2, code: 'AccessDenied' };
    const own = dynamodbLedger(local.documentClient, TABLE);
    const put = (n: number) => own.put(keyOf(n), { n }, null);
    expect((await Promise.all([0, 1, 2].map(put))).every((revision) => revision !== null)).toBe(true);
    refused = null;
    await Promise.all([3, 4].map(put));
    expect(sent.filter((name) => name === 'PutItem')).toHaveLength(4);
    expect(sent.filter((name) => name === 'BatchExecuteStatement')).toHaveLength(1);
  });

  it('sends writes of one item at one moment in different requests, and one of them wins', async () => {
    const answers = await Promise.all([1, 2, 3].map((n) => ledger.put(keyOf(0), { n }, null)));
    expect(answers.filter((revision) => revision !== null)).toHaveLength(1);
  });

  it.each(['ThrottlingError', 'ProvisionedThroughputExceeded', 'RequestLimitExceeded', 'TransactionConflict'])(
    'writes alone what was not carried out (%s)',
    async (code) => {
      refused = { count: 2, code };
      expect((await putAll(4)).every(({ status }) => status === 'fulfilled')).toBe(true);
      expect(sent).toEqual(['BatchExecuteStatement', 'PutItem', 'PutItem']);
      expect((await ledger.query(partition)).items).toHaveLength(4);
    },
  );

  it('throws a plain Error for one refused write, beside others that were written', async () => {
    refused = { count: 1, code: 'ItemCollectionSizeLimitExceeded' };
    const [first, second] = await putAll(2);
    expect(first?.status).toBe('fulfilled');
    const { reason } = second as PromiseRejectedResult;
    expect(reason).not.toBeInstanceOf(OutcomeUnknownError);
    expect(String(reason)).toMatch(
      /^Error: Cannot write "p\d+" \/ "s1" of ledger table "zone53-ledger": ItemCollection/,
    );
  });

  it.each([
    [
      'InternalServerError',
      (responses: Response[]) => responses.map(() => ({ Error: { Code: 'InternalServerError' } })),
    ],
    ['no answer', () => []],
  ])('what may have been written (%s) throws OutcomeUnknownError', async (_, change) => {
    const revision = (await ledger.put(keyOf(9), {}, null)) ?? '';
    answered = change;
    const results = await Promise.allSettled([ledger.put(keyOf(0), {}, null), ledger.remove(keyOf(9), revision)]);
    for (const result of results) expect(result).toMatchObject({ reason: expect.any(OutcomeUnknownError) });
    expect((await ledger.query(partition)).items.map(({ sort }) => sort)).toEqual(['s0']);
  });

  it('reports no conflict for writes whose answers were lost and that were sent again; a removal is unknown', async () => {
    const [one, two] = await Promise.all([7, 8].map((n) => ledger.put(keyOf(n), { n }, null)));
    lost = 1;
    const results = await Promise.allSettled([
      ledger.put(keyOf(0), { n: 0 }, null),
      ledger.put(keyOf(7), { again: true }, one ?? ''),
      ledger.put(keyOf(8), { late: true }, 'another'),
      ledger.remove(keyOf(8), two ?? ''),
    ]);
    expect(results.map((result) => (result.status === 'fulfilled' ? typeof result.value : 'failed'))).toEqual([
      'string',
      'string',
      'object',
      expect.any(String),
    ]);
    expect((await ledger.get(keyOf(0)))?.revision).toBe((results[0] as PromiseFulfilledResult<string>).value);
    expect((await ledger.get(keyOf(7)))?.body).toEqual({ again: true });
  });

  it('throws OutcomeUnknownError for a removal that was sent again and finds nothing', async () => {
    const revision = (await ledger.put(keyOf(1), {}, null)) ?? '';
    lost = 1;
    const [removed, written] = await Promise.allSettled([
      ledger.remove(keyOf(1), revision),
      ledger.put(keyOf(2), {}, null),
    ]);
    expect(removed).toMatchObject({ reason: expect.any(OutcomeUnknownError) });
    expect(written).toMatchObject({ value: expect.any(String) });
  });

  it('throws OutcomeUnknownError for every write of a request without an answer', async () => {
    lost = 100;
    for (const result of await putAll(3)) expect(result).toMatchObject({ reason: expect.any(OutcomeUnknownError) });
    expect((await ledger.query(partition)).items).toHaveLength(3);
  });
});
