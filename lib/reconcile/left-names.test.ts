// A run that another one overtakes over the same Record, that then writes what it wanted, and dies before it looks again:
// its hint comes once more, and must undo that although the ledger knows no more that the Record ever lay there.
import { expect, test } from 'vitest';
import {
  desiredInLedger,
  hintFor,
  type ReconcileWorld,
  reconcileWorld,
  sweepAll,
  through,
} from '../../test/fakes/reconcile-world.ts';
import { parseRef } from '../kubizone/objects.ts';
import { commitCluster } from './commit-cluster.ts';
import { allItems } from './ledger-pages.ts';
import { forgetLeft, noteLeft, readLeft } from './left-names.ts';
import { planCluster } from './plan-cluster.ts';
import type { Ledger } from './ports.ts';
import { reconcile } from './reconcile.ts';

const ZONE = parseRef('Zone a/z');
const RECORD = parseRef('Record a/r');
const HOUR_MS = 3_600_000;

function a(domainName: string, rdata = '192.0.2.1') {
  return { domainName, type: 'A', rdata };
}

/** A Zone that is there, and a Record that nobody was told of yet. */
async function worldWith(spec: object): Promise<ReconcileWorld> {
  const world = reconcileWorld({ hostedZones: [{ id: 'Z1', name: 'e.' }] });
  world.cluster.put(ZONE, { domainName: 'e.', delegations: [{ records: [{ pattern: '*' }] }] });
  await reconcile(world.context, [hintFor(ZONE)]);
  world.cluster.put(RECORD, spec);
  return world;
}

/** A run over the Record that is overtaken by `faster` before it first writes what it wants, and dies after that. */
async function dieOvertaken(world: ReconcileWorld, faster: () => Promise<void>): Promise<void> {
  let wrote = false;
  const die = () => {
    if (wrote) throw new Error('the run died');
  };
  const ledger: Ledger = {
    ...world.ledger,
    get: async (key) => {
      die();
      return world.ledger.get(key);
    },
    query: async (...of) => {
      die();
      return world.ledger.query(...of);
    },
    put: async (key, ...rest) => {
      die();
      if (!key.partition.startsWith('recordsets#')) return world.ledger.put(key, ...rest);
      await faster();
      const revision = await world.ledger.put(key, ...rest);
      wrote = true;
      return revision;
    },
  };
  await expect(reconcile(through(world, { ledger }).context, [hintFor(RECORD)])).rejects.toThrow('died');
}

async function wantedNames(world: ReconcileWorld): Promise<readonly (string | undefined)[]> {
  return (await desiredInLedger(world)).map((line) => line.split(' ')[1]).filter((name) => name !== 'e.');
}

test('of a Record that was deleted meanwhile (seed 2757517)', async () => {
  const world = await worldWith(a('w.e.'));
  await dieOvertaken(world, async () => {
    world.cluster.remove(RECORD);
    await reconcile(world.context, [hintFor(RECORD)]);
  });
  expect(await wantedNames(world)).toEqual(['w.e.']);
  await reconcile(world.context, [hintFor(RECORD)]);
  expect(await wantedNames(world)).toEqual([]);
});

test('of a Record that was deleted meanwhile by an apply', async () => {
  const world = await worldWith(a('w.e.'));
  await dieOvertaken(world, async () => {
    world.cluster.remove(RECORD);
    await commitCluster(world.context, await planCluster(world.context));
  });
  await reconcile(world.context, [hintFor(RECORD)]);
  expect(await wantedNames(world)).toEqual([]);
});

test('of a Record that moved elsewhere meanwhile', async () => {
  const world = await worldWith(a('w.e.'));
  await dieOvertaken(world, async () => {
    world.cluster.put(RECORD, a('v.e.'));
    await reconcile(world.context, [hintFor(RECORD)]);
  });
  expect(await wantedNames(world)).toEqual(['v.e.', 'w.e.']);
  await reconcile(world.context, [hintFor(RECORD)]);
  expect(await wantedNames(world)).toEqual(['v.e.']);
});

test('of a Record that the next run reads in an older state', async () => {
  const world = await worldWith(a('w.e.'));
  const older = await world.context.cluster.get(RECORD, null);
  await dieOvertaken(world, async () => {
    world.cluster.put(RECORD, a('v.e.'));
    await reconcile(world.context, [hintFor(RECORD)]);
  });
  const cluster = { ...world.context.cluster, get: async () => older };
  await reconcile(through(world, { cluster }).context, [hintFor(RECORD)]);
  expect(await wantedNames(world)).toEqual(['v.e.']);
});

test.each(['as it is', 'in an older state'])(
  'of a Record that stays, was changed and changed back meanwhile, and is read %s',
  async (read) => {
    const world = await worldWith(a('w.e.'));
    await reconcile(world.context, [hintFor(RECORD)]);
    const wanted = await desiredInLedger(world);
    world.cluster.put(RECORD, a('w.e.', '192.0.2.2'));
    const older = await world.context.cluster.get(RECORD, null);
    await dieOvertaken(world, async () => {
      world.cluster.put(RECORD, a('w.e.'));
      await reconcile(world.context, [hintFor(RECORD)]);
    });
    expect(await desiredInLedger(world)).not.toEqual(wanted);
    const cluster = read === 'as it is' ? world.cluster.port : { ...world.cluster.port, get: async () => older };
    await reconcile(through(world, { cluster }).context, [hintFor(RECORD)]);
    expect(await desiredInLedger(world)).toEqual(wanted);
  },
);

test('what was left is forgotten by the sweep, and by an apply, after an hour and not before', async () => {
  for (const forget of [
    sweepAll,
    async ({ context }: ReconcileWorld) => void (await commitCluster(context, await planCluster(context))),
  ]) {
    const world = await worldWith(a('w.e.'));
    await reconcile(world.context, [hintFor(RECORD)]);
    world.cluster.remove(RECORD);
    await reconcile(world.context, [hintFor(RECORD)]);
    world.clock.ms += HOUR_MS - 1;
    await forget(world);
    expect(await readLeft(world.context, RECORD)).toEqual(['w.e.']);
    world.clock.ms += 1;
    await forget(world);
    expect(await allItems(world.ledger, 'left#default')).toEqual([]);
  }
});

test('the names of the last hour are kept, and no more than a hundred', async () => {
  const world = await worldWith(a('w.e.'));
  const { context, clock, ledger } = world;
  await noteLeft(context, RECORD, ['old.e.']);
  clock.ms += HOUR_MS;
  await noteLeft(context, RECORD, ['one.e.']);
  await noteLeft(context, RECORD, ['two.e.', 'one.e.']);
  expect(await readLeft(context, RECORD)).toEqual(['two.e.', 'one.e.']);
  for (let index = 0; index < 150; index += 1) await noteLeft(context, RECORD, [`n${index}.e.`]);
  const kept = await readLeft(context, RECORD);
  expect([kept.length, kept[0]]).toEqual([100, 'n149.e.']);
  // An item that another version wrote is left to it.
  await ledger.put({ partition: 'left#default', sort: 'a/other' }, { v: 2 }, null);
  clock.ms += HOUR_MS;
  await forgetLeft(context);
  expect((await allItems(ledger, 'left#default')).map(({ sort }) => sort)).toEqual(['a/other']);
  await expect(readLeft(context, parseRef('Record a/other'))).rejects.toThrow('its version is 2');
});
