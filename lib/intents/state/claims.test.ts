import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { appOf, intentClient } from '../../../test/support/intent-client.ts';
import { memoryLedger } from '../../adapters/ledger/memory-ledger.ts';
import type { Ledger } from '../../ports/ledger.ts';

/** A ledger that answers later, and says how often it was asked while nothing was under way. */
function roundsOf(ledger: Ledger): { readonly ledger: Ledger; readonly take: () => number } {
  let rounds = 0;
  let underWay = 0;
  const later =
    <Args extends readonly unknown[], T>(call: (...args: Args) => Promise<T>) =>
    async (...args: Args): Promise<T> => {
      if (underWay === 0) rounds += 1;
      underWay += 1;
      await setImmediate();
      underWay -= 1;
      return call(...args);
    };
  const take = () => {
    const taken = rounds;
    rounds = 0;
    return taken;
  };
  return { ledger: { ...ledger, get: later(ledger.get), remove: later(ledger.remove) }, take };
}

test.each([
  ['terminate', 'terminate', undefined],
  ['instantiate with other services', 'instantiate', appOf({ other: { publicAddresses: ['192.0.2.1'] } })],
])('%s of an app with many services takes few rounds of reading and writing', async (_title, action, body) => {
  const { ledger, take } = roundsOf(memoryLedger());
  const { ask } = intentClient({ ledger });
  const names = Array.from({ length: 500 }, (_, index) => [`s${index}`, { publicAddresses: ['192.0.2.1'] }] as const);
  const large = appOf(Object.fromEntries(names));
  expect((await ask('POST', '/v2/projects/shop/apps/large/instantiate', large)).status).toBe(202);
  take();
  expect((await ask('POST', `/v2/projects/shop/apps/large/${action}`, body)).status).toBe(202);
  expect(take()).toBeLessThan(50);
});

test('instantiate of an app with many services takes few rounds of reading, also if their object names have hyphens', async () => {
  const { ledger, take } = roundsOf(memoryLedger());
  const { ask } = intentClient({ ledger });
  const record = { metadata: { name: 'dns-update-record-1' }, spec: { provider: 'aws' } };
  expect((await ask('POST', '/v2/projects/shop/dns-update-records', record)).status).toBe(201);
  const list = { metadata: { name: 'dns-update-record-list' }, spec: { kv: [{ key1: 'dns-update-record-1' }] } };
  expect((await ask('POST', '/v2/projects/shop/logical-clouds/main/kv-pairs', list)).status).toBe(201);
  take();
  const names = Array.from({ length: 500 }, (_, index) => [`s${index}`, { publicAddresses: ['192.0.2.1'] }] as const);
  const { status, body } = await ask('POST', '/v2/projects/shop/apps/large/instantiate', {
    ...appOf(Object.fromEntries(names)),
    logicalCloud: 'main',
  });
  expect([status, body.status.length]).toEqual([202, 500]);
  expect(take()).toBeLessThan(50);
});
