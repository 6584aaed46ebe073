import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { KubeConfig } from '@kubernetes/client-node';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { KubernetesError, type KubernetesRequest } from './kubernetes-error.ts';
import { kubernetesTransport, type TransportOptions } from './transport.ts';
import { undiciPool } from './undici-pool.ts';

const GET: KubernetesRequest = {
  action: 'list records',
  method: 'GET',
  path: '/apis/kubi.zone/v1alpha1/records',
  query: { limit: '10' },
  rule: { group: 'kubi.zone', resource: 'records', verb: 'list' },
};

/** A time in which a request arrives also on a busy machine. */
const ARRIVES_MS = 1_000;

describe.each([
  ['node:http', {}],
  ['undici', { openPool: undiciPool }],
])('kubernetesTransport() with %s', (_, http) => {
  const closing: (() => void)[] = [];
  afterEach(() => {
    for (const close of closing.splice(0)) close();
  });

  /** Gives these answers in turn, and then the last one again and again. */
  async function serve(answers: readonly RequestListener[], options: Partial<TransportOptions> = {}) {
    let count = 0;
    const server: Server = createServer((request, response) => {
      const answer = answers[Math.min(count, answers.length - 1)] as RequestListener;
      count += 1;
      answer(request, response);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    let loads = 0;
    const access = async () => {
      loads += 1;
      const config = new KubeConfig();
      const cluster = { name: 'c', server: `http://127.0.0.1:${port}/base/`, skipTLSVerify: true };
      config.loadFromClusterAndUser(cluster, { name: 'u', token: `token-${loads}` });
      return Object.assign(config, { described: 'user "u" of the test' });
    };
    const transport = kubernetesTransport({ access, ...http, ...options });
    closing.push(transport.close, () => server.close());
    return { transport, counts: () => ({ requests: count, loads }) };
  }

  const says =
    (status: number, body: unknown, headers: Record<string, string> = {}): RequestListener =>
    (_request, response) => {
      response.writeHead(status, { 'content-type': 'application/json', ...headers });
      response.end(typeof body === 'string' ? body : JSON.stringify(body));
    };
  const failure = (code: number, message: string, more: object = {}) => ({ kind: 'Status', code, message, ...more });
  it('sends the query, the token, and the path below the path of the server', async () => {
    const { transport } = await serve([
      ({ url, headers }, response) => response.end(JSON.stringify({ url, authorization: headers.authorization })),
    ]);
    expect(await transport.send(GET)).toEqual({
      url: '/base/apis/kubi.zone/v1alpha1/records?limit=10',
      authorization: 'Bearer token-1',
    });
  });

  it('names the refused user in the error of a 403, and the missing rule for impersonation', async () => {
    const message = 'users "bob" is forbidden: User "dev" cannot impersonate resource "users" in API group ""';
    const since136 = 'User "dev" cannot impersonate-on:user-info:list resource "zones" in API group "kubi.zone"';
    const server = await serve([message, since136, 'zones is forbidden'].map((text) => says(403, failure(403, text))));
    await expect(server.transport.send(GET)).rejects.toThrow(
      /cannot impersonate.*; asked by user "u" of the test \(missing RBAC rule: { apiGroups: \[""\], resources: \[users\], verbs: \[impersonate\] }/,
    );
    await expect(server.transport.send(GET)).rejects.toThrow(/resources: \[users\], verbs: \[impersonate\]/);
    await expect(server.transport.send(GET)).rejects.toThrow(/resources: \[records\], verbs: \[list\] }; crds/);
  });

  it('waits as long as Retry-After says', async () => {
    const busy = says(429, failure(429, 'slow down'), { 'retry-after': '1' });
    const { transport } = await serve([busy, says(200, 'true')]);
    const begunMs = performance.now();
    expect(await transport.send(GET)).toBe(true);
    expect(performance.now() - begunMs).toBeGreaterThanOrEqual(990);
  });

  it.each<[string, RequestListener, Partial<TransportOptions>?]>([
    ['an unreasonable Retry-After', says(429, failure(429, 'slow down'), { 'retry-after': '3600' })],
    ['a Retry-After above the timeout', says(503, failure(503, 'down'), { 'retry-after': '9' }), { timeoutMs: 8_000 }],
    ['an object that is too large for etcd', says(500, failure(500, 'etcdserver: request is too large'))],
  ])('asks only once: %s', async (_title, answer, options) => {
    const { transport, counts } = await serve([answer], options);
    await expect(transport.send(GET)).rejects.toThrow('Cannot list records');
    expect(counts().requests).toBe(1);
  });

  it.each([500, 502, 503, 504])('tries again after a %s', async (status) => {
    const { transport, counts } = await serve([says(status, 'oops'), says(200, 'true')]);
    expect(await transport.send(GET)).toBe(true);
    expect(counts().requests).toBe(2);
  });

  it('gives up after the configured number of tries', async () => {
    const { transport, counts } = await serve([says(500, failure(500, 'etcd is gone'))], { triesMax: 3 });
    await expect(transport.send(GET)).rejects.toThrow(/^Cannot list records at http:.*: 500: etcd is gone$/);
    expect(counts().requests).toBe(3);
  });

  it.each([
    ['half an answer', 200, '{"items": [', { 'content-length': '1000' }],
    ['half a chunked answer', 200, '{"items": [', {}],
  ])('takes %s for an error, tries again, and never gives it as an answer', async (_title, status, body, headers) => {
    const cut: RequestListener = (_request, response) => {
      response.writeHead(status, headers);
      response.write(body);
      setTimeout(() => response.destroy(), 20);
    };
    const { transport, counts } = await serve([cut, says(200, '[1]')]);
    expect(await transport.send(GET)).toEqual([1]);
    expect(counts().requests).toBe(2);
    const { transport: always } = await serve([cut], { triesMax: 2 });
    await expect(always.send(GET)).rejects.toThrow('Cannot list records');
  });

  it('quotes an answer that is not JSON', async () => {
    const { transport } = await serve([says(200, '<html>login</html>')]);
    await expect(transport.send(GET)).rejects.toThrow('the answer is not JSON: "<html>login</html>"');
  });

  it('loads credentials again after a 401, once', async () => {
    const { transport, counts } = await serve([
      says(401, failure(401, 'Unauthorized')),
      ({ headers }, response) => response.end(JSON.stringify(headers.authorization)),
    ]);
    expect(await transport.send(GET)).toBe('Bearer token-2');
    const { transport: refused, counts: refusedCounts } = await serve([says(401, failure(401, 'Unauthorized'))]);
    await expect(refused.send(GET)).rejects.toThrow('sign in again');
    for (const one of [counts(), refusedCounts()]) expect(one).toEqual({ requests: 2, loads: 2 });
  });

  it('names the missing rule of a 403', async () => {
    const { transport, counts } = await serve([says(403, failure(403, 'records is forbidden'))]);
    await expect(transport.send(GET)).rejects.toThrow(
      'missing RBAC rule: { apiGroups: [kubi.zone], resources: [records], verbs: [list] }',
    );
    expect(counts().requests).toBe(1);
  });

  it('distinguishes a missing type from a missing object', async () => {
    const { transport } = await serve([
      says(404, '404 page not found\n', { 'content-type': 'text/plain' }),
      says(404, failure(404, 'records "www" not found', { reason: 'NotFound', details: { name: 'www' } })),
    ]);
    const [type, object] = [await thrown(transport.send(GET)), await thrown(transport.send(GET))];
    expect(type).toMatchObject({ status: 404, objectName: null });
    expect(type.message).toContain('kubectl apply -f crds/');
    expect(object).toMatchObject({ status: 404, objectName: 'www', reason: 'NotFound' });
    expect(object.message).not.toContain('crds');
  });

  it('does not read an answer that is too large for a process, and asks only once', async () => {
    const part = Buffer.alloc(1024 * 1024, 'x');
    const { transport, counts } = await serve([
      (_request, response) => {
        let left = 200;
        const more = () => {
          for (; left > 0; left -= 1) if (!response.write(part)) return;
          response.end();
        };
        response.on('drain', more);
        more();
      },
      says(200, { fine: true }),
    ]);
    expect(await thrown(transport.send(GET))).toMatchObject({ reason: 'AnswerTooLarge', status: null });
    expect(counts().requests).toBe(1);
    expect(await transport.send(GET)).toEqual({ fine: true });
  });

  it.each<[string, RequestListener]>([
    ['begins', () => {}],
    ['ends', (_request, response) => void response.write('{"items": [')],
  ])('does not wait for ever for an answer that never %s, and does not wait twice', async (_title, answer) => {
    const { transport, counts } = await serve([answer], { timeoutMs: ARRIVES_MS });
    await expect(transport.send(GET)).rejects.toThrow('no answer in time');
    expect(counts().requests).toBe(1);
  });

  it('counts the time in which a request waits for a free connection', async () => {
    const { transport, counts } = await serve([() => {}], { timeoutMs: ARRIVES_MS, socketsMax: 2 });
    const asking = [thrown(transport.send(GET)), thrown(transport.send(GET))];
    await vi.waitFor(() => expect(counts().requests).toBe(2), ARRIVES_MS);
    for (let more = 0; more < 3; more += 1) asking.push(thrown(transport.send(GET)));
    // Counted at the first that is given up: its connection may serve another before that one's time is up, too.
    await Promise.race(asking);
    expect(counts().requests).toBe(2);
    const asked = await Promise.all(asking);
    expect(asked.map(({ message }) => /no answer in time/.test(message))).toEqual([true, true, true, true, true]);
  });

  it('sends many requests over few connections, and loads its credentials once', async () => {
    const ports = new Set<unknown>();
    const { transport, counts } = await serve(
      [
        ({ socket }, response) => {
          ports.add(socket.remotePort);
          response.end('1');
        },
      ],
      { socketsMax: 3 },
    );
    await Promise.all(Array.from({ length: 50 }, () => transport.send(GET)));
    expect([counts().requests, counts().loads, ports.size <= 3]).toEqual([50, 1, true]);
  });

  it('sends the body with its type and length, and every value of a header', async () => {
    const server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => response.end(JSON.stringify([request.rawHeaders, Buffer.concat(chunks).toString()])));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    closing.push(() => server.close());
    const config = new KubeConfig();
    const { port } = server.address() as AddressInfo;
    const cluster = { name: 'c', server: `http://127.0.0.1:${port}`, skipTLSVerify: true };
    config.loadFromClusterAndUser(cluster, { name: 'u', username: 'dev', password: 'secret' });
    const access = async () => ({
      getCurrentCluster: () => config.getCurrentCluster(),
      getCurrentContext: () => 'c',
      applyToHTTPSOptions: async (options: object) => {
        await config.applyToHTTPSOptions(options);
        Object.assign(options, { headers: { 'Impersonate-Group': ['a', 'b'] } });
      },
    });
    const transport = kubernetesTransport({ access, ...http });
    closing.push(() => transport.close());
    const body = { metadata: { name: 'wörld' } };
    const answer = await transport.send({ ...GET, method: 'PATCH', contentType: 'a/b', body });
    const [raw, sent] = answer as [string[], string];
    const headers = raw.flatMap((name, index) => (index % 2 === 0 ? [`${name.toLowerCase()}: ${raw[index + 1]}`] : []));
    expect(headers).toEqual(
      expect.arrayContaining([
        'accept: application/json',
        'user-agent: zone53',
        'content-type: a/b',
        `content-length: ${Buffer.byteLength(JSON.stringify(body))}`,
        `authorization: Basic ${Buffer.from('dev:secret').toString('base64')}`,
        'impersonate-group: a',
        'impersonate-group: b',
      ]),
    );
    expect(sent).toBe(JSON.stringify(body));
  });

  it('names the address where nobody listens', async () => {
    const access = async () => {
      const config = new KubeConfig();
      config.loadFromClusterAndUser({ name: 'c', server: 'http://127.0.0.1:9', skipTLSVerify: true }, { name: 'u' });
      return Object.assign(config, { described: 'user "u" of the test' });
    };
    const transport = kubernetesTransport({ access, ...http, triesMax: 2 });
    await expect(transport.send(GET)).rejects.toThrow(/Cannot list records at http:\/\/127\.0\.0\.1:9: .*ECONNREFUSED/);
  });

  it('lines() gives only whole lines, as they come, and ends with the answer', async () => {
    const { transport } = await serve([
      (_request, response) => {
        response.write('one\ntw');
        setTimeout(() => response.end('o\n\nthree\nhalf'), 20);
      },
    ]);
    const lines: string[] = [];
    for await (const line of transport.lines(GET, 1_000, new AbortController().signal)) lines.push(line);
    expect(lines).toEqual(['one', 'two', 'three']);
  });

  it('lines() ends without an error when it is stopped, and with one when nothing comes', async () => {
    const { transport } = await serve([(_request, response) => void response.write('one\n')]);
    const stop = new AbortController();
    for await (const line of transport.lines(GET, 1_000, stop.signal)) {
      expect(line).toBe('one');
      stop.abort();
    }
    const silent = async () => {
      for await (const _ of transport.lines(GET, 50, new AbortController().signal));
    };
    await expect(silent()).rejects.toThrow('Cannot list records');
  });
});

async function thrown(promise: Promise<unknown>): Promise<KubernetesError> {
  const error = await promise.then(
    () => null,
    (reason: unknown) => reason,
  );
  if (error instanceof KubernetesError) return error;
  throw new Error('expected a KubernetesError', { cause: error });
}
