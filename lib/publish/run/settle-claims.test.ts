// Two clusters in one hosted zone, with runs of publish that die between what they give and what they forget.
import { expect, test } from 'vitest';
import { hintFor } from '../../../test/fakes/reconcile-world.ts';
import { answer, dyingAfter, say, settle, twoWorlds } from '../../../test/fakes/two-clusters.ts';
import { parseRef } from '../../objects/object-ref.ts';
import { shareIdOf } from '../../objects/share-id.ts';
import { readName } from '../../record-sets/store.ts';
import { reconcile } from '../../resolve/reconcile-hints.ts';
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

const WWW6 = parseRef('Record a/www6');

test('what cannot stay beside another cluster’s is deleted, whichever write the run dies at, and comes back', async () => {
  let isWhole = false;
  let deaths = 0;
  for (let writes = 0; !isWhole; writes += 1) {
    const { eu, us } = twoWorlds();
    eu.cluster.put(WWW6, { domainName: 'www.e.', type: 'AAAA', rdata: '2001:db8::1' });
    await reconcile(eu.context, [hintFor(parseRef('Zone a/z')), hintFor(WWW6)]);
    await say(eu, '192.0.2.1');
    await say(us, '192.0.2.1');
    await settle(eu, us);
    expect(answer(eu)).toEqual(['192.0.2.1', '2001:db8::1']);
    // Only the other cluster asks for the A by now: no name answers for two clusters by address family.
    await say(eu, null);
    const dying = { ...eu.deps, ledger: dyingAfter(eu.ledger, writes) };
    isWhole = await publish(dying, 'Z1').then(
      () => true,
      () => false,
    );
    if (!isWhole) deaths += 1;
    await settle(eu, us);
    expect(answer(eu)).toEqual(['192.0.2.1']);
    const [item] = (await readName(eu.ledger, 'Z1', 'www.e.')).filter((one) => one.item.type === 'AAAA');
    expect(item?.item.refusal?.reason).toBe('OwnedByAnotherCluster');
    await say(us, null);
    await settle(eu, us);
    expect(answer(eu)).toEqual(['2001:db8::1']);
  }
  expect(deaths).toBeGreaterThan(3);
});

test('a weighted record set of a namespace that may not share any more is deleted, and so is one that is replaced', async () => {
  const weighted = (setIdentifier: string, ttl = 60) => ({ ttl, routing: { setIdentifier, weight: 1 } });
  const { eu, us } = twoWorlds();
  await say(eu, '192.0.2.1', weighted('e'));
  await say(us, '192.0.2.2', weighted('u', 300));
  await settle(eu, us);
  // One TTL for all: that of the first.
  expect(
    eu.route53.recordSets('Z1').flatMap(({ content }) => ('ttlSeconds' in content ? content.ttlSeconds : [])),
  ).toEqual(expect.arrayContaining([60, 60]));
  expect(answer(eu)).toEqual(['192.0.2.1', '192.0.2.2']);
  // The set identifier of another cluster: what it replaces goes, and does not wait for it.
  await say(us, '192.0.2.2', weighted('e'));
  const calls = eu.route53.calls.length;
  await settle(eu, us);
  expect(answer(eu)).toEqual(['192.0.2.1']);
  expect(eu.route53.calls.slice(calls).filter(({ method }) => method === 'change')).toHaveLength(1);
});

test('of two clusters that share a name, the one that is given it replaces it, and the other one comes beside it', async () => {
  const weighted = (setIdentifier: string) => ({ routing: { setIdentifier, weight: 1 } });
  const { eu, us } = twoWorlds();
  const ap = { ...us, context: { ...us.context, config: { ...us.context.config, clusterId: 'ap' } } };
  await say(eu, '192.0.2.1');
  await settle(eu, us);
  await say(us, '192.0.2.2', weighted('us'));
  await say(ap, '192.0.2.3', weighted('ap'));
  await settle(eu, us);
  await publish(us.deps, shareIdOf('Z1', 'ap'));
  expect(answer(eu)).toEqual(['192.0.2.1']);
  await say(eu, null);
  for (let round = 0; round < 3; round += 1) {
    await settle(eu, us);
    await publish(us.deps, shareIdOf('Z1', 'ap'));
  }
  expect(answer(eu).toSorted()).toEqual(['192.0.2.2', '192.0.2.3']);
});

test('a takeover of one cluster does not give another one what somebody else put there', async () => {
  const { eu, us } = twoWorlds();
  const hand = { kind: 'values', ttlSeconds: 60, values: ['203.0.113.1'] } as const;
  eu.route53.edit('Z1', { name: 'www.e.', type: 'A', setIdentifier: null }, hand);
  await say(eu, '192.0.2.1');
  await settle(eu, us);
  const spec = { domainName: 'e.', delegations: [{ records: [{ pattern: '*' }] }] };
  us.cluster.put(parseRef('Zone a/z'), spec, { 'zone53.dev/takeover': 'true' });
  await say(us, '192.0.2.2');
  await settle(eu, us);
  expect(answer(eu)).toEqual(['203.0.113.1']);
  await say(eu, null);
  await say(us, '192.0.2.3');
  await settle(eu, us);
  expect(answer(eu)).toEqual(['192.0.2.3']);
});
