import { expect, test } from 'vitest';
import { isRoute53Type, ROUTE53_TYPES, typeNumber } from './record-type.ts';

test.each<[string, number | null]>([
  ['A', 1],
  ['NS', 2],
  ['CNAME', 5],
  ['SOA', 6],
  ['PTR', 12],
  ['HINFO', 13],
  ['MX', 15],
  ['TXT', 16],
  ['AFSDB', 18],
  ['PX', 26],
  ['AAAA', 28],
  ['LOC', 29],
  ['SRV', 33],
  ['NAPTR', 35],
  ['DNAME', 39],
  ['APL', 42],
  ['DS', 43],
  ['SSHFP', 44],
  ['DNSKEY', 48],
  ['TLSA', 52],
  ['SMIMEA', 53],
  ['HIP', 55],
  ['CDS', 59],
  ['OPENPGPKEY', 61],
  ['SVCB', 64],
  ['HTTPS', 65],
  ['SPF', 99],
  ['EUI64', 109],
  ['ANY', 255],
  ['URI', 256],
  ['CAA', 257],
  ['TA', 32_768],
  ['TYPE1', 1],
  ['TYPE65535', 65_535],
  ['TYPE0', null],
  ['TYPE65536', null],
  ['TYPE01', null],
  ['a', null],
  ['ALIAS', null],
  ['', null],
  ['toString', null],
])('typeNumber("%s") is %s', (type, number) => {
  expect(typeNumber(type)).toBe(number);
});

test('ROUTE53_TYPES are 17, each with a number', () => {
  expect(ROUTE53_TYPES).toHaveLength(17);
  expect(ROUTE53_TYPES.filter((type) => typeNumber(type) === null || !isRoute53Type(type))).toEqual([]);
  expect(new Set(ROUTE53_TYPES.map(typeNumber)).size).toBe(17);
  expect(isRoute53Type('HINFO')).toBe(false);
  expect(isRoute53Type('a')).toBe(false);
});
