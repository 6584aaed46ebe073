import { expect, test } from 'vitest';
import { A, type PublishWorld, publishWorld, run, WWW, want, ZONE_ID } from '../../test/fakes/publish-world.ts';
import { DEFAULT_CONFIG } from '../ports/config.ts';
import { forgetHistory } from './forget-history.ts';
import { queryHistory } from './query-history.ts';

const DAY_MS = 86_400_000;

function contextOf(world: PublishWorld, days: number) {
  const config = { ...DEFAULT_CONFIG, history: { days, users: false } };
  return { ledger: world.ledger, clock: world.deps.clock, config, log: () => {} };
}

async function shown(world: PublishWorld, days: number): Promise<number> {
  const all = { sinceMs: null, untilMs: null, limit: 100 };
  const { entries } = await queryHistory(contextOf(world, days), all);
  expect((await queryHistory(contextOf(world, days), { ...all, name: WWW })).entries).toHaveLength(entries.length);
  return entries.length;
}

async function stored({ ledger }: PublishWorld): Promise<number> {
  const partitions = [`history#${ZONE_ID}`, `batches#${ZONE_ID}`];
  return (await Promise.all(partitions.map((one) => ledger.query(one)))).flatMap(({ items }) => items).length;
}

test('what is past its time is not shown, and is removed a week later; with 0 days at once', async () => {
  const world = await publishWorld();
  await want(world, WWW, A('192.0.2.1'));
  await run(world);
  world.clock.ms += 60 * DAY_MS;
  await want(world, WWW, A('192.0.2.2'));
  await run(world);
  expect([await shown(world, 90), await stored(world)]).toEqual([2, 4]);
  world.clock.ms += 30 * DAY_MS;
  await forgetHistory(contextOf(world, 90), ZONE_ID);
  expect([await shown(world, 90), await stored(world)]).toEqual([1, 4]);
  world.clock.ms += 8 * DAY_MS;
  await forgetHistory(contextOf(world, 90), ZONE_ID);
  expect([await shown(world, 90), await stored(world)]).toEqual([1, 2]);
  expect(await shown(world, 0)).toBe(0);
  await forgetHistory(contextOf(world, 0), ZONE_ID);
  expect(await stored(world)).toBe(0);
});
