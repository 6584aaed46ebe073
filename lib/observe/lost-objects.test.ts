// Objects that go together with their CRD: nothing of theirs is deleted, on any path, and what returns is as it was.
import { describe, expect, test } from 'vitest';
import { planCluster } from '../../test/fakes/plan-cluster.ts';
import { apply, write } from '../../test/fakes/reconcile-steps.ts';
import {
  deliverHints,
  deliverReports,
  hintFor,
  type ReconcileWorld,
  reconcileWorld,
  standingInRoute53,
  sweepAll,
} from '../../test/fakes/reconcile-world.ts';
import { applyCluster } from '../apply/apply-cluster.ts';
import { parseRef } from '../objects/object-ref.ts';
import type { CrdState } from '../ports/cluster.ts';
import { publish } from '../publish/run/publish-hosted-zone.ts';

const record = (domainName: string, rdata = '192.0.2.1', type = 'A') => ({ domainName, type, rdata });
const OPEN = [{ records: [{ pattern: '*' }], zones: ['*'] }];

const RECORDS = {
  'Record p/www': record('www.e.'),
  'Record p/pool1': record('pool.e.', '192.0.2.1'),
  'Record p/pool2': record('pool.e.', '192.0.2.2'),
  'Record t/app': record('app.s.e.'),
};
const ZONES = {
  'Zone p/e': { domainName: 'e.', delegations: OPEN },
  'Zone t/s': { domainName: 's.e.', delegations: OPEN },
};
const ALL = { ...ZONES, ...RECORDS };

const LEAVING: CrdState = { kind: 'leaving' };
const MISSING: CrdState = { kind: 'missing' };
const AGAIN: CrdState = { kind: 'since', createdAt: '2026-01-01T00:00:00Z' };

/** Objects of a CRD that was created in 2026 are made after it. */
const LATER_MS = Date.parse('2026-01-02T00:00:00Z');

const gone = (objects: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(Object.keys(objects).map((id) => [id, undefined]));

async function standing(): Promise<ReconcileWorld> {
  const hostedZones = [
    { id: 'Z1', name: 'e.' },
    { id: 'Z2', name: 's.e.' },
  ];
  const world = reconcileWorld({ hostedZones });
  await apply(world, ALL);
  await settle(world);
  return world;
}

/** Delivers everything and acknowledges nothing. */
async function settle(world: ReconcileWorld): Promise<void> {
  const { queued, deps } = world;
  for (let round = 0; queued.hints.length + queued.publish.size + queued.reports.size > 0; round += 1) {
    if (round > 50) throw new Error('the queues do not run dry');
    await deliverHints(world);
    const ids = [...queued.publish];
    queued.publish.clear();
    for (const id of ids) await publish(deps, id);
    await deliverReports(world);
  }
}

function setCrds({ cluster }: ReconcileWorld, state: CrdState): void {
  for (const kind of ['Zone', 'Record']) cluster.setCrd(kind, state);
}

async function held(world: ReconcileWorld): Promise<readonly string[]> {
  const { hostedZones } = await planCluster(world.context);
  return hostedZones.flatMap(({ plan }) => plan.guard.held.map(({ action, name }) => `${action} ${name}`)).toSorted();
}

async function digests(world: ReconcileWorld): Promise<readonly string[]> {
  const { hostedZones } = await planCluster(world.context);
  return hostedZones.flatMap(({ plan }) => plan.guard.digest ?? []);
}

describe('a CRD that is deleted', () => {
  for (const [called, state] of Object.entries({ leaving: LEAVING, missing: MISSING, 'installed anew': AGAIN })) {
    test(`lostObjects() keeps every record set, each hint by itself: the CRD is ${called}`, async () => {
      const world = await standing();
      const before = standingInRoute53(world);
      setCrds(world, state);
      for (const id of Object.keys(ALL)) {
        await apply(world, { [id]: undefined });
        await settle(world);
      }
      expect(standingInRoute53(world)).toEqual(before);
      expect(await held(world)).toEqual(['delete app.s.e.', 'delete pool.e.', 'delete s.e.', 'delete www.e.']);
    });
  }

  test('lostObjects() keeps them where Zones go before the Records, and all at once', async () => {
    for (const order of [Object.keys(ZONES), Object.keys(ZONES).toReversed(), Object.keys(ALL)]) {
      const world = await standing();
      const before = standingInRoute53(world);
      setCrds(world, AGAIN);
      write(world, gone(ALL));
      await apply(world, Object.fromEntries(order.map((id) => [id, undefined])));
      await settle(world);
      await sweepAll(world);
      await settle(world);
      for (const line of before) expect(standingInRoute53(world)).toContain(line);
    }
  });

  test('lostObjects() keeps them in a sweep, and in plan and apply', async () => {
    for (const way of ['sweep', 'apply'] as const) {
      const world = await standing();
      const before = standingInRoute53(world);
      setCrds(world, AGAIN);
      write(world, gone(ALL));
      expect(await held(world)).toEqual(['delete app.s.e.', 'delete pool.e.', 'delete s.e.', 'delete www.e.']);
      if (way === 'sweep') await sweepAll(world);
      else await applyAll(world, []);
      await settle(world);
      expect(standingInRoute53(world)).toEqual(before);
      expect(await held(world)).toEqual(['delete app.s.e.', 'delete pool.e.', 'delete s.e.', 'delete www.e.']);
    }
  });

  test('what lostObjects() kept returns with the objects, with no write', async () => {
    const world = await standing();
    setCrds(world, LEAVING);
    await apply(world, gone(ALL));
    await settle(world);
    setCrds(world, MISSING);
    await sweepAll(world);
    setCrds(world, AGAIN);
    const writes = () => world.route53.calls.filter(({ method }) => method === 'change').length;
    const before = writes();
    for (const id of Object.keys(ALL).toReversed()) {
      const ref = parseRef(id);
      world.cluster.put(ref, ALL[id as keyof typeof ALL], {}, LATER_MS);
      world.queued.hints.push(hintFor(ref));
      await settle(world);
    }
    expect(writes()).toBe(before);
    expect(await held(world)).toEqual([]);
    // Everything is ordinary again: a deletion is a deletion.
    await apply(world, { 'Record p/www': undefined });
    await settle(world);
    expect(standingInRoute53(world).some((line) => line.includes('www.e.'))).toBe(false);
  });

  test('what lostObjects() kept is deleted when its digest is acknowledged', async () => {
    const world = await standing();
    setCrds(world, LEAVING);
    await apply(world, gone(RECORDS));
    await settle(world);
    expect(standingInRoute53(world)).toHaveLength(4);
    await applyAll(world, await digests(world));
    await settle(world);
    expect(standingInRoute53(world).map((line) => line.split(' ')[1])).toEqual(['s.e.']);
    expect(await held(world)).toEqual([]);
  });

  test('lostObjects() keeps the values of a record set that loses some of its objects', async () => {
    const world = await standing();
    setCrds(world, LEAVING);
    await apply(world, { 'Record p/pool1': undefined });
    await settle(world);
    expect(await held(world)).toEqual(['update pool.e.']);
    expect(standingInRoute53(world).find((line) => line.includes('pool.e.'))).toContain('192.0.2.1');
    const programmed = world.cluster.statuses
      .get('Record p/pool2')
      ?.conditions.find(({ type }) => type === 'Programmed');
    expect(programmed).toMatchObject({ reason: 'HeldByGuard' });
    await applyAll(world, await digests(world));
    await settle(world);
    expect(standingInRoute53(world).find((line) => line.includes('pool.e.'))).not.toContain('192.0.2.1');
    expect(await held(world)).toEqual([]);
  });

  test('lostObjects() keeps what objects of other kinds have below a Zone that went', async () => {
    const world = await standing();
    const endpoint = { dnsName: 'other.s.e', recordType: 'A', targets: ['192.0.2.7'] };
    await apply(world, { 'DNSEndpoint p/other': { endpoints: [endpoint] } });
    await settle(world);
    const before = standingInRoute53(world);
    expect(before.some((line) => line.includes('other.s.e.'))).toBe(true);
    world.cluster.setCrd('Zone', LEAVING);
    for (const id of Object.keys(ZONES)) await apply(world, { [id]: undefined });
    await settle(world);
    for (const line of before) expect(standingInRoute53(world)).toContain(line);
    expect(await held(world)).toContain('delete other.s.e.');
    world.cluster.setCrd('Zone', AGAIN);
    for (const [id, spec] of Object.entries(ZONES)) world.cluster.put(parseRef(id), spec, {}, LATER_MS);
    await sweepAll(world);
    await settle(world);
    expect(standingInRoute53(world)).toEqual(before);
  });

  const NS = 'Record t/ns';
  const SUB = 'Zone t/s';
  test.each([
    [
      [NS, SUB],
      [SUB, NS],
    ],
    [
      [SUB, NS],
      [NS, SUB],
    ],
    [[NS], [NS]],
    [
      ['Zone p/e', NS, SUB],
      [SUB, 'Zone p/e', NS],
    ],
  ])(
    'a sub-zone hosted elsewhere gets no hosted zone while its NS Record is lost: %j went, %j returned',
    async (went, returned) => {
      const apex = { domainName: 's.e.', delegations: [{ records: [{ pattern: '@' }] }] };
      const objects: Record<string, unknown> = {
        ...ZONES,
        [NS]: record('s.e.', 'ns1.elsewhere.net.', 'NS'),
        [SUB]: apex,
      };
      const world = reconcileWorld({ hostedZones: [{ id: 'Z1', name: 'e.' }], config: { createHostedZones: 'all' } });
      // The NS Record comes before its Zone: otherwise a hosted zone would be created in between.
      for (const id of ['Zone p/e', NS, ...Object.keys(objects)]) await apply(world, { [id]: objects[id] });
      await settle(world);
      const before = standingInRoute53(world);
      const expectNoNews = async () => {
        await settle(world);
        await sweepAll(world);
        await settle(world);
        expect(world.route53.calls.filter(({ method }) => method === 'create')).toEqual([]);
        expect((await planCluster(world.context)).hostedZones.map(({ pending }) => pending)).toEqual([false]);
        expect(standingInRoute53(world)).toEqual(before);
      };
      setCrds(world, LEAVING);
      for (const id of went) {
        await apply(world, { [id]: undefined });
        await expectNoNews();
      }
      setCrds(world, AGAIN);
      for (const id of returned) {
        world.cluster.put(parseRef(id), objects[id], {}, LATER_MS);
        world.queued.hints.push(hintFor(parseRef(id)));
        await expectNoNews();
      }
      expect(await held(world)).toEqual([]);
    },
  );
});

describe('a deletion', () => {
  test('lostObjects() asks for a CRD once for a batch, and not for a change without deletions', async () => {
    const world = await standing();
    const asked = world.cluster.calls.crd;
    await apply(world, { 'Record p/www': record('www.e.', '192.0.2.9'), 'Record p/new': record('new.e.') });
    await settle(world);
    expect(world.cluster.calls.crd).toBe(asked);
    // A plan of everything asks once for each of the two kinds.
    write(world, gone(RECORDS));
    await planCluster(world.context);
    expect(world.cluster.calls.crd).toBe(asked + 2);
  });

  test('lostObjects() concludes nothing while the CRD may not be read, and says so', async () => {
    const world = await standing();
    const logged: string[] = [];
    const context = { ...world.context, log: (_level: unknown, message: string) => void logged.push(message) };
    const before = standingInRoute53(world);
    setCrds(world, { kind: 'unread', message: 'Cannot read the CRD records.kubi.zone: 403' });
    await apply({ ...world, context }, { 'Record p/www': undefined });
    await settle(world);
    expect(standingInRoute53(world)).toEqual(before);
    expect(await held(world)).toEqual([]);
    expect(logged.join('\n')).toContain(
      'what Record p/www asked for is kept: Cannot read the CRD records.kubi.zone: 403',
    );
    setCrds(world, { kind: 'since', createdAt: '1970-01-01T00:00:00Z' });
    await sweepAll(world);
    await settle(world);
    expect(standingInRoute53(world)).toHaveLength(before.length - 1);
  });

  test('lostObjects() knows from what was published that a forgotten object is older than its CRD', async () => {
    const world = await standing();
    const before = standingInRoute53(world);
    setCrds(world, { kind: 'unread', message: '403' });
    await apply(world, { 'Record p/www': undefined });
    world.clock.ms += 3 * 3_600_000;
    await sweepAll(world);
    setCrds(world, { kind: 'since', createdAt: new Date(world.clock.ms).toISOString() });
    await sweepAll(world);
    await settle(world);
    expect(standingInRoute53(world)).toEqual(before);
    expect(await held(world)).toEqual(['delete www.e.']);
  });
});

async function applyAll(world: ReconcileWorld, acknowledged: readonly string[]): Promise<void> {
  const options = { acknowledged, only: () => true, progress: () => {} };
  await applyCluster(world.context, world.deps, await planCluster(world.context, { acknowledged }), options);
}
