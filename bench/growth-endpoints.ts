// An API server with nothing but DNSEndpoints that never change, for external-dns's first sync of more objects than
// etcd could be filled with in that time. They are made when they are read. Each has a status that says that it was
// observed, so that external-dns does not make 100,000 status writes one after another.
import { writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import type { Wanted } from './peers/objects.ts';

const GROUP = 'externaldns.k8s.io';
const VERSION = `${GROUP}/v1alpha1`;
const RESOURCE_VERSION = '1';

export type EndpointServer = { readonly kubeconfig: string; close(): Promise<void> };

/** Starts the server on a free port of 127.0.0.1, and writes a kubeconfig into `folder`. */
export async function serveEndpoints(wanted: readonly Wanted[], folder: string): Promise<EndpointServer> {
  const server = createServer((request, response) => answer(wanted, request, response));
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const kubeconfig = path.join(folder, 'kubeconfig');
  const named = { name: 'bench' };
  writeFileSync(
    kubeconfig,
    JSON.stringify({
      apiVersion: 'v1',
      kind: 'Config',
      'current-context': 'bench',
      clusters: [{ ...named, cluster: { server: url } }],
      users: [{ ...named, user: {} }],
      contexts: [{ ...named, context: { cluster: 'bench', user: 'bench' } }],
    }),
  );
  return {
    kubeconfig,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

type Answer = { readonly status: number; readonly body: object };

function answer(wanted: readonly Wanted[], { url = '/' }: IncomingMessage, response: ServerResponse): void {
  const { pathname, searchParams } = new URL(url, 'http://localhost');
  if (searchParams.get('watch') !== null && searchParams.get('sendInitialEvents') === null) {
    // A watch that never has an event.
    response.writeHead(200, { 'content-type': 'application/json' });
    response.flushHeaders();
    return;
  }
  const found = DISCOVERY[pathname];
  if (pathname === `/apis/${VERSION}/dnsendpoints`) send(response, objects(wanted, searchParams));
  else send(response, found === undefined ? failure('NotFound', 404) : { status: 200, body: found });
}

function objects(wanted: readonly Wanted[], asked: URLSearchParams): Answer {
  // A client whose streaming list is refused sends a plain list.
  if (asked.get('sendInitialEvents') !== null) return failure('Invalid', 422);
  const metadata = { resourceVersion: RESOURCE_VERSION };
  return { status: 200, body: { apiVersion: VERSION, kind: 'DNSEndpointList', metadata, items: wanted.map(endpoint) } };
}

function failure(reason: string, status: number): Answer {
  return {
    status,
    body: { kind: 'Status', apiVersion: 'v1', status: 'Failure', reason, message: reason, code: status },
  };
}

function endpoint({ label, zone, address }: Wanted): object {
  const dnsName = `${label}.${zone.slice(0, -1)}`;
  return {
    apiVersion: VERSION,
    kind: 'DNSEndpoint',
    metadata: {
      name: dnsName,
      namespace: 'default',
      uid: `uid-${label}`,
      resourceVersion: RESOURCE_VERSION,
      generation: 1,
      creationTimestamp: '2026-01-01T00:00:00Z',
    },
    spec: { endpoints: [{ dnsName, recordType: 'A', recordTTL: 60, targets: [address] }] },
    status: { observedGeneration: 1 },
  };
}

const GROUP_VERSION = { groupVersion: VERSION, version: 'v1alpha1' };
const GROUP_ITSELF = { name: GROUP, versions: [GROUP_VERSION], preferredVersion: GROUP_VERSION };

/** The discovery documents that a client reads before it reads objects. */
const DISCOVERY: Readonly<Record<string, object>> = {
  '/version': { major: '1', minor: '36', gitVersion: 'v1.36.0' },
  '/api': { kind: 'APIVersions', versions: ['v1'] },
  '/apis': { kind: 'APIGroupList', apiVersion: 'v1', groups: [GROUP_ITSELF] },
  [`/apis/${GROUP}`]: { kind: 'APIGroup', apiVersion: 'v1', ...GROUP_ITSELF },
  [`/apis/${VERSION}`]: {
    kind: 'APIResourceList',
    apiVersion: 'v1',
    groupVersion: VERSION,
    resources: [
      {
        name: 'dnsendpoints',
        singularName: 'dnsendpoint',
        namespaced: true,
        kind: 'DNSEndpoint',
        verbs: ['get', 'list', 'watch'],
      },
    ],
  },
};

function send(response: ServerResponse, { status, body }: Answer): void {
  const text = JSON.stringify(body);
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) });
  response.end(text);
}
