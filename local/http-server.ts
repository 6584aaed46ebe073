// What the webhook and the intent API on this machine share: how an HTTP server begins, reads a body and ends.
import type { IncomingMessage, Server } from 'node:http';
import type { Server as HttpsServer } from 'node:https';
import type { AddressInfo } from 'node:net';

/** Resolves to the port; 0 takes any free one. Throws when the port is taken. `what`: what is served there. */
export function listen(server: Server | HttpsServer, what: string, port: number, address: string): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', (cause) =>
      reject(new Error(`Cannot serve ${what} on port ${port}: ${cause.message}`, { cause })),
    );
    server.listen(port, address, () => resolve((server.address() as AddressInfo).port));
  });
}

/** Ends the server and its connections. */
export async function close(server: Server | HttpsServer): Promise<void> {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
}

/**
 * The body, or only the number of its octets if it has more than `octetsMax`. It is read to its end, because a client
 * that is still sending does not read an answer.
 */
export async function readBody(request: IncomingMessage, octetsMax: number): Promise<Buffer | number> {
  const chunks: Buffer[] = [];
  let octets = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    octets += chunk.length;
    if (octets <= octetsMax) chunks.push(chunk);
  }
  return octets <= octetsMax ? Buffer.concat(chunks) : octets;
}
