// An object that is missing from a list of the whole cluster counts as deleted only if reading it by name says so too.
import { describe, expect, test } from 'vitest';
import { reconcileWorld } from '../../test/fakes/reconcile-world.ts';
import { applyCluster } from '../apply/apply-cluster.ts';
import { planCluster } from '../apply/plan-cluster.ts';
import { formatRef, parseRef } from '../objects/object-ref.ts';
import type { Cluster, Observation } from '../ports/cluster.ts';
import { readCluster } from './read-cluster.ts';

const RECORD = parseRef('Record p/a');

/** A world that knows Zone p/e and Record p/a. Its next listing lacks the Record. */
async function withoutTheRecord(get: (found: Observation) => Observation, unreadable: readonly string[] = []) {
  const world = reconcileWorld({ hostedZones: [{ id: 'Z1', name: 'e.' }] });
  world.cluster.put(parseRef('Zone p/e'), { domainName: 'e.', delegations: [{ records: [{ pattern: '*' }] }] });
  world.cluster.put(RECORD, { domainName: 'a.e.', type: 'A', rdata: '192.0.2.1' });
  const options = { acknowledged: [], only: () => true, progress: () => {} };
  await applyCluster(world.context, world.deps, await planCluster(world.context), options);
  const { port } = world.cluster;
  const cluster: Cluster = {
    ...port,
    list: async () => {
      const listing = await port.list();
      const objects = listing.objects.filter(({ ref }) => formatRef(ref) !== formatRef(RECORD));
      return { ...listing, objects, unreadable: new Set(unreadable) };
    },
    get: async (ref, lastSeenIn) => get(await port.get(ref, lastSeenIn)),
  };
  const { objects, gone } = await readCluster({ ...world.context, cluster });
  const plan = await planCluster({ ...world.context, cluster });
  return {
    gone: gone.map(({ item }) => formatRef(item.ref)),
    objects: [...objects.keys()].sort(),
    deletes: plan.hostedZones.flatMap(({ plan: { changes } }) =>
      changes.map(({ action, name }) => `${action} ${name}`),
    ),
  };
}

const KEPT = { gone: [], objects: ['Record p/a', 'Zone p/e'], deletes: [] };

describe('readCluster() of an object that the listing lacks', () => {
  test('keeps it when it exists by name', async () => {
    expect(await withoutTheRecord((found) => found)).toEqual(KEPT);
  });

  test('keeps it when a read by name has no clear answer', async () => {
    expect(await withoutTheRecord(() => ({ kind: 'unknown', message: 'its file does not parse' }))).toEqual(KEPT);
  });

  test('keeps it while the listing cannot be read in full, whatever a read by name says', async () => {
    expect(await withoutTheRecord(() => ({ kind: 'absent' }), ['zones.yaml'])).toEqual(KEPT);
  });

  test('takes it for deleted after a 404 by name', async () => {
    const gone = { gone: ['Record p/a'], objects: ['Zone p/e'], deletes: ['delete a.e.'] };
    expect(await withoutTheRecord(() => ({ kind: 'absent' }))).toEqual(gone);
  });
});
