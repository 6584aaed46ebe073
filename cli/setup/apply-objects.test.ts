// What is sent to the API server, and what its refusals become.
import { writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { testFolder } from '../../test/support/test-folder.ts';
import { applyObjects } from './apply-objects.ts';

let server: Server;
let folder: string;
let asked: string[];
let status: number;

beforeEach(async () => {
  asked = [];
  status = 200;
  server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`);
    request.resume();
    request.on('end', () => {
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(
        JSON.stringify({ kind: 'Status', message: 'conflict with "kubectl-client-side-apply"', code: status }),
      );
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  folder = testFolder();
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const kubeconfig = {
    ...{ apiVersion: 'v1', kind: 'Config' },
    clusters: [{ name: 'c', cluster: { server: url, 'insecure-skip-tls-verify': true } }],
    users: [{ name: 'u', user: { token: 't' } }],
    contexts: [{ name: 'prod', context: { cluster: 'c', user: 'u' } }],
  };
  writeFileSync(path.join(folder, 'kubeconfig'), JSON.stringify(kubeconfig));
  vi.stubEnv('KUBECONFIG', path.join(folder, 'kubeconfig'));
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

const rbac = (kind: string, namespace?: string) => ({
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind,
  metadata: { name: 'zone53', ...(namespace === undefined ? {} : { namespace }) },
});

test('a Role and its binding are applied in their namespace, a ClusterRole in none', async () => {
  await applyObjects('prod', [rbac('ClusterRole'), rbac('Role', 'shoot--a'), rbac('RoleBinding', 'shoot--a')], false);
  const at = 'PATCH /apis/rbac.authorization.k8s.io/v1';
  expect(asked).toEqual([
    `${at}/clusterroles/zone53?fieldManager=zone53-cli`,
    `${at}/namespaces/shoot--a/roles/zone53?fieldManager=zone53-cli`,
    `${at}/namespaces/shoot--a/rolebindings/zone53?fieldManager=zone53-cli`,
  ]);
});

test('a conflict with other managers says how to take over', async () => {
  status = 409;
  await expect(applyObjects('prod', [rbac('ClusterRole')], false)).rejects.toThrow(
    /Cannot apply ClusterRole zone53 .*conflict with "kubectl-client-side-apply"[\s\S]*pass --force-conflicts/,
  );
});
