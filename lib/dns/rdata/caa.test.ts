import { describe, expect, test } from 'vitest';
import { canonicalRdata, rdataProblems } from '../../../test/support/rdata-problems.ts';

describe('CAA', () => {
  test.each<[string, string]>([
    ['0 issue "letsencrypt.org"', '0 issue "letsencrypt.org"'],
    ['0 issue letsencrypt.org', '0 issue "letsencrypt.org"'],
    ['0 issue ;', '0 issue ";"'],
    ['0 issue ""', '0 issue ""'],
    ['128 IODEF "mailto:a@b; c=d"', '128 iodef "mailto:a@b; c=d"'],
    ['0 issue "a; accounturi=x\\032\\"y\\""', '0 issue "a; accounturi=x \\"y\\""'],
    [`0 issue "${'x'.repeat(300)}"`, `0 issue "${'x'.repeat(300)}"`],
    ['0 contactemail "é"', '0 contactemail "\\195\\169"'],
  ])('%s', (text, rdata) => {
    expect(canonicalRdata('CAA', text)).toBe(rdata);
  });

  test.each<[string, ...string[]]>([
    ['0 issue', 'expected "<flags> <tag> <value>"; a value with spaces needs quotes'],
    ['0 issue a b', 'expected "<flags> <tag> <value>"; a value with spaces needs quotes'],
    ['0 issue "a"b', 'expected "<flags> <tag> <value>"; a value with spaces needs quotes'],
    ['0 issue "a', 'a quote is not closed'],
    ['0 issue a"b"', 'value "a"b"" has a quote inside it; write \\" for a quote'],
    [
      '256 is-sue "\\300"',
      'flags "256" is not a whole number from 0 to 255',
      'tag "is-sue" must be 1 to 255 letters and digits, such as issue, issuewild or iodef',
      'value has the escape "\\300"; write exactly three digits after "\\", from \\000 to \\255',
    ],
    ['0 "issue" a', 'tag ""issue"" must be 1 to 255 letters and digits, such as issue, issuewild or iodef'],
    ['0 issue a\\', 'value ends in a "\\" with nothing after it'],
  ])('refuses %s', (text, ...problems) => {
    expect(rdataProblems('CAA', text)).toEqual(problems);
  });
});
