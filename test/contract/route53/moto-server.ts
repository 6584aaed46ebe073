// Starts moto_server for the contract: the one that the engines' installer put under test/engines/, or whatever
// MOTO_SERVER names. Where there is none the suite says so, and under CI it fails.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createServer } from 'node:net';
import { fileURLToPath } from 'node:url';
import type { ContractEndpoint } from './route53-contract.ts';

const START_TIMEOUT_MS = 60_000;

/** Path of moto_server, or null where it is not installed. */
export function findMotoServer(): string | null {
  const installed = fileURLToPath(new URL('../../engines/bin/moto/bin/moto_server', import.meta.url));
  const path = process.env.MOTO_SERVER ?? installed;
  return existsSync(path) ? path : null;
}

/** Starts it on a free port of 127.0.0.1 and waits until it answers. */
export async function startMoto(path: string): Promise<ContractEndpoint> {
  const port = await freePort();
  const child = spawn(path, ['-H', '127.0.0.1', '-p', String(port)], { stdio: 'ignore' });
  const url = `http://127.0.0.1:${port}`;
  await untilAnswering(url, child);
  return {
    url,
    close: async () => {
      if (child.exitCode !== null) return;
      const ended = once(child, 'exit');
      child.kill();
      await ended;
    },
  };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  if (address === null || typeof address === 'string') throw new Error('Cannot find a free port');
  return address.port;
}

async function untilAnswering(url: string, child: ChildProcess): Promise<void> {
  let failure: Error | null = null;
  child.once('error', (error) => {
    failure = error;
  });
  const endMs = Date.now() + START_TIMEOUT_MS;
  while (Date.now() < endMs) {
    if (failure !== null || child.exitCode !== null) break;
    const answered = await fetch(`${url}/moto-api/`).then(
      (response) => response.ok,
      () => false,
    );
    if (answered) return;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  child.kill();
  throw new Error(`Cannot start moto_server at ${url}`, { cause: failure });
}
