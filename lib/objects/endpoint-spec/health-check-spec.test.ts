import { describe, expect, test } from 'vitest';
import { annotatedHealthCheck, parseHealthCheck } from './health-check-spec.ts';

const LEAST = { protocol: 'HTTPS', host: 'api.example.net' };

function parsed(value: unknown): unknown {
  const problems: string[] = [];
  const check = parseHealthCheck(value, 'healthCheck', problems);
  return problems.length > 0 ? problems : check;
}

describe('parseHealthCheck()', () => {
  test.each<[string, object, object]>([
    ['HTTPS by its default port', LEAST, { ...LEAST, port: 443 }],
    ['HTTP by its default port', { ...LEAST, protocol: 'HTTP' }, { ...LEAST, protocol: 'HTTP', port: 80 }],
    ['TCP', { protocol: 'TCP', host: '198.51.100.1', port: 22 }, { protocol: 'TCP', host: '198.51.100.1', port: 22 }],
    ['an IPv6 address', { ...LEAST, host: '2001:DB8:0::1' }, { ...LEAST, host: '2001:db8::1', port: 443 }],
    ['a name without case and last dot', { ...LEAST, host: 'API.Example.net.' }, { ...LEAST, port: 443 }],
    [
      'defaults as absent',
      { ...LEAST, path: '/', interval: 30, threshold: 3, inverted: false, measureLatency: false, searchString: null },
      { ...LEAST, port: 443 },
    ],
    [
      'every field',
      {
        ...{
          ...LEAST,
          port: 8443,
          path: '/health?full',
          searchString: 'ok',
          interval: 10,
          threshold: 1,
          inverted: true,
        },
        ...{ measureLatency: true, regions: ['us-west-2', 'eu-west-1', 'us-east-1'] },
      },
      {
        ...{
          ...LEAST,
          port: 8443,
          path: '/health?full',
          searchString: 'ok',
          interval: 10,
          threshold: 1,
          inverted: true,
        },
        ...{ measureLatency: true, regions: ['eu-west-1', 'us-east-1', 'us-west-2'] },
      },
    ],
  ])('reads %s', (_, value, check) => {
    expect(parsed(value)).toEqual(check);
  });

  test.each<[string, unknown, string]>([
    ['no mapping', 'https', 'healthCheck: expected a mapping'],
    ['an unknown field', { ...LEAST, hots: 1 }, 'healthCheck.hots: unknown field'],
    ['no protocol', { host: 'a.example' }, 'healthCheck.protocol is required'],
    ['another protocol', { ...LEAST, protocol: 'UDP' }, 'healthCheck.protocol: expected HTTP, HTTPS or TCP'],
    ['no host', { protocol: 'HTTP' }, 'healthCheck.host is required'],
    ['a host that is no name', { ...LEAST, host: 'a b' }, 'healthCheck.host: expected a name or an address'],
    ['a wildcard', { ...LEAST, host: '*.example.net' }, 'healthCheck.host: expected a name or an address'],
    ['a private address', { ...LEAST, host: '10.1.2.3' }, 'cannot reach 10.1.2.3'],
    ['the address of instance metadata', { ...LEAST, host: '169.254.169.254' }, 'cannot reach 169.254.169.254'],
    ['a private IPv6 address', { ...LEAST, host: 'fd00::1' }, 'cannot reach fd00::1'],
    ['a mapped private address', { ...LEAST, host: '::ffff:10.0.0.1' }, 'cannot reach ::ffff:10.0.0.1'],
    ['a multicast address', { ...LEAST, host: '224.0.0.1' }, 'cannot reach 224.0.0.1'],
    ['port 0', { ...LEAST, port: 0 }, 'healthCheck.port: expected a whole number from 1 to 65535'],
    ['TCP without a port', { ...LEAST, protocol: 'TCP' }, 'healthCheck.port is required for a health check by TCP'],
    ['TCP with a path', { ...LEAST, protocol: 'TCP', port: 1, path: '/' }, 'healthCheck.path: a health check by TCP'],
    [
      'TCP with a search string',
      { ...LEAST, protocol: 'TCP', port: 1, searchString: 'a' },
      'healthCheck.searchString: a',
    ],
    ['a path without a slash', { ...LEAST, path: 'health' }, 'healthCheck.path: expected a path that begins with "/"'],
    [
      'a path that is too long',
      { ...LEAST, path: `/${'a'.repeat(255)}` },
      'healthCheck.path: expected 1 to 255 characters',
    ],
    [
      'a control character',
      { ...LEAST, searchString: 'a\nb' },
      'healthCheck.searchString: expected 1 to 255 characters',
    ],
    ['an interval of 20', { ...LEAST, interval: 20 }, 'healthCheck.interval: expected 10 or 30'],
    ['a threshold of 11', { ...LEAST, threshold: 11 }, 'healthCheck.threshold: expected a whole number from 1 to 10'],
    [
      'two regions',
      { ...LEAST, regions: ['us-east-1', 'us-west-1'] },
      'healthCheck.regions: expected 3 regions at least, got 2',
    ],
    ['a region without checkers', { ...LEAST, regions: ['eu-central-1'] }, 'Route 53 does not check from eu-central-1'],
  ])('refuses %s', (_, value, problem) => {
    expect(parsed(value)).toEqual([expect.stringContaining(problem)]);
  });
});

describe('annotatedHealthCheck()', () => {
  test.each<[string, unknown]>([
    ['https://a.example', { protocol: 'HTTPS', host: 'a.example' }],
    ['HTTP://a.example:8080/x?y=1', { protocol: 'HTTP', host: 'a.example', port: 8080, path: '/x?y=1' }],
    ['tcp://[2001:db8::1]:22', { protocol: 'TCP', host: '2001:db8::1', port: 22 }],
    ['https://a.example/', { protocol: 'HTTPS', host: 'a.example' }],
    ['{"protocol":"TCP"}', { protocol: 'TCP' }],
    ['{"protocol"', null],
    ['https://user@a.example', null],
    ['https://a.example/#x', null],
    ['udp://a.example:53', null],
    ['01234567-89ab-cdef-0123-456789abcdef', null],
  ])('reads %s', (text, value) => {
    expect(annotatedHealthCheck(text)).toEqual(value);
  });
});
