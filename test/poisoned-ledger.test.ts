// A ledger of an earlier version may have an object whose zoneRef has a line end, which no reference can have now.
// Every sweep, start and apply threw because of it, also after its deletion. It must cost its own object only.
import { expect, test } from 'vitest';
import { allItems } from '../lib/ledger/pages.ts';
import { formatRef, parseRef } from '../lib/objects/object-ref.ts';
import { membersPartition } from '../lib/observe/name-index.ts';
import { objectKey, objectsPartition } from '../lib/observe/object-item.ts';
import type { JsonObject, LedgerItem } from '../lib/ports/ledger.ts';
import { report } from '../lib/report/report-object.ts';
import { reconcile } from '../lib/resolve/reconcile-hints.ts';
import { apply, publishedNames, reasonOf, sweepAndPublish, worldOf, zone } from './fakes/reconcile-steps.ts';
import { deliverAll, hintFor, type ReconcileWorld, saveAll } from './fakes/reconcile-world.ts';
import { a } from './fakes/sweep-world.ts';

const BAD = parseRef('Record evil/bad');
const LINE_ENDS = ['\n', '\r', '\r\n', '\u2028', '\u2029', '\u0085'];

function poisoned(body: JsonObject, end: string): JsonObject {
  return JSON.parse(JSON.stringify(body).replaceAll('a-b', JSON.stringify(`a${end}b`).slice(1, -1))) as JsonObject;
}

/** A world with a Record whose items name the Zone `a<line end>b`, as an earlier version wrote them. */
async function poisonedWorld(end: string): Promise<ReconcileWorld> {
  const world = await worldOf({ 'Zone a/z': zone('e.'), 'Record a/www': a('www.e.') });
  await apply(world, { [formatRef(BAD)]: a('x', '192.0.2.9', { zoneRef: { name: 'a-b' } }) });
  const { ledger } = world;
  const stored = (await ledger.get(objectKey('default', BAD))) as LedgerItem;
  await ledger.put(stored, poisoned(stored.body, end), stored.revision);
  const [named] = await allItems(ledger, membersPartition('default', 'evil/a-b'));
  if (named === undefined) throw new Error('the Record has no place below its Zone');
  await ledger.put(
    { partition: poisonedText(named.partition, end), sort: named.sort },
    poisoned(named.body, end),
    null,
  );
  await ledger.remove(named, named.revision);
  world.cluster.put(BAD, a('x', '192.0.2.9', { zoneRef: { name: `a${end}b` } }));
  return world;
}

function poisonedText(text: string, end: string): string {
  return text.replaceAll('a-b', `a${end}b`);
}

test.each(LINE_ENDS)('a zoneRef with %j in the ledger stops neither a sweep nor an apply nor a report', async (end) => {
  const world = await poisonedWorld(end);
  await apply(world, { 'Record a/new': a('new.e.') });
  await sweepAndPublish(world);
  await report(world.context, [BAD, parseRef('Record a/new')]);
  await saveAll(world);
  await deliverAll(world);
  expect(publishedNames(world)).toEqual(['new.e. A', 'www.e. A']);
  expect(reasonOf(world, 'Record evil/bad')).toBe('InvalidSpec');
  expect(reasonOf(world, 'Record a/new')).toBe('Adopted');
});

test.each(LINE_ENDS)('the deletion of an object with %j in its zoneRef removes its items', async (end) => {
  for (const seen of ['a hint', 'a sweep', 'an apply'] as const) {
    const world = await poisonedWorld(end);
    world.cluster.remove(BAD);
    if (seen === 'a hint') await reconcile(world.context, [hintFor(BAD)]);
    if (seen === 'a sweep') await sweepAndPublish(world);
    if (seen === 'an apply') await saveAll(world);
    // A tombstone stays for an hour.
    world.clock.ms += 2 * 3_600_000;
    await sweepAndPublish(world);
    await sweepAndPublish(world);
    expect(await allItems(world.ledger, membersPartition('default', `evil/a${end}b`)), seen).toEqual([]);
    const left = await allItems(world.ledger, objectsPartition('default', 'Record'));
    expect(
      left.map(({ sort }) => sort),
      seen,
    ).toEqual(['a/www']);
    await apply(world, { 'Record a/new': a('new.e.') });
    await deliverAll(world);
    expect(publishedNames(world)).toEqual(['new.e. A', 'www.e. A']);
  }
});
