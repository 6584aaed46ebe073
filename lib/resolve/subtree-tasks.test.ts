// A subtree that does not fit one run: settled step by step, carried on by a hint, by whoever comes, and begun anew
// when its Zone moved again meanwhile.
import { describe, expect, test } from 'vitest';
import {
  deliverAll,
  deliverHints,
  desiredFromScratch,
  desiredInLedger,
  hintFor,
  type ReconcileWorld,
  reconcileWorld,
  statusesFromScratch,
  statusesReported,
  through,
} from '../../test/fakes/reconcile-world.ts';
import { allItems } from '../ledger/pages.ts';
import { formatRef, parseRef } from '../objects/object-ref.ts';
import type { Ledger, LedgerItem } from '../ports/ledger.ts';
import { reconcile } from './reconcile-hints.ts';

const NAMES = 250;
const ZONE = parseRef('Zone a/z');

function zone(pattern: string, more: object = {}) {
  return { domainName: 'e.', delegations: [{ records: [{ pattern }], zones: ['*'] }], ...more };
}

/** A settled Zone with names of every kind below it. */
async function worldOfMany(): Promise<ReconcileWorld> {
  const world = reconcileWorld({ hostedZones: [{ id: 'Z1', name: 'e.' }] });
  world.cluster.put(ZONE, zone('*'));
  await reconcile(world.context, [hintFor(ZONE)]);
  const refs = Array.from({ length: NAMES }, (_, index) => parseRef(`Record a/r${index}`));
  for (const [index, ref] of refs.entries()) {
    const own = { type: 'A', rdata: '192.0.2.1' };
    if (index % 3 === 0) world.cluster.put(ref, { ...own, domainName: `r${index}`, zoneRef: { name: 'z' } });
    else world.cluster.put(ref, { ...own, domainName: `r${index}.e.` });
  }
  await reconcile(world.context, refs.map(hintFor));
  await deliverAll(world);
  return world;
}

function tasks({ ledger }: ReconcileWorld): Promise<readonly LedgerItem[]> {
  return allItems(ledger, 'subtrees#default');
}

function cursorOf([task]: readonly LedgerItem[]): unknown {
  return task?.body.cursor;
}

async function expectRight(world: ReconcileWorld): Promise<void> {
  expect(await tasks(world)).toEqual([]);
  expect(await desiredInLedger(world)).toEqual(await desiredFromScratch(world));
  await deliverAll(world);
  expect(statusesReported(world)).toEqual(await statusesFromScratch(world));
}

/** Reconciles the Zone with a budget of this many names. */
function hinted(world: ReconcileWorld, subtreeNamesMax: number): Promise<void> {
  return reconcile(world.context, [hintFor(ZONE)], subtreeNamesMax);
}

describe('a subtree in steps', () => {
  test('is continued by the hint of each run, until it is settled', async () => {
    const world = await worldOfMany();
    world.cluster.put(ZONE, zone('other'));
    await hinted(world, 1);
    let runs = 1;
    const cursors = [];
    for (; (await tasks(world)).length > 0; runs += 1) {
      cursors.push(cursorOf(await tasks(world)));
      expect(world.queued.hints.map(formatHint)).toEqual(['Zone a/z']);
      await reconcile(world.context, world.queued.hints.splice(0), 1);
    }
    expect(runs).toBeGreaterThan(3);
    expect(new Set(cursors.map((cursor) => JSON.stringify(cursor))).size).toBe(cursors.length);
    expect(await desiredInLedger(world)).toHaveLength(1);
    await expectRight(world);
  });

  test('is continued although the Zone is deleted', async () => {
    const world = await worldOfMany();
    world.cluster.remove(ZONE);
    await hinted(world, 1);
    expect(await tasks(world)).toHaveLength(1);
    while (world.queued.hints.length > 0) await reconcile(world.context, world.queued.hints.splice(0), 1);
    await expectRight(world);
  });

  test('begins again when its Zone moved again in the meantime', async () => {
    const world = await worldOfMany();
    world.cluster.put(ZONE, zone('other'));
    await hinted(world, 1);
    expect(cursorOf(await tasks(world))).not.toBe(null);
    world.cluster.put(ZONE, zone('r1*'));
    await hinted(world, 0);
    expect(cursorOf(await tasks(world))).toBe(null);
    await deliverHints(world);
    await expectRight(world);
  });

  test('is not dropped by one of two runs before the other has done its part', async () => {
    const world = await worldOfMany();
    world.cluster.put(ZONE, zone('other'));
    await Promise.all([hinted(world, 1), hinted(world, 1), hinted(world, 1_000)]);
    await deliverHints(world);
    await expectRight(world);
  });

  test('is continued by the next run after one that was killed at a write to the ledger', async () => {
    for (const at of [2, 60, 211, 300]) {
      const world = await worldOfMany();
      world.cluster.put(ZONE, zone('other'));
      let writes = 0;
      const put: Ledger['put'] = async (...args) => {
        writes += 1;
        if (writes >= at) throw new Error('killed');
        return world.ledger.put(...args);
      };
      const dying = through(world, { ledger: { ...world.ledger, put } });
      await expect(reconcile(dying.context, [hintFor(ZONE)])).rejects.toThrow('killed');
      await hinted(world, 1_000);
      await deliverHints(world);
      await expectRight(world);
    }
  }, 30_000);

  test('reports the Records of a Zone that is not live in steps, too', async () => {
    const world = reconcileWorld({ hostedZones: [] });
    const refs = Array.from({ length: NAMES }, (_, index) => parseRef(`Record a/r${index}`));
    for (const ref of refs)
      world.cluster.put(ref, { domainName: ref.name, type: 'A', rdata: '192.0.2.1', zoneRef: { name: 'z' } });
    await reconcile(world.context, refs.map(hintFor));
    await deliverAll(world);
    world.cluster.put(ZONE, { domainName: 'sub', zoneRef: { name: 'nobody' }, delegations: [] });
    await hinted(world, 1);
    expect(await tasks(world)).toHaveLength(1);
    await deliverHints(world);
    await expectRight(world);
  });
});

function formatHint({ kind, namespace, name }: ReconcileWorld['queued']['hints'][number]): string {
  return formatRef({ kind, namespace: namespace ?? '*', name: name ?? '*' });
}
