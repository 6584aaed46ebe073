import { describe, expect, test } from 'vitest';
import {
  ALL,
  gateway,
  NOTHING,
  PUBLISHED,
  type Route,
  routeLines,
  TO_GW,
  WWW,
} from '../../../test/support/route-manifests.ts';
import type { linesOf } from '../../../test/support/source-lines.ts';
import { intersection } from './gateway-route.ts';

type Around = Parameters<typeof linesOf>[2];

describe('intersection()', () => {
  test.each([
    ['www.example.org.', 'www.example.org.', 'www.example.org.'],
    ['www.example.org.', '*.example.org.', 'www.example.org.'],
    ['a.b.example.org.', '*.example.org.', 'a.b.example.org.'],
    ['*.example.org.', 'www.example.org.', 'www.example.org.'],
    ['*.example.org.', '*.example.org.', '*.example.org.'],
    ['*.a.example.org.', '*.example.org.', '*.a.example.org.'],
    ['*.example.org.', '*.a.example.org.', '*.a.example.org.'],
    ['example.org.', '*.example.org.', null],
    ['www.example.org.', 'example.org.', null],
    ['wwwexample.org.', '*.example.org.', null],
    ['*.example.net.', '*.example.org.', null],
  ])('%s and %s', (a, b, expected) => {
    expect(intersection(a, b)).toBe(expected);
  });
});

describe('the names of a route', () => {
  const listen = (hostname?: string) => [gateway([{ hostname }])];

  test.each([
    ['its hostnames, where the listener takes every host', { hostnames: WWW }, undefined, ['www.example.org.']],
    [
      'its hostnames as the listener has them',
      { hostnames: ['www.example.org', 'x.example.net', '*.example.org'] },
      '*.example.org',
      ['www.example.org.', '*.example.org.'],
    ],
    [
      "the listener's, where its own is a wildcard",
      { hostnames: ['*.example.org'] },
      'www.example.org',
      ['www.example.org.'],
    ],
    ["the listener's own, where it has none", {}, '*.example.org', ['*.example.org.']],
    ['none, where neither has one', {}, undefined, []],
    ['none, where they have nothing in common', { hostnames: WWW }, 'api.example.org', []],
    [
      'those of its annotation too',
      { hostnames: WWW, annotations: { hostname: 'a.example.org,b.example.net' } },
      '*.example.org',
      ['www.example.org.', 'a.example.org.'],
    ],
    [
      "not the listener's own, where its annotation has one",
      { annotations: { hostname: 'a.example.org' } },
      '*.example.org',
      ['a.example.org.'],
    ],
    [
      'the defined ones',
      { hostnames: WWW, annotations: { hostname: 'a.example.org', 'gateway-hostname-source': 'defined-hosts-only' } },
      undefined,
      ['www.example.org.'],
    ],
    [
      'the annotated ones',
      { hostnames: WWW, annotations: { hostname: 'a.example.org', 'gateway-hostname-source': 'annotation-only' } },
      undefined,
      ['a.example.org.'],
    ],
    [
      'none by annotation-only without an annotation',
      { hostnames: WWW, annotations: { 'gateway-hostname-source': 'annotation-only' } },
      '*.example.org',
      [],
    ],
  ])('%s', (_, route, hostname, expected) => {
    const found = routeLines(route as Route, listen(hostname));
    expect(found.endpoints.map((line) => line.split(' ')[0])).toEqual(expected);
    expect(found.problems).toEqual([]);
  });

  test('are both used when the source annotation is unknown, which is a problem', () => {
    const annotations = { hostname: 'a.example.org', 'gateway-hostname-source': 'x' };
    const found = routeLines({ hostnames: WWW, annotations }, listen());
    expect(found.endpoints).toHaveLength(2);
    expect(found.problems).toHaveLength(1);
  });

  test('are made by the template when it has none', () => {
    const settings = { hostnameTemplate: '{name}.{namespace}.example.org' };
    expect(routeLines({}, listen('*.example.org'), { settings }).endpoints).toEqual([
      'web.shop.example.org. A 192.0.2.1',
    ]);
  });

  test.each(['TCPRoute', 'UDPRoute'])('%s has none in its spec', (kind) => {
    const protocol = kind.slice(0, 3);
    const related = [gateway([{ protocol }])];
    expect(routeLines({ kind, hostnames: WWW }, related)).toEqual(NOTHING);
    expect(routeLines({ kind, annotations: { hostname: 'www.example.org' } }, related)).toEqual(PUBLISHED);
  });
});

describe('the targets of a route', () => {
  const at = (gatewayMore: Parameters<typeof gateway>[1], around?: Around) =>
    routeLines({ hostnames: WWW }, [gateway([{}], gatewayMore)], around);
  const annotated = (target: string) => ({
    metadata: { name: 'gw', namespace: 'infra', annotations: { 'external-dns.alpha.kubernetes.io/target': target } },
  });

  test('are the addresses of its Gateway', () => {
    const addresses = [
      { value: '192.0.2.2' },
      { type: 'IPAddress', value: '2001:db8::1' },
      { type: 'Hostname', value: 'lb.example.net' },
      { type: 'example.com/own', value: 'x' },
      { type: 'NamedAddress', value: 'y' },
    ];
    expect(at({ status: { addresses } }).endpoints).toEqual([
      'www.example.org. A 192.0.2.2',
      'www.example.org. AAAA 2001:db8::1',
      'www.example.org. CNAME lb.example.net.',
    ]);
  });

  test('are those of the annotation on itself, else on its Gateway', () => {
    expect(at(annotated('203.0.113.1')).endpoints).toEqual(['www.example.org. A 203.0.113.1']);
    const route = { hostnames: WWW, annotations: { target: '203.0.113.9' } };
    for (const more of [{}, annotated('203.0.113.1'), { status: {} }])
      expect(routeLines(route, [gateway([{}], more)]).endpoints).toEqual(['www.example.org. A 203.0.113.9']);
  });

  test('that are wrong are said to be those of the Gateway', () => {
    expect(at(annotated('192.0.2.1/32')).problems).toEqual([
      expect.stringMatching(
        /^Gateway infra\/gw: annotation external-dns\.alpha\.kubernetes\.io\/target: "192\.0\.2\.1\/32"/,
      ),
    ]);
  });

  test('are those of every Gateway that it is attached to', () => {
    const second = {
      ...gateway([{}], { status: { addresses: [{ value: '192.0.2.9' }] } }),
      metadata: { name: 'gw2', namespace: 'infra' },
    };
    const parentRefs = [TO_GW, { name: 'gw2', namespace: 'infra' }];
    expect(routeLines({ hostnames: WWW, parentRefs }, [gateway([{}]), second]).endpoints).toEqual([
      'www.example.org. A 192.0.2.1,192.0.2.9',
    ]);
  });

  test('are waited for, unless the operator names default targets', () => {
    expect(at({ status: {} })).toEqual({ ...NOTHING, waits: ['www.example.org.'] });
    expect(at({ status: {} }, { settings: { defaultTargets: ['192.0.2.1'] } })).toEqual(PUBLISHED);
  });
});

describe('with inherit, a route', () => {
  const settings = { inherit: true };
  const ours = (annotations: Readonly<Record<string, string>>) =>
    Object.fromEntries(Object.entries(annotations).map(([key, value]) => [`external-dns.kubernetes.io/${key}`, value]));
  const annotated = (annotations: Readonly<Record<string, string>>, name = 'gw') =>
    gateway([{}], { metadata: { name, namespace: 'infra', annotations: ours(annotations) } });
  const endpointsOf = (annotations: Readonly<Record<string, string>>, ...gateways: readonly object[]) =>
    routeLines({ hostnames: WWW, annotations }, gateways, { settings }).endpoints;

  test('has the TTL and the routing of its Gateway, each where it has none', () => {
    const parent = annotated({ ttl: '60', 'set-identifier': 'one', 'aws-weight': '1' });
    expect(endpointsOf({}, parent)).toEqual(['www.example.org. A 60 192.0.2.1 one {"kind":"weight","weight":1}']);
    expect(endpointsOf({ ttl: '30', 'aws-weight': '9' }, parent)).toEqual([
      'www.example.org. A 30 192.0.2.1 one {"kind":"weight","weight":9}',
    ]);
  });

  test('has nothing of its Gateway without the setting', () => {
    expect(routeLines({ hostnames: WWW }, [annotated({ ttl: '60' })])).toEqual(PUBLISHED);
  });

  test('has those of its ListenerSet before those of the Gateway', () => {
    const set = {
      kind: 'ListenerSet',
      metadata: { name: 'set', namespace: 'shop', annotations: ours({ ttl: '20' }) },
      spec: { parentRef: TO_GW, listeners: [{ ...ALL, allowedRoutes: undefined }] },
    };
    const parentRefs = [{ kind: 'ListenerSet', name: 'set' }];
    const related = [annotated({ ttl: '60', alias: 'false' }), set];
    expect(routeLines({ hostnames: WWW, parentRefs }, related, { settings }).endpoints).toEqual([
      'www.example.org. A 20 192.0.2.1',
    ]);
  });

  test('has those of the first of two Gateways that has the key', () => {
    const parentRefs = [TO_GW, { name: 'gw2', namespace: 'infra' }];
    const gateways = [annotated({}), annotated({ ttl: '40' }, 'gw2')];
    expect(routeLines({ hostnames: WWW, parentRefs }, gateways, { settings }).endpoints).toEqual([
      'www.example.org. A 40 192.0.2.1',
    ]);
  });

  test('has neither the names of its Gateway nor its controller', () => {
    const about = { hostname: 'gw.example.org', controller: 'other', 'gateway-hostname-source': 'annotation-only' };
    expect(endpointsOf({}, annotated(about))).toEqual(['www.example.org. A 192.0.2.1']);
  });

  test('has a problem that names the Gateway when a value there cannot be read', () => {
    const found = routeLines({ hostnames: WWW }, [annotated({ 'aws-weight': 'x' })], { settings });
    expect(found).toMatchObject({
      endpoints: [],
      problems: ['Gateway infra/gw: annotation external-dns.kubernetes.io/aws-weight: "x" is not a whole number'],
    });
  });
});

test('a route has its own TTL and routing', () => {
  const annotations = { ttl: '60', 'set-identifier': 'one', 'aws-weight': '1' };
  expect(routeLines({ hostnames: WWW, annotations }, [gateway([{}])]).endpoints).toEqual([
    'www.example.org. A 60 192.0.2.1 one {"kind":"weight","weight":1}',
  ]);
});
