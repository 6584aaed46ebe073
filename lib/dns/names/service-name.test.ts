import { describe, expect, test } from 'vitest';
import { serviceName, servicesBehind } from './service-name.ts';

describe('serviceName()', () => {
  test.each([
    ['web.shop.svc.k.', 'web.shop.svc.k.'],
    ['_http._tcp.web.shop.svc.k.', 'web.shop.svc.k.'],
    ['10-0-3-7.web.shop.svc.k.', 'web.shop.svc.k.'],
    ['shop.svc.k.', null],
    ['svc.k.', null],
    ['web.shop.svc.other.', null],
    ['web.shop.xsvc.k.', null],
  ])('%s: %s', (name, service) => {
    expect(serviceName(name, 'k.')).toBe(service);
  });

  test('accepts the DNS root as the Zone', () => {
    expect(serviceName('a.web.shop.svc.', '.')).toBe('web.shop.svc.');
  });
});

describe('servicesBehind()', () => {
  test.each<[string, string, readonly string[], readonly string[] | null]>([
    ['a name of a Service', 'a.web.shop.svc.k. A', ['192.0.2.1'], ['web.shop.svc.k.']],
    ['a name of a Pod', '10-0-0-1.shop.pod.k. A', ['10.0.0.1'], []],
    ['the version', 'dns-version.k. TXT', ['"1.1.0"'], null],
    [
      'a PTR',
      '1.0.0.10.in-addr.arpa. PTR',
      ['a.web.shop.svc.k.', 'b.shop.svc.k.'],
      ['web.shop.svc.k.', 'b.shop.svc.k.'],
    ],
    ["a PTR with somebody's value too", '1.0.0.10.in-addr.arpa. PTR', ['a.web.shop.svc.k.', 'x.'], null],
    ['a PTR at no address', 'x.k. PTR', ['a.web.shop.svc.k.'], null],
    ['another name of the Zone', 'www.k. A', ['192.0.2.1'], null],
  ])('%s', (_, id, values, services) => {
    const [name = '', type = ''] = id.split(' ');
    expect(servicesBehind({ name, type }, values, 'k.')).toEqual(services);
  });
});
