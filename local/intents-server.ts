// The intent API on this machine: plain HTTP on the loopback address, for programs that run here. Web pages in a
// browser here must not use it: requests with another host name or from another origin are refused.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { answerIntents } from '../lib/intents/http/answer.ts';
import type { IntentDeps } from '../lib/intents/http/deps.ts';
import { type Answer, problem } from '../lib/intents/http/message.ts';
import { errorMessage } from '../lib/objects/plain.ts';
import type { Log } from '../lib/ports/log.ts';
import { close, listen, readBody } from './http-server.ts';

/** A larger body is read to its end, but not kept. */
const KEPT_OCTETS_MAX = 6 * 1024 * 1024;
const LOOPBACK = /^(?:localhost|127\.0\.0\.1|\[::1\])(?::\d+)?$/;

export type IntentsServer = { readonly url: string; close(): Promise<void> };

/** Serves the API; port 0 chooses a free one. Throws when the port is taken. */
export async function startIntents(port: number, deps: IntentDeps, log: Log): Promise<IntentsServer> {
  const server = createServer((request, response) => {
    void answer(request, deps, log).then((told) => send(request, response, told));
  });
  const taken = await listen(server, 'the intent API', port, '127.0.0.1');
  return { url: `http://127.0.0.1:${taken}`, close: () => close(server) };
}

async function answer(request: IncomingMessage, deps: IntentDeps, log: Log): Promise<Answer> {
  try {
    const { method = 'GET', url: target = '/', headers } = request;
    const read = await readBody(request, KEPT_OCTETS_MAX);
    // Of a body that is too large only the size is checked, so it is zeros of that size.
    const body = typeof read === 'number' ? new Uint8Array(read) : read;
    if (!LOOPBACK.test(headers.host ?? '') || !isLocal(headers.origin))
      return problem(403, 'Only programs on this machine may ask: use the address 127.0.0.1');
    const single = Object.entries(headers).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.join(', ') : value,
    ]);
    return await answerIntents(deps, { method, target, headers: Object.fromEntries(single), body });
  } catch (error) {
    const reason = errorMessage(error);
    log('error', `cannot answer ${request.method} ${request.url}: ${reason}`);
    return problem(500, reason);
  }
}

function isLocal(origin: string | undefined): boolean {
  return origin === undefined || LOOPBACK.test(origin.replace(/^https?:\/\//, ''));
}

function send({ method }: IncomingMessage, response: ServerResponse, { status, headers, body }: Answer): void {
  const isBare = status === 204 || status === 304 || method === 'HEAD';
  response.writeHead(status, { ...headers, ...(isBare ? {} : { 'content-length': Buffer.byteLength(body) }) });
  response.end(isBare ? undefined : body);
}
