import { expect, test } from 'vitest';
import { memoryLedger } from '../lib/adapters/ledger/memory-ledger.ts';
import { itemBytes, measuredLedger } from './measured-ledger.ts';

const KEY = { partition: 'p', sort: 's' };

test('an item is as large as its attributes, names and values in UTF-8', () => {
  // pk p, sk s, rev 36, body {"é":1} of 8 octets
  expect(itemBytes(KEY, { é: 1 })).toBe(2 + 1 + 2 + 1 + 3 + 36 + 4 + 8);
});

test('reads and writes are counted, also a read of a missing item, and items() gives the present items', async () => {
  const ledger = measuredLedger(memoryLedger());
  expect(await ledger.port.get(KEY)).toBeNull();
  const revision = await ledger.port.put(KEY, { a: 1 }, null);
  await ledger.port.put(KEY, { a: 2 }, 'another');
  await ledger.port.query('p');
  const bytes = itemBytes(KEY, { a: 1 });
  expect(ledger.take()).toEqual({ itemsRead: 2, bytesRead: bytes, itemsWritten: 2, bytesWritten: 2 * bytes });
  expect(await Array.fromAsync(ledger.items())).toEqual([{ key: KEY, body: { a: 1 } }]);
  await ledger.port.remove(KEY, revision ?? '');
  expect(await Array.fromAsync(ledger.items())).toEqual([]);
});
