import fc from 'fast-check';
import { expect, it } from 'vitest';
import { anyCharacter } from '../../../test/support/dns-arbitraries.ts';
import { compareSortKeys } from './sort-key-order.ts';

it('compareSortKeys() orders as the UTF-8 octets do', () => {
  const characters = fc.constantFrom('', 'a', 'é', '\u{d7ff}', '\u{e000}', '\u{ffff}', '\u{10000}', '\u{10ffff}', ' ');
  const text = fc
    .array(fc.oneof(characters, fc.string({ unit: anyCharacter })), { maxLength: 4 })
    .map((list) => list.join(''));
  fc.assert(
    fc.property(text, text, (a, b) => {
      expect(Math.sign(compareSortKeys(a, b))).toBe(Buffer.compare(Buffer.from(a), Buffer.from(b)));
    }),
    { numRuns: 2_000 },
  );
});
