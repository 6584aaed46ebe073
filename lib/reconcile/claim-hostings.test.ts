// An acknowledgement by annotation is all that the Zone's owner does: nothing else may be needed for the deletes to go.
import { describe, expect, test } from 'vitest';
import {
  deliverHints,
  deliverReports,
  hintFor,
  type ReconcileWorld,
  reconcileWorld,
} from '../../test/fakes/reconcile-world.ts';
import { parseRef } from '../kubizone/objects.ts';
import { commitCluster } from './commit-cluster.ts';
import { describeAndReport } from './describe-cluster.ts';
import { readHostedZone } from './lease.ts';
import { directoryKey } from './object-items.ts';
import { planCluster } from './plan-cluster.ts';
import type { Queues } from './ports.ts';
import { publish } from './publish.ts';
import { reconcile } from './reconcile.ts';

const ZONE = parseRef('Zone a/z');
const SPEC = { domainName: 'e.', delegations: [{ records: [{ pattern: '*' }] }] };
const RECORDS = ['one', 'two', 'three'].map((name) => parseRef(`Record a/${name}`));

/** Three Records published and deleted again, which the guard holds. Returns the digest that lets go. */
async function heldWorld(): Promise<{ world: ReconcileWorld; digest: string }> {
  const world = reconcileWorld({ hostedZones: [{ id: 'Z1', name: 'e.' }] });
  world.cluster.put(ZONE, SPEC);
  for (const ref of RECORDS) world.cluster.put(ref, { domainName: `${ref.name}.e.`, type: 'A', rdata: '192.0.2.1' });
  await reconcile(world.context, [ZONE, ...RECORDS].map(hintFor));
  await publish(world.deps, 'Z1');
  for (const ref of RECORDS) world.cluster.remove(ref);
  await reconcile(world.context, RECORDS.map(hintFor));
  const result = await publish(world.deps, 'Z1');
  if (result.kind !== 'done' || result.held === null) throw new Error('the guard did not hold');
  world.queued.publish.clear();
  return { world, digest: result.held.digest };
}

function programmedOf({ cluster }: ReconcileWorld, zone = 'Zone a/z') {
  return cluster.statuses.get(zone)?.conditions.find(({ type }) => type === 'Programmed');
}

function standing(world: ReconcileWorld): number {
  return world.route53.recordSets('Z1').filter(({ name }) => name !== 'e.').length;
}

test('an annotation that acknowledges held deletes is enough for them to go', async () => {
  const { world, digest } = await heldWorld();
  world.cluster.put(ZONE, SPEC, { 'zone53.dev/acknowledge-plan': digest });
  await reconcile(world.context, [hintFor(ZONE)]);
  expect([...world.queued.publish]).toEqual(['Z1']);
  await publish(world.deps, 'Z1');
  expect(standing(world)).toBe(0);
});

test('an annotation that only stays releases the same deletes once; taken away and set again, once more', async () => {
  const { world, digest } = await heldWorld();
  const annotate = async (annotations: Record<string, string>) => {
    world.cluster.put(ZONE, SPEC, annotations);
    await reconcile(world.context, [hintFor(ZONE)]);
    await publish(world.deps, 'Z1');
  };
  await annotate({ 'zone53.dev/acknowledge-plan': digest });
  for (const ref of RECORDS) world.cluster.put(ref, { domainName: `${ref.name}.e.`, type: 'A', rdata: '192.0.2.1' });
  await reconcile(world.context, RECORDS.map(hintFor));
  await publish(world.deps, 'Z1');
  for (const ref of RECORDS) world.cluster.remove(ref);
  await reconcile(world.context, RECORDS.map(hintFor));
  expect(await publish(world.deps, 'Z1')).toMatchObject({ kind: 'done', held: { digest } });
  expect(standing(world)).toBe(3);
  await annotate({ 'zone53.dev/acknowledge-plan': digest, other: 'edit' });
  expect(standing(world)).toBe(3);
  await annotate({});
  expect(standing(world)).toBe(3);
  await annotate({ 'zone53.dev/acknowledge-plan': digest });
  expect(standing(world)).toBe(0);
});

test('a run that dies between noting an acknowledgement and asking for a publish is made good by the next', async () => {
  const { world, digest } = await heldWorld();
  world.cluster.put(ZONE, SPEC, { 'zone53.dev/acknowledge-plan': digest });
  const queues: Queues = { ...world.context.queues, publish: () => Promise.reject(new Error('the queue is down')) };
  await expect(reconcile({ ...world.context, queues }, [hintFor(ZONE)])).rejects.toThrow('the queue is down');
  await reconcile(world.context, [hintFor(ZONE)]);
  expect([...world.queued.publish]).toEqual(['Z1']);
});

test('a sweep that finds an acknowledgement nobody acted on asks for a publish, and only then', async () => {
  const { world, digest } = await heldWorld();
  await commitCluster(world.context, await planCluster(world.context));
  expect([...world.queued.publish]).toEqual([]);
  world.cluster.put(ZONE, SPEC, { 'zone53.dev/acknowledge-plan': digest });
  await commitCluster(world.context, await planCluster(world.context));
  expect([...world.queued.publish]).toEqual(['Z1']);
  await publish(world.deps, 'Z1');
  expect(standing(world)).toBe(0);
  world.queued.publish.clear();
  await commitCluster(world.context, await planCluster(world.context));
  expect([...world.queued.publish]).toEqual([]);
});

describe('what the guard holds in a hosted zone that its Zone has left', () => {
  const SUB = parseRef('Zone b/sub');
  const ALL = { domainName: 'e.', delegations: [{ zones: ['*'], records: [{ pattern: '*' }] }] };

  /** Zones e. and s.e., each with a hosted zone, and three Records published in the second. */
  async function leftWorld(): Promise<ReconcileWorld> {
    const hostedZones = [
      { id: 'Z1', name: 'e.' },
      { id: 'Z2', name: 's.e.', nameServers: ['ns-2.example.net.'] },
    ];
    const world = reconcileWorld({ hostedZones });
    world.cluster.put(ZONE, ALL);
    world.cluster.put(SUB, { domainName: 's.e.', delegations: [{ records: [{ pattern: '*' }] }] });
    for (const ref of RECORDS)
      world.cluster.put(ref, { domainName: `${ref.name}.s.e.`, type: 'A', rdata: '192.0.2.1' });
    await reconcile(world.context, [ZONE, SUB, ...RECORDS].map(hintFor));
    for (const id of ['Z2', 'Z1']) await publish(world.deps, id);
    return world;
  }

  async function leave(world: ReconcileWorld): Promise<void> {
    world.cluster.remove(SUB);
    await reconcile(world.context, [hintFor(SUB)]);
    for (const id of ['Z1', 'Z2', 'Z1', 'Z2']) await publish(world.deps, id);
  }

  async function tell(world: ReconcileWorld): Promise<void> {
    await deliverHints(world);
    await deliverReports(world);
  }

  /** What a Zone is told to be annotated with. */
  function askedFor(world: ReconcileWorld, zone = 'Zone a/z'): string | null {
    const message = programmedOf(world, zone)?.message ?? '';
    return /annotate Zone \S+ with zone53.dev\/acknowledge-plan: (\w{64})/.exec(message)?.[1] ?? null;
  }

  async function annotate(world: ReconcileWorld, ref: typeof ZONE, spec: object, digest: string | null): Promise<void> {
    world.cluster.put(ref, spec, digest === null ? {} : { 'zone53.dev/acknowledge-plan': digest });
    await reconcile(world.context, [hintFor(ref)]);
  }

  function leftStanding({ route53 }: ReconcileWorld, id = 'Z2'): number {
    return route53.recordSets(id).filter(({ type }) => type === 'A').length;
  }

  test('is shown on the Zone above, by reports and sweep alike, and its annotation lets it go', async () => {
    const world = await leftWorld();
    await leave(world);
    expect(world.queued.hints).toContainEqual(ZONE);
    await tell(world);
    const shown = programmedOf(world);
    expect(shown).toMatchObject({ status: 'False', reason: 'HeldByGuard' });
    expect(shown?.message).toMatch(
      /^3 deletes are held in hosted zone Z2 \(s\.e\.\), which no Zone has as its own any more/,
    );
    const asked = askedFor(world);
    const plan = await planCluster(world.context);
    expect(plan.hostedZones.find(({ hostedZone }) => hostedZone.id === 'Z2')?.plan.guard.reasons.join()).toContain(
      `annotate Zone a/z with zone53.dev/acknowledge-plan: ${asked}, or`,
    );
    await describeAndReport(world.context, plan);
    expect(programmedOf(world)).toEqual(shown);
    const noted = await readHostedZone(world.ledger, 'Z2');
    expect(noted?.item.held?.reasons.join()).toContain(
      `annotate Zone a/z with zone53.dev/acknowledge-plan: ${asked}, or`,
    );

    world.queued.publish.clear();
    await annotate(world, ZONE, ALL, asked);
    expect([...world.queued.publish]).toContain('Z2');
    const planned = (await planCluster(world.context)).hostedZones.find(({ hostedZone }) => hostedZone.id === 'Z2');
    expect(planned?.plan.guard).toMatchObject({ held: [], digest: null });
    await publish(world.deps, 'Z2');
    expect(leftStanding(world)).toBe(0);
    await tell(world);
    expect(programmedOf(world)).toMatchObject({ status: 'True', reason: 'Published' });
  });

  test('is planned as let go where only the plan has read the annotation', async () => {
    const world = await leftWorld();
    await leave(world);
    await tell(world);
    world.cluster.put(ZONE, ALL, { 'zone53.dev/acknowledge-plan': askedFor(world) ?? '' });
    const planned = (await planCluster(world.context)).hostedZones.find(({ hostedZone }) => hostedZone.id === 'Z2');
    expect(planned?.plan.go).toHaveLength(3);
  });

  test('is shown on another Zone when that comes to stand above', async () => {
    const world = await leftWorld();
    await leave(world);
    const other = parseRef('Zone a/other');
    world.cluster.remove(ZONE);
    world.cluster.put(other, ALL);
    await reconcile(world.context, [ZONE, other].map(hintFor));
    await tell(world);
    await annotate(world, other, ALL, askedFor(world, 'Zone a/other'));
    await publish(world.deps, 'Z2');
    expect(leftStanding(world)).toBe(0);
  });

  test('is shown on the nearest Zone that publishes, past one that is hosted elsewhere', async () => {
    const hostedZones = [
      { id: 'Z1', name: 'e.' },
      { id: 'Z2', name: 's.m.e.' },
    ];
    const world = reconcileWorld({ hostedZones });
    const middle = parseRef('Zone a/m');
    const ns = parseRef('Record a/ns');
    const spec = { delegations: [{ zones: ['*'], records: [{ pattern: '*' }, { pattern: '@' }] }] };
    world.cluster.put(ZONE, ALL);
    world.cluster.put(middle, { domainName: 'm.e.', ...spec });
    world.cluster.put(ns, { domainName: 'm.e.', type: 'NS', rdata: 'ns.example.com.' });
    world.cluster.put(SUB, { domainName: 's.m.e.', ...spec });
    for (const ref of RECORDS)
      world.cluster.put(ref, { domainName: `${ref.name}.s.m.e.`, type: 'A', rdata: '192.0.2.1' });
    await reconcile(world.context, [ZONE, middle, ns, SUB, ...RECORDS].map(hintFor));
    for (const id of ['Z2', 'Z1']) await publish(world.deps, id);
    expect(leftStanding(world)).toBe(3);
    await leave(world);
    await tell(world);
    expect(programmedOf(world, 'Zone a/m')).toMatchObject({ reason: 'HostedElsewhere' });
    expect(askedFor(world)).not.toBeNull();
  });

  test('an annotation on the Zone above lets go once; taken away and set again, once more', async () => {
    const world = await leftWorld();
    const sub = { domainName: 's.e.', delegations: [{ records: [{ pattern: '*' }] }] };
    const comeAndLeave = async () => {
      world.cluster.put(SUB, sub);
      await reconcile(world.context, [hintFor(SUB)]);
      for (const id of ['Z2', 'Z1']) await publish(world.deps, id);
      expect(leftStanding(world)).toBe(3);
      await leave(world);
      await tell(world);
    };
    await leave(world);
    await tell(world);
    const asked = askedFor(world);
    await annotate(world, ZONE, ALL, asked);
    await publish(world.deps, 'Z2');
    expect(leftStanding(world)).toBe(0);
    await comeAndLeave();
    await publish(world.deps, 'Z2');
    expect(leftStanding(world)).toBe(3);
    expect(programmedOf(world)?.message).toContain(`${asked} again: remove it first.`);
    await annotate(world, ZONE, ALL, null);
    expect(programmedOf(world)?.message).toContain(asked);
    await publish(world.deps, 'Z2');
    expect(leftStanding(world)).toBe(3);
    await annotate(world, ZONE, ALL, asked);
    await publish(world.deps, 'Z2');
    expect(leftStanding(world)).toBe(0);
  });

  test('is held all the same where the directory cannot be read', async () => {
    const world = await leftWorld();
    world.cluster.remove(SUB);
    await reconcile(world.context, [hintFor(SUB)]);
    await publish(world.deps, 'Z1');
    const key = directoryKey('default', 'e.');
    const stored = await world.ledger.get(key);
    await world.ledger.put(key, { ...stored?.body, v: 99 }, stored?.revision ?? null);
    expect(await publish(world.deps, 'Z2')).toMatchObject({ kind: 'done', held: { count: 3 } });
    expect(leftStanding(world)).toBe(3);
  });

  test('an annotation that was used up stays so while its Zone has no hosted zone', async () => {
    const world = await leftWorld();
    const spec = (domainName: string) => ({ domainName, delegations: [{ records: [{ pattern: '*' }] }] });
    const remove = async () => {
      for (const ref of RECORDS) world.cluster.remove(ref);
      await reconcile(world.context, RECORDS.map(hintFor));
      return publish(world.deps, 'Z2');
    };
    const held = await remove();
    const digest = held.kind === 'done' ? (held.held?.digest ?? null) : null;
    await annotate(world, SUB, spec('s.e.'), digest);
    await publish(world.deps, 'Z2');
    expect(leftStanding(world)).toBe(0);
    for (const ref of RECORDS)
      world.cluster.put(ref, { domainName: `${ref.name}.s.e.`, type: 'A', rdata: '192.0.2.1' });
    await reconcile(world.context, RECORDS.map(hintFor));
    await publish(world.deps, 'Z2');
    for (const name of ['t.e.', 's.e.']) {
      await annotate(world, SUB, spec(name), digest);
      for (const id of ['Z1', 'Z2', 'Z1', 'Z2']) await publish(world.deps, id);
      await tell(world);
    }
    expect(leftStanding(world)).toBe(3);
    expect(await remove()).toMatchObject({ held: { digest, count: 3 } });
    expect(leftStanding(world)).toBe(3);
  });

  test('an annotation that let go the same deletes in the hosted zone of its own Zone is none', async () => {
    const world = await leftWorld();
    await leave(world);
    // The same names are the root's now, and are deleted there first.
    world.cluster.put(SUB, { domainName: 's.e.', delegations: [{ records: [{ pattern: '*' }] }] });
    await reconcile(world.context, [hintFor(SUB)]);
    await publish(world.deps, 'Z2');
    const guard = { deletesMax: 2, deletesShareMax: 1 };
    const first = await publish({ ...world.deps, config: { ...world.deps.config, guard } }, 'Z1');
    const digest = first.kind === 'done' ? (first.held?.digest ?? null) : null;
    expect(digest).not.toBeNull();
    await annotate(world, ZONE, ALL, digest);
    await publish(world.deps, 'Z1');
    expect(leftStanding(world, 'Z1')).toBe(0);
    await leave(world);
    await tell(world);
    await reconcile(world.context, [hintFor(ZONE)]);
    const second = await publish(world.deps, 'Z2');
    expect(second).toMatchObject({ held: { digest, count: 3 } });
    expect(leftStanding(world)).toBe(3);
  });
});
