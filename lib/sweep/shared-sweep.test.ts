// Several clusters that one function sweeps share what a sweep may cost.
import { expect, test } from 'vitest';
import { reconcileWorld, saveAll } from '../../test/fakes/reconcile-world.ts';
import { parseRef } from '../objects/object-ref.ts';
import { publish } from '../publish/run/publish-hosted-zone.ts';
import { recordSetItemKey } from '../record-sets/record-set-item.ts';
import { sweepPiece } from './sweep-cluster.ts';

const RECORDS = 60;

/** After how many sweeps each of the record sets that were lost is there again. */
async function sweepsUntilRepaired(clusters: number): Promise<number> {
  const world = reconcileWorld({ hostedZones: [{ id: 'Z1', name: 'e.' }] });
  const { context, ledger, cluster } = world;
  cluster.put(parseRef('Zone a/e'), { domainName: 'e.', delegations: [{ records: [{ pattern: '*' }] }] });
  const names = Array.from({ length: RECORDS }, (_, index) => `n${index}.e.`);
  for (const [index, domainName] of names.entries())
    cluster.put(parseRef(`Record a/n${index}`), { domainName, type: 'A', rdata: '192.0.2.1' });
  await saveAll(world);
  await publish(world.deps, 'Z1');
  const items = names.map((name) => recordSetItemKey('Z1', { name, type: 'A', setIdentifier: null }));
  const standing = async () => (await Promise.all(items.map((key) => ledger.get(key)))).filter((one) => one !== null);
  for (const key of items) await ledger.remove(key, (await ledger.get(key))?.revision ?? '');
  expect(await standing()).toEqual([]);
  for (let sweeps = 1; sweeps <= 50; sweeps += 1) {
    world.clock.ms += 900_000;
    const { whole } = await sweepPiece(context, Number.POSITIVE_INFINITY, { clusters });
    expect(whole).toBe(true);
    if ((await standing()).length === RECORDS) return sweeps;
  }
  throw new Error('it is never repaired');
}

test('a cluster alone is done as a whole; of many, each does a part in each sweep, and all of it in some', async () => {
  expect(await sweepsUntilRepaired(1)).toBe(1);
  const ofMany = await sweepsUntilRepaired(50);
  expect(ofMany).toBeGreaterThan(1);
  expect(ofMany).toBeLessThan(20);
});
