// From outside: the API server of a Gardener seed, which has DNSRecords and no Zones. No command may ask for CRDs that
// docs/gardener.md says are not needed.
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { expect, test, vi } from 'vitest';
import { runHere } from '../support/run-here.ts';
import { testFolder } from '../support/test-folder.ts';

const FOLDER = path.join(import.meta.dirname, '20-seed-without-the-crds-of-zone53');
const SERVED: Readonly<Record<string, string>> = {
  dnsrecords: 'DNSRecord',
  namespaces: 'Namespace',
  clusters: 'Cluster',
  secrets: 'Secret',
};

type Served = { readonly kind: string; readonly metadata: { readonly name: string; readonly namespace?: string } };

/** An API server with these objects, which answers reads alone. Closed after `work`. */
async function serving<Result>(objects: readonly Served[], work: (url: string) => Promise<Result>): Promise<Result> {
  const server = createServer((request, response) => {
    const [, api, ...rest] = new URL(request.url ?? '', 'http://seed').pathname.split('/');
    const below = rest.slice(api === 'api' ? 1 : 2);
    const parts = below[0] === 'namespaces' && below.length > 2 ? below.slice(2) : below;
    const [resource = '', name] = parts;
    const kind = SERVED[resource];
    const all = objects.filter((one) => one.kind === kind && (name === undefined || one.metadata.name === name));
    const resources = Object.entries(SERVED).map(([one, of]) => ({ name: one, kind: of, namespaced: true }));
    const versions = [{ groupVersion: `${rest[0]}/v1alpha1`, version: 'v1alpha1' }];
    const group = rest[0] === 'kubi.zone' ? undefined : { kind: 'APIGroup', versions, preferredVersion: versions[0] };
    const found =
      below.length === 0
        ? api === 'apis' && rest.length === 1
          ? group
          : { kind: 'APIResourceList', resources }
        : name === undefined
          ? kind && { kind: `${kind}List`, metadata: { resourceVersion: '1' }, items: all }
          : all[0];
    response.writeHead(found === undefined ? 404 : 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(found ?? { kind: 'Status', code: 404, reason: 'NotFound' }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    return await work(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

test('plan names each DNSRecord, and asks for no CRD of zone53', async () => {
  const objects = JSON.parse(readFileSync(path.join(FOLDER, 'objs.json'), 'utf8')) as readonly Served[];
  const folder = testFolder();
  const { out, err } = await serving(objects, (server) => {
    const config = {
      apiVersion: 'v1',
      kind: 'Config',
      clusters: [{ name: 's', cluster: { server, 'insecure-skip-tls-verify': true } }],
      users: [{ name: 'u', user: { token: 't' } }],
      contexts: [{ name: 'seed', context: { cluster: 's', user: 'u' } }],
    };
    writeFileSync(path.join(folder, 'kubeconfig'), JSON.stringify(config));
    vi.stubEnv('KUBECONFIG', path.join(folder, 'kubeconfig'));
    // Nobody serves Route 53 here: what is valid says so, and what is invalid is told without it.
    vi.stubEnv('AWS_ENDPOINT_URL_ROUTE_53', server);
    const files = ['--config', path.join(FOLDER, 'zone53.yaml'), '--state', path.join(folder, 'state')];
    return runHere('plan', '--context', 'seed', ...files);
  });
  expect(err).not.toMatch(/not served|CRD/);
  expect(out).toMatch(/DNSRecords\n/);
  expect(out).toContain('10 DNSRecords to serve');
  expect(out).toMatch(/\/empty: Create, Error\n! ERR_CONFIGURATION_PROBLEM/);
  expect(out).toMatch(/\/upper: Create, Error\n! ERR_CONFIGURATION_PROBLEM/);
});
