// A run that died between writing the first report of an object whose status others write, too, and saving that: if the
// object then asks for nothing, the report is removed all the same.
import { expect, test } from 'vitest';
import { a, apply, worldOf, zone } from '../../test/fakes/reconcile-steps.ts';
import { type ReconcileWorld, saveAll, sweepAll, through } from '../../test/fakes/reconcile-world.ts';
import { formatRef, parseRef } from '../objects/object-ref.ts';
import type { Cluster } from '../ports/cluster.ts';
import type { Ledger } from '../ports/ledger.ts';
import { report } from './report-object.ts';

const REF = parseRef('DNSEndpoint a/x');
const ENDPOINT = { endpoints: [{ dnsName: 'x.e', recordType: 'A', targets: ['192.0.2.1'] }] };
const NOTHING = { endpoints: [] };

const reportIt = (world: ReconcileWorld) => report(world.context, [REF]);

/** The world of a process that is killed when it has written a report of the object. */
function killed(world: ReconcileWorld): ReconcileWorld {
  let isDead = false;
  const { port } = world.cluster;
  const cluster: Cluster = {
    ...port,
    report: async (ref, ...rest) => {
      await port.report(ref, ...rest);
      isDead ||= formatRef(ref) === formatRef(REF);
      if (isDead) throw new Error('killed');
    },
  };
  const ledger: Ledger = new Proxy(world.ledger, {
    get: (of, method: keyof Ledger) => {
      if (isDead) throw new Error('killed');
      return of[method].bind(of);
    },
  });
  return through(world, { cluster, ledger });
}

const conditionsOf = ({ cluster }: ReconcileWorld) => cluster.statuses.get(formatRef(REF))?.conditions.length;

const sweeps = async (world: ReconcileWorld) => {
  await sweepAll(world);
  await report(world.context, [...world.queued.reports.values()]);
};

test.each([
  ['a run', 'a run', reportIt, reportIt],
  ['a run', 'an apply', reportIt, saveAll],
  ['a run', 'a sweep', reportIt, sweeps],
  ['an apply', 'a run', saveAll, reportIt],
  ['an apply', 'an apply', saveAll, saveAll],
])('after %s died, the report is removed by %s', async (_, __, dies, next) => {
  const world = await worldOf({ 'Zone a/z': zone('e.') });
  await apply(world, { 'DNSEndpoint a/x': ENDPOINT });
  await expect(dies(killed(world))).rejects.toThrow('killed');
  expect(conditionsOf(world)).toBe(2);
  await apply(world, { 'DNSEndpoint a/x': NOTHING });
  await next(world);
  expect(conditionsOf(world)).toBe(0);
  // The same if it was reported before, and had asked for nothing in between.
  await apply(world, { 'DNSEndpoint a/x': ENDPOINT });
  await expect(dies(killed(world))).rejects.toThrow('killed');
  expect(conditionsOf(world)).toBe(2);
  await apply(world, { 'DNSEndpoint a/x': NOTHING });
  await next(world);
  expect(conditionsOf(world)).toBe(0);
});

test('the first report of such an object costs one write of the ledger more, and of a Record none', async () => {
  const world = await worldOf({ 'Zone a/z': zone('e.') });
  const writes: string[] = [];
  const ledger: Ledger = {
    ...world.ledger,
    put: (key, ...rest) => {
      writes.push(key.partition);
      return world.ledger.put(key, ...rest);
    },
  };
  const writesFor = async (id: string, spec: unknown) => {
    await apply(world, { [id]: spec });
    writes.length = 0;
    await report(through(world, { ledger }).context, [parseRef(id)]);
    return writes.filter((partition) => partition.startsWith('statuses#')).length;
  };
  expect(await writesFor('DNSEndpoint a/x', ENDPOINT)).toBe(2);
  expect(await writesFor('DNSEndpoint a/x', { endpoints: [{ ...ENDPOINT.endpoints[0], dnsName: 'y.e' }] })).toBe(1);
  expect(await writesFor('Record a/r', a('r.e.'))).toBe(1);
  expect(await writesFor('DNSEndpoint a/none', NOTHING)).toBe(0);
});

/** Ten seconds later, what was reported has stood long enough to be told in an Event. */
const STANDS_MS = 10_000;

test('its Event comes once it has stood, and counts as the first', async () => {
  const world = await worldOf({ 'Zone a/z': zone('e.') });
  await apply(world, { 'DNSEndpoint a/x': ENDPOINT });
  const before: unknown[] = [];
  const cluster: Cluster = {
    ...world.cluster.port,
    report: async (...args) => {
      before.push(args[2]?.conditions.length);
    },
  };
  await expect(reportIt(killed(world))).rejects.toThrow('killed');
  await reportIt(through(world, { cluster }));
  world.clock.ms += STANDS_MS;
  await reportIt(through(world, { cluster }));
  await reportIt(through(world, { cluster }));
  // Without an Event, what is told is what stands.
  expect(before).toEqual([2, 0]);
});

test.each([
  ['a run', reportIt],
  ['an apply', saveAll],
])('an Event of %s counts again after the object had asked for nothing', async (_, reports) => {
  const world = await worldOf({ 'Zone a/z': zone('e.') });
  const before: unknown[] = [];
  const cluster: Cluster = {
    ...world.cluster.port,
    report: async (ref, status, last, ...rest) => {
      if (formatRef(ref) === formatRef(REF)) before.push(last?.conditions.length ?? null);
      await world.cluster.port.report(ref, status, last, ...rest);
    },
  };
  for (const spec of [ENDPOINT, NOTHING, ENDPOINT]) {
    await apply(world, { 'DNSEndpoint a/x': spec });
    await reports(through(world, { cluster }));
    world.clock.ms += STANDS_MS;
    await reports(through(world, { cluster }));
  }
  // Each is reported without an Event, and told ten seconds later: what stands, against what was told before.
  expect(before).toEqual([2, 0, 0, 2, 0]);
});
