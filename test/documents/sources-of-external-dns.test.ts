// docs/sources.md says how each source of external-dns is had: the table names all of them and only what there is, and
// the rows of the page give the endpoints that external-dns' own tests expect of the same facts. The presets have
// their own test (lib/sources/external-dns/custom/presets.test.ts).
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { parseConfig } from '../../lib/adapters/config/config-file.ts';
import type { Source } from '../../lib/objects/source.ts';
import { SOURCE_KEYS } from '../../lib/objects/source-settings.ts';
import { PRESET_NAMES } from '../../lib/sources/external-dns/custom/presets.ts';
import { sourcesOn } from '../../lib/sources/source.ts';
import { endpointsOf, type Made, type Written } from '../support/custom-endpoints.ts';

const PAGE = readFileSync(path.resolve(import.meta.dirname, '../../docs/sources.md'), 'utf8');
const SECTION = /^### The sources of external-dns$([\s\S]*?)^## /m.exec(PAGE)?.[1] ?? '';
const CONFIG = parseConfig(/```yaml\n([\s\S]*?)```/.exec(SECTION)?.[1] ?? '', 'docs/sources.md');
const ROWS: ReadonlyMap<string, Source> = new Map(
  sourcesOn(CONFIG.sources).flatMap((source) => {
    const [, key] = source.kind.split('Custom ');
    return key === undefined ? [] : [[key, source]];
  }),
);

/** What external-dns 0.22 reads of a cluster. */
const SOURCES = `
  ambassador-host contour-httpproxy crd f5-transportserver f5-virtualserver gateway-grpcroute gateway-httproute
  gateway-tcproute gateway-tlsroute gateway-udproute gloo-proxy ingress istio-gateway istio-virtualservice
  kong-tcpingress node openshift-route pod service skipper-routegroup traefik-proxy unstructured
`
  .trim()
  .split(/\s+/);

const AT = 'external-dns.kubernetes.io/';
const BEFORE = 'external-dns.alpha.kubernetes.io/';

type Case = readonly [
  what: string,
  object: Written,
  made: readonly string[] | Partial<Made>,
  related?: Readonly<Record<string, Written>>,
];

const waits = { lines: [], waits: true };

function annotated(annotations: Readonly<Record<string, string>>): Pick<Written, 'metadata'> {
  return { metadata: { annotations } };
}

const LOAD_BALANCER = 'a691234567a314e71861a4303f06a3bd-1291189659.us-east-1.elb.amazonaws.com';

function f5(spec: object, vsAddress: string, status = 'OK'): Written {
  return { spec: { host: 'www.example.com', ...spec }, status: { vsAddress, status } };
}

/** What the two sources of F5 have in common. */
const F5: readonly Case[] = [
  [
    'the annotation target',
    {
      ...f5({ virtualServerAddress: '192.168.1.100' }, '192.168.1.200'),
      ...annotated({ [`${AT}target`]: '192.168.1.150' }),
    },
    ['www.example.com. - A 192.168.1.150'],
  ],
  [
    'an address of the spec',
    f5({ virtualServerAddress: '192.168.1.100' }, '192.168.1.200'),
    ['www.example.com. - A 192.168.1.100'],
  ],
  ['the address of the status', f5({}, '192.168.1.100'), ['www.example.com. - A 192.168.1.100']],
  [
    'a TTL',
    { ...f5({}, '192.168.1.100'), ...annotated({ [`${BEFORE}ttl`]: '600' }) },
    ['www.example.com. 600 A 192.168.1.100'],
  ],
  ['no address', f5({}, ''), waits],
  ['an error', f5({ virtualServerAddress: '192.168.1.100' }, '', 'ERROR'), waits],
  ['the address None', f5({ ipamLabel: 'test' }, 'None'), waits],
  ['no status', { spec: { host: 'www.example.com', virtualServerAddress: '192.168.1.100' } }, waits],
];

const AMBASSADOR = 'external-dns.ambassador-service';
const ambassador = (spec: object, ...ingress: readonly object[]) => ({
  'ambassador/edge': { spec, status: { loadBalancer: { ingress } } },
});
const ambassadorHost = (annotations: Readonly<Record<string, string>> = {}) => ({
  ...annotated({ [AMBASSADOR]: 'ambassador/edge', ...annotations }),
  spec: { hostname: 'www.example.org' },
});

const node = (name: string, addresses: readonly (readonly [type: string, address: string])[], spec: object = {}) => ({
  metadata: { name },
  spec,
  status: { addresses: addresses.map(([type, address]) => ({ type, address })) },
});

const NODES = {
  '/my-node1': node('my-node1', [
    ['ExternalIP', '54.10.11.1'],
    ['InternalIP', '2001:DB8::1'],
    ['InternalIP', '10.0.1.1'],
  ]),
};
const pod = (annotations: Readonly<Record<string, string>>, nodeName = 'my-node1') => ({
  ...annotated(annotations),
  spec: { hostNetwork: true, nodeName },
  status: { podIP: '10.0.1.1' },
});

const routeGroup = (hosts: readonly string[], ...lb: readonly object[]) => ({
  spec: { hosts },
  status: { loadBalancer: { routeGroup: lb } },
});

const traefik = (...matches: readonly string[]) => ({
  ...annotated({ [`${AT}target`]: 'target.domain.tld', [`${AT}hostname`]: 'f.example.com' }),
  spec: { routes: matches.map((match) => ({ match })) },
});

const CASES: Readonly<Record<string, readonly Case[]>> = {
  traefikTcp: [
    [
      'two rules',
      traefik('HostSNI(`d.example.com`) || HostSNI(`e.example.com`)'),
      ['d', 'e', 'f'].map((name) => `${name}.example.com. - CNAME target.domain.tld.`),
    ],
  ],
  traefikUdp: [['annotations', traefik(), ['f.example.com. - CNAME target.domain.tld.']]],
  ambassadorHosts: [
    ['an address', ambassadorHost(), ['www.example.org. - A 1.1.1.1'], ambassador({}, { ip: '1.1.1.1' })],
    [
      'a host name',
      ambassadorHost(),
      ['www.example.org. - A 1.1.1.1', 'www.example.org. - CNAME dns.google.'],
      ambassador({}, { ip: '1.1.1.1', hostname: 'dns.google' }),
    ],
    [
      'external addresses',
      ambassadorHost(),
      ['www.example.org. - A 2.2.2.2'],
      ambassador({ externalIPs: ['2.2.2.2'] }, { ip: '1.1.1.1' }),
    ],
    [
      'the annotation target',
      ambassadorHost({ [`${AT}target`]: '3.3.3.3' }),
      ['www.example.org. - A 3.3.3.3'],
      ambassador({}, { ip: '1.1.1.1' }),
    ],
    [
      'a TTL',
      ambassadorHost({ [`${AT}ttl`]: '180' }),
      ['www.example.org. 180 A 1.1.1.1'],
      ambassador({}, { ip: '1.1.1.1' }),
    ],
    ['no annotation', { spec: { hostname: 'www.example.org' } }, [], ambassador({}, { ip: '1.1.1.1' })],
    ['no such Service', ambassadorHost(), waits],
  ],
  f5TransportServers: [...F5, ['another status', f5({}, '192.168.1.100', 'Pending'), waits]],
  f5VirtualServers: [
    ...F5,
    [
      'aliases',
      f5({ hostAliases: ['alias1.example.com', 'alias2.example.com'] }, '192.168.1.100'),
      ['www', 'alias1', 'alias2'].map((name) => `${name}.example.com. - A 192.168.1.100`),
    ],
  ],
  kongTcpIngresses: [
    [
      'an annotation, and rules without a host',
      {
        ...annotated({ [`${BEFORE}hostname`]: 'a.example.com' }),
        spec: { rules: [{ port: 30000 }, { port: 30001 }] },
        status: { loadBalancer: { ingress: [{ hostname: LOAD_BALANCER }] } },
      },
      ['A', 'AAAA'].map((type) => `a.example.com. - ${type} alias ${LOAD_BALANCER}.`),
    ],
    [
      'hosts of rules',
      {
        spec: { rules: [{ port: 30002, host: 'b.example.com' }, { host: 'c.example.com' }] },
        status: { loadBalancer: { ingress: [{ ip: '203.2.45.7' }] } },
      },
      ['b.example.com. - A 203.2.45.7', 'c.example.com. - A 203.2.45.7'],
    ],
    ['no address', { spec: { rules: [{ host: 'b.example.com' }] } }, waits],
  ],
  nodes: [
    ['an external address', node('node1', [['ExternalIP', '1.2.3.4']]), ['node1.nodes.example.org. - A 1.2.3.4']],
    [
      'two external addresses',
      node('node1', [
        ['ExternalIP', '1.2.3.4'],
        ['ExternalIP', '5.6.7.8'],
      ]),
      ['node1.nodes.example.org. - A 1.2.3.4,5.6.7.8'],
    ],
    [
      'external and internal addresses',
      node('node1', [
        ['ExternalIP', '1.2.3.4'],
        ['InternalIP', '2.3.4.5'],
        ['InternalIP', '2001:DB8::8'],
      ]),
      ['node1.nodes.example.org. - A 1.2.3.4'],
    ],
    [
      'internal addresses alone',
      node('node1', [
        ['InternalIP', '2.3.4.5'],
        ['InternalIP', '2001:DB8::8'],
      ]),
      ['node1.nodes.example.org. - A 2.3.4.5', 'node1.nodes.example.org. - AAAA 2001:db8::8'],
    ],
    ['no address', node('node1', []), waits],
    ['a cordoned Node', node('node1', [['ExternalIP', '1.2.3.4']], { unschedulable: true }), []],
    [
      'a TTL, and the annotation target',
      {
        ...node('node1', [['ExternalIP', '1.2.3.4']]),
        metadata: { name: 'node1', annotations: { [`${BEFORE}ttl`]: '10', [`${AT}target`]: '203.2.45.7' } },
      },
      ['node1.nodes.example.org. 10 A 203.2.45.7'],
    ],
  ],
  skipperRouteGroups: [
    [
      'a host name',
      routeGroup(['rg1.k8s.example'], { hostname: 'lb.example.org' }),
      ['rg1.k8s.example. - CNAME lb.example.org.'],
    ],
    [
      'both',
      routeGroup(['rg1.k8s.example'], { hostname: 'lb.example.org', ip: '1.5.1.4' }),
      ['rg1.k8s.example. - A 1.5.1.4', 'rg1.k8s.example. - CNAME lb.example.org.'],
    ],
    [
      'annotations',
      {
        ...routeGroup(['rg1.k8s.example'], { hostname: 'lb.example.org' }),
        ...annotated({ [`${AT}hostname`]: 'my.example', [`${AT}ttl`]: '2189' }),
      },
      ['rg1.k8s.example. 2189 CNAME lb.example.org.', 'my.example. 2189 CNAME lb.example.org.'],
    ],
    ['no host', routeGroup([], { hostname: 'lb.example.org' }), []],
    ['no address', routeGroup(['rg1.k8s.example']), waits],
    ['nothing', {}, []],
  ],
  virtualMachines: [
    [
      'annotations',
      annotated({ [`${AT}hostname`]: 'my-vm.example.com', [`${AT}target`]: '::1234:5678' }),
      ['my-vm.example.com. - AAAA ::1234:5678'],
    ],
    [
      'a TTL',
      annotated({ [`${AT}hostname`]: 'my-vm.example.com', [`${AT}target`]: '203.0.113.10', [`${AT}ttl`]: '300' }),
      ['my-vm.example.com. 300 A 203.0.113.10'],
    ],
    [
      'its name and the status, as by templates',
      { metadata: { name: 'my-vm' }, status: { interfaces: [{ ipAddress: '10.244.1.50', name: 'default' }] } },
      ['my-vm.vm.example.org. - A 10.244.1.50'],
    ],
    [
      'another controller',
      annotated({ [`${AT}hostname`]: 'my-vm.example.com', [`${AT}target`]: '1.1.1.0', [`${AT}controller`]: 'custom' }),
      [],
    ],
  ],
  glooProxies: [
    [
      'the domains of all virtual hosts',
      {
        metadata: { namespace: 'gloo-system', name: 'internal' },
        spec: {
          listeners: [
            { httpListener: { virtualHosts: [{ domains: ['a.test', 'b.test'] }, { domains: ['c.test'] }] } },
            { tcpListener: {} },
          ],
        },
      },
      ['a', 'b', 'c'].map((name) => `${name}.test. - A 203.0.113.1,203.0.113.2`),
      {
        'gloo-system/internal': {
          status: { loadBalancer: { ingress: [{ ip: '203.0.113.1' }, { ip: '203.0.113.2' }] } },
        },
      },
    ],
  ],
  pods: [
    [
      'the addresses of its Node',
      pod({ [`${AT}hostname`]: 'a.foo.example.org' }),
      ['a.foo.example.org. - A 54.10.11.1', 'a.foo.example.org. - AAAA 2001:db8::1'],
      NODES,
    ],
    [
      'the annotation target',
      pod({ [`${AT}hostname`]: 'a.foo.example.org', [`${AT}target`]: '208.1.2.1' }),
      ['a.foo.example.org. - A 208.1.2.1'],
      NODES,
    ],
    ['another Node', pod({ [`${AT}hostname`]: 'a.foo.example.org' }, 'my-node2'), waits, NODES],
    ['no annotation', pod({}), [], NODES],
  ],
};

test('the table has each source of external-dns once, and names what there is', () => {
  const table = [...SECTION.matchAll(/^\| (`[^|]*) \| ([^|]*) \|/gm)].map(([, names = '', ours = '']) => ({
    names,
    ours,
  }));
  const quoted = (cell: string) => [...cell.matchAll(/`([^`]+)`/g)].map(([, text]) => text ?? '');
  expect(table.flatMap(({ names }) => quoted(names)).toSorted()).toEqual(SOURCES);
  const ours = table.flatMap(({ ours }) => quoted(ours));
  const known = [...SOURCE_KEYS, ...PRESET_NAMES, ...ROWS.keys()] as readonly string[];
  expect(ours.filter((name) => !known.includes(name))).toEqual([]);
  expect([...PRESET_NAMES, ...ROWS.keys()].filter((name) => !ours.includes(name))).toEqual([]);
});

test('each row of the page is tried here, and reads the kind that external-dns reads', () => {
  expect([...ROWS.keys()].toSorted()).toEqual(Object.keys(CASES).toSorted());
  const read = [...ROWS].map(([key, { group, version, resource, apiKind, scope }]) =>
    [key, `${group}/${version}`, resource, apiKind, scope].join(' '),
  );
  expect(read).toEqual([
    'traefikTcp traefik.io/v1alpha1 ingressroutetcps IngressRouteTCP namespaced',
    'traefikUdp traefik.io/v1alpha1 ingressrouteudps IngressRouteUDP namespaced',
    'ambassadorHosts getambassador.io/v2 hosts Host namespaced',
    'f5TransportServers cis.f5.com/v1 transportservers TransportServer namespaced',
    'f5VirtualServers cis.f5.com/v1 virtualservers VirtualServer namespaced',
    'kongTcpIngresses configuration.konghq.com/v1beta1 tcpingresses TCPIngress namespaced',
    'nodes /v1 nodes Node cluster',
    'skipperRouteGroups zalando.org/v1 routegroups RouteGroup namespaced',
    'virtualMachines kubevirt.io/v1 virtualmachineinstances VirtualMachineInstance namespaced',
    'glooProxies gloo.solo.io/v1 proxies Proxy namespaced',
    'pods /v1 pods Pod namespaced',
  ]);
});

describe.each(Object.entries(CASES))('the row %s', (key, cases) => {
  for (const [what, object, expected, related = {}] of cases)
    test(what, () => {
      const whole = { lines: [], wrong: [], waits: false };
      expect(endpointsOf(ROWS.get(key) as Source, object, related)).toEqual({
        ...whole,
        ...('length' in expected ? { lines: expected } : expected),
      });
    });
});
