// Deletes of a run that was overtaken are counted by the guard, and another run is started to count them. (Simulation
// seeds 525 and 3406.)
import { expect, test } from 'vitest';
import {
  hostedZone,
  type PublishWorld,
  publishWorld,
  run,
  standing,
  want,
  wanted,
  ZONE_ID,
} from '../../../test/fakes/publish-world.ts';
import { recentDeletions } from '../plan/guard.ts';
import { publish } from './publish-hosted-zone.ts';
import type { PublishDeps } from './run.ts';

const NAMES = ['a', 'b', 'c', 'd'].map((label) => `${label}.example.org.`);
const [GONE = '', NEXT = ''] = NAMES;

/**
 * A run that deletes record sets, and is overtaken while Route 53 answers. The other run has counted by then. It ends
 * after the first one, or with `slow` before the first one asks for another count.
 */
async function overtaken(world: PublishWorld, { slow: isSlow = false } = {}): Promise<void> {
  let firstIsDone = () => {};
  const afterFirst = new Promise<void>((resolve) => {
    firstIsDone = resolve;
  });
  let second: Promise<unknown> | null = null;
  const { ledger, hostedZones } = world.deps;
  const slow: PublishDeps = {
    ...world.deps,
    ledger: {
      ...ledger,
      query: async (partition, options) => {
        const page = await ledger.query(partition, options);
        if (partition.startsWith('dirty#')) await afterFirst;
        return page;
      },
    },
  };
  const first: PublishDeps = {
    ...world.deps,
    ledger: {
      ...ledger,
      put: async (key, ...args) => {
        if (isSlow && second !== null && key.partition === 'hostedzones') {
          firstIsDone();
          await second;
        }
        return ledger.put(key, ...args);
      },
    },
    hostedZones: {
      ...hostedZones,
      change: async (...args) => {
        const outcome = await hostedZones.change(...args);
        world.clock.ms += 600_000;
        second = publish(slow, ZONE_ID);
        while ((await hostedZone(world)).lease?.holder !== 'holder-3') await Promise.resolve();
        return outcome;
      },
    },
  };
  await publish(first, ZONE_ID);
  firstIsDone();
  await second;
}

test.each([
  ['ends before the next one', false],
  ['asks for a count when that has ended (seed 1152095)', true],
])('deletes of an overtaken run that %s count for the guard of the next run', async (_title, slow) => {
  const world = await publishWorld({ config: { guard: { deletesMax: 1, deletesShareMax: 1 } } });
  for (const name of NAMES) await want(world, name, wanted(name, 'A', ['192.0.2.1']));
  await run(world);
  await want(world, GONE);
  world.queued.length = 0;
  await overtaken(world, { slow });
  expect(world.queued.map(({ hostedZoneId }) => hostedZoneId)).toContain(ZONE_ID);

  await run(world);
  const counted = await hostedZone(world);
  expect(counted.publishedCount).toBe(NAMES.length - 1);
  expect(recentDeletions(counted.deletions, world.clock.ms)).toBe(1);
  await want(world, NEXT);
  const result = await run(world);
  expect(result.kind === 'done' ? result.held?.count : null).toBe(1);
  expect(standing(world)).toHaveLength(NAMES.length - 1);
});

test('a delete that an overtaken run notes while the next one reads counts for its guard (seed 1305546)', async () => {
  const world = await publishWorld({ config: { guard: { deletesMax: 1, deletesShareMax: 1 } } });
  for (const name of NAMES) await want(world, name, wanted(name, 'A', ['192.0.2.1']));
  await run(world);
  await want(world, GONE);
  const { hostedZones } = world.deps;
  const looking = Promise.withResolvers<void>();
  let first: Promise<unknown> = Promise.resolve();
  let second: Promise<unknown> = Promise.resolve();
  // This read waits until the first run has noted its delete and has ended.
  const readName: typeof hostedZones.readName = async (...asked) => {
    looking.resolve();
    await first;
    return hostedZones.readName(...asked);
  };
  const change: typeof hostedZones.change = async (...asked) => {
    const outcome = await hostedZones.change(...asked);
    world.clock.ms += 600_000;
    await want(world, NEXT);
    second = publish({ ...world.deps, hostedZones: { ...hostedZones, readName } }, ZONE_ID);
    await looking.promise;
    return outcome;
  };
  first = publish({ ...world.deps, hostedZones: { ...hostedZones, change } }, ZONE_ID);
  await first;
  await second;
  expect(standing(world)).toEqual(NAMES.slice(1).map((name) => `${name} A 192.0.2.1 300`));
  const result = await run(world);
  expect(result.kind === 'done' ? result.held?.count : null).toBe(1);
  expect((await hostedZone(world)).publishedCount).toBe(NAMES.length - 1);
});

test('a delete that an overtaken run notes just after the next one has counted is in its count (seed 1547956)', async () => {
  const world = await publishWorld({ config: { guard: { deletesMax: 1, deletesShareMax: 1 } } });
  for (const name of NAMES) await want(world, name, wanted(name, 'A', ['192.0.2.1']));
  await run(world);
  await want(world, GONE);
  const { hostedZones, ledger } = world.deps;
  const counted = Promise.withResolvers<void>();
  let first: Promise<unknown> = Promise.resolve();
  let second: Promise<unknown> = Promise.resolve();
  const change: typeof hostedZones.change = async (...asked) => {
    const outcome = await hostedZones.change(...asked);
    world.clock.ms += 600_000;
    await want(world, NEXT);
    // This run counts, and then waits with the dirty names until the first run has noted its delete and has ended.
    const query: typeof ledger.query = async (partition, ...rest) => {
      if (partition.startsWith('dirty#')) {
        counted.resolve();
        await first;
      }
      return ledger.query(partition, ...rest);
    };
    second = publish({ ...world.deps, ledger: { ...ledger, query } }, ZONE_ID);
    await counted.promise;
    return outcome;
  };
  first = publish({ ...world.deps, hostedZones: { ...hostedZones, change } }, ZONE_ID);
  await first;
  await second;
  expect(standing(world)).toEqual(NAMES.slice(1).map((name) => `${name} A 192.0.2.1 300`));
  await run(world);
  expect((await hostedZone(world)).publishedCount).toBe(NAMES.length - 1);
});

test('a delete that an overtaken run begins between two reads of the next one, and dies over, counts once (seed 2910213)', async () => {
  const world = await publishWorld({ config: { guard: { deletesMax: 1, deletesShareMax: 1 } } });
  for (const name of NAMES) await want(world, name, wanted(name, 'A', ['192.0.2.1']));
  await run(world);
  await want(world, GONE);
  const { ledger } = world.deps;
  const counted = Promise.withResolvers<void>();
  const dead = Promise.withResolvers<void>();
  let second: Promise<unknown> | null = null;
  // This run counts, and then waits with the dirty names until the first run has noted what it is about to delete.
  const query: typeof ledger.query = async (partition, ...rest) => {
    if (partition.startsWith('dirty#')) {
      counted.resolve();
      await dead.promise;
    }
    return ledger.query(partition, ...rest);
  };
  const put: typeof ledger.put = async (key, ...rest) => {
    if (second !== null) throw new Error('the run died');
    if (!key.partition.startsWith('recordsets#')) return ledger.put(key, ...rest);
    world.clock.ms += 600_000;
    second = publish({ ...world.deps, ledger: { ...ledger, query } }, ZONE_ID);
    await counted.promise;
    const revision = await ledger.put(key, ...rest);
    dead.resolve();
    return revision;
  };
  await expect(publish({ ...world.deps, ledger: { ...ledger, put } }, ZONE_ID)).rejects.toThrow('died');
  await second;
  expect(standing(world)).toEqual(NAMES.slice(1).map((name) => `${name} A 192.0.2.1 300`));
  const { deletions, publishedCount } = await hostedZone(world);
  expect(recentDeletions(deletions, world.clock.ms)).toBe(1);
  expect(publishedCount).toBe(NAMES.length - 1);
  await want(world, NEXT);
  const result = await run(world);
  expect(result.kind === 'done' ? result.held?.count : null).toBe(1);
});
