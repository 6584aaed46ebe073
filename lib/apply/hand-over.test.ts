// An apply of a large cluster does not hold its plan while it publishes.
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { planCluster } from '../../test/fakes/plan-cluster.ts';
import { reconcileWorld } from '../../test/fakes/reconcile-world.ts';
import { parseRef } from '../objects/object-ref.ts';
import type { Context } from '../ports/context.ts';
import type { HostedZones } from '../ports/hosted-zones.ts';
import { applyCluster } from './apply-cluster.ts';
import { handOver, taken } from './hand-over.ts';

const RECORDS = 12;

function worldOf() {
  const world = reconcileWorld({ hostedZones: [{ id: 'Z1', name: 'e.' }] });
  world.cluster.put(parseRef('Zone p/e'), { domainName: 'e.', delegations: [{ records: [{ pattern: '*' }] }] });
  for (let index = 0; index < RECORDS; index += 1) {
    const spec = { domainName: `r${index}.e.`, type: 'A', rdata: '192.0.2.1' };
    world.cluster.put(parseRef(`Record p/r${index}`), spec);
  }
  return world;
}

/** A plan that is handed over, and a weak reference to one of its items. */
async function planToGive(context: Context) {
  const plan = await planCluster(context);
  const [item] = plan.hostedZones.flatMap(({ items }) => [...items.values()]);
  if (item === undefined) throw new Error('nothing is planned');
  return { plan: handOver(plan), item: new WeakRef(item) };
}

test('applyCluster() does not hold the items of a handed-over plan while it publishes', async () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const world = worldOf();
  const { plan, item } = await planToGive(world.context);
  const held: boolean[] = [];
  const change: HostedZones['change'] = async (...asked) => {
    // A reference that was read keeps its object alive until the end of the turn, and until the end of a garbage
    // collection that has begun.
    for (let round = 0; round < 3; round += 1) {
      await new Promise((resolve) => setImmediate(resolve));
      collect();
    }
    held.push(item.deref() !== undefined);
    return world.route53.port.change(...asked);
  };
  const deps = { ...world.deps, hostedZones: { ...world.deps.hostedZones, change } };
  await applyCluster(world.context, deps, plan, { acknowledged: [], only: () => true, progress: () => {} });
  expect(held.length).toBeGreaterThan(0);
  expect(held).not.toContain(true);
});

test('applyCluster() publishes a plan without deletes in several runs when one run cannot plan all of its names', async () => {
  const world = worldOf();
  const runs: number[] = [];
  const deps = { ...world.deps, config: { ...world.deps.config, namesMax: 5 } };
  const change: HostedZones['change'] = async (id, changes, ...rest) => {
    runs.push(changes.length);
    return world.route53.port.change(id, changes, ...rest);
  };
  const counting = { ...deps, hostedZones: { ...deps.hostedZones, change } };
  const options = { acknowledged: [], only: () => true, progress: () => {} };
  const { hostedZones } = await applyCluster(world.context, counting, await planCluster(world.context), options);
  const outcomes = hostedZones.flatMap((one) => one.outcomes.map(({ outcome }) => outcome));
  expect(new Set(outcomes)).toEqual(new Set(['published']));
  expect(outcomes.length).toBeGreaterThanOrEqual(RECORDS);
  expect(Math.max(...runs)).toBeLessThanOrEqual(5);
});

test('handOver() gives the plan once', () => {
  const given = handOver({ a: 1 });
  expect(taken(given)).toEqual({ a: 1 });
  expect(() => taken(given)).toThrow('twice');
  expect(taken({ b: 2 })).toEqual({ b: 2 });
});
