// A function URL: HTTPS in front of a function, in the payload format 2.0. An error of the function is a 502, as Lambda does.
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { LambdaFunction } from './lambda-process.ts';

type Answer = {
  readonly statusCode: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string;
};

/** Serves on a free port of 127.0.0.1. */
export async function functionUrl(
  certificate: { readonly cert: string; readonly key: string },
  handler: LambdaFunction,
): Promise<{ readonly url: string; close(): void }> {
  const server: Server = createServer(certificate, async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { pathname, search } = new URL(request.url ?? '/', 'https://x');
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
  return { url: `https://127.0.0.1:${(server.address() as AddressInfo).port}`, close: () => server.close() };
}
