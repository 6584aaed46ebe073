// The condition Propagated on objects.
import { describe, expect, test } from 'vitest';
import { a, apply, sweepAndPublish, worldOf, zone } from '../../test/fakes/reconcile-steps.ts';
import {
  deliverFollows,
  deliverReports,
  hintFor,
  newsFromScratch,
  type ReconcileWorld,
  reconcile,
} from '../../test/fakes/reconcile-world.ts';
import type { Condition } from '../objects/conditions.ts';
import { parseRef } from '../objects/object-ref.ts';
import { statusKey } from '../observe/status-item.ts';
import type { JsonObject, LedgerItem } from '../ports/ledger.ts';
import { publish } from '../publish/run/publish-hosted-zone.ts';

const RECORD = 'Record a/www';
const OBJECTS = { 'Zone a/e': zone('e.'), [RECORD]: a('www.e.') };

function propagated({ cluster }: ReconcileWorld, id = RECORD): Condition | undefined {
  return cluster.statuses.get(id)?.conditions.find(({ type }) => type === 'Propagated');
}

/** An edit that is published, and of which nobody has asked Route 53 yet. */
async function edit(world: ReconcileWorld, spec: object): Promise<void> {
  await apply(world, { [RECORD]: spec });
  world.queued.publish.clear();
  await publish(world.deps, 'Z1');
  await deliverReports(world);
}

describe('Propagated', () => {
  test('is Changing from acceptance until the TTL of what was there is over, and says until when', async () => {
    const world = await worldOf(OBJECTS);
    expect(propagated(world)).toMatchObject({ status: 'True', reason: 'Resolved' });
    await edit(world, a('www.e.', { rdata: '192.0.2.2' }));
    expect(propagated(world)).toMatchObject({ status: 'False', reason: 'Changing' });
    expect(propagated(world)?.message).toMatch(/ until about 2026-.*Z$/);
    await deliverFollows(world);
    await deliverReports(world);
    expect(propagated(world)).toMatchObject({ status: 'True', reason: 'Resolved', observedGeneration: 2 });
  });

  test('is not said of an edit that is refused, nor of one that is not published', async () => {
    const world = await worldOf(OBJECTS);
    await apply(world, { [RECORD]: a('www.e.', { rdata: '192.0.2.2' }) });
    await deliverReports(world);
    expect(propagated(world)).toBeUndefined();
    await apply(world, { [RECORD]: a('www.e.', { rdata: 'no address' }) });
    await deliverReports(world);
    expect(propagated(world)).toBeUndefined();
  });

  test('is not said where the configuration turns it off, and nothing is asked', async () => {
    const world = await worldOf(OBJECTS, { propagation: false });
    expect(propagated(world)).toBeUndefined();
  });

  test('is finished by the sweep, if the message that follows the batch is lost', async () => {
    const world = await worldOf(OBJECTS);
    await edit(world, a('www.e.', { rdata: '192.0.2.2' }));
    world.queued.follows.length = 0;
    world.clock.ms += 900_000;
    await sweepAndPublish(world);
    expect(propagated(world)?.message).toMatch(/ until 2026-.*Z$/);
    world.clock.ms += 900_000;
    await sweepAndPublish(world);
    expect(propagated(world)).toMatchObject({ status: 'True' });
  });

  test('becomes Unknown after an hour, by the sweep', async () => {
    const world = await worldOf(OBJECTS);
    await edit(world, a('www.e.', { rdata: '192.0.2.2' }));
    world.queued.follows.length = 0;
    world.clock.ms += 3_600_000;
    await sweepAndPublish(world);
    expect(propagated(world)).toMatchObject({ status: 'Unknown', reason: 'Unknown' });
  });

  test('is not written to objects that were settled before there was such a condition', async () => {
    const world = await worldOf(OBJECTS);
    const before = async (id: string) => {
      const key = statusKey('default', parseRef(id));
      const stored = (await world.ledger.get(key)) as LedgerItem;
      const conditions = (stored.body.conditions as JsonObject[]).filter(({ type }) => type !== 'Propagated');
      await world.ledger.put(key, { ...stored.body, conditions }, stored.revision);
    };
    await before(RECORD);
    const shown = world.cluster.statuses.get(RECORD);
    await reconcile(world.context, [hintFor(parseRef(RECORD))]);
    await sweepAndPublish(world);
    expect(world.cluster.statuses.get(RECORD)).toBe(shown);
    expect(await newsFromScratch(world)).toEqual([]);
    await edit(world, a('www.e.', { rdata: '192.0.2.2' }));
    expect(propagated(world)).toMatchObject({ reason: 'Changing' });
  });
});
