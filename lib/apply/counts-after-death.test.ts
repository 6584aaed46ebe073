// The guard of a plan after an apply that was killed before it could save its counts: it holds what an apply holds.
import { expect, test } from 'vitest';
import { planCluster } from '../../test/fakes/plan-cluster.ts';
import { type ReconcileWorld, reconcileWorld } from '../../test/fakes/reconcile-world.ts';
import { parseRef } from '../objects/object-ref.ts';
import type { Ledger } from '../ports/ledger.ts';
import { applyCluster } from './apply-cluster.ts';

const GUARD = { deletesMax: 1_000, deletesShareMax: 0.3 };

/** An empty hosted zone, whose guard allows less than a third. */
function guardedWorld(): ReconcileWorld {
  const world = reconcileWorld({ hostedZones: [{ id: 'Z1', name: 'e.' }], config: { guard: GUARD, soa: 'never' } });
  world.cluster.put(parseRef('Zone p/e'), { domainName: 'e.', delegations: [{ records: [{ pattern: '*' }] }] });
  return { ...world, deps: { ...world.deps, config: { ...world.deps.config, guard: GUARD } } };
}

function put({ cluster }: ReconcileWorld, from: number, to: number): void {
  for (let index = from; index < to; index += 1)
    cluster.put(parseRef(`Record p/r${index}`), { domainName: `r${index}.e.`, type: 'A', rdata: '192.0.2.1' });
}

function remove({ cluster }: ReconcileWorld, from: number, to: number): void {
  for (let index = from; index < to; index += 1) cluster.remove(parseRef(`Record p/r${index}`));
}

/** Applies. `dies`: after Route 53 has accepted a batch, nothing is written to the ledger any more. */
async function apply(world: ReconcileWorld, dies = false): Promise<readonly string[]> {
  let isDead = false;
  const port = world.route53.port;
  const change: typeof port.change = async (...asked) => {
    const outcome = await port.change(...asked);
    isDead = dies;
    return outcome;
  };
  const ledger: Ledger = new Proxy(world.ledger, {
    get: (of, method: keyof Ledger) => {
      if (isDead) throw new Error('killed');
      return of[method].bind(of);
    },
  });
  const options = { acknowledged: [], only: () => true, progress: () => {} };
  const through = { ...world.context, ledger };
  const deps = { ...world.deps, ledger, hostedZones: { ...port, change } };
  const applied = applyCluster(through, deps, await planCluster(world.context), options);
  const { hostedZones } = dies ? await applied.catch(() => ({ hostedZones: [] })) : await applied;
  if (dies) world.clock.ms += 60_000;
  return hostedZones.flatMap(({ held }) => held?.reasons ?? []);
}

async function heldInPlan({ context }: ReconcileWorld): Promise<readonly string[]> {
  return (await planCluster(context)).hostedZones.flatMap(({ plan }) => plan.guard.reasons);
}

test('a plan after the first apply was killed knows what that published', async () => {
  const world = guardedWorld();
  put(world, 0, 12);
  await apply(world, true);
  expect(world.route53.recordSets('Z1')).toHaveLength(14);
  remove(world, 0, 6);
  const reasons = await heldInPlan(world);
  expect(reasons[0]).toContain('6 of 12 record sets (50 %) would be deleted within an hour');
  expect(await apply(world)).toEqual(reasons);
});

test('a plan after an apply was killed knows what that deleted', async () => {
  const world = guardedWorld();
  put(world, 0, 12);
  await apply(world);
  world.clock.ms += 7_200_000;
  remove(world, 0, 3);
  await apply(world, true);
  expect(world.route53.recordSets('Z1')).toHaveLength(11);
  remove(world, 3, 5);
  const reasons = await heldInPlan(world);
  expect(reasons[0]).toContain(
    'With the 3 of the last hour, 5 of 12 record sets (41.7 %) would be deleted within an hour',
  );
  expect(await apply(world)).toEqual(reasons);
});
