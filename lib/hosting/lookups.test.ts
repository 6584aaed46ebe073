// An apply lists the account's hosted zones once, and not at all for a sub-zone that was looked up within the hour.
import { expect, test } from 'vitest';
import { planCluster } from '../../test/fakes/plan-cluster.ts';
import { type ReconcileWorld, reconcileWorld } from '../../test/fakes/reconcile-world.ts';
import { applyCluster } from '../apply/apply-cluster.ts';
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

/** Applies as the command does. Returns how often hosted zones were listed. */
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

test('apply lists hosted zones the first time, not within the hour, and once again after it', async () => {
  const world = worldOf([{ id: 'Z1', name: 'e.' }]);
  expect(await apply(world)).toBe(1);
  expect(names(world, 'Z1')).toEqual(['a.s.e.']);
  world.clock.ms += HOUR_MS / 2;
  expect(await apply(world)).toBe(0);
  world.clock.ms += HOUR_MS / 2;
  expect(await apply(world)).toBe(1);
});

test('apply looks for the hosted zone of a new sub-zone, and remembers the others', async () => {
  const world = worldOf([{ id: 'Z1', name: 'e.' }]);
  await apply(world);
  world.cluster.put(parseRef('Zone p/t'), { domainName: 't.e.', delegations: DELEGATIONS });
  expect(await apply(world)).toBe(1);
  expect(await apply(world)).toBe(0);
});

test('apply looks every time for the hosted zone of a root without one', async () => {
  const world = worldOf([]);
  expect([await apply(world), await apply(world)]).toEqual([1, 1]);
});

test('apply finds a new hosted zone of a sub-zone after the hour, or at once without remembersLookups', async () => {
  const world = worldOf([{ id: 'Z1', name: 'e.' }]);
  await apply(world);
  const { id } = await world.route53.port.create('s.e.', 'by hand');
  await apply(world);
  expect(names(world, id)).toEqual([]);
  await apply(world, false);
  expect(names(world, id)).toEqual(['a.s.e.']);
});

test('a hosted zone is created in the account that is asked for, and listed from then on', async () => {
  const { port } = worldOf([]).route53;
  const accounts: (string | undefined)[] = [];
  const create: typeof port.create = async (name, reference, account) => {
    accounts.push(account);
    return port.create(name, reference);
  };
  const once = listOnce({ ...port, create });
  expect(await once.list()).toEqual([]);
  const { id } = await once.create('e.', 'a reference', 'dns');
  expect(accounts).toEqual(['dns']);
  expect((await once.list()).map((one) => one.id)).toEqual([id]);
});
