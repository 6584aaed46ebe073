import { describe, expect, test } from 'vitest';
import { canonicalRdata, rdataProblems } from '../../../test/support/rdata-problems.ts';

describe('A', () => {
  test.each(['0.0.0.0', '192.0.2.1', '255.255.255.255', '1.20.199.249'])('%s', (text) => {
    expect(canonicalRdata('A', text)).toBe(text);
  });

  test('spaces around it are dropped', () => {
    expect(canonicalRdata('A', ' 192.0.2.1\n')).toBe('192.0.2.1');
  });

  test.each([
    '192.0.2',
    '192.0.2.1.1',
    '192.0.2.256',
    '192.0.2.01',
    '00.0.0.0',
    '0x7f.0.0.1',
    '2130706433',
    '192.0.2.-1',
    '192.0.2.1 192.0.2.2',
    '１.2.3.4',
    '192.0.2.1.',
    'a.b.c.d',
  ])('refuses %s', (text) => {
    expect(rdataProblems('A', text)).toEqual([
      'expected an IPv4 address, four numbers from 0 to 255 without leading zeros',
    ]);
  });
});

test.each([
  ['192.0.2.1:443', 'remove the port: write 192.0.2.1'],
  ['http://192.0.2.1/', 'it is a URL: write its host alone'],
  ['192.0.2.1/32', 'it is a network; write one address, such as 192.0.2.1'],
  ['::1', 'it is an IPv6 address, for type AAAA'],
  ['www.example.net.', 'it is a host name, for type CNAME or an alias'],
  ['lb-1.example.net', 'it is a host name, for type CNAME or an alias'],
  ['{{ .Values.ip }}', 'it has a template in it: render it before, or write the value itself'],
  ['10.0.0.$\u007bN}', 'it has a template in it: render it before, or write the value itself'],
])('A: %s says what to remove', (text, advice) => {
  expect(rdataProblems('A', text)).toEqual([
    `expected an IPv4 address, four numbers from 0 to 255 without leading zeros; ${advice}`,
  ]);
});

test.each([
  ['192.0.2.1', 'it is an IPv4 address, for type A'],
  ['2001:db8::1/64', 'it is a network; write one address, such as 2001:db8::1'],
  ['www.example.net', 'it is a host name, for type CNAME or an alias'],
])('AAAA: %s says what may have been meant', (text, advice) => {
  expect(rdataProblems('AAAA', text)).toEqual([`expected an IPv6 address; ${advice}`]);
});

describe('AAAA', () => {
  test.each<[string, string]>([
    ['::', '::'],
    ['::1', '::1'],
    ['2001:DB8::0:1', '2001:db8::1'],
    ['2001:0db8:0000:0000:0000:0000:0000:0001', '2001:db8::1'],
    ['2001:db8:0:1:1:1:1:1', '2001:db8:0:1:1:1:1:1'],
    ['2001:0:0:1:0:0:0:1', '2001:0:0:1::1'],
    ['2001:db8:0:0:1:0:0:1', '2001:db8::1:0:0:1'],
    ['::ffff:192.0.2.1', '::ffff:c000:201'],
    ['::192.0.2.1', '::c000:201'],
    ['64:ff9b::192.0.2.33', '64:ff9b::c000:221'],
    ['1:2:3:4:5:6:7::', '1:2:3:4:5:6:7:0'],
  ])('%s is %s', (text, rdata) => {
    expect(canonicalRdata('AAAA', text)).toBe(rdata);
  });

  test.each([
    ':',
    ':::',
    '1::2::3',
    '1:2:3:4:5:6:7',
    '1:2:3:4:5:6:7:8:9',
    '12345::',
    'g::',
    '[::1]',
    '::1.2.3',
    '::1.2.3.04',
    '::1.2.3.256',
    '::0x1.2.3.4',
    '1.2.3.4::',
  ])('refuses %s', (text) => {
    expect(rdataProblems('AAAA', text)).toEqual(['expected an IPv6 address']);
  });

  test('a port is named in the error', () => {
    expect(rdataProblems('AAAA', '[2001:db8::1]:443')).toEqual([
      'expected an IPv6 address; write 2001:db8::1, without brackets and port',
    ]);
  });

  test('a zone index is named in the error', () => {
    expect(rdataProblems('AAAA', 'fe80::1%eth0')).toEqual([
      'expected an IPv6 address; DNS has no zone index: remove "%eth0"',
    ]);
  });
});
