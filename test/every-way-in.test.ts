// Every way in for every kind that a source reads: a manifest, a list and a watch of the API server, the admission
// webhook, the audit log, a CloudEvent, the sweep. The tests beside each way in have its details; this file shows that
// none of them omits a kind.
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { render } from '../cli/run/use-cases.ts';
import { parseAdmissionReview } from '../events/admission-review.ts';
import { parseAuditEvents } from '../events/audit-event-list.ts';
import { parseCloudEvent } from '../events/cloud-event.ts';
import { checkHints } from '../events/object-hints.ts';
import type { KubernetesRequest } from '../lib/adapters/kubernetes/http/kubernetes-error.ts';
import type { KubernetesTransport } from '../lib/adapters/kubernetes/http/transport.ts';
import { watchKubernetes } from '../lib/adapters/kubernetes/watch-objects.ts';
import type { ObjectRef } from '../lib/objects/object-ref.ts';
import { DEFAULT_SETTINGS, type SourceKey } from '../lib/objects/source-settings.ts';
import { DEFAULT_CONFIG } from '../lib/ports/config.ts';
import type { Hint } from '../lib/ports/queues.ts';
import { kindsRead, sourcesOn } from '../lib/sources/source.ts';
import { deliverAll, reconcileWorld, standingInRoute53, sweepAll } from './fakes/reconcile-world.ts';
import { testFolder } from './support/test-folder.ts';
import { admissionReviewOf, auditEventOf } from './support/written-event.ts';

const ROUTE = 'gateway.networking.k8s.io';
const ANNOTATION = 'external-dns.kubernetes.io/hostname';
const parentRef = { namespace: 'infra', name: 'gw' };
const accepted = { parents: [{ parentRef, conditions: [{ type: 'Accepted', status: 'True' }] }] };
const balanced = { loadBalancer: { ingress: [{ ip: '192.0.2.1' }] } };
const route = (listener: string) => ({
  spec: { hostnames: ['www.e'], parentRefs: [{ ...parentRef, sectionName: listener }] },
  status: { parents: [{ ...accepted.parents[0], parentRef: { ...parentRef, sectionName: listener } }] },
});

type Row = {
  readonly kind: string;
  readonly group: string;
  readonly resource: string;
  /** False when nothing of the status is read, so that a write of the status makes no hint. */
  readonly readsStatus: boolean;
  /** An object that asks for www.e. */
  readonly object: {
    readonly spec: unknown;
    readonly status?: unknown;
    readonly annotations?: Readonly<Record<string, string>>;
  };
};

// This table is written by hand and not derived from the code, because it checks that the code knows every kind.
const ROWS: readonly Row[] = [
  {
    kind: 'DNSEndpoint',
    group: 'externaldns.k8s.io',
    resource: 'dnsendpoints',
    readsStatus: false,
    object: { spec: { endpoints: [{ dnsName: 'www.e', recordType: 'A', targets: ['192.0.2.1'] }] } },
  },
  {
    kind: 'Service',
    group: '',
    resource: 'services',
    readsStatus: true,
    object: { spec: { type: 'LoadBalancer' }, status: balanced, annotations: { [ANNOTATION]: 'www.e' } },
  },
  {
    kind: 'Ingress',
    group: 'networking.k8s.io',
    resource: 'ingresses',
    readsStatus: true,
    object: { spec: { rules: [{ host: 'www.e' }] }, status: balanced },
  },
  { kind: 'HTTPRoute', group: ROUTE, resource: 'httproutes', readsStatus: true, object: route('http') },
  { kind: 'GRPCRoute', group: ROUTE, resource: 'grpcroutes', readsStatus: true, object: route('http') },
  { kind: 'TLSRoute', group: ROUTE, resource: 'tlsroutes', readsStatus: true, object: route('tls') },
  {
    kind: 'TCPRoute',
    group: ROUTE,
    resource: 'tcproutes',
    readsStatus: true,
    object: { ...route('tcp'), annotations: { [ANNOTATION]: 'www.e' } },
  },
  {
    kind: 'UDPRoute',
    group: ROUTE,
    resource: 'udproutes',
    readsStatus: true,
    object: { ...route('udp'), annotations: { [ANNOTATION]: 'www.e' } },
  },
];

const KEYS: readonly SourceKey[] = ['dnsEndpoints', 'services', 'ingresses', 'gatewayRoutes'];
const SETTINGS = Object.fromEntries(KEYS.map((key) => [key, DEFAULT_SETTINGS]));
const ON = sourcesOn(SETTINGS);
const READ = kindsRead(ON);
const NOT_ON = kindsRead(sourcesOn({}));

const ZONE = { domainName: 'e.', delegations: [{ namespaces: ['team'], records: [{ pattern: '*' }] }] };
const GATEWAY = {
  spec: {
    listeners: [
      { name: 'http', port: 80, protocol: 'HTTP' },
      { name: 'tls', port: 443, protocol: 'TLS', tls: { mode: 'Passthrough' } },
      { name: 'tcp', port: 5432, protocol: 'TCP' },
      { name: 'udp', port: 53, protocol: 'UDP' },
    ].map((listener) => ({ ...listener, allowedRoutes: { namespaces: { from: 'All' } } })),
  },
  status: { addresses: [{ type: 'IPAddress', value: '192.0.2.1' }] },
};

const versionOf = ({ group, kind }: Row) =>
  [...(group === '' ? [] : [group]), READ.find((one) => one.kind === kind)?.version ?? 'v1'].join('/');
const hintOf = ({ kind }: Row) => ({ kind, namespace: 'team', name: 'x' });
const refOf = (row: Row): ObjectRef => hintOf(row);
const manifestOf = (row: Row) => {
  const { annotations = {}, ...object } = row.object;
  return { apiVersion: versionOf(row), kind: row.kind, metadata: { ...IN_TEAM, annotations }, ...object };
};
const IN_TEAM = { namespace: 'team', name: 'x' };

describe.each(ROWS)('$kind', (row) => {
  const { kind, group, resource, readsStatus, object } = row;

  test('is read from a manifest, in any version of its group', async () => {
    const folder = testFolder();
    const core = {
      apiVersion: 'kubi.zone/v1alpha1',
      kind: 'Zone',
      metadata: { namespace: 'p', name: 'e' },
      spec: ZONE,
    };
    const gateway = { apiVersion: `${ROUTE}/v1`, kind: 'Gateway', metadata: parentRef, ...GATEWAY };
    const other = { ...manifestOf(row), apiVersion: group === '' ? 'v1' : `${group}/v9alpha1` };
    for (const [file, one] of Object.entries({ core, gateway, other }))
      writeFileSync(path.join(folder, `${file}.json`), JSON.stringify(one));
    const { sources, errors } = await render({
      source: { kind: 'manifests', paths: [folder] },
      config: { ...DEFAULT_CONFIG, sources: SETTINGS },
      clock: { nowMs: () => 0 },
      log: () => {},
      progress: () => {},
    });
    expect(errors).toEqual([]);
    expect(sources).toMatchObject([
      {
        ...hintOf(row),
        endpoints: [{ fqdn: 'www.e.', type: 'A', values: ['192.0.2.1'], parent: 'p/e' }],
        problems: [],
      },
    ]);
  });

  test('gives a hint for an audit event, also of its status where that is read', () => {
    const write = (subresource: string) => auditEventOf('patch', { group, resource, namespace: 'team', subresource });
    expect(parseAuditEvents(READ, [write('')])).toMatchObject({ hints: [hintOf(row)], problems: [] });
    expect(parseAuditEvents(READ, [write('status')]).hints).toHaveLength(readsStatus ? 1 : 0);
    expect(parseAuditEvents(NOT_ON, [write('')])).toEqual({ hints: [], problems: [] });
  });

  test.each(['CREATE', 'UPDATE', 'DELETE'])(
    'gives a hint for an admission review of %s, also of its status where that is read',
    (operation) => {
      const metadata = { ...IN_TEAM, uid: 'u', resourceVersion: '7', generation: 2 };
      const review = (subresource: string) => {
        const written = { group, resource, namespace: 'team', subresource };
        return admissionReviewOf(operation, written, { metadata, spec: object.spec });
      };
      const { hints, subject } = parseAdmissionReview(READ, review(''), 7);
      expect(hints).toMatchObject([{ ...hintOf(row), oldVersion: operation === 'CREATE' ? '' : '7' }]);
      expect(subject).toBeNull();
      expect(parseAdmissionReview(READ, review('status'), 7).hints).toHaveLength(readsStatus ? 1 : 0);
      expect(parseAdmissionReview(NOT_ON, review(''), 7).hints).toEqual([]);
    },
  );

  const subject = `/${group === '' ? 'api' : `apis/${group}`}/v1/namespaces/team/${resource}/x`;
  test.each<[string, object]>([
    ['the object', { data: manifestOf(row) }],
    ['a reference to it', { data: { apiVersion: versionOf(row), kind, ...IN_TEAM } }],
    ['the object inside', { data: { oldObj: manifestOf(row) } }],
    ['its path', { subject }],
  ])('a CloudEvent with %s', (_, event) => {
    const envelope = { specversion: '1.0', id: 'event-00001', source: '/x', type: 'x', ...event };
    const { hints, problems } = parseCloudEvent(READ, envelope, 7);
    expect(problems).toEqual([]);
    expect(hints).toMatchObject([hintOf(row)]);
    expect(checkHints(hints).problems).toEqual([]);
    expect(parseCloudEvent(NOT_ON, envelope, 7).hints).toEqual([]);
  });

  test('gives a hint from a watch', async () => {
    const stop = new AbortController();
    const hints: Hint[] = [];
    const watched: string[] = [];
    const transport: KubernetesTransport = {
      requests: { count: 0 },
      close: () => {},
      send: async ({ path: asked }: KubernetesRequest) => {
        const of = READ.find((one) => asked.endsWith(`/${one.resource}`))?.kind;
        return { kind: `${of}List`, items: [], metadata: { resourceVersion: '1' } };
      },
      async *lines({ path: asked }: KubernetesRequest, _idleMs: number, signal: AbortSignal) {
        watched.push(asked);
        if (asked.endsWith(`/${resource}`)) {
          const metadata = { ...IN_TEAM, resourceVersion: '2' };
          yield JSON.stringify({ type: 'MODIFIED', object: { kind, metadata } });
          stop.abort();
        }
        if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve));
      },
    };
    await watchKubernetes({
      kinds: READ,
      transport,
      signal: stop.signal,
      onHints: (more) => hints.push(...more),
      onProblem: (problem) => expect(problem).toBeNull(),
    });
    const root = group === '' ? '/api/' : `/apis/${group}/`;
    expect(watched.filter((asked) => asked.startsWith(root) && asked.endsWith(`/${resource}`))).toHaveLength(1);
    expect(hints.filter(({ name }) => name !== null)).toMatchObject([hintOf(row)]);
    expect(hints).toContainEqual({ kind, namespace: null, name: null });
  });

  test('is found by the sweep without a hint: the object, its change, and its absence', async () => {
    const world = reconcileWorld({
      hostedZones: [{ id: 'Z1', name: 'e.' }],
      sources: ON,
      config: { sources: SETTINGS },
    });
    const swept = async () => {
      world.clock.ms += 3_600_000;
      await sweepAll(world);
      await deliverAll(world);
      return standingInRoute53(world).map((line) => line.split(' ').slice(1, 3).join(' '));
    };
    const put = (name: string) => {
      const renamed = JSON.parse(JSON.stringify(object).replaceAll('www.e', name)) as Row['object'];
      world.cluster.put(refOf(row), renamed.spec, renamed.annotations, undefined, undefined, renamed.status);
    };
    world.cluster.put({ kind: 'Zone', namespace: 'p', name: 'e' }, ZONE);
    world.cluster.put({ kind: 'Gateway', ...parentRef }, GATEWAY);
    put('www.e');
    expect(await swept()).toEqual(['www.e. A']);
    put('new.e');
    expect(await swept()).toEqual(['new.e. A']);
    world.cluster.remove(refOf(row));
    expect(await swept()).toEqual([]);
  });
});
