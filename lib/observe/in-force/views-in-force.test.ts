import { expect, test } from 'vitest';
import { DEFAULT_SETTINGS } from '../../objects/source-settings.ts';
import type { ClusterObject } from '../../ports/cluster.ts';
import { sourcesOn } from '../../sources/source.ts';
import { inForce } from './last-valid-spec.ts';

const views = { known: ['public', 'internal'], ofInternalLoadBalancers: 'internal' };
const SOURCES = sourcesOn({ ingresses: DEFAULT_SETTINGS, views });

function ingress(annotations: Readonly<Record<string, string>>): ClusterObject {
  return {
    ...{ ref: { kind: 'Ingress', namespace: 'a', name: 'i' }, uid: 'u', version: '1', generation: 1, order: '' },
    ...{ creationTimestamp: null, labels: {}, origin: null, annotations },
    spec: { rules: [{ host: 'w.e' }] },
    status: { loadBalancer: { ingress: [{ ip: '10.0.0.1' }] } },
  };
}

const INTERNAL = { 'alb.ingress.kubernetes.io/scheme': 'internal' };
test.each([
  [{}, ['w.e.']],
  [INTERNAL, ['w.e.@internal.']],
  [{ ...INTERNAL, 'zone53.dev/views': 'public' }, ['w.e.']],
  [{ 'zone53.dev/views': 'public, internal' }, ['w.e.', 'w.e.@internal.']],
  [{ 'zone53.dev/views': '*' }, ['w.e.', 'w.e.@internal.']],
])('an Ingress with %j asks for %j', (annotations, names) => {
  const { endpoints, problems } = inForce(SOURCES, ingress(annotations));
  expect(problems).toEqual([]);
  expect(endpoints?.map(({ domainName }) => (domainName.kind === 'full' ? domainName.fqdn : ''))).toEqual(names);
});

test('a wrong annotation keeps what was in force, and publishes nothing of a new object', () => {
  const wrong = ingress({ 'zone53.dev/views': 'Internal' });
  const before = inForce(SOURCES, ingress(INTERNAL));
  expect(inForce(SOURCES, wrong).endpoints).toBe(null);
  const now = inForce(SOURCES, wrong, undefined, before);
  expect(now.endpoints).toEqual(before.endpoints);
  expect(now.problems).toEqual([expect.stringContaining('got "Internal"')]);
});
