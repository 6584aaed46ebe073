// A proxy before a double of Route 53 that adds what an AWS account has: every call takes 20 ms longer, and a call for
// which a bucket of the account has too few tokens is answered `Throttling`. It records every call, and which A records
// were accepted. Route 53 has a bucket of 50 requests that refills at 10 a second, and one of record changes, of which
// the size is not published. Source: Developer Guide, "Throttling for Amazon Route 53 API requests". Last verified
// 2026-11-29.
import { Agent, createServer, type IncomingMessage, type ServerResponse, request as sendRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { playChanges, readChanges } from './read-changes.ts';
import { type BucketSize, tokenBucket } from './token-bucket.ts';

export type ProxyOptions = {
  /** The double: `http://127.0.0.1:PORT`. */
  readonly target: string;
  readonly latencyMs?: number;
  readonly requests?: BucketSize;
  /** The bucket of record changes. Default: null, no limit. */
  readonly changes?: BucketSize | null;
  /** The clock of the buckets, in milliseconds. Default: the clock of the process. */
  readonly nowMs?: () => number;
};

/** One call as it came in. */
type SeenCall = {
  readonly atMs: number;
  readonly action: string;
  /** `accepted` by Route 53, `refused` by it, `throttled` by the proxy. */
  outcome: 'pending' | 'accepted' | 'refused' | 'throttled';
  /** Record sets of a batch. */
  readonly changes: number;
};

export type AccountProxy = {
  readonly url: string;
  readonly calls: readonly SeenCall[];
  /** Accepted A records, by name with its trailing dot; values joined with a comma. */
  readonly standing: Map<string, string>;
  /** Refuses every batch that contains this name, as Route 53 refuses an invalid record set; null: refuses none. */
  refuse(name: string | null): void;
  /** Resolves with the moment, performance.now(), at which the condition came true; null after `timeoutMs`. */
  until(isTrue: () => boolean, timeoutMs: number): Promise<number | null>;
  close(): Promise<void>;
};

type State = {
  readonly options: Required<ProxyOptions>;
  readonly calls: SeenCall[];
  readonly standing: Map<string, string>;
  readonly agent: Agent;
  readonly admits: ReturnType<typeof tokenBucket>;
  readonly admitsChanges: ReturnType<typeof tokenBucket>;
  readonly watchers: Set<() => void>;
  refused: string | null;
};

type Answer = { readonly status: number; readonly headers: Record<string, string>; readonly body: Buffer };

const DEFAULTS = {
  latencyMs: 20,
  requests: { perSecond: 10, size: 50 },
  changes: null,
  nowMs: () => performance.now(),
} as const;

/** Starts the proxy on a free port of 127.0.0.1. */
export async function startProxy(options: ProxyOptions): Promise<AccountProxy> {
  const whole = { ...DEFAULTS, ...options };
  const state: State = {
    options: whole,
    calls: [],
    standing: new Map(),
    agent: new Agent({ keepAlive: true }),
    admits: tokenBucket(whole.requests),
    admitsChanges: whole.changes === null ? () => true : tokenBucket(whole.changes),
    watchers: new Set(),
    refused: null,
  };
  const server = createServer((request, response) => {
    handle(state, request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls: state.calls,
    standing: state.standing,
    refuse: (name) => {
      state.refused = name;
    },
    until: (isTrue, timeoutMs) => until(state, isTrue, timeoutMs),
    close: async () => {
      state.agent.destroy();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** The name of the action, for example `ChangeResourceRecordSets`, from method and path. */
export function actionOf(method: string, url: string): string {
  const path = (url.split('?')[0] ?? '').replace(/^\/2013-04-01/, '').replace(/\/$/, '');
  if (/^\/hostedzone\/[^/]+\/rrset$/.test(path)) return `${method === 'POST' ? 'Change' : 'List'}ResourceRecordSets`;
  if (/^\/hostedzone\/[^/]+$/.test(path)) return method === 'GET' ? 'GetHostedZone' : 'DeleteHostedZone';
  if (path === '/hostedzone') return method === 'POST' ? 'CreateHostedZone' : 'ListHostedZones';
  if (path === '/hostedzonesbyname') return 'ListHostedZonesByName';
  if (path.startsWith('/tags/')) return 'ListTagsForResource';
  return `${method} ${path}`;
}

async function handle(state: State, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const admitted = state.admits(state.options.nowMs());
  const { method = 'GET', url = '' } = request;
  const action = actionOf(method, url);
  const chunks: Buffer[] = [];
  const arrivedMs = performance.now();
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  const body = Buffer.concat(chunks);
  const changes = action === 'ChangeResourceRecordSets' ? readChanges(body.toString('utf8')) : [];
  const call: SeenCall = { atMs: arrivedMs, action, outcome: 'pending', changes: changes.length };
  state.calls.push(call);
  const isWithin = admitted && state.admitsChanges(state.options.nowMs(), changes.length);
  await sleep(state.options.latencyMs);
  if (!isWithin) {
    call.outcome = 'throttled';
    return send(response, THROTTLING);
  }
  const bad = changes.find(({ name }) => name === state.refused);
  const answer = bad === undefined ? await forward(state, request, body) : refusal(bad.name);
  call.outcome = answer.status < 300 ? 'accepted' : 'refused';
  if (call.outcome === 'accepted') playChanges(state.standing, changes);
  send(response, answer);
  for (const watcher of state.watchers) watcher();
}

const THROTTLING = errorAnswer('Throttling', 'Rate exceeded');

function refusal(name: string): Answer {
  const message = `[RRSet with DNS name ${name} is not permitted in this zone.]`;
  return errorAnswer('InvalidChangeBatch', message);
}

function errorAnswer(code: string, message: string): Answer {
  const text = `<?xml version="1.0"?>\n<ErrorResponse xmlns="https://route53.amazonaws.com/doc/2013-04-01/"><Error><Type>Sender</Type><Code>${code}</Code><Message>${message}</Message></Error><RequestId>bench</RequestId></ErrorResponse>`;
  return { status: 400, headers: { 'content-type': 'text/xml' }, body: Buffer.from(text) };
}

function send(response: ServerResponse, { status, headers, body }: Answer): void {
  response.writeHead(status, { ...headers, 'content-length': body.length });
  response.end(body);
}

function forward({ options, agent }: State, request: IncomingMessage, body: Buffer): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const { host: _host, connection: _connection, 'transfer-encoding': _encoding, ...headers } = request.headers;
    const sent = sendRequest(
      `${options.target}${request.url ?? ''}`,
      { method: request.method ?? 'GET', headers: { ...headers, 'content-length': body.length }, agent },
      (answer) => {
        const chunks: Buffer[] = [];
        answer.on('data', (chunk: Buffer) => chunks.push(chunk));
        answer.once('error', reject);
        answer.once('end', () => {
          const type = answer.headers['content-type'] ?? 'text/xml';
          resolve({
            status: answer.statusCode ?? 500,
            headers: { 'content-type': type },
            body: Buffer.concat(chunks),
          });
        });
      },
    );
    sent.once('error', reject);
    sent.end(body);
  });
}

function until({ watchers }: State, isTrue: () => boolean, timeoutMs: number): Promise<number | null> {
  if (isTrue()) return Promise.resolve(performance.now());
  return new Promise((resolve) => {
    const end = (atMs: number | null) => {
      clearTimeout(timer);
      watchers.delete(watcher);
      resolve(atMs);
    };
    const watcher = () => {
      if (isTrue()) end(performance.now());
    };
    const timer = setTimeout(() => end(null), timeoutMs);
    watchers.add(watcher);
  });
}
