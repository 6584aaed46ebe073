import { execFile } from 'node:child_process';
import type { AddressInfo } from 'node:net';
import { createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { selfSigned } from '../../../../local/self-signed-certificate.ts';
import { formatFields, type HttpPool, type HttpPoolOptions, httpPool } from './http-pool.ts';

const ASKED = { method: 'GET', path: '/x?y=1', fields: formatFields({ accept: 'a/b' }), body: null };
const OPTIONS: HttpPoolOptions = {
  connectionsMax: 2,
  tls: {},
  octetsMax: 1_000,
  tooLarge: () => new Error('too large'),
};
const HEAD = 'HTTP/1.1 200 OK\r\nContent-Length: ';
const MS_MAX = 5_000;

type Asked = { readonly text: string; readonly socket: Socket; readonly connection: number };

/** A server that is given each request as it comes; `connections`: how many were opened. */
async function serve(answer: (asked: Asked) => void, options: Partial<HttpPoolOptions> = {}) {
  const seen = { connections: 0 };
  const server = createServer((socket) => {
    seen.connections += 1;
    const connection = seen.connections;
    socket.on('error', () => {});
    socket.on('data', (octets) => answer({ text: octets.toString(), socket, connection }));
  });
  const pool = httpPool(`http://127.0.0.1:${await portOf(server)}`, { ...OPTIONS, ...options });
  onTestFinished(() => pool.destroy());
  return { pool, seen };
}

async function portOf(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

function says(body: string): string {
  return `${HEAD}${Buffer.byteLength(body)}\r\n\r\n${body}`;
}

const ask = (pool: HttpPool) => pool.ask(ASKED, MS_MAX);

test('httpPool() sends head and body as they are, and uses its connection again', async () => {
  const sent: string[] = [];
  const { pool, seen } = await serve(({ text, socket }) => {
    sent.push(text);
    socket.write(says('fine'));
  });
  expect(await ask(pool)).toMatchObject({ status: 200, body: 'fine' });
  await pool.ask({ ...ASKED, method: 'PATCH', body: { text: '{"ö":1}', type: 'c/d' } }, MS_MAX);
  const host = sent[0]?.match(/host: (.*)\r/)?.[1];
  expect(sent).toEqual([
    `GET /x?y=1 HTTP/1.1\r\nhost: ${host}\r\naccept: a/b\r\n\r\n`,
    `PATCH /x?y=1 HTTP/1.1\r\nhost: ${host}\r\naccept: a/b\r\ncontent-type: c/d\r\ncontent-length: 8\r\n\r\n{"ö":1}`,
  ]);
  expect(seen.connections).toBe(1);
});

test('httpPool() opens another connection after the last answer of one', async () => {
  const { pool, seen } = await serve(({ socket }) => {
    socket.end('HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 1\r\n\r\n1');
  });
  const all = await Promise.all([ask(pool), ask(pool), ask(pool), ask(pool)]);
  expect([all.map(({ body }) => body), seen.connections]).toEqual([['1', '1', '1', '1'], 4]);
});

test.each([
  ['is closed', (socket: Socket) => void socket.end()],
  ['is reset', (socket: Socket) => void socket.resetAndDestroy()],
  ['says something unasked', (socket: Socket) => void socket.write(says('unasked'))],
])('httpPool() asks no more on a connection that %s while nobody waits', async (_what, between) => {
  const sockets: Socket[] = [];
  const { pool, seen } = await serve(({ socket, connection }) => {
    sockets.push(socket);
    socket.write(says(String(connection)));
  });
  expect(await ask(pool)).toMatchObject({ body: '1' });
  between(sockets[0] as Socket);
  // Until this side has heard of it, a request may still go there; then it fails as lost, and is asked again.
  await expect.poll(async () => (await ask(pool).catch(() => null))?.body).toBe('2');
  expect(seen.connections).toBe(2);
});

test.each([
  ['before the answer', '', 'the connection ended before the answer'],
  ['in the middle of its head', 'HTTP/1.1 200', 'the connection ended in the middle of the answer'],
  ['in the middle of its body', `${HEAD}9\r\n\r\n1234`, 'the connection ended in the middle of the answer'],
])('httpPool() has an error where the connection ends %s', async (_where, octets, message) => {
  const { pool } = await serve(({ socket }) => void socket.end(octets));
  await expect(ask(pool)).rejects.toMatchObject({ message, code: 'ECONNRESET' });
});

test('httpPool() goes on after an answer that is too large, or none', async () => {
  const answers = [`${HEAD}1001\r\n\r\n`, 'nonsense\r\n\r\n', says('fine')];
  const { pool } = await serve(({ socket }) => void socket.write(answers.shift() ?? ''));
  await expect(ask(pool)).rejects.toThrow('too large');
  await expect(ask(pool)).rejects.toThrow('the answer is no HTTP');
  expect(await ask(pool)).toMatchObject({ body: 'fine' });
});

test('httpPool() gives up what was not answered in time, and the connection with it', async () => {
  const { pool, seen } = await serve(({ socket, connection }) => {
    if (connection > 1) socket.write(says('fine'));
  });
  await expect(pool.ask(ASKED, 50)).rejects.toMatchObject({ name: 'TimeoutError' });
  expect(await ask(pool)).toMatchObject({ body: 'fine' });
  expect(seen.connections).toBe(2);
});

test('httpPool() lets end what is under way when it is closed, and nothing when it is destroyed', async () => {
  const held: Socket[] = [];
  const { pool, seen } = await serve(({ socket }) => void held.push(socket), { connectionsMax: 1 });
  const [first, second] = [ask(pool), ask(pool)];
  await expect.poll(() => held.length).toBe(1);
  pool.close();
  const closed = new Promise((resolve) => held[0]?.once('close', resolve));
  held[0]?.write(says('fine'));
  expect(await first).toMatchObject({ body: 'fine' });
  await expect.poll(() => held.length).toBe(2);
  pool.destroy();
  await expect(second).rejects.toThrow('the connections are closed');
  await closed;
  await expect(ask(pool)).rejects.toThrow('the connections are closed');
  expect(seen.connections).toBe(1);
});

test('httpPool() tells a server of many names which one is meant, and an address none', async () => {
  const names: string[] = [];
  const { cert, key } = selfSigned('localhost', Date.now());
  const SNICallback = (name: string, done: (error: null) => void) => {
    names.push(name);
    done(null);
  };
  const server = createTlsServer({ cert, key, SNICallback }, (socket) => {
    socket.on('error', () => {});
    socket.on('data', () => socket.write(says(String(socket.alpnProtocol))));
  });
  const port = await portOf(server);
  const pools = ['localhost', '127.0.0.1'].map((host) =>
    httpPool(`https://${host}:${port}`, { ...OPTIONS, tls: { ca: cert } }),
  );
  onTestFinished(() => {
    for (const pool of pools) pool.destroy();
  });
  const [byName, byAddress] = pools.map((pool) => ask(pool).catch((error: unknown) => error));
  expect(await byName).toMatchObject({ status: 200 });
  expect(await byAddress).toMatchObject({ code: 'ERR_TLS_CERT_ALTNAME_INVALID' });
  expect(names).toEqual(['localhost']);
});

test('httpPool() keeps no process running with a connection that nobody waits for', async () => {
  const file = new URL('./http-pool.ts', import.meta.url).href;
  const server = createServer((socket) => void socket.on('data', () => socket.write(says('fine'))));
  const text = `const { httpPool } = await import(${JSON.stringify(file)});
    const pool = httpPool('http://127.0.0.1:${await portOf(server)}', { connectionsMax: 1, tls: {}, octetsMax: 9, tooLarge: Error });
    console.log((await pool.ask({ method: 'GET', path: '/', fields: '', body: null }, 5000)).body);`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', text], {
    timeout: 30_000,
  });
  expect(stdout).toBe('fine\n');
});

test('formatFields() refuses what would become a header of its own', () => {
  expect(formatFields({ a: '1', b: ['2', '3'] })).toBe('a: 1\r\nb: 2\r\nb: 3\r\n');
  expect(() => formatFields({ Authorization: 'Bearer x\nEvil: 1' })).toThrow(
    'Cannot send the header Authorization: it has a line end',
  );
});
