// Deletes are in the guard's numbers before they are sent, so a run that dies loses none. What is published is counted
// again after it.
import { expect, test } from 'vitest';
import { A, heldNames, name, publishedWorld, withdraw } from '../../../test/fakes/guarded-world.ts';
import {
  hostedZone,
  intercepted,
  type PublishWorld,
  partition,
  run,
  want,
  ZONE_ID,
} from '../../../test/fakes/publish-world.ts';
import { abandonLease, changeHostedZone } from '../../record-sets/lease.ts';
import { recentDeletions } from '../plan/guard.ts';
import { publish } from './publish-hosted-zone.ts';

const MINUTE_MS = 60_000;

/** Withdraws from one number to another, and runs. Returns the names that are held, and the guard's first reason. */
async function withdrawn(world: PublishWorld, from: number, to: number) {
  await withdraw(world, from, to);
  await run(world);
  return { held: await heldNames(world), reason: (await hostedZone(world)).held?.reasons[0] };
}

/** A run that dies at its call of Route 53, before or after its effect. The numbers of the guard at that moment. */
async function diesAtCall(world: PublishWorld, after: boolean) {
  let isDead = false;
  const deps = intercepted(world.deps, async (_port, method, call) => {
    if (isDead) throw new Error('dead');
    if (method !== 'change') return call();
    isDead = true;
    if (after) await call();
    throw new Error('dead');
  });
  await expect(publish(deps, ZONE_ID)).rejects.toThrow('dead');
  const { deletions, publishedCount } = await hostedZone(world);
  const namespaces = await partition(world, `guard#default#${ZONE_ID}`);
  world.clock.ms += MINUTE_MS;
  return {
    published: [publishedCount, ...namespaces.map((item) => item.publishedCount)],
    deleted: [deletions, ...namespaces.map((item) => item.deletions as typeof deletions)].map((all) =>
      recentDeletions(all, world.clock.ms),
    ),
  };
}

test.each([false, true])('a delete counts before its call; it landed: %s', async (after) => {
  const world = await publishedWorld(12);
  await withdraw(world, 0, 3);
  expect(await diesAtCall(world, after)).toEqual({ published: [9, 9], deleted: [3, 3] });
  // The deletes are sent again, or seen to have landed: they count once.
  expect((await withdrawn(world, 3, 5)).held).toEqual([]);
  expect((await withdrawn(world, 5, 6)).reason).toBe(
    'With the 5 of the last hour, 6 record sets would be deleted within an hour; the limit is 5 (guard.deletesMax).',
  );
});

/** A run that dies at the `nth` write into a partition. */
async function diesAtWrite(world: PublishWorld, partitionName: string, nth: number) {
  let left = nth;
  const put: typeof world.deps.ledger.put = async (key, ...rest) => {
    if (key.partition === partitionName) left -= 1;
    if (left <= 0) throw new Error('dead');
    return world.deps.ledger.put(key, ...rest);
  };
  const ledger = new Proxy(world.deps.ledger, {
    get: (of, method) => (method === 'put' ? put : Reflect.get(of, method)),
  });
  await expect(publish({ ...world.deps, ledger }, ZONE_ID)).rejects.toThrow('dead');
  world.clock.ms += MINUTE_MS;
}

test('a delete of which no run came to charge anything counts once, when it is sent', async () => {
  const world = await publishedWorld(12);
  await withdraw(world, 0, 3);
  // The lease is the first write of the hosted zone's item, the charge the second.
  await diesAtWrite(world, 'hostedzones', 2);
  await diesAtWrite(world, 'hostedzones', 2);
  expect((await hostedZone(world)).deletions).toEqual([]);
  await run(world);
  const { deletions, publishedCount } = await hostedZone(world);
  expect([recentDeletions(deletions, world.clock.ms), publishedCount]).toEqual([3, 9]);
});

test('a share is of what was published before the run that died', async () => {
  const world = await publishedWorld(12, { guard: { deletesMax: 100, deletesShareMax: 0.3 } });
  await withdraw(world, 0, 3);
  await diesAtCall(world, true);
  expect((await withdrawn(world, 3, 5)).reason).toBe(
    'With the 3 of the last hour, 5 of 12 record sets (41.7 %) would be deleted within an hour; the limit is 30 % (guard.deletesShareMax).',
  );
});

test('deletes that Route 53 refuses are taken back', async () => {
  const world = await publishedWorld(12);
  world.route53.edit(ZONE_ID, { name: name(0), type: 'A', setIdentifier: null }, A(0, '203.0.113.9').content);
  expect((await withdrawn(world, 0, 2)).held).toEqual([]);
  const { deletions, publishedCount } = await hostedZone(world);
  expect(recentDeletions(deletions, world.clock.ms)).toBe(1);
  expect(publishedCount).toBe(11);
});

test('what is published is counted again after a run that died', async () => {
  const world = await publishedWorld(2);
  for (const index of [2, 3, 4, 5]) await want(world, name(index), A(index));
  await run(world);
  await changeHostedZone(world.ledger, ZONE_ID, (item) => item && { ...item, publishedCount: 2 });
  await abandonLease(world.ledger, ZONE_ID);
  expect((await withdrawn(world, 0, 4)).reason).toBe(
    '4 of 6 record sets would be deleted within an hour; of three to nine record sets, the limit is half.',
  );
  expect(await hostedZone(world)).toMatchObject({ publishedCount: 6, lease: null });
});

test('what came after a deletion did not exist beside what was deleted', async () => {
  const world = await publishedWorld(2);
  expect((await withdrawn(world, 0, 1)).held).toEqual([]);
  await want(world, name(2), A(2));
  await run(world);
  await abandonLease(world.ledger, ZONE_ID);
  // At most two record sets existed at a time, and of two all may go.
  expect((await withdrawn(world, 1, 3)).held).toEqual([]);
});

test('what existed before an earlier deletion counts for an hour after that one, not after the latest', async () => {
  const world = await publishedWorld(12, { guard: { deletesMax: 100, deletesShareMax: 0.35 } });
  await withdrawn(world, 0, 2);
  world.clock.ms += 50 * MINUTE_MS;
  await withdrawn(world, 2, 3);
  world.clock.ms += 5 * MINUTE_MS;
  await abandonLease(world.ledger, ZONE_ID);
  await want(world, name(11), A(11, '192.0.2.2'));
  await run(world);
  world.clock.ms += 10 * MINUTE_MS;
  expect((await withdrawn(world, 3, 6)).reason).toBe(
    'With the 1 of the last hour, 4 of 10 record sets (40 %) would be deleted within an hour; the limit is 35 % (guard.deletesShareMax).',
  );
});
