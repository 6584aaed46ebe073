// The HTTP server of the console, on loopback alone. It decides who may ask, before anything is read:
//
//   Host is neither the printed one nor localhost with its port   421   DNS rebinding
//   Origin is there and another than the printed one              403
//   GET /?token=T                                                 303 to /, with the cookie
//   neither the cookie nor Authorization: Bearer T                401
//   another method than GET                                       405
//   anything else                                                 the page's files, or the API
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Log } from '../../lib/ports/log.ts';
import type { Answer } from './api.ts';
import { type PageFile, pageFile } from './page-files.ts';
import { ProblemError, problemOf, problemOfError } from './problem.ts';
import { cookieOf, randomToken, sameSecret } from './token.ts';

const ADDRESS = '127.0.0.1';
const API = '/api/';

const HEADERS: Readonly<Record<string, string>> = {
  'Cache-Control': 'no-store',
  'Content-Security-Policy':
    "default-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'; object-src 'none'",
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
};

export type ConsoleServer = {
  /** The address with the token. */
  readonly url: string;
  readonly port: number;
  /** The address with a key in place of the token, which opens the page once. */
  urlToOpen(): string;
  close(): Promise<void>;
};

export type ConsoleOptions = {
  /** 0: any free port. */
  readonly port: number;
  /** Takes a free port if `port` is taken. */
  readonly mayMove: boolean;
  readonly token: string;
  readonly answer: Answer;
  readonly log: Log;
};

/** Starts the server. Throws if the port is taken, unless it may move. */
export async function serveConsole(options: ConsoleOptions): Promise<ConsoleServer> {
  const { token, answer, log } = options;
  const server = createServer();
  const listen = (port: number) =>
    new Promise<number>((resolve, reject) => {
      server.once('error', reject);
      server.listen({ port, host: ADDRESS, exclusive: true }, () => {
        server.off('error', reject);
        resolve((server.address() as AddressInfo).port);
      });
    });
  const port = await listen(options.port).catch((cause: Error & { readonly code?: string }) => {
    if (options.mayMove && cause.code === 'EADDRINUSE') return listen(0);
    throw new Error(`Cannot serve the console on port ${options.port}: ${cause.message}`, { cause });
  });
  const guard = guardOf(token, port);
  server.on('request', (request, response) => {
    respond(guard, answer, request, response).catch((error: unknown) => {
      log('error', `the console cannot answer: ${String(error)}`);
      response.destroy();
    });
  });
  return {
    url: `${guard.origin}/?token=${encodeURIComponent(token)}`,
    port,
    urlToOpen: () => {
      const key = randomToken();
      guard.keys.add(key);
      return `${guard.origin}/?token=${key}`;
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

type Guard = {
  readonly token: string;
  readonly origin: string;
  readonly hosts: readonly string[];
  /** Browsers send a cookie to every port of a host, so its name has the port. */
  readonly cookieName: string;
  readonly cookie: string;
  /** Keys for the browser that zone53 opens: each works once, as `ps` shows the address that a browser is given. */
  readonly keys: Set<string>;
};

function guardOf(token: string, port: number): Guard {
  return {
    token,
    origin: `http://${ADDRESS}:${port}`,
    hosts: [`${ADDRESS}:${port}`, `localhost:${port}`],
    cookieName: `zone53-console-${port}`,
    cookie: cookieOf(token),
    keys: new Set(),
  };
}

async function respond(
  guard: Guard,
  answer: Answer,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  // Nothing is read of a body, and the connection of who sends one is not used again.
  if (request.method !== 'GET') response.setHeader('Connection', 'close');
  const { path, query } = targetOf(request);
  const isApi = path.startsWith(API);
  const refusal = refusalOf(guard, request);
  if (refusal !== null) return sendProblem(response, problemOf(refusal.status, refusal.detail));
  const token = path === '/' ? query.get('token') : null;
  if (token !== null && request.method === 'GET' && opens(guard, token)) {
    response.setHeader('Set-Cookie', `${guard.cookieName}=${guard.cookie}; Path=/; HttpOnly; SameSite=Strict`);
    return send(response, 303, { Location: '/' }, '');
  }
  if (!isKnown(guard, request)) {
    response.setHeader('WWW-Authenticate', 'Bearer');
    const detail = 'Open the address that zone53 printed: it has the token.';
    if (isApi) return sendProblem(response, problemOf(401, detail));
    return send(response, 401, { 'Content-Type': 'text/plain; charset=utf-8' }, `${detail}\n`);
  }
  if (request.method !== 'GET') {
    response.setHeader('Allow', 'GET');
    return sendProblem(response, problemOf(405, 'The console only reads: GET is its one method.'));
  }
  try {
    if (isApi) return sendAnswer(response, await answer(path, query));
    const file = await pageFile(path);
    if (file === null) throw new ProblemError(404, `There is no ${path}.`);
    return sendFile(response, file);
  } catch (error) {
    return sendProblem(response, problemOfError(error));
  }
}

/** The path as it is written, and the query. What is no path of ours stays as it is, and is not found. */
function targetOf({ url = '' }: IncomingMessage): { readonly path: string; readonly query: URLSearchParams } {
  const [path = '', query = ''] = url.split(/\?(.*)/s);
  return { path, query: new URLSearchParams(query) };
}

function refusalOf(
  { origin, hosts }: Guard,
  { headers, headersDistinct }: IncomingMessage,
): { readonly status: 421 | 403; readonly detail: string } | null {
  if (headersDistinct.host?.length !== 1 || !hosts.includes(headers.host ?? ''))
    return { status: 421, detail: `The console is at ${origin} and nowhere else.` };
  if (headers.origin !== undefined && headers.origin !== origin)
    return { status: 403, detail: 'The console answers no page but its own.' };
  return null;
}

function opens({ token, keys }: Guard, given: string): boolean {
  return sameSecret(given, token) || keys.delete(given);
}

function isKnown({ token, cookie, cookieName }: Guard, { headers }: IncomingMessage): boolean {
  const [, bearer] = /^Bearer +(\S+) *$/i.exec(headers.authorization ?? '') ?? [];
  if (bearer !== undefined && sameSecret(bearer, token)) return true;
  return (headers.cookie ?? '').split(';').some((one) => {
    const [name = '', value = ''] = one.trim().split(/=(.*)/s);
    return name === cookieName && sameSecret(value, cookie);
  });
}

function sendProblem(response: ServerResponse, problem: ReturnType<typeof problemOf>): void {
  sendJson(response, problem.status, problem, 'application/problem+json');
}

function sendJson(response: ServerResponse, status: number, body: unknown, type: string): void {
  send(response, status, { 'Content-Type': type }, JSON.stringify(body));
}

/** Text is CSV. */
function sendAnswer(response: ServerResponse, answered: unknown): void {
  if (typeof answered === 'string') send(response, 200, { 'Content-Type': 'text/csv; charset=utf-8' }, answered);
  else sendJson(response, 200, answered, 'application/json');
}

function sendFile(response: ServerResponse, { type, text }: PageFile): void {
  send(response, 200, { 'Content-Type': `${type}; charset=utf-8` }, text);
}

function send(response: ServerResponse, status: number, headers: Readonly<Record<string, string>>, text: string): void {
  const body = Buffer.from(text);
  response.writeHead(status, { ...HEADERS, ...headers, 'Content-Length': body.length }).end(body);
}
