// HTTP/1.1 requests to one server over a few kept-alive connections, one request at a time on each. A request is one
// write and its answer mostly one read: two thirds of the CPU of undici, which took a third of that of node:http
// (docs/benchmarks.md). An idle connection keeps no process running.
import { connect, isIP, type Socket } from 'node:net';
import { type ConnectionOptions, connect as connectTls } from 'node:tls';
import { answerReader, type HttpAnswer } from './read-answer.ts';

export type HttpRequest = {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  /** As `formatFields` makes them: they are the same for many requests. */
  readonly fields: string;
  /** With its type. */
  readonly body: { readonly text: string; readonly type: string } | null;
};

export type HttpPool = {
  /** The whole answer. Throws a TimeoutError, waiting for a connection included, and whatever a connection throws. */
  ask(request: HttpRequest, timeoutMs: number): Promise<HttpAnswer>;
  /** Ends once what was asked for is answered. */
  close(): void;
  /** Ends at once; what is under way fails. */
  destroy(): void;
};

export type HttpPoolOptions = {
  readonly connectionsMax: number;
  /** Certificates and the like; used with https alone. */
  readonly tls: ConnectionOptions;
  /** Octets of an answer's body, and the error for more. */
  readonly octetsMax: number;
  readonly tooLarge: () => Error;
};

type Exchange = {
  readonly text: string;
  readonly resolve: (answer: HttpAnswer) => void;
  readonly reject: (error: unknown) => void;
  readonly deadline: NodeJS.Timeout;
};

type Connection = {
  readonly run: (exchange: Exchange) => void;
  readonly destroy: () => void;
  underway: Exchange | null;
};

const KEEP_ALIVE_MS = 60_000;

/** Connections to `origin`: `https://host:port`, or http. Nothing is connected before the first request. */
export function httpPool(origin: string, options: HttpPoolOptions): HttpPool {
  const server = new URL(origin);
  const connections = new Set<Connection>();
  const free: Connection[] = [];
  let waiting: Exchange[] = [];
  let closing = false;
  let destroyed = false;

  const deliver = (): void => {
    while (waiting.length > 0) {
      const connection = free.pop() ?? (connections.size < options.connectionsMax ? open() : null);
      if (connection === null) return;
      connection.run(waiting.shift() as Exchange);
    }
    if (closing) for (const one of connections) if (one.underway === null) one.destroy();
  };
  const open = (): Connection => {
    const connection = openConnection(openSocket(server, options.tls), options, {
      freed: () => {
        free.push(connection);
        deliver();
      },
      ended: () => {
        if (!connections.delete(connection)) return;
        const at = free.indexOf(connection);
        if (at !== -1) free.splice(at, 1);
        // Those that waited as long as the one that ended this connection are too late, too.
        setImmediate(deliver);
      },
    });
    connections.add(connection);
    return connection;
  };
  return {
    ask: (request, timeoutMs) =>
      new Promise((resolve, reject) => {
        if (destroyed) throw new Error('the connections are closed');
        const expire = () => {
          reject(new DOMException(`no answer within ${timeoutMs} ms`, 'TimeoutError'));
          waiting = waiting.filter((one) => one !== exchange);
          for (const one of connections) if (one.underway === exchange) one.destroy();
        };
        const text = formatRequest(request, server.host);
        const exchange: Exchange = { text, resolve, reject, deadline: setTimeout(expire, timeoutMs) };
        waiting.push(exchange);
        deliver();
      }),
    close: () => {
      closing = true;
      deliver();
    },
    destroy: () => {
      destroyed = true;
      const left = waiting;
      waiting = [];
      for (const exchange of left) fail(exchange, new Error('the connections are closed'));
      for (const one of connections) one.destroy();
    },
  };
}

function openSocket(server: URL, tls: ConnectionOptions): Socket {
  const host = server.hostname.replace(/^\[(.*)\]$/, '$1');
  const plain = server.protocol === 'http:';
  const port = Number(server.port || (plain ? 80 : 443));
  // Without a name, a server of many names cannot tell which is meant; an address is none.
  const servername = tls.servername ?? (isIP(host) === 0 ? host : '');
  const secured = { ...tls, host, port, servername, ALPNProtocols: ['http/1.1'] };
  const socket = plain ? connect({ host, port }) : connectTls(secured);
  return socket.setNoDelay(true).setKeepAlive(true, KEEP_ALIVE_MS);
}

function openConnection(
  socket: Socket,
  { octetsMax, tooLarge }: Pick<HttpPoolOptions, 'octetsMax' | 'tooLarge'>,
  { freed, ended }: { readonly freed: () => void; readonly ended: () => void },
): Connection {
  const reader = answerReader(octetsMax, tooLarge);
  /** From now on nobody is given this connection. */
  const stop = (error: unknown): void => {
    const exchange = connection.underway;
    connection.underway = null;
    socket.destroy();
    if (exchange !== null) fail(exchange, error);
    ended();
  };
  const answered = (answer: HttpAnswer): void => {
    const exchange = connection.underway as Exchange;
    connection.underway = null;
    clearTimeout(exchange.deadline);
    exchange.resolve(answer);
    if (!answer.staysOpen) stop(null);
    else freed();
    if (connection.underway === null) socket.unref();
  };
  const reading = (read: () => HttpAnswer | null): void => {
    try {
      const answer = read();
      if (answer !== null) answered(answer);
    } catch (error) {
      stop(error);
    }
  };
  const connection: Connection = {
    underway: null,
    run: (exchange) => {
      connection.underway = exchange;
      socket.ref();
      socket.write(exchange.text);
    },
    destroy: () => stop(new Error('the connections are closed')),
  };
  socket.on('data', (octets: Buffer) => {
    // What comes unasked, such as a word before the server closes, is nobody's answer.
    if (connection.underway === null) stop(null);
    else reading(() => reader.push(octets));
  });
  socket.on('end', () => {
    if (connection.underway !== null) reading(() => reader.end());
    stop(lost(reader.begun()));
  });
  socket.on('error', stop);
  socket.on('close', () => stop(lost(reader.begun())));
  return connection;
}

function lost(begun: boolean): Error {
  const message = begun ? 'the connection ended in the middle of the answer' : 'the connection ended before the answer';
  return Object.assign(new Error(message), { code: 'ECONNRESET' });
}

function fail({ deadline, reject }: Exchange, error: unknown): void {
  clearTimeout(deadline);
  reject(error);
}

/** Fields of a head. Throws where one has a line end: a token of two lines would become a field of its own. */
export function formatFields(headers: Readonly<Record<string, string | readonly string[]>>): string {
  const lines = Object.entries(headers).flatMap(([name, value]) =>
    (typeof value === 'string' ? [value] : value).map((one) => `${name}: ${one}`),
  );
  for (const line of lines)
    if (/[\r\n]/.test(line)) throw new Error(`Cannot send the header ${line.split(':')[0]}: it has a line end`);
  return lines.map((line) => `${line}\r\n`).join('');
}

function formatRequest({ method, path, fields, body }: HttpRequest, host: string): string {
  const head = `${method} ${path} HTTP/1.1\r\nhost: ${host}\r\n${fields}`;
  if (body === null) return `${head}\r\n`;
  return `${head}content-type: ${body.type}\r\ncontent-length: ${Buffer.byteLength(body.text)}\r\n\r\n${body.text}`;
}
