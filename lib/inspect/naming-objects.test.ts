// Names that objects of any kind have in the fields where kinds have names.
import { expect, test } from 'vitest';
import { parseRef } from '../objects/object-ref.ts';
import type { ClusterObject } from '../ports/cluster.ts';
import { namingObjects } from './naming-objects.ts';

function object(spec: unknown, annotations = {}): ClusterObject {
  const age = { uid: null, creationTimestamp: null, order: '', version: '1', generation: null };
  return { ref: parseRef('Custom apps a/x'), ...age, annotations, labels: {}, origin: null, spec };
}

test.each<[string, unknown, Record<string, string>?]>([
  ['a list of hosts', { hosts: ['other.e', 'w.e'] }],
  ['a host deep in a list', { servers: [{ routes: [{ fqdn: 'W.e.' }] }] }],
  ['the hosts of TLS', { tls: [{ hosts: ['w.e'] }] }],
  ['an annotation of external-dns', null, { 'external-dns.kubernetes.io/hostname': 'v.e, w.e' }],
  ["an annotation of Gardener's shoots", null, { 'dns.gardener.cloud/dnsnames': 'w.e' }],
])('namingObjects() finds a name in %s', (_, spec, annotations) => {
  expect(namingObjects([object(spec, annotations)], 'w.e.')).toEqual(['Custom apps a/x']);
});

test.each<[string, unknown, Record<string, string>?]>([
  ['a target', { backend: 'w.e', service: { name: 'w.e' } }],
  ['another annotation', null, { 'example.com/owner': 'w.e' }],
])('namingObjects() does not take %s for a name', (_, spec, annotations) => {
  expect(namingObjects([object(spec, annotations)], 'w.e.')).toEqual([]);
});
