import { expect, test } from 'vitest';
import { ACCEPTED, ALL, gateway, TO_GW } from '../../../test/support/route-manifests.ts';
import { node, service, slice } from '../../../test/support/service-manifests.ts';
import { type Manifest, resultOf } from '../../../test/support/source-lines.ts';
import type { Source } from '../../objects/source.ts';
import { ROUTES } from './gateway-route.ts';
import { INGRESS } from './ingress.ts';
import { SERVICE } from './service.ts';

/** The names that an object waits for, with the reasons, and those of which what was published stays. */
function waitingOf(source: Source, object: Manifest, around: Parameters<typeof resultOf>[2] = {}) {
  const result = resultOf(source, object, around);
  if (!result.ok) throw new Error('cannot be read');
  return { waiting: (result.waiting ?? []).map(({ fqdn, why }) => `${fqdn} ${why}`), stays: result.waits };
}

const NO_ADDRESS = 'its load balancer has no address yet (status.loadBalancer.ingress)';

test('a load balancer without an address: what was published stays', () => {
  const expected = { waiting: [`web.example.org. ${NO_ADDRESS}`], stays: ['web.example.org.'] };
  expect(waitingOf(SERVICE, service({ type: 'LoadBalancer' }))).toEqual(expected);
  const balanced = { loadBalancer: { ingress: [{}] } };
  expect(waitingOf(SERVICE, service({ type: 'LoadBalancer' }, undefined, balanced))).toEqual(expected);
  expect(waitingOf(INGRESS, { spec: { rules: [{ host: 'web.example.org' }] } })).toEqual(expected);
});

test.each<[string, Manifest, RegExp]>([
  [
    'a ClusterIP Service whose hostname does not count',
    service({ clusterIP: '10.0.0.1' }),
    /services\.publishInternal/,
  ],
  [
    'an internal name without a cluster IP',
    service({ type: 'LoadBalancer' }, { 'internal-hostname': 'web.example.org' }),
    /no cluster IP/,
  ],
  ['a headless Service without endpoints', service({ clusterIP: 'None' }), /none of its endpoints is ready/],
  [
    'an internal name of a headless Service without endpoints',
    service({ clusterIP: 'None' }, { 'internal-hostname': 'web.example.org' }),
    /none of its endpoints is ready/,
  ],
  ['a NodePort Service without Nodes', service({ type: 'NodePort' }), /no Node that counts/],
  ['an ExternalName Service without the name', service({ type: 'ExternalName' }), /no spec\.externalName/],
])('%s: nothing stays', (_, object, why) => {
  const { waiting, stays } = waitingOf(SERVICE, object);
  expect(waiting).toEqual([expect.stringMatching(new RegExp(`^web\\.example\\.org\\. .*${why.source}`))]);
  expect(stays).toEqual([]);
});

test('an object that has what it asks for does not wait', () => {
  const of = (object: Manifest, related: readonly Manifest[] = []) => waitingOf(SERVICE, object, { related }).waiting;
  expect(of(service({ clusterIP: '10.0.0.1' }, {}))).toEqual([]);
  expect(of(service({ clusterIP: '10.0.0.1' }, { hostname: 'web.example.org', target: '192.0.2.1' }))).toEqual([]);
  expect(of(service({ clusterIP: 'None' }), [slice('a', [{ addresses: ['10.0.0.1'] }])])).toEqual([]);
  expect(of(service({ type: 'NodePort' }), [node('n', { InternalIP: ['10.0.0.1'] })])).toEqual([]);
  expect(of(service({ type: 'LoadBalancer' }, { hostname: 'web.example.org', controller: 'other' }))).toEqual([]);
});

const route = (spec: object = {}, accepts: readonly unknown[] = [TO_GW]) => ({
  metadata: { namespace: 'shop', name: 'web' },
  spec: { hostnames: ['web.example.org'], parentRefs: [TO_GW], ...spec },
  status: { parents: accepts.map((parentRef) => ({ parentRef, controllerName: 'a/b', conditions: ACCEPTED })) },
});
const SET = { kind: 'ListenerSet', namespace: 'shop', name: 'set' };
const set = (parentRef: object) => ({
  ...{ kind: 'ListenerSet', metadata: { namespace: 'shop', name: 'set' } },
  spec: { parentRef, listeners: [ALL] },
});

test.each<[string, Manifest, readonly Manifest[], RegExp]>([
  ['without a parent', route({ parentRefs: [] }), [gateway([{}])], /^spec\.parentRefs names no Gateway/],
  ['that nobody accepted', route({}, []), [gateway([{}])], /does not say that Gateway infra\/gw has accepted it/],
  ['of a Gateway that is not there', route(), [], /there is no Gateway infra\/gw/],
  [
    'of another section',
    route({ parentRefs: [{ ...TO_GW, sectionName: 'x' }] }),
    [gateway([{}])],
    /no listener with the/,
  ],
  ['of a kind that no listener takes', route(), [gateway([{ protocol: 'UDP' }])], /no listener that takes a HTTPRoute/],
  [
    'of a namespace that no listener takes',
    route(),
    [gateway([{ allowedRoutes: {} }])],
    /takes no routes of namespace shop/,
  ],
  [
    'of another hostname',
    route(),
    [gateway([{ hostname: 'other.example.org' }])],
    /^no listener that it is attached to/,
  ],
  ['of a ListenerSet that is not there', route({ parentRefs: [SET] }, [SET]), [], /there is no ListenerSet shop\/set/],
  [
    'of a ListenerSet that the Gateway does not allow',
    route({ parentRefs: [SET] }, [SET]),
    [set(TO_GW), gateway([{}], { spec: { allowedListeners: {} } })],
    /Gateway infra\/gw does not allow ListenerSet shop\/set/,
  ],
])('a route %s: nothing stays', (_, object, related, why) => {
  const { waiting, stays } = waitingOf(ROUTES[0] as Source, object, { related });
  expect(waiting).toHaveLength(1);
  expect(waiting[0]?.replace('web.example.org. ', '')).toMatch(why);
  expect(stays).toEqual([]);
});

test('a Gateway without an address: what was published stays', () => {
  const related = [gateway([{}], { status: {} })];
  expect(waitingOf(ROUTES[0] as Source, route(), { related })).toEqual({
    waiting: ['web.example.org. Gateway infra/gw: there is no address yet (status.addresses)'],
    stays: ['web.example.org.'],
  });
  expect(waitingOf(ROUTES[0] as Source, route(), { related: [gateway([{}])] }).waiting).toEqual([]);
});
