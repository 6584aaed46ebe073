// The tombstone of a deleted Record keeps its names for an hour. A read of the object finds none.
import { describe, expect, test } from 'vitest';
import { planCluster } from '../../test/fakes/plan-cluster.ts';
import { wantedNames } from '../../test/fakes/reconcile-steps.ts';
import { hintFor, type ReconcileWorld, reconcileWorld, sweepAll, through } from '../../test/fakes/reconcile-world.ts';
import { applyCluster } from '../apply/apply-cluster.ts';
import { saveCluster } from '../apply/save-cluster.ts';
import { readItem } from '../ledger/item-codec.ts';
import { allItems } from '../ledger/pages.ts';
import { parseRef } from '../objects/object-ref.ts';
import { reconcile } from '../resolve/reconcile-hints.ts';
import { isTombstone, namesLeft, withLeft } from './former-names.ts';
import { type ObjectItem, objectCodec, objectKey } from './object-item.ts';

const ZONE = parseRef('Zone a/z');
const RECORD = parseRef('Record a/r');
const HOUR_MS = 3_600_000;
const SPEC = { domainName: 'w.e.', type: 'A', rdata: '192.0.2.1' };

/** A world in which a Record was published and is deleted. */
async function goneWorld(): Promise<ReconcileWorld> {
  const world = reconcileWorld({ hostedZones: [{ id: 'Z1', name: 'e.' }] });
  world.cluster.put(ZONE, { domainName: 'e.', delegations: [{ records: [{ pattern: '*' }] }] });
  world.cluster.put(RECORD, SPEC);
  await reconcile(world.context, [ZONE, RECORD].map(hintFor));
  world.cluster.remove(RECORD);
  await reconcile(world.context, [hintFor(RECORD)]);
  return world;
}

async function recordItem({ ledger }: ReconcileWorld): Promise<ObjectItem | null> {
  return (await readItem(ledger, objectKey('default', RECORD), objectCodec))?.item ?? null;
}

test('a deleted Record is a tombstone with its names, until a sweep or an apply after an hour removes it', async () => {
  for (const forget of [sweepAll, applyAll]) {
    const world = await goneWorld();
    const left = [{ name: 'w.e.', atMs: world.clock.ms }];
    const said = { deleted: true, unsettled: false, endpoints: null, spec: null, leaving: [], names: [], left };
    expect(await recordItem(world)).toMatchObject(said);
    world.clock.ms += HOUR_MS - 1;
    await forget(world);
    expect(await recordItem(world)).toMatchObject(said);
    world.clock.ms += 1;
    await forget(world);
    expect(await allItems(world.ledger, 'objects#default#Record')).toEqual([]);
  }
});

async function applyAll({ context, deps }: ReconcileWorld): Promise<void> {
  const options = { acknowledged: [], only: () => true, progress: () => {} };
  await applyCluster(context, deps, await planCluster(context), options);
}

describe('over a tombstone', () => {
  const again = (world: ReconcileWorld) => reconcile(world.context, [hintFor(RECORD)]);
  const save = async ({ context }: ReconcileWorld) => saveCluster(context, await planCluster(context));

  test.each([
    ['a hint', again],
    ['an apply', save],
    ['a sweep', sweepAll],
  ])('a Record with the same spec as before is a new one, by %s', async (_, look) => {
    const world = await goneWorld();
    world.cluster.put(RECORD, SPEC);
    await look(world);
    expect(await wantedNames(world)).toEqual(['w.e.']);
    const item = await recordItem(world);
    expect(item).toMatchObject({ deleted: false, unsettled: false });
    expect(namesLeft(item as ObjectItem, world.clock.ms)).toEqual(['w.e.']);
  });

  test.each([
    ['a hint', again],
    ['an apply', save],
    ['a sweep', sweepAll],
  ])('an invalid Record has no spec in force, by %s', async (_, look) => {
    const world = await goneWorld();
    world.cluster.put(RECORD, { ...SPEC, type: 'NONE' });
    await look(world);
    expect(await wantedNames(world)).toEqual([]);
    expect(await recordItem(world)).toMatchObject({ deleted: false, unsettled: false, endpoints: null });
  });

  test('a Record that is deleted before it is noted stays a tombstone', async () => {
    const world = await goneWorld();
    world.cluster.put(RECORD, SPEC);
    const { port } = world.cluster;
    let deleted = false;
    const get: typeof port.get = async (...asked) => {
      const seen = await port.get(...asked);
      if (!deleted) world.cluster.remove(RECORD);
      deleted = true;
      return seen;
    };
    await reconcile(through(world, { cluster: { ...port, get } }).context, [hintFor(RECORD)]);
    expect(await wantedNames(world)).toEqual([]);
    expect(isTombstone((await recordItem(world)) as ObjectItem)).toBe(true);
  });

  test.each([
    ['an apply', save],
    ['a sweep', sweepAll],
  ])('a deleted Record is neither written nor asked for by %s', async (_, look) => {
    const world = await goneWorld();
    await look(world);
    const before = await allItems(world.ledger, 'objects#default#Record');
    const { port } = world.cluster;
    const asked: string[] = [];
    const get: typeof port.get = (ref, ...rest) => {
      asked.push(ref.kind);
      return port.get(ref, ...rest);
    };
    await look(through(world, { cluster: { ...port, get } }));
    expect(asked.filter((kind) => kind === 'Record')).toEqual([]);
    expect(await allItems(world.ledger, 'objects#default#Record')).toEqual(before);
  });
});

test('namesLeft() gives each name for an hour, and at most the last sixteen', () => {
  const old = withLeft({}, ['old.e.', 'again.e.'], 0);
  const both = withLeft(old, ['one.e.', 'again.e.'], HOUR_MS - 1);
  expect(namesLeft(both, HOUR_MS - 1)).toEqual(['one.e.', 'again.e.', 'old.e.']);
  expect(namesLeft(both, HOUR_MS)).toEqual(['one.e.', 'again.e.']);
  expect(namesLeft(withLeft(both, ['two.e.'], HOUR_MS), HOUR_MS)).toEqual(['two.e.', 'one.e.', 'again.e.']);
  const many = Array.from({ length: 20 }, (_, index) => `n${index}.e.`);
  const all = many.reduce((left, name) => withLeft(left, [name], HOUR_MS), both);
  const kept = namesLeft(all, HOUR_MS);
  expect([kept.length, kept[0], kept.at(-1)]).toEqual([16, 'n19.e.', 'n4.e.']);
  expect(withLeft(old, [], HOUR_MS)).toEqual({});
});
