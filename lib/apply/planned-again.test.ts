// A plan of a cluster that is published already has in memory once what did not change since.
import { expect, test } from 'vitest';
import { planCluster } from '../../test/fakes/plan-cluster.ts';
import { reconcileWorld } from '../../test/fakes/reconcile-world.ts';
import { parseRef } from '../objects/object-ref.ts';
import { applyCluster } from './apply-cluster.ts';

test('planCluster() has the unchanged objects and record sets of the ledger once', async () => {
  const { context, cluster, deps } = reconcileWorld({ hostedZones: [{ id: 'Z1', name: 'e.' }] });
  cluster.put(parseRef('Zone p/e'), { domainName: 'e.', delegations: [{ records: [{ pattern: '*' }] }] });
  for (const name of ['a', 'b'])
    cluster.put(parseRef(`Record p/${name}`), { domainName: `${name}.e.`, type: 'A', rdata: '192.0.2.1' });
  await applyCluster(context, deps, await planCluster(context), {
    acknowledged: [],
    only: () => true,
    progress: () => {},
  });
  cluster.put(parseRef('Record p/b'), { domainName: 'b.e.', type: 'A', rdata: '192.0.2.2' });

  const { reading, hostedZones } = await planCluster(context);
  const of = (id: string) => reading.objects.get(id);
  expect(of('Record p/a')?.before?.endpoints).toBe(of('Record p/a')?.now.endpoints);
  expect(of('Record p/b')?.before?.endpoints?.[0]?.values).toEqual(['192.0.2.1']);
  expect(of('Record p/b')?.now.endpoints?.[0]?.values).toEqual(['192.0.2.2']);
  const [planned] = hostedZones;
  const [same, changed] = ['a', 'b'].map((name) => planned?.items.get(`${name}.e. A `));
  expect(same).toBe(planned?.stored.get('a.e. A ')?.item);
  expect(same?.published).toBe(same?.desired);
  expect(changed?.published).toMatchObject({ values: ['192.0.2.1'] });
  expect(changed?.desired).toMatchObject({ values: ['192.0.2.2'] });
});
