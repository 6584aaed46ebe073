// A serial belongs to one content of a Zone, also if a run died between writing a status and saving that.
import { expect, test } from 'vitest';
import { a, apply, zone } from '../../test/fakes/reconcile-steps.ts';
import { deliverAll, type ReconcileWorld, reconcileWorld, saveAll, through } from '../../test/fakes/reconcile-world.ts';
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
