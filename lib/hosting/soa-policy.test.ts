// Which SOAs get the timers of their Zone (`soa: created | always | never`): the same in events, sweep, plan and apply.
import { expect, test } from 'vitest';
import { planCluster } from '../../test/fakes/plan-cluster.ts';
import {
  deliverAll,
  deliverHints,
  hintFor,
  type ReconcileWorld,
  reconcileWorld,
} from '../../test/fakes/reconcile-world.ts';
import { settle, twoWorlds } from '../../test/fakes/two-clusters.ts';
import { applyCluster } from '../apply/apply-cluster.ts';
import { parseRef } from '../objects/object-ref.ts';
import type { HostedZones } from '../ports/hosted-zones.ts';
import { reconcile } from '../resolve/reconcile-hints.ts';
import { sweepHostedZone } from '../sweep/sweep-hosted-zone.ts';

const ZONE = parseRef('Zone a/z');
const SPEC = { domainName: 'e.', refresh: 50000, delegations: [{ records: [{ pattern: '*' }] }] };

const CASES = [
  { soa: 'created', by: 'zone53', ours: true },
  { soa: 'created', by: 'somebody', ours: false },
  { soa: 'always', by: 'somebody', ours: true },
  { soa: 'always', by: 'zone53', ours: true },
  { soa: 'never', by: 'zone53', ours: false },
  { soa: 'never', by: 'somebody', ours: false },
] as const;

function worldOf({ soa, by }: Pick<(typeof CASES)[number], 'soa' | 'by'>): ReconcileWorld {
  const hostedZones = by === 'somebody' ? [{ id: 'Z1', name: 'e.' }] : [];
  const world = reconcileWorld({ hostedZones, config: { soa, createHostedZones: 'all', roots: null } });
  world.cluster.put(ZONE, SPEC);
  world.cluster.put(parseRef('Record a/w'), { domainName: 'w.e.', type: 'A', rdata: '192.0.2.1' });
  return world;
}

/** The refresh timer of the SOA: 50000 is the Zone's, 7200 is Route 53's own. */
async function refreshOf({ route53 }: ReconcileWorld): Promise<string | undefined> {
  const [{ id } = { id: '' }] = await route53.port.list();
  const content = route53.recordSets(id).find(({ type }) => type === 'SOA')?.content;
  return content?.kind === 'values' ? content.values[0]?.split(' ')[3] : undefined;
}

/** Publishes everything, and sweeps. */
async function deliver(world: ReconcileWorld): Promise<void> {
  await reconcile(world.context, [hintFor(ZONE), hintFor(parseRef('Record a/w'))]);
  await deliverAll(world);
  const [{ id } = { id: '' }] = await world.route53.port.list();
  await sweepHostedZone(world.context, id);
  await deliverAll(world);
}

function plannedOf(world: ReconcileWorld): Promise<string[]> {
  return planCluster(world.context).then(({ hostedZones }) =>
    hostedZones.flatMap(({ plan }) => plan.changes.map(({ action, name, type }) => `${action} ${name} ${type}`)),
  );
}

test.each(CASES)('soa: $soa, a hosted zone that $by made, by events and sweep: $ours', async ({ ours, ...how }) => {
  const world = worldOf(how);
  await deliver(world);
  expect(await refreshOf(world)).toBe(ours ? '50000' : '7200');
  const status = world.cluster.statuses.get('Zone a/z');
  expect(status?.zone?.entries[0]).toMatchObject({ rdata: expect.stringContaining(' 50000 ') });
  expect(status?.conditions).toMatchObject([{ reason: 'Root' }, { reason: 'Published' }]);
  expect(await plannedOf(world)).toEqual([]);
});

test.each(CASES)('soa: $soa, a hosted zone that $by made, by plan and apply: $ours', async ({ ours, ...how }) => {
  const world = worldOf(how);
  const plan = await planCluster(world.context);
  expect(plan.hostedZones[0]?.plan.changes.some(({ type }) => type === 'SOA')).toBe(ours);
  await applyCluster(world.context, world.deps, plan, { acknowledged: [], only: () => true, progress: () => {} });
  expect(await refreshOf(world)).toBe(ours ? '50000' : '7200');
  expect(world.cluster.statuses.get('Zone a/z')?.conditions).toMatchObject([{}, { reason: 'Published' }]);
  expect(await plannedOf(world)).toEqual([]);
});

test('a hosted zone that a run made and died over is known as made by zone53', async () => {
  const world = worldOf({ soa: 'created', by: 'zone53' });
  const dies: HostedZones = {
    ...world.route53.port,
    create: async (name, callerReference) => {
      await world.route53.port.create(name, callerReference);
      throw new Error('the run died');
    },
  };
  await expect(reconcile({ ...world.context, account: { hostedZones: dies } }, [hintFor(ZONE)])).rejects.toThrow(
    'died',
  );
  await deliver(world);
  expect(await refreshOf(world)).toBe('50000');
});

test('an SOA of ours stays unchanged when the configuration says never, and that is not drift', async () => {
  const world = worldOf({ soa: 'always', by: 'somebody' });
  await deliver(world);
  const never = { ...world, context: { ...world.context, config: { ...world.context.config, soa: 'never' as const } } };
  world.cluster.put(ZONE, { ...SPEC, refresh: 40000 });
  await deliver(never);
  expect(await refreshOf(world)).toBe('50000');
  expect(await plannedOf(never)).toEqual([]);
  expect(await plannedOf(world)).toEqual(['update e. SOA']);
});

/** The refresh timer of the SOA that two clusters come to, whichever of them is first. */
async function refreshOfTwo(first: 'eu' | 'us', leads: readonly (string | undefined)[]): Promise<string | undefined> {
  const worlds = twoWorlds();
  const order = first === 'eu' ? [worlds.eu, worlds.us] : [worlds.us, worlds.eu];
  for (const lead of leads) {
    const led = order.map((world): ReconcileWorld => {
      const zone = { zone: 'e.', id: 'Z1', ...(lead !== undefined && { lead }) };
      const config = { ...world.context.config, soa: 'always' as const, hostedZones: [zone] };
      return { ...world, context: { ...world.context, config } };
    }) as [ReconcileWorld, ReconcileWorld];
    for (const world of led) {
      const { clusterId } = world.context.config;
      world.cluster.put(ZONE, { ...SPEC, refresh: clusterId === 'eu' ? 50_000 : 60_000 });
      await reconcile(world.context, [hintFor(ZONE)]);
      await deliverHints(world);
    }
    await settle(...led);
  }
  return refreshOf(worlds.eu);
}

test.each([
  ['eu', [undefined], '50000'],
  ['us', [undefined], '60000'],
  ['eu', ['us'], '60000'],
  ['us', ['us'], '60000'],
  ['eu', ['eu', 'us'], '60000'],
  ['eu', ['us', 'eu'], '50000'],
  ['us', ['us', 'eu'], '50000'],
] as const)('an SOA after %s came first, with the leads %j: %s', async (first, leads, refresh) => {
  expect(await refreshOfTwo(first, leads)).toBe(refresh);
});
