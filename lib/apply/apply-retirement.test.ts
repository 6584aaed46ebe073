// A command that retires a cluster, and dies at each of its writes: the same command again ends in the same result.
import { expect, test } from 'vitest';
import { deliverHints, hintFor, type ReconcileWorld } from '../../test/fakes/reconcile-world.ts';
import { answer, dyingAfter, say, settle, twoWorlds } from '../../test/fakes/two-clusters.ts';
import { allItems } from '../ledger/pages.ts';
import { parseRef } from '../objects/object-ref.ts';
import { shareIdOf } from '../objects/share-id.ts';
import { itemsOfCluster } from '../observe/items-of-cluster.ts';
import { membersPartition } from '../observe/name-index.ts';
import type { Ledger } from '../ports/ledger.ts';
import { CLUSTERS_PARTITION } from '../record-sets/cluster-item.ts';
import { fellowsOf } from '../record-sets/fellows.ts';
import { readHostedZone } from '../record-sets/lease.ts';
import { recordSetsPartition } from '../record-sets/record-set-item.ts';
import { reconcile } from '../resolve/reconcile-hints.ts';
import { applyRetirement } from './apply-retirement.ts';
import { type AskedRetirement, planRetirement } from './plan-retirement.ts';

const OPTIONS = { acknowledged: [], only: () => true, progress: () => {}, releases: true };

async function command({ context, deps }: ReconcileWorld, asked: AskedRetirement, ledger: Ledger = context.ledger) {
  const planned = await planRetirement({ ...context, ledger }, asked);
  return applyRetirement({ ...context, ledger }, { ...deps, ledger }, asked, planned, OPTIONS);
}

/** Has a cluster ask for names that no other one asks for. */
async function sayOwn(world: ReconcileWorld): Promise<void> {
  const refs = ['x', 'y'].map((label) => parseRef(`Record a/${label}`));
  const content = { type: 'A', rdata: '192.0.2.9' };
  for (const ref of refs) world.cluster.put(ref, { domainName: ref.name, zoneRef: { name: 'z' }, ...content });
  await reconcile(world.context, refs.map(hintFor));
  await deliverHints(world);
}

const standing = ({ route53 }: ReconcileWorld) =>
  route53
    .recordSets('Z1')
    .flatMap(({ name, type }) => (type === 'A' ? [name] : []))
    .toSorted();

test.each([
  ['eu', 'deleted', false],
  ['eu', 'left', true],
  ['us', 'deleted', false],
  ['us', 'left', true],
])(
  'whichever write a command dies at, %s is retired by the same command (the rest is %s)',
  async (cluster, _, retain) => {
    const id = cluster === 'eu' ? 'Z1' : shareIdOf('Z1', 'us');
    let isWhole = false;
    let deaths = 0;
    for (let writes = 0; !isWhole; writes += 1) {
      const { eu, us } = twoWorlds();
      const [going, staying] = cluster === 'eu' ? [eu, us] : [us, eu];
      await say(eu, null);
      await say(going, '192.0.2.1');
      await sayOwn(going);
      await settle(eu, us);
      await say(staying, '192.0.2.2');
      await settle(eu, us);
      expect([answer(eu), standing(eu)]).toEqual([['192.0.2.1'], ['www.e.', 'x.e.', 'y.e.']]);
      isWhole = await command(going, { cluster, retain }, dyingAfter(eu.ledger, writes)).then(
        ({ applied, left }) =>
          left.length === 0 &&
          applied.every(({ outcomes }) => outcomes.every(({ outcome }) => outcome === 'published')),
        () => false,
      );
      if (!isWhole) deaths += 1;
      expect(answer(eu)).toHaveLength(1);
      eu.clock.ms += 40_000;
      us.clock.ms = eu.clock.ms;
      expect((await command(going, { cluster, retain })).left).toEqual([]);
      expect(answer(eu)).toEqual(['192.0.2.2']);
      expect(standing(eu)).toEqual(['www.e.', ...(retain ? ['x.e.', 'y.e.'] : [])]);
      expect((await readHostedZone(eu.ledger, id))?.item).toMatchObject({ retired: true, publishedCount: 0 });
      const partitions = [recordSetsPartition(id), CLUSTERS_PARTITION, membersPartition(cluster, 'a/z')];
      expect((await Promise.all(partitions.map((one) => allItems(eu.ledger, one)))).flat()).toEqual([]);
      // Who is left has nobody to ask any more.
      const other = await readHostedZone(eu.ledger, cluster === 'eu' ? shareIdOf('Z1', 'us') : 'Z1');
      expect(other === null ? null : await fellowsOf(eu.ledger, other.item)).toEqual([]);
      expect(await Array.fromAsync(itemsOfCluster(eu.ledger, cluster))).toEqual([]);
      expect(
        (await Array.fromAsync(itemsOfCluster(eu.ledger, staying.context.config.clusterId))).length,
      ).toBeGreaterThan(3);
    }
    expect(deaths).toBeGreaterThan(30);
  },
);
