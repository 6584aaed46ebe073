import { expect, test } from 'vitest';
import { atLeast, atMost, formatResult } from './result.ts';

test('a limit is kept on its edge and missed past it', () => {
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
    'MISSED: calls 2, limit 1',
    '',
  ]);
});
