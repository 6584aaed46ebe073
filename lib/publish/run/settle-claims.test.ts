// Two clusters in one hosted zone, with runs of publish that die between what they give and what they forget.
import { expect, test } from 'vitest';
import { answer, dyingAfter, say, settle, twoWorlds } from '../../../test/fakes/two-clusters.ts';
import { shareIdOf } from '../../objects/share-id.ts';
import { publish } from './publish-hosted-zone.ts';

const SHARE = shareIdOf('Z1', 'us');

test('whichever write a run dies at, a name with a claim is always answered, and moves', async () => {
  let isWhole = false;
  let deaths = 0;
  for (let writes = 0; !isWhole; writes += 1) {
    const { eu, us } = twoWorlds();
    await say(eu, '192.0.2.1');
    await say(us, '192.0.2.2');
    await settle(eu, us);
    expect(answer(eu)).toEqual(['192.0.2.1']);
    await say(eu, null);
    const dying = { ...eu.deps, ledger: dyingAfter(eu.ledger, writes) };
    isWhole = await publish(dying, 'Z1').then(
      () => true,
      () => false,
    );
    if (!isWhole) deaths += 1;
    expect(answer(eu)).toHaveLength(1);
    await settle(eu, us);
    expect(answer(eu)).toEqual(['192.0.2.2']);
  }
  expect(deaths).toBeGreaterThan(3);
});

test('the same if the run of the cluster that takes over dies', async () => {
  let isWhole = false;
  for (let writes = 0; !isWhole; writes += 1) {
    const { eu, us } = twoWorlds();
    await say(eu, '192.0.2.1');
    await say(us, '192.0.2.2');
    await settle(eu, us);
    await say(eu, null);
    await publish(eu.deps, 'Z1');
    const dying = { ...us.deps, ledger: dyingAfter(us.ledger, writes) };
    isWhole = await publish(dying, SHARE).then(
      () => true,
      () => false,
    );
    expect(answer(eu)).toHaveLength(1);
    await settle(eu, us);
    expect(answer(eu)).toEqual(['192.0.2.2']);
  }
});

test('of several owners, none of which dies, the last one deletes', async () => {
  const { eu, us } = twoWorlds();
  await say(eu, '192.0.2.1');
  await say(us, '192.0.2.1');
  await settle(eu, us);
  await say(us, null);
  await settle(eu, us);
  expect(answer(eu)).toEqual(['192.0.2.1']);
  await say(eu, null);
  await settle(eu, us);
  expect(answer(eu)).toEqual([]);
});

test('an owner that wants something else leaves the name to the owner that asks for what stands', async () => {
  const { eu, us } = twoWorlds();
  await say(eu, '192.0.2.1');
  await say(us, '192.0.2.1');
  await settle(eu, us);
  await say(eu, '192.0.2.7');
  await settle(eu, us);
  expect(answer(eu)).toEqual(['192.0.2.1']);
  await say(us, null);
  await settle(eu, us);
  expect(answer(eu)).toEqual(['192.0.2.7']);
});

test('an active cluster takes over from one on standby, whichever write their runs die at', async () => {
  for (const dies of ['eu', 'us'] as const) {
    let isWhole = false;
    for (let writes = 0; !isWhole; writes += 1) {
      const { eu, us } = twoWorlds(['us']);
      // The first one has the id of Route 53.
      await say(us, '192.0.2.2');
      await settle(us, eu);
      expect(answer(eu)).toEqual(['192.0.2.2']);
      await say(eu, '192.0.2.1');
      isWhole = true;
      for (const [id, world] of [
        ['Z1', us],
        [shareIdOf('Z1', 'eu'), eu],
        ['Z1', us],
        [shareIdOf('Z1', 'eu'), eu],
      ] as const) {
        const isDying = world === (dies === 'eu' ? eu : us);
        const deps = isDying ? { ...world.deps, ledger: dyingAfter(eu.ledger, writes) } : world.deps;
        await publish(deps, id).catch(() => {
          isWhole = false;
        });
        expect(answer(eu)).toHaveLength(1);
      }
      await settle(us, eu);
      expect(answer(eu)).toEqual(['192.0.2.1']);
    }
  }
});

test('clusters that merge have the values of all, whichever write their runs die at', async () => {
  for (const dies of ['eu', 'us'] as const) {
    let isWhole = false;
    for (let writes = 0; !isWhole; writes += 1) {
      const { eu, us } = twoWorlds([], { 'zone53.dev/sharing': 'merge' });
      const runs = [
        [SHARE, us],
        ['Z1', eu],
        [SHARE, us],
        ['Z1', eu],
      ] as const;
      const publishAll = async () => {
        for (const [id, world] of runs) {
          const isDying = world === (dies === 'eu' ? eu : us);
          const deps = isDying ? { ...world.deps, ledger: dyingAfter(eu.ledger, writes) } : world.deps;
          await publish(deps, id).catch(() => {
            isWhole = false;
          });
          expect(answer(eu).length).toBeGreaterThan(0);
        }
      };
      isWhole = true;
      await say(eu, '192.0.2.1');
      await settle(eu, us);
      await say(us, '192.0.2.2');
      await publishAll();
      await settle(eu, us);
      expect(answer(eu)).toEqual(['192.0.2.1', '192.0.2.2']);
      await say(us, '192.0.2.3');
      await publishAll();
      await settle(eu, us);
      expect(answer(eu)).toEqual(['192.0.2.1', '192.0.2.3']);
      await say(eu, null);
      await publishAll();
      await settle(eu, us);
      expect(answer(eu)).toEqual(['192.0.2.3']);
    }
  }
});
