// What an overtaken run has seen, held or written does not replace what the next run knows, and is read again.
import { expect, test } from 'vitest';
import {
  APEX,
  hostedZone,
  itemAt,
  publishWorld,
  run,
  standing,
  want,
  wanted,
  ZONE_ID,
} from '../../../test/fakes/publish-world.ts';
import { markDirty } from '../../record-sets/dirty-mark.ts';
import { publish } from './publish-hosted-zone.ts';

const NAMES = ['a', 'b', 'c', 'd'].map((label) => `${label}.example.org.`);
const [GONE = ''] = NAMES;

test('a batch that lands after another run has finished with its name is found (seed 1895)', async () => {
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

test('an overtaken run does not note what it read over what the next run published again (seed 1080194)', async () => {
  const world = await publishWorld();
  await want(world, GONE, wanted(GONE, 'A', ['192.0.2.1']));
  await run(world);
  world.route53.edit(ZONE_ID, { name: GONE, type: 'A', setIdentifier: null }, null);
  await markDirty(world.ledger, ZONE_ID, GONE, world.clock.ms, { retry: true });
  const { hostedZones } = world.deps;
  let second: unknown = null;
  const readName: typeof hostedZones.readName = async (...asked) => {
    const seen = await hostedZones.readName(...asked);
    // The name has no record set. After the first run has read that, another one publishes it again.
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

test('an overtaken run does not note what it read over an item that was removed and made again', async () => {
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
    // The name has a foreign record set. After the first run has read it, the Record is deleted, then its item and the
    // foreign record set, and the Record is created again.
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

test('what an overtaken run held is reported by the next one (seed 2553184)', async () => {
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

test('the SOA that an overtaken run wrote over that of the next one is corrected (seed 2272364)', async () => {
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

test.each(['accepted', 'unknown'] as const)(
  'a record set is published for the object that asks for it by then (the call was %s, seed 219673)',
  async (answer) => {
    const world = await publishWorld();
    await want(world, GONE, wanted(GONE, 'A', ['192.0.2.1'], { objects: ['DNSRecord seed/ns/first'] }));
    const { hostedZones } = world.deps;
    const change: typeof hostedZones.change = async (...asked) => {
      const outcome = await hostedZones.change(...asked);
      await want(world, GONE, wanted(GONE, 'A', ['192.0.2.1'], { objects: ['DNSRecord seed/ns/second'] }));
      return answer === 'accepted' ? outcome : { kind: 'unknown', message: 'no answer' };
    };
    await publish({ ...world.deps, hostedZones: { ...hostedZones, change } }, ZONE_ID);
    expect(await itemAt(world, { name: GONE, type: 'A' })).toMatchObject({
      published: { kind: 'values' },
      publishedObjects: ['DNSRecord seed/ns/second'],
    });
  },
);
