// The guard's numbers are counted again after a run that may have died before it saved its part.
import { expect, test } from 'vitest';
import { A, heldNames, name, publishedWorld, withdraw } from '../../../test/fakes/guarded-world.ts';
import { hostedZone, type PublishWorld, run, want, ZONE_ID } from '../../../test/fakes/publish-world.ts';
import { changeHostedZone, requestRecount } from '../../record-sets/lease.ts';

const MINUTE_MS = 60_000;

/** Withdraws from one number to another, and runs. Returns the names that are held, and the guard's first reason. */
async function withdrawn(world: PublishWorld, from: number, to: number) {
  await withdraw(world, from, to);
  await run(world);
  return { held: await heldNames(world), reason: (await hostedZone(world)).held?.reasons[0] };
}

/** Puts the numbers back as they were before a run that died, with so many published. */
async function forget(world: PublishWorld, publishedCount: number): Promise<void> {
  await changeHostedZone(world.ledger, ZONE_ID, (item) =>
    item === null ? null : { ...item, publishedCount, deletions: [], recount: true },
  );
}

test('what came after a deletion did not exist beside what was deleted', async () => {
  const world = await publishedWorld(2);
  expect((await withdrawn(world, 0, 1)).held).toEqual([]);
  await want(world, name(2), A(2));
  await run(world);
  await requestRecount(world.ledger, ZONE_ID);
  // At most two record sets existed at a time, and of two all may go.
  expect((await withdrawn(world, 1, 3)).held).toEqual([]);
});

test('what existed before an earlier deletion counts for an hour after that one, not after the latest', async () => {
  const world = await publishedWorld(12, { guard: { deletesMax: 100, deletesShareMax: 0.35 } });
  await withdrawn(world, 0, 2);
  world.clock.ms += 50 * MINUTE_MS;
  await withdrawn(world, 2, 3);
  world.clock.ms += 5 * MINUTE_MS;
  await requestRecount(world.ledger, ZONE_ID);
  await want(world, name(11), A(11, '192.0.2.2'));
  await run(world);
  world.clock.ms += 10 * MINUTE_MS;
  expect((await withdrawn(world, 3, 6)).reason).toBe(
    'With the 1 of the last hour, 4 of 10 record sets (40 %) would be deleted within an hour; the limit is 35 % (guard.deletesShareMax).',
  );
});

test('deletions that a run could not note count, with what was published before them', async () => {
  const world = await publishedWorld(5);
  await withdrawn(world, 0, 2);
  await forget(world, 5);
  expect(await withdrawn(world, 2, 3)).toEqual({
    held: [name(2)],
    reason:
      'With the 2 of the last hour, 3 of 5 record sets would be deleted within an hour; of three to nine record sets, the limit is half.',
  });
});

test('of what that run created, too, what existed beside them', async () => {
  const world = await publishedWorld(3);
  for (const index of [3, 4, 5]) await want(world, name(index), A(index));
  await run(world);
  await withdrawn(world, 0, 2);
  await forget(world, 3);
  expect((await withdrawn(world, 2, 4)).reason).toBe(
    'With the 2 of the last hour, 4 of 6 record sets would be deleted within an hour; of three to nine record sets, the limit is half.',
  );
});

test('what several runs deleted that could not note it did not exist together', async () => {
  const world = await publishedWorld(1);
  for (const index of [0, 1]) {
    await want(world, name(index + 1), A(index + 1));
    await withdraw(world, index, index + 1);
    await run(world);
    await forget(world, 1);
    world.clock.ms += 5 * MINUTE_MS;
  }
  // At most two record sets existed at a time, and of two all may go.
  expect((await withdrawn(world, 2, 3)).held).toEqual([]);
});
