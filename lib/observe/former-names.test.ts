// A run over a Record is overtaken by another, still writes what it wanted, and dies before it reads again. Its hint is
// delivered again, and that run must undo the write, although the ledger no longer knows that the Record ever had the
// name.
import { describe, expect, test } from 'vitest';
import { planCluster } from '../../test/fakes/plan-cluster.ts';
import { wantedNames } from '../../test/fakes/reconcile-steps.ts';
import {
  desiredInLedger,
  hintFor,
  type ReconcileWorld,
  reconcileWorld,
  through,
} from '../../test/fakes/reconcile-world.ts';
import { saveCluster } from '../apply/save-cluster.ts';
import { type ObjectRef, parseRef } from '../objects/object-ref.ts';
import type { Ledger } from '../ports/ledger.ts';
import { reconcile } from '../resolve/reconcile-hints.ts';

const ZONE = parseRef('Zone a/z');
const RECORD = parseRef('Record a/r');

function a(domainName: string, rdata = '192.0.2.1') {
  return { domainName, type: 'A', rdata };
}

/** A world with a Zone, and a Record that no run has seen yet. */
async function worldWith(spec: object): Promise<ReconcileWorld> {
  const world = reconcileWorld({ hostedZones: [{ id: 'Z1', name: 'e.' }] });
  world.cluster.put(ZONE, { domainName: 'e.', delegations: [{ records: [{ pattern: '*' }] }] });
  await reconcile(world.context, [hintFor(ZONE)]);
  world.cluster.put(RECORD, spec);
  return world;
}

/** A run over the Record that `faster` overtakes before its first write to a name, and that dies after that write. */
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

test('a name is withdrawn when its Record was deleted in the meantime (seed 2757517)', async () => {
  const world = await worldWith(a('w.e.'));
  await dieOvertaken(world, async () => {
    world.cluster.remove(RECORD);
    await reconcile(world.context, [hintFor(RECORD)]);
  });
  expect(await wantedNames(world)).toEqual(['w.e.']);
  await reconcile(world.context, [hintFor(RECORD)]);
  expect(await wantedNames(world)).toEqual([]);
});

test('a name is withdrawn when its Record was deleted and created again with another name', async () => {
  const world = await worldWith(a('w.e.'));
  await dieOvertaken(world, async () => {
    world.cluster.remove(RECORD);
    await reconcile(world.context, [hintFor(RECORD)]);
    world.cluster.put(RECORD, a('v.e.'));
  });
  await reconcile(world.context, [hintFor(RECORD)]);
  expect(await wantedNames(world)).toEqual(['v.e.']);
});

test('a name is withdrawn when its Record was created again below another Zone, and its Zone is gone', async () => {
  const world = await worldWith(a('w.e.'));
  await dieOvertaken(world, async () => {
    world.cluster.remove(RECORD);
    world.cluster.remove(ZONE);
    await reconcile(world.context, [RECORD, ZONE].map(hintFor));
    world.cluster.put(RECORD, a('v.f.'));
  });
  expect(await wantedNames(world)).toEqual(['w.e.']);
  await reconcile(world.context, [hintFor(RECORD)]);
  expect(await wantedNames(world)).toEqual([]);
});

test('a name is withdrawn when an apply saw the deletion of its Record', async () => {
  const world = await worldWith(a('w.e.'));
  await dieOvertaken(world, async () => {
    world.cluster.remove(RECORD);
    await saveCluster(world.context, await planCluster(world.context));
  });
  await reconcile(world.context, [hintFor(RECORD)]);
  expect(await wantedNames(world)).toEqual([]);
});

test('a name is withdrawn when its Record moved to another name in the meantime', async () => {
  const world = await worldWith(a('w.e.'));
  await dieOvertaken(world, async () => {
    world.cluster.put(RECORD, a('v.e.'));
    await reconcile(world.context, [hintFor(RECORD)]);
  });
  expect(await wantedNames(world)).toEqual(['v.e.', 'w.e.']);
  await reconcile(world.context, [hintFor(RECORD)]);
  expect(await wantedNames(world)).toEqual(['v.e.']);
});

test('a name is withdrawn when the next run reads its Record in an older state', async () => {
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
  'an older content is replaced when its Record was changed back in the meantime, and is read %s',
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

describe('a partial name is withdrawn', () => {
  const SUB = parseRef('Zone a/sub');
  const MEMBER = { domainName: 'w', zoneRef: { name: 'sub' }, type: 'A', rdata: '192.0.2.1' };
  const sub = (domainName: string) => ({ domainName, delegations: [{ records: [{ pattern: '*' }] }] });

  async function memberWorld(): Promise<ReconcileWorld> {
    const world = await worldWith(MEMBER);
    world.cluster.put(ZONE, { domainName: 'e.', delegations: [{ zones: ['*'] }] });
    world.cluster.put(SUB, sub('s.e.'));
    await reconcile(world.context, [ZONE, SUB].map(hintFor));
    return world;
  }

  test.each<{
    readonly what: string;
    readonly act: (world: ReconcileWorld) => void;
    /** The objects that the faster runs get hints of, one run after the other. */
    readonly told: readonly (readonly ObjectRef[])[];
    readonly after: readonly string[];
  }>([
    {
      what: 'is deleted with the Record, as with their namespace,',
      act: ({ cluster }) => {
        cluster.remove(SUB);
        cluster.remove(RECORD);
      },
      told: [[SUB, RECORD]],
      after: [],
    },
    { what: 'is deleted', act: ({ cluster }) => cluster.remove(SUB), told: [[SUB]], after: [] },
    {
      what: 'is renamed',
      act: ({ cluster }) => cluster.put(SUB, sub('t.e.')),
      told: [[SUB]],
      after: ['w.t.e.'],
    },
    {
      what: 'is renamed, and the Record is settled by then,',
      act: ({ cluster }) => cluster.put(SUB, sub('t.e.')),
      told: [[SUB], [RECORD]],
      after: ['w.t.e.'],
    },
  ])('when its Zone $what in the meantime', async ({ act, told, after }) => {
    const world = await memberWorld();
    await dieOvertaken(world, async () => {
      act(world);
      for (const refs of told) await reconcile(world.context, refs.map(hintFor));
    });
    expect(await wantedNames(world)).toContain('w.s.e.');
    await reconcile(world.context, [hintFor(RECORD)]);
    expect(await wantedNames(world)).toEqual(after);
  });

  test('when its Zone was renamed, and the Record there has changed since', async () => {
    const world = await memberWorld();
    await dieOvertaken(world, async () => {
      world.cluster.put(SUB, sub('t.e.'));
      for (const ref of [SUB, RECORD]) await reconcile(world.context, [hintFor(ref)]);
      world.cluster.put(RECORD, { ...MEMBER, rdata: '192.0.2.9' });
      await reconcile(world.context, [hintFor(RECORD)]);
    });
    expect(await wantedNames(world)).toEqual(['w.s.e.', 'w.t.e.']);
    await reconcile(world.context, [hintFor(RECORD)]);
    expect(await wantedNames(world)).toEqual(['w.t.e.']);
  });

  test('when its Zone was renamed, and a status was written since', async () => {
    const world = await memberWorld();
    const { port } = world.cluster;
    const get: typeof port.get = async (...asked) => {
      const seen = await port.get(...asked);
      return seen.kind === 'present' ? { ...seen, object: { ...seen.object, version: '1000000' } } : seen;
    };
    const later = through(world, { cluster: { ...port, get } });
    await dieOvertaken(world, async () => {
      world.cluster.put(SUB, sub('t.e.'));
      for (const ref of [SUB, RECORD]) await reconcile(world.context, [hintFor(ref)]);
      await reconcile(later.context, [hintFor(RECORD)]);
    });
    expect(await wantedNames(world)).toContain('w.s.e.');
    await reconcile(later.context, [hintFor(RECORD)]);
    expect(await wantedNames(world)).toEqual(['w.t.e.']);
  });
});
