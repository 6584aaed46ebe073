import { expect, test } from 'vitest';
import { formatRoute53Rdata } from '../../route53/escapes.ts';
import { parseValue } from './values.ts';

/** The value in the form that Route 53 gets. */
function sent(type: 'A' | 'AAAA' | 'CNAME' | 'TXT', value: string): string | readonly string[] {
  const result = parseValue(type, 'spec.values[0]', value);
  return result.ok ? formatRoute53Rdata(type, result.rdata) : result.problems;
}

const LONG = 'x'.repeat(300);

test.each([
  ['a word', 'foo', '"foo"'],
  ['text with spaces', 'v=spf1 -all', '"v=spf1 -all"'],
  ['text in quotes', '"foo"', '"foo"'],
  ['two strings in quotes', '"foo" "bar"', '"foo" "bar"'],
  ['a quote inside', 'a"b', '"a\\"b"'],
  ['a backslash', 'a\\b', '"a\\\\b"'],
  ['text that looks like an escape, outside of quotes', 'a\\101', '"a\\\\101"'],
  ['an octal escape in quotes', '"a\\011b"', '"a\\011b"'],
  ['one quote at its beginning', '"foo', '"\\"foo"'],
  ['one quote at its end', 'foo"', '"foo\\""'],
  ['a quote alone', '"', '"\\""'],
  ['a space', ' ', '" "'],
  ['UTF-8', 'é', '"\\303\\251"'],
  ['255 octets', 'x'.repeat(255), `"${'x'.repeat(255)}"`],
  ['300 octets', LONG, `"${'x'.repeat(255)}" "${'x'.repeat(45)}"`],
  ['300 octets in quotes', `"${LONG}"`, `"${'x'.repeat(255)}" "${'x'.repeat(45)}"`],
  ['256 quotes', '"a'.repeat(128), `"${'\\"a'.repeat(127)}\\"" "a"`],
])('parseValue() of a TXT accepts %s', (_, value, expected) => {
  expect(sent('TXT', value)).toBe(expected);
});

test.each([
  ['nothing', ''],
  ['a quote inside quotes', '"a"b"'],
  ['a string without quotes beside others', '"a" b "c"'],
  ['an escape that is not an octet', '"\\777"'],
  ['half a surrogate pair', '\ud800'],
])('parseValue() of a TXT refuses %s', (_, value) => {
  const problems = sent('TXT', value);
  expect(problems).toHaveLength(1);
  expect(problems[0]).toMatch(/^spec\.values\[0\]: Invalid value: /);
});

test('parseValue() reads addresses and names as the API does', () => {
  expect(sent('A', '192.0.2.1')).toBe('192.0.2.1');
  expect(sent('AAAA', '2001:DB8::1')).toBe('2001:db8::1');
  expect(sent('AAAA', '::ffff:192.0.2.1')).toBe('::ffff:c000:201');
  expect(sent('CNAME', 'a.example.com')).toBe('a.example.com.');
  for (const value of ['192.0.2.01', '192.0.2', '', '192.0.2.1\n', 'fe80::1%eth0']) {
    expect(sent('A', value)).toHaveLength(1);
  }
});
