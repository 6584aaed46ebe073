// An object that asks for no name, and whose status others write: most Services of a cluster.
import { expect, test } from 'vitest';
import { apply, worldOf, zone } from '../../test/fakes/reconcile-steps.ts';
import { deliverReports, type ReconcileWorld, sweepAll, through } from '../../test/fakes/reconcile-world.ts';
import { parseRef } from '../objects/object-ref.ts';
import type { Cluster, ClusterObject } from '../ports/cluster.ts';
import { reconcile } from '../resolve/reconcile-hints.ts';

const REF = parseRef('DNSEndpoint a/x');

/** The world once another controller has written the status, which changes the version and not the generation. */
function withStatus(world: ReconcileWorld, version: string): ReconcileWorld {
  const { port } = world.cluster;
  const shown = (object: ClusterObject): ClusterObject =>
    object.ref.kind === REF.kind
      ? { ...object, version, statusForm: 'conditions', status: { observedGeneration: Number(version) } }
      : object;
  const cluster: Cluster = {
    ...port,
    get: async (ref, ...rest) => {
      const found = await port.get(ref, ...rest);
      return found.kind === 'present' ? { ...found, object: shown(found.object) } : found;
    },
    listPage: async (...args) => {
      const page = await port.listPage(...args);
      return page && { ...page, objects: page.objects.map(shown) };
    },
  };
  return through(world, { cluster });
}

test('a change of its status alone is not reported, neither at once nor at each sweep', async () => {
  const world = await worldOf({ 'Zone a/z': zone('e.') });
  await apply(world, { 'DNSEndpoint a/x': { endpoints: [] } });
  await sweepAll(world);
  await deliverReports(world);
  const reported: string[] = [];
  for (const version of ['1000', '1001']) {
    const now = withStatus(world, version);
    await reconcile(now.context, [{ kind: REF.kind, namespace: 'a', name: 'x' }]);
    await sweepAll(now);
    await sweepAll(now);
    reported.push(...[...world.queued.reports.keys()].filter((key) => key.startsWith('DNSEndpoint')));
    await deliverReports(now);
  }
  expect(reported).toEqual([]);
});
