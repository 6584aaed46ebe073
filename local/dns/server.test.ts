// With node:dns and bare sockets, so that it needs Node alone; test/e2e/dig.test.ts asks the same server with dig.
import { createSocket } from 'node:dgram';
import { Resolver } from 'node:dns/promises';
import { connect, createServer } from 'node:net';
import { decode, encode } from 'dns-packet';
import { afterEach, describe, expect, test } from 'vitest';
import { EXAMPLE_ZONES, recordSet } from '../../test/fakes/dns-zones.ts';
import { type DnsServer, startDns } from './server.ts';
import type { HostedZoneView } from './zone-index.ts';

const started: DnsServer[] = [];

afterEach(async () => {
  await Promise.all(started.splice(0).map((server) => server.close()));
});

async function start(zones: () => readonly HostedZoneView[] = () => EXAMPLE_ZONES, port?: number): Promise<DnsServer> {
  const server = await startDns({ zones, ...(port === undefined ? {} : { port }) });
  started.push(server);
  return server;
}

function resolverOf(server: DnsServer): Resolver {
  const resolver = new Resolver({ timeout: 2_000, tries: 2 });
  resolver.setServers([`127.0.0.1:${server.port}`]);
  return resolver;
}

const question = (name: string, type: 'A' | 'TXT' = 'A', id = 1): Buffer =>
  encode({ type: 'query', id, questions: [{ name, type }] });

function framed(message: Buffer): Buffer {
  return Buffer.concat([Buffer.from([message.length >> 8, message.length & 0xff]), message]);
}

/**
 * Writes chunks over one TCP connection and returns what came back, message by message, once `count` are there or it
 * closed.
 */
function overTcp(port: number, chunks: readonly Buffer[], count: number): Promise<Buffer[]> {
  return new Promise((done, fail) => {
    const messages: Buffer[] = [];
    let pending = Buffer.alloc(0);
    const socket = connect(port, '127.0.0.1', async () => {
      for (const chunk of chunks) {
        socket.write(chunk);
        await new Promise((later) => setTimeout(later, 5));
      }
    });
    socket.on('error', fail);
    socket.on('close', () => done(messages));
    socket.on('data', (chunk) => {
      pending = Buffer.concat([pending, chunk]);
      while (pending.length >= 2 && pending.length >= 2 + pending.readUInt16BE(0)) {
        messages.push(pending.subarray(2, 2 + pending.readUInt16BE(0)));
        pending = pending.subarray(2 + pending.readUInt16BE(0));
      }
      if (messages.length >= count) socket.destroy();
    });
  });
}

function overUdp(port: number, message: Buffer): Promise<Buffer> {
  return new Promise((done, fail) => {
    const socket = createSocket('udp4');
    const timer = setTimeout(() => {
      socket.close();
      fail(new Error('no reply within 2 s'));
    }, 2_000);
    socket.on('message', (reply) => {
      clearTimeout(timer);
      socket.close();
      done(reply);
    });
    socket.send(message, port, '127.0.0.1');
  });
}

describe('startDns() answers node:dns', () => {
  test('for every type that it knows', async () => {
    const resolver = resolverOf(await start());
    expect(await resolver.resolve4('a.example.org', { ttl: true })).toEqual([
      { address: '192.0.2.1', ttl: 300 },
      { address: '192.0.2.2', ttl: 300 },
    ]);
    expect(await resolver.resolve6('aaaa.example.org')).toEqual(['2001:db8::1']);
    expect(await resolver.resolveCaa('caa.example.org')).toMatchObject([
      { critical: 0, issue: 'ca.example.net; account="5"' },
      { critical: 128, iodef: 'mailto:a@example.org' },
    ]);
    expect(await resolver.resolveCname('cname.example.org')).toEqual(['a.example.org']);
    expect(await resolver.resolveMx('mx.example.org')).toMatchObject([
      { priority: 10, exchange: 'mail.example.net' },
      { priority: 20, exchange: 'mail2.example.net' },
    ]);
    expect(await resolver.resolveNaptr('naptr.example.org')).toMatchObject([
      {
        order: 100,
        preference: 50,
        flags: 'u',
        service: 'E2U+sip',
        regexp: '!^\\+49(.*)$!sip:\\1@example.org!',
        replacement: '',
      },
    ]);
    expect(await resolver.resolveNs('example.org')).toEqual(['ns-1.example.net', 'ns-2.example.net']);
    expect(await resolver.resolvePtr('ptr.example.org')).toEqual(['a.example.org']);
    expect(await resolver.resolveSoa('example.org')).toMatchObject({
      nsname: 'ns-1.example.net',
      serial: 1,
      minttl: 300,
    });
    expect(await resolver.resolveSrv('_sip._tcp.example.org')).toMatchObject([
      { priority: 10, weight: 60, port: 5060, name: 'sip.example.net' },
    ]);
    expect(await resolver.resolveTxt('txt.example.org')).toEqual([['one', 'two "quoted" \\ caf\xc3\xa9']]);
  });

  test('for names that do not exist', async () => {
    const resolver = resolverOf(await start());
    await expect(resolver.resolve4('nope.example.org')).rejects.toMatchObject({ code: 'ENOTFOUND' });
    await expect(resolver.resolve4('mx.example.org')).rejects.toMatchObject({ code: 'ENODATA' });
    await expect(resolver.resolve4('www.example.net')).rejects.toMatchObject({ code: 'EREFUSED' });
  });

  test('with more than fits into a datagram, which node:dns then reads over TCP', async () => {
    const resolver = resolverOf(await start());
    expect(await resolver.resolveTxt('huge.example.org')).toHaveLength(300);
  });
});

describe('startDns()', () => {
  test('answers several queries over one TCP connection, however they are split', async () => {
    const { port } = await start();
    const stream = Buffer.concat([
      framed(question('a.example.org', 'A', 7)),
      framed(question('nope.example.org', 'A', 8)),
    ]);
    const replies = await overTcp(port, [stream.subarray(0, 1), stream.subarray(1, 40), stream.subarray(40)], 2);
    expect(replies.map((reply) => decode(reply).id)).toEqual([7, 8]);
  });

  test('closes a TCP connection after a message that gets no answer', async () => {
    const { port } = await start();
    expect(await overTcp(port, [framed(Buffer.from([1, 2, 3]))], 1)).toEqual([]);
  });

  test('continues after garbage', async () => {
    const { port } = await start();
    const rubbish = await overUdp(port, Buffer.from('\x12\x34\x01\x00rubbish that is no message', 'latin1'));
    expect(rubbish.readUInt16BE(0)).toBe(0x1234);
    expect(rubbish.readUInt16BE(2) & 15).toBe(1);
    expect(decode(await overUdp(port, question('a.example.org'))).answers).toHaveLength(2);
  });

  test('answers from changed zones after a reload', async () => {
    let address = '192.0.2.1';
    const server = await start(() => [
      { id: 'Z1', name: 'example.org.', recordSets: [recordSet('www.example.org.', 'A', [address])] },
    ]);
    const resolver = resolverOf(server);
    expect(await resolver.resolve4('www.example.org')).toEqual(['192.0.2.1']);
    address = '192.0.2.2';
    server.reload();
    expect(await resolver.resolve4('www.example.org')).toEqual(['192.0.2.2']);
  });

  test('reports that a TCP port is in use', async () => {
    const taken = createServer();
    const port = await new Promise<number>((done) =>
      taken.listen(0, '127.0.0.1', () => done((taken.address() as { port: number }).port)),
    );
    await expect(start(undefined, port)).rejects.toThrow(
      `Cannot serve DNS on 127.0.0.1 port ${port} (TCP): port ${port} is taken`,
    );
    await new Promise((done) => taken.close(done));
  });

  test('reports that a UDP port is in use, and releases the TCP port', async () => {
    const taken = createSocket('udp4');
    const port = await new Promise<number>((done) => taken.bind(0, '127.0.0.1', () => done(taken.address().port)));
    await expect(start(undefined, port)).rejects.toThrow(
      `Cannot serve DNS on 127.0.0.1 port ${port} (UDP): port ${port} is taken`,
    );
    await new Promise<void>((done) => taken.close(() => done()));
    expect((await start(undefined, port)).port).toBe(port);
  });

  test('closes while a TCP connection is open, and releases its port', async () => {
    const server = await startDns({ zones: () => EXAMPLE_ZONES });
    const socket = connect(server.port, '127.0.0.1');
    await new Promise((done) => socket.once('connect', done));
    const ended = new Promise((done) => socket.once('close', done));
    socket.on('error', () => {});
    await server.close();
    await ended;
    expect((await start(undefined, server.port)).port).toBe(server.port);
  });
});
