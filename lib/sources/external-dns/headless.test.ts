import { describe, expect, test } from 'vitest';
import { NOTHING, node, pod, service, slice } from '../../../test/support/service-manifests.ts';
import { linesOf } from '../../../test/support/source-lines.ts';
import { SERVICE } from './service.ts';

type Around = Parameters<typeof linesOf>[2];

const NAME = 'web.example.org';

describe('a headless Service', () => {
  const spec = { clusterIP: 'None', clusterIPs: ['None'] };
  const lines = (
    related: readonly object[],
    annotations?: Record<string, string>,
    more: object = {},
    around: Around = {},
  ) => linesOf(SERVICE, service({ ...spec, ...more }, annotations), { ...around, related: related as never });

  test('leads to the first address of each ready endpoint, also of one without a Pod', () => {
    const endpoints = [
      pod('a', '10.1.0.1', { conditions: { ready: true } }),
      { addresses: ['10.1.0.2', '10.1.0.3'], conditions: {} },
      pod('c', '10.1.0.4', { conditions: { ready: false } }),
      { addresses: [] },
      null,
    ];
    const six = slice('six', [{ addresses: ['fd00::1'] }], 'IPv6');
    const names = slice('names', [{ addresses: ['x.example.net'] }], 'FQDN');
    const others = slice('others', [{ addresses: ['10.9.9.9'] }], 'IPv4', 'other');
    expect(lines([slice('one', endpoints), six, names, others])).toEqual({
      ...NOTHING,
      endpoints: ['web.example.org. A 10.1.0.1,10.1.0.2', 'web.example.org. AAAA fd00::1'],
    });
  });

  test('leads to all endpoints if it publishes those that are not ready', () => {
    const endpoints = [pod('a', '10.1.0.1', { conditions: { ready: false } })];
    expect(lines([slice('one', endpoints)])).toEqual(NOTHING);
    expect(lines([slice('one', endpoints)], undefined, { publishNotReadyAddresses: true }).endpoints).toEqual([
      'web.example.org. A 10.1.0.1',
    ]);
  });

  test('has a name for each endpoint with a hostname', () => {
    const endpoints = [pod('a', '10.1.0.1', { hostname: 'web-0' }), pod('b', '10.1.0.2', { hostname: 'web-1' })];
    const six = slice('six', [pod('a', 'fd00::1', { hostname: 'web-0' })], 'IPv6');
    expect(lines([slice('one', endpoints), six]).endpoints).toEqual([
      'web.example.org. A 10.1.0.1,10.1.0.2',
      'web.example.org. AAAA fd00::1',
      'web-0.web.example.org. A 10.1.0.1',
      'web-0.web.example.org. AAAA fd00::1',
      'web-1.web.example.org. A 10.1.0.2',
    ]);
    expect(lines([slice('one', endpoints)], { hostname: '*.example.org' })).toEqual({
      ...NOTHING,
      endpoints: ['*.example.org. A 10.1.0.1,10.1.0.2'],
    });
  });

  const nodes = [
    node('n1', {
      InternalIP: ['10.0.1.1', '10.0.1.2', 'fd00:1::1'],
      ExternalIP: ['192.0.2.1', '192.0.2.2'],
      Hostname: ['n1'],
    }),
    node('n2', { InternalIP: ['10.0.2.1'] }),
  ];
  const onNodes = slice('one', [
    pod('a', '10.1.0.1', { nodeName: 'n1' }),
    pod('b', '10.1.0.2', { nodeName: 'n2' }),
    pod('c', '10.1.0.3', { nodeName: 'gone' }),
    pod('d', '10.1.0.4'),
  ]);

  test.each([
    ['endpoints-type HostIP', { 'endpoints-type': 'HostIP' }, {}, ['A 10.0.1.1,10.0.2.1', 'AAAA fd00:1::1']],
    ['publishHostIp', {}, { publishHostIp: true }, ['A 10.0.1.1,10.0.2.1', 'AAAA fd00:1::1']],
    [
      'endpoints-type NodeExternalIP',
      { 'endpoints-type': 'NodeExternalIP' },
      { publishHostIp: true },
      ['A 192.0.2.1,192.0.2.2'],
    ],
  ])('with %s leads to Nodes', (_, annotations, settings, sets) => {
    expect(lines([onNodes, ...nodes], { hostname: NAME, ...annotations }, {}, { settings })).toEqual({
      ...NOTHING,
      endpoints: sets.map((set) => `web.example.org. ${set}`),
    });
  });

  test('with an unknown endpoints-type is left out, with a problem', () => {
    const { endpoints, problems } = lines([onNodes], { hostname: NAME, 'endpoints-type': 'Nodes' });
    expect(endpoints).toEqual([]);
    expect(problems).toEqual([
      expect.stringMatching(/^annotation external-dns\.kubernetes\.io\/endpoints-type: "Nodes" /),
    ]);
  });

  test("has its internal names for its endpoints' own addresses", () => {
    const annotations = { 'internal-hostname': 'in.example.org', 'endpoints-type': 'HostIP' };
    expect(lines([onNodes, ...nodes], annotations).endpoints).toEqual([
      'in.example.org. A 10.1.0.1,10.1.0.2,10.1.0.3,10.1.0.4',
    ]);
  });

  test('leads to its own target annotation instead, and one endpoint to that of its Pod', () => {
    const annotated = (namespace: string) => ({
      kind: 'Pod',
      metadata: { name: 'a', namespace, annotations: { 'external-dns.kubernetes.io/target': '203.0.113.1' } },
    });
    const endpoints = slice('one', [pod('a', '10.1.0.1'), pod('b', '10.1.0.2')]);
    expect(lines([endpoints, annotated('shop')]).endpoints).toEqual(['web.example.org. A 10.1.0.2,203.0.113.1']);
    expect(lines([endpoints, annotated('other')]).endpoints).toEqual(['web.example.org. A 10.1.0.1,10.1.0.2']);
    expect(lines([endpoints, annotated('shop')], { 'internal-hostname': NAME }).endpoints).toEqual([
      'web.example.org. A 10.1.0.2,203.0.113.1',
    ]);
    const many = slice(
      'many',
      Array.from({ length: 30 }, (_, index) => pod(index === 0 ? 'a' : `p${index}`, `10.1.1.${index}`)),
    );
    expect(lines([many, annotated('shop')]).endpoints[0]).toMatch(/203\.0\.113\.1$/);
    expect(lines([endpoints, annotated('shop')], { hostname: NAME, target: '203.0.113.2' }).endpoints).toEqual([
      'web.example.org. A 203.0.113.2',
    ]);
  });

  test("without endpoints has the operator's targets, or nothing", () => {
    expect(lines([])).toEqual(NOTHING);
    expect(lines([], undefined, {}, { settings: { defaultTargets: ['192.0.2.9'] } }).endpoints).toEqual([
      'web.example.org. A 192.0.2.9',
    ]);
  });

  test('loses only an invalid address', () => {
    const { endpoints, problems } = lines([slice('one', [pod('a', 'x'), pod('b', '10.1.0.2')])]);
    expect(endpoints).toEqual(['web.example.org. A 10.1.0.2']);
    expect(problems).toEqual(['EndpointSlice one: "x" is not an IP address; it is left out']);
  });

  test('gives 500 endpoints, and a problem for more', () => {
    const pods = Array.from({ length: 251 }, (_, index) => ({ name: `p${index}`, hostname: `web-${index}` }));
    const four = pods.map(({ name, hostname }, index) => pod(name, `10.1.0.${index}`, { hostname }));
    const six = pods.map(({ name, hostname }, index) => pod(name, `fd00::${index + 1}`, { hostname }));
    const { endpoints, invalid, problems } = lines([slice('four', four), slice('six', six, 'IPv6')]);
    expect(endpoints).toHaveLength(500);
    expect(invalid).toEqual([]);
    expect(problems).toHaveLength(1);
  });

  test('of 500 Pods has a name for each with a hostname, and no name for all, because a record set has 400 values', () => {
    const endpoints = Array.from({ length: 500 }, (_, index) =>
      pod(`p${index}`, `10.1.${index >> 8}.${index & 255}`, index === 0 ? {} : { hostname: `web-${index}` }),
    );
    const { endpoints: named, invalid, problems } = lines([slice('one', endpoints)]);
    expect(named).toHaveLength(499);
    expect(invalid).toEqual([expect.stringContaining('web.example.org. A: expected 1 to 400 values, got 500')]);
    expect(problems).toEqual([]);
  });
});
