// The thread that dynalite.ts starts: serves until it is told to close, says the port first, and in the end that the folder
// is released. A file of its own, so that a thread loads no more than it needs.
import type { IncomingMessage, Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { parentPort, workerData } from 'node:worker_threads';
import dynalite from 'dynalite';

/** Keeps dynalite from listening for a request's `error`, which it throws out of the event loop. */
function dropBroken(request: IncomingMessage): void {
  const on = request.on.bind(request);
  request.on('error', () => request.destroy());
  request.on = (event: string, listener: (...args: never[]) => void) =>
    event === 'error' ? request : on(event, listener as (...args: unknown[]) => void);
}

function listen(server: Server): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port));
  });
}

const { path } = workerData as { readonly path: string | null };
const server = dynalite({ ...(path === null ? {} : { path }), createTableMs: 0, deleteTableMs: 0 });
server.prependListener('request', dropBroken);
parentPort?.postMessage(await listen(server));
parentPort?.once('message', () => server.close((error) => parentPort?.postMessage(error?.message ?? 'closed')));
