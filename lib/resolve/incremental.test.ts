// The law of the running system: however the pieces were arrived at, incremental equals from scratch. Random edits of
// tiny clusters, their hints in any order, twice or lost; with crashes at any call; with two runs interleaved at any
// call.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { crashing, dying, failing, wrapped } from '../../test/fakes/failing-world.ts';
import {
  deliverAll,
  deliverReports,
  desiredFromScratch,
  desiredInLedger,
  hintFor,
  newsFromScratch,
  type ReconcileWorld,
  reconcile,
  reconcileWorld,
  saveAll,
  standingInRoute53,
  statusesFromScratch,
  statusesReported,
  wantedInRoute53,
} from '../../test/fakes/reconcile-world.ts';
import {
  anyEdit,
  anyHostedZones,
  anyStart,
  applyEdit,
  type Edit,
  type EditOptions,
} from '../../test/support/cluster-arbitraries.ts';
import type { Hint } from '../ports/queues.ts';

/** How often each law is tried; `ZONE53_LAW_RUNS` is a factor. */
const RUNS = 60 * Number(process.env.ZONE53_LAW_RUNS ?? 1);
const TIMEOUT_MS = 30_000 * Number(process.env.ZONE53_LAW_RUNS ?? 1);
const SEED = process.env.ZONE53_LAW_SEED === undefined ? {} : { seed: Number(process.env.ZONE53_LAW_SEED) };

/** Edits before the next run, the order of their hints, and whether the hints are lost. */
type Batch = { readonly edits: readonly Edit[]; readonly order: readonly number[]; readonly lost: boolean };

function anyBatches(options: Partial<EditOptions> = {}): fc.Arbitrary<readonly Batch[]> {
  const batch = fc.record({
    edits: fc.array(anyEdit({ invalid: true, ...options }), { minLength: 1, maxLength: 3 }),
    order: fc.array(fc.nat({ max: 5 }), { minLength: 5, maxLength: 5 }),
    lost: fc.oneof({ weight: 8, arbitrary: fc.constant(false) }, fc.constant(true)),
  });
  return fc.array(batch, { minLength: 1, maxLength: 6 });
}

/** The hints of a batch in some order, some of them twice. */
function hintsOf(edits: readonly Edit[], order: readonly number[]): Hint[] {
  const hints = edits.map((edit) => hintFor(edit.ref));
  if (hints.length === 0) return [];
  for (const at of order.slice(0, 2)) hints.push(hints[at % hints.length] as Hint);
  return hints
    .map((hint, index) => ({ hint, at: order[index % order.length] ?? 0 }))
    .toSorted((a, b) => a.at - b.at)
    .map(({ hint }) => hint);
}

/** Makes edits at a later time than all before, because the time decides which edit closed a ring of Zones. */
function edited(world: ReconcileWorld, edits: readonly Edit[]): void {
  world.clock.ms += 1_000;
  for (const edit of edits) applyEdit(world.cluster, edit);
}

async function expectDesired(world: ReconcileWorld): Promise<void> {
  expect(await desiredInLedger(world)).toEqual(await desiredFromScratch(world));
}

async function expectStatuses(world: ReconcileWorld): Promise<void> {
  expect(statusesReported(world)).toEqual(await statusesFromScratch(world));
}

async function expectPublished(world: ReconcileWorld): Promise<void> {
  await deliverAll(world);
  expect(standingInRoute53(world)).toEqual(await wantedInRoute53(world));
  await expectStatuses(world);
  expect(await newsFromScratch(world)).toEqual([]);
}

test(
  'incremental equals from scratch after any edits, hints in any order, repeated or lost',
  async () => {
    await fc.assert(
      fc.asyncProperty(
        anyStart(),
        anyBatches({ aliases: true }),
        anyHostedZones(),
        async (start, batches, hostedZones) => {
          const world = reconcileWorld({ hostedZones });
          edited(world, start);
          await reconcile(world.context, hintsOf(start, [0]));
          for (const { edits, order, lost } of batches) {
            edited(world, edits);
            if (lost) await saveAll(world);
            else await reconcile(world.context, hintsOf(edits, order));
            await expectDesired(world);
            await deliverReports(world);
            await expectStatuses(world);
          }
        },
      ),
      { numRuns: RUNS, ...SEED },
    );
  },
  TIMEOUT_MS,
);

test(
  'what was published and reported incrementally equals from scratch',
  async () => {
    await fc.assert(
      fc.asyncProperty(anyStart(), anyBatches(), anyHostedZones(), async (start, batches, hostedZones) => {
        const world = reconcileWorld({ hostedZones });
        edited(world, start);
        await reconcile(world.context, hintsOf(start, [0]));
        await expectPublished(world);
        for (const { edits, order } of batches) {
          edited(world, edits);
          await reconcile(world.context, hintsOf(edits, order));
          await expectPublished(world);
        }
      }),
      { numRuns: RUNS, ...SEED },
    );
  },
  TIMEOUT_MS,
);

/** Hosted zones of one name in two views. */
const anyHostedZonesOfViews = fc
  .tuple(anyHostedZones(), fc.subarray(['e.', 's.e.']), fc.boolean())
  .map(([hostedZones, internal, isPrivate]) => [
    ...hostedZones,
    ...internal.map((name) => ({ id: `I${name.length}`, name, view: 'internal', ...(isPrivate && { isPrivate }) })),
  ]);

test(
  'with several views, what is desired, published and reported incrementally equals from scratch',
  async () => {
    await fc.assert(
      fc.asyncProperty(
        anyStart(),
        anyBatches({ views: true }),
        anyHostedZonesOfViews,
        async (start, batches, hostedZones) => {
          const world = reconcileWorld({ hostedZones });
          edited(world, start);
          await reconcile(world.context, hintsOf(start, [0]));
          for (const { edits, order } of batches) {
            edited(world, edits);
            await reconcile(world.context, hintsOf(edits, order));
            await expectDesired(world);
            await expectPublished(world);
          }
        },
      ),
      { numRuns: RUNS, ...SEED },
    );
  },
  TIMEOUT_MS,
);

test(
  'with several views and aliases, incremental equals from scratch, also after lost hints',
  async () => {
    await fc.assert(
      fc.asyncProperty(
        anyStart(),
        anyBatches({ views: true, aliases: true }),
        anyHostedZonesOfViews,
        async (start, batches, hostedZones) => {
          const world = reconcileWorld({ hostedZones });
          edited(world, start);
          await reconcile(world.context, hintsOf(start, [0]));
          for (const { edits, order, lost } of batches) {
            edited(world, edits);
            if (lost) await saveAll(world);
            else await reconcile(world.context, hintsOf(edits, order));
            await expectDesired(world);
            await deliverReports(world);
            await expectStatuses(world);
          }
        },
      ),
      { numRuns: RUNS, ...SEED },
    );
  },
  TIMEOUT_MS,
);

const anyCrashes = fc.array(fc.record({ at: fc.integer({ min: 1, max: 150 }), after: fc.boolean() }), {
  minLength: 1,
  maxLength: 4,
});

test(
  'a run that dies at any call is finished by the redelivered hints',
  async () => {
    await fc.assert(
      fc.asyncProperty(
        anyStart(),
        anyBatches(),
        anyHostedZones(),
        anyCrashes,
        async (start, batches, hosted, crashes) => {
          const world = reconcileWorld({ hostedZones: hosted });
          edited(world, start);
          await crashing(world, hintsOf(start, [0]), crashes);
          for (const { edits, order } of batches) {
            edited(world, edits);
            await crashing(world, hintsOf(edits, order), crashes);
            await expectDesired(world);
            await deliverReports(world);
            await expectStatuses(world);
          }
          await expectPublished(world);
        },
      ),
      { numRuns: RUNS, ...SEED },
    );
  },
  TIMEOUT_MS,
);

test(
  'two runs interleaved at any call end where one run ends, also when one of them dies and is done again',
  async () => {
    await fc.assert(
      fc.asyncProperty(
        anyStart(),
        fc.array(anyEdit({ invalid: false }), { minLength: 1, maxLength: 3 }),
        fc.array(anyEdit({ invalid: false }), { minLength: 0, maxLength: 2 }),
        anyHostedZones(),
        fc.record({ same: fc.boolean(), diesAt: fc.option(fc.integer({ min: 1, max: 80 })) }),
        fc.scheduler(),
        async (start, early, late, hostedZones, { same, diesAt }, scheduler) => {
          const world = reconcileWorld({ hostedZones });
          edited(world, start);
          await reconcile(world.context, hintsOf(start, [0]));
          edited(world, early);
          const around = <T>(call: () => Promise<T>): Promise<T> => scheduler.schedule(Promise.resolve()).then(call);
          const scheduled = wrapped(world, around);
          const mortal = diesAt === null ? scheduled : failing(scheduled, diesAt, true);
          const first = dying(mortal, hintsOf(early, [0]));
          const second = scheduler.schedule(Promise.resolve()).then(async () => {
            edited(world, late);
            const edits = same || late.length === 0 ? [...early, ...late] : late;
            await reconcile(scheduled.context, hintsOf(edits, [0]));
          });
          await scheduler.waitFor(Promise.all([first, second]));
          if (diesAt !== null) await reconcile(world.context, hintsOf(early, [0]));
          await expectDesired(world);
          await deliverReports(world);
          await expectStatuses(world);
        },
      ),
      { numRuns: RUNS, ...SEED },
    );
  },
  TIMEOUT_MS,
);

test(
  'a full comparison interleaved with runs ends where they end',
  async () => {
    await fc.assert(
      fc.asyncProperty(
        anyStart(),
        fc.array(anyEdit({ invalid: false }), { minLength: 1, maxLength: 3 }),
        fc.array(anyEdit({ invalid: false }), { minLength: 1, maxLength: 2 }),
        anyHostedZones(),
        fc.scheduler(),
        async (start, early, late, hostedZones, scheduler) => {
          const world = reconcileWorld({ hostedZones });
          edited(world, start);
          await reconcile(world.context, hintsOf(start, [0]));
          edited(world, early);
          const around = <T>(call: () => Promise<T>): Promise<T> => scheduler.schedule(Promise.resolve()).then(call);
          const scheduled = wrapped(world, around);
          const whole = saveAll(scheduled);
          const hinted = scheduler.schedule(Promise.resolve()).then(async () => {
            edited(world, late);
            await reconcile(scheduled.context, hintsOf(late, [0]));
          });
          await scheduler.waitFor(Promise.all([whole, hinted]));
          await expectDesired(world);
          await deliverReports(world);
          await expectStatuses(world);
        },
      ),
      { numRuns: RUNS, ...SEED },
    );
  },
  TIMEOUT_MS,
);
