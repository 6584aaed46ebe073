import { expect, test } from 'vitest';
import { colourPaint, formatColumns, formatJson, safeLines, safeText, wantsColour } from './terminal-text.ts';

test.each([
  ['plain ÄÖ 中 😀 →', 'plain ÄÖ 中 😀 →'],
  ['\u001b[31mred\u0007', '\\u{1b}[31mred\\u{7}'],
  ['a\nb\tc\r', 'a\\u{a}b\\u{9}c\\u{d}'],
  ['\u009b31m \u007f', '\\u{9b}31m \\u{7f}'],
  ['evil\u202egro.elpmaxe', 'evil\\u{202e}gro.elpmaxe'],
  ['zero\u200bwidth\u2066\ufeff', 'zero\\u{200b}width\\u{2066}\\u{feff}'],
  ['half \ud83d', 'half \\u{d83d}'],
])('safeText() lets nothing of %j act on a terminal', (text, expected) => {
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
