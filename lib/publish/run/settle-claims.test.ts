// Two clusters in one hosted zone, with runs of publish that die between what they give and what they forget.
import { expect, test } from 'vitest';
import { deliverHints, hintFor, type ReconcileWorld, reconcileWorld } from '../../../test/fakes/reconcile-world.ts';
import { hostedZonesByAccount } from '../../adapters/route53/hosted-zones-of-accounts.ts';
import { parseRef } from '../../objects/object-ref.ts';
import { shareIdOf } from '../../objects/share-id.ts';
import type { Ledger } from '../../ports/ledger.ts';
import { reconcile } from '../../resolve/reconcile-hints.ts';
import { publish } from './publish-hosted-zone.ts';

const SHARE = shareIdOf('Z1', 'us');
const WWW = parseRef('Record a/www');

/** The worlds of two clusters with one ledger and one Route 53. */
function twoWorlds(standby: readonly string[] = []): { readonly eu: ReconcileWorld; readonly us: ReconcileWorld } {
  const worldOf = (clusterId: string) => {
    const world = reconcileWorld({ hostedZones: [{ id: 'Z1', name: 'e.' }], config: { clusterId, standby } });
    world.cluster.put(parseRef('Zone a/z'), { domainName: 'e.', delegations: [{ records: [{ pattern: '*' }] }] });
    return world;
  };
  const eu = worldOf('eu');
  const us = worldOf('us');
  const over = (world: ReconcileWorld): ReconcileWorld => {
    const hostedZones = hostedZonesByAccount(eu.route53.port, new Map(), { config: world.context.config });
    const { ledger } = eu;
    return {
      ...world,
      ledger,
      route53: eu.route53,
      context: { ...world.context, ledger, account: { hostedZones } },
      deps: { ...world.deps, ledger, hostedZones },
    };
  };
  return { eu: over(eu), us: over(us) };
}

/** A ledger that dies at the write after so many. */
function dyingAfter(ledger: Ledger, writes: number): Ledger {
  let left = writes;
  const spend = () => {
    left -= 1;
    if (left < 0) throw new Error('the process died');
  };
  return {
    ...ledger,
    put: async (...asked) => {
      spend();
      return ledger.put(...asked);
    },
    remove: async (...asked) => {
      spend();
      return ledger.remove(...asked);
    },
  };
}

async function say(world: ReconcileWorld, rdata: string | null): Promise<void> {
  if (rdata === null) world.cluster.remove(WWW);
  else world.cluster.put(WWW, { domainName: 'www.e.', type: 'A', rdata });
  await reconcile(world.context, [hintFor(parseRef('Zone a/z')), hintFor(WWW)]);
  await deliverHints(world);
}

const answer = ({ route53 }: ReconcileWorld) =>
  route53
    .recordSets('Z1')
    .flatMap(({ name, content }) => (name === 'www.e.' && content.kind === 'values' ? content.values : []));

/** Publishes both until nothing changes any more. */
async function settle(first: ReconcileWorld, second: ReconcileWorld): Promise<void> {
  for (let round = 0; round < 3; round += 1) {
    first.clock.ms += 60_000;
    second.clock.ms = first.clock.ms;
    await publish(first.deps, 'Z1');
    await publish(second.deps, shareIdOf('Z1', second.context.config.clusterId));
  }
}

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
