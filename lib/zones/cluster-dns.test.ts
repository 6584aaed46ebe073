// The names of a cluster's own DNS: who owns them, what is published there without an object, and who owns an address.
import { describe, expect, test } from 'vitest';
import { recordOf, zoneOf } from '../../test/support/declared.ts';
import type { Endpoint } from '../objects/endpoint.ts';
import type { DeclaredObject } from './adopt-endpoint.ts';
import { type ResolvedCluster, resolveCluster } from './resolve-cluster.ts';

const DNS = { zone: 'k.', ttlSeconds: 5 };
const CLUSTER = zoneOf('p/k', { domainName: 'k.', delegations: [] });
const OPEN = zoneOf('p/k', { domainName: 'k.' });
const REVERSE = zoneOf('p/r', { domainName: '10.in-addr.arpa.' });

function serviceOf(name: string, ...endpoints: readonly Partial<Endpoint>[]): DeclaredObject {
  const [namespace = '', own = ''] = name.split('/');
  const spec = endpoints.map((endpoint) => ({ zoneRef: null, class: 'IN', ttl: 5, ...endpoint }) as Endpoint);
  return {
    ...recordOf(name, { domainName: 'x.', type: 'A', rdata: '192.0.2.1' }),
    ref: { kind: 'Service', namespace, name: own },
    spec,
  };
}

function named(fqdn: string): Partial<Endpoint> {
  return { domainName: { kind: 'full', fqdn }, type: 'A', values: ['10.0.0.1'], clusterZone: 'k.' };
}

function reversed(target: string, reverse: 'clusterIP' | 'endpoint'): Partial<Endpoint> {
  const domainName = { kind: 'full', fqdn: '1.0.0.10.in-addr.arpa.' } as const;
  return { domainName, type: 'PTR', values: [target], clusterZone: 'k.', reverse };
}

function worldOf(zones: readonly ReturnType<typeof zoneOf>[], objects: readonly DeclaredObject[]): ResolvedCluster {
  return resolveCluster({ zones, objects, roots: null, hostings: new Map(), clusterDns: DNS });
}

/** "object name TYPE reason parent" */
function outcomesOf(world: ResolvedCluster): readonly string[] {
  return [...world.objects].flatMap(([object, outcomes]) =>
    outcomes.map(
      ({ fqdn, endpoint, verdict, parent }) => `${object} ${fqdn} ${endpoint?.type} ${verdict.reason} ${parent}`,
    ),
  );
}

function entriesOf(world: ResolvedCluster, key: string): readonly string[] {
  return (world.zones.get(key)?.entries ?? []).map(
    (entry) => `${entry.fqdn} ${entry.ttl} ${entry.type} ${'rdata' in entry ? entry.rdata : ''}`,
  );
}

describe("the names of a cluster's own DNS", () => {
  test('belong to their Zone whatever it delegates, and the version is published with them', () => {
    const world = worldOf([CLUSTER], [serviceOf('shop/web', named('web.shop.svc.k.'))]);
    expect(outcomesOf(world)).toEqual(['Service shop/web web.shop.svc.k. A Adopted p/k']);
    expect(entriesOf(world, 'p/k')).toEqual(['dns-version.k. 5 TXT "1.1.0"', 'web.shop.svc.k. 5 A 10.0.0.1']);
  });

  test('have no parent without a live Zone of exactly that name, and no PTR', () => {
    const above = zoneOf('p/top', { domainName: 'x.' });
    const service = serviceOf('shop/web', named('web.shop.svc.k.'), reversed('web.shop.svc.k.', 'clusterIP'));
    expect(outcomesOf(worldOf([above, REVERSE], [service]))).toEqual([
      'Service shop/web web.shop.svc.k. A ParentNotFound null',
    ]);
  });

  test.each(['svc.k.', 'web.shop.svc.k.', 'pod.k.', 'dns-version.k.', '*.k.', '*.svc.k.'])(
    'are denied to others, also where the Zone is not live: %s',
    (domainName) => {
      const record = recordOf('p/r', { domainName, type: 'A', rdata: '192.0.2.1' });
      expect(outcomesOf(worldOf([OPEN], [record]))).toEqual([`Record p/r ${domainName} A DelegationDenied null`]);
      expect(outcomesOf(worldOf([], [record]))).toEqual([`Record p/r ${domainName} A DelegationDenied null`]);
    },
  );

  test('leave all other names of the Zone to its delegations', () => {
    const record = recordOf('p/r', { domainName: 'www.k.', type: 'A', rdata: '192.0.2.1' });
    expect(outcomesOf(worldOf([OPEN], [record]))).toEqual(['Record p/r www.k. A Adopted p/k']);
  });

  test('can be neither a Zone nor a root', () => {
    const zones = [
      OPEN,
      zoneOf('p/svc', { domainName: 'shop.svc.k.' }),
      zoneOf('p/by-reference', { domainName: 'svc', zoneRef: { name: 'k' } }),
    ];
    for (const some of [zones, zones.slice(1, 2)]) {
      const world = worldOf(some, []);
      for (const key of ['p/svc', 'p/by-reference'].filter((one) => world.zones.has(one))) {
        expect(world.zones.get(key)).toMatchObject({ live: null, verdict: { reason: 'DelegationDenied' } });
      }
    }
  });
});

describe('a PTR', () => {
  const headless = serviceOf('evil/web', reversed('x.web.evil.svc.k.', 'endpoint'));
  const service = serviceOf('shop/web', reversed('web.shop.svc.k.', 'clusterIP'));

  test('is left out if no Zone covers it, or none delegates it', () => {
    const closed = zoneOf('p/r', {
      domainName: '10.in-addr.arpa.',
      delegations: [{ namespace: 'shop', records: [{ pattern: '*' }] }],
    });
    expect(outcomesOf(worldOf([CLUSTER], [headless, service]))).toEqual([]);
    expect(outcomesOf(worldOf([CLUSTER, closed], [headless]))).toEqual([]);
    expect(outcomesOf(worldOf([CLUSTER, closed], [service]))).toEqual([
      'Service shop/web 1.0.0.10.in-addr.arpa. PTR Adopted p/r',
    ]);
  });

  test('has a value for each name of the address, of one namespace unless the delegation is shared', () => {
    const other = serviceOf('shop/other', reversed('y.other.shop.svc.k.', 'endpoint'));
    const again = serviceOf('evil/again', reversed('z.again.evil.svc.k.', 'endpoint'));
    expect(entriesOf(worldOf([CLUSTER, REVERSE], [headless, other, again]), 'p/r')).toEqual([
      '1.0.0.10.in-addr.arpa. 5 PTR x.web.evil.svc.k.',
      '1.0.0.10.in-addr.arpa. 5 PTR z.again.evil.svc.k.',
    ]);
    const shared = zoneOf('p/r', {
      domainName: '10.in-addr.arpa.',
      delegations: [{ shared: true, records: [{ pattern: '*' }] }],
    });
    expect(entriesOf(worldOf([CLUSTER, shared], [headless, other]), 'p/r')).toEqual([
      '1.0.0.10.in-addr.arpa. 5 PTR x.web.evil.svc.k.',
      '1.0.0.10.in-addr.arpa. 5 PTR y.other.shop.svc.k.',
    ]);
  });

  test('of a cluster IP belongs only to its Service', () => {
    const world = worldOf([CLUSTER, REVERSE], [headless, service]);
    expect(outcomesOf(world)).toEqual(['Service shop/web 1.0.0.10.in-addr.arpa. PTR Adopted p/r']);
    expect(entriesOf(world, 'p/r')).toEqual(['1.0.0.10.in-addr.arpa. 5 PTR web.shop.svc.k.']);
  });

  test('of a cluster IP belongs to no Record, whoever is older, and whichever Service is read first', () => {
    const spec = { domainName: '1.0.0.10.in-addr.arpa.', type: 'PTR', rdata: 'thief.example.' };
    const txt = recordOf('p/txt', { ...spec, type: 'TXT', rdata: 'x' });
    const second = serviceOf('shop/again', reversed('again.shop.svc.k.', 'clusterIP'));
    for (const objects of [
      [recordOf('p/own', spec, { born: 0 }), service, second, txt],
      [second, service, recordOf('p/own', spec, { born: 9 }), txt],
    ]) {
      const world = worldOf([CLUSTER, REVERSE], objects);
      expect(world.objects.get('Record p/own')?.[0]?.verdict).toMatchObject({
        reason: 'Conflict',
        message: expect.stringContaining('the cluster IP of Service shop/again:'),
      });
      expect(entriesOf(world, 'p/r')).toEqual([
        '1.0.0.10.in-addr.arpa. 5 PTR web.shop.svc.k.',
        '1.0.0.10.in-addr.arpa. 5 PTR again.shop.svc.k.',
        '1.0.0.10.in-addr.arpa. 360 TXT "x"',
      ]);
    }
  });

  test('of an endpoint is published beside that of a Record, and beside one that no Zone adopts', () => {
    const spec = { domainName: '1.0.0.10.in-addr.arpa.', type: 'PTR', rdata: 'own.example.' };
    const record = recordOf('p/own', spec);
    const ofIts = recordOf('evil/own', spec);
    expect(entriesOf(worldOf([CLUSTER, REVERSE], [headless, ofIts]), 'p/r')).toHaveLength(2);
    const closed = zoneOf('p/r', {
      domainName: '10.in-addr.arpa.',
      delegations: [{ namespace: 'p', records: [{ pattern: '*' }] }],
    });
    expect(entriesOf(worldOf([CLUSTER, closed], [service, record]), 'p/r')).toEqual([
      '1.0.0.10.in-addr.arpa. 360 PTR own.example.',
    ]);
  });

  test('of a cluster IP is given to nobody else if its own Service may not have it', () => {
    const open = zoneOf('p/r', {
      domainName: '10.in-addr.arpa.',
      delegations: [{ namespace: 'evil', records: [{ pattern: '*' }] }],
    });
    const world = worldOf([CLUSTER, open], [headless, service]);
    expect(outcomesOf(world)).toEqual([]);
    expect(entriesOf(world, 'p/r')).toEqual([]);
    expect(entriesOf(worldOf([CLUSTER, open], [headless]), 'p/r')).toHaveLength(1);
  });
});
