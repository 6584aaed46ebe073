import { expect, test } from 'vitest';
import { type Address, readAddress, reverseName } from '../../dns/rdata/reverse-name.ts';
import { addressLabel } from './address.ts';

test.each<[string, string]>([
  ['10.0.3.7', '10-0-3-7'],
  ['2001:DB8:0:0:0:0:0:7', '2001-db8--7'],
  ['2001:db8::', '2001-db8--0'],
  ['::1', '0--1'],
  ['::', '0--0'],
  // The longer run of zeros is shortened, of two equal ones the first (RFC 5952 §4.2).
  ['2001:0:0:1:0:0:0:1', '2001-0-0-1--1'],
  ['2001:db8:0:0:1:0:0:1', '2001-db8--1-0-0-1'],
  // A single group of zeros is not (§4.2.2).
  ['2001:db8:0:1:1:1:1:1', '2001-db8-0-1-1-1-1-1'],
  // An IPv4-mapped address ends in IPv4 (§5); one that only looks like it does not.
  ['::ffff:10.0.0.9', '0--ffff-10-0-0-9'],
  ['::FFFF:a00:9', '0--ffff-10-0-0-9'],
  ['::fffe:a00:9', '0--fffe-a00-9'],
  ['1::ffff:a00:9', '1--ffff-a00-9'],
])('addressLabel() of %s is %s', (text, label) => {
  expect(addressLabel(readAddress(text) as Address)).toBe(label);
});

test.each<[string, string]>([
  ['10.0.3.7', '7.3.0.10.in-addr.arpa.'],
  ['2001:db8::7', `7.${'0.'.repeat(23)}8.b.d.0.1.0.0.2.ip6.arpa.`],
  ['::ffff:10.0.0.9', `9.0.0.0.0.0.a.0.f.f.f.f.${'0.'.repeat(20)}ip6.arpa.`],
])('reverseName() of %s is %s', (text, name) => {
  expect(reverseName(readAddress(text) as Address)).toBe(name);
});

test.each(['10.0.3', '010.0.3.7', '10.0.3.7/32', 'fe80::1%eth0', '', 'None', '1.2.3.4.5', ':::1'])(
  'readAddress() gives null for %j',
  (text) => {
    expect(readAddress(text)).toBeNull();
  },
);
