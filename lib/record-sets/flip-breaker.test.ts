// The flip breaker: a record set that two objects keep changing is held, and both are named. Edits of one object are
// not held.
import { describe, expect, test } from 'vitest';
import {
  itemAt,
  publishWorld,
  run,
  standing,
  values,
  WWW,
  want,
  wanted,
  ZONE_ID,
} from '../../test/fakes/publish-world.ts';
import { markDirty } from './dirty-mark.ts';
import { FLIP_WINDOW_MS, FLIPS_MAX } from './flip-breaker.ts';

const by = (object: string, address: string) => wanted(WWW, 'A', [address], { objects: [`Record default/${object}`] });

describe('the flip breaker', () => {
  test('holds a record set that two objects change in turn, names them, and releases it when it is quiet', async () => {
    const world = await publishWorld();
    for (let flip = 0; flip <= FLIPS_MAX; flip += 1) {
      await want(world, WWW, flip % 2 === 0 ? by('blue', '192.0.2.1') : by('green', '192.0.2.2'));
      await run(world);
    }
    expect(standing(world)).toEqual([`${WWW} A 192.0.2.1 300`]);
    await want(world, WWW, by('green', '192.0.2.2'));
    const result = await run(world);
    expect(standing(world)).toEqual([`${WWW} A 192.0.2.1 300`]);
    const refusal = (await itemAt(world, { name: WWW, type: 'A' }))?.refusal;
    expect(refusal?.reason).toBe('HeldByGuard');
    expect(refusal?.message).toContain(
      `changed ${FLIPS_MAX} times in ten minutes: Record default/blue and Record default/green fight over it`,
    );
    expect(result).toMatchObject({ kind: 'done', retryAfterSeconds: FLIP_WINDOW_MS / 1000 });
    world.clock.ms += FLIP_WINDOW_MS;
    await run(world);
    expect(standing(world)).toEqual([`${WWW} A 192.0.2.2 300`]);
    expect((await itemAt(world, { name: WWW, type: 'A' }))?.refusal).toBe(null);
  });

  test('does not hold back an owner who edits, adds and deletes all day', async () => {
    const world = await publishWorld();
    for (let edit = 0; edit < 40; edit += 1) {
      await want(world, WWW, ...(edit % 2 === 0 ? [by('blue', '192.0.2.1')] : []));
      await run(world);
      world.clock.ms += 1_000;
      expect(standing(world)).toHaveLength(edit % 2 === 0 ? 1 : 0);
    }
  });

  test('counts a takeover that somebody reverts again and again', async () => {
    const world = await publishWorld();
    await want(world, WWW, { ...by('blue', '192.0.2.1'), takeover: true });
    await run(world);
    for (let round = 0; round < FLIPS_MAX + 2; round += 1) {
      world.route53.edit(ZONE_ID, { name: WWW, type: 'A', setIdentifier: null }, values(60, '203.0.113.9'));
      await markDirty(world.ledger, ZONE_ID, WWW, world.clock.ms, { retry: true });
      await run(world);
    }
    expect(standing(world)).toEqual([`${WWW} A 203.0.113.9 60`]);
    expect((await itemAt(world, { name: WWW, type: 'A' }))?.refusal?.message).toContain('somebody outside of zone53');
  });
});

describe('a name that is to be looked at again', () => {
  const look = (world: Awaited<ReturnType<typeof publishWorld>>) =>
    markDirty(world.ledger, ZONE_ID, WWW, world.clock.ms, { retry: true });
  const key = { name: WWW, type: 'A', setIdentifier: null };

  test('is Drifted after an edit, and Published once that is undone', async () => {
    const world = await publishWorld();
    await want(world, WWW, by('blue', '192.0.2.1'));
    await run(world);
    world.route53.edit(ZONE_ID, key, values(60, '203.0.113.9'));
    await look(world);
    await run(world);
    expect((await itemAt(world, key))?.refusal).toMatchObject({ reason: 'Drifted' });
    world.route53.edit(ZONE_ID, key, values(300, '192.0.2.1'));
    await look(world);
    await run(world);
    expect((await itemAt(world, key))?.refusal).toBe(null);
    expect(world.route53.calls.filter((call) => call.method === 'change')).toHaveLength(1);
  });

  test('gets its record set again after somebody removed it', async () => {
    const world = await publishWorld();
    await want(world, WWW, by('blue', '192.0.2.1'));
    await run(world);
    world.route53.edit(ZONE_ID, key, null);
    await look(world);
    await run(world);
    expect(standing(world)).toEqual([`${WWW} A 192.0.2.1 300`]);
  });

  test('is published when the foreign record set is gone, and otherwise not changed', async () => {
    const world = await publishWorld();
    world.route53.edit(ZONE_ID, key, values(60, '203.0.113.9'));
    await want(world, WWW, by('blue', '192.0.2.1'));
    await run(world);
    await look(world);
    await run(world);
    expect(world.route53.calls.filter((call) => call.method === 'change')).toHaveLength(1);
    world.route53.edit(ZONE_ID, key, null);
    await look(world);
    await run(world);
    expect(standing(world)).toEqual([`${WWW} A 192.0.2.1 300`]);
  });

  test('is tried again after it was rejected', async () => {
    let bad = true;
    const world = await publishWorld({ reject: () => (bad ? 'Invalid Resource Record' : null) });
    await want(world, WWW, by('blue', '192.0.2.1'));
    await run(world);
    bad = false;
    await look(world);
    await run(world);
    expect(standing(world)).toEqual([`${WWW} A 192.0.2.1 300`]);
  });
});
