import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { readS3Object, type S3Object, writeS3Object } from './s3-object.ts';

let close = () => {};
afterEach(() => close());

/** S3 that answers each request as it is told to. */
async function answering(answer: (request: IncomingMessage, response: ServerResponse) => void): Promise<S3Object> {
  const server = createServer(answer);
  close = () => server.close();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    ...{ bucket: 'dns', key: 'a b/zone53.json', region: 'eu-west-1' },
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    credentials: async () => ({ accessKeyId: 'key', secretAccessKey: 'secret', sessionToken: 'token' }),
    clock: { nowMs: () => Date.parse('2026-11-29T10:00:00Z') },
  };
}

const HEADERS = { etag: '"e1"', 'x-amz-version-id': 'v1', 'last-modified': 'Sun, 29 Nov 2026 09:00:00 GMT' };
const NEWEST = { unlessEtag: null };

test('readS3Object() reads the newest version with a signed request', async () => {
  const asked: string[] = [];
  const object = await answering(({ method, url, headers }, response) => {
    asked.push(`${method} ${url}`, String(headers.authorization), String(headers['if-none-match']));
    response.writeHead(200, HEADERS).end('{"é":1}');
  });
  expect(await readS3Object(object, NEWEST, 100)).toEqual({
    ...{ kind: 'found', text: '{"é":1}', etag: '"e1"', version: 'v1' },
    modifiedMs: Date.parse('2026-11-29T09:00:00Z'),
  });
  const signed = 'AWS4-HMAC-SHA256 Credential=key/20261129/eu-west-1/s3/aws4_request, SignedHeaders=host;';
  expect(asked).toEqual(['GET /dns/a%20b/zone53.json', expect.stringContaining(signed), 'undefined']);
});

test('readS3Object() asks for a version, or for any but the one that is known', async () => {
  const asked: (string | undefined)[] = [];
  const object = await answering(({ url, headers }, response) => {
    asked.push(url, headers['if-none-match']);
    response.writeHead(headers['if-none-match'] === '"e1"' ? 304 : 200, { 'x-amz-version-id': 'null' }).end();
  });
  expect(await readS3Object(object, { unlessEtag: '"e1"' }, 100)).toEqual({ kind: 'unchanged' });
  expect(await readS3Object(object, { version: 'v/0' }, 100)).toMatchObject({ kind: 'found', version: null });
  expect(asked).toEqual(['/dns/a%20b/zone53.json', '"e1"', '/dns/a%20b/zone53.json?versionId=v%2F0', undefined]);
});

test.each([
  ['missing', 404, '<Code>NoSuchKey</Code>', 'there is no such object, or no such version of it'],
  ['in no bucket', 404, '<Code>NoSuchBucket</Code>', 'there is no bucket dns'],
  [
    'not readable',
    403,
    '<Code>AccessDenied</Code>',
    'S3 answers 403: there is no such object, or this role may not read',
  ],
  ['in another region', 301, '<Code>PermanentRedirect</Code>', 'bucket dns is in another region'],
  ['deleted', 405, '<Code>MethodNotAllowed</Code>', 'S3 answers 405, MethodNotAllowed'],
  ['too large', 200, 'x'.repeat(101), 'it has more than 100 octets'],
])('readS3Object() says why an object cannot be used that is %s', async (_, status, body, reason) => {
  const object = await answering((_request, response) => response.writeHead(status).end(body));
  const reading = await readS3Object(object, NEWEST, 100);
  expect(reading).toEqual({ kind: 'refused', reason: expect.stringContaining(reason) });
});

test('readS3Object() tries again when S3 is overloaded, and then says that it is', async () => {
  let asked = 0;
  const object = await answering((_, response) => {
    asked += 1;
    response.writeHead(asked === 2 ? 200 : 503, HEADERS).end('<Code>SlowDown</Code>');
  });
  expect(await readS3Object(object, NEWEST, 100)).toMatchObject({ kind: 'found' });
  expect(await readS3Object(object, NEWEST, 100)).toEqual({ kind: 'refused', reason: 'S3 answers 503, SlowDown' });
});

test('readS3Object() throws if there is no answer', async () => {
  const object = await answering((request) => request.socket.destroy());
  await expect(readS3Object(object, NEWEST, 100)).rejects.toThrow('Cannot reach s3://dns/a b/zone53.json');
});

test('writeS3Object() writes the text, or says why S3 refuses it', async () => {
  const written: string[] = [];
  const object = await answering((request, response) => {
    let body = '';
    request.on('data', (part) => {
      body += part;
    });
    request.on('end', () => {
      written.push(`${request.method} ${request.url} ${body}`);
      response.writeHead(body === '{"é":1}' ? 200 : 403).end('<Code>AccessDenied</Code>');
    });
  });
  await writeS3Object(object, '{"é":1}');
  expect(written).toEqual(['PUT /dns/a%20b/zone53.json {"é":1}']);
  await expect(writeS3Object(object, '{}')).rejects.toThrow('Cannot write s3://dns/a b/zone53.json: S3 answers 403');
});
