import { describe, expect, test } from 'vitest';
import { canonicalRdata, rdataProblems } from '../../../test/support/rdata-problems.ts';

const SHA1 = 'aB'.repeat(20);
const SHA256 = 'Cd'.repeat(32);
const SHA384 = 'ef'.repeat(48);
const SHA512 = '01'.repeat(64);

describe('DS', () => {
  test.each<[string, string]>([
    [`60485 5 1 ${SHA1}`, `60485 5 1 ${SHA1.toLowerCase()}`],
    [`0 13 2 ${SHA256.slice(0, 20)} ${SHA256.slice(20, 30)}\t${SHA256.slice(30)}`, `0 13 2 ${SHA256.toLowerCase()}`],
    [`1 ECDSAP256SHA256 4 ${SHA384}`, `1 13 4 ${SHA384}`],
    [`1 ed25519 2 ${SHA256}`, `1 15 2 ${SHA256.toLowerCase()}`],
    ['1 255 99 abcd', '1 255 99 abcd'],
  ])('%s', (text, rdata) => {
    expect(canonicalRdata('DS', text)).toBe(rdata);
  });

  test.each<[string, ...string[]]>([
    ['1 2 3', 'expected "<key-tag> <algorithm> <digest-type> <digest>"'],
    ['1 13 2 abcd', 'digest "abcd" has 4 hexadecimal digits, its type needs 64'],
    ['1 13 99 abc', 'digest "abc" has an odd number of hexadecimal digits, 3'],
    ['1 13 99 xy', 'digest "xy" is not hexadecimal'],
    ['1 NOPE 99 ab', 'algorithm "NOPE" is not a whole number from 0 to 255'],
    [
      '65536 256 256 -',
      'key tag "65536" is not a whole number from 0 to 65535',
      'algorithm "256" is not a whole number from 0 to 255',
      'digest type "256" is not a whole number from 0 to 255',
      'digest "-" is not hexadecimal',
    ],
  ])('refuses %s', (text, ...problems) => {
    expect(rdataProblems('DS', text)).toEqual(problems);
  });
});

describe('SSHFP', () => {
  test.each<[string, string]>([
    [`2 1 ${SHA1}`, `2 1 ${SHA1.toLowerCase()}`],
    [`04 02 ${SHA256}`, `4 2 ${SHA256.toLowerCase()}`],
    ['4 3 ab cd', '4 3 abcd'],
  ])('%s', (text, rdata) => {
    expect(canonicalRdata('SSHFP', text)).toBe(rdata);
  });

  test.each<[string, ...string[]]>([
    ['4 2', 'expected "<algorithm> <type> <fingerprint>"'],
    [`4 2 ${SHA1}`, `fingerprint "${SHA1}" has 40 hexadecimal digits, its type needs 64`],
    ['4 1 abc', 'fingerprint "abc" has an odd number of hexadecimal digits, 3'],
    [
      '256 a b',
      'algorithm "256" is not a whole number from 0 to 255',
      'fingerprint type "a" is not a whole number from 0 to 255',
      'fingerprint "b" has an odd number of hexadecimal digits, 1',
    ],
  ])('refuses %s', (text, ...problems) => {
    expect(rdataProblems('SSHFP', text)).toEqual(problems);
  });
});

describe('TLSA', () => {
  test.each<[string, string]>([
    [`3 1 1 ${SHA256}`, `3 1 1 ${SHA256.toLowerCase()}`],
    [`3 1 2 ${SHA512}`, `3 1 2 ${SHA512}`],
    ['0 0 0 AB cd EF', '0 0 0 abcdef'],
  ])('%s', (text, rdata) => {
    expect(canonicalRdata('TLSA', text)).toBe(rdata);
  });

  test.each<[string, ...string[]]>([
    ['3 1 1', 'expected "<usage> <selector> <matching-type> <data>"'],
    [`3 1 2 ${SHA256}`, `data "${SHA256}" has 64 hexadecimal digits, its type needs 128`],
    ['3 1 0 0x12', 'data "0x12" is not hexadecimal'],
    [
      '-1 999 0 00',
      'usage "-1" is not a whole number from 0 to 255',
      'selector "999" is not a whole number from 0 to 255',
    ],
  ])('refuses %s', (text, ...problems) => {
    expect(rdataProblems('TLSA', text)).toEqual(problems);
  });
});
