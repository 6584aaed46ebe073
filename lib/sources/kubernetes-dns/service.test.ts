import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { NOTHING_RELATED, type RelatedObjects } from '../../objects/related.ts';
import type { SourceObject, SourceResult } from '../../objects/source.ts';
import type { DiscoverySettings } from '../../objects/source-settings.ts';
import { discoverPod } from './pod.ts';
import { discoverService, relatedOfService } from './service.ts';

const SETTINGS: DiscoverySettings = {
  zone: 'cluster.local.',
  ttlSeconds: 5,
  reverse: true,
  pods: 'verified',
  serviceSelector: null,
  settleSeconds: 1,
  guard: { servicesShareMax: 0.5, windowSeconds: 60 },
};
const NO_REVERSE = { ...SETTINGS, reverse: false };

function serviceOf(spec: unknown, name = 'web', namespace = 'shop'): SourceObject {
  return { ref: { kind: 'Service', namespace, name }, annotations: {}, labels: {}, spec };
}

function slicesAre(...slices: readonly unknown[]): RelatedObjects {
  const list: RelatedObjects['list'] = (kind, namespace, label) =>
    kind === 'EndpointSlice' && namespace === 'shop' && label?.value === 'web'
      ? slices.map((facts, index) => ({ ref: { kind, namespace, name: `web-${index}` }, facts }))
      : [];
  return { ...NOTHING_RELATED, list };
}

/** "name TYPE values", in text order. */
function linesOf(result: SourceResult): readonly string[] {
  if (!result.ok) throw new Error(result.problems.join('; '));
  return result.endpoints
    .map(({ domainName, type, values }) => {
      if (domainName.kind !== 'full') throw new Error('no full name');
      return `${domainName.fqdn} ${type} ${values.join(', ')}`;
    })
    .toSorted();
}

function problemsOf(result: SourceResult): readonly string[] {
  return result.ok ? (result.problems ?? []).map(({ message }) => message) : result.problems;
}

const PORTS = [{ name: 'https', port: 443, protocol: 'TCP' }, { port: 80 }, { name: 'dns', port: 53, protocol: 'UDP' }];

describe('discoverService()', () => {
  test('names a cluster IP and its named ports, and gives its address a PTR', () => {
    const found = discoverService(serviceOf({ clusterIPs: ['10.3.0.1'], ports: PORTS }), SETTINGS, NOTHING_RELATED);
    expect(linesOf(found)).toEqual([
      '1.0.3.10.in-addr.arpa. PTR web.shop.svc.cluster.local.',
      '_dns._udp.web.shop.svc.cluster.local. SRV 0 100 53 web.shop.svc.cluster.local.',
      '_https._tcp.web.shop.svc.cluster.local. SRV 0 100 443 web.shop.svc.cluster.local.',
      'web.shop.svc.cluster.local. A 10.3.0.1',
    ]);
    const endpoints = found.ok ? found.endpoints : [];
    expect(endpoints.map(({ ttl }) => ttl)).toEqual([5, 5, 5, 5]);
    expect(endpoints.flatMap(({ clusterZone }) => clusterZone ?? [])).toEqual(Array(4).fill('cluster.local.'));
    expect(endpoints.flatMap(({ reverse }) => reverse ?? [])).toEqual(['clusterIP']);
  });

  test.each<[string, object, readonly string[]]>([
    [
      'both families',
      { clusterIPs: ['10.3.0.1', 'FD00::1'] },
      ['web.shop.svc.cluster.local. A 10.3.0.1', 'web.shop.svc.cluster.local. AAAA fd00::1'],
    ],
    [
      'clusterIP where clusterIPs is empty',
      { clusterIPs: [], clusterIP: '10.3.0.1' },
      ['web.shop.svc.cluster.local. A 10.3.0.1'],
    ],
    ['a LoadBalancer', { type: 'LoadBalancer', clusterIP: '10.3.0.1' }, ['web.shop.svc.cluster.local. A 10.3.0.1']],
    ['no address', { clusterIP: '', ports: PORTS }, []],
    [
      'an ExternalName',
      { type: 'ExternalName', externalName: 'WWW.example.com' },
      ['web.shop.svc.cluster.local. CNAME www.example.com.'],
    ],
    ['an ExternalName that is an address', { type: 'ExternalName', externalName: '192.0.2.1' }, []],
    ['an ExternalName without a name', { type: 'ExternalName' }, []],
    ['a headless Service without slices', { clusterIP: 'None', ports: PORTS }, []],
  ])('%s', (_, spec, lines) => {
    expect(linesOf(discoverService(serviceOf(spec), NO_REVERSE, NOTHING_RELATED))).toEqual(lines);
  });

  test('names the ready endpoints of a headless Service by their hostnames or addresses', () => {
    const related = slicesAre(
      {
        addressType: 'IPv4',
        endpoints: [
          { addresses: ['10.0.3.7'], hostname: 'Pet' },
          { addresses: ['10.0.3.8'], conditions: { ready: true } },
          { addresses: ['10.0.3.9'], conditions: { ready: false } },
        ],
        ports: [{ name: 'https', port: 8443, protocol: 'TCP' }, { port: 80 }, { name: 'none', port: null }],
      },
      {
        addressType: 'IPv6',
        endpoints: [{ addresses: ['2001:db8::7'], hostname: 'pet' }, { addresses: ['::1'] }],
        ports: null,
      },
      { addressType: 'FQDN', endpoints: [{ addresses: ['example.com'] }] },
    );
    const spec = { clusterIP: 'None', clusterIPs: ['None'], ports: [{ name: 'other', port: 1 }] };
    expect(relatedOfService(serviceOf(spec))).toHaveLength(1);
    expect(linesOf(discoverService(serviceOf(spec), NO_REVERSE, related))).toEqual([
      '0--1.web.shop.svc.cluster.local. AAAA ::1',
      '10-0-3-8.web.shop.svc.cluster.local. A 10.0.3.8',
      '_https._tcp.web.shop.svc.cluster.local. SRV 0 100 8443 pet.web.shop.svc.cluster.local., 0 100 8443 10-0-3-8.web.shop.svc.cluster.local.',
      'pet.web.shop.svc.cluster.local. A 10.0.3.7',
      'pet.web.shop.svc.cluster.local. AAAA 2001:db8::7',
      'web.shop.svc.cluster.local. A 10.0.3.7, 10.0.3.8',
      'web.shop.svc.cluster.local. AAAA ::1, 2001:db8::7',
    ]);
    const reversed = linesOf(discoverService(serviceOf(spec), SETTINGS, related)).filter((line) =>
      line.includes(' PTR '),
    );
    expect(reversed).toEqual([
      `1.${'0.'.repeat(31)}ip6.arpa. PTR 0--1.web.shop.svc.cluster.local.`,
      `7.${'0.'.repeat(23)}8.b.d.0.1.0.0.2.ip6.arpa. PTR pet.web.shop.svc.cluster.local.`,
      '7.3.0.10.in-addr.arpa. PTR pet.web.shop.svc.cluster.local.',
      '8.3.0.10.in-addr.arpa. PTR 10-0-3-8.web.shop.svc.cluster.local.',
    ]);
  });

  test('counts endpoints that are not ready if the Service says so, and puts all addresses of one hostname into one set', () => {
    const endpoints = [
      { addresses: ['10.0.3.7', '10.0.3.6'], hostname: 'pet', conditions: { ready: false } },
      { addresses: ['10.0.3.5'], hostname: 'pet' },
    ];
    const spec = { clusterIP: 'None', publishNotReadyAddresses: true };
    const related = slicesAre({ addressType: 'IPv4', endpoints });
    expect(linesOf(discoverService(serviceOf(spec), NO_REVERSE, related))).toEqual([
      'pet.web.shop.svc.cluster.local. A 10.0.3.5, 10.0.3.6, 10.0.3.7',
      'web.shop.svc.cluster.local. A 10.0.3.5, 10.0.3.6, 10.0.3.7',
    ]);
  });

  test('names invalid addresses, and keeps the others', () => {
    const endpoints = [{ addresses: ['10.0.3.999', '10.0.3.7'] }, { addresses: ['fd00::1'] }, { addresses: [] }, 'x'];
    const found = discoverService(
      serviceOf({ clusterIP: 'None' }),
      NO_REVERSE,
      slicesAre({ addressType: 'IPv4', endpoints }),
    );
    expect(linesOf(found)).toEqual([
      '10-0-3-7.web.shop.svc.cluster.local. A 10.0.3.7',
      'web.shop.svc.cluster.local. A 10.0.3.7',
    ]);
    expect(problemsOf(found)).toEqual([
      'EndpointSlice web-0: "10.0.3.999" is not an IPv4 address; it is left out',
      'EndpointSlice web-0: "fd00::1" is not an IPv4 address; it is left out',
    ]);
  });

  test.each<[string, string]>([
    ['192.0.2.1', 'is an IP address'],
    ['192.0.2.1.', 'is an IP address'],
    ['2001:db8::1', 'is an IP address'],
    ['256.1.1.1', 'a host name is required'],
    ['a b', 'Cannot parse name "a b"'],
    ['a..b', 'label 2 is empty'],
    ['.', 'is the DNS root'],
    ['', 'it is missing'],
  ])('says that an ExternalName is not a host name, and keeps the last valid one: %s', (externalName, words) => {
    const found = discoverService(serviceOf({ type: 'ExternalName', externalName }), SETTINGS, NOTHING_RELATED);
    const said = { message: expect.stringMatching(/^spec\.externalName: /), leavesOut: null };
    expect(found).toMatchObject({ endpoints: [], problems: [said], wants: ['web.shop.svc.cluster.local.'] });
    expect(problemsOf(found)[0]).toContain(words);
  });

  test('makes no name with more labels than the specification has, and says why', () => {
    const spec = {
      clusterIP: '10.0.0.1',
      ports: [
        { name: 'a.b', port: 1 },
        { name: 'ok', port: 2 },
      ],
    };
    const found = discoverService(serviceOf(spec), NO_REVERSE, NOTHING_RELATED);
    expect(linesOf(found)).toEqual([
      '_ok._tcp.web.shop.svc.cluster.local. SRV 0 100 2 web.shop.svc.cluster.local.',
      'web.shop.svc.cluster.local. A 10.0.0.1',
    ]);
    expect(problemsOf(found)).toEqual(['spec.ports: port "a.b": "_a.b" is more than one label; this name is left out']);
    // This would be the name of another Service's endpoint.
    const dotted = discoverService(serviceOf(spec, 'db-0.db'), SETTINGS, NOTHING_RELATED);
    expect(linesOf(dotted)).toEqual([]);
    expect(problemsOf(dotted)).toEqual(['metadata.name: "db-0.db" is more than one label; this name is left out']);
    const related = slicesAre({ addressType: 'IPv4', endpoints: [{ addresses: ['10.0.3.7'], hostname: 'a.b' }] });
    const headless = discoverService(serviceOf({ clusterIP: 'None' }), NO_REVERSE, related);
    expect(linesOf(headless)).toEqual(['web.shop.svc.cluster.local. A 10.0.3.7']);
    expect(problemsOf(headless)).toEqual([
      'EndpointSlice web-0: hostname: "a.b" is more than one label; this name is left out',
    ]);
  });

  test('publishes the first 400 values in canonical order', () => {
    const endpoints = Array.from({ length: 401 }, (_, index) => ({
      addresses: [`10.0.${255 - (index >> 8)}.${255 - (index & 255)}`],
      hostname: `h${index}`,
    }));
    const found = discoverService(
      serviceOf({ clusterIP: 'None' }),
      NO_REVERSE,
      slicesAre({ addressType: 'IPv4', endpoints }),
    );
    const all = found.ok ? found.endpoints : [];
    const base = all.find(({ domainName }) => domainName.kind === 'full' && domainName.fqdn.startsWith('web.'));
    expect(base?.values).toHaveLength(400);
    expect(base?.values[0]).toBe('10.0.254.111');
    expect(base?.values).not.toContain('10.0.255.255');
    expect(all).toHaveLength(402);
    expect(problemsOf(found)).toEqual([
      expect.stringMatching(/^TooManyEndpoints: web\.shop\.svc\.cluster\.local\. A has 401 values/),
    ]);
  });

  test('leaves out only a name that is too long, with the SRV values that would lead to it', () => {
    const zone = `${'z'.repeat(60)}.${'y'.repeat(60)}.${'x'.repeat(60)}.${'w'.repeat(40)}.`;
    const related = slicesAre({
      addressType: 'IPv4',
      endpoints: [
        { addresses: ['10.0.3.7'], hostname: 'h'.repeat(20) },
        { addresses: ['10.0.3.8'], hostname: 'i' },
      ],
      ports: [{ name: 'p', port: 1 }],
    });
    const found = discoverService(serviceOf({ clusterIP: 'None' }), { ...NO_REVERSE, zone }, related);
    expect(linesOf(found).map((line) => line.replaceAll(zone, 'zone.'))).toEqual([
      '_p._tcp.web.shop.svc.zone. SRV 0 100 1 i.web.shop.svc.zone.',
      'i.web.shop.svc.zone. A 10.0.3.8',
      'web.shop.svc.zone. A 10.0.3.7, 10.0.3.8',
    ]);
    expect(problemsOf(found)).toEqual([expect.stringContaining('octets long, more than 255')]);
  });

  test('gives a result for any values in a Service, its slices or a Pod', () => {
    const field = fc.constantFrom(
      'type',
      'clusterIP',
      'clusterIPs',
      'ports',
      'externalName',
      'endpoints',
      'addresses',
      'addressType',
      'podIPs',
      'phase',
    );
    const value = fc.oneof(
      fc.jsonValue(),
      fc.constantFrom('None', '10.0.0.1', 'ExternalName', 'IPv4', 'Running', 'a..b'),
    );
    const anything = fc.oneof(value, fc.dictionary(field, fc.oneof(value, fc.array(fc.dictionary(field, value)))));
    fc.assert(
      fc.property(anything, anything, (spec, facts) => {
        for (const merged of [spec, { clusterIP: 'None' }]) {
          expect(discoverService(serviceOf(merged), SETTINGS, slicesAre(facts)).ok).toBe(true);
        }
        expect(discoverPod({ ...serviceOf(spec), status: facts }, SETTINGS).ok).toBe(true);
      }),
    );
  });
});

describe('discoverPod()', () => {
  const status = { phase: 'Running', podIPs: [{ ip: '10.0.3.7' }, { ip: '2001:db8::' }] };
  test.each<[string, object, object, DiscoverySettings, readonly string[]]>([
    [
      'a name for each address of a running Pod',
      {},
      status,
      SETTINGS,
      ['10-0-3-7.shop.pod.cluster.local. A 10.0.3.7', '2001-db8--0.shop.pod.cluster.local. AAAA 2001:db8::'],
    ],
    [
      'podIP where podIPs is empty',
      {},
      { phase: 'Running', podIP: '10.0.3.7' },
      SETTINGS,
      ['10-0-3-7.shop.pod.cluster.local. A 10.0.3.7'],
    ],
    ["no names for a Pod on the host's network", { hostNetwork: true }, status, SETTINGS, []],
    ['no names for a Pod that does not run yet', {}, { ...status, phase: 'Pending' }, SETTINGS, []],
    ['no names if Pods are off', {}, status, { ...SETTINGS, pods: 'none' }, []],
    ['no name for an invalid address', {}, { phase: 'Running', podIP: 'x' }, SETTINGS, []],
  ])('gives %s', (_, spec, status, settings, lines) => {
    expect(linesOf(discoverPod({ ...serviceOf(spec), status }, settings))).toEqual(lines);
  });
});
