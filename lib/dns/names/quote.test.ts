import { expect, test } from 'vitest';
import { cannotParse, quote } from './quote.ts';

test.each<[string, string, string]>([
  ['a plain text', 'a', '"a"'],
  ['control characters', 'a\n\u0000\u00ad', '"a\\u000a\\u0000\\u00ad"'],
  ['line ends that are no control characters', 'a\u2028b\u2029', '"a\\u2028b\\u2029"'],
  ['format characters beyond the first plane', '\u{e0001}', '"\\u{e0001}"'],
  ['half a surrogate pair', '\ud800', '"\\ud800"'],
  ['100 characters', 'x'.repeat(100), `"${'x'.repeat(100)}"`],
  ['101 characters', 'x'.repeat(101), `"${'x'.repeat(97)}..."`],
])('quote() shows %s', (_, text, shown) => {
  expect(quote(text)).toBe(shown);
});

test('cannotParse() gives action, value and detail once for each problem', () => {
  expect(cannotParse('name', 'a..', ['one', 'two'])).toEqual([
    'Cannot parse name "a..": one',
    'Cannot parse name "a..": two',
  ]);
});
