import { expect, test } from 'vitest';
import { backoff } from './backoff.ts';

test('backoff() doubles from the first pause to the longest', () => {
  const pause = backoff(2, 300);
  expect([0, 1, 2, 3, 8, 9, 2_000].map(pause)).toEqual([2, 2, 4, 8, 256, 300, 300]);
});
