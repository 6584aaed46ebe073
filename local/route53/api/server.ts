// The HTTP endpoint of the local Route 53: REST-XML on 127.0.0.1, for the real SDK and the `aws` command. Signatures
// are not checked, so web pages in a browser here are refused (`refuseWebPages()`). Every request counts against the
// account's limits (token-bucket.ts). An invalid request is answered with an error document and never ends the server.
import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Route53State } from '../model/state.ts';
import { type Clock, DEFAULT_LIMITS, type Route53Limits, throttle } from '../model/token-bucket.ts';
import { Route53Error } from '../values/route53-error.ts';
import { putHealth } from './health-check-operations.ts';
import type { OperationResponse } from './operation.ts';
import { OPERATIONS } from './operations.ts';
import { writeXml } from './xml.ts';

const BODY_OCTETS_MAX = 8 * 1024 * 1024;
const PATH_PREFIX = '/2013-04-01/';
/** Not of Route 53: it counts against no limit. */
const HEALTH_PATH = /^\/health\/([A-Za-z0-9-]{1,64})$/;
/** The names of this machine. Any other name in `Host` may be one of a web page's that was made to lead here. */
const LOOPBACK = /^(?:localhost|127(?:\.[0-9]{1,3}){3}|\[::1\])(?::[0-9]+)?$/i;
/** What a browser says in `Sec-Fetch-Site` where a person typed the address. */
const TYPED = 'none';

export type Route53Server = {
  readonly url: string;
  readonly port: number;
  readonly state: Route53State;
  /** Requests by operation, refused ones included. `Throttling` counts those above a limit. */
  readonly requests: Readonly<Record<string, number>>;
  close(): Promise<void>;
};

export type Route53ServerOptions = {
  readonly state: Route53State;
  /** Default: 0, which takes any free port. */
  readonly port?: number;
  /** The account's limits; null switches them off. Default: as Route 53's, as far as they are known. */
  readonly limits?: Route53Limits | null;
  /** The clock of the limits. Default: the system clock. */
  readonly clock?: Clock;
  /** Resolves when all writes are saved. A write is answered after that. Default: at once. */
  readonly kept?: () => Promise<void>;
  /** Which of the two forms of an InvalidChangeBatch is sent. Default ErrorResponse. */
  readonly invalidChangeBatchShape?: 'ErrorResponse' | 'InvalidChangeBatch';
};

/** Starts the endpoint; throws an Error that names the port when it is taken. */
export async function startRoute53(options: Route53ServerOptions): Promise<Route53Server> {
  const { state, port = 0, limits = DEFAULT_LIMITS, invalidChangeBatchShape = 'ErrorResponse' } = options;
  const buckets = throttle(limits, options.clock ?? { nowMs: Date.now });
  const requests: Record<string, number> = {};
  const count = (name: string) => {
    requests[name] = (requests[name] ?? 0) + 1;
  };

  const handle = async (request: IncomingMessage): Promise<OperationResponse> => {
    const body = await readBody(request);
    refuseWebPages(request);
    const checked = request.method === 'PUT' ? HEALTH_PATH.exec(request.url ?? '')?.[1] : undefined;
    if (checked !== undefined) {
      const answer = putHealth(state, checked, body);
      await options.kept?.();
      return answer;
    }
    const route = findOperation(request);
    count(route.operation.name);
    const changes = route.operation.name === 'ChangeResourceRecordSets' ? body.split('<Change>').length - 1 : 0;
    if (!buckets.take(route.operation.name, changes)) {
      count('Throttling');
      throw new Route53Error('Throttling', 400, 'Rate exceeded');
    }
    const answer = route.operation.run(state, { path: route.path, query: route.query, body });
    if (request.method !== 'GET') await options.kept?.();
    return answer;
  };

  const server = createServer((request, response) => {
    const requestId = randomUUID();
    handle(request)
      .catch((error: unknown) => errorResponse(error, requestId, invalidChangeBatchShape))
      .then((answer) => send(response, requestId, answer))
      .catch(() => response.destroy());
  });
  const listening = await listen(server, port);
  return { url: `http://127.0.0.1:${listening}`, port: listening, state, requests, close: () => close(server) };
}

function listen(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', (cause: NodeJS.ErrnoException) => {
      const taken = cause.code === 'EADDRINUSE';
      const detail = taken ? 'the port is taken (EADDRINUSE)' : cause.message;
      reject(new Error(`Cannot start Route 53 on 127.0.0.1 port ${port}: ${detail}`, { cause }));
    });
    server.listen(port, '127.0.0.1', () => resolve((server.address() as AddressInfo).port));
  });
}

function close(server: Server): Promise<void> {
  return new Promise((resolve, reject) => {
    server.close((error) => (error === undefined ? resolve() : reject(error)));
    server.closeAllConnections();
  });
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let octets = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    octets += chunk.length;
    if (octets <= BODY_OCTETS_MAX) chunks.push(chunk);
  }
  if (octets > BODY_OCTETS_MAX) throw new Route53Error('RequestEntityTooLarge', 413, 'The request is too large.');
  return Buffer.concat(chunks).toString('utf8');
}

/** Throws for a request of a web page: browsers send `Origin` with every write, and cannot be asked not to. */
function refuseWebPages({ headers }: IncomingMessage): void {
  const site = headers['sec-fetch-site'] ?? TYPED;
  if (headers.origin === undefined && site === TYPED && LOOPBACK.test(headers.host ?? '')) return;
  throw new Route53Error(
    'AccessDenied',
    403,
    'Only programs on this machine may ask, and no web pages: use the address 127.0.0.1',
  );
}

function findOperation(request: IncomingMessage) {
  const unknown = new Route53Error(
    'UnknownOperationException',
    404,
    `Unknown operation: ${request.method} ${request.url}`,
  );
  const url = URL.parse(request.url ?? '', 'http://127.0.0.1');
  if (url?.pathname.startsWith(PATH_PREFIX) !== true) throw unknown;
  const path = url.pathname.slice(PATH_PREFIX.length).replace(/\/$/, '');
  for (const operation of OPERATIONS) {
    const match = operation.method === request.method ? operation.path.exec(path) : null;
    if (match !== null) return { operation, path: match.slice(1).map(decodePathPart), query: url.searchParams };
  }
  throw unknown;
}

function decodePathPart(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch (cause) {
    if (cause instanceof URIError) throw new Route53Error('InvalidInput', 400, `The path is not valid: ${part}`);
    throw cause;
  }
}

function errorResponse(
  error: unknown,
  requestId: string,
  batchShape: 'ErrorResponse' | 'InvalidChangeBatch',
): OperationResponse {
  const known = error instanceof Route53Error ? error : null;
  if (known === null) console.error('The local Route 53 could not handle a request:', error);
  if (known?.messages && batchShape === 'InvalidChangeBatch') {
    const content = { Messages: { Message: known.messages }, RequestId: requestId };
    return { status: known.status, body: writeXml('InvalidChangeBatch', content) };
  }
  const body = writeXml('ErrorResponse', {
    Error: {
      Type: known === null ? 'Receiver' : 'Sender',
      Code: known?.code ?? 'InternalFailure',
      Message: known?.message ?? 'The request failed for a reason inside the local Route 53.',
      ...known?.details,
    },
    RequestId: requestId,
  });
  return { status: known?.status ?? 500, body };
}

function send(response: ServerResponse, requestId: string, answer: OperationResponse): void {
  response.writeHead(answer.status, {
    'Content-Type': 'text/xml',
    'x-amzn-RequestId': requestId,
    ...answer.headers,
  });
  response.end(answer.body);
}
