// The first sweep of a deployment: all is new, and nothing is read one by one.
import { expect, test } from 'vitest';

import { deliverAll, deliverHints, hintFor, standingInRoute53, through } from '../../test/fakes/reconcile-world.ts';
import { a, dying, expectRight, FEW, OBJECTS, settledWorld, write } from '../../test/fakes/sweep-world.ts';
import { formatRef, parseRef } from '../objects/object-ref.ts';
import type { Cluster } from '../ports/cluster.ts';
import { sweepPiece } from './sweep-cluster.ts';

const MANY = Object.fromEntries(
  Array.from({ length: 40 }, (_, index) => [`Record a/r${index}`, a(`r${index}.e.`)] as const),
);

async function newWorld(objects: Readonly<Record<string, unknown>> = { ...OBJECTS, ...MANY }) {
  const world = await settledWorld({});
  write(world, objects);
  return world;
}

test('the first sweep takes objects from the listing, and reads none of them by name', async () => {
  const world = await newWorld();
  const { calls } = world.cluster;
  await sweepPiece(world.context, Number.POSITIVE_INFINITY);
  expect(world.queued.hints).toHaveLength(46);
  await deliverHints(world);
  expect(calls.get).toBe(0);
  await deliverAll(world);
  await expectRight(world);
});

/** A cluster in which `change` happens once, after this many pages were listed. */
function listing(cluster: Cluster, pages: number, change: () => void): Cluster {
  let listed = 0;
  return {
    ...cluster,
    listPage: async (...args) => {
      const page = await cluster.listPage(...args);
      listed += 1;
      if (listed === pages) change();
      return page;
    },
  };
}

/** Changes that happen while pages are listed. */
const CHANGES: readonly (readonly [string, Readonly<Record<string, unknown>>])[] = [
  ['are deleted', { 'Record a/r5': undefined, 'Record a/r6': undefined }],
  ['are edited', { 'Record a/r5': a('r5.e.', '192.0.2.5'), 'Record a/r6': a('elsewhere.e.') }],
  ['lose their Zone', { 'Zone a/e': undefined }],
];

test.each(CHANGES)(
  'the first sweep ends right when some objects %s while it lists, at any page',
  async (_, changes) => {
    for (let pages = 1; pages < 40; pages += 6) {
      const world = await newWorld();
      const cluster = listing(world.context.cluster, pages, () => write(world, changes));
      const sick = through(world, { cluster });
      await sweepPiece(sick.context, Number.POSITIVE_INFINITY);
      // The hints for these changes come late.
      world.queued.hints.push(...Object.keys(changes).map(parseRef).map(hintFor));
      await deliverHints(sick);
      await deliverAll(world);
      await expectRight(world);
    }
  },
);

test('the first sweep finds that an object was deleted before it was noted', async () => {
  const world = await newWorld();
  // The objects of a page are deleted before they are noted, so that their hints found nothing.
  const cluster = listing(world.context.cluster, 8, () => {
    for (const { ref } of world.cluster.objects().filter(({ ref }) => ref.name.startsWith('r1')))
      write(world, { [formatRef(ref)]: undefined });
  });
  const sick = through(world, { cluster });
  await sweepPiece(sick.context, Number.POSITIVE_INFINITY);
  const gone = world.queued.hints.filter(({ name }) => name?.startsWith('r1'));
  expect(gone.length).toBeGreaterThan(0);
  expect(gone.filter(({ noted }) => noted !== undefined)).toEqual([]);
  await deliverHints(sick);
  await deliverAll(world);
  await expectRight(world);
  expect(standingInRoute53(world).some((line) => JSON.stringify(line).includes('r11'))).toBe(false);
});

test('a first sweep that dies anywhere ends right when it is run again', async () => {
  for (const when of ['before', 'after'] as const) {
    for (let at = 1; ; at += 3) {
      const world = await newWorld(FEW);
      const { context, calls } = dying(world.context, at, when);
      await sweepPiece(context, Number.POSITIVE_INFINITY).catch(() => null);
      // Its hints may be delivered before or after the next sweep.
      if (at % 2 === 0) await deliverHints(world);
      await sweepPiece(world.context, Number.POSITIVE_INFINITY);
      await deliverHints(world);
      await deliverAll(world);
      await expectRight(world);
      if (calls.length < at) break;
    }
  }
});

test('a sweep reads one new object among many known ones by name, and lists the kind once', async () => {
  const world = await newWorld();
  await sweepPiece(world.context, Number.POSITIVE_INFINITY);
  await deliverHints(world);
  await deliverAll(world);
  write(world, { 'Record a/r7-new': a('new.e.') });
  const before = { ...world.cluster.calls };
  await sweepPiece(world.context, Number.POSITIVE_INFINITY);
  expect(world.queued.hints).toEqual([{ kind: 'Record', namespace: 'a', name: 'r7-new' }]);
  const pages = world.cluster.calls.listPage - before.listPage;
  expect(pages).toBeLessThanOrEqual(world.cluster.objects().length / 3 + 20);
  await deliverHints(world);
  await deliverAll(world);
  await expectRight(world);
});
