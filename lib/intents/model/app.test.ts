import { expect, test } from 'vitest';
import { appOf } from '../../../test/support/intent-client.ts';
import { appBody, canonicalAddress, fqdnOf, isPrivate } from './app.ts';

const takes = (service: object) => appBody.safeParse(appOf({}, { services: [{ name: 'www', ...service }] })).success;
const takesAddress = (address: string) =>
  takes({
    dnsName: 'www.example.org',
    clusters: [{ provider: 'edge', cluster: 'one', publicAddresses: [address] }],
  });

test.each([
  'www.example.org',
  'www.example.org.',
  '*.example.org',
  '_sip._tcp.Example.ORG',
  'b\u00fccher.example',
  '4.example',
])('%s is a name of a service', (dnsName) => expect(takes({ dnsName, clusters: [] })).toBe(true));

test.each([
  '',
  '.',
  'org',
  'www..example.org',
  'example.org..',
  'a.*.example.org',
  'a b.example.org',
  'a/b.example.org',
  'http://a.example.org',
  'a.example.org:80',
  '192.0.2.1',
  'a.1',
  '2001:db8::1',
  `${'a'.repeat(64)}.example.org`,
  'www.example.org\n',
])('%j is not a name of a service', (dnsName) => expect(takes({ dnsName, clusters: [] })).toBe(false));

test.each(['192.0.2.1', '2001:DB8::1', '::ffff:192.0.2.1', 'lb.example.net', 'LB.example.net.', 'b\u00fccher.example'])(
  '%s is an address',
  (address) => expect(takesAddress(address)).toBe(true),
);

test.each([
  '192.0.2',
  '192.0.2.010',
  '192.0.2.256',
  '192.0.2.0/24',
  '0x7f.1',
  'a.0x7f',
  '2001:db8::1:',
  '[2001:db8::1]',
  'fe80::1%eth0',
  'localhost',
  '*.example.net',
  'a..example.net',
  ' 192.0.2.1',
])('%j is not an address', (address) => expect(takesAddress(address)).toBe(false));

test('fqdnOf() and canonicalAddress() give one spelling', () => {
  expect(fqdnOf('B\u00fccher.Example')).toBe('xn--bcher-kva.example.');
  expect(fqdnOf('*.Example.org.')).toBe('*.example.org.');
  const spelt = ['2001:DB8:0:0::1', '2001:db8::1', 'LB.Example.net.', '192.0.2.1'];
  expect(spelt.map(canonicalAddress)).toEqual(['2001:db8::1', '2001:db8::1', 'lb.example.net', '192.0.2.1']);
});

test.each([
  ...['10.0.0.1', '172.31.255.255', '192.168.1.1', '127.0.0.1', '169.254.1.1'],
  ...['fd00::1', '::1', 'fe80::1', '::ffff:10.0.0.1'],
])('%s is private', (address) => expect(isPrivate(address)).toBe(true));

test.each(['172.32.0.1', '192.0.2.1', '100.64.0.1', '2001:db8::1', '::ffff:192.0.2.1', 'a.example'])(
  '%s is not private',
  (address) => expect(isPrivate(address)).toBe(false),
);
