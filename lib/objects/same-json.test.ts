// sameJson() gives the same result as a comparison of JSON texts with sorted keys.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { canonicalJson } from '../ledger/canonical-json.ts';
import type { JsonValue } from '../ports/ledger.ts';
import { sameJson } from './same-json.ts';

describe('sameJson()', () => {
  test('agrees with the canonical text, whatever the values', () => {
    const value = fc.jsonValue({ maxDepth: 3 }).map((made) => made as JsonValue);
    fc.assert(
      fc.property(value, value, (a, b) => {
        expect(sameJson(a, b)).toBe(canonicalJson(a) === canonicalJson(b));
        expect(sameJson(a, JSON.parse(JSON.stringify(a)))).toBe(true);
      }),
    );
  });

  test.each([
    [{ a: 1, b: 2 }, { b: 2, a: 1 }, true],
    [{ a: 1, b: undefined }, { a: 1 }, true],
    [{ a: null }, {}, false],
    [{ a: 1 }, { a: 1, b: 1 }, false],
    [{ a: 1, b: 1 }, { a: 1 }, false],
    [[1, 2], [2, 1], false],
    [[1], [1, undefined], false],
    [[undefined], [null], true],
    [[], {}, false],
    [{}, null, false],
    ['1', 1, false],
    [0, false, false],
    [null, undefined, true],
  ])('%j and %j: %j', (a, b, same) => {
    expect(sameJson(a, b)).toBe(same);
    expect(sameJson(b, a)).toBe(same);
  });
});
