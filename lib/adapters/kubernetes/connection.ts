// One exchange with one API server over node:http(s), on connections that are kept alive. @kubernetes/client-node says
// where the server is and who we are there, for each request anew, so that exec plugins and short-lived tokens work; its
// own HTTP layer is left out, for it opens a TLS connection per call as soon as a cluster has a certificate authority.
import { Agent, request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest, type RequestOptions, Agent as TlsAgent } from 'node:https';
import type { KubernetesIdentity } from './access.ts';
import type { KubernetesRequest } from './kubernetes-error.ts';

/** An API server and how to speak to it. */
export type KubernetesConnection = {
  /** `https://host:port`, for messages. */
  readonly origin: string;
  /** Who asks, for messages; empty when there is no more to say than the server does. */
  readonly identity: string;
  /** Sends a request; resolves with the head of the answer. Throws what node throws. */
  exchange(request: KubernetesRequest, signal: AbortSignal): Promise<IncomingMessage>;
};

/** Connections that are kept alive, over http for tests and tunnels, https for everything else. */
export type Agents = { readonly http: Agent; readonly https: TlsAgent };

/** Two watches, and few beside: a burst of reports neither floods the API server nor opens a connection for each. */
const SOCKETS_MAX = 6;

/** Agents for one API server. */
export function openAgents(socketsMax = SOCKETS_MAX): Agents {
  const options = { keepAlive: true, maxSockets: socketsMax };
  return { http: new Agent(options), https: new TlsAgent(options) };
}

/** The connection that a kubeconfig's current context describes. Throws when it names no cluster. */
export function connectionTo(config: KubernetesIdentity, agents: Agents): KubernetesConnection {
  const cluster = config.getCurrentCluster();
  if (cluster === null) {
    throw new Error(`Cannot find the cluster of context "${config.getCurrentContext()}" in the kubeconfig`);
  }
  const server = new URL(cluster.server);
  const plain = server.protocol === 'http:';
  return {
    origin: server.origin,
    identity: config.described ?? '',
    exchange: async (request, signal) => {
      const options: RequestOptions = {};
      await config.applyToHTTPSOptions(options);
      // A proxy needs the client's own agent; otherwise ours keeps the connection.
      if (cluster.proxyUrl === undefined) options.agent = plain ? agents.http : agents.https;
      return send(server, plain ? httpRequest : httpsRequest, options, request, signal);
    },
  };
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

/** The whole body. A connection that ends before the body does is an error, so half a list is never taken for a list. */
export async function readBody(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  if (!response.complete) throw new Error('the connection ended in the middle of the answer');
  return Buffer.concat(chunks).toString('utf8');
}
