import { expect, test } from 'vitest';
import {
  colourPaint,
  formatColumns,
  formatJson,
  jsonPieces,
  lazily,
  safeLines,
  safeText,
  wantsColour,
} from './terminal-text.ts';

test.each([
  ['plain ÄÖ 中 😀 →', 'plain ÄÖ 中 😀 →'],
  ['\u001b[31mred\u0007', '\\u{1b}[31mred\\u{7}'],
  ['a\nb\tc\r', 'a\\u{a}b\\u{9}c\\u{d}'],
  ['\u009b31m \u007f', '\\u{9b}31m \\u{7f}'],
  ['evil\u202egro.elpmaxe', 'evil\\u{202e}gro.elpmaxe'],
  ['zero\u200bwidth\u2066\ufeff', 'zero\\u{200b}width\\u{2066}\\u{feff}'],
  ['half \ud83d', 'half \\u{d83d}'],
])('safeText() escapes everything of %j that acts on a terminal', (text, expected) => {
  expect(safeText(text)).toBe(expected);
});

test('safeLines() keeps line breaks', () => {
  expect(safeLines('a\nb\u001b')).toBe('a\nb\\u{1b}');
});

test('formatJson() is safe on a terminal and the same value to a parser', () => {
  const value = { 'k\u009b': ['\u001b]0;x\u0007', '\u202e', 'line\nbreak', '\u2028', '😀', '\ud83d'] };
  const text = formatJson(value);
  expect(JSON.parse(text)).toEqual(value);
  expect(text.split('\n').map(safeText).join('\n')).toBe(text);
});

test('jsonPieces() with lazy lists gives the text of JSON.stringify, never much of it at once', () => {
  const numbers = Array.from({ length: 20_000 }, (_, index) => index);
  const item = (n: number) => ({ n, 'two words': [n, { deep: [] }], none: undefined, text: 'a\nb' });
  const inside = (list: (of: (n: number) => unknown) => unknown) => ({
    first: 1,
    none: undefined,
    zones: [
      { name: 'e.', entries: list(item), after: {} },
      { entries: lazily([], item), none: null },
    ],
    records: list(item),
    plain: [1, [2], { a: null }],
    nothing: [],
  });
  const pieces = [...jsonPieces(inside((of) => lazily(numbers, of)))];
  const expected = `${JSON.stringify(
    inside((of) => numbers.map(of)),
    null,
    2,
  )}\n`;
  expect(pieces.join('') === expected).toBe(true);
  expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThan(70_000);
  expect(JSON.stringify(lazily([1, 2], (n) => n + 1))).toBe('[2,3]');
});

test.each<[boolean, Record<string, string>, boolean]>([
  [true, {}, true],
  [false, {}, false],
  [true, { NO_COLOR: '1' }, false],
  [true, { NO_COLOR: '' }, true],
  [true, { TERM: 'dumb' }, false],
  [false, { FORCE_COLOR: '1' }, true],
  [true, { FORCE_COLOR: '0' }, false],
  [false, { FORCE_COLOR: '1', NO_COLOR: '1' }, true],
])('wantsColour() on a terminal: %s, with %j: %s', (isTerminal, environment, expected) => {
  expect(wantsColour(isTerminal, environment)).toBe(expected);
});

test('formatColumns() aligns all but the last column, painted or not', () => {
  const rows = [
    ['a', 'bb', 'c'],
    ['aaa', 'b', 'cccc'],
  ];
  expect(formatColumns(rows, '> ')).toEqual(['> a    bb  c', '> aaa  b   cccc']);
  const painted = formatColumns(rows, '', (text, column) => (column === 0 ? colourPaint('red', text) : text));
  expect(painted[0]).toBe('\u001b[31ma  \u001b[39m  bb  c');
});
