// What a run deleted after another had taken over its hosted zone is counted all the same: the guard must know of it, and
// somebody must come by to count. (Simulation seeds 525 and 3406.)
import { expect, test } from 'vitest';
import {
  APEX,
  hostedZone,
  itemAt,
  type PublishWorld,
  publishWorld,
  run,
  standing,
  want,
  wanted,
  ZONE_ID,
} from '../../../test/fakes/publish-world.ts';
import { markDirty } from '../../record-sets/dirty-mark.ts';
import { recentDeletions } from '../plan/guard.ts';
import { publish } from './publish-hosted-zone.ts';
import type { PublishDeps } from './run.ts';

const NAMES = ['a', 'b', 'c', 'd'].map((label) => `${label}.example.org.`);
const [GONE = '', NEXT = ''] = NAMES;

/**
 * A run that deletes what is no longer wanted, and is overtaken while Route 53 answers; the other run, which has counted by then,
 * ends after it, or where it is `slow`, before it asks for another count.
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
])('deletes of an overtaken run that %s count for the guard once the next run has come by', async (_title, slow) => {
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

test('a delete that an overtaken run notes while the next one looks counts for its guard (seed 1305546)', async () => {
  const world = await publishWorld({ config: { guard: { deletesMax: 1, deletesShareMax: 1 } } });
  for (const name of NAMES) await want(world, name, wanted(name, 'A', ['192.0.2.1']));
  await run(world);
  await want(world, GONE);
  const { hostedZones } = world.deps;
  const looking = Promise.withResolvers<void>();
  let first: Promise<unknown> = Promise.resolve();
  let second: Promise<unknown> = Promise.resolve();
  // Looks only once the first run has noted its delete, and has ended.
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
    // Counts, and reads what is dirty only once the first run has noted its delete, and has ended.
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

test('a delete that an overtaken run begins between two readings of the next one, and dies over, counts once (seed 2910213)', async () => {
  const world = await publishWorld({ config: { guard: { deletesMax: 1, deletesShareMax: 1 } } });
  for (const name of NAMES) await want(world, name, wanted(name, 'A', ['192.0.2.1']));
  await run(world);
  await want(world, GONE);
  const { ledger } = world.deps;
  const counted = Promise.withResolvers<void>();
  const dead = Promise.withResolvers<void>();
  let second: Promise<unknown> | null = null;
  // Counts, and reads what is dirty only once the first run has noted what it is about to delete.
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

test('a batch that lands after another run has looked, and is done with its name, is looked at again (seed 1895)', async () => {
  const world = await publishWorld();
  await want(world, GONE, wanted(GONE, 'A', ['192.0.2.1']));
  const { hostedZones } = world.deps;
  const change: typeof hostedZones.change = async (...asked) => {
    world.clock.ms += 600_000;
    await want(world, GONE);
    await publish(world.deps, ZONE_ID);
    return hostedZones.change(...asked);
  };
  world.queued.length = 0;
  await publish({ ...world.deps, hostedZones: { ...hostedZones, change } }, ZONE_ID);
  expect(standing(world)).toEqual([`${GONE} A 192.0.2.1 300`]);
  expect(world.queued.map(({ hostedZoneId }) => hostedZoneId)).toContain(ZONE_ID);
  await run(world);
  expect(standing(world)).toEqual([]);
});

test('what an overtaken run has seen is not noted over what the next one published again (seed 1080194)', async () => {
  const world = await publishWorld();
  await want(world, GONE, wanted(GONE, 'A', ['192.0.2.1']));
  await run(world);
  world.route53.edit(ZONE_ID, { name: GONE, type: 'A', setIdentifier: null }, null);
  await markDirty(world.ledger, ZONE_ID, GONE, world.clock.ms, { retry: true });
  const { hostedZones } = world.deps;
  let second: unknown = null;
  const readName: typeof hostedZones.readName = async (...asked) => {
    const seen = await hostedZones.readName(...asked);
    // Nothing stands: while the first run holds that answer in its hands, another one puts it back.
    world.clock.ms += 600_000;
    second ??= await publish(world.deps, ZONE_ID);
    return seen;
  };
  await publish({ ...world.deps, hostedZones: { ...hostedZones, readName } }, ZONE_ID);
  expect(second).toMatchObject({ kind: 'done' });
  expect(standing(world)).toEqual([`${GONE} A 192.0.2.1 300`]);
  await markDirty(world.ledger, ZONE_ID, GONE, world.clock.ms, { retry: true });
  await run(world);
  expect(await itemAt(world, { name: GONE, type: 'A' })).toMatchObject({
    published: { kind: 'values' },
    refusal: null,
  });
});

test('nor over an item that went and came again meanwhile', async () => {
  const world = await publishWorld();
  const key = { name: GONE, type: 'A', setIdentifier: null };
  await want(world, GONE, wanted(GONE, 'A', ['192.0.2.1']));
  world.route53.edit(ZONE_ID, key, wanted(GONE, 'A', ['192.0.2.9']).content);
  await markDirty(world.ledger, ZONE_ID, GONE, world.clock.ms, { retry: true });
  const { hostedZones } = world.deps;
  let seenBefore = false;
  const readName: typeof hostedZones.readName = async (...asked) => {
    const seen = await hostedZones.readName(...asked);
    if (seenBefore) return seen;
    seenBefore = true;
    // Somebody else's record set stands: while the first run holds that answer in its hands, the Record goes, and its item,
    // then the other's record set, and the Record is made again.
    world.clock.ms += 600_000;
    await want(world, GONE);
    await publish(world.deps, ZONE_ID);
    expect(await itemAt(world, key)).toBeNull();
    world.route53.edit(ZONE_ID, key, null);
    await want(world, GONE, wanted(GONE, 'A', ['192.0.2.1']));
    return seen;
  };
  await publish({ ...world.deps, hostedZones: { ...hostedZones, readName } }, ZONE_ID);
  await run(world);
  expect(standing(world)).toEqual([`${GONE} A 192.0.2.1 300`]);
});

test('what an overtaken run held is said by the next one (seed 2553184)', async () => {
  const world = await publishWorld({ config: { guard: { deletesMax: 0, deletesShareMax: 1 } } });
  for (const name of NAMES) await want(world, name, wanted(name, 'A', ['192.0.2.1']));
  await run(world);
  const { ledger } = world.deps;
  let isFirst = true;
  const query: typeof ledger.query = async (partition, options) => {
    if (isFirst && partition.startsWith('dirty#')) {
      isFirst = false;
      world.clock.ms += 600_000;
      await run(world);
      await want(world, GONE);
    }
    return ledger.query(partition, options);
  };
  await publish({ ...world.deps, ledger: { ...ledger, query } }, ZONE_ID);
  expect((await hostedZone(world)).held).toBeNull();
  await run(world);
  expect((await hostedZone(world)).held?.count).toBe(1);
});

test('the SOA that an overtaken run wrote over that of the next one is put right (seed 2272364)', async () => {
  const world = await publishWorld();
  const soa = (refresh: number) => wanted(APEX, 'SOA', [`ns.${APEX} noc.${APEX} 1 ${refresh} 7200 3600000 360`]);
  await want(world, APEX, soa(86400));
  const { hostedZones } = world.deps;
  const change: typeof hostedZones.change = async (...asked) => {
    world.clock.ms += 600_000;
    await want(world, APEX, soa(43200));
    await run(world);
    return hostedZones.change(...asked);
  };
  await publish({ ...world.deps, hostedZones: { ...hostedZones, change } }, ZONE_ID);
  const refresh = () => {
    const content = world.route53.recordSets(ZONE_ID).find((set) => set.type === 'SOA')?.content;
    return content?.kind === 'values' ? content.values[0]?.split(' ')[3] : null;
  };
  expect(refresh()).toBe('86400');
  await run(world);
  expect(refresh()).toBe('43200');
});
