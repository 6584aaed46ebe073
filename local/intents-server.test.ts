import { afterEach, expect, test } from 'vitest';
import { intentClient, RECORDS, recordBody } from '../test/support/intent-client.ts';
import { type IntentsServer, startIntents } from './intents-server.ts';

let server: IntentsServer | null = null;
afterEach(async () => {
  await server?.close();
  server = null;
});

test('serves the API over HTTP, with a refused size and an answer without a body', async () => {
  server = await startIntents(0, intentClient().deps, () => {});
  const url = `${server.url}${RECORDS}`;
  const post = (body: string) => fetch(url, { method: 'POST', body });
  const created = await post(JSON.stringify(recordBody('public')));
  expect([created.status, created.headers.get('content-type')]).toEqual([201, 'application/json']);
  expect((await post('x'.repeat(10_000_000))).status).toBe(413);
  const deleted = await fetch(`${url}/public`, { method: 'DELETE' });
  expect([deleted.status, await deleted.text()]).toEqual([204, '']);
  const head = await fetch(url, { method: 'HEAD' });
  expect([head.status, await head.text()]).toEqual([200, '']);
});

test('refuses requests of a web page', async () => {
  server = await startIntents(0, intentClient().deps, () => {});
  const asked = await fetch(`${server.url}${RECORDS}`, { headers: { origin: 'https://evil.example' } });
  expect([asked.status, asked.headers.get('content-type')]).toEqual([403, 'application/problem+json']);
});

test('answers 500 if the ledger does not answer', async () => {
  const { deps } = intentClient();
  const ledger = { ...deps.state.ledger, get: () => Promise.reject(new Error('no ledger')) };
  const told: string[] = [];
  server = await startIntents(
    0,
    { ...deps, state: { ...deps.state, ledger } },
    (_, message) => void told.push(message),
  );
  const asked = await fetch(`${server.url}${RECORDS}/a`);
  expect([asked.status, await asked.json()]).toEqual([500, expect.objectContaining({ detail: 'no ledger' })]);
  expect(told).toHaveLength(1);
});
