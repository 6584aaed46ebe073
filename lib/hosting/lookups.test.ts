// An apply lists the account's hosted zones once, and not at all for a sub-zone that was looked up within the hour.
import { expect, test } from 'vitest';
import { type ReconcileWorld, reconcileWorld } from '../../test/fakes/reconcile-world.ts';
import { applyCluster } from '../apply/apply-cluster.ts';
import { planCluster } from '../apply/plan-cluster.ts';
import { parseRef } from '../objects/object-ref.ts';
import { listOnce } from './lookups.ts';

const DELEGATIONS = [{ records: [{ pattern: '*' }], zones: ['*'] }];
const HOUR_MS = 3_600_000;

function worldOf(hostedZones: readonly { readonly id: string; readonly name: string }[]): ReconcileWorld {
  const world = reconcileWorld({ hostedZones });
  world.cluster.put(parseRef('Zone p/e'), { domainName: 'e.', delegations: DELEGATIONS });
  world.cluster.put(parseRef('Zone p/s'), { domainName: 's.e.', delegations: DELEGATIONS });
  world.cluster.put(parseRef('Record p/a'), { domainName: 'a.s.e.', type: 'A', rdata: '192.0.2.1' });
  return world;
}

/** An apply as the command does it; how often hosted zones were listed. */
async function apply(world: ReconcileWorld, remembersLookups = true): Promise<number> {
  const { length } = world.route53.calls;
  const account = { hostedZones: listOnce(world.route53.port), remembersLookups };
  const context = { ...world.context, account };
  const options = { acknowledged: [], only: () => true, progress: () => {} };
  await applyCluster(context, world.deps, await planCluster(context), options);
  return world.route53.calls.slice(length).filter(({ method }) => method === 'list').length;
}

const names = (world: ReconcileWorld, id: string) =>
  world.route53.recordSets(id).flatMap(({ name, type }) => (type === 'A' ? [name] : []));

test('once for the first, not at all within the hour, once again afterwards', async () => {
  const world = worldOf([{ id: 'Z1', name: 'e.' }]);
  expect(await apply(world)).toBe(1);
  expect(names(world, 'Z1')).toEqual(['a.s.e.']);
  world.clock.ms += HOUR_MS / 2;
  expect(await apply(world)).toBe(0);
  world.clock.ms += HOUR_MS / 2;
  expect(await apply(world)).toBe(1);
});

test('a new sub-zone is looked for, and the others are not forgotten', async () => {
  const world = worldOf([{ id: 'Z1', name: 'e.' }]);
  await apply(world);
  world.cluster.put(parseRef('Zone p/t'), { domainName: 't.e.', delegations: DELEGATIONS });
  expect(await apply(world)).toBe(1);
  expect(await apply(world)).toBe(0);
});

test('a root without a hosted zone is looked for every time', async () => {
  const world = worldOf([]);
  expect([await apply(world), await apply(world)]).toEqual([1, 1]);
});

test('a hosted zone that a sub-zone has got is found after the hour, or at once by who does not rely on what was found before', async () => {
  const world = worldOf([{ id: 'Z1', name: 'e.' }]);
  await apply(world);
  const { id } = await world.route53.port.create('s.e.', 'by hand');
  await apply(world);
  expect(names(world, id)).toEqual([]);
  await apply(world, false);
  expect(names(world, id)).toEqual(['a.s.e.']);
});
