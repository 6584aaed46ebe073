import { expect, test } from 'vitest';
import { A, APEX, publishWorld, run, standing, WWW, want, ZONE_ID } from '../../test/fakes/publish-world.ts';
import { readManyNameItems } from './store.ts';

const BELOW = Array.from({ length: 120 }, (_, index) => `${index}.${WWW}`);

test('readManyNameItems() reads the items of a name that sort behind those of all names below it', async () => {
  const world = await publishWorld();
  const names = [`a.${APEX}`, WWW, `9.${WWW}`];
  for (const name of names) await want(world, name, A('192.0.2.1', name));
  const found = await readManyNameItems(world.ledger, ZONE_ID, names, 100);
  expect(names.map((name) => found.get(name)?.length)).toEqual([1, 1, 1]);
});

test('publish() publishes a name together with many names below it', async () => {
  const world = await publishWorld();
  for (const name of [WWW, ...BELOW]) await want(world, name, A('192.0.2.1', name));
  await run(world);
  expect(standing(world)).toHaveLength(1 + BELOW.length);
});
