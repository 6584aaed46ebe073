import { describe, expect, it } from 'vitest';
import { matchFilterPattern } from './match-filter-pattern.ts';

const EVENT = JSON.stringify({ a: { b: 'text', n: 200, empty: '' }, list: ['x'], none: null });

describe('matchFilterPattern()', () => {
  it.each<[string, boolean]>([
    ['{ $.a.b = "text" }', true],
    ['{ $.a.b = "other" }', false],
    ['{ $.a.b = "te*" }', true],
    ['{ $.a.b = "*xt" }', true],
    ['{ $.a.b = "te" }', false],
    ['{ $.a.b = "t.xt" }', false],
    ['{ $.a.b != "other" }', true],
    ['{ $.a.b != "text" }', false],
    ['{ $.a.missing = "text" }', false],
    ['{ $.a.missing != "text" }', false],
    ['{ $.a.missing.deeper = 1 }', false],
    ['{ $.a.n = 200 }', true],
    ['{ $.a.n = "200" }', false],
    ['{ $.a.b = 200 }', false],
    ['{ $.a.n < 300 }', true],
    ['{ $.a.n < 200 }', false],
    ['{ $.a.n <= 200 }', true],
    ['{ $.a.n > 199 }', true],
    ['{ $.a.n >= 201 }', false],
    ['{ $.a.missing < 300 }', false],
    ['{ $.a.b EXISTS }', true],
    ['{ $.a.empty EXISTS }', true],
    ['{ $.a.missing EXISTS }', false],
    ['{ $.a.missing NOT EXISTS }', true],
    ['{ $.a.b NOT EXISTS }', false],
    ['{ $.a.b = "no" || $.a.n = 200 && $.a.b = "text" }', true],
    ['{ ($.a.n = 200 || $.a.b = "no") && $.a.b = "no" }', false],
    ['{ $.a.n = 200 || $.a.b = "no" && $.a.b = "no" }', true],
  ])('%s: %s', (pattern, wanted) => {
    expect(matchFilterPattern(pattern, EVENT)).toBe(wanted);
  });

  it.each(['no JSON', '"text"', '[1]', 'null'])('is false for an event that is not an object: %s', (message) => {
    expect(matchFilterPattern('{ $.a NOT EXISTS }', message)).toBe(false);
  });

  it.each([
    '',
    'text',
    '{ $.a = }',
    '{ $.a = "x"',
    '{ $.a = "x" } more',
    '{ $.a = "x" && }',
    '{ ($.a = "x" }',
    '{ $.a = x }',
    '{ $.a < "x" }',
    '{ $.a IS NULL }',
    '{ $.list[0] = "x" }',
    '{ $.a = %regular% }',
    '{ a = "x" }',
    '{ }',
    '[ip, user]',
  ])('throws on what it does not know: %s', (pattern) => {
    expect(() => matchFilterPattern(pattern, EVENT)).toThrow('Cannot evaluate filter pattern');
  });
});
