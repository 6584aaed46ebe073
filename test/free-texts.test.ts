// A tenant may write any characters into any free text of any object. Nothing may throw because of them, nobody else
// may wait for them, and nothing may be left of them when the object is deleted: in observe, publish, report, sweep,
// apply, and after a restart.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { allItems } from '../lib/ledger/pages.ts';
import { parseRef } from '../lib/objects/object-ref.ts';
import { objectsPartition } from '../lib/observe/object-item.ts';
import { report } from '../lib/report/report-object.ts';
import { reconcile } from '../lib/resolve/reconcile-hints.ts';
import { SOURCES } from '../lib/sources/source.ts';
import { apply, publishedNames, reasonOf, sweepAndPublish, worldOf, zone } from './fakes/reconcile-steps.ts';
import {
  deliverAll,
  deliverHints,
  desiredFromScratch,
  desiredInLedger,
  hintFor,
  type ReconcileWorld,
  saveAll,
} from './fakes/reconcile-world.ts';
import { a } from './fakes/sweep-world.ts';
import { type FreeObject, freeObject } from './support/free-text.ts';

const refs = (objects: readonly FreeObject[]) => objects.map(({ kind }, index) => parseRef(`${kind} evil/o${index}`));

function put(world: ReconcileWorld, objects: readonly FreeObject[]): void {
  for (const [index, ref] of refs(objects).entries()) {
    const { spec, annotations, labels, status } = objects[index] as FreeObject;
    world.cluster.put(ref, spec, annotations, 0, labels, status);
  }
}

/** Each hint by itself, as a handler does after a batch that failed; and everything that follows. */
async function handle(world: ReconcileWorld, objects: readonly FreeObject[]): Promise<void> {
  for (const ref of refs(objects)) await reconcile(world.context, [hintFor(ref)]);
  await deliverHints(world);
  await deliverAll(world);
}

/** The neighbours' changes are published and reported at once. */
async function others(world: ReconcileWorld, address: string): Promise<void> {
  await apply(world, {
    'Record a/www': a('www.e.', address),
    'Record a/m': a('m', address, { zoneRef: { name: 'z' } }),
  });
  await deliverAll(world);
  const standing = world.route53.recordSets('Z1').filter(({ name }) => name === 'www.e.' || name === 'm.e.');
  expect(standing.map(({ content }) => content)).toEqual([
    { kind: 'values', ttlSeconds: 360, values: [address] },
    { kind: 'values', ttlSeconds: 360, values: [address] },
  ]);
  expect([reasonOf(world, 'Record a/www'), reasonOf(world, 'Record a/m')]).toEqual(['Adopted', 'Adopted']);
}

async function live(objects: readonly FreeObject[], then: readonly FreeObject[]): Promise<void> {
  const world = await worldOf({ 'Zone a/z': zone('e.'), 'Record a/www': a('www.e.') });
  put(world, objects);
  await handle(world, objects);
  await others(world, '192.0.2.2');
  await sweepAndPublish(world);
  await report(world.context, [...refs(objects), parseRef('Zone a/z')]);
  await saveAll(world);
  await deliverAll(world);
  await others(world, '192.0.2.3');
  // The objects of the second list replace those of the first, by which the names of some are left.
  put(world, then);
  await handle(world, then);
  await saveAll(world);
  await sweepAndPublish(world);
  expect(await desiredInLedger(world)).toEqual(await desiredFromScratch(world));
  for (const ref of [...refs(objects), ...refs(then)]) world.cluster.remove(ref);
  await handle(world, objects);
  await handle(world, then);
  await others(world, '192.0.2.4');
  // A tombstone stays for an hour.
  world.clock.ms += 2 * 3_600_000;
  await sweepAndPublish(world);
  await saveAll(world);
  await sweepAndPublish(world);
  expect(publishedNames(world)).toEqual(['m.e. A', 'www.e. A']);
  for (const { kind } of [...SOURCES, { kind: 'Zone' }]) {
    const left = await allItems(world.ledger, objectsPartition('default', kind));
    expect(left.map(({ sort }) => sort).filter((sort) => sort.startsWith('evil/'))).toEqual([]);
  }
}

const some = fc.array(freeObject, { minLength: 1, maxLength: 4 });

test('no text of any object stops a run, delays another object, or outlives its object', async () => {
  await fc.assert(fc.asyncProperty(some, some, live), { numRuns: Number(process.env.FREE_TEXTS_RUNS ?? 60) });
}, 120_000);
