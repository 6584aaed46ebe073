// Lambda's Runtime API for one execution environment: what a runtime client asks for its next invocation and tells how
// it ended. As much of it as a client needs. Source: Lambda developer guide, "Using the Lambda runtime API". Last
// verified 2026-11-21.
//
//   GET  /2018-06-01/runtime/invocation/next           waits; the event, its id and deadline in headers
//   POST /2018-06-01/runtime/invocation/ID/response    the result
//   POST /2018-06-01/runtime/invocation/ID/error       the error
//   POST /2018-06-01/runtime/init/error                the bundle could not be imported
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export type RuntimeApi = {
  /** The address in the form of AWS_LAMBDA_RUNTIME_API: `127.0.0.1:PORT`. */
  readonly address: string;
  /** Runs one invocation; only one may run at a time. Resolves with the function's result, rejects with its error. */
  invoke(event: unknown, timeoutMs: number): Promise<unknown>;
  /** Ends the running invocation with this error. */
  fail(error: Error): void;
  close(): void;
};

type Invocation = {
  readonly id: string;
  readonly event: unknown;
  readonly deadlineMs: number;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: Error) => void;
};

const PREFIX = '/2018-06-01/runtime';
const ARN = 'arn:aws:lambda:eu-west-1:111122223333:function:zone53';

/** Serves the API on a free port of 127.0.0.1. */
export async function startRuntimeApi(): Promise<RuntimeApi> {
  let waiting: ServerResponse | null = null;
  let queued: Invocation | null = null;
  let running: Invocation | null = null;
  let invocations = 0;

  const handOver = () => {
    if (waiting === null || queued === null) return;
    const headers = {
      'content-type': 'application/json',
      'lambda-runtime-aws-request-id': queued.id,
      'lambda-runtime-deadline-ms': String(queued.deadlineMs),
      'lambda-runtime-invoked-function-arn': ARN,
      'lambda-runtime-trace-id': `Root=1-5759e988-bd862e3fe1be46a994272793;Parent=53995c3f42cd8ad8;Sampled=0`,
    };
    waiting.writeHead(200, headers).end(JSON.stringify(queued.event ?? null));
    running = queued;
    waiting = null;
    queued = null;
  };
  const settle = (settled: (invocation: Invocation) => void) => {
    const invocation = running ?? queued;
    running = null;
    queued = null;
    if (invocation !== null) settled(invocation);
  };

  const server = createServer(async (request, response) => {
    const url = request.url ?? '';
    if (request.method === 'GET' && url === `${PREFIX}/invocation/next`) {
      waiting = response;
      handOver();
      return;
    }
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString('utf8');
    response.writeHead(202, { 'content-type': 'application/json' }).end('{"status":"OK"}');
    if (url.endsWith('/response')) settle(({ resolve }) => resolve(text === '' ? null : JSON.parse(text)));
    else settle(({ reject }) => reject(new Error(`the function failed: ${text}`)));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    address: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    invoke: (event, timeoutMs) =>
      new Promise((resolve, reject) => {
        invocations += 1;
        const id = `00000000-0000-4000-8000-${String(invocations).padStart(12, '0')}`;
        queued = { id, event, deadlineMs: Date.now() + timeoutMs, resolve, reject };
        handOver();
      }),
    fail: (error) => settle(({ reject }) => reject(error)),
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
