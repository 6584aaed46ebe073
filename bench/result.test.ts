import { expect, test } from 'vitest';
import { atLeast, atMost, formatLimit, formatResult } from './result.ts';

test('a value equal to the limit keeps it, and a larger one misses it', () => {
  expect(atMost('calls', 1, 1).kept).toBe(true);
  expect(atMost('calls', 1.001, 1).kept).toBe(false);
  expect(atLeast('share', 0.95, 0.95).kept).toBe(true);
  expect(atLeast('share', Number.NaN, 0.95).kept).toBe(false);
});

test('tables line up, and a row may lack a column that another has', () => {
  const text = formatResult({
    name: 'a bench',
    rows: [
      { names: 100, calls: 1 },
      { names: 10_000, note: 'not finished' },
    ],
    limits: [atMost('calls', 2, 1)],
    tables: [{ title: 'more', rows: [{ a: 1 }] }],
    notes: ['on a loaded machine'],
  });
  expect(text.split('\n')).toEqual([
    '',
    'a bench',
    'names  calls          note',
    '  100      1              ',
    '10000         not finished',
    '',
    'more',
    'a',
    '1',
    '',
    'note: on a loaded machine',
    'MISSED: calls 2, limit 1, by a factor of 2',
    '',
  ]);
});

test('a missed limit is printed with its factor', () => {
  expect(formatLimit(atLeast('times sooner', 10, 50))).toBe('MISSED: times sooner 10, limit 50, by a factor of 5');
  expect(formatLimit(atMost('throttles', 3, 0))).toBe('MISSED: throttles 3, limit 0, by 3');
  expect(formatLimit(atMost('calls', 1, 1))).toBe('kept: calls 1, limit 1');
});
