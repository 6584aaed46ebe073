// A double of a function URL: HTTPS in front of a function, with the payload format 2.0. An error of the function is
// answered 502, as Lambda does. The URL can be served before the function is deployed, because an API server needs the
// address when it starts. A test can close a way in; it then answers 503, and the event is lost.
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { selfSigned } from '../../local/self-signed-certificate.ts';
import type { LambdaFunction } from './lambda-process.ts';

type Answer = {
  readonly statusCode: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string;
};

/** The kinds of event that arrive over HTTP. Each is the first segment of its path, behind that of a cluster. */
export type WayIn = 'admission' | 'audit' | 'events';

export type FunctionUrl = {
  /** The URL, with a slash at its end, as Lambda writes it. */
  readonly url: string;
  /** PEM of its certificate, which is self-signed. */
  readonly ca: string;
  /** The ways in that are open. */
  readonly open: Set<WayIn>;
  /** The bodies of all requests by way in, also of requests to a closed one. */
  readonly bodies: Readonly<Record<WayIn, string[]>>;
  /** Sets the function that answers. Before this call every answer is 503. */
  attach(handler: LambdaFunction): void;
  close(): void;
};

/** Serves on a free port of 127.0.0.1, with a new certificate unless one is given. Every way in is closed at first. */
export async function functionUrl({ cert, key } = selfSigned('127.0.0.1', Date.now())): Promise<FunctionUrl> {
  const open = new Set<WayIn>();
  const bodies: Record<WayIn, string[]> = { admission: [], audit: [], events: [] };
  let handler: LambdaFunction | null = null;
  const server: Server = createServer({ cert, key }, async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { pathname, search } = new URL(request.url ?? '/', 'https://x');
    const way = pathname.replace(/^\/clusters\/[^/]+/, '').split('/')[1] as WayIn;
    bodies[way]?.push(Buffer.concat(chunks).toString('utf8'));
    if (handler === null || !open.has(way)) {
      response.writeHead(503).end();
      return;
    }
    const event = {
      version: '2.0',
      rawPath: pathname,
      rawQueryString: search.slice(1),
      headers: request.headers,
      requestContext: { http: { method: request.method, path: pathname } },
      body: Buffer.concat(chunks).toString('base64'),
      isBase64Encoded: true,
    };
    const answer = (await handler.invoke(event).catch(() => ({ statusCode: 502, body: '' }))) as Answer;
    response.writeHead(answer.statusCode, answer.headers).end(answer.body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `https://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    ca: cert,
    open,
    bodies,
    attach: (given) => {
      handler = given;
    },
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
