// A serial belongs to one content of a Zone and never goes back, also if a run died between writing a status and saving
// that, or if the Zone is deleted and created again.
import { expect, test } from 'vitest';
import { a, apply, worldOf, zone } from '../../test/fakes/reconcile-steps.ts';
import {
  deliverAll,
  type ReconcileWorld,
  reconcileWorld,
  saveAll,
  sweepAll,
  through,
} from '../../test/fakes/reconcile-world.ts';
import { allItems } from '../ledger/pages.ts';
import { parseRef } from '../objects/object-ref.ts';
import type { Cluster } from '../ports/cluster.ts';
import type { Ledger } from '../ports/ledger.ts';
import { report } from './report-object.ts';

const ZONE = parseRef('Zone a/z');

test.each([
  ['a run', 'a new Zone', (world: ReconcileWorld) => report(world.context, [ZONE])],
  ['a run', 'a changed Zone', (world: ReconcileWorld) => report(world.context, [ZONE])],
  ['an apply', 'a new Zone', saveAll],
  ['an apply', 'a changed Zone', saveAll],
])('%s that dies over the status of %s', async (_, what, reportWith) => {
  const world = reconcileWorld({ hostedZones: [{ id: 'Z1', name: 'e.' }] });
  await apply(world, { 'Zone a/z': zone('e.') });
  if (what === 'a changed Zone') await deliverAll(world);
  const hashOf = new Map<unknown, unknown>();
  let dies = true;
  let isDead = false;
  const { port } = world.cluster;
  const cluster: Cluster = {
    ...port,
    report: async (ref, status, ...rest) => {
      await port.report(ref, status, ...rest);
      if (status.zone === undefined) return;
      const { serial, hash } = status.zone;
      expect(hashOf.get(serial) ?? hash).toBe(hash);
      hashOf.set(serial, hash);
      isDead = dies;
      if (dies) throw new Error('killed');
    },
  };
  const ledger: Ledger = new Proxy(world.ledger, {
    get: (of, method: keyof Ledger) => {
      if (isDead) throw new Error('killed');
      return of[method].bind(of);
    },
  });
  await apply(world, { 'Record a/x': a('x.e.') });
  await expect(reportWith(through(world, { cluster, ledger }))).rejects.toThrow('killed');
  [dies, isDead] = [false, false];
  await apply(world, { 'Record a/y': a('y.e.') });
  await reportWith(through(world, { cluster, ledger }));
  expect([...hashOf]).toHaveLength(2);
});

const serialOf = ({ cluster }: ReconcileWorld) => cluster.statuses.get('Zone a/z')?.zone?.serial;
const statusesIn = ({ ledger }: ReconcileWorld) => allItems(ledger, 'statuses#default#Zone');

const BY: readonly [string, (world: ReconcileWorld) => Promise<void>][] = [
  ['a run', deliverAll],
  ['an apply', saveAll],
];

test.each(BY)('a Zone that is deleted and created again continues its serial, by %s', async (_, reportAll) => {
  const world = await worldOf({ 'Zone a/z': zone('e.') });
  await apply(world, { 'Record a/x': a('x.e.') });
  await deliverAll(world);
  expect(serialOf(world)).toBe(2026010101);
  await apply(world, { 'Zone a/z': undefined });
  await reportAll(world);
  await apply(world, { 'Zone a/z': zone('e.') });
  await reportAll(world);
  expect(serialOf(world)).toBe(2026010101);
  await apply(world, { 'Zone a/z': undefined });
  await reportAll(world);
  await apply(world, { 'Record a/x': undefined, 'Zone a/z': zone('e.') });
  await reportAll(world);
  expect(serialOf(world)).toBe(2026010102);
});

test.each([
  ['a sweep', sweepAll],
  ['an apply', saveAll],
])('%s removes the serial of a deleted Zone when a new one would be later, a day after that', async (_, tidyUp) => {
  const world = await worldOf({ 'Zone a/z': zone('e.'), 'Zone a/y': zone('y.') });
  await apply(world, { 'Zone a/z': undefined });
  world.clock.ms = Date.parse('2026-01-02T23:59:59Z');
  await tidyUp(world);
  expect(await statusesIn(world)).toHaveLength(2);
  world.clock.ms += 1_000;
  await tidyUp(world);
  expect((await statusesIn(world)).map(({ sort }) => sort)).toEqual(['a/y']);
  await apply(world, { 'Zone a/z': zone('e.') });
  await deliverAll(world);
  expect(serialOf(world)).toBe(2026010300);
});
