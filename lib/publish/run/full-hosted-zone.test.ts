// publish() into a hosted zone that has reached its quota of record sets.
import { describe, expect, test } from 'vitest';
import {
  APEX,
  changeCalls,
  dirtyNames,
  hostedZone,
  type PublishWorld,
  publishWorld,
  run,
  standing,
  want,
  wanted,
  ZONE_ID,
} from '../../../test/fakes/publish-world.ts';

/** Wants one record set at a name. */
async function want1(world: PublishWorld, name: string, address = '192.0.2.1'): Promise<void> {
  await want(world, name, { ...wanted(name, 'A', [address]), objects: [`Record good/${name}`] });
}

const ZONE = { kind: 'Zone', namespace: 'default', name: 'zone' };

describe('publish() into a hosted zone that is full', () => {
  const FULL = 'LimitsExceeded: The maximum number of record sets of this hosted zone is exceeded.';

  async function fullWorld(max: number) {
    let most = max;
    const world: PublishWorld = await publishWorld({
      changeFault: (changes) => {
        const growth = changes.reduce(
          (sum, { action }) => sum + (action === 'CREATE' ? 1 : action === 'DELETE' ? -1 : 0),
          0,
        );
        const isOver = growth > 0 && world.route53.recordSets(ZONE_ID).length + growth > most;
        return isOver ? { apply: false, outcome: { kind: 'refused', messages: [FULL] } } : null;
      },
    });
    return { world, raise: (to: number) => (most = to) };
  }

  test('splits no batch, reports it once on the Zone, and still sends changes that add nothing', async () => {
    const { world } = await fullWorld(4);
    await want1(world, `a.${APEX}`, '192.0.2.1');
    await want1(world, `b.${APEX}`, '192.0.2.1');
    await run(world);
    for (let index = 0; index < 50; index += 1) await want1(world, `n${index}.${APEX}`, '192.0.2.1');
    await want1(world, `a.${APEX}`, '192.0.2.2');
    const before = changeCalls(world);
    world.reported.length = 0;
    const result = await run(world);
    expect(changeCalls(world) - before).toBe(2);
    expect(standing(world)).toContain(`a.${APEX} A 192.0.2.2 300`);
    expect((await hostedZone(world)).full).toMatchObject({ message: FULL, times: 1 });
    expect(world.reported).toContainEqual({ kind: 'Zone', namespace: 'default', name: 'zone' });
    expect(result).toMatchObject({ retryAfterSeconds: 900 });
    world.reported.length = 0;
    await run(world);
    expect(changeCalls(world) - before).toBe(2);
  });

  test('tries again before the pause is over, if the caller asks for it', async () => {
    const { world, raise } = await fullWorld(4);
    for (const name of ['a', 'b', 'c']) await want1(world, `${name}.${APEX}`, '192.0.2.1');
    await run(world);
    raise(100);
    await run(world);
    expect(standing(world)).toEqual([]);
    await run(world, { triesFull: true });
    expect(standing(world)).toHaveLength(3);
    expect((await hostedZone(world)).full).toBeNull();
  });

  test('continues when something was deleted, and, after a pause, when the quota was raised', async () => {
    const { world, raise } = await fullWorld(4);
    for (const name of ['a', 'b']) await want1(world, `${name}.${APEX}`, '192.0.2.1');
    await run(world);
    await want1(world, `c.${APEX}`, '192.0.2.1');
    await run(world);
    await want(world, `a.${APEX}`);
    await run(world);
    await run(world);
    expect(standing(world)).toEqual([`b.${APEX} A 192.0.2.1 300`, `c.${APEX} A 192.0.2.1 300`]);
    expect((await hostedZone(world)).full).toBeNull();
    await want1(world, `d.${APEX}`, '192.0.2.1');
    await run(world);
    raise(100);
    await run(world);
    expect(standing(world)).toHaveLength(2);
    world.clock.ms += 16 * 60_000;
    await run(world);
    expect(standing(world)).toHaveLength(3);
  });

  /** A world with two record sets and room for `room` more, in which `more` are wanted. */
  async function crowded(room: number, more: number) {
    const { world } = await fullWorld(4 + room);
    for (const name of ['a', 'b']) await want1(world, `${name}.${APEX}`);
    await run(world);
    for (let index = 0; index < more; index += 1) await want1(world, `n${index}.${APEX}`);
    await run(world);
    expect((await hostedZone(world)).full).toMatchObject({ growth: more });
    return world;
  }

  test('tries a batch that adds fewer record sets than the smallest refused one, and no other', async () => {
    const world = await crowded(2, 5);
    const before = changeCalls(world);
    await want1(world, `z.${APEX}`);
    await run(world);
    expect(changeCalls(world)).toBe(before);
    for (const name of ['n1', 'n2', 'n3', 'n4']) await want(world, `${name}.${APEX}`);
    world.reported.length = 0;
    expect(await run(world)).toMatchObject({ retryAfterSeconds: null });
    expect(changeCalls(world)).toBe(before + 1);
    expect(standing(world)).toHaveLength(4);
    expect((await hostedZone(world)).full).toBeNull();
    expect(world.reported).toContainEqual(ZONE);
    expect(await dirtyNames(world)).toEqual([]);
  });

  test('no longer takes it for full when nothing waits', async () => {
    const world = await crowded(0, 3);
    for (const name of ['n0', 'n1', 'n2']) await want(world, `${name}.${APEX}`);
    world.reported.length = 0;
    await run(world);
    expect((await hostedZone(world)).full).toBeNull();
    expect(world.reported).toContainEqual(ZONE);
  });

  test('continues at once when its own deletes made room', async () => {
    const world = await crowded(0, 1);
    await want(world, `a.${APEX}`);
    expect(await run(world)).toMatchObject({ retryAfterSeconds: 0 });
    expect(await run(world)).toMatchObject({ retryAfterSeconds: null });
    expect(standing(world)).toEqual([`b.${APEX} A 192.0.2.1 300`, `n0.${APEX} A 192.0.2.1 300`]);
  });

  test.each([0, 1, 2, 4])('adds after the pause as many record sets as there is room for: %i of 5', async (room) => {
    const world = await crowded(room, 5);
    world.clock.ms += 16 * 60_000;
    const before = changeCalls(world);
    const result = await run(world);
    expect(standing(world)).toHaveLength(2 + room);
    expect(await dirtyNames(world)).toHaveLength(5 - room);
    expect((await hostedZone(world)).full).toMatchObject({ growth: 1, times: 2 });
    expect(result).toMatchObject({ retryAfterSeconds: 900 });
    expect(changeCalls(world) - before).toBeLessThanOrEqual(4);
    await want1(world, `z.${APEX}`);
    const after = changeCalls(world);
    await run(world);
    expect(changeCalls(world)).toBe(after);
  });

  test('tries once after each delete that makes too little room', async () => {
    const world = await crowded(0, 4);
    await want(world, `a.${APEX}`);
    await run(world);
    const before = changeCalls(world);
    for (let runs = 0; runs < 5; runs += 1) await run(world);
    expect(changeCalls(world) - before).toBe(1);
    expect((await hostedZone(world)).full).toMatchObject({ growth: 4 });
  });
});
