// Sends requests to one API server, and repeats them where that may help:
//
//   429, 503            wait as long as Retry-After says, at most as long as for an answer, then again
//   500, 502, 504       again after a pause, unless the object is too large
//   connection lost     again after a pause, as when the API server restarts
//   no answer in time   an error at once: it has cost enough time already
//   401                 once, with credentials that are loaded again
//   certificate         once, with authorities that are loaded again, if ours did not sign it
//
// All our requests may be repeated: reads, server-side apply, merge patches with a stated value, and the creation of an
// Event whose name derives from its content.

import { setTimeout as sleep } from 'node:timers/promises';
import { backoff } from '../../../ports/backoff.ts';
import type { KubernetesAccess, Refused } from '../access/access.ts';
import { connectionTo, type KubernetesConnection, openAgents, type RequestPool, readBody } from './connection.ts';
import {
  isTooLarge,
  KubernetesError,
  type KubernetesRequest,
  refusedError,
  unreachableError,
} from './kubernetes-error.ts';

/** Sends requests to one API server. Throws `KubernetesError`. */
export type KubernetesTransport = {
  /** The JSON of the answer; null of one that is not to be read. */
  send(request: KubernetesRequest): Promise<unknown>;
  /**
   * The lines of a stream, as they come. `onOpen` is called when the server has accepted it.
   * Throws if nothing comes for `idleMs`; ends when the server ends it.
   */
  lines(request: KubernetesRequest, idleMs: number, signal: AbortSignal, onOpen?: () => void): AsyncIterable<string>;
  /** The number of requests that were sent, with repetitions; for measurements. */
  readonly requests: { readonly count: number };
  close(): void;
};

export type TransportOptions = {
  readonly access: KubernetesAccess;
  /** The timeout of one answer in milliseconds; default 30 s. */
  readonly timeoutMs?: number;
  /** The most tries; default 5, which take some 3 s without Retry-After. */
  readonly triesMax?: number;
  /** The most connections; default 6. */
  readonly socketsMax?: number;
  /** Opens a pool for short answers, such as `undiciPool`; default: all requests go through node:http. */
  readonly openPool?: (socketsMax: number) => RequestPool;
};

const TIMEOUT_MS = 30_000;
const TRIES_MAX = 5;
const pauseMs = backoff(200, 5_000);

/** A transport. Nothing is loaded or connected before the first request. */
export function kubernetesTransport(options: TransportOptions): KubernetesTransport {
  const agents = openAgents(options.openPool, options.socketsMax);
  const requests = { count: 0 };
  let opened: Promise<KubernetesConnection> | null = null;
  let refused: Refused | undefined;
  const connect = (): Promise<KubernetesConnection> => {
    opened ??= options
      .access(refused)
      .then((config) => connectionTo(config, agents))
      .catch((error: unknown) => {
        opened = null;
        throw error;
      });
    return opened;
  };
  const renew = (what: Refused) => {
    opened = null;
    refused = what;
  };
  return {
    requests,
    send: async (request) => {
      let isRenewed = false;
      for (let tries = 1; ; tries += 1) {
        const connection = await connect();
        requests.count += 1;
        const attempt = await sendOnce(connection, request, options.timeoutMs ?? TIMEOUT_MS);
        if (attempt.kind === 'done') return attempt.value;
        const { error, again } = attempt;
        if (again.kind === 'renewed') renew(again.refused);
        const isSpent = again.kind === 'renewed' ? isRenewed : tries >= (options.triesMax ?? TRIES_MAX);
        if (again.kind === 'never' || isSpent) throw error;
        isRenewed ||= again.kind === 'renewed';
        await sleep(again.kind === 'after' ? again.ms : again.kind === 'paused' ? pauseMs(tries) : 0);
      }
    },
    async *lines(request, idleMs, signal, onOpen = () => {}) {
      const connection = await connect();
      requests.count += 1;
      yield* streamLines(connection, request, { idleMs, signal, onOpen, renew });
    },
    close: agents.close,
  };
}

/** Whether to repeat: never, after a growing pause, after a given time, or at once with what is loaded again. */
type Again =
  | { readonly kind: 'never' }
  | { readonly kind: 'paused' }
  | { readonly kind: 'after'; readonly ms: number }
  | { readonly kind: 'renewed'; readonly refused: Refused };

type Attempt =
  | { readonly kind: 'done'; readonly value: unknown }
  | { readonly kind: 'failed'; readonly error: Error; readonly again: Again };

async function sendOnce(
  connection: KubernetesConnection,
  request: KubernetesRequest,
  timeoutMs: number,
): Promise<Attempt> {
  const { origin } = connection;
  try {
    const { status, retryAfter, body } = await connection.ask(request, timeoutMs);
    if (status >= 200 && status < 300)
      return { kind: 'done', value: request.unread ? null : parseJson(body, request, origin) };
    const error = refusedError(request, connection, status, body);
    return {
      kind: 'failed',
      error,
      again: isTooLarge(error) ? { kind: 'never' } : whenRefused(status, retryAfter, timeoutMs),
    };
  } catch (cause) {
    if (cause instanceof KubernetesError) return { kind: 'failed', error: cause, again: { kind: 'never' } };
    return { kind: 'failed', error: unreachableError(request, origin, cause), again: whenLost(cause) };
  }
}

/** A Retry-After of more than `timeoutMs` is an error. */
function whenRefused(status: number, retryAfter: string | undefined, timeoutMs: number): Again {
  if (status === 401) return { kind: 'renewed', refused: 'credentials' };
  if (status === 429 || status === 503) {
    const ms = Number(retryAfter ?? Number.NaN) * 1_000;
    if (Number.isNaN(ms)) return { kind: 'paused' };
    return ms <= timeoutMs ? { kind: 'after', ms } : { kind: 'never' };
  }
  return status === 500 || status === 502 || status === 504 ? { kind: 'paused' } : { kind: 'never' };
}

/** Error codes of Node and undici for a closed connection or an incomplete answer. */
const LOST = new Set([
  ...['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'EAI_AGAIN'],
  ...['UND_ERR_SOCKET', 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH'],
]);

/** Error codes of OpenSSL, as Node names them, for a certificate whose authority is not known. */
const UNTRUSTED = new Set([
  ...['UNABLE_TO_GET_ISSUER_CERT', 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE'],
  ...['DEPTH_ZERO_SELF_SIGNED_CERT', 'SELF_SIGNED_CERT_IN_CHAIN', 'CERT_SIGNATURE_FAILURE', 'CERT_HAS_EXPIRED'],
]);

function isUntrusted(cause: unknown): boolean {
  return UNTRUSTED.has(String((cause as { code?: unknown } | null)?.code));
}

/** Repeats when a connection breaks or fails, or if its certificate is not trusted; not for a timeout or a plugin. */
function whenLost(cause: unknown): Again {
  const { code, message, name } = cause as { code?: unknown; message?: unknown; name?: unknown };
  if (name === 'TimeoutError') return { kind: 'never' };
  if (isUntrusted(cause)) return { kind: 'renewed', refused: 'certificate' };
  const lost = LOST.has(String(code));
  return lost || /socket hang up|middle of the answer|aborted/.test(String(message))
    ? { kind: 'paused' }
    : { kind: 'never' };
}

function parseJson(body: string, request: KubernetesRequest, origin: string): unknown {
  try {
    return JSON.parse(body);
  } catch (cause) {
    const shown = JSON.stringify(body.slice(0, 100));
    throw new KubernetesError(
      `Cannot ${request.action} at ${origin}: the answer is not JSON: ${shown}`,
      { status: null },
      cause,
    );
  }
}

type Stream = {
  readonly idleMs: number;
  readonly signal: AbortSignal;
  readonly onOpen: () => void;
  readonly renew: (refused: Refused) => void;
};

async function* streamLines(
  connection: KubernetesConnection,
  request: KubernetesRequest,
  { idleMs, signal, onOpen, renew }: Stream,
): AsyncGenerator<string> {
  const idle = new AbortController();
  const expire = () => idle.abort(new DOMException(`nothing came for ${idleMs} ms`, 'TimeoutError'));
  let timer = setTimeout(expire, idleMs);
  try {
    const response = await connection.exchange(request, AbortSignal.any([signal, idle.signal]));
    const status = response.statusCode ?? 0;
    if (status === 401) renew('credentials');
    if (status !== 200) throw refusedError(request, connection, status, await readBody(response));
    onOpen();
    let rest = '';
    response.setEncoding('utf8');
    for await (const chunk of response) {
      clearTimeout(timer);
      timer = setTimeout(expire, idleMs);
      const pieces = `${rest}${chunk as string}`.split('\n');
      rest = pieces.pop() ?? '';
      yield* pieces.filter((line) => line !== '');
    }
  } catch (cause) {
    if (signal.aborted) return;
    if (isUntrusted(cause)) renew('certificate');
    throw cause instanceof KubernetesError ? cause : unreachableError(request, connection.origin, cause);
  } finally {
    clearTimeout(timer);
    idle.abort();
  }
}
