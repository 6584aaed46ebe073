import { expect, test } from 'vitest';
import { memoryLedger } from '../../lib/adapters/ledger/memory-ledger.ts';
import { intentClient, RECORDS, recordBody } from '../../test/support/intent-client.ts';
import { handleIntents } from './handle-intents.ts';

const request = (method: string, body: string | null, arn: string | undefined, more: object = {}) => ({
  rawPath: RECORDS,
  rawQueryString: 'limit=1',
  headers: {},
  body,
  isBase64Encoded: false,
  requestContext: { http: { method }, ...(arn && { authorizer: { iam: { userArn: arn } } }) },
  ...more,
});

function handled(options: Parameters<typeof intentClient>[0] = {}) {
  let sweeps = 0;
  const { deps } = intentClient(options);
  const lines: string[] = [];
  const sweep = async () => {
    sweeps += 1;
  };
  const log = (level: string, message: string, fields: object = {}) =>
    void lines.push(`${level}: ${message} ${JSON.stringify(fields)}`);
  const handle = handleIntents({ intents: { deps, sweep, idle: async () => {} }, log });
  return { handle, sweeps: () => sweeps, lines };
}

test('handleIntents() answers signed requests, and no others', async () => {
  const { handle } = handled();
  const body = JSON.stringify(recordBody('public'));
  expect((await handle(request('POST', body, undefined))).statusCode).toBe(403);
  expect((await handle(request('POST', body, 'arn:aws:iam::1:role/a'))).statusCode).toBe(201);
  const encoded = Buffer.from(JSON.stringify(recordBody('two'))).toString('base64');
  const second = request('POST', encoded, 'arn:aws:iam::1:role/a', { isBase64Encoded: true });
  expect((await handle(second)).statusCode).toBe(201);
  const listed = await handle(request('GET', null, 'arn:aws:iam::1:role/a'));
  expect(JSON.parse(listed.body)).toHaveLength(1);
  expect(listed.headers?.link).toContain('rel="next"');
});

test('handleIntents() says which request failed', async () => {
  const fails = () => Promise.reject(new Error('no ledger'));
  const { handle, lines } = handled({ ledger: { ...memoryLedger(), get: fails, query: fails } });
  expect((await handle(request('GET', null, 'arn:aws:iam::1:role/a'))).statusCode).toBe(500);
  expect(lines).toEqual([
    `error: a request for intents failed ${JSON.stringify({ method: 'GET', path: RECORDS, reason: 'no ledger' })}`,
  ]);
});

test('handleIntents() sweeps when its schedule calls it', async () => {
  const { handle, sweeps } = handled();
  expect((await handle({ kind: 'sweep' })).statusCode).toBe(204);
  expect(sweeps()).toBe(1);
});
