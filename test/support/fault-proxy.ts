// An HTTP proxy before a Route 53 endpoint that loses, delays, corrupts and invents answers; a seed decides which and
// when. A refusal is always true: as with Route 53, a 4xx answer with an error code is given only if nothing was
// applied. The proxy counts the calls of every operation, and the most within any period.
//
//   fault            forwarded   the client sees
//   requestLost      no          a connection that breaks
//   requestHangs     no          nothing, until the client gives up
//   requestLate      later       a connection that breaks
//   answerLost       yes         a connection that breaks, sometimes half an answer
//   answerHangs      yes         nothing, until the client gives up
//   error            either      500 or 503
//   malformed        either      200 or 400, with a body that is not XML or not a valid answer
//   throttled        no          Throttling, PriorRequestNotComplete
//   unknownCode      no          400 with an unknown error code
//   refused          no          InvalidChangeBatch for a batch that may be valid
//   slow             yes         the answer, after a while
import { createServer, type IncomingMessage, type ServerResponse, request as sendRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  busy,
  denied,
  invalidChangeBatch,
  malformed,
  reshapeRefusal,
  throttling,
  unknownCode,
} from './fault-answers.ts';
import { type Random, seededRandom } from './seeded-random.ts';

/** The relative frequency of each fault. Faults that hang are rare, because they cost the client its whole timeout. */
const FAULT_WEIGHTS = {
  requestLost: 10,
  requestHangs: 0,
  requestLate: 5,
  answerLost: 10,
  answerHangs: 0,
  error: 10,
  malformed: 6,
  throttled: 10,
  unknownCode: 3,
  refused: 3,
  slow: 5,
};
type Fault = keyof typeof FAULT_WEIGHTS;

/** The longest delay of a slow answer. */
const SLOW_MS_MAX = 800;

type ProxyCall = { readonly atMs: number; readonly operation: string; readonly fault: Fault | null };

export type Answer = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
};

export type FaultProxy = {
  readonly url: string;
  /** Every call, in the order of arrival. */
  readonly calls: readonly ProxyCall[];
  /** The share of calls that meet a fault, 0 to 1; 0 passes everything on as it is. */
  setRate(rate: number): void;
  /** Answers AccessDenied to matching `METHOD /path`, as an IAM policy does; null: denies nothing. */
  deny(requests: RegExp | null): void;
  /** How many calls of these operations there were. */
  count(...operations: readonly string[]): number;
  /** The most calls that began within any `windowMs`, among the calls from number `from` on. */
  busiest(windowMs: number, from?: number): number;
  /** Resolves when every late request has reached Route 53. */
  landed(): Promise<void>;
  close(): Promise<void>;
};

export type FaultProxyOptions = {
  /** `http://127.0.0.1:PORT`, without a slash at its end. */
  readonly target: string;
  readonly seed: number;
  readonly rate: number;
  readonly weights?: Readonly<Partial<Record<Fault, number>>>;
  /** The longest delay of a late request. */
  readonly lateMsMax?: number;
  /**
   * Called when a call has `arrived`, is `applied` by Route 53, or is `answered`: moments at which to kill the client.
   */
  readonly onMoment?: (moment: 'arrived' | 'applied' | 'answered', operation: string) => void;
};

type Proxy = Required<Omit<FaultProxyOptions, 'weights' | 'seed'>> & {
  readonly weights: Readonly<Record<Fault, number>>;
  readonly random: Random;
  readonly calls: ProxyCall[];
  readonly late: Set<Promise<unknown>>;
  rate: number;
  denied: RegExp | null;
};

type Call = {
  readonly operation: string;
  readonly request: IncomingMessage;
  readonly body: Buffer;
  readonly response: ServerResponse;
};

/** Starts the proxy on a free port of 127.0.0.1. */
export async function startFaultProxy(options: FaultProxyOptions): Promise<FaultProxy> {
  const proxy: Proxy = {
    lateMsMax: 1_500,
    onMoment: () => {},
    ...options,
    weights: { ...FAULT_WEIGHTS, ...options.weights },
    random: seededRandom(options.seed),
    calls: [],
    late: new Set(),
    denied: null,
  };
  const server = createServer((request, response) => {
    handle(proxy, request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls: proxy.calls,
    setRate: (rate) => {
      proxy.rate = rate;
    },
    deny: (requests) => {
      proxy.denied = requests;
    },
    count: (...operations) => proxy.calls.filter(({ operation }) => operations.includes(operation)).length,
    busiest: (windowMs, from = 0) => busiest(proxy.calls.slice(from), windowMs),
    landed: async () => {
      while (proxy.late.size > 0) await Promise.allSettled([...proxy.late]);
    },
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve, reject) => server.close((error) => (error ? reject(error) : resolve())));
    },
  };
}

async function handle(proxy: Proxy, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const atMs = Date.now();
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  const call = { operation: operationOf(request), request, body: Buffer.concat(chunks), response };
  const fault = chooseFault(proxy, call.operation);
  proxy.calls.push({ atMs, operation: call.operation, fault });
  proxy.onMoment('arrived', call.operation);
  if (proxy.denied?.test(`${request.method} ${request.url}`)) return send(proxy, call, denied);
  await carryOut(proxy, call, fault);
}

/** The operation, for example `ChangeResourceRecordSets`; for an unknown one, method and path. */
function operationOf({ method = '', url = '' }: IncomingMessage): string {
  const path = (url.split('?')[0] ?? '').replace(/^\/2013-04-01/, '').replace(/\/$/, '');
  if (/^\/hostedzone\/[^/]+\/rrset$/.test(path)) return `${method === 'POST' ? 'Change' : 'List'}ResourceRecordSets`;
  if (/^\/hostedzone\/[^/]+$/.test(path)) return method === 'GET' ? 'GetHostedZone' : 'DeleteHostedZone';
  if (path === '/hostedzone') return method === 'POST' ? 'CreateHostedZone' : 'ListHostedZones';
  if (path === '/hostedzonesbyname') return 'ListHostedZonesByName';
  return `${method} ${path}`;
}

function chooseFault({ random, rate, weights }: Proxy, operation: string): Fault | null {
  if (random.next() >= rate) return null;
  const possible = (Object.keys(weights) as Fault[]).filter(
    (fault) => fault !== 'refused' || operation === 'ChangeResourceRecordSets',
  );
  return random.weighted(possible, (fault) => weights[fault]);
}

async function carryOut(proxy: Proxy, call: Call, fault: Fault | null): Promise<void> {
  const { random } = proxy;
  switch (fault) {
    case 'requestLost':
      return void call.response.destroy();
    case 'requestHangs':
      return;
    case 'requestLate': {
      const landing = sleep(random.next() * proxy.lateMsMax).then(() => forward(proxy, call));
      proxy.late.add(landing);
      landing.catch(() => {}).finally(() => proxy.late.delete(landing));
      return void call.response.destroy();
    }
    case 'answerLost': {
      const answer = await forward(proxy, call);
      if (random.next() < 0.5) return void call.response.destroy();
      // Half an answer: fewer octets than content-length says.
      call.response.writeHead(answer.status, { ...answer.headers, 'content-length': String(answer.body.length) });
      call.response.write(answer.body.slice(0, answer.body.length / 2), () => call.response.destroy());
      return;
    }
    case 'answerHangs':
      return void (await forward(proxy, call));
    case 'error':
    case 'malformed': {
      if (random.next() < 0.5) await forward(proxy, call);
      const status = random.next() < 0.5 ? 500 : 503;
      return send(proxy, call, fault === 'malformed' ? malformed(random) : { status, headers: {}, body: 'busy' });
    }
    case 'throttled':
      return send(proxy, call, random.next() < 0.5 ? throttling : busy);
    case 'unknownCode':
      return send(proxy, call, unknownCode);
    case 'refused':
      return send(proxy, call, invalidChangeBatch(random, call.body.toString('utf8')));
    case 'slow':
      await sleep(random.next() * SLOW_MS_MAX);
  }
  const answer = await forward(proxy, call);
  send(proxy, call, proxy.rate > 0 ? reshapeRefusal(random, answer) : answer);
}

function send({ onMoment }: Proxy, { response, operation }: Call, { status, headers, body }: Answer): void {
  response.writeHead(status, { 'content-type': 'text/xml', ...headers, 'content-length': Buffer.byteLength(body) });
  response.end(body, () => onMoment('answered', operation));
}

function forward({ target, onMoment }: Proxy, { operation, request, body }: Call): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const { host: _host, connection: _connection, ...headers } = request.headers;
    const url = `${target}${request.url ?? ''}`;
    const sent = sendRequest(url, { method: request.method ?? 'GET', headers, agent: false }, (answer) => {
      const chunks: Buffer[] = [];
      answer.on('data', (chunk: Buffer) => chunks.push(chunk));
      answer.once('error', reject);
      answer.once('end', () => {
        onMoment('applied', operation);
        const type = answer.headers['content-type'] ?? 'text/xml';
        const status = answer.statusCode ?? 500;
        resolve({ status, headers: { 'content-type': type }, body: Buffer.concat(chunks).toString('utf8') });
      });
    });
    sent.once('error', reject);
    sent.end(body);
  });
}

function busiest(calls: readonly ProxyCall[], windowMs: number): number {
  let first = 0;
  let most = 0;
  for (const [index, { atMs }] of calls.entries()) {
    while (atMs - (calls[first]?.atMs ?? atMs) >= windowMs) first += 1;
    most = Math.max(most, index - first + 1);
  }
  return most;
}
