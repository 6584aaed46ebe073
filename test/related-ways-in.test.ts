// Every way in for related kinds, which sources read beside their own kinds (test/every-way-in.test.ts has those): an
// audit event, the admission webhook, a CloudEvent, and the sweep, which finds what no hint reported.
import { describe, expect, test } from 'vitest';
import { parseAdmissionReview } from '../events/admission-review.ts';
import { parseAuditEvents } from '../events/audit-event-list.ts';
import { parseCloudEvent } from '../events/cloud-event.ts';
import { DEFAULT_SETTINGS, NAMED_SOURCE_KEYS } from '../lib/objects/source-settings.ts';
import { kindsRead, sourcesOn } from '../lib/sources/source.ts';
import {
  deliverAll,
  type ReconcileWorld,
  reconcileWorld,
  standingInRoute53,
  sweepAll,
} from './fakes/reconcile-world.ts';
import { admissionReviewOf, auditEventOf } from './support/written-event.ts';

const GATEWAY_API = 'gateway.networking.k8s.io';
const HOSTNAME = 'external-dns.kubernetes.io/hostname';
const TARGET = 'external-dns.kubernetes.io/target';
const SETTINGS = Object.fromEntries(NAMED_SOURCE_KEYS.map((key) => [key, DEFAULT_SETTINGS]));
const ON = sourcesOn(SETTINGS);
const READ = kindsRead(ON);
const NOT_ON = kindsRead(sourcesOn({}));

type Row = {
  readonly kind: string;
  readonly group: string;
  readonly resource: string;
  /** The namespace of the object; '' for a kind without namespaces. */
  readonly namespace: string;
  readonly readsStatus: boolean;
};

// This table is written by hand and not derived from the code, because it checks that the code knows every kind.
const ROWS: readonly Row[] = [
  {
    kind: 'EndpointSlice',
    group: 'discovery.k8s.io',
    resource: 'endpointslices',
    namespace: 'team',
    readsStatus: false,
  },
  { kind: 'Node', group: '', resource: 'nodes', namespace: '', readsStatus: true },
  { kind: 'Pod', group: '', resource: 'pods', namespace: 'team', readsStatus: false },
  { kind: 'Gateway', group: GATEWAY_API, resource: 'gateways', namespace: 'team', readsStatus: true },
  { kind: 'ListenerSet', group: GATEWAY_API, resource: 'listenersets', namespace: 'team', readsStatus: false },
  {
    kind: 'XListenerSet',
    group: 'gateway.networking.x-k8s.io',
    resource: 'xlistenersets',
    namespace: 'team',
    readsStatus: false,
  },
  { kind: 'Namespace', group: '', resource: 'namespaces', namespace: '', readsStatus: false },
];

test('the table has a row for every related kind', () => {
  const own = new Set(['Zone', ...ON.map(({ kind }) => kind)]);
  const beside = READ.map(({ kind }) => kind).filter((kind) => !own.has(kind));
  expect(beside.toSorted()).toEqual(ROWS.map(({ kind }) => kind).toSorted());
});

describe.each(ROWS)('$kind', ({ kind, group, resource, namespace, readsStatus }) => {
  const hint = { kind, namespace, name: 'x' };
  const place = namespace === '' ? {} : { namespace };

  test('gives a hint for an audit event, also of its status where that is read', () => {
    const write = (subresource: string) => auditEventOf('update', { group, resource, ...place, subresource });
    expect(parseAuditEvents(READ, [write('')])).toMatchObject({ hints: [hint], problems: [] });
    expect(parseAuditEvents(READ, [write('status')]).hints).toHaveLength(readsStatus ? 1 : 0);
    expect(parseAuditEvents(NOT_ON, [write('')])).toEqual({ hints: [], problems: [] });
  });

  test.each(['CREATE', 'UPDATE', 'DELETE'])('gives a hint for an admission review of %s', (operation) => {
    const metadata = { ...place, name: 'x', uid: 'u', resourceVersion: '7' };
    const review = admissionReviewOf(operation, { group, resource, ...place, subresource: '' }, { metadata });
    expect(parseAdmissionReview(READ, review, 7).hints).toMatchObject([hint]);
    expect(parseAdmissionReview(NOT_ON, review, 7).hints).toEqual([]);
  });

  test('gives a hint for a CloudEvent with its path', () => {
    const root = group === '' ? '/api/v1' : `/apis/${group}/v1`;
    const subject = `${root}${namespace === '' ? '' : `/namespaces/${namespace}`}/${resource}/x`;
    const event = { specversion: '1.0', id: 'event-00001', source: '/x', type: 'x', subject };
    expect(parseCloudEvent(READ, event, 7)).toMatchObject({ hints: [hint], problems: [] });
    expect(parseCloudEvent(NOT_ON, event, 7).hints).toEqual([]);
  });
});

/** Name, type and values of a line such as `Z1 www.e. A {"kind":"values","ttl":360,"values":["192.0.2.1"]}`. */
function shown(line: string): string {
  const [, name, type, ...content] = line.split(' ');
  return [name, type, ...(JSON.parse(content.join(' ')) as { values: string[] }).values].join(' ');
}

type Put = (id: string, spec: unknown, annotations?: Readonly<Record<string, string>>, labels?: object) => void;

const slice = (ready: string, unready: string) => ({
  addressType: 'IPv4',
  endpoints: [
    { addresses: [ready], conditions: { ready: true }, targetRef: { kind: 'Pod', namespace: 'team', name: 'p' } },
    { addresses: [unready], conditions: { ready: false } },
  ],
  ports: [],
});
const node = (address: string) => ({
  metadata: {},
  spec: {},
  status: { addresses: [{ type: 'ExternalIP', address }] },
});
const gateway = (value: string) => ({
  metadata: { annotations: {} },
  spec: {
    listeners: [
      {
        name: 'http',
        port: 80,
        protocol: 'HTTP',
        allowedRoutes: { namespaces: { from: 'Selector', selector: { matchLabels: { in: 'yes' } } } },
      },
    ],
  },
  status: { addresses: [{ type: 'IPAddress', value }] },
});
const listeners = (hostname: string) => ({
  metadata: { annotations: {} },
  spec: { parentRef: { name: 'gw' }, listeners: [{ name: 'l', port: 81, protocol: 'HTTP', hostname }] },
});
const namespaceOf = (label: string) => ({ metadata: { labels: { in: label } } });
const slices = { 'kubernetes.io/service-name': 's' };

function putRoute(
  put: Put,
  cluster: ReconcileWorld['cluster'],
  parentRef: object,
  hostnames?: readonly string[],
): void {
  put('Gateway team/gw', gateway('192.0.2.1'));
  put('Namespace /team', namespaceOf('yes'));
  const parents = [{ parentRef, conditions: [{ type: 'Accepted', status: 'True' }] }];
  const ref = { kind: 'HTTPRoute', namespace: 'team', name: 'r' };
  cluster.put(ref, { parentRefs: [parentRef], hostnames }, {}, undefined, undefined, { parents });
}

test.each<[string, (put: Put, cluster: ReconcileWorld['cluster']) => void, (put: Put) => void, string, string]>([
  [
    'an EndpointSlice',
    (put) => {
      put('Service team/s', { clusterIP: 'None' }, { [HOSTNAME]: 'www.e' });
      put('EndpointSlice team/s-1', slice('10.0.0.1', '10.0.0.2'), {}, slices);
    },
    (put) => put('EndpointSlice team/s-1', slice('10.0.0.2', '10.0.0.1'), {}, slices),
    'www.e. A 10.0.0.1',
    'www.e. A 10.0.0.2',
  ],
  [
    'a Pod',
    (put) => {
      put('Service team/s', { clusterIP: 'None' }, { [HOSTNAME]: 'www.e' });
      put('EndpointSlice team/s-1', slice('10.0.0.1', '10.0.0.2'), {}, slices);
      put('Pod team/p', { metadata: { annotations: { [TARGET]: '192.0.2.7' } } });
    },
    (put) => put('Pod team/p', { metadata: { annotations: { [TARGET]: '192.0.2.8' } } }),
    'www.e. A 192.0.2.7',
    'www.e. A 192.0.2.8',
  ],
  [
    'a Node',
    (put) => {
      put('Service team/s', { type: 'NodePort', ports: [] }, { [HOSTNAME]: 'www.e' });
      put('Node /n', node('192.0.2.1'));
    },
    (put) => put('Node /n', node('192.0.2.2')),
    'www.e. A 192.0.2.1',
    'www.e. A 192.0.2.2',
  ],
  [
    'a Gateway',
    (put, cluster) => putRoute(put, cluster, { name: 'gw' }, ['www.e']),
    (put) => put('Gateway team/gw', gateway('192.0.2.2')),
    'www.e. A 192.0.2.1',
    'www.e. A 192.0.2.2',
  ],
  [
    'a ListenerSet',
    (put, cluster) => {
      put('ListenerSet team/l', listeners('www.e'));
      putRoute(put, cluster, { group: GATEWAY_API, kind: 'ListenerSet', name: 'l' });
    },
    (put) => put('ListenerSet team/l', listeners('new.e')),
    'www.e. A 192.0.2.1',
    'new.e. A 192.0.2.1',
  ],
  [
    'an XListenerSet',
    (put, cluster) => {
      put('XListenerSet team/l', listeners('www.e'));
      putRoute(put, cluster, { group: 'gateway.networking.x-k8s.io', kind: 'XListenerSet', name: 'l' });
    },
    (put) => put('XListenerSet team/l', listeners('new.e')),
    'www.e. A 192.0.2.1',
    'new.e. A 192.0.2.1',
  ],
  [
    "a Namespace's label",
    (put, cluster) => putRoute(put, cluster, { name: 'gw' }, ['www.e']),
    (put) => put('Namespace /team', namespaceOf('no')),
    'www.e. A 192.0.2.1',
    '',
  ],
])('the sweep finds a change of %s that no hint told of', async (_, begin, change, before, after) => {
  const world = reconcileWorld({ hostedZones: [{ id: 'Z1', name: 'e.' }], sources: ON, config: { sources: SETTINGS } });
  const put: Put = (id, spec, annotations = {}, labels = {}) => {
    const [kind = '', place = ''] = id.split(' ');
    const [namespace = '', name = ''] = place.split('/');
    world.cluster.put({ kind, namespace, name }, spec, annotations, undefined, labels as Record<string, string>);
  };
  const swept = async () => {
    world.clock.ms += 3_600_000;
    await sweepAll(world);
    await deliverAll(world);
    return standingInRoute53(world).map((line) => shown(line));
  };
  world.cluster.put(
    { kind: 'Zone', namespace: 'p', name: 'e' },
    { domainName: 'e.', delegations: [{ records: [{ pattern: '*' }] }] },
  );
  begin(put, world.cluster);
  expect(await swept()).toEqual([before]);
  change(put);
  expect(await swept()).toEqual(after === '' ? [] : [after]);
});
