// Sends requests through a pool of undici, which takes a third of the CPU of node:http (docs/benchmarks.md). Commands
// and `zone53 local` use it. Functions do not: they send few requests, and would load 300 KiB more at each cold start.
import type { RequestOptions } from 'node:https';
import { isDeepStrictEqual } from 'node:util';
import { type Dispatcher, Pool } from 'undici';
import { COMMON_HEADERS, type RequestPool, type WholeAnswer } from './connection.ts';
import { ANSWER_OCTETS_MAX, type KubernetesRequest, tooLargeAnswer } from './kubernetes-error.ts';

/** A pool of at most `socketsMax` connections. Nothing is connected before the first request. */
export function undiciPool(socketsMax: number): RequestPool {
  let current: Connected | null = null;
  const connect = (server: URL, credentials: RequestOptions): Connected => {
    if (current?.credentials === credentials) return current;
    const { ca, cert, key, pfx, passphrase, servername, rejectUnauthorized } = credentials;
    const all = { ca, cert, key, pfx, passphrase, servername, rejectUnauthorized };
    const tls = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
    const { auth } = credentials;
    const basic = auth == null ? {} : { authorization: `Basic ${Buffer.from(auth).toString('base64')}` };
    const headers = { ...(credentials.headers as Connected['headers']), ...basic, ...COMMON_HEADERS };
    let pool = current?.pool ?? null;
    if (pool === null || !isDeepStrictEqual(tls, current?.tls)) {
      // Requests in the old pool still finish.
      void pool?.close();
      // Every request has a deadline of its own, which replaces the three of undici.
      const limits = { headersTimeout: 0, bodyTimeout: 0, allowH2: false, pipelining: 1 };
      pool = new Pool(server.origin, { connections: socketsMax, connect: { ...tls, timeout: 0 }, ...limits });
    }
    current = { credentials, tls, headers, pool };
    return current;
  };
  return {
    ask: (server, credentials, request, timeoutMs) =>
      dispatch(connect(server, credentials), server, request, timeoutMs),
    close: () => {
      void current?.pool.destroy();
      current = null;
    },
  };
}

/** The pool for some credentials. It is replaced when what TLS needs changes, such as a renewed certificate. */
type Connected = {
  readonly credentials: RequestOptions;
  readonly tls: object;
  readonly headers: Readonly<Record<string, string | string[]>>;
  readonly pool: Pool;
};

function dispatch(
  { pool, headers }: Connected,
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
    let timedOut: Error | null = null;
    const deadline = setTimeout(() => {
      timedOut = new DOMException(`no answer within ${timeoutMs} ms`, 'TimeoutError');
      controller?.abort(timedOut);
      reject(timedOut);
    }, timeoutMs);
    const chunks: Buffer[] = [];
    let octets = 0;
    let status = 0;
    let retryAfter: string | undefined;
    pool.dispatch(request, {
      onRequestStart: (started) => {
        controller = started;
        if (timedOut !== null) started.abort(timedOut);
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
