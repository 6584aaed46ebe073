// Requests to one API server on kept-alive connections. @kubernetes/client-node provides address and identity, again
// every second, so that exec plugins and short-lived tokens work. Its HTTP layer is not used: with a certificate
// authority it opens a TLS connection for each call. Requests go through node:http. Where a pool is given, it sends all
// that have a short answer and need no proxy.
import { Agent, request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest, type RequestOptions, Agent as TlsAgent } from 'node:https';
import type { KubernetesIdentity } from '../access/access.ts';
import { ANSWER_OCTETS_MAX, type KubernetesRequest, tooLargeAnswer } from './kubernetes-error.ts';

export type WholeAnswer = {
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

/** Sends requests that have a short answer, on connections of its own. */
export type RequestPool = {
  /** `credentials`: as for node:https. Throws as `ask()` of a connection does. */
  ask(server: URL, credentials: RequestOptions, request: KubernetesRequest, timeoutMs: number): Promise<WholeAnswer>;
  close(): void;
};

/** Kept-alive connections: http for tests and tunnels, https otherwise. */
export type Agents = {
  readonly http: Agent;
  readonly https: TlsAgent;
  readonly pool: RequestPool | null;
  close(): void;
};

/** Two watches and a few others: a burst of reports must not flood the API server, nor open a connection each. */
const SOCKETS_MAX = 6;
/** The identity is read again after this time. If a token expires before, the 401 makes it load again. */
const CREDENTIALS_MS = 1_000;

/** Agents for one API server. */
export function openAgents(
  openPool: ((socketsMax: number) => RequestPool) | null = null,
  socketsMax = SOCKETS_MAX,
): Agents {
  const options = { keepAlive: true, maxSockets: socketsMax };
  const [http, https] = [new Agent(options), new TlsAgent(options)];
  const pool = openPool?.(socketsMax) ?? null;
  return {
    ...{ http, https, pool },
    close: () => {
      http.destroy();
      https.destroy();
      pool?.close();
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
  // A proxy needs the agent of the client; otherwise our agent keeps the connection.
  const pool = cluster.proxyUrl === undefined ? agents.pool : null;
  const agent = plain ? agents.http : agents.https;
  const loadCredentials = async () => {
    const options: RequestOptions = {};
    await config.applyToHTTPSOptions(options);
    return cluster.proxyUrl === undefined ? { ...options, agent } : options;
  };
  let known: { readonly credentials: Promise<RequestOptions>; readonly untilMs: number } | null = null;
  const credentials = (): Promise<RequestOptions> => {
    if (known === null || known.untilMs < performance.now()) {
      const loaded = loadCredentials();
      known = { credentials: loaded, untilMs: performance.now() + CREDENTIALS_MS };
      loaded.catch(() => {
        known = null;
      });
    }
    return known.credentials;
  };
  const exchange = async (request: KubernetesRequest, signal: AbortSignal) =>
    send(server, plain ? httpRequest : httpsRequest, await credentials(), request, signal);
  return {
    origin: server.origin,
    identity: config.described ?? '',
    ask: async (request, timeoutMs) => {
      if (pool !== null) return pool.ask(server, await credentials(), request, timeoutMs);
      const deadline = AbortSignal.timeout(timeoutMs);
      const response = await exchange(request, deadline);
      const retryAfter = response.headers['retry-after'];
      const body = await readBody(response).catch((error: unknown) => {
        // Node says no more than that the connection was aborted.
        throw deadline.aborted ? deadline.reason : error;
      });
      return { status: response.statusCode ?? 0, retryAfter, body };
    },
    exchange,
  };
}

/** The headers of every request. */
export const COMMON_HEADERS = { accept: 'application/json', 'user-agent': 'zone53' };

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
    ...COMMON_HEADERS,
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
