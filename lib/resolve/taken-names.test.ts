// Without roots: a younger Zone of another namespace takes no name out of an older one, by events, by a whole
// comparison and by render alike.
import { expect, test } from 'vitest';
import { planCluster } from '../../test/fakes/plan-cluster.ts';
import {
  deliverAll,
  hintFor,
  type ReconcileWorld,
  reconcile,
  reconcileWorld,
} from '../../test/fakes/reconcile-world.ts';
import { parseRef } from '../objects/object-ref.ts';
import { renderCluster } from '../report/render-cluster.ts';

const OWNER = parseRef('Zone team/e');
const TAKER = parseRef('Zone other/www');
const ALL = [{ records: [{ pattern: '*' }, { pattern: '@' }] }];

/** A published Record of the team. */
async function worldOf(): Promise<ReconcileWorld> {
  const world = reconcileWorld({ hostedZones: [{ id: 'Z1', name: 'e.' }] });
  world.cluster.put(OWNER, { domainName: 'e.', delegations: ALL });
  world.cluster.put(parseRef('Record team/www'), { domainName: 'www.e.', type: 'A', rdata: '192.0.2.1' });
  await reconcile(world.context, [hintFor(OWNER), hintFor(parseRef('Record team/www'))]);
  await deliverAll(world);
  world.clock.ms += 3_600_000;
  return world;
}

function published({ route53 }: ReconcileWorld): boolean {
  return route53.recordSets('Z1').some(({ name }) => name === 'www.e.');
}

function accepted({ cluster }: ReconcileWorld, id: string): string | undefined {
  return cluster.statuses.get(id)?.conditions.find(({ type }) => type === 'Accepted')?.reason;
}

test("a Zone above another team's name does not take that name, also without a hosted zone", async () => {
  const world = await worldOf();
  world.cluster.put(TAKER, { domainName: 'www.e.', delegations: ALL }, {}, world.clock.ms);
  await reconcile(world.context, [hintFor(TAKER)]);
  await deliverAll(world);
  expect([published(world), accepted(world, 'Zone other/www'), accepted(world, 'Record team/www')]).toEqual([
    true,
    'DelegationDenied',
    'Adopted',
  ]);
  const message = world.cluster.statuses.get('Zone other/www')?.conditions[0]?.message;
  expect(message).toContain('team/e');
  expect((await planCluster(world.context)).hostedZones.flatMap(({ plan }) => plan.changes)).toEqual([]);
  const rendered = renderCluster(await world.cluster.port.list(), world.context, 0);
  expect(rendered.records.map(({ parent }) => parent)).toEqual(['team/e']);
});

test('such a Zone goes live when the owner delegates its name, and when the owner is deleted', async () => {
  const world = await worldOf();
  world.cluster.put(TAKER, { domainName: 'www.e.', delegations: ALL }, {}, world.clock.ms);
  await reconcile(world.context, [hintFor(TAKER)]);
  world.cluster.put(OWNER, { domainName: 'e.', delegations: [...ALL, { namespace: 'other', zones: ['www'] }] });
  await reconcile(world.context, [hintFor(OWNER)]);
  await deliverAll(world);
  expect(accepted(world, 'Zone other/www')).toBe('Adopted');
  world.cluster.remove(OWNER);
  await reconcile(world.context, [hintFor(OWNER)]);
  await deliverAll(world);
  expect(accepted(world, 'Zone other/www')).toBe('Root');
});
