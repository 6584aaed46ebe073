// A hosted zone that was deleted by hand: after the first NoSuchHostedZone, every Record in it is reported.
import { expect, test } from 'vitest';
import { planCluster } from '../../test/fakes/plan-cluster.ts';
import { deliverAll, hintFor, type ReconcileWorld, reconcileWorld } from '../../test/fakes/reconcile-world.ts';
import { applyCluster } from '../apply/apply-cluster.ts';
import type { ClusterPlan } from '../apply/plan-cluster.ts';
import { parseRef } from '../objects/object-ref.ts';
import { publish } from '../publish/run/publish-hosted-zone.ts';
import { reconcile } from '../resolve/reconcile-hints.ts';

const SPEC = { domainName: 'e.', delegations: [{ records: [{ pattern: '*' }], zones: ['*'] }] };
const RECORDS = ['a', 'b', 'c', 'below.s'];

function worldOf(): ReconcileWorld {
  const world = reconcileWorld({ hostedZones: [{ id: 'Z1', name: 'e.' }] });
  world.cluster.put(parseRef('Zone p/z'), SPEC);
  world.cluster.put(parseRef('Zone p/s'), { ...SPEC, domainName: 's.e.' });
  for (const name of RECORDS) put(world, name, '192.0.2.1');
  return world;
}

function put({ cluster }: ReconcileWorld, name: string, rdata: string): void {
  cluster.put(parseRef(`Record p/${name}`), { domainName: `${name}.e.`, type: 'A', rdata });
}

async function apply(world: ReconcileWorld): Promise<readonly string[]> {
  return applied(world, await planCluster(world.context));
}

async function applied({ context, deps }: ReconcileWorld, plan: ClusterPlan): Promise<readonly string[]> {
  const { hostedZones } = await applyCluster(context, deps, plan, {
    acknowledged: [],
    only: () => true,
    progress: () => {},
  });
  return hostedZones.flatMap(({ outcomes }) =>
    outcomes.map(
      ({ change, outcome, message }) => `${change.name} ${outcome}${outcome === 'failed' ? `: ${message}` : ''}`,
    ),
  );
}

/** Delivers hints, publishes and reports until nothing is left. */
async function deliver(world: ReconcileWorld): Promise<void> {
  await deliverAll(world);
  while (world.queued.hints.length > 0) {
    await reconcile(world.context, world.queued.hints.splice(0));
    await deliverAll(world);
  }
}

function reasons({ cluster }: ReconcileWorld): Record<string, string | undefined> {
  const programmed = [...cluster.statuses].map(([id, { conditions }]) => {
    return [id, conditions.find(({ type }) => type === 'Programmed')?.reason] as const;
  });
  return Object.fromEntries(programmed);
}

const ALL = [...RECORDS.map((name) => `Record p/${name}`), 'Zone p/z', 'Zone p/s'];
const allSay = (reason: string) => Object.fromEntries(ALL.map((id) => [id, reason]));

test('with events, the first change that finds the hosted zone gone is reported to all objects', async () => {
  const world = worldOf();
  await reconcile(
    world.context,
    ALL.map((id) => hintFor(parseRef(id))),
  );
  await deliver(world);
  expect(reasons(world)).toEqual(allSay('Published'));
  world.route53.removeHostedZone('Z1');
  put(world, 'a', '192.0.2.2');
  await reconcile(world.context, [hintFor(parseRef('Record p/a'))]);
  await deliver(world);
  expect(reasons(world)).toEqual(allSay('HostedZoneNotFound'));
});

test.each(['never', 'all'] as const)(
  'with apply, it is reported to all objects, and the next apply continues (createHostedZones: %s)',
  async (create) => {
    const world = worldOf();
    // With createHostedZones: all, this sub-zone would get a hosted zone of its own.
    if (create === 'all') world.cluster.remove(parseRef('Zone p/s'));
    const all = ALL.filter((id) => create === 'never' || id !== 'Zone p/s');
    const everySays = (reason: string) => Object.fromEntries(all.map((id) => [id, reason]));
    await apply(world);
    expect(reasons(world)).toEqual(everySays('Published'));
    world.route53.removeHostedZone('Z1');
    put(world, 'a', '192.0.2.2');
    const context = { ...world.context, config: { ...world.context.config, createHostedZones: create } };
    expect(await apply({ ...world, context })).toEqual(['a.e. failed: No hosted zone found with ID: Z1']);
    expect(reasons(world)).toEqual(everySays('HostedZoneNotFound'));
    const outcomes = await apply({ ...world, context });
    if (create === 'never') expect(outcomes).toEqual([]);
    else expect(outcomes).toEqual(expect.arrayContaining(RECORDS.map((name) => `${name}.e. published`)));
    expect(reasons(world)).toEqual(everySays(create === 'all' ? 'Published' : 'HostedZoneNotFound'));
  },
);

test('apply says that the hosted zone is gone when another run found that during the plan', async () => {
  const world = worldOf();
  await apply(world);
  put(world, 'a', '192.0.2.2');
  const plan = await planCluster(world.context);
  world.route53.removeHostedZone('Z1');
  put(world, 'b', '192.0.2.2');
  await reconcile(world.context, [hintFor(parseRef('Record p/b'))]);
  await publish(world.deps, 'Z1');
  expect(await applied(world, plan)).toEqual(['a.e. failed: Route 53 has no hosted zone Z1 any more.']);
});
