// TXT records of external-dns stay while external-dns, or an object of ours, needs them. Those that an earlier run was
// to delete are judged again.
import { expect, test } from 'vitest';
import {
  annotate,
  hostedZone,
  intercepted,
  itemAt,
  type PublishWorld,
  publishWorld,
  run,
  standing,
  want,
  wanted,
  ZONE_ID,
} from '../../../test/fakes/publish-world.ts';
import {
  CLAIM,
  LINES,
  NAMES,
  OTHER,
  OURS,
  OWNER,
  put,
  putBoth,
  putTheirs,
  REGISTRY,
  TEXT,
  THEIRS,
  wantOnly,
} from '../../../test/fakes/shared-text.ts';
import { markDirty } from '../../record-sets/dirty-mark.ts';

/** The wildcard is taken over, and the TXT record stays for the other one, which somebody deletes then. */
async function takenOver(deletesMax = 100): Promise<PublishWorld> {
  const world = await publishWorld({
    config: { externalDns: [REGISTRY], guard: { deletesMax, deletesShareMax: 1 } },
  });
  putBoth(world);
  await wantOnly(world, 'wild');
  await run(world);
  expect(standing(world)).toEqual([LINES.wild, THEIRS.any, TEXT]);
  put(world, NAMES.any, 'A', null);
  world.clock.ms += 60_000;
  return world;
}

/** The guard holds the delete of the wildcard, and `meanwhile` happens before somebody acknowledges it. */
async function heldDelete(meanwhile: (world: PublishWorld) => void): Promise<PublishWorld> {
  const world = await takenOver(0);
  await wantOnly(world);
  await run(world);
  const { held } = await hostedZone(world);
  expect(held?.count).toBe(1);
  world.clock.ms += 60_000;
  meanwhile(world);
  await annotate(world, held?.digest ?? '');
  for (let round = 0; round < 3; round += 1) {
    await run(world);
    const again = (await hostedZone(world)).held;
    if (again !== null) await annotate(world, again.digest);
    world.clock.ms += 60_000;
  }
  return world;
}

test('publish() keeps the TXT record if external-dns needs it again before a held delete is acknowledged', async () => {
  const world = await heldDelete((now) => putTheirs(now, 'any'));
  expect(standing(world)).toEqual([THEIRS.any, TEXT]);
});

test('publish() deletes what is ours if another owner claims its name before a held delete is acknowledged', async () => {
  const world = await heldDelete((now) => put(now, OWNER, 'TXT', CLAIM.replace('prod', 'other')));
  expect(standing(world)).toEqual([TEXT.replace('prod', 'other')]);
});

/** Another run judges the TXT record, which nobody needs any more, and `before` happens just before its call. */
async function judgedAgain(before: (world: PublishWorld) => void, dies = false): Promise<PublishWorld> {
  const world = await takenOver();
  await markDirty(world.ledger, ZONE_ID, NAMES.wild, world.clock.ms, { retry: true });
  let isDone = false;
  const deps = intercepted(world.deps, (port, method, call) => {
    if (port === 'hostedZones' && method === 'change' && !isDone) {
      isDone = true;
      before(world);
      if (dies) throw new Error('the run died');
    }
    return call();
  });
  const first = run({ ...world, deps });
  if (dies) await expect(first).rejects.toThrow('the run died');
  else await first;
  expect(isDone).toBe(true);
  for (let round = 0; round < 2; round += 1) {
    world.clock.ms += 60_000;
    await run(world);
  }
  return world;
}

test.each([false, true])(
  'publish() still owns what it published when another owner claims it just before the TXT record goes, died: %s',
  async (dies) => {
    const world = await judgedAgain((now) => put(now, OWNER, 'TXT', CLAIM.replace('prod', 'other')), dies);
    expect(standing(world)).toEqual([LINES.wild, TEXT.replace('prod', 'other')]);
    const item = await itemAt(world, OURS.wild);
    expect(item).toMatchObject({ refusal: null, published: OURS.wild.content, texts: [], sharedTexts: [] });
  },
);

test('publish() keeps the TXT record if external-dns needs it again after a run died that was to delete it', async () => {
  const world = await judgedAgain((now) => putTheirs(now, 'any'), true);
  expect(standing(world)).toEqual([LINES.wild, THEIRS.any, TEXT]);
});

test('publish() keeps the TXT record of a record set that external-dns wrote over ours', async () => {
  const world = await takenOver();
  putTheirs(world, 'any');
  await wantOnly(world, 'wild', 'any');
  await run(world);
  expect(standing(world)).toEqual([LINES.wild, LINES.any]);
  putTheirs(world, 'any');
  put(world, OWNER, 'TXT', CLAIM);
  await wantOnly(world, 'any');
  world.clock.ms += 60_000;
  await run(world);
  expect(standing(world)).toEqual([THEIRS.any, TEXT]);
});

test('publish() keeps a TXT record that an object asks for when it takes over what the TXT record speaks for', async () => {
  const world = await publishWorld({ config: { externalDns: [REGISTRY] } });
  await want(world, OWNER, wanted(OWNER, 'TXT', [CLAIM]));
  await run(world);
  expect(standing(world)).toEqual([TEXT]);
  putTheirs(world, 'wild');
  await wantOnly(world, 'wild');
  world.clock.ms += 60_000;
  await run(world);
  expect(standing(world)).toEqual([LINES.wild, TEXT]);
});

/** The takeover of one of the two has begun when the run dies, and somebody deletes that one by hand. */
async function begunAndDeleted(which: 'wild' | 'any', meanwhile: (world: PublishWorld) => void): Promise<PublishWorld> {
  const world = await publishWorld({ config: { externalDns: [REGISTRY] } });
  putTheirs(world, which);
  put(world, OWNER, 'TXT', CLAIM);
  await wantOnly(world, which);
  const dies = intercepted(world.deps, (port, method, call) => {
    if (port === 'hostedZones' && method === 'change') throw new Error('the run died');
    return call();
  });
  await expect(run({ ...world, deps: dies })).rejects.toThrow('the run died');
  put(world, NAMES[which], 'A', null);
  meanwhile(world);
  for (let round = 0; round < 2; round += 1) {
    world.clock.ms += 70_000;
    await run(world);
  }
  return world;
}

test.each(['wild', 'any'] as const)(
  'publish() keeps the TXT record that it was to delete with a record set that is gone, if another needs it by now: %s',
  async (which) => {
    const world = await begunAndDeleted(which, (now) => putTheirs(now, OTHER[which]));
    expect(standing(world).toSorted()).toEqual([LINES[which], THEIRS[OTHER[which]], TEXT].toSorted());
    await wantOnly(world, 'wild', 'any');
    world.clock.ms += 70_000;
    await run(world);
    expect(standing(world)).toEqual([LINES.wild, LINES.any]);
  },
);

test.each(['wild', 'any'] as const)(
  'publish() deletes the TXT record of a record set that is gone, if no other needs it: %s',
  async (which) => {
    expect(standing(await begunAndDeleted(which, () => {}))).toEqual([LINES[which]]);
  },
);

test('publish() keeps the TXT record of a record set that is gone, if it names another owner by now', async () => {
  const other = CLAIM.replace('prod', 'other');
  const world = await begunAndDeleted('any', (now) => put(now, OWNER, 'TXT', other));
  expect(standing(world)).toEqual([LINES.any, `${OWNER} TXT ${other} 300`]);
});
