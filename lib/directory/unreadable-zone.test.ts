// A live Zone whose item of the directory this version cannot read stays as it is, and delays no Zone elsewhere.
import { expect, test } from 'vitest';
import { a, apply, reasonOf, zone } from '../../test/fakes/reconcile-steps.ts';
import {
  deliverAll,
  deliverHints,
  desiredFromScratch,
  desiredInLedger,
  type ReconcileWorld,
  reconcileWorld,
  sweepAll,
} from '../../test/fakes/reconcile-world.ts';
import { formatRef } from '../objects/object-ref.ts';
import type { LedgerItem } from '../ports/ledger.ts';
import { publish } from '../publish/run/publish-hosted-zone.ts';
import { report } from '../report/report-object.ts';
import { directoryKey } from './directory-item.ts';

const HOSTED = ['e.', 'f.', 'g.'].map((name) => ({ id: `Z${name.charAt(0)}`, name }));

/** Publishes and reports; returns the objects that could not be reported. */
async function deliver(world: ReconcileWorld): Promise<readonly string[]> {
  const { context, deps, queued } = world;
  const failed = new Set<string>();
  while (queued.publish.size + queued.reports.size + queued.hints.length > 0) {
    await deliverHints(world);
    const [ids, refs] = [[...queued.publish], [...queued.reports.values()]];
    queued.publish.clear();
    queued.reports.clear();
    for (const id of ids) await publish(deps, id);
    for (const ref of refs) await report(context, [ref]).catch(() => failed.add(formatRef(ref)));
  }
  return [...failed].toSorted();
}

test('an item of the directory that cannot be read delays no Zone elsewhere, and changes nothing below it', async () => {
  const world = reconcileWorld({ hostedZones: HOSTED });
  await apply(world, {
    'Zone a/e': zone('e.'),
    'Zone a/sub': zone('sub.e.'),
    'Zone a/f': zone('f.'),
    'Record a/e': a('www.e.'),
    'Record a/sub': a('www.sub.e.'),
  });
  await deliverAll(world);
  const damaged = (await world.ledger.get(directoryKey('default', 'sub.e.'))) as LedgerItem;
  const other = { ...damaged.body, v: 2 };
  const revision = await world.ledger.put(damaged, other, damaged.revision);
  const before = await desiredInLedger(world);
  await apply(world, {
    'Zone a/new': zone('new.f.'),
    'Zone a/g': zone('g.'),
    'Record a/new': a('www.new.f.'),
    'Record a/g': a('www.g.'),
    'Record a/beside': a('beside.e.'),
  });
  // The Zone above shows the name servers of the one that cannot be read.
  expect(await deliver(world)).toEqual(['Zone a/e']);
  expect(await desiredInLedger(world)).toEqual(expect.arrayContaining([...before]));
  for (const id of ['Zone a/new', 'Zone a/g', 'Record a/new', 'Record a/g', 'Record a/beside'])
    expect([id, reasonOf(world, id, 'Programmed')]).toEqual([id, 'Published']);
  // A change of the Zone above has a task for everything below it.
  await apply(world, { 'Zone a/e': zone('e.', { ttl: 60 }) });
  await sweepAll(world);
  expect(await deliver(world)).toEqual(['Record a/sub', 'Zone a/e', 'Zone a/sub']);
  expect((await world.ledger.get(damaged))?.body).toEqual(other);
  await world.ledger.put(damaged, damaged.body, revision);
  await apply(world, { 'Zone a/e': zone('e.', { ttl: 30 }) });
  expect(await deliver(world)).toEqual([]);
  expect(await desiredInLedger(world)).toEqual(await desiredFromScratch(world));
});
