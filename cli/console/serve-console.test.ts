// Who is answered by the console, before anything is read; and the headers of every answer.
import { request } from 'node:http';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { problemAnswer } from './answers.ts';
import { ProblemError } from './problem.ts';
import { type ConsoleServer, serveConsole } from './serve-console.ts';
import { randomToken } from './token.ts';

type Said = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
};

const TOKEN = randomToken();
let server: ConsoleServer;
let asked: string[];

beforeEach(async () => {
  asked = [];
  server = await serveConsole({
    ...{ port: 0, mayMove: false, token: TOKEN, log: () => {} },
    answer: async (path, query) => {
      asked.push(`${path}?${query}`);
      if (path === '/api/v1/fails') throw new Error('User: u is not authorized to perform: dynamodb:Query on it');
      if (path !== '/api/v1/status') throw new ProblemError(404, `There is no ${path}.`);
      return { version: '1' };
    },
  });
});
afterEach(() => server.close());

/** Sends exactly these headers: fetch does not let a test set Host. */
function ask(path: string, headers: Readonly<Record<string, string>> = {}, method = 'GET'): Promise<Said> {
  return new Promise((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', port: server.port, path, method, headers }, (response) => {
      let body = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => {
        body += chunk;
      });
      response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, body }));
    });
    sent.on('error', reject);
    sent.end();
  });
}

const BEARER = { authorization: `Bearer ${TOKEN}` };
const STATUS = '/api/v1/status';

async function cookie(): Promise<string> {
  const { headers } = await ask(new URL(server.url).pathname + new URL(server.url).search);
  return headers['set-cookie']?.[0]?.split(';')[0] ?? '';
}

test('the token of the address is exchanged for a cookie by a redirect that drops it', async () => {
  const { pathname, search } = new URL(server.url);
  const { status, headers, body } = await ask(`${pathname}${search}`);
  expect([status, headers.location, body]).toEqual([303, '/', '']);
  expect(headers['set-cookie']).toEqual([expect.stringMatching(/; Path=\/; HttpOnly; SameSite=Strict$/)]);
  expect(String(headers['set-cookie'])).not.toContain(TOKEN);
  const said = await ask(STATUS, { cookie: `other=1; ${await cookie()}` });
  expect([said.status, JSON.parse(said.body)]).toEqual([200, { version: '1' }]);
});

test('the address for the browser that is opened works once, so that ps shows nothing that does', async () => {
  const { pathname, search } = new URL(server.urlToOpen());
  expect(search).not.toContain(TOKEN);
  expect((await ask(`${pathname}${search}`)).status).toBe(303);
  expect((await ask(`${pathname}${search}`)).status).toBe(401);
});

describe('without the cookie or the token', () => {
  test.each([
    ['nothing', {}],
    ['another token', { authorization: `Bearer ${randomToken()}` }],
    ['no bearer', { authorization: `Basic ${TOKEN}` }],
    ['the token as the cookie', { cookie: `zone53-console=${TOKEN}` }],
  ])('%s: 401, and nothing is read', async (_, headers) => {
    const api = await ask(STATUS, headers);
    expect([api.status, api.headers['content-type']]).toEqual([401, 'application/problem+json']);
    expect(problemAnswer.parse(JSON.parse(api.body)).status).toBe(401);
    for (const path of ['/', '/app.js', '/nosuch', '/?token=wrong', '/api/v1/nosuch'])
      expect([path, (await ask(path, headers)).status]).toEqual([path, 401]);
    const page = await ask('/', headers);
    expect([page.headers['content-type'], page.body.split('\n')]).toEqual([
      'text/plain; charset=utf-8',
      [expect.any(String), ''],
    ]);
    expect((await ask(STATUS, headers, 'POST')).status).toBe(401);
    expect(asked).toEqual([]);
  });

  test('the token counts at the address of the page alone', async () => {
    expect((await ask(`${STATUS}?token=${TOKEN}`)).status).toBe(401);
    expect((await ask(`/?token=${TOKEN}`, {}, 'POST')).status).toBe(401);
  });
});

test.each([
  ['example.org', 421],
  ['127.0.0.1', 421],
  ['127.0.0.1:1', 421],
  ['127.0.0.1.example.org:PORT', 421],
  ['[::1]:PORT', 421],
  ['localhost:PORT', 200],
  ['127.0.0.1:PORT', 200],
])('the host %s is answered %i, whatever else proves itself', async (host, status) => {
  const headers = { ...BEARER, host: host.replace('PORT', String(server.port)) };
  expect((await ask(STATUS, headers)).status).toBe(status);
  expect(asked).toHaveLength(status === 200 ? 1 : 0);
});

test.each([
  ['https://example.org', 403],
  ['http://localhost:PORT', 403],
  ['http://127.0.0.1:1', 403],
  ['null', 403],
  ['http://127.0.0.1:PORT', 200],
])('the origin %s is answered %i', async (origin, status) => {
  const headers = { ...BEARER, origin: origin.replace('PORT', String(server.port)) };
  expect((await ask(STATUS, headers)).status).toBe(status);
  expect(asked).toHaveLength(status === 200 ? 1 : 0);
});

test.each(['POST', 'PUT', 'DELETE', 'PATCH', 'HEAD', 'OPTIONS'])('%s is answered 405', async (method) => {
  const { status, headers } = await ask(STATUS, BEARER, method);
  expect([status, headers.allow]).toEqual([405, 'GET']);
  expect(asked).toEqual([]);
});

test('an error is a problem document; one of missing rights names the permission', async () => {
  const missing = await ask('/api/v1/nosuch', BEARER);
  expect(missing.headers['content-type']).toBe('application/problem+json');
  expect(problemAnswer.parse(JSON.parse(missing.body))).toMatchObject({ status: 404, title: 'Not found' });
  const page = await ask('/nosuch.js', BEARER);
  expect([page.status, problemAnswer.parse(JSON.parse(page.body)).status]).toEqual([404, 404]);
  const denied = await ask('/api/v1/fails', BEARER);
  expect(problemAnswer.parse(JSON.parse(denied.body))).toMatchObject({ status: 403, permission: 'dynamodb:Query' });
});

test.each([
  ['the API', STATUS, BEARER],
  ['an error', '/api/v1/nosuch', BEARER],
  ['a refusal', '/', {}],
  ['another host', '/', { host: 'example.org' }],
  ['another method', STATUS, BEARER],
])('%s has the headers that keep a page from harm', async (_, path, headers) => {
  const said = await ask(path, headers);
  expect(said.headers).toMatchObject({
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    'content-security-policy': expect.stringMatching(
      /^default-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'/,
    ),
  });
  expect(said.headers).not.toHaveProperty('access-control-allow-origin');
});

test('a path that is no path of ours is not found', async () => {
  for (const path of ['//example.org/api/v1/status', '/../package.json', '/%2e%2e/package.json', '/index.html/..'])
    expect([path, (await ask(path, BEARER)).status]).toEqual([path, 404]);
});

test('serveConsole() takes another port only if it may', async () => {
  const { port } = server;
  const options = { port, token: TOKEN, log: () => {}, answer: async () => ({}) };
  await expect(serveConsole({ ...options, mayMove: false })).rejects.toThrow(
    `Cannot serve the console on port ${port}: `,
  );
  const moved = await serveConsole({ ...options, mayMove: true });
  expect(moved.port).not.toBe(port);
  await moved.close();
});
