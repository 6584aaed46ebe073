import { expect, test } from 'vitest';
import { median, percentile, rounded, withSpread } from './statistics.ts';

test('the median is a value that was measured, in whatever order they came', () => {
  expect(median([3, 1, 2])).toBe(2);
  expect(median([4, 1, 3, 2])).toBe(2);
  expect(median([7])).toBe(7);
  expect(median([])).toBeNaN();
});

test('a percentile is the least value that covers the share', () => {
  const hundred = Array.from({ length: 100 }, (_, index) => index + 1);
  expect(percentile(hundred, 0.99)).toBe(99);
  expect(percentile(hundred, 1)).toBe(100);
  expect(percentile([5, 1, 9], 0.99)).toBe(9);
  expect(percentile([5, 1, 9], 0)).toBe(1);
});

test('withSpread() shows least and most after the median', () => {
  expect(withSpread([3, 1, 2])).toBe('2 (1 to 3)');
  expect(withSpread([0.25, 0.5, 0.75], 2)).toBe('0.50 (0.25 to 0.75)');
  expect(withSpread([])).toBe('-');
  expect(rounded(1.2345, 2)).toBe(1.23);
});
