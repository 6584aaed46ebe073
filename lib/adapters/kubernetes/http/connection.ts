// Requests to one API server on kept-alive connections. @kubernetes/client-node provides address and identity, again
// every second, so that exec plugins and short-lived tokens work. Its HTTP layer is not used: with a certificate
// authority it opens a TLS connection for each call. Short answers go through undici, which takes a third of the CPU of
// node:http (docs/benchmarks.md); watches and proxies go through node:http.
import { Agent, request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest, type RequestOptions, Agent as TlsAgent } from 'node:https';
import { isDeepStrictEqual } from 'node:util';
import type { Dispatcher } from 'undici';
// All of undici takes some 50 ms more to load, and 275 KiB more in the bundle of a function.
import Pool from 'undici/lib/dispatcher/pool.js';
import type { KubernetesIdentity } from '../access/access.ts';
import { ANSWER_OCTETS_MAX, type KubernetesRequest, tooLargeAnswer } from './kubernetes-error.ts';

/** A complete answer. */
type WholeAnswer = {
  readonly status: number;
  readonly retryAfter: string | undefined;
  readonly body: string;
};

/** A connection to an API server. */
export type KubernetesConnection = {
  /** `https://host:port`, for messages. */
  readonly origin: string;
  /** The identity for messages; empty if the server's own message names it. */
  readonly identity: string;
  /** Sends a request and returns the answer of any status. Throws a TimeoutError, or an error of Node. */
  ask(request: KubernetesRequest, timeoutMs: number): Promise<WholeAnswer>;
  /** Sends a request and returns the head of the answer. Throws an error of Node. */
  exchange(request: KubernetesRequest, signal: AbortSignal): Promise<IncomingMessage>;
};

/** Kept-alive connections: http for tests and tunnels, https otherwise. */
export type Agents = {
  readonly http: Agent;
  readonly https: TlsAgent;
  /** The pool for short answers. It is replaced when the identity changes, such as a renewed certificate. */
  pool(origin: string, tls: RequestOptions): Pool;
  close(): void;
};

/** Two watches and a few others: a burst of reports must not flood the API server, nor open a connection each. */
const SOCKETS_MAX = 6;
/** The identity is read again after this time. If a token expires before, the 401 makes it load again. */
const CREDENTIALS_MS = 1_000;

/** Agents for one API server. */
export function openAgents(socketsMax = SOCKETS_MAX): Agents {
  const options = { keepAlive: true, maxSockets: socketsMax };
  const [http, https] = [new Agent(options), new TlsAgent(options)];
  let standing: { readonly as: object; readonly pool: Pool } | null = null;
  return {
    http,
    https,
    pool: (origin, { ca, cert, key, pfx, passphrase, servername, rejectUnauthorized }) => {
      const all = { ca, cert, key, pfx, passphrase, servername, rejectUnauthorized };
      const tls = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
      const as = { origin, ...tls };
      if (standing !== null && isDeepStrictEqual(standing.as, as)) return standing.pool;
      // Requests in the old pool still finish.
      void standing?.pool.close();
      // Every request has a deadline of its own, which replaces the three of undici.
      const connect = { ...tls, timeout: 0 };
      const limits = { headersTimeout: 0, bodyTimeout: 0, allowH2: false, pipelining: 1 };
      standing = { as, pool: new Pool(origin, { connections: socketsMax, connect, ...limits }) };
      return standing.pool;
    },
    close: () => {
      http.destroy();
      https.destroy();
      void standing?.pool.destroy();
      standing = null;
    },
  };
}

/** The connection of a kubeconfig's current context. Throws if it has no cluster. */
export function connectionTo(config: KubernetesIdentity, agents: Agents): KubernetesConnection {
  const cluster = config.getCurrentCluster();
  if (cluster === null) {
    throw new Error(`Cannot find the cluster of context "${config.getCurrentContext()}" in the kubeconfig`);
  }
  const server = new URL(cluster.server);
  const plain = server.protocol === 'http:';
  const exchange = async (request: KubernetesRequest, signal: AbortSignal) => {
    const options: RequestOptions = {};
    await config.applyToHTTPSOptions(options);
    // A proxy needs the agent of the client; otherwise our agent keeps the connection.
    if (cluster.proxyUrl === undefined) options.agent = plain ? agents.http : agents.https;
    return send(server, plain ? httpRequest : httpsRequest, options, request, signal);
  };
  let known: { readonly credentials: Promise<Credentials>; readonly untilMs: number } | null = null;
  const credentials = (): Promise<Credentials> => {
    if (known === null || known.untilMs < performance.now()) {
      const loaded = loadCredentials(config, agents, server.origin);
      known = { credentials: loaded, untilMs: performance.now() + CREDENTIALS_MS };
      loaded.catch(() => {
        known = null;
      });
    }
    return known.credentials;
  };
  return {
    origin: server.origin,
    identity: config.described ?? '',
    ask: async (request, timeoutMs) => {
      if (cluster.proxyUrl === undefined) return askPool(await credentials(), server, request, timeoutMs);
      const response = await exchange(request, AbortSignal.timeout(timeoutMs));
      const retryAfter = response.headers['retry-after'];
      return { status: response.statusCode ?? 0, retryAfter, body: await readBody(response) };
    },
    exchange,
  };
}

type Credentials = { readonly pool: Pool; readonly headers: Readonly<Record<string, string | string[]>> };

async function loadCredentials(config: KubernetesIdentity, agents: Agents, origin: string): Promise<Credentials> {
  const options: RequestOptions = {};
  await config.applyToHTTPSOptions(options);
  const basic = options.auth == null ? {} : { authorization: `Basic ${Buffer.from(options.auth).toString('base64')}` };
  const headers = { ...(options.headers as Credentials['headers']), ...basic, ...COMMON_HEADERS };
  return { pool: agents.pool(origin, options), headers };
}

const COMMON_HEADERS = { accept: 'application/json', 'user-agent': 'zone53' };

function askPool(
  { pool, headers }: Credentials,
  server: URL,
  { method, path, query, contentType = 'application/json', body }: KubernetesRequest,
  timeoutMs: number,
): Promise<WholeAnswer> {
  const asked = query === undefined ? '' : `?${new URLSearchParams(query)}`;
  const request = {
    method,
    path: `${server.pathname.replace(/\/$/, '')}${path}${asked}`,
    headers: body === undefined ? headers : { ...headers, 'content-type': contentType },
    body: body === undefined ? null : JSON.stringify(body),
  };
  return new Promise((resolve, reject) => {
    let controller: Dispatcher.DispatchController | null = null;
    let late: Error | null = null;
    const deadline = setTimeout(() => {
      late = new DOMException(`no answer within ${timeoutMs} ms`, 'TimeoutError');
      controller?.abort(late);
      reject(late);
    }, timeoutMs);
    const chunks: Buffer[] = [];
    let octets = 0;
    let status = 0;
    let retryAfter: string | undefined;
    pool.dispatch(request, {
      onRequestStart: (started) => {
        controller = started;
        if (late !== null) started.abort(late);
      },
      onResponseStart: (_controller, code, received) => {
        status = code;
        retryAfter = [received['retry-after'] ?? []].flat()[0];
      },
      onResponseData: (answering, chunk) => {
        octets += chunk.length;
        if (octets > ANSWER_OCTETS_MAX) answering.abort(tooLargeAnswer());
        else chunks.push(chunk);
      },
      onResponseEnd: () => {
        clearTimeout(deadline);
        const [only] = chunks;
        const whole = only !== undefined && chunks.length === 1 ? only : Buffer.concat(chunks);
        // undici releases the connection in a setImmediate that it schedules after this call. If this resolved sooner,
        // the next request would open a second connection.
        queueMicrotask(() => setImmediate(() => resolve({ status, retryAfter, body: whole.toString('utf8') })));
      },
      onResponseError: (_controller, error) => {
        clearTimeout(deadline);
        reject(error);
      },
    });
  });
}

function send(
  server: URL,
  open: typeof httpsRequest,
  credentials: RequestOptions,
  request: KubernetesRequest,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const url = new URL(`${server.pathname.replace(/\/$/, '')}${request.path}`, server);
  for (const [key, value] of Object.entries(request.query ?? {})) url.searchParams.set(key, value);
  const body = request.body === undefined ? undefined : JSON.stringify(request.body);
  const headers = {
    ...credentials.headers,
    accept: 'application/json',
    'user-agent': 'zone53',
    ...(body === undefined ? {} : { 'content-type': request.contentType ?? 'application/json' }),
    ...(body === undefined ? {} : { 'content-length': Buffer.byteLength(body) }),
  };
  return new Promise((resolve, reject) => {
    const outgoing = open(url, { ...credentials, method: request.method, headers, signal }, resolve);
    outgoing.on('error', (error) => reject(signal.aborted ? signal.reason : error));
    outgoing.end(body);
  });
}

/** Reads the whole body. A connection that ends too early is an error, so that half a list never counts as a list. */
export async function readBody(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let octets = 0;
  for await (const chunk of response) {
    octets += (chunk as Buffer).length;
    if (octets > ANSWER_OCTETS_MAX) throw tooLargeAnswer();
    chunks.push(chunk as Buffer);
  }
  if (!response.complete) throw new Error('the connection ended in the middle of the answer');
  return Buffer.concat(chunks).toString('utf8');
}
