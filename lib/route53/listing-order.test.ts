// Route 53's order compared with the ledger's: no name that Route 53 lists in a range may be missed in the ledger.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { reversedKey } from '../dns/names/name.ts';
import { compareRoute53Names, ledgerRange } from './listing-order.ts';

const label = fc.stringMatching(/^[ab0_/-]{1,3}$/);
const name = fc
  .tuple(fc.boolean(), fc.array(label, { maxLength: 4 }))
  .map(([wild, labels]) => `${[...(wild ? ['*'] : []), ...labels, 'z-z', 'org'].join('.')}.`);

describe('compareRoute53Names()', () => {
  it('sorts the hyphen before the end of a label, as the documentation says', () => {
    const names = ['z.', '*.z.', '1.z.', '_x.z.', 'b-c.z.', 'x.b-c.z.', 'b.z.', 'a.b.z.', 'b0.z.'];
    expect(names.toReversed().sort(compareRoute53Names)).toEqual(names);
  });

  it('reads octal escapes, which only foreign names have', () => {
    expect(compareRoute53Names('a\\041.z.', 'a-.z.')).toBeLessThan(0);
  });
});

describe('ledgerRange()', () => {
  it('has every name that Route 53 lists there', () => {
    fc.assert(
      fc.property(name, fc.option(name), fc.option(name), (one, after, through) => {
        if (after !== null && compareRoute53Names(one, after) <= 0) return;
        if (through !== null && compareRoute53Names(one, through) > 0) return;
        const { from, to } = ledgerRange(after, through);
        const key = `${reversedKey(one)}TXT `;
        expect(key >= from && (to === null || key < to)).toBe(true);
      }),
      { numRuns: 5_000 },
    );
  });

  it('is not larger than needed if all names have one form', () => {
    expect(ledgerRange('node-300.z.', 'node-600.z.')).toEqual({ from: 'z node-300 ', to: 'z node-600.' });
    expect(ledgerRange(null, null)).toEqual({ from: '', to: null });
  });
});
