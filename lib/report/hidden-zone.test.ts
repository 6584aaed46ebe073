// A Zone that no resolver finds, because the delegation to it would be below another Zone's cut, says so.
import { expect, test } from 'vitest';
import { planCluster } from '../../test/fakes/plan-cluster.ts';
import { deliverAll, hintFor, reconcileWorld } from '../../test/fakes/reconcile-world.ts';
import { describeAndReport } from '../apply/describe-applied.ts';
import { parseRef } from '../objects/object-ref.ts';
import { reconcile } from '../resolve/reconcile-hints.ts';

const ALL = [{ zones: ['*'], records: [{ pattern: '*' }] }];
const RECORDS_ONLY = [{ records: [{ pattern: '*' }] }];

test('a Zone whose delegation would be below the zone cut of a Zone that does not adopt it is Occluded, until it does', async () => {
  const nameServers = ['ns.example.net.'];
  const hostedZones = ['e.', 'a.e.', 'b.a.e.'].map((name, index) => ({ id: `Z${index}`, name, nameServers }));
  const world = reconcileWorld({ hostedZones });
  const put = async (id: string, spec: object) => {
    world.cluster.put(parseRef(id), spec);
    await reconcile(world.context, [hintFor(parseRef(id))]);
    await deliverAll(world);
  };
  const said = (id: string) => world.cluster.statuses.get(id)?.conditions.find(({ type }) => type === 'Programmed');
  await put('Zone p/e', { domainName: 'e.', delegations: ALL });
  await put('Zone p/b', { domainName: 'b.a.e.', delegations: RECORDS_ONLY });
  expect(said('Zone p/b')).toMatchObject({ status: 'True', reason: 'Published' });
  await put('Zone p/a', { domainName: 'a.e.', delegations: RECORDS_ONLY });
  const occluded = {
    status: 'False',
    reason: 'Occluded',
    message:
      'no resolver finds it: its parent, Zone p/e, cannot delegate to it, because b.a.e. is below the zone cut a.e. of Zone p/a; to mend that, let that Zone adopt it',
  };
  expect(said('Zone p/b')).toMatchObject(occluded);
  expect(said('Zone p/a')).toMatchObject({ status: 'True', reason: 'Published' });
  await describeAndReport(world.context, await planCluster(world.context));
  expect(said('Zone p/b')).toMatchObject(occluded);
  await put('Zone p/a', { domainName: 'a.e.', delegations: ALL });
  expect(said('Zone p/b')).toMatchObject({ status: 'True', reason: 'Published' });
});
