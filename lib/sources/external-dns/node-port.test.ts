import { describe, expect, test } from 'vitest';
import { NOTHING, node, service, slice } from '../../../test/support/service-manifests.ts';
import { linesOf } from '../../../test/support/source-lines.ts';
import { SERVICE } from './service.ts';

type Around = Parameters<typeof linesOf>[2];

const NAME = 'web.example.org';
const addresses = (count: number) => Array.from({ length: count }, (_, index) => `10.0.${index >> 8}.${index & 255}`);

describe('a Service of type NodePort', () => {
  const ports = [
    { name: 'http', port: 80, nodePort: 30_080, protocol: 'TCP' },
    { port: 53, nodePort: 30_053, protocol: 'UDP' },
    { name: 'later', port: 81 },
  ];
  const spec = { type: 'NodePort', clusterIPs: ['10.0.0.1'], ports };
  const srv = [
    '_http._tcp.web.example.org. SRV 0 50 30080 web.example.org.',
    '_web._udp.web.example.org. SRV 0 50 30053 web.example.org.',
  ];
  const n1 = node('n1', { ExternalIP: ['192.0.2.1', '2001:db8::1'], InternalIP: ['10.0.1.1'] });
  const n2 = node('n2', { InternalIP: ['10.0.1.2'] });
  const lines = (
    related: readonly object[],
    annotations?: Record<string, string>,
    more: object = {},
    around: Around = {},
  ) => linesOf(SERVICE, service({ ...spec, ...more }, annotations), { ...around, related: related as never });

  test('leads to at most 400 Nodes, as a Record has 400 values; published ones stay', () => {
    const many = (count: number) => node('many', { InternalIP: addresses(count) });
    expect(lines([many(400)])).toMatchObject({ invalid: [] });
    const { endpoints, invalid } = lines([many(401)]);
    expect(endpoints).toEqual(srv);
    expect(invalid).toEqual([expect.stringContaining('web.example.org. A: expected 1 to 400 values, got 401')]);
  });

  test('leads to public addresses of Nodes if there are any, and has an SRV for each port', () => {
    expect(lines([n1, n2])).toEqual({
      ...NOTHING,
      endpoints: [...srv, 'web.example.org. A 192.0.2.1', 'web.example.org. AAAA 2001:db8::1'],
    });
    expect(lines([n2]).endpoints).toEqual([...srv, 'web.example.org. A 10.0.1.2']);
  });

  test.each([
    ['private', ['web.example.org. A 10.0.1.1,10.0.1.2']],
    ['public', ['web.example.org. A 192.0.2.1', 'web.example.org. AAAA 2001:db8::1']],
  ])('with access %s', (access, endpoints) => {
    expect(lines([n1, n2], { hostname: NAME, access }).endpoints).toEqual([...srv, ...endpoints]);
  });

  test('leads nowhere with access public and no public address', () => {
    expect(lines([n2], { hostname: NAME, access: 'public' }).endpoints).toEqual(srv);
  });

  test('is left out with an unknown access, with a problem', () => {
    const { endpoints, problems } = lines([n1], { hostname: NAME, access: 'both' });
    expect(endpoints).toEqual([]);
    expect(problems).toEqual([expect.stringMatching(/^annotation external-dns\.kubernetes\.io\/access: "both" /)]);
  });

  test('leaves out Nodes that are being deleted, and cordoned ones if the operator says so', () => {
    const leaving = node(
      'n3',
      { ExternalIP: ['192.0.2.3'] },
      { metadata: { name: 'n3', deletionTimestamp: '2026-01-01T00:00:00Z' } },
    );
    const cordoned = node('n4', { ExternalIP: ['192.0.2.4'] }, { spec: { unschedulable: true } });
    expect(lines([n1, leaving, cordoned]).endpoints).toContain('web.example.org. A 192.0.2.1');
    const settings = { excludeUnschedulable: false };
    expect(lines([n1, leaving, cordoned], undefined, {}, { settings }).endpoints).toContain(
      'web.example.org. A 192.0.2.1,192.0.2.4',
    );
  });

  const [a, b] = [node('a', { ExternalIP: ['192.0.2.11'] }), node('b', { ExternalIP: ['192.0.2.12'] })];
  test.each([
    [
      'ready endpoints',
      [
        { nodeName: 'a', conditions: { ready: true } },
        { nodeName: 'b', conditions: { ready: false } },
      ],
      '192.0.2.11',
    ],
    [
      'terminating endpoints that serve, where none is ready',
      [
        { nodeName: 'a', conditions: { ready: false, serving: false, terminating: true } },
        { nodeName: 'b', conditions: { ready: false, serving: true, terminating: true } },
      ],
      '192.0.2.12',
    ],
    ['nothing that serves, then all count', [{ nodeName: 'a', conditions: { ready: false } }], '192.0.2.11,192.0.2.12'],
    ['no endpoint at all, then all count', [], '192.0.2.11,192.0.2.12'],
  ])('with externalTrafficPolicy Local leads to Nodes with %s', (_, endpoints, addresses) => {
    const related = [a, b, slice('one', endpoints)];
    expect(lines(related, undefined, { externalTrafficPolicy: 'Local' }).endpoints.at(-1)).toBe(
      `web.example.org. A ${addresses}`,
    );
    expect(lines(related).endpoints.at(-1)).toBe('web.example.org. A 192.0.2.11,192.0.2.12');
  });

  test('leads to its target annotation, and keeps its SRV', () => {
    expect(lines([n1], { hostname: NAME, target: '203.0.113.1' }).endpoints).toEqual([
      ...srv,
      'web.example.org. A 203.0.113.1',
    ]);
  });

  test('has its internal names for its cluster IPs', () => {
    expect(lines([n1], { 'internal-hostname': NAME }).endpoints).toEqual(['web.example.org. A 10.0.0.1']);
  });

  test('has routing on its SRV, too', () => {
    const annotations = { hostname: NAME, 'set-identifier': 'one', 'aws-weight': '1' };
    expect(lines([n2], annotations).endpoints.every((line) => line.includes('one {"kind":"weight"'))).toBe(true);
  });
});
