import { expect, test } from 'vitest';
import { type Block, cellSpan, codeSpan, fitBlocks } from './markdown-text.ts';

test.each([
  ['a name', 'www.example.org.', '`www.example.org.`'],
  ['backticks', 'a``b`c', '```a``b`c```'],
  ['a backtick at an end', '`a', '`` `a ``'],
  ['spaces at the ends', ' a ', '`  a  `'],
  ['a line end', 'a\r\nb', '`a\\013\\010b`'],
  ['a line separator', 'a\u2028b', '`a\\226\\128\\168b`'],
  ['an escape and DEL', '\u001b[31m\u007f', '`\\027[31m\\127`'],
  ['a mark that turns the direction', '\u202eb', '`\\226\\128\\174b`'],
  ['nothing', '', '(empty)'],
  ['HTML', '<img src=x>', '`<img src=x>`'],
])('codeSpan() of %s', (_, text, span) => {
  expect(codeSpan(text)).toBe(span);
});

test('codeSpan() cuts a long text, and says how long it is', () => {
  expect(codeSpan('x'.repeat(4_000))).toBe(`\`${'x'.repeat(500)}\`… (4000 characters)`);
});

test.each([
  ['a pipe', 'a|b', '`a\\|b`'],
  ['a backslash before a pipe', 'a\\|b', '`a\\092\\|b`'],
  ['a backslash elsewhere', 'a\\', '`a\\`'],
  ['a backtick and a pipe', '`|', '`` `\\| ``'],
])('cellSpan() of %s', (_, text, span) => {
  expect(cellSpan(text)).toBe(span);
});

const block = (name: string, rows: number, characters = 100): Block => ({
  open: `${name}\n`,
  close: '\n',
  rows: Array.from({ length: rows }, (_, at) => ({
    text: `${name}${at}`.padEnd(characters - 1).concat('\n'),
    first: at === rows - 1,
  })),
  count: rows,
});

test('fitBlocks() leaves what fits as it is', () => {
  expect(fitBlocks([block('a', 1, 4), block('b', 1, 4)], 1_000, 'blocks')).toBe('a\na0 \n\nb\nb0 \n\n');
});

test('fitBlocks() shows small blocks whole, and of a long one what is first and as much as fits', () => {
  const text = fitBlocks([block('a', 1_000), block('b', 3)], 2_000, 'blocks');
  expect(text.length).toBeLessThanOrEqual(2_000);
  expect(text.length).toBeGreaterThan(1_700);
  expect(text).toMatch(/a\na999 .*\na0 /);
  expect(text).toMatch(/… and \d+ more \(`zone53 plan -o json` has all\)/);
  expect(text).toMatch(/b0 .*\nb1 .*\nb2 /);
});

test('fitBlocks() counts the blocks that do not fit', () => {
  const blocks = Array.from({ length: 1_000 }, (_, at) => block(`z${at}`, 2));
  const text = fitBlocks(blocks, 10_000, 'blocks');
  expect(text.length).toBeLessThanOrEqual(10_000);
  const [, left, lines] = /… and (\d+) more blocks with (\d+) more lines\.\n\n$/.exec(text) ?? [];
  expect(Number(left)).toBeGreaterThan(800);
  expect(Number(lines)).toBe(2 * Number(left));
});
