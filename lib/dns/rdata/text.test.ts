import { describe, expect, test } from 'vitest';
import { canonicalRdata, rdataProblems } from '../../../test/support/rdata-problems.ts';

describe.each(['TXT', 'SPF'])('%s', (type) => {
  const rows: readonly [why: string, text: string, rdata: string][] = [
    ['text without a quote in front is one string', 'v=spf1 -all', '"v=spf1 -all"'],
    ['its backslashes and quotes are kept', 'a "b" \\c \\065', '"a \\"b\\" \\\\c \\\\065"'],
    ['its spaces are kept', ' a  b ', '" a  b "'],
    ['a single space is text', ' ', '" "'],
    ['characters beyond ASCII are UTF-8', 'é', '"\\195\\169"'],
    ['characters beyond the first plane too', '😀', '"\\240\\159\\152\\128"'],
    ['control characters are escaped', 'a\tb\n\u007f', '"a\\009b\\010\\127"'],
    ['the empty string', '""', '""'],
    ['several strings stay several', '"a"  "b"\n"c"', '"a" "b" "c"'],
    ['strings may touch', '"a""b"', '"a" "b"'],
    ['decimal escapes', '"\\065\\195\\169\\000\\255"', '"A\\195\\169\\000\\255"'],
    ['escapes of other characters', '"\\a\\"\\\\\\;\\é"', '"a\\"\\\\;\\195\\169"'],
    ['UTF-8 inside quotes', '"é"', '"\\195\\169"'],
    ['a semicolon needs no escape', '"a;b"', '"a;b"'],
    ['spaces after the last quote are ignored', '"a" ', '"a"'],
    ['255 octets are one string', 'x'.repeat(255), `"${'x'.repeat(255)}"`],
    ['256 are two', 'x'.repeat(256), `"${'x'.repeat(255)}" "x"`],
    ['also in quotes', `"${'x'.repeat(511)}" "y"`, `"${'x'.repeat(255)}" "${'x'.repeat(255)}" "x" "y"`],
    ['octets are counted, not characters', 'é'.repeat(128), `"${'\\195\\169'.repeat(127)}\\195" "\\169"`],
  ];
  test.each(rows)('%s', (_, text, rdata) => {
    expect(canonicalRdata(type, text)).toBe(rdata);
  });

  test.each<[string, ...string[]]>([
    ['', 'it is empty'],
    ['"', 'a quote is not closed'],
    ['"a', 'a quote is not closed'],
    ['"a" "b', 'a quote is not closed'],
    ['"a\\"', 'a quote is not closed'],
    ['"a" b', '"b" is outside the quotes'],
    ['"a"b', '"b" is outside the quotes'],
    ['"a" b "c" d', '"b" is outside the quotes', '"d" is outside the quotes'],
    ['"\\256"', 'string 1 has the escape "\\256"; write exactly three digits after "\\", from \\000 to \\255'],
    ['"a" "\\1"', 'string 2 has the escape "\\1"; write exactly three digits after "\\", from \\000 to \\255'],
    ['"\\12x"', 'string 1 has the escape "\\12"; write exactly three digits after "\\", from \\000 to \\255'],
  ])('refuses %s', (text, ...problems) => {
    expect(rdataProblems(type, text)).toEqual(problems);
  });

  test('refuses more than 65535 octets', () => {
    expect(canonicalRdata(type, 'x'.repeat(65_279)).length).toBeGreaterThan(65_279);
    expect(rdataProblems(type, 'x'.repeat(65_280))).toEqual(['it is 65536 octets long, more than 65535']);
  });
});
