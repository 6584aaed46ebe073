// A tenant's namespace gets no name by any annotation, host, status or related object unless a delegation gives it.
// Tenants may write anything, also statuses. The allowed names are computed here without lib/zones.
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { ObjectRef } from '../lib/objects/object-ref.ts';
import { formatRef, isZone, parseRef } from '../lib/objects/object-ref.ts';
import type { Source } from '../lib/objects/source.ts';
import { inForce } from '../lib/observe/in-force/last-valid-spec.ts';
import { declaredObject, declaredZone } from '../lib/observe/object-item.ts';
import type { ClusterObject } from '../lib/ports/cluster.ts';
import * as relatedKinds from '../lib/sources/common/related-kinds.ts';
import { DNS_ENDPOINT } from '../lib/sources/external-dns/dns-endpoint.ts';
import { ROUTES } from '../lib/sources/external-dns/gateway-route.ts';
import { INGRESS } from '../lib/sources/external-dns/ingress.ts';
import { SERVICE } from '../lib/sources/external-dns/service.ts';
import { RECORD } from '../lib/sources/kubizone/parse-record.ts';
import { resolveCluster } from '../lib/zones/resolve-cluster.ts';
import { gatherIn } from './fakes/gather-in.ts';

const SOURCES: readonly Source[] = [RECORD, DNS_ENDPOINT, SERVICE, INGRESS, ...ROUTES];
const RELATED = Object.values(relatedKinds);

const DELEGATIONS = [
  { namespaces: ['a'], zones: ['z'], records: [{ pattern: '*.a' }, { pattern: 'a' }] },
  { namespaces: ['b'], zones: [], records: [{ pattern: 'b', types: ['A', 'AAAA'] }] },
];

/** The names that the delegations give, computed without the code of zone53. */
function mayHave(namespace: string, name: string, type: string): boolean {
  if (namespace === 'a') return name === 'a.e.' || name.endsWith('.a.e.');
  return namespace === 'b' && name === 'b.e.' && (type === 'A' || type === 'AAAA');
}

const NAMES = [
  'a.e',
  'b.e',
  'e',
  '*.e',
  '*.a.e',
  'x.a.e',
  'x.b.e',
  'w.e',
  'other.',
  'A.E.',
  'xa.e',
  '_x._tcp.b.e',
  'a.e.e',
];
const host = fc.constantFrom(...NAMES);
const hosts = fc.array(host, { maxLength: 3 });
const target = fc.constantFrom('192.0.2.1', '2001:db8::1', 'x.example.net', 'b.e', 'l.eu-west-1.elb.amazonaws.com');
const namespace = fc.constantFrom('a', 'b', 'c');
const annotations = fc.dictionary(
  fc
    .constantFrom('hostname', 'internal-hostname', 'target', 'alias', 'set-identifier', 'aws-weight', 'endpoints-type')
    .map((key) => `external-dns.kubernetes.io/${key}`),
  fc.oneof(
    hosts.map((list) => list.join(',')),
    target,
    fc.constantFrom('true', 'A', '1', 'HostIP'),
  ),
  { maxKeys: 4, noNullPrototype: true },
);
const balanced = fc.array(fc.record({ ip: target, hostname: target }, { requiredKeys: [] }), { maxLength: 2 });

type Shape = { readonly kind: string; readonly spec: unknown; readonly status: unknown };

const service = fc.record({
  kind: fc.constant('Service'),
  spec: fc.record({
    type: fc.constantFrom('LoadBalancer', 'ClusterIP', 'NodePort', 'ExternalName'),
    clusterIPs: fc.constantFrom(['10.0.0.1'], ['None']),
    externalName: target,
    ports: fc.constant([{ name: 'x', nodePort: 30_000 }]),
  }),
  status: fc.record({ loadBalancer: fc.record({ ingress: balanced }) }),
});
const ingress = fc.record({
  kind: fc.constant('Ingress'),
  spec: fc.record({ rules: fc.array(fc.record({ host })), tls: fc.array(fc.record({ hosts })) }),
  status: fc.record({ loadBalancer: fc.record({ ingress: balanced }) }),
});
const dnsEndpoint = fc.record({
  kind: fc.constant('DNSEndpoint'),
  spec: fc.record({
    endpoints: fc.array(
      fc.record({
        dnsName: host,
        recordType: fc.constantFrom('A', 'CNAME', 'TXT', 'NS', ''),
        targets: fc.array(target, { minLength: 1, maxLength: 2 }),
      }),
      { maxLength: 3 },
    ),
  }),
  status: fc.constant(null),
});
const parentRef = fc.constant({ namespace: 'c', name: 'gw' });
const route = fc.record({
  kind: fc.constantFrom('HTTPRoute', 'TCPRoute'),
  spec: fc.record({ hostnames: hosts, parentRefs: fc.tuple(parentRef) }),
  // A tenant forged this status: no Gateway accepted the route.
  status: fc.record({
    parents: fc.tuple(fc.record({ parentRef, conditions: fc.constant([{ type: 'Accepted', status: 'True' }]) })),
  }),
});
const record = fc.record({
  kind: fc.constant('Record'),
  spec: fc.record({
    domainName: host.map((name) => `${name}.`.replace('..', '.')),
    type: fc.constant('A'),
    rdata: fc.constant('192.0.2.9'),
  }),
  status: fc.constant(null),
});
const shape: fc.Arbitrary<Shape> = fc.oneof(service, ingress, dnsEndpoint, route, record);

/** A tenant also has a Gateway that admits every namespace, slices, and Nodes. */
const gateway = fc.record({ hostname: fc.option(host), value: target, annotations }).map((said) => ({
  kind: 'Gateway',
  metadata: { namespace: 'c', name: 'gw', annotations: said.annotations },
  spec: {
    listeners: ['HTTP', 'TCP'].map((protocol) => ({
      name: protocol,
      protocol,
      hostname: said.hostname,
      allowedRoutes: { namespaces: { from: 'All' } },
    })),
  },
  status: { addresses: [{ value: said.value }] },
}));
const slice = fc
  .record({ namespace, hostname: fc.constantFrom('x', 'a', 'b', 'a.e', '*'), name: fc.constantFrom('o0', 'o1') })
  .map((said) => ({
    kind: 'EndpointSlice',
    metadata: { namespace: said.namespace, name: 's', labels: { 'kubernetes.io/service-name': said.name } },
    addressType: 'IPv4',
    endpoints: [{ addresses: ['10.1.0.1'], hostname: said.hostname, nodeName: 'n' }],
  }));
const node = {
  kind: 'Node',
  metadata: { name: 'n' },
  status: { addresses: [{ type: 'InternalIP', address: '10.9.0.1' }] },
};

const cluster = fc.record({
  objects: fc.array(fc.record({ namespace, annotations, shape }), { minLength: 1, maxLength: 6 }),
  related: fc.tuple(gateway, slice),
});

function objectOf(ref: ObjectRef, said: Partial<ClusterObject>): ClusterObject {
  const common = { uid: null, creationTimestamp: null, version: '1', generation: 1, labels: {}, origin: null };
  return { ...common, ref, order: formatRef(ref), annotations: {}, spec: null, ...said };
}

/** The record sets of such a cluster, each with the object that asks for it. */
function published(said: typeof cluster extends fc.Arbitrary<infer T> ? T : never, delegations: unknown) {
  const zone = objectOf({ kind: 'Zone', namespace: 'p', name: 'e' }, { spec: { domainName: 'e.', delegations } });
  const own = said.objects.map(({ namespace: of, annotations: notes, shape: { kind, spec, status } }, index) =>
    objectOf({ kind, namespace: of, name: `o${index}` }, { spec, status, annotations: notes }),
  );
  const related = [...said.related, node].map((manifest) => {
    const kind = RELATED.find((one) => one.kind === manifest.kind);
    const {
      namespace: of = '',
      name,
      labels = {},
    } = manifest.metadata as { namespace?: string; name: string; labels?: Record<string, string> };
    return objectOf({ kind: manifest.kind, namespace: of, name }, { spec: kind?.factsOf(manifest), labels });
  });
  const typesAt = (fqdn: string) => (fqdn === 'b.e.' ? ['A'] : []);
  const gatheredOf = gatherIn(SOURCES, [...own, ...related], typesAt);
  const declared = [zone, ...own].map((object) => {
    const age = { uid: null, creationTimestamp: null, order: object.order };
    return { ref: object.ref, age, ...inForce(SOURCES, object, gatheredOf(object)) };
  });
  const hosting = { id: 'Z1', nameServers: [], made: false, soa: false };
  const world = resolveCluster({
    zones: declared.filter(({ ref }) => isZone(ref)).map(declaredZone),
    objects: declared.filter(({ ref }) => !isZone(ref)).map(declaredObject),
    roots: null,
    hostings: new Map([['e.', hosting]]),
  });
  return world.recordSets.flatMap(({ name, type, objects }) =>
    objects.map((object) => ({ name, type, ref: parseRef(object) })),
  );
}

const law = (delegations: unknown) =>
  fc.property(cluster, (said) => {
    for (const { name, type, ref } of published(said, delegations)) {
      if (isZone(ref)) continue;
      expect(mayHave(ref.namespace, name, type), `${formatRef(ref)} has ${name} ${type}`).toBe(true);
    }
  });

test('no tenant gets a name that is not delegated to it', () => {
  fc.assert(law(DELEGATIONS), { numRuns: 1_500 });
});

test('the law finds a delegation that gives too much', () => {
  for (const given of [
    [{ ...DELEGATIONS[0], namespaces: undefined }, DELEGATIONS[1]],
    [DELEGATIONS[0], { ...DELEGATIONS[1], records: [{ pattern: 'b' }] }],
    [DELEGATIONS[0], { ...DELEGATIONS[1], records: [{ pattern: '*', types: ['A'] }] }],
  ]) {
    expect(fc.check(law(given), { numRuns: 1_500 }).failed, JSON.stringify(given)).toBe(true);
  }
});

test('tenants get names by objects of every kind', () => {
  const seen = new Set<string>();
  fc.assert(
    fc.property(cluster, (said) => {
      for (const { ref } of published(said, DELEGATIONS)) seen.add(ref.kind);
    }),
    { numRuns: 1_500 },
  );
  expect([...seen].toSorted()).toEqual(['DNSEndpoint', 'HTTPRoute', 'Ingress', 'Record', 'Service', 'TCPRoute']);
});
