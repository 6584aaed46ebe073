// The intent API on this machine: plain HTTP on the loopback address, for programs that run here. Web pages in a
// browser here must not use it: requests with another host name or from another origin are refused.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { answerIntents } from '../lib/intents/http/answer.ts';
import type { IntentDeps } from '../lib/intents/http/deps.ts';
import { type Answer, problem } from '../lib/intents/http/message.ts';
import type { Log } from '../lib/ports/log.ts';

/** A larger body is read to its end, but not kept. */
const KEPT_OCTETS_MAX = 6 * 1024 * 1024;
const LOOPBACK = /^(?:localhost|127\.0\.0\.1|\[::1\])(?::\d+)?$/;

export type IntentsServer = { readonly url: string; close(): Promise<void> };

/** Serves the API; port 0 chooses a free one. Throws when the port is taken. */
export async function startIntents(port: number, deps: IntentDeps, log: Log): Promise<IntentsServer> {
  const server = createServer((request, response) => {
    void answer(request, deps, log).then((told) => send(request, response, told));
  });
  await listen(server, port);
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function answer(request: IncomingMessage, deps: IntentDeps, log: Log): Promise<Answer> {
  try {
    const { method = 'GET', url: target = '/', headers } = request;
    const body = await readBody(request);
    if (!LOOPBACK.test(headers.host ?? '') || !isLocal(headers.origin))
      return problem(403, 'Only programs on this machine may ask: use the address 127.0.0.1');
    const single = Object.entries(headers).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.join(', ') : value,
    ]);
    return await answerIntents(deps, { method, target, headers: Object.fromEntries(single), body });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    log('error', `cannot answer ${request.method} ${request.url}: ${reason}`);
    return problem(500, reason);
  }
}

function isLocal(origin: string | undefined): boolean {
  return origin === undefined || LOOPBACK.test(origin.replace(/^https?:\/\//, ''));
}

/** Reads the body. A body that is too large is returned as zeros of its size, because only its size is checked. */
async function readBody(request: IncomingMessage): Promise<Uint8Array> {
  const chunks: Buffer[] = [];
  let octets = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    octets += chunk.length;
    if (octets <= KEPT_OCTETS_MAX) chunks.push(chunk);
  }
  return octets <= KEPT_OCTETS_MAX ? Buffer.concat(chunks) : new Uint8Array(octets);
}

function send({ method }: IncomingMessage, response: ServerResponse, { status, headers, body }: Answer): void {
  const isBare = status === 204 || status === 304 || method === 'HEAD';
  response.writeHead(status, { ...headers, ...(isBare ? {} : { 'content-length': Buffer.byteLength(body) }) });
  response.end(isBare ? undefined : body);
}

function listen(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (cause) =>
      reject(new Error(`Cannot serve the intent API on port ${port}: ${cause.message}`, { cause })),
    );
    server.listen(port, '127.0.0.1', resolve);
  });
}
