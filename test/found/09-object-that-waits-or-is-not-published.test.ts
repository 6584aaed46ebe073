// From outside: objects without an address yet, and a hostname that does not count (kubernetes-sigs/external-dns#1656,
// #456, #460, #377, #403, #1571).
import path from 'node:path';
import { expect, test } from 'vitest';
import { runHere } from '../support/run-here.ts';

const FOLDER = path.join(import.meta.dirname, '09-object-that-waits-or-is-not-published');

test('render counts the objects that wait, and says for what', async () => {
  const argv = ['render', '-f', FOLDER, '--source', 'ingresses', '--source', 'services', '--strict'];
  const { out, code } = await runHere(...argv);
  expect(code).toBe(0);
  expect(out).toContain('4 objects wait');
  const { waiting, sources } = JSON.parse((await runHere(...argv, '-o', 'json')).out);
  const noAddress = 'its load balancer has no address yet (status.loadBalancer.ingress)';
  expect(waiting).toEqual([
    { kind: 'Ingress', namespace: 'shop', name: 'empty', fqdn: 'empty.ex.test.', why: noAddress },
    { kind: 'Ingress', namespace: 'shop', name: 'web', fqdn: 'web.ex.test.', why: noAddress },
    {
      kind: 'Service',
      namespace: 'shop',
      name: 'cip',
      fqdn: 'cip.ex.test.',
      why: expect.stringContaining('publishInternal'),
    },
    { kind: 'Service', namespace: 'shop', name: 'pend', fqdn: 'pend.ex.test.', why: noAddress },
  ]);
  expect(sources).toEqual([]);
});
