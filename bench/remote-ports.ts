// Ports that another process serves over HTTP. What they hold is then no memory of the process that is measured.
import { Agent, createServer, type IncomingMessage, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Cluster } from '../lib/ports/cluster.ts';
import type { HostedZones } from '../lib/ports/hosted-zones.ts';
import type { Ledger } from '../lib/ports/ledger.ts';

export type RemotePorts = {
  readonly ledger: Ledger;
  readonly hostedZones: HostedZones;
  readonly cluster?: Pick<Cluster, 'get' | 'listPage'>;
};

/** Serves these ports on a free port of the loopback address. */
export async function servePorts(ports: RemotePorts): Promise<{ readonly url: string; close(): void }> {
  const server: Server = createServer(async (request, response) => {
    const { port, method, args } = JSON.parse(Buffer.concat(await request.toArray()).toString('utf8')) as Call;
    const call = Reflect.get(ports[port] ?? {}, method) as (...given: unknown[]) => Promise<unknown>;
    response.setHeader('content-type', 'application/json');
    const answer = await call(...args).then(
      (found) => ({ answer: found ?? null }),
      (error: unknown) => ({ error: String(error) }),
    );
    response.end(JSON.stringify(answer));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const close = () => {
    server.close();
    server.closeAllConnections();
  };
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close };
}

type Call = { readonly port: keyof RemotePorts; readonly method: string; readonly args: readonly unknown[] };

const METHODS = {
  ledger: ['get', 'query', 'put', 'remove'],
  hostedZones: ['list', 'get', 'create', 'change', 'readName', 'readPage'],
  cluster: ['get', 'listPage'],
} as const satisfies { readonly [Port in keyof RemotePorts]: readonly (keyof NonNullable<RemotePorts[Port]>)[] };

const agent = new Agent({ keepAlive: true, maxSockets: 16 });

/** Uses node:http, as the SDK does: `fetch` keeps streams for each answer, in the memory of the measured process. */
async function post(url: string, body: string): Promise<string> {
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    request(url, { method: 'POST', agent }, resolve).on('error', reject).end(body);
  });
  return Buffer.concat(await response.toArray()).toString('utf8');
}

/** One of the ports that another process serves. */
export function remotePort<Port extends keyof RemotePorts>(url: string, port: Port): NonNullable<RemotePorts[Port]> {
  const call = async (method: string, args: readonly unknown[]): Promise<unknown> => {
    const body = await post(url, JSON.stringify({ port, method, args } satisfies Call));
    const { answer, error } = JSON.parse(body) as { readonly answer?: unknown; readonly error?: string };
    if (error !== undefined) throw new Error(`${port}.${method}: ${error}`);
    return answer;
  };
  const methods = METHODS[port].map((method) => [method, (...args: unknown[]) => call(method, args)] as const);
  return Object.fromEntries(methods) as unknown as NonNullable<RemotePorts[Port]>;
}
