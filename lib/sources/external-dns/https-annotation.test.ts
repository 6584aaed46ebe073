// What a source says of TLS, and the annotation zone53.dev/https. What a Zone makes of it is in test/cases.
import { describe, expect, test } from 'vitest';
import { gateway, routeLines, TO_GW } from '../../../test/support/route-manifests.ts';
import { linesOf, resultOf } from '../../../test/support/source-lines.ts';
import type { Source } from '../../objects/source.ts';
import { ROUTES } from './gateway-route.ts';
import { INGRESS } from './ingress.ts';
import { SERVICE } from './service.ts';

const STATUS = { loadBalancer: { ingress: [{ ip: '192.0.2.1' }, { ip: '2001:db8::1' }] } };
const WWW = { rules: [{ host: 'www.example.org' }] };

function withTls(source: Source, ...rest: [object, object?]): readonly string[] {
  const result = resultOf(source, ...(rest as [never, never?]));
  const endpoints = result.ok ? result.endpoints : [];
  return endpoints.flatMap(({ tls, type, domainName }) =>
    tls === true && domainName.kind === 'full' ? [`${domainName.fqdn} ${type}`] : [],
  );
}

describe('the addresses of an Ingress have TLS', () => {
  const BOTH = ['www.example.org. A', 'www.example.org. AAAA'];
  test.each<[string, unknown, readonly string[]]>([
    ['where spec.tls has the host', [{ hosts: ['WWW.example.org.'] }], BOTH],
    ['where a wildcard stands for one label', [{ hosts: ['*.example.org'] }], BOTH],
    ['not where it would stand for two', [{ hosts: ['*.org'] }], []],
    ['not where it is another host', [{ hosts: ['api.example.org'] }], []],
    ['not where spec.tls has no hosts', [{ secretName: 'x' }], []],
    ['not where a host is no name', [{ hosts: ['a..b', 'www.example.org.'] }], BOTH],
    ['not where spec.tls is no list', 'www.example.org', []],
  ])('%s', (_, tls, expected) => {
    const settings = { hostnamesFrom: ['rules'] };
    expect(withTls(INGRESS, { spec: { ...WWW, tls }, status: STATUS }, { settings })).toEqual(expected);
  });

  test('not where the annotation says what there is', () => {
    const spec = { ...WWW, tls: [{ hosts: ['www.example.org'] }] };
    for (const value of ['none', 'h2', 'h2,h2']) {
      const metadata = { annotations: { 'zone53.dev/https': value } };
      expect(withTls(INGRESS, { metadata, spec, status: STATUS })).toEqual([]);
    }
  });
});

describe('the addresses of a route have TLS', () => {
  const HTTPS = { name: 'https', port: 443, protocol: 'HTTPS' };
  const ROUTE = ROUTES.find(({ kind }) => kind === 'HTTPRoute') as Source;
  const tlsOf = (gateways: readonly object[], parentRefs: readonly object[] = [TO_GW]) => {
    const parents = parentRefs.map((parentRef) => ({
      parentRef,
      controllerName: 'a/b',
      conditions: [{ type: 'Accepted', status: 'True' }],
    }));
    const metadata = { name: 'web', namespace: 'shop' };
    const object = { metadata, spec: { parentRefs, hostnames: ['www.example.org'] }, status: { parents } };
    return withTls(ROUTE, object, { related: gateways });
  };
  const other = (listener: object) => gateway([listener], { metadata: { name: 'other' } });
  const A = ['www.example.org. A'];

  test.each<[string, readonly object[], readonly string[]]>([
    ['at an HTTPS listener', [HTTPS], A],
    ['at an HTTPS listener beside one for http', [{}, HTTPS], A],
    ['at one whose hostname covers the route’s', [{ ...HTTPS, hostname: '*.example.org' }], A],
    ['not at one of another host', [{}, { ...HTTPS, hostname: 'api.example.org' }], []],
    ['not at one for http', [{}], []],
    ['not at another port', [{ ...HTTPS, port: 8443 }], []],
  ])('%s', (_, listeners, expected) => {
    expect(tlsOf([gateway(listeners)])).toEqual(expected);
  });

  test('only where each of its Gateways has such a listener', () => {
    const refs = [TO_GW, { ...TO_GW, name: 'other' }];
    expect(tlsOf([gateway([HTTPS]), other(HTTPS)], refs)).toEqual(A);
    expect(tlsOf([gateway([HTTPS]), other({})], refs)).toEqual([]);
  });

  test('and inherit the annotation of their Gateway where routes inherit', () => {
    const annotated = gateway([{}], { metadata: { annotations: { 'zone53.dev/https': 'h2,h3' } } });
    const lines = (inherit: boolean) =>
      routeLines({ hostnames: ['www.example.org'] }, [annotated], { settings: { inherit } }).endpoints;
    expect(lines(false)).toEqual(['www.example.org. A 192.0.2.1']);
    expect(lines(true)).toEqual([
      'www.example.org. A 192.0.2.1',
      'www.example.org. HTTPS 1 . alpn="h2,h3" ipv4hint=192.0.2.1',
    ]);
  });
});

describe('the annotation zone53.dev/https of a Service', () => {
  const service = (https: string, more: object = {}, status: object = STATUS) => {
    const annotations = {
      'external-dns.kubernetes.io/hostname': 'www.example.org',
      'zone53.dev/https': https,
      ...more,
    };
    const result = linesOf(SERVICE, { metadata: { annotations }, spec: { type: 'LoadBalancer' }, status });
    return { ...result, endpoints: result.endpoints.filter((line) => !/ A{1,4} /.test(line)) };
  };
  const HINTS = 'ipv4hint=192.0.2.1 ipv6hint=2001:db8::1';

  test.each<[string, string, object, object | undefined, readonly string[]]>([
    ['asks for a record with hints', 'h2, h3', {}, undefined, [`www.example.org. HTTPS 1 . alpn="h2,h3" ${HINTS}`]],
    [
      'has the TTL of its object',
      'h2',
      { 'external-dns.kubernetes.io/ttl': '60' },
      undefined,
      [`www.example.org. HTTPS 60 1 . alpn="h2" ${HINTS}`],
    ],
    [
      'has no hints where the addresses are routed',
      'h2',
      {
        'external-dns.kubernetes.io/set-identifier': 'a',
        'external-dns.kubernetes.io/aws-weight': '1',
      },
      undefined,
      ['www.example.org. HTTPS 1 . alpn="h2"'],
    ],
    [
      'has no hints beside an alias',
      'h2',
      {},
      {
        loadBalancer: { ingress: [{ hostname: 'lb-1.eu-west-1.elb.amazonaws.com' }] },
      },
      ['www.example.org. HTTPS 1 . alpn="h2"'],
    ],
    ['may say none', 'none', {}, undefined, []],
  ])('%s', (_, https, more, status, expected) => {
    expect(service(https, more, status)).toMatchObject({ endpoints: expected, problems: [] });
  });

  test.each<[string, RegExp]>([
    ['h2,h2', /"h2,h2" asks for no HTTPS record: "h2" is given more than once; write protocols/],
    ['h2;h3', /"h2;h3" is not a protocol/],
    ['x'.repeat(256), /more than 255 characters/],
    [Array.from({ length: 9 }, (_, index) => `h${index}`).join(','), /expected 1 to 8 protocols/],
  ])('is a problem if it is %s, and the addresses stay', (https, problem) => {
    expect(service(https)).toMatchObject({ endpoints: [], problems: [expect.stringMatching(problem)] });
    const annotations = { 'external-dns.kubernetes.io/hostname': 'www.example.org', 'zone53.dev/https': https };
    const object = { metadata: { annotations }, spec: { type: 'LoadBalancer' }, status: STATUS };
    expect(linesOf(SERVICE, object).endpoints).toHaveLength(2);
    expect(resultOf(SERVICE, object)).toMatchObject({ problems: [{ leavesOut: 'www.example.org.', type: 'HTTPS' }] });
  });

  test('has no effect at a CNAME, which a note says', () => {
    const status = { loadBalancer: { ingress: [{ hostname: 'lb.example.net' }] } };
    const annotations = { 'external-dns.kubernetes.io/hostname': 'www.example.org', 'zone53.dev/https': 'h2' };
    const object = { metadata: { annotations }, spec: { type: 'LoadBalancer' }, status };
    expect(resultOf(SERVICE, object)).toMatchObject({
      endpoints: [{ type: 'CNAME' }],
      notes: [
        expect.stringMatching(/^annotation zone53\.dev\/https has no effect at www\.example\.org\.: it is a CNAME/),
      ],
    });
  });
});
