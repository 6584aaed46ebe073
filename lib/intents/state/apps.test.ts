import { expect, test } from 'vitest';
import { countingLedger } from '../../../test/fakes/counting-ledger.ts';
import { appOf, intentClient } from '../../../test/support/intent-client.ts';
import { memoryLedger } from '../../adapters/ledger/memory-ledger.ts';
import { eachApp } from './apps.ts';

test('eachApp() reads an app once, and the further items of a large one', async () => {
  const counting = countingLedger(memoryLedger());
  const { ask, deps } = intentClient({ ledger: counting.port });
  const instantiate = (app: string, services: number) => {
    const names = Array.from({ length: services }, (_, index) => [
      `${app}-${index}`,
      { publicAddresses: ['192.0.2.1'] },
    ]);
    return ask('POST', `/v2/projects/shop/apps/${app}/instantiate`, appOf(Object.fromEntries(names)));
  };
  for (let index = 0; index < 50; index += 1) await instantiate(`small${index}`, 1);
  await instantiate('large', 3_000);
  const parts = (await counting.port.query('intentservices#test')).items.length;
  expect(parts).toBeGreaterThan(0);
  counting.take();
  const apps = await Array.fromAsync(eachApp(deps.state, 'shop'));
  expect(apps.map(({ services }) => services.length)).toEqual([3_000, ...Array.from({ length: 50 }, () => 1)]);
  expect(counting.take().itemsRead).toBe(51 + parts);
});
