import { describe, expect, test } from 'vitest';
import {
  ACCEPTED,
  ALL,
  gateway,
  NOTHING,
  PUBLISHED,
  routeLines,
  TO_GW,
  WWW,
} from '../../../test/support/route-manifests.ts';

describe('a route is attached', () => {
  const to = (parentRefs: readonly unknown[], parents?: readonly unknown[], listeners: readonly object[] = [{}]) =>
    routeLines({ hostnames: WWW, parentRefs, ...(parents === undefined ? {} : { parents }) }, [gateway(listeners)]);
  const said = (parentRef: unknown, conditions: readonly unknown[] = ACCEPTED, controllerName = 'a/b') => [
    { parentRef, conditions, controllerName },
  ];

  test.each([
    ['accepted by its Gateway', [TO_GW], said(TO_GW), true],
    ['not accepted', [TO_GW], said(TO_GW, [{ type: 'Accepted', status: 'False' }]), false],
    ['without Accepted', [TO_GW], said(TO_GW, [{ type: 'ResolvedRefs', status: 'True' }]), false],
    ['without a status', [TO_GW], [], false],
    [
      'accepted by a Gateway that its spec no longer names',
      [{ name: 'other', namespace: 'infra' }],
      said(TO_GW),
      false,
    ],
    ['with no reference at all', [], said(TO_GW), false],
    ['accepted only in our own entry', [TO_GW], said(TO_GW, ACCEPTED, 'zone53.dev/dns'), false],
    [
      'named with group and kind',
      [{ group: 'gateway.networking.k8s.io', kind: 'Gateway', ...TO_GW }],
      said(TO_GW),
      true,
    ],
    ['named with another kind', [{ kind: 'Service', ...TO_GW }], said({ kind: 'Service', ...TO_GW }), false],
    ['named in another group', [{ group: 'x.example', ...TO_GW }], said({ group: 'x.example', ...TO_GW }), false],
    ['to a missing Gateway of its own namespace', [{ name: 'gw' }], said({ name: 'gw' }), false],
    ['by section name', [{ ...TO_GW, sectionName: 'http' }], said({ ...TO_GW, sectionName: 'http' }), true],
    [
      'by a section name that no listener has',
      [{ ...TO_GW, sectionName: 'https' }],
      said({ ...TO_GW, sectionName: 'https' }),
      false,
    ],
    [
      'by a section name that it no longer names',
      [{ ...TO_GW, sectionName: 'http' }],
      said({ ...TO_GW, sectionName: 'old' }),
      false,
    ],
    ['by port', [{ ...TO_GW, port: 80 }], said({ ...TO_GW, port: 80 }), true],
    ['by a port that no listener has', [{ ...TO_GW, port: 443 }], said({ ...TO_GW, port: 443 }), false],
    [
      'by section name and port of two listeners',
      [{ ...TO_GW, sectionName: 'http', port: 443 }],
      said({ ...TO_GW, sectionName: 'http', port: 443 }),
      false,
    ],
  ])('%s', (_, parentRefs, parents, isAttached) => {
    expect(to(parentRefs, parents as never)).toEqual(isAttached ? PUBLISHED : NOTHING);
  });

  test('only to the listener of its section', () => {
    const listeners = [
      { name: 'a', hostname: 'a.example.org' },
      { name: 'b', hostname: 'b.example.org' },
    ];
    const route = { parentRefs: [{ ...TO_GW, sectionName: 'b' }] };
    expect(routeLines(route, [gateway(listeners)]).endpoints).toEqual(['b.example.org. A 192.0.2.1']);
  });

  test.each([
    ['HTTPRoute', { protocol: 'HTTP' }, true],
    ['HTTPRoute', { protocol: 'HTTPS' }, true],
    ['HTTPRoute', { protocol: 'TLS' }, false],
    ['HTTPRoute', { protocol: 'example.com/own' }, true],
    ['GRPCRoute', { protocol: 'HTTPS' }, true],
    ['TLSRoute', { protocol: 'TLS' }, true],
    ['TLSRoute', { protocol: 'HTTPS' }, false],
    ['HTTPRoute', { allowedRoutes: { namespaces: { from: 'All' }, kinds: [{ kind: 'HTTPRoute' }] } }, true],
    ['HTTPRoute', { allowedRoutes: { namespaces: { from: 'All' }, kinds: [{ kind: 'GRPCRoute' }] } }, false],
    [
      'TLSRoute',
      { protocol: 'HTTPS', allowedRoutes: { namespaces: { from: 'All' }, kinds: [{ kind: 'TLSRoute' }] } },
      false,
    ],
    [
      'TLSRoute',
      { protocol: 'a.example/own', allowedRoutes: { namespaces: { from: 'All' }, kinds: [{ kind: 'TLSRoute' }] } },
      true,
    ],
    [
      'HTTPRoute',
      { allowedRoutes: { namespaces: { from: 'All' }, kinds: [{ group: 'x.example', kind: 'HTTPRoute' }] } },
      false,
    ],
  ])('%s to a listener with %j: %s', (kind, listener, isAttached) => {
    expect(routeLines({ kind, hostnames: WWW }, [gateway([listener])])).toEqual(isAttached ? PUBLISHED : NOTHING);
  });

  const team = { matchLabels: { team: 'shop' } };
  const labelled = { kind: 'Namespace', metadata: { name: 'shop', labels: { team: 'shop' } } };
  test.each([
    ['All', { from: 'All' }, [], true],
    ['Same, for a Gateway of another namespace', { from: 'Same' }, [], false],
    ['no setting, which means Same', {}, [], false],
    ['a selector that its Namespace meets', { from: 'Selector', selector: team }, [labelled], true],
    [
      'a selector that its Namespace does not meet',
      { from: 'Selector', selector: { matchLabels: { team: 'x' } } },
      [labelled],
      false,
    ],
    ['a selector and a missing Namespace', { from: 'Selector', selector: team }, [], false],
    [
      'a selector by the label that every Namespace has',
      { from: 'Selector', selector: { matchLabels: { 'kubernetes.io/metadata.name': 'shop' } } },
      [],
      true,
    ],
    [
      'a selector of expressions',
      { from: 'Selector', selector: { matchExpressions: [{ key: 'team', operator: 'In', values: ['shop'] }] } },
      [labelled],
      true,
    ],
    ['an empty selector', { from: 'Selector', selector: {} }, [labelled], true],
    ['no selector', { from: 'Selector' }, [labelled], false],
    ['an invalid selector', { from: 'Selector', selector: { matchLabels: 5 } }, [labelled], false],
    ['an unknown value', { from: 'Some' }, [labelled], false],
  ])('from namespaces: %s', (_, namespaces, related, isAttached) => {
    const found = routeLines({ hostnames: WWW }, [gateway([{ allowedRoutes: { namespaces } }]), ...related]);
    expect(found).toEqual(isAttached ? PUBLISHED : NOTHING);
  });

  test('only to Gateways of the namespaces that the operator names', () => {
    const settings = (gatewayNamespaces: readonly string[]) => ({ settings: { gatewayNamespaces } });
    expect(routeLines({ hostnames: WWW }, [gateway([{}])], settings(['infra']))).toEqual(PUBLISHED);
    expect(routeLines({ hostnames: WWW }, [gateway([{}])], settings(['edge']))).toEqual(NOTHING);
  });

  test('only where its kind is read', () => {
    expect(routeLines({ hostnames: WWW }, [gateway([{}])], { settings: { kinds: ['GRPCRoute'] } })).toEqual(NOTHING);
  });
});

describe.each([
  ['ListenerSet', {}],
  ['XListenerSet', { group: 'gateway.networking.x-k8s.io' }],
])('a %s', (kind, inGroup) => {
  const set = (more: object = {}, parentRef: object = TO_GW) => ({
    kind,
    metadata: { name: 'extra', namespace: 'edge', ...more },
    spec: { parentRef, listeners: [{ ...ALL, hostname: '*.extra.example.org' }] },
  });
  const parentRefs = [{ ...inGroup, kind, name: 'extra', namespace: 'edge' }];
  const owned = gateway([{ hostname: 'other.example.org' }]);

  test('attaches to its own listeners, and leads to its Gateway', () => {
    const found = routeLines({ hostnames: ['a.extra.example.org', 'other.example.org'], parentRefs }, [set(), owned]);
    expect(found).toEqual({ ...NOTHING, endpoints: ['a.extra.example.org. A 192.0.2.1'] });
  });

  test('has its own target before that of its Gateway', () => {
    const annotations = { 'external-dns.kubernetes.io/target': '203.0.113.1' };
    expect(routeLines({ parentRefs }, [set({ annotations }), owned]).endpoints).toEqual([
      '*.extra.example.org. A 203.0.113.1',
    ]);
    const annotated = { ...owned, metadata: { name: 'gw', namespace: 'infra', annotations } };
    expect(routeLines({ parentRefs }, [set(), annotated]).endpoints).toEqual(['*.extra.example.org. A 203.0.113.1']);
  });

  test('of another group is none', () => {
    const other = [{ ...parentRefs[0], group: 'acme.example' }];
    expect(routeLines({ parentRefs: other }, [set(), owned])).toEqual(NOTHING);
  });

  test('without its Gateway, or in a ring, attaches to nothing', () => {
    expect(routeLines({ parentRefs }, [set()])).toEqual(NOTHING);
    expect(routeLines({ parentRefs }, [set({}, parentRefs[0])])).toEqual(NOTHING);
    expect(routeLines({ parentRefs }, [owned])).toEqual(NOTHING);
  });

  test('is limited by the namespaces of Gateways, too', () => {
    expect(routeLines({ parentRefs }, [set(), owned], { settings: { gatewayNamespaces: ['edge'] } })).toEqual(NOTHING);
  });

  const labelled = { kind: 'Namespace', metadata: { name: 'edge', labels: { team: 'edge' } } };
  const team = (name: string) => ({ from: 'Selector', selector: { matchLabels: { team: name } } });
  test.each([
    ['nothing', undefined, true],
    ['an empty setting, which means None', {}, false],
    ['no namespace', { namespaces: { from: 'None' } }, false],
    ['its own namespace', { namespaces: { from: 'Same' } }, false],
    ['all namespaces', { namespaces: { from: 'All' } }, true],
    ['namespaces with its label', { namespaces: team('edge') }, true],
    ['namespaces with another label', { namespaces: team('other') }, false],
    ['namespaces by a selector that is missing', { namespaces: { from: 'Selector' } }, false],
  ])('of another namespace, where its Gateway says %s', (_, allowedListeners, isAttached) => {
    const spec = allowedListeners === undefined ? {} : { allowedListeners };
    const found = routeLines({ parentRefs }, [set(), gateway([], { spec }), labelled]);
    expect(found.endpoints).toEqual(isAttached ? ['*.extra.example.org. A 192.0.2.1'] : []);
  });

  test('of the namespace of its Gateway, which allows its own', () => {
    const parent = gateway([], {
      metadata: { namespace: 'edge' },
      spec: { allowedListeners: { namespaces: { from: 'Same' } } },
    });
    const found = routeLines({ parentRefs }, [set({}, { name: 'gw' }), parent]);
    expect(found.endpoints).toEqual(['*.extra.example.org. A 192.0.2.1']);
  });
});
