// report() by example: which objects a change is reported to, and what is reported only once.
import { describe, expect, test } from 'vitest';
import { a, apply, below, expectRight, pausing, reasonOf, zone } from '../../test/fakes/reconcile-steps.ts';
import {
  deliverAll,
  deliverReports,
  hintFor,
  newsFromScratch,
  type ReconcileWorld,
  reconcileWorld,
  saveAll,
  through,
} from '../../test/fakes/reconcile-world.ts';
import { TAKEOVER_ANNOTATION } from '../objects/annotations.ts';
import { parseRef } from '../objects/object-ref.ts';
import type { Cluster } from '../ports/cluster.ts';
import type { Ledger } from '../ports/ledger.ts';
import { publish } from '../publish/run/publish-hosted-zone.ts';
import { reconcile } from '../resolve/reconcile-hints.ts';
import { report } from './report-object.ts';

const HOSTED = [{ id: 'Z1', name: 'e.' }];

describe('report()', () => {
  test('updates the Zones above that show a name server as glue, when it is created, moved and deleted', async () => {
    const world = reconcileWorld({ hostedZones: HOSTED });
    await apply(world, {
      'Zone a/z': zone('e.'),
      'Zone a/s': zone('s', below('z')),
      'Zone a/t': zone('t', below('s')),
      'Record a/ns-s': { ...below('s'), domainName: '@', type: 'NS', rdata: 'ns.t.s.e.' },
      'Record a/ns-t': { ...below('t'), domainName: '@', type: 'NS', rdata: 'ns.t.s.e.' },
    });
    await expectRight(world);
    for (const spec of [a('ns', below('t')), a('ns', { ...below('t'), rdata: '192.0.2.2' }), undefined]) {
      await apply(world, { 'Record a/glue': spec });
      await expectRight(world);
    }
  });

  test('updates the Zone that a Record left, by deletion, rename or adoption by another', async () => {
    const world = reconcileWorld({ hostedZones: HOSTED });
    const rules = [{ zones: ['*'], records: [{ pattern: '*', types: ['A'] }] }];
    await apply(world, { 'Zone a/z': zone('e.'), 'Zone a/s': { ...zone('s', below('z')), delegations: rules } });
    for (const spec of [
      a('x.s.e.'),
      { domainName: 'x.s.e.', type: 'TXT', rdata: 'x' },
      a('y.s.e.'),
      a('y.e.'),
      undefined,
    ]) {
      await apply(world, { 'Record a/x': spec });
      await expectRight(world);
    }
  });

  test('updates the order of entries, which does not change the hash', async () => {
    const world = reconcileWorld();
    await apply(world, {
      'Zone a/z': zone('e.'),
      'Zone a/s': zone('s', below('z')),
      'Record a/ns': { domainName: 's.e.', type: 'NS', rdata: 'ns.s.e.' },
      'Record a/glue': a('ns.s', below('z')),
    });
    await expectRight(world);
    await apply(world, { 'Zone a/s': zone('s', below('missing')) });
    await expectRight(world);
  });

  test('updates the name of an invalid Zone whose parent is renamed', async () => {
    const world = reconcileWorld();
    await apply(world, { 'Zone a/z': zone('e.'), 'Zone a/s': zone('s', below('z')) });
    await apply(world, { 'Zone a/s': { domainName: 's' } });
    await apply(world, { 'Zone a/z': { domainName: 'f.' } });
    await expectRight(world);
    expect(world.cluster.statuses.get('Zone a/s')?.fqdn).toBe('s.f.');
  });

  test('says so of an object whose change went to Route 53 in two batches, until its next change', async () => {
    const world = reconcileWorld({ hostedZones: HOSTED });
    const large = (letter: string) => ({
      domainName: 'x.e.',
      type: 'TXT',
      values: Array.from({ length: 100 }, (_, index) => `${letter.repeat(240)}${index}`),
    });
    const message = async (spec: object) => {
      await apply(world, { 'Record a/x': spec });
      await deliverAll(world);
      const { conditions = [] } = world.cluster.statuses.get('Record a/x') ?? {};
      return conditions.find(({ type }) => type === 'Programmed')?.message;
    };
    await apply(world, { 'Zone a/z': zone('e.') });
    expect(await message(large('a'))).toBe('in hosted zone Z1');
    expect(await message(large('b'))).toBe(
      'in hosted zone Z1; published in two batches, because its old and new values do not fit into one: it was absent for a moment',
    );
    expect(await message({ domainName: 'x.e.', type: 'TXT', rdata: 'short' })).toBe('in hosted zone Z1');
  });

  test('writes the status of a new object that has the name of an earlier one', async () => {
    const world = reconcileWorld();
    await apply(world, { 'Zone a/z': zone('e.') });
    await deliverReports(world);
    world.cluster.remove(parseRef('Zone a/z'));
    await apply(world, { 'Zone a/z': zone('e.') });
    await expectRight(world);
  });

  test('replaces a slower report of the same object that knew less', async () => {
    const world = reconcileWorld();
    await apply(world, { 'Zone a/z': zone('e.') });
    await deliverReports(world);
    const ref = parseRef('Zone a/z');
    await apply(world, { 'Zone a/z': zone('e.', { ttl: 60 }) });
    const ledger = pausing(world.ledger, 'put', 'statuses#', async () => {
      await apply(world, { 'Record a/www': a('www.e.') });
      await report(world.context, [ref]);
      // The slower report is the last to write to the object.
    });
    const slow: Cluster = { ...world.cluster.port };
    await report(through(world, { ledger, cluster: slow }).context, [ref]);
    await expectRight(world);
  });

  test.each([
    ['the call failed', 'simulation, seed 365'],
    ['saving the report failed', 'simulation, seed 1113852'],
  ])('writes over a status that was written though %s, also when the status is as before (%s)', async (what) => {
    const world = reconcileWorld({ hostedZones: HOSTED });
    const second = a('x.e.', { rdata: '192.0.2.2' });
    await apply(world, { 'Zone a/z': zone('e.'), 'Record a/x': a('x.e.'), 'Record a/y': second });
    await deliverAll(world);
    const ref = parseRef('Record a/x');
    // The spec of a/x does not change, only its reason: Published, Pending, Published.
    await apply(world, { 'Record a/y': undefined });
    const { port } = world.cluster;
    const cluster: Cluster = {
      ...port,
      report: async (...args) => {
        await port.report(...args);
        if (what === 'the call failed') throw new Error('no answer');
      },
    };
    let failing = what === 'saving the report failed';
    const ledger: Ledger = {
      ...world.ledger,
      put: async (key, ...args) => {
        if (!failing || !key.partition.startsWith('statuses#')) return world.ledger.put(key, ...args);
        failing = false;
        throw new Error('no answer');
      },
    };
    await expect(report(through(world, { cluster, ledger }).context, [ref])).rejects.toThrow('no answer');
    expect(reasonOf(world, 'Record a/x', 'Programmed')).toBe('Pending');
    await deliverAll(world);
    expect(reasonOf(world, 'Record a/x', 'Programmed')).toBe('Published');
  });

  test.each([
    ['a run', (world: ReconcileWorld) => report(world.context, [parseRef('Record a/x')])],
    ['an apply', saveAll],
  ])('of %s counts as the first one until it succeeds, so that its Event is not lost', async (_who, reportWith) => {
    const world = reconcileWorld();
    await apply(world, { 'Zone a/z': zone('e.'), 'Record a/x': a('x.e.') });
    const told: unknown[] = [];
    const { port } = world.cluster;
    const cluster: Cluster = {
      ...port,
      report: async (ref, status, before) => {
        await port.report(ref, status, before);
        if (ref.name !== 'x') return;
        told.push(before?.conditions.length);
        // The status was written, and the Event failed.
        if (told.length === 1) throw new Error('may not create events');
      },
    };
    await expect(reportWith(through(world, { cluster }))).rejects.toThrow('may not create events');
    // Its Event comes again once it has stood for ten seconds.
    await reportWith(through(world, { cluster }));
    world.clock.ms += 10_000;
    await reportWith(through(world, { cluster }));
    expect(told).toEqual([undefined, 2, 0]);
  });

  test('reports for a generation only the result of that generation (simulation, seed 7848)', async () => {
    const world = reconcileWorld({ hostedZones: HOSTED });
    await apply(world, { 'Zone a/z': zone('e.'), 'Record a/x': a('x.e.') });
    await deliverAll(world);
    const said: unknown[] = [];
    const { port } = world.cluster;
    const cluster: Cluster = {
      ...port,
      report: async (ref, status, before) => {
        const programmed = status.conditions.find(({ type }) => type === 'Programmed');
        if (programmed?.status === 'True') said.push([status.fqdn, programmed.observedGeneration]);
        await port.report(ref, status, before);
      },
    };
    const ledger = pausing(world.ledger, 'query', 'names#', async () => {
      await apply(world, { 'Record a/x': { domainName: 'x.e.', type: 'TXT', rdata: 'x' } });
      for (const id of world.queued.publish) await publish(world.deps, id);
    });
    await apply(world, { 'Record a/x': { domainName: 'x.e.', type: 'AAAA', rdata: '2001:db8::1' } });
    await report(through(world, { cluster, ledger }).context, [parseRef('Record a/x')]);
    expect(said).toEqual([['x.e.', 3]]);
  });

  test('writes nothing twice, and changes the serial once for each change of the hash', async () => {
    const world = reconcileWorld({ hostedZones: HOSTED });
    await apply(world, { 'Zone a/z': zone('e.') });
    await deliverAll(world);
    const serial = () => world.cluster.statuses.get('Zone a/z')?.zone?.serial;
    expect(serial()).toBe(2026010100);
    const calls = world.cluster.calls.report;
    await report(world.context, [parseRef('Zone a/z')]);
    expect(world.cluster.calls.report).toBe(calls);
    await apply(world, { 'Record a/www': a('www.e.') });
    await deliverAll(world);
    expect(serial()).toBe(2026010101);
    await apply(world, { 'Record a/www': undefined });
    await deliverAll(world);
    expect(serial()).toBe(2026010102);
  });

  test('reports the delegation of a Zone as published when its name servers are', async () => {
    const world = reconcileWorld({ hostedZones: HOSTED });
    await apply(world, { 'Zone a/z': zone('e.'), 'Zone a/s': zone('s', below('z')) });
    await apply(world, { 'Record a/ns': { domainName: 's.e.', type: 'NS', rdata: 'ns.other.' } });
    await deliverAll(world);
    expect(await newsFromScratch(world)).toEqual([]);
    const programmed = world.cluster.statuses.get('Record a/ns')?.conditions[1];
    expect(programmed).toMatchObject({ type: 'Programmed', status: 'True', reason: 'Published' });
  });

  test.each([
    [
      'its own, to which its parent delegates',
      [...HOSTED, { id: 'Z2', name: 's.e.', nameServers: ['ns.'] }],
      'Z2',
      'a/s',
    ],
    ["its parent's", HOSTED, 'Z1', 'a/z'],
  ])('says into which hosted zone a Zone publishes: %s', async (_, hostedZones, id, owner) => {
    const world = reconcileWorld({ hostedZones });
    await apply(world, { 'Zone a/z': zone('e.'), 'Zone a/s': zone('s', below('z')) });
    const said = () => world.cluster.statuses.get('Zone a/s')?.conditions[1];
    const message = `publishes into hosted zone ${id} of Zone ${owner}`;
    await deliverAll(world);
    expect(said()).toMatchObject({ reason: 'Published', message });
    await saveAll(world);
    expect(said()).toMatchObject({ reason: 'Published', message });
  });

  test.each([
    ['refused', ['platform'], true],
    ['allowed', ['a'], false],
    ['allowed to all', null, false],
  ])('reports on a Zone that its takeover is %s', async (_title, namespaces, isRefused) => {
    const world = reconcileWorld({
      hostedZones: HOSTED,
      config: { takeover: { namespaces, equal: false, externalDns: [] } },
    });
    await apply(world, { 'Zone a/z': zone('e.') });
    const ref = parseRef('Zone a/z');
    world.cluster.put(ref, zone('e.'), { [TAKEOVER_ANNOTATION]: 'true' });
    const said = () =>
      world.cluster.statuses.get('Zone a/z')?.conditions.find(({ type }) => type === 'Accepted')?.message;
    const note =
      'e. is a root: no live Zone above adopts it; note: its annotation zone53.dev/takeover has no effect: takeover.namespaces of the configuration does not list namespace a';
    await reconcile(world.context, [hintFor(ref)]);
    await deliverAll(world);
    expect(said()).toBe(isRefused ? note : 'e. is a root: no live Zone above adopts it');
    // All objects at once, from nothing, give the same result.
    await saveAll(world);
    expect(said()).toBe(isRefused ? note : 'e. is a root: no live Zone above adopts it');
  });
});
