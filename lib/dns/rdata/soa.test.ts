import { describe, expect, test } from 'vitest';
import { canonicalRdata, rdataProblems } from '../../../test/support/rdata-problems.ts';

describe('SOA', () => {
  test.each<[string, string]>([
    [
      'NS.example.org hostmaster.example.org 2026112100 86400 7200 3600000 360',
      'ns.example.org. hostmaster.example.org. 2026112100 86400 7200 3600000 360',
    ],
    ['ns.a. John\\.Doe.A. 1 2 3 4 5', 'ns.a. john\\.doe.a. 1 2 3 4 5'],
    ['ns.a. john\\046doe.a. 1 2 3 4 5', 'ns.a. john\\.doe.a. 1 2 3 4 5'],
    ['. . 0 0 0 0 0', '. . 0 0 0 0 0'],
    ['a. b. 4294967295 2147483647 0 00 007', 'a. b. 4294967295 2147483647 0 0 7'],
  ])('%s', (text, rdata) => {
    expect(canonicalRdata('SOA', text)).toBe(rdata);
  });

  test.each<[string, ...string[]]>([
    ['ns.a. h.a. 1 2 3 4', 'expected "<mname> <rname> <serial> <refresh> <retry> <expire> <minimum>"'],
    ['ns.a. h.a. 1 2 3 4 5 6', 'expected "<mname> <rname> <serial> <refresh> <retry> <expire> <minimum>"'],
    [
      'a..b h@a.b 4294967296 2147483648 1h -1 x',
      'mname "a..b": label 2 is empty',
      'rname "h@a.b": label 1 "h@a" has the character "@"; a label may only have letters, digits, "-", "_" and "/"',
      'serial "4294967296" is not a whole number from 0 to 4294967295',
      'refresh "2147483648" is not a whole number from 0 to 2147483647',
      'retry "1h" is not a whole number from 0 to 2147483647',
      'expire "-1" is not a whole number from 0 to 2147483647',
      'minimum "x" is not a whole number from 0 to 2147483647',
    ],
    [
      'a. j\\.\\000.b 1 2 3 4 5',
      'rname "j\\.\\000.b": its first label is not a mailbox of at most 63 printable characters',
    ],
    ['a. j\\.d.b..c 1 2 3 4 5', 'rname "j\\.d.b..c": label 2 is empty'],
  ])('refuses %s', (text, ...problems) => {
    expect(rdataProblems('SOA', text)).toEqual(problems);
  });
});
