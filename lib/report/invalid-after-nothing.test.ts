// An object that asked for nothing while it was valid, and is invalid now: its last valid spec has no endpoint of which
// the problem could be reported.
import { expect, test } from 'vitest';
import { apply, worldOf, zone } from '../../test/fakes/reconcile-steps.ts';
import { type ReconcileWorld, saveAll, sweepAll } from '../../test/fakes/reconcile-world.ts';
import { parseRef } from '../objects/object-ref.ts';
import { report } from './report-object.ts';

const INVALID = { endpoints: 'x.e' };

async function verdictAfter(reportIt: (world: ReconcileWorld) => Promise<void>) {
  const world = await worldOf({ 'Zone a/z': zone('e.') });
  await apply(world, { 'DNSEndpoint a/x': { endpoints: [] } });
  await reportIt(world);
  await apply(world, { 'DNSEndpoint a/x': INVALID });
  await reportIt(world);
  return world.cluster.statuses
    .get('DNSEndpoint a/x')
    ?.conditions.map(({ type, reason, message }) => [type, reason, message]);
}

test.each([
  ['a run', (world: ReconcileWorld) => report(world.context, [parseRef('DNSEndpoint a/x')])],
  ['an apply', saveAll],
  [
    'a sweep',
    async (world: ReconcileWorld) => {
      world.queued.reports.clear();
      await sweepAll(world);
      await report(world.context, [...world.queued.reports.values()]);
    },
  ],
])('%s reports that it is invalid', async (_, reportIt) => {
  expect(await verdictAfter(reportIt)).toEqual([
    ['Accepted', 'InvalidSpec', 'spec.endpoints: expected a list, got the string "x.e"'],
  ]);
});
