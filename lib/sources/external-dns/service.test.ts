import { describe, expect, test } from 'vitest';
import { NOTHING, service } from '../../../test/support/service-manifests.ts';
import { linesOf, type Manifest, resultOf } from '../../../test/support/source-lines.ts';
import { SERVICE } from './service.ts';

const NAME = 'web.example.org';

function balanced(...ingress: readonly unknown[]) {
  return { loadBalancer: { ingress } };
}

describe('a Service of type LoadBalancer', () => {
  const spec = { type: 'LoadBalancer', clusterIPs: ['10.0.0.1'] };

  test('leads to the addresses and host names of its status', () => {
    const status = balanced({ ip: '192.0.2.1' }, { ip: '2001:db8::1' }, { hostname: 'lb.example.net' }, {}, null);
    expect(linesOf(SERVICE, service(spec, undefined, status)).endpoints).toEqual([
      'web.example.org. A 192.0.2.1',
      'web.example.org. AAAA 2001:db8::1',
      'web.example.org. CNAME lb.example.net.',
    ]);
  });

  test('leads to its external IPs if it has any', () => {
    const external = { ...spec, externalIPs: ['198.51.100.1'] };
    expect(linesOf(SERVICE, service(external, undefined, balanced({ ip: '192.0.2.1' }))).endpoints).toEqual([
      'web.example.org. A 198.51.100.1',
    ]);
  });

  test('waits for its load balancer, which is not a problem', () => {
    expect(linesOf(SERVICE, service(spec))).toEqual({ ...NOTHING, waits: ['web.example.org.'] });
    expect(linesOf(SERVICE, service(spec, {}))).toEqual(NOTHING);
  });

  test('has each of the names in its annotation, with or without last dots', () => {
    const annotations = { hostname: ' a.example.org , *.B.example.org.,,a.example.org' };
    expect(linesOf(SERVICE, service(spec, annotations, balanced({ ip: '192.0.2.1' }))).endpoints).toEqual([
      'a.example.org. A 192.0.2.1',
      '*.b.example.org. A 192.0.2.1',
    ]);
  });

  test('loses only an invalid name', () => {
    const annotations = { hostname: 'a.example.org,192.0.2.7,bad..name' };
    const { endpoints, problems } = linesOf(SERVICE, service(spec, annotations, balanced({ ip: '192.0.2.1' })));
    expect(endpoints).toEqual(['a.example.org. A 192.0.2.1']);
    expect(problems).toHaveLength(2);
    expect(problems[0]).toMatch(
      /^annotation external-dns\.kubernetes\.io\/hostname: "192\.0\.2\.7" is not a name: it is an IP/,
    );
  });

  test('has its internal names for its cluster IPs', () => {
    const annotations = { 'internal-hostname': 'in.example.org', hostname: NAME };
    expect(linesOf(SERVICE, service(spec, annotations))).toEqual({
      ...NOTHING,
      endpoints: ['in.example.org. A 10.0.0.1'],
      waits: ['web.example.org.'],
    });
  });

  test("leads to its target annotation instead, and to the operator's targets only without one", () => {
    const settings = { defaultTargets: ['203.0.113.9'] };
    const annotations = { hostname: NAME, target: '203.0.113.1' };
    const ofStatus = balanced({ ip: '192.0.2.1' });
    expect(linesOf(SERVICE, service(spec, annotations, ofStatus)).endpoints).toEqual([
      'web.example.org. A 203.0.113.1',
    ]);
    expect(linesOf(SERVICE, service(spec), { settings })).toEqual({
      ...NOTHING,
      endpoints: ['web.example.org. A 203.0.113.9'],
    });
    expect(linesOf(SERVICE, service(spec, undefined, ofStatus), { settings }).endpoints).toEqual([
      'web.example.org. A 192.0.2.1',
    ]);
  });

  test("gets a name by the operator's template when it has no host", () => {
    const settings = { hostnameTemplate: '{name}.{namespace}.example.org' };
    const status = balanced({ ip: '192.0.2.1' });
    expect(linesOf(SERVICE, service(spec, {}, status), { settings }).endpoints).toEqual([
      'web.shop.example.org. A 192.0.2.1',
    ]);
    expect(linesOf(SERVICE, service(spec, undefined, status), { settings }).endpoints).toEqual([
      'web.example.org. A 192.0.2.1',
    ]);
  });

  test('is not read if the operator leaves out its type', () => {
    const settings = { types: ['NodePort'] as const };
    expect(linesOf(SERVICE, service(spec, undefined, balanced({ ip: '192.0.2.1' })), { settings })).toEqual(NOTHING);
    expect(linesOf(SERVICE, service({ type: 'Other' }))).toEqual(NOTHING);
  });
});

describe('a Service of type ClusterIP', () => {
  const spec = { type: 'ClusterIP', clusterIP: '10.0.0.1', clusterIPs: ['10.0.0.1', 'fd00::1'] };
  const internal = ['web.example.org. A 10.0.0.1', 'web.example.org. AAAA fd00::1'];

  test.each([
    ['hostname alone', { hostname: NAME }, {}, []],
    ['hostname, where internal ones are published', { hostname: NAME }, { publishInternal: true }, internal],
    ['internal-hostname', { 'internal-hostname': NAME }, {}, internal],
    ['hostname with target', { hostname: NAME, target: '192.0.2.1' }, {}, ['web.example.org. A 192.0.2.1']],
    [
      'the template, where internal ones are published',
      {},
      { publishInternal: true, hostnameTemplate: NAME },
      internal,
    ],
    ['the template alone', {}, { hostnameTemplate: NAME }, []],
  ])('with %s', (_, annotations, settings, endpoints) => {
    expect(linesOf(SERVICE, service(spec, annotations as Record<string, string>), { settings })).toEqual({
      ...NOTHING,
      endpoints,
    });
  });

  test('needs neither a type nor a list of its addresses', () => {
    expect(linesOf(SERVICE, service({ clusterIP: '10.0.0.1' }, { 'internal-hostname': NAME })).endpoints).toEqual([
      'web.example.org. A 10.0.0.1',
    ]);
    expect(linesOf(SERVICE, service({}, { 'internal-hostname': NAME }))).toEqual(NOTHING);
  });
});

test('a Service of type ExternalName leads to its external IPs, else to its name', () => {
  const lines = (spec: object) => linesOf(SERVICE, service({ type: 'ExternalName', ...spec })).endpoints;
  expect(lines({ externalName: 'x.example.net' })).toEqual(['web.example.org. CNAME x.example.net.']);
  expect(lines({ externalName: 'x.example.net', externalIPs: ['192.0.2.1'] })).toEqual([
    'web.example.org. A 192.0.2.1',
  ]);
  expect(lines({ externalName: '192.0.2.7' })).toEqual(['web.example.org. A 192.0.2.7']);
  expect(lines({ externalName: 'web-1.eu-west-1.elb.amazonaws.com' })).toHaveLength(2);
  expect(lines({})).toEqual([]);
});

test('a type that no Service has is a note, where a name is asked for', () => {
  const notesOf = (object: Manifest) => {
    const result = resultOf(SERVICE, object);
    return result.ok ? result.notes : null;
  };
  expect(notesOf(service({ type: 'Loadbalancer' }))).toEqual([
    'spec.type: "Loadbalancer" is no type of a Service; did you mean LoadBalancer?',
  ]);
  expect(notesOf(service({ type: 'Loadbalancer' }, {}))).toEqual([]);
});
