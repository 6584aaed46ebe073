// The guard of a small hosted zone after a run that died at any of its calls: it holds nothing that it would not have
// held without the death, and what an earlier run held stays held, even if that run could not report it.
import { describe, expect, test } from 'vitest';
import {
  APEX,
  hostedZone,
  intercepted,
  type PublishWorld,
  publishWorld,
  run,
  standing,
  want,
  wanted,
} from '../../../test/fakes/publish-world.ts';
import { publish } from './publish-hosted-zone.ts';

const ZONE = 'Z1';
const HOUR_MS = 3_600_000;
const name = (index: number) => `n${index}.${APEX}`;
const A = (index: number, value: number) => wanted(name(index), 'A', [`192.0.2.${value}`]);

/** A world with this many record sets, published long ago. */
async function worldOf(count: number): Promise<PublishWorld> {
  const world = await publishWorld({ config: { guard: { deletesMax: 1_000, deletesShareMax: 1 } } });
  for (let index = 0; index < count; index += 1) await want(world, name(index), A(index, 1));
  await run(world);
  world.clock.ms += 2 * HOUR_MS;
  return world;
}

/** Deletes the first record sets, updates some others, and creates some new ones. */
async function edit(world: PublishWorld, { deletes, updates, creates }: Edit, count: number): Promise<void> {
  for (let index = 0; index < deletes; index += 1) await want(world, name(index));
  for (let index = deletes; index < deletes + updates; index += 1) await want(world, name(index), A(index, 2));
  for (let index = count; index < count + creates; index += 1) await want(world, name(index), A(index, 1));
}

type Edit = { readonly deletes: number; readonly updates: number; readonly creates: number };

/** One run that dies at its `at`-th call, before or after its effect. False: the run ended before that call. */
async function dies(world: PublishWorld, at: number, after: boolean): Promise<boolean> {
  let calls = 0;
  let isDead = false;
  const deps = intercepted(world.deps, async (_port, _method, call) => {
    if (isDead) throw new Error('dead');
    calls += 1;
    if (calls !== at) return call();
    isDead = true;
    if (after) await call();
    throw new Error('dead');
  });
  await publish(deps, ZONE).catch(() => null);
  world.clock.ms += 36_000;
  return isDead;
}

async function runs(world: PublishWorld): Promise<string[]> {
  const held: string[] = [];
  for (let count = 0; count < 4; count += 1) {
    const result = await run(world);
    if (result.kind === 'done') held.push(...(result.held?.reasons ?? []));
    world.clock.ms += 1_000;
  }
  return held;
}

describe('the guard of a small hosted zone, after a run that died', () => {
  test.each<[number, Edit]>([
    [3, { deletes: 1, updates: 1, creates: 0 }],
    [5, { deletes: 2, updates: 1, creates: 1 }],
    [5, { deletes: 2, updates: 3, creates: 0 }],
    [8, { deletes: 4, updates: 0, creates: 4 }],
    [9, { deletes: 4, updates: 2, creates: 2 }],
    [11, { deletes: 5, updates: 0, creates: 0 }],
  ])('holds no allowed delete of %i record sets: %o, wherever and however often a run dies', async (count, change) => {
    const start = await worldOf(count);
    await edit(start, change, count);
    for (const after of [false, true]) {
      for (let at = 1; ; at += 1) {
        const world = start.copy();
        if (!(await dies(world, at, after))) break;
        // Another run dies while it works off what the first one left.
        await dies(world, 1 + ((at * 7) % 40), !after);
        expect(await runs(world), `died at ${at}, ${after ? 'after' : 'before'}`).toEqual([]);
        expect(standing(world)).toHaveLength(count - change.deletes + change.creates);
      }
    }
  });

  test('keeps holding what a dead run held when less is to be deleted, and says that it was held earlier', async () => {
    const found = new Set<string>();
    const start = await worldOf(5);
    await edit(start, { deletes: 3, updates: 0, creates: 0 }, 5);
    for (let at = 1; ; at += 1) {
      const world = start.copy();
      const isDead = await dies(world, at, true);
      if (!isDead) break;
      // One of the three is wanted again. Two deletes of five would be allowed, had they not been held.
      await want(world, name(0), A(0, 1));
      for (const reason of await runs(world)) found.add(/held earlier|limit is half/.exec(reason)?.[0] ?? 'how');
      const { held } = await hostedZone(world);
      // The run may have died before it noted all that it held.
      expect(standing(world)).toHaveLength(3 + (held?.count ?? 0));
    }
    expect(found).toContain('held earlier');
    expect(found).not.toContain('limit is half');
  });

  test('counts the deletes that a dead run sent until they can no longer land, also when they are wanted again', async () => {
    const world = await worldOf(5);
    await edit(world, { deletes: 2, updates: 0, creates: 0 }, 5);
    let isSent = false;
    const deps = intercepted(world.deps, async (port, method, call) => {
      isSent ||= port === 'hostedZones' && method === 'change';
      if (isSent) throw new Error('dead');
      return call();
    });
    await publish(deps, ZONE).catch(() => null);
    world.clock.ms += 36_000;
    for (const index of [0, 1]) await want(world, name(index), A(index, 1));
    for (const index of [2, 3]) await want(world, name(index));
    expect((await runs(world))[0]).toContain('4 of 5 record sets would be deleted within an hour');
    expect(standing(world)).toHaveLength(5);
    world.clock.ms += HOUR_MS;
    await want(world, name(2), A(2, 1));
    expect((await runs(world))[0]).toContain('1 record set held earlier');
  });
});
