// From outside: lists in annotations whose items are separated by white space (kubernetes-sigs/external-dns#4390).
import path from 'node:path';
import { expect, test } from 'vitest';
import { runHere } from '../support/run-here.ts';

const FOLDER = path.join(import.meta.dirname, '06-lists-with-white-space-are-joined');

test('each item is a name or a target of its own', async () => {
  const { out } = await runHere('render', '-f', FOLDER, '--source', 'ingresses', '--source', 'services', '-o', 'json');
  const [zone] = JSON.parse(out).zones;
  expect(
    zone.entries.slice(1).map(({ fqdn, type, rdata }: Record<string, string>) => `${fqdn} ${type} ${rdata}`),
  ).toEqual([
    'l1.ex.test. A 192.0.2.1',
    'l2.ex.test. A 192.0.2.1',
    's1.ex.test. A 192.0.2.1',
    's2.ex.test. A 192.0.2.1',
    'ts.ex.test. A 192.0.2.1',
    'ts.ex.test. A 192.0.2.2',
    'ts2.ex.test. CNAME lb1.example.net.',
    'w.ex.test. A 192.0.2.1',
  ]);
  // `w` is a name, if not the one that was meant: no Zone covers it.
  const inner = JSON.parse(out).sources.find(({ name }: { name: string }) => name === 'inner');
  expect(inner.endpoints.map(({ fqdn }: { fqdn: string }) => fqdn)).toEqual(['w.ex.test.', 'w.']);
});
