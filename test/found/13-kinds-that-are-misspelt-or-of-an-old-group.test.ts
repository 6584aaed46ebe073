// From outside: kinds that are misspelt, and API groups that are gone (kubernetes-sigs/external-dns#377, #1275).
import path from 'node:path';
import { expect, test } from 'vitest';
import { runHere } from '../support/run-here.ts';

const FOLDER = path.join(import.meta.dirname, '13-kinds-that-are-misspelt-or-of-an-old-group');
const ON = ['services', 'ingresses', 'dnsEndpoints', 'gatewayRoutes'].flatMap((key) => ['--source', key]);

test('each object that is not read is named, with what may have been meant', async () => {
  const { err, code } = await runHere('render', '-f', FOLDER, ...ON);
  // The Record of an unknown version is an error.
  expect(code).toBe(1);
  const said = [...err.matchAll(/^warning: .*objects\.yaml:(\d+): .*: did you mean "(.*)"\?$/gm)].map(
    ([, line, meant]) => `${line} ${meant}`,
  );
  expect(said).toEqual([
    '1 kind: Service',
    '5 kind: Service',
    '9 kind: Ingress',
    '13 kind: DNSEndpoint',
    '17 kind: DNSEndpoint',
    '21 kind: HTTPRoute',
    '25 kind: Record',
    '35 apiVersion: networking.k8s.io/v1',
    '40 apiVersion: networking.k8s.io/v1',
    '44 apiVersion: networking.k8s.io/v1',
    '49 apiVersion: networking.k8s.io/v1',
  ]);
  expect(err).toContain('objects.yaml:30: Record of apiVersion "kubi.zone/v1"');
});
