// Two runs over one object: a run that is overtaken by another one, which then dies, must ask for another read of the
// object, because both were started by the same message. (Simulation seed 5814.)
import { expect, test } from 'vitest';
import { planCluster } from '../../test/fakes/plan-cluster.ts';
import { hintFor, type ReconcileWorld, reconcileWorld } from '../../test/fakes/reconcile-world.ts';
import { saveCluster } from '../apply/save-cluster.ts';
import { parseRef } from '../objects/object-ref.ts';
import type { Queues } from '../ports/queues.ts';
import { reconcile } from '../resolve/reconcile-hints.ts';
import { observe } from './observe-object.ts';

const ZONE = parseRef('Zone a/root');
const SPEC = { domainName: 'e.', delegations: [{ records: [{ pattern: '*' }] }] };

async function isUnsettled({ ledger }: ReconcileWorld): Promise<boolean> {
  const stored = await ledger.get({ partition: 'objects#default#Zone', sort: 'a/root' });
  return stored?.body.unsettled === true;
}

/** Queues that run `meanwhile` before the first report is asked for. */
function reportingAfter(queues: Queues, meanwhile: () => Promise<void>): Queues {
  let happened = false;
  return {
    ...queues,
    report: async (refs) => {
      if (!happened) {
        happened = true;
        await meanwhile();
      }
      await queues.report(refs);
    },
  };
}

test('reconcile() asks for another hint when another run noted its object again and died', async () => {
  const world = reconcileWorld({ hostedZones: [{ id: 'Z1', name: 'e.' }] });
  world.cluster.put(ZONE, SPEC);
  const queues = reportingAfter(world.context.queues, async () => {
    // The other run notes what it sees, and then dies.
    await observe(world.context, ZONE);
  });
  await reconcile({ ...world.context, queues }, [hintFor(ZONE)]);
  expect(await isUnsettled(world)).toBe(true);
  expect(world.queued.hints).toEqual([ZONE]);
  await reconcile(world.context, [hintFor(ZONE)]);
  expect(await isUnsettled(world)).toBe(false);
});

test('reconcile() asks for no hint when its object was noted in a newer state, because that run has one', async () => {
  const world = reconcileWorld({ hostedZones: [{ id: 'Z1', name: 'e.' }] });
  world.cluster.put(ZONE, SPEC);
  const queues = reportingAfter(world.context.queues, async () => {
    world.cluster.put(ZONE, { ...SPEC, ttl: 60 });
    await observe(world.context, ZONE);
  });
  await reconcile({ ...world.context, queues }, [hintFor(ZONE)]);
  expect(world.queued.hints).toEqual([]);
  await reconcile(world.context, [hintFor(ZONE)]);
  expect(await isUnsettled(world)).toBe(false);
});

test('saveCluster() asks for another hint when it is overtaken in this way', async () => {
  const world = reconcileWorld({ hostedZones: [{ id: 'Z1', name: 'e.' }] });
  world.cluster.put(ZONE, SPEC);
  const plan = await planCluster(world.context);
  const { ledger } = world;
  const overtaken = {
    ...world.context,
    ledger: {
      ...ledger,
      query: async (...args: Parameters<typeof ledger.query>) => {
        if (args[0] === 'subtrees#default') await observe(world.context, ZONE);
        return ledger.query(...args);
      },
    },
  };
  await saveCluster(overtaken, plan);
  expect(await isUnsettled(world)).toBe(true);
  expect(world.queued.hints).toEqual([ZONE]);
});
