import { mkdir, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { testFolder } from '../../test/support/test-folder.ts';
import { UsageError } from '../print/usage-error.ts';
import { doubtState, openLedger } from './open-ledger.ts';

let server: Server;
let type: string;
beforeEach(async () => {
  type = 'ResourceNotFoundException';
  server = createServer((_request, response) => {
    const body = { __type: `com.amazonaws.dynamodb.v20120810#${type}`, message: 'Requested resource not found' };
    response.writeHead(400, { 'content-type': 'application/x-amz-json-1.0' }).end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  vi.stubEnv('AWS_ENDPOINT_URL_DYNAMODB', `http://127.0.0.1:${port}`);
  vi.stubEnv('AWS_REGION', 'us-east-1');
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'test');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'test');
});
afterEach(() => {
  vi.unstubAllEnvs();
  server.closeAllConnections();
  server.close();
});

test.each([true, false])('openLedger() names a missing table and --create-table (read only: %s)', async (readOnly) => {
  const opening = openLedger({ kind: 'table', table: 'nowhere', create: false }, readOnly);
  await expect(opening).rejects.toThrow(UsageError);
  await expect(opening).rejects.toThrow(/Cannot find DynamoDB table "nowhere".*--create-table/);
});

test('openLedger() gives an empty ledger to plan if the table is still to be created', async () => {
  const { ledger, close } = await openLedger({ kind: 'table', table: 'later', create: true }, true);
  expect(await ledger.query('hostedzones')).toEqual({ items: [], next: null });
  await close();
});

test('doubtState() says nothing of a default folder that cannot be used, so that another one can be', async () => {
  const folder = testFolder();
  const before = process.cwd();
  onTestFinished(() => process.chdir(before));
  process.chdir(folder);
  const store = { kind: 'folder', folder: 'other', isNamed: true } as const;
  await writeFile('.zone53', 'a file');
  expect(doubtState(store)).toBeNull();
  await rm('.zone53');
  await mkdir('.zone53');
  expect(doubtState(store)).toBeNull();
  await writeFile('.zone53/ledger.sqlite', '');
  expect(doubtState(store)).toContain('and .zone53 has one');
});

test('openLedger() passes on every other refusal', async () => {
  type = 'AccessDeniedException';
  const opening = openLedger({ kind: 'table', table: 'zone53', create: false }, true);
  await expect(opening).rejects.toThrow(/AccessDeniedException/);
});
