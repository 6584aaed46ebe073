import { describe, expect, test } from 'vitest';
import { findDifferences } from './find-differences.ts';

describe('findDifferences()', () => {
  test.each([
    ['equal values', { a: [1, 'x', null] }, { a: [1, 'x', null] }],
    ['a key that is not stated', { a: 1 }, { a: 1, b: 2 }],
    ['a piece of a string', '~www', 'the name www is bad'],
    ['several pieces in any order', '~ttl ~rdata', 'rdata and ttl'],
    ['any string', '~', ''],
  ])('finds none for %s', (_, expected, actual) => {
    expect(findDifferences(expected, actual)).toEqual([]);
  });

  test.each([
    ['another value', { a: { b: 1 } }, { a: { b: 2 } }, ['a.b: expected 1, got 2']],
    ['a key that is absent', { a: null }, {}, ['a: expected null, got undefined']],
    ['another type', { a: 1 }, 'a', [': expected {"a":1}, got "a"']],
    ['another order', { a: [1, 2] }, { a: [2, 1] }, ['a[0]: expected 1, got 2', 'a[1]: expected 2, got 1']],
    ['an element too few', { a: [1, 2] }, { a: [1] }, ['a[1]: missing 2']],
    ['an element too many', { a: [] }, { a: [1] }, ['a[0]: unexpected 1']],
    ['a piece that is missing', '~ttl ~rdata', 'ttl', [': expected "~ttl ~rdata", got "ttl"']],
    ['no string at all', '~', null, [': expected "~", got null']],
    ['an object for an array', [], {}, [': expected [], got {}']],
  ])('finds %s', (_, expected, actual, differences) => {
    expect(findDifferences(expected, actual)).toEqual(differences);
  });
});
