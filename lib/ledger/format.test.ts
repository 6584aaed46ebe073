import { beforeEach, describe, expect, it, test } from 'vitest';
import { memoryLedger } from '../adapters/ledger/memory-ledger.ts';
import type { JsonObject, Ledger } from '../ports/ledger.ts';
import { checkFormat, NewerLedgerError, raiseFormat, SEVERAL_CLUSTERS_OR_VIEWS } from './format.ts';

const KEY = { partition: 'format', sort: 'ledger' };
let ledger: Ledger;
beforeEach(() => {
  ledger = memoryLedger();
});
const marked = async (body: JsonObject) => {
  await ledger.put(KEY, body, (await ledger.get(KEY))?.revision ?? null);
};

describe('checkFormat()', () => {
  it('lets code use a ledger without a mark, and one of a format that it knows', async () => {
    await checkFormat(ledger, 1);
    await marked({ v: 1, format: 2, since: '0.1.0' });
    await checkFormat(ledger);
  });

  it('stops code that does not know the format, and says which version does', async () => {
    await marked({ v: 1, format: 3, since: '0.2.0' });
    await expect(checkFormat(ledger)).rejects.toThrow(
      new NewerLedgerError('its format is 3, and this zone53 knows 2. Use zone53 0.2.0 or later'),
    );
  });

  it.each<[string, JsonObject]>([
    ['of another shape', { v: 1, format: 'three' }],
    ['of another version', { v: 2, format: 2, since: '0.1.0' }],
  ])('stops at a mark %s', async (_what, body) => {
    await marked(body);
    await expect(checkFormat(ledger)).rejects.toThrow(/its mark cannot be read .*remove the item "format" \/ "ledger"/);
  });
});

test('raiseFormat() marks the ledger, so that code that knows one cluster and one view stops', async () => {
  await raiseFormat(ledger, SEVERAL_CLUSTERS_OR_VIEWS);
  await expect(checkFormat(ledger, 1)).rejects.toThrow('Use zone53 0.1.0 or later');
  await checkFormat(ledger);
});

test('raiseFormat() never lowers the mark', async () => {
  await marked({ v: 1, format: 3, since: '0.2.0' });
  await raiseFormat(ledger, SEVERAL_CLUSTERS_OR_VIEWS);
  expect((await ledger.get(KEY))?.body).toEqual({ v: 1, format: 3, since: '0.2.0' });
});
