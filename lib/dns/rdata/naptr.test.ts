import { describe, expect, test } from 'vitest';
import { canonicalRdata, rdataProblems } from '../../../test/support/rdata-problems.ts';

describe('NAPTR', () => {
  test.each<[string, string]>([
    ['100 50 "s" "z3950+I2L+I2C" "" _z3950._tcp.Gatech.edu', '100 50 "s" "z3950+I2L+I2C" "" _z3950._tcp.gatech.edu.'],
    [
      '100 10 "u" "E2U+sip" "!^(.*)$!sip:\\\\1@example.com!" .',
      '100 10 "u" "E2U+sip" "!^(.*)$!sip:\\\\1@example.com!" .',
    ],
    ['1 2 S x "" a', '1 2 "S" "x" "" a.'],
    ['1 2 "" "" "!a!b!" .', '1 2 "" "" "!a!b!" .'],
    ['1 2 "u" "a b" "!\\"!\\195!" .', '1 2 "u" "a b" "!\\"!\\195!" .'],
  ])('%s', (text, rdata) => {
    expect(canonicalRdata('NAPTR', text)).toBe(rdata);
  });

  const expected = 'expected "<order> <preference> <flags> <services> <regexp> <replacement>"';
  test.each<[string, ...string[]]>([
    [
      '1 2 "u" "x" "a!b" .',
      'regexp ""a!b"" must have its delimiter "a" three times, as in !expression!replacement! (RFC 3402 §3.2)',
    ],
    ['1 2 "u" "x" "!a!b!"', expected],
    ['1 2 "u" "x" "!a!b!" . .', expected],
    ['1 2 "u" "x" "!a!b! .', 'a quote is not closed'],
    ['1 2 "u" "x" "" .', 'it has neither a regexp nor a replacement; one of them is required'],
    [
      '1 2 "u" "x" "!a!b!" a.b',
      'it has both a regexp and a replacement; write "" as the regexp or "." as the replacement',
    ],
    [
      '1 2 "u" "x" "!(a)!\\1!" .',
      'regexp has the escape "\\1"; write exactly three digits after "\\", from \\000 to \\255',
    ],
    [`1 2 "u" "x" "${'y'.repeat(256)}" .`, `regexp ""${'y'.repeat(96)}..." is 256 octets long, more than 255`],
    [
      '65536 x "-" "x" "" a..b',
      'order "65536" is not a whole number from 0 to 65535',
      'preference "x" is not a whole number from 0 to 65535',
      'flags ""-"" must have only letters and digits',
      'replacement "a..b": label 2 is empty',
    ],
    [
      '1 2 "u" "x" "" "a.b"',
      'replacement ""a.b"": label 1 ""a" has the character """; a label may only have letters, digits, "-", "_" and "/"',
      'replacement ""a.b"": label 2 "b"" has the character """; a label may only have letters, digits, "-", "_" and "/"',
    ],
  ])('refuses %s', (text, ...problems) => {
    expect(rdataProblems('NAPTR', text)).toEqual(problems);
  });
});
