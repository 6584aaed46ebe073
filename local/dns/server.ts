// An authoritative DNS server over the zones of the local Route 53, on one port of UDP and TCP, so that
// `dig @127.0.0.1 -p 5300 www.example.org` shows what was published. It keeps an index of the zones, built at the first
// question after `reload()`, and nothing else.
import { createSocket, type Socket as UdpSocket } from 'node:dgram';
import { createServer, type Server, type Socket } from 'node:net';
import { replyTo, type Transport } from './reply.ts';
import { resolve } from './resolve.ts';
import { buildZoneIndex, type HostedZoneView, type ZoneIndex } from './zone-index.ts';

export type DnsOptions = {
  /** 0 (the default) takes any free port. */
  readonly port?: number;
  readonly zones: () => readonly HostedZoneView[];
  /** The ids of the health checks that fail. Default: none. */
  readonly failing?: () => ReadonlySet<string>;
};

export type DnsServer = {
  readonly port: number;
  /** Call this when `zones()` or `failing()` has changed: the next question is answered from the new result. */
  readonly reload: () => void;
  readonly close: () => Promise<void>;
};

type Answer = (message: Buffer, transport: Transport) => Buffer | null;

const HOST = '127.0.0.1';
const TCP_IDLE_MS = 10_000; // RFC 7766 §6.2.3: a few seconds
const PORT_TRIES = 20; // of a free TCP port whose UDP twin may be taken

/** Starts the server. Throws an Error that names the port when the port is taken. */
export async function startDns(options: DnsOptions): Promise<DnsServer> {
  let index: ZoneIndex | null = null;
  const answer: Answer = (message, transport) =>
    replyTo(message, transport, (question) => {
      index ??= buildZoneIndex(options.zones(), options.failing?.());
      return resolve(index, question, Math.random);
    });
  const { tcp, udp, port, connections } = await listen(answer, options.port ?? 0);
  return {
    port,
    reload: () => {
      index = null;
    },
    close: async () => {
      for (const connection of connections) connection.destroy();
      await Promise.all([
        new Promise<void>((done) => tcp.close(() => done())),
        new Promise<void>((done) => udp.close(() => done())),
      ]);
    },
  };
}

type Listening = {
  readonly tcp: Server;
  readonly udp: UdpSocket;
  readonly port: number;
  readonly connections: ReadonlySet<Socket>;
};

async function listen(answer: Answer, wanted: number): Promise<Listening> {
  for (let tries = 1; ; tries += 1) {
    const connections = new Set<Socket>();
    const tcp = createServer((socket) => {
      connections.add(socket);
      socket.on('close', () => connections.delete(socket));
      serveTcp(socket, answer);
    });
    await listenTcp(tcp, wanted);
    const address = tcp.address();
    const port = typeof address === 'object' && address !== null ? address.port : wanted;
    try {
      return { tcp, udp: await listenUdp(answer, port), port, connections };
    } catch (error) {
      await new Promise<void>((done) => tcp.close(() => done()));
      if (wanted !== 0 || tries === PORT_TRIES) throw error;
    }
  }
}

function listenTcp(tcp: Server, port: number): Promise<void> {
  return new Promise((done, fail) => {
    tcp.once('error', (error) => fail(cannotListen('TCP', port, error)));
    tcp.listen(port, HOST, done);
  });
}

function listenUdp(answer: Answer, port: number): Promise<UdpSocket> {
  return new Promise((done, fail) => {
    const udp = createSocket('udp4');
    udp.once('error', (error) => {
      udp.close();
      fail(cannotListen('UDP', port, error));
    });
    udp.on('message', (message, sender) => {
      const reply = answer(message, 'udp');
      // A datagram that cannot be sent is lost, and the client asks again.
      if (reply !== null) udp.send(reply, sender.port, sender.address, () => {});
    });
    udp.bind(port, HOST, () => done(udp));
  });
}

function cannotListen(transport: string, port: number, error: NodeJS.ErrnoException): Error {
  const reason =
    error.code === 'EADDRINUSE'
      ? `port ${port} is taken; end the program that listens there, or choose another port`
      : error.code === 'EACCES'
        ? `port ${port} needs privileges that this process does not have; choose one above 1023`
        : error.message;
  return new Error(`Cannot serve DNS on ${HOST} port ${port} (${transport}): ${reason}`, { cause: error });
}

/** Over TCP each message is preceded by two octets with its length (RFC 1035 §4.2.2). A connection carries several. */
function serveTcp(socket: Socket, answer: Answer): void {
  let pending = Buffer.alloc(0);
  socket.setTimeout(TCP_IDLE_MS, () => socket.destroy());
  socket.on('error', () => socket.destroy());
  socket.on('data', (chunk) => {
    pending = Buffer.concat([pending, chunk]);
    while (pending.length >= 2 && pending.length >= 2 + pending.readUInt16BE(0)) {
      const end = 2 + pending.readUInt16BE(0);
      const reply = answer(pending.subarray(2, end), 'tcp');
      pending = pending.subarray(end);
      if (reply === null) return void socket.destroy();
      const length = Buffer.alloc(2);
      length.writeUInt16BE(reply.length);
      socket.write(Buffer.concat([length, reply]));
    }
  });
}
