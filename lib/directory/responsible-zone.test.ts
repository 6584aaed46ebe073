// Held deletes in a hosted zone that its Zone has left are shown on the nearest Zone at or above its name that
// publishes.
import { expect, test } from 'vitest';
import { planCluster } from '../../test/fakes/plan-cluster.ts';
import { deliverReports, hintFor, type ReconcileWorld, reconcileWorld } from '../../test/fakes/reconcile-world.ts';
import { describeAndReport } from '../apply/describe-applied.ts';
import { parseRef } from '../objects/object-ref.ts';
import { publish } from '../publish/run/publish-hosted-zone.ts';
import { readHostedZone } from '../record-sets/lease.ts';
import { report } from '../report/report-object.ts';
import { reconcile } from '../resolve/reconcile-hints.ts';
import { directoryKey } from './directory-item.ts';

const ZONE = parseRef('Zone a/z');
const SUB = parseRef('Zone b/sub');
const RECORDS = ['one', 'two', 'three'].map((name) => parseRef(`Record a/${name}`));
const ALL = [{ zones: ['*'], records: [{ pattern: '*' }, { pattern: '@' }] }];

/** Zones e. and `name`, each with a hosted zone. Three Records are published in the second. */
async function subWorld(name = 's.e.'): Promise<ReconcileWorld> {
  const world = reconcileWorld({
    hostedZones: [
      { id: 'Z1', name: 'e.' },
      { id: 'Z2', name, nameServers: ['ns-2.example.net.'] },
    ],
  });
  world.cluster.put(ZONE, { domainName: 'e.', delegations: ALL });
  world.cluster.put(SUB, { domainName: name, delegations: ALL });
  for (const ref of RECORDS)
    world.cluster.put(ref, { domainName: `${ref.name}.${name}`, type: 'A', rdata: '192.0.2.1' });
  await reconcile(world.context, [ZONE, SUB, ...RECORDS].map(hintFor));
  for (const id of ['Z2', 'Z1']) await publish(world.deps, id);
  expect(standing(world)).toBe(3);
  return world;
}

async function leave(world: ReconcileWorld): Promise<void> {
  world.cluster.remove(SUB);
  await reconcile(world.context, [hintFor(SUB)]);
  for (const id of ['Z1', 'Z2', 'Z1']) await publish(world.deps, id);
  await deliverReports(world);
  await publish(world.deps, 'Z2');
  expect(standing(world)).toBe(3);
}

function standing({ route53 }: ReconcileWorld): number {
  return route53.recordSets('Z2').filter(({ type }) => type === 'A').length;
}

function programmedOf({ cluster }: ReconcileWorld, zone = 'Zone a/z') {
  return cluster.statuses.get(zone)?.conditions.find(({ type }) => type === 'Programmed');
}

test('held deletes in a hosted zone without a Zone are shown until they are acknowledged, in reports, sweep and plan', async () => {
  const world = await subWorld();
  await leave(world);
  const noted = await readHostedZone(world.ledger, 'Z2');
  const { digest = '', reasons = [] } = noted?.item.held ?? {};
  const how = `3 record sets are held until they are acknowledged: run zone53 apply with --acknowledge ${digest}.`;
  expect(reasons).toContain(how);
  await deliverReports(world);
  const shown = programmedOf(world);
  expect(shown).toMatchObject({
    status: 'False',
    reason: 'HeldByGuard',
    message: `3 deletes are held in hosted zone Z2 (s.e.), which is no longer the hosted zone of any Zone. To release them, run zone53 apply with --acknowledge ${digest}.`,
  });
  const plan = await planCluster(world.context);
  expect(plan.hostedZones.find(({ hostedZone }) => hostedZone.id === 'Z2')?.plan.guard.reasons).toContain(how);
  await describeAndReport(world.context, plan);
  expect(programmedOf(world)).toEqual(shown);

  world.queued.reports.clear();
  await publish(world.deps, 'Z2', { acknowledged: [digest] });
  expect(standing(world)).toBe(0);
  expect([...world.queued.reports.keys()]).toContain('Zone a/z');
  await deliverReports(world);
  expect(programmedOf(world)).toMatchObject({ status: 'True', reason: 'Published' });
});

test('beside a process that keeps the ledger to itself, the Zone that shows held deletes does not name apply', async () => {
  const world = await subWorld();
  await leave(world);
  const digest = (await readHostedZone(world.ledger, 'Z2'))?.item.held?.digest ?? '';
  const config = { ...world.context.config, guard: { ...world.context.config.guard, keepsLedger: true as const } };
  const message = `3 deletes are held in hosted zone Z2 (s.e.), which is no longer the hosted zone of any Zone. To release them, declare a Zone of this name again, or mend the one that is not accepted, and annotate it with zone53.dev/acknowledge-plan: ${digest}.`;
  await report({ ...world.context, config }, [ZONE]);
  expect(programmedOf(world)?.message).toBe(message);
  // As the first load of such a process does.
  await describeAndReport({ ...world.context, config }, await planCluster(world.context));
  expect(programmedOf(world)?.message).toBe(message);
});

test('an annotation of the Zone that shows the held deletes does not release them', async () => {
  const world = await subWorld();
  await leave(world);
  const digest = (await readHostedZone(world.ledger, 'Z2'))?.item.held?.digest ?? '';
  world.cluster.put(ZONE, { domainName: 'e.', delegations: ALL }, { 'zone53.dev/acknowledge-plan': digest });
  await reconcile(world.context, [hintFor(ZONE)]);
  await publish(world.deps, 'Z2');
  expect(standing(world)).toBe(3);
});

test('the held deletes are shown on another Zone when that Zone is declared above', async () => {
  const world = await subWorld();
  await leave(world);
  const other = parseRef('Zone a/other');
  world.cluster.remove(ZONE);
  world.cluster.put(other, { domainName: 'e.', delegations: ALL });
  await reconcile(world.context, [ZONE, other].map(hintFor));
  await deliverReports(world);
  expect(programmedOf(world, 'Zone a/other')).toMatchObject({ reason: 'HeldByGuard' });
});

test('the held deletes are not shown on a Zone that is hosted elsewhere, but on the one above it', async () => {
  const world = await subWorld('s.m.e.');
  const middle = parseRef('Zone a/m');
  const ns = parseRef('Record a/ns');
  world.cluster.put(middle, { domainName: 'm.e.', delegations: ALL });
  world.cluster.put(ns, { domainName: 'm.e.', type: 'NS', rdata: 'ns.example.com.' });
  await reconcile(world.context, [middle, ns].map(hintFor));
  await leave(world);
  await deliverReports(world);
  expect(programmedOf(world, 'Zone a/m')).toMatchObject({ reason: 'HostedElsewhere' });
  expect(programmedOf(world)).toMatchObject({ reason: 'HeldByGuard' });
});

test('deletes in a hosted zone without a Zone are held also when the directory cannot be read', async () => {
  const world = await subWorld();
  world.cluster.remove(SUB);
  await reconcile(world.context, [hintFor(SUB)]);
  await publish(world.deps, 'Z1');
  const key = directoryKey('default', 'e.');
  const stored = await world.ledger.get(key);
  await world.ledger.put(key, { ...stored?.body, v: 99 }, stored?.revision ?? null);
  expect(await publish(world.deps, 'Z2')).toMatchObject({ kind: 'done', held: { count: 3 } });
  expect(standing(world)).toBe(3);
});
