// An object that is missing from a list of the whole cluster counts as deleted only if reading it by name says so too.
import { describe, expect, test } from 'vitest';
import { planCluster } from '../../test/fakes/plan-cluster.ts';
import { reconcileWorld } from '../../test/fakes/reconcile-world.ts';
import { applyCluster } from '../apply/apply-cluster.ts';
import { saveCluster } from '../apply/save-cluster.ts';
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

  test.each([
    ['b.yaml', 'its file cannot be read in full, so this object is kept unchanged: b.yaml'],
    ['dns/c.yaml', 'its file cannot be read in full, so this object is kept unchanged: dns'],
    ['-', 'its file cannot be read in full, so this object is kept unchanged: standard input'],
    ['d.yaml', 'a.yaml cannot be read in full, so this object is kept unchanged'],
  ])('names the file that cannot be read, if it was last read from %s', async (file, message) => {
    const world = reconcileWorld();
    world.cluster.put(RECORD, { domainName: 'a.e.', type: 'A', rdata: '192.0.2.1' });
    const { port } = world.cluster;
    const list: Cluster['list'] = async () => {
      const { objects, ...listing } = await port.list();
      return { ...listing, objects: objects.map((object) => ({ ...object, origin: { file, line: 1 } })) };
    };
    const before = { ...world.context, cluster: { ...port, list } };
    await saveCluster(before, await planCluster(before));
    const unreadable = new Set(['a.yaml', 'b.yaml', 'dns', '-']);
    const cluster: Cluster = { ...port, list: async () => ({ objects: [], problems: [], unreadable }) };
    const { objects } = await readCluster({ ...world.context, cluster });
    expect(objects.get(formatRef(RECORD))?.now.problems).toContain(message);
  });

  test('takes it for deleted after a 404 by name', async () => {
    const gone = { gone: ['Record p/a'], objects: ['Zone p/e'], deletes: ['delete a.e.'] };
    expect(await withoutTheRecord(() => ({ kind: 'absent' }))).toEqual(gone);
  });
});
