// A source of the configuration, in every place that must know the kinds that are read: events, RBAC and webhook rules,
// the audit log, queues, the API server and Kubernetes Events. Two sources may read one resource.
import { describe, expect, test } from 'vitest';
import { parseAdmissionReview } from '../events/admission-review.ts';
import { parseAuditEvents } from '../events/audit-event-list.ts';
import { parseCloudEvent } from '../events/cloud-event.ts';
import { parseBusEvent } from '../events/event-bridge.ts';
import { parseConfig } from '../lib/adapters/config/config-file.ts';
import { servedKinds } from '../lib/adapters/kubernetes/discover-kinds.ts';
import type { KubernetesRequest } from '../lib/adapters/kubernetes/http/kubernetes-error.ts';
import { KubernetesError } from '../lib/adapters/kubernetes/http/kubernetes-error.ts';
import type { KubernetesTransport } from '../lib/adapters/kubernetes/http/transport.ts';
import { kubernetesCluster } from '../lib/adapters/kubernetes/kubernetes-cluster.ts';
import { parseManifest } from '../lib/adapters/manifests/parse-manifest.ts';
import { formatQueueMessage, parseQueueMessage } from '../lib/adapters/queues/queue-message.ts';
import { findRef, isObjectKind } from '../lib/objects/object-ref.ts';
import { auditFilter, auditRules, rbacRules, sourcesWebhook } from '../lib/sources/cluster-needs.ts';
import { kindsHinted, kindsRead, sourcesOn } from '../lib/sources/source.ts';

const { sources } = parseConfig(
  `sources:
  services: {}
  custom:
    - { key: first, version: v1, resource: services, kind: Service, names: object.metadata.name, targets: "[]" }
    - { preset: istio-gateway }
    - { key: nodes, version: v1, resource: nodes, kind: Node, scope: cluster, names: object.metadata.name, targets: "[]" }
`,
  'zone53.yaml',
);
const KINDS = kindsRead(sourcesOn(sources));
const OF_SERVICES = ['Service', 'Custom first', 'Related services'];
const kindsOf = (hints: readonly { readonly kind: string }[]) => hints.map(({ kind }) => kind);

describe('events', () => {
  test('each kind that reads an object gets a hint', () => {
    const objectRef = { resource: 'services', namespace: 'a', name: 'x' };
    const audited = {
      ...{ verb: 'update', requestURI: '/x', stage: 'ResponseComplete', responseStatus: { code: 200 }, objectRef },
      ...{ user: { groups: [] }, auditID: '0123456789' },
    };
    const hints = [
      parseAuditEvents(KINDS, [audited]).hints,
      parseAdmissionReview(
        KINDS,
        {
          ...{ kind: 'AdmissionReview', apiVersion: 'admission.k8s.io/v1' },
          request: {
            ...{ uid: 'u', resource: { group: '', resource: 'services' }, operation: 'CREATE' },
            object: { metadata: { namespace: 'a', name: 'x' } },
          },
        },
        1,
      ).hints,
      parseCloudEvent(KINDS, { ...EVENT, data: { apiVersion: 'v1', kind: 'Service', namespace: 'a', name: 'x' } }, 1)
        .hints,
      parseCloudEvent(KINDS, { ...EVENT, subject: '/api/v1/namespaces/a/services/x' }, 1).hints,
      parseBusEvent(KINDS, { ...BUS, detail: { apiVersion: 'v1', kind: 'Service', namespace: 'a', name: 'x' } }, 1)
        .hints,
    ];
    for (const some of hints) {
      expect(kindsOf(some).toSorted()).toEqual(OF_SERVICES.toSorted());
      for (const hint of some) expect(hint).toMatchObject({ namespace: 'a', name: 'x' });
    }
  });

  test('a kind of the same name in another group is another kind', () => {
    const data = { apiVersion: 'networking.istio.io/v1', kind: 'Gateway', namespace: 'a', name: 'x' };
    expect(kindsOf(parseCloudEvent(KINDS, { ...EVENT, data }, 1).hints)).toEqual(['Custom istioGateways']);
    expect(parseCloudEvent(KINDS, { ...EVENT, data: { ...data, apiVersion: 'example.com/v1' } }, 1).hints).toEqual([]);
  });
});

const EVENT = { specversion: '1.0', id: '0123456789', source: '/s', type: 't' };
const BUS = { id: '0123456789', source: 's', 'detail-type': 't' };

test('the queues take the kinds, and no other text', () => {
  for (const { kind } of KINDS) {
    const message = { kind: 'hint', hint: { kind, namespace: 'a', name: 'x' } } as const;
    expect(parseQueueMessage(formatQueueMessage(message))).toEqual(message);
    expect(findRef(`${kind} a/x`)).toEqual({ kind, namespace: 'a', name: 'x' });
  }
  for (const text of ['Custom', 'Record']) expect(isObjectKind(text)).toBe(true);
  for (const text of [
    'Custom ',
    'Custom A',
    'custom a',
    'Custom a b',
    'a b',
    '',
    'Related A',
    `Related ${'x'.repeat(400)}`,
  ])
    expect(isObjectKind(text), text).toBe(false);
});

test('RBAC, webhook and audit rules have each resource once', () => {
  const rules = rbacRules(KINDS);
  expect(rules).toContainEqual({
    apiGroups: ['networking.istio.io'],
    resources: ['gateways'],
    verbs: ['get', 'list', 'watch'],
  });
  expect(rules.flatMap(({ resourceNames = [] }) => resourceNames)).toEqual(['gateways.networking.istio.io']);
  expect(rules.flatMap(({ apiGroups, resources }) => (apiGroups[0] === '' ? resources : []))).toEqual([
    'nodes',
    'pods',
    'services',
    'services/status',
  ]);
  expect(JSON.stringify(sourcesWebhook(KINDS, {}))).toContain('"gateways","gateways/status"');
  // Nodes have heartbeats: polling finds their changes.
  expect(JSON.stringify(sourcesWebhook(KINDS, {}))).not.toContain('"nodes"');
  expect(JSON.stringify(auditRules(kindsHinted({ sources, dnsRecords: null })))).toContain('"gateways"');
  expect(auditFilter(KINDS).match(/"services"/g)).toHaveLength(1);
});

test('manifests: an object is read by each kind that reads it', () => {
  const refsOf = (text: string) =>
    parseManifest(KINDS, Buffer.from(text), 'a.yaml').objects.map(
      ({ ref }) => `${ref.kind} ${ref.namespace}/${ref.name}`,
    );
  expect(refsOf('apiVersion: v1\nkind: Service\nmetadata: { name: x, namespace: a }\n').toSorted()).toEqual(
    OF_SERVICES.map((kind) => `${kind} a/x`).toSorted(),
  );
  expect(refsOf('apiVersion: networking.istio.io/v1\nkind: Gateway\nmetadata: { name: x }\n')).toEqual([
    'Custom istioGateways default/x',
  ]);
  const list = 'apiVersion: networking.istio.io/v1\nkind: GatewayList\nitems: [{ metadata: { name: x } }]\n';
  expect(refsOf(list)).toEqual(['Custom istioGateways default/x']);
  expect(refsOf(list.replace('networking.istio.io', 'gateway.networking.k8s.io'))).toEqual([]);
  expect(refsOf('apiVersion: v1\nkind: Node\nmetadata: { name: n }\n').toSorted()).toEqual([
    'Custom nodes /n',
    'Node /n',
  ]);
});

describe('an API server', () => {
  const clock = { nowMs: () => 0 };
  const notFound = () => new KubernetesError('not found', { status: 404 });
  const sent: KubernetesRequest[] = [];
  /** Serves Istio's Gateways in these versions, without a CRD. */
  function serving(versions: readonly string[]): KubernetesTransport {
    const at = (version: string) => `/apis/networking.istio.io/${version}`;
    const gateway = {
      metadata: {
        name: 'x',
        namespace: 'a',
        uid: 'u',
        resourceVersion: '1',
        creationTimestamp: '2026-01-01T00:00:00Z',
      },
      spec: { servers: [] },
    };
    const answers: Readonly<Record<string, unknown>> = {
      '/apis/networking.istio.io': {
        preferredVersion: { version: versions[0] },
        versions: versions.map((version) => ({ version })),
      },
      ...Object.fromEntries(versions.map((version) => [at(version), { resources: [{ name: 'gateways' }] }])),
      [`${at('v1')}/gateways`]: { kind: 'GatewayList', metadata: { resourceVersion: '9' }, items: [gateway] },
      [`${at('v1')}/namespaces/a/gateways/x`]: gateway,
    };
    return {
      send: async (request) => {
        sent.push(request);
        const answer = answers[request.path];
        if (answer === undefined && request.method === 'GET') throw notFound();
        return answer ?? {};
      },
    } as KubernetesTransport;
  }
  const kinds = KINDS.filter(({ kind }) => kind === 'Custom istioGateways');
  const open = (versions: readonly string[]) =>
    kubernetesCluster({ clusterId: 'c', kinds, clock, transport: serving(versions) });

  test('is read by the path of the resource, in the version of the row', async () => {
    const { objects, remarks } = await open(['v1beta1', 'v1']).list();
    expect(remarks).toEqual([]);
    expect(objects).toMatchObject([{ ref: { kind: 'Custom istioGateways', namespace: 'a', name: 'x' } }]);
    const other = await open(['v1beta1']).list();
    expect(other.objects).toEqual([]);
    expect(other.remarks).toMatchObject([
      { message: expect.stringContaining('Custom istioGateways (networking.istio.io/v1) is not served') },
    ]);
    const served = servedKinds(serving(['v1beta1']), clock);
    expect(
      await served.find(KINDS.find(({ kind }) => kind === 'Custom istioGateways') ?? (KINDS[0] as never)),
    ).toBeNull();
  });

  test('has no CRD to lose if it serves the kind without one', async () => {
    expect(await open(['v1']).crd?.('Custom istioGateways')).toEqual({ kind: 'none' });
    expect(await open([]).crd?.('Custom istioGateways')).toEqual({ kind: 'missing' });
  });

  test('gets Events about the object under its own kind', async () => {
    sent.length = 0;
    const condition = { type: 'Accepted', status: 'True', reason: 'Adopted', message: 'm' } as const;
    await open(['v1']).report(
      { kind: 'Custom istioGateways', namespace: 'a', name: 'x' },
      { conditions: [condition], parent: null } as never,
      null,
    );
    const events = sent.filter(({ method }) => method === 'POST');
    expect(events.map(({ body }) => (body as { readonly regarding: unknown }).regarding)).toMatchObject([
      { apiVersion: 'networking.istio.io/v1', kind: 'Gateway', namespace: 'a', name: 'x' },
    ]);
  });
});
