// Objects that lean on others: a change of what they lean on reaches them, whoever died or was overtaken, and no more
// of them than it concerns.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { countingLedger } from '../../test/fakes/counting-ledger.ts';
import { crashing, dying, failing, wrapped } from '../../test/fakes/failing-world.ts';
import { apply, sweepAndPublish } from '../../test/fakes/reconcile-steps.ts';
import {
  deliverAll,
  deliverHints,
  desiredFromScratch,
  desiredInLedger,
  hintFor,
  type ReconcileWorld,
  reconcile,
  saveAll,
} from '../../test/fakes/reconcile-world.ts';
import { addresses, backend, deliver, type Edits, edit, siteWorld, ZONE } from '../../test/fakes/site-world.ts';
import { formatRef, parseRef } from '../objects/object-ref.ts';
import type { Hint } from '../ports/queues.ts';
import { SOURCES } from '../sources/source.ts';

const RUNS = 60 * Number(process.env.ZONE53_LAW_RUNS ?? 1);

describe('an object that reads related objects', () => {
  test('follows them: added, changed, moved to another by its label, deleted', async () => {
    const world = siteWorld();
    await deliver(world, { 'Zone p/e': { spec: ZONE }, 'Backend a/b1': backend('s1', '192.0.2.1') });
    await deliver(world, { 'Site a/s1': { spec: { hosts: ['w.e'] } }, 'Site a/s2': { spec: { hosts: ['v.e'] } } });
    expect(addresses(world)).toEqual(['w.e. 192.0.2.1']);
    await deliver(world, { 'Backend a/b2': backend('s1', '192.0.2.2') });
    world.clock.ms += 10_000;
    await deliver(world, { 'Backend a/b1': backend('s2', '192.0.2.1') });
    expect(addresses(world)).toEqual(['v.e. 192.0.2.1', 'w.e. 192.0.2.2']);
    world.clock.ms += 10_000;
    await deliver(world, { 'Host /h1': { spec: { cordoned: true } } });
    expect(addresses(world)).toEqual([]);
    world.clock.ms += 10_000;
    await deliver(world, { 'Host /h1': undefined, 'Backend a/b2': undefined });
    expect(addresses(world)).toEqual(['v.e. 192.0.2.1']);
    expect(await desiredInLedger(world)).toEqual(await desiredFromScratch(world));
  });

  test('costs nothing when nothing relevant changed, and one read when no object depends on it', async () => {
    const world = siteWorld();
    await deliver(world, {
      'Zone p/e': { spec: ZONE },
      'Backend a/b1': backend('s1', '192.0.2.1'),
      'Site a/s1': { spec: { hosts: ['w.e'] } },
      'Host /h1': { spec: { cordoned: false } },
    });
    await deliver(world, { 'Host /h1': { spec: { cordoned: false } } });
    const { get, listPage } = { ...world.cluster.calls };
    const counting = countingLedger(world.ledger);
    await reconcile({ ...world.context, ledger: counting.port }, [hintFor(parseRef('Host /h1'))]);
    expect(world.cluster.calls).toMatchObject({ get: get + 1, listPage });
    expect(counting.take().itemsWritten).toBe(0);
    edit(world, { 'Host /h9': { spec: { cordoned: true } } });
    await reconcile(world.context, [hintFor(parseRef('Host /h9'))]);
    expect(world.queued.hints).toEqual([]);
  });

  test('gets one hint for a change of an object that it found by label and noted by name', async () => {
    const world = siteWorld();
    await deliver(world, {
      'Zone p/e': { spec: ZONE },
      'Backend a/b1': backend('s1', '192.0.2.1'),
      'Site a/s1': { spec: { hosts: ['w.e'] } },
    });
    await reconcile(world.context, edit(world, { 'Backend a/b1': backend('s1', '192.0.2.2') }).map(hintFor));
    expect(world.queued.hints).toEqual([hintFor(parseRef('Site a/s1'))]);
  });

  test.each(['create', 'update', 'delete'] as const)(
    'follows a %s of its related object that a webhook told of before it was stored',
    async (what) => {
      const world = siteWorld();
      await deliver(world, {
        'Zone p/e': { spec: ZONE },
        'Site a/s1': { spec: { hosts: ['w.e'] } },
        ...(what === 'create' ? {} : { 'Backend a/b1': backend('s1', '192.0.2.1') }),
      });
      world.clock.ms += 10_000;
      const ref = parseRef('Backend a/b1');
      const old = world.cluster.objects().find((one) => formatRef(one.ref) === 'Backend a/b1');
      const generation = what === 'delete' ? null : (old?.generation ?? 0) + 1;
      const awaited = what === 'create' ? {} : { awaited: { uid: old?.uid ?? '', generation } };
      const hint = { ...hintFor(ref), oldVersion: old?.version ?? '', ...awaited };
      await reconcile(world.context, [hint]);
      expect(world.queued.hints).toContainEqual({ ...hint, attempt: 1 });
      await deliver(world, {});
      expect(world.queued.hints).toEqual([]);
      await reconcile(world.context, [hint]);
      edit(world, { 'Backend a/b1': what === 'delete' ? undefined : backend('s1', '192.0.2.9') });
      await deliver(world, {});
      expect(addresses(world)).toEqual(what === 'delete' ? [] : ['w.e. 192.0.2.9']);
    },
  );

  test('is resolved a few times while its related object changes 500 times', async () => {
    const world = siteWorld();
    await deliver(world, { 'Zone p/e': { spec: ZONE }, 'Site a/s1': { spec: { hosts: ['w.e'] } } });
    const hints: Hint[] = [];
    for (let round = 0; round < 500; round += 1) {
      world.clock.ms += 20;
      const refs = edit(world, { 'Backend a/b1': backend('s1', `192.0.2.${round % 250}`) });
      await reconcile(world.context, refs.map(hintFor));
      hints.push(...world.queued.hints.splice(0));
    }
    expect(hints.length).toBeLessThanOrEqual(4);
    // The last hint comes after the last change.
    await reconcile(world.context, hints.slice(-1));
    expect(await desiredInLedger(world)).toEqual(await desiredFromScratch(world));
  });

  test('is resolved in pieces together with 999 others', async () => {
    const world = siteWorld();
    const sites = Array.from({ length: 250 }, (_, index) => [`Site a/s${index}`, { spec: { hosts: [`w${index}.e`] } }]);
    const backends = sites.map((_, index) => [`Backend a/b${index}`, backend(`s${index}`, '192.0.2.1')]);
    await deliver(world, { 'Zone p/e': { spec: ZONE }, ...Object.fromEntries([...sites, ...backends]) });
    expect(addresses(world)).toHaveLength(250);
    world.clock.ms += 60_000;
    await reconcile(world.context, edit(world, { 'Host /h1': { spec: { cordoned: true } } }).map(hintFor));
    expect(world.queued.hints.filter(({ kind }) => kind === 'Site')).toHaveLength(100);
    expect(world.queued.hints.filter(({ kind }) => kind === 'Host')).toHaveLength(1);
    await deliverHints(world);
    await deliverAll(world);
    expect(addresses(world)).toEqual([]);
  });

  test('is corrected by the sweep and by apply when a hint was lost', async () => {
    const applyAll = async (world: ReconcileWorld) => {
      await saveAll(world);
      await world.context.queues.publish('Z1');
    };
    for (const bring of [sweepAndPublish, applyAll]) {
      const world = siteWorld();
      edit(world, {
        'Zone p/e': { spec: ZONE },
        'Backend a/b1': backend('s1', '192.0.2.1'),
        'Site a/s1': { spec: { hosts: ['w.e'] } },
      });
      await bring(world);
      await deliverAll(world);
      expect(addresses(world)).toEqual(['w.e. 192.0.2.1']);
      edit(world, { 'Backend a/b1': backend('s1', '192.0.2.7') });
      await bring(world);
      await deliverAll(world);
      expect(addresses(world)).toEqual(['w.e. 192.0.2.7']);
      // A hint finds what apply noted.
      world.clock.ms += 10_000;
      await deliver(world, { 'Backend a/b1': backend('s1', '192.0.2.8') });
      expect(addresses(world)).toEqual(['w.e. 192.0.2.8']);
    }
  });

  test('keeps its record sets when it is invalid, left out or waiting now, and nothing else', async () => {
    const world = siteWorld();
    const hosts = ['a.e', 'b.e', 'c.e', 'd.e'];
    await deliver(world, {
      'Zone p/e': { spec: ZONE },
      'Backend a/b1': backend('s1', '192.0.2.1'),
      'Site a/s1': { spec: { hosts } },
    });
    const spec = { hosts: ['d.e'], invalid: ['a.e', 'n.e'], leftOut: ['b.e'], waiting: [] };
    await deliver(world, { 'Site a/s1': { spec } });
    expect(addresses(world)).toEqual(['a.e. 192.0.2.1', 'b.e. 192.0.2.1', 'd.e. 192.0.2.1']);
    await deliver(world, { 'Site a/s1': { spec: { hosts, waiting: ['a.e', 'c.e', 'd.e'] } } });
    expect(addresses(world)).toEqual(['a.e. 192.0.2.1', 'b.e. 192.0.2.1', 'd.e. 192.0.2.1']);
    await deliver(world, { 'Site a/s1': { spec: { hosts: [] } } });
    expect(addresses(world)).toEqual([]);
  });

  test('loses everything when its kind is turned off', async () => {
    const world = siteWorld();
    await apply(world, { 'Zone p/e': ZONE });
    await deliver(world, { 'Backend a/b1': backend('s1', '192.0.2.1'), 'Site a/s1': { spec: { hosts: ['w.e'] } } });
    const off = { ...world, context: { ...world.context, sources: SOURCES } };
    await reconcile(off.context, [hintFor(parseRef('Site a/s1')), hintFor(parseRef('Backend a/b1'))]);
    await deliverAll(off);
    expect(addresses(world)).toEqual([]);
  });
});

const anyEdits: fc.Arbitrary<Edits> = fc
  .array(
    fc.oneof(
      fc.tuple(
        fc.constantFrom('Backend a/b1', 'Backend a/b2', 'Backend b/b3'),
        fc.option(
          fc
            .tuple(fc.constantFrom('s1', 's2'), fc.constantFrom('192.0.2.1', '192.0.2.2'), fc.constantFrom('h1', 'h2'))
            .map(([site, address, host]) => backend(site, address, host)),
          { nil: undefined },
        ),
      ),
      fc.tuple(
        fc.constantFrom('Host /h1', 'Host /h2'),
        fc.option(
          fc.boolean().map((cordoned) => ({ spec: { cordoned } })),
          { nil: undefined },
        ),
      ),
      fc.tuple(
        fc.constantFrom('Site a/s1', 'Site a/s2', 'Site b/s1'),
        fc.option(
          fc.tuple(fc.subarray(['w.e', 'v.e', 'u.x'])).map(([hosts]) => ({ spec: { hosts } })),
          { nil: undefined },
        ),
      ),
    ),
    { minLength: 1, maxLength: 3 },
  )
  .map((entries) => Object.fromEntries(entries));

const START: Edits = {
  'Zone p/e': { spec: ZONE },
  'Site a/s1': { spec: { hosts: ['w.e'] } },
  'Site b/s1': { spec: { hosts: ['w.e', 'v.e'] } },
  'Backend a/b1': backend('s1', '192.0.2.1'),
  'Backend b/b3': backend('s1', '192.0.2.1', 'h2'),
};

async function expectScratch(world: ReconcileWorld): Promise<void> {
  await deliverHints(world);
  expect(await desiredInLedger(world)).toEqual(await desiredFromScratch(world));
}

describe('incremental equals from scratch, with related objects', () => {
  test('after any edits, also by runs that die at any call', async () => {
    const crash = fc.record({ at: fc.integer({ min: 1, max: 60 }), after: fc.boolean() });
    await fc.assert(
      fc.asyncProperty(
        fc.array(anyEdits, { maxLength: 5 }),
        fc.array(crash, { maxLength: 3 }),
        async (batches, crashes) => {
          const world = siteWorld();
          for (const edits of [START, ...batches]) {
            // Here earlier hints are delivered at once, whatever their delay.
            world.clock.ms += 20_000;
            await crashing(world, edit(world, edits).map(hintFor), crashes);
            await expectScratch(world);
          }
        },
      ),
      { numRuns: RUNS },
    );
  }, 60_000);

  test('two runs interleaved at any call, one of which may die and be done again', async () => {
    const diesAt = fc.option(fc.integer({ min: 1, max: 60 }));
    await fc.assert(
      fc.asyncProperty(anyEdits, anyEdits, diesAt, fc.scheduler(), async (early, late, dies, scheduler) => {
        const world = siteWorld();
        await reconcile(world.context, edit(world, START).map(hintFor));
        await deliverHints(world);
        const first = edit(world, early).map(hintFor);
        const around = <T>(call: () => Promise<T>): Promise<T> => scheduler.schedule(Promise.resolve()).then(call);
        const scheduled = wrapped(world, around);
        const running = dying(dies === null ? scheduled : failing(scheduled, dies, true), first);
        const second = scheduler.schedule(Promise.resolve()).then(async () => {
          await reconcile(scheduled.context, edit(world, late).map(hintFor));
        });
        await scheduler.waitFor(Promise.all([running, second]));
        if (dies !== null) await reconcile(world.context, first);
        await expectScratch(world);
      }),
      { numRuns: RUNS * 3 },
    );
  }, 60_000);
});
