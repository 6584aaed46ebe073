import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { anyCharacter, anyRdata } from '../../../test/support/dns-arbitraries.ts';
import { formatRoute53Rdata, parseRoute53Rdata } from '../../route53/escapes.ts';
import { ROUTE53_TYPES } from '../record-type.ts';
import { compareRdata, parseRdata } from './rdata.ts';

describe.each(ROUTE53_TYPES)('%s rdata', (type) => {
  test('has one canonical form, however it is written', () => {
    fc.assert(
      fc.property(anyRdata(type), ({ loose, canonical }) => {
        expect(parseRdata(type, loose)).toEqual({ ok: true, rdata: canonical });
        expect(parseRdata(type, canonical)).toEqual({ ok: true, rdata: canonical });
      }),
      { numRuns: 300 },
    );
  });

  test("is unchanged after a round trip through Route 53's form", () => {
    fc.assert(
      fc.property(anyRdata(type), ({ canonical }) => {
        expect(parseRoute53Rdata(type, formatRoute53Rdata(type, canonical))).toBe(canonical);
      }),
      { numRuns: 300 },
    );
  });

  test('has a total order, in which only equal values are equal', () => {
    fc.assert(
      fc.property(fc.array(anyRdata(type), { minLength: 2, maxLength: 5 }), (cases) => {
        const values = cases.map(({ canonical }) => canonical);
        const compare = (a: string, b: string): number => compareRdata(type, a, b);
        const sorted = values.toSorted(compare);
        expect(values.toReversed().sort(compare)).toEqual(sorted);
        sorted.slice(1).forEach((value, index) => {
          const order = compare(sorted[index] as string, value);
          expect(order === 0).toBe(sorted[index] === value);
          expect(order).toBeLessThanOrEqual(0);
        });
      }),
    );
  });

  test('never makes the parser throw, nor Route 53 values, whatever the text', () => {
    const piece = fc.oneof(
      fc.string({ unit: anyCharacter, maxLength: 5 }),
      fc.constantFrom('0', '1', ' ', '"', '\\', '\\1', '=', ',', '.', 'alpn', 'key0', 'a', '\n', '::'),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        const text = pieces.join('');
        const parsed = parseRdata(type, text);
        if (parsed.ok) expect(parseRdata(type, parsed.rdata)).toEqual(parsed);
        else expect(parsed.problems.every((problem) => problem.startsWith(`Cannot parse ${type} rdata "`))).toBe(true);
        expect(typeof parseRoute53Rdata(type, text)).toBe('string');
      }),
      { numRuns: 500 },
    );
  });

  test.each(['', '\ud800'])('refuses an empty text and half a surrogate pair: %j', (text) => {
    expect(parseRdata(type, text).ok).toBe(false);
  });
});

describe('parseRdata() of a type that Route 53 does not have', () => {
  test.each<[string, string]>([
    ['1 afsdb.Example', '1 afsdb.Example'],
    ['  "Linux"  x86 \n', '"Linux"  x86'],
    ['ä', 'ä'],
  ])('keeps %j', (text, rdata) => {
    expect(parseRdata('HINFO', text)).toEqual({ ok: true, rdata });
  });

  test.each<[string, string]>([
    ['', 'Cannot parse HINFO rdata "": it is empty'],
    [' ', 'Cannot parse HINFO rdata " ": it is empty'],
    ['a\nb', 'Cannot parse HINFO rdata "a\\u000ab": it has more than one line'],
  ])('refuses %j', (text, problem) => {
    expect(parseRdata('HINFO', text)).toEqual({ ok: false, problems: [problem] });
  });
});

test('parseRdata() refuses a text that is longer than any rdata, without parsing it', () => {
  const parsed = parseRdata('TXT', '\\'.repeat(4_000_000));
  expect(parsed.ok ? [] : parsed.problems[0]).toMatch(/it is 4000000 characters long, more than any rdata can have$/);
});

test('parseRdata() gives every problem of a value at once', () => {
  expect(parseRdata('MX', '99999 a..b').ok ? [] : parseRdata('MX', '99999 a..b')).toEqual({
    ok: false,
    problems: [
      'Cannot parse MX rdata "99999 a..b": preference "99999" is not a whole number from 0 to 65535',
      'Cannot parse MX rdata "99999 a..b": exchange "a..b": label 2 is empty',
    ],
  });
});

describe('compareRdata() sorts by wire form (RFC 4034 §6.3)', () => {
  test.each<[string, string, string]>([
    ['A', '9.0.0.1', '10.0.0.1'],
    ['AAAA', '2001:db8::9', '2001:db8::10'],
    ['MX', '9 zz.', '10 a.'],
    ['NS', 'z.', 'aa.'],
    ['NS', 'a.b.', 'a.c.'],
    ['TXT', '"z"', '"aa"'],
    ['TXT', '"a"', '"\\200"'],
    ['SRV', '1 2 3 a.', '1 10 3 a.'],
    ['DS', `9 13 2 ${'ff'.repeat(32)}`, `10 13 2 ${'00'.repeat(32)}`],
    ['HINFO', '"a"', '"b"'],
    ['A', '1.2.3.4', 'what nobody can parse'],
  ])('%s: %s before %s', (type, first, second) => {
    expect(compareRdata(type, first, second)).toBeLessThan(0);
    expect(compareRdata(type, second, first)).toBeGreaterThan(0);
    expect(compareRdata(type, first, first)).toBe(0);
  });
});
