// An apply publishes hosted zones in the order in which they wait for each other, so one apply is enough.
import { expect, test } from 'vitest';
import { planCluster } from '../../test/fakes/plan-cluster.ts';
import { type ReconcileWorld, reconcileWorld } from '../../test/fakes/reconcile-world.ts';
import { ALL } from '../../test/fakes/sub-zone-world.ts';
import { parseRef } from '../objects/object-ref.ts';
import { applyCluster } from './apply-cluster.ts';

const GUARD = { deletesMax: 0, deletesShareMax: 1 };
const OBJECTS = {
  'Zone p/e': { domainName: 'e.', delegations: ALL },
  'Zone p/s': { domainName: 's.e.', delegations: ALL },
  'Zone p/t': { domainName: 't.s.e.', delegations: ALL },
  'Record p/x': { domainName: 'x.t.s.e.', type: 'A', rdata: '192.0.2.1' },
};

/** Applies, and acknowledges what an earlier apply held. */
async function apply(world: ReconcileWorld): Promise<readonly string[]> {
  const first = await planCluster(world.context);
  const acknowledged = first.hostedZones.flatMap(({ hostedZone }) => hostedZone.held?.digest ?? []);
  const options = { acknowledged, only: () => true, progress: () => {} };
  const plan = await planCluster(world.context, { acknowledged });
  const { hostedZones } = await applyCluster(world.context, world.deps, plan, options);
  return hostedZones.flatMap(({ outcomes }) =>
    outcomes.map(({ change: { action, name, type }, outcome }) => `${action} ${name} ${type} ${outcome}`),
  );
}

test('a delegation whose delete was held is deleted before what is left behind it', async () => {
  const world = reconcileWorld({
    hostedZones: [
      { id: 'Z1', name: 'e.' },
      { id: 'Z2', name: 's.e.', nameServers: ['ns-2.example.net.'] },
      { id: 'Z3', name: 't.s.e.', nameServers: ['ns-3.example.net.'] },
    ],
    config: { soa: 'never', guard: GUARD },
  });
  const guarded = { ...world, deps: { ...world.deps, config: { ...world.deps.config, guard: GUARD } } };
  for (const [id, spec] of Object.entries(OBJECTS)) world.cluster.put(parseRef(id), spec);
  await apply(guarded);
  world.cluster.remove(parseRef('Zone p/t'));
  const names = ['delete t.s.e. NS', 'delete x.t.s.e. A'];
  expect((await apply(guarded)).toSorted()).toEqual([
    'create x.t.s.e. A published',
    ...names.map((one) => `${one} held`),
  ]);
  expect((await apply(guarded)).toSorted()).toEqual(names.map((one) => `${one} published`));
});

test('a PTR comes after its address, and waits if the guard holds that', async () => {
  const world = reconcileWorld({
    hostedZones: [
      { id: 'Z1', name: 'e.' },
      { id: 'Z2', name: '192.in-addr.arpa.' },
    ],
    config: { soa: 'never', guard: GUARD },
  });
  const guarded = { ...world, deps: { ...world.deps, config: { ...world.deps.config, guard: GUARD } } };
  world.cluster.put(parseRef('Zone p/e'), { domainName: 'e.', delegations: ALL, ptr: true });
  world.cluster.put(parseRef('Zone p/r'), { domainName: '192.in-addr.arpa.', delegations: ALL });
  world.cluster.put(parseRef('Record p/x'), { domainName: 'x.e.', type: 'CNAME', rdata: 'y.example.net.' });
  await apply(guarded);
  world.cluster.put(parseRef('Record p/x'), { domainName: 'x.e.', type: 'A', rdata: '192.0.2.1' });
  const all = ['create 1.2.0.192.in-addr.arpa. PTR', 'create x.e. A', 'delete x.e. CNAME'];
  expect((await apply(guarded)).toSorted()).toEqual(all.map((one) => `${one} held`));
  expect((await apply(guarded)).toSorted()).toEqual(all.map((one) => `${one} published`));
});
