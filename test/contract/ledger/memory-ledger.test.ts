import { expect, test } from 'vitest';
import { memoryLedger } from '../../../lib/adapters/ledger/memory-ledger.ts';
import type { Ledger, LedgerKey } from '../../../lib/ports/ledger.ts';
import { ledgerContract } from './ledger-contract.ts';

ledgerContract('memory', async () => ({ ledger: memoryLedger(), close: async () => {} }));

test('a copy of a ledger has its items, and neither has what is written to the other', async () => {
  const [first, second] = ['a', 'b'].map((sort) => ({ partition: 'p', sort })) as [LedgerKey, LedgerKey];
  const ledger = memoryLedger();
  const revision = await ledger.put(first, { n: 1 }, null);
  const copy = ledger.copy();
  expect(await copy.get(first)).toBe(await ledger.get(first));
  await copy.put(first, { n: 2 }, revision);
  await ledger.put(second, { n: 3 }, null);
  expect(await copy.put({ partition: 'q', sort: 'a' }, { n: 4 }, null)).not.toBe(null);
  const numbers = async (of: Ledger, partition: string) => (await of.query(partition)).items.map(({ body }) => body.n);
  expect([await numbers(ledger, 'p'), await numbers(ledger, 'q')]).toEqual([[1, 3], []]);
  expect([await numbers(copy, 'p'), await numbers(copy, 'q')]).toEqual([[2], [4]]);
});
