// A name that moves between hosted zones, because a sub-zone gets or loses one, is found at every step by a resolver
// that follows the delegations: whichever hosted zone is published first, and whatever cannot be written.
import { describe, expect, test } from 'vitest';
import {
  ALL,
  changeItem,
  denying,
  done,
  foundIn,
  gain,
  lose,
  NS,
  OTHER,
  ROOT,
  rootWorld,
  SUB,
  say,
  standing,
  subWorld,
  X,
} from '../../../test/fakes/sub-zone-world.ts';
import { parseRef } from '../../objects/object-ref.ts';
import type { JsonObject } from '../../ports/ledger.ts';
import { dirtyCodec, dirtyItemKey } from '../../record-sets/dirty-mark.ts';
import { changeHostedZone } from '../../record-sets/lease.ts';
import { hostedZonesOf } from '../../record-sets/list-hosted-zones.ts';
import { recordSetItemKey } from '../../record-sets/record-set-item.ts';
import { wakeHostedZones } from '../../record-sets/wake-hosted-zones.ts';
import { reconcile } from '../../resolve/reconcile-hints.ts';
import { publish } from '../run/publish-hosted-zone.ts';

const CHANGED: readonly (readonly [string, object])[] = [
  ['a set identifier', { type: 'A', rdata: '192.0.2.1', routing: { setIdentifier: 'one', weight: 1 } }],
  ['another type', { type: 'CNAME', rdata: 'other.example.' }],
];

describe('a name that moves and changes at the same time', () => {
  test.each(CHANGED)('to %s is found while its sub-zone gets a hosted zone', async (_, spec) => {
    const world = await rootWorld();
    world.cluster.put(parseRef('Record p/x'), { domainName: X.name, ...spec });
    await gain(world);
    await say(world, 'Record p/x');
    expect((await done(world, ROOT)).outcomes).toEqual([]);
    expect(foundIn(world)).toBe(ROOT);
    await done(world, SUB);
    await done(world, ROOT);
    expect(standing(world, ROOT, NS)).not.toBeNull();
    expect(world.route53.recordSets(SUB).some(({ name }) => name === X.name)).toBe(true);
    expect(standing(world, ROOT, X)).toBeNull();
  });

  test.each(CHANGED)('to %s is found while its sub-zone loses its hosted zone', async (_, spec) => {
    const world = await subWorld();
    world.cluster.put(parseRef('Record p/x'), { domainName: X.name, ...spec });
    await lose(world);
    await say(world, 'Record p/x');
    expect((await done(world, SUB)).outcomes).toEqual([]);
    expect(foundIn(world)).toBe(SUB);
    await done(world, ROOT);
    expect(standing(world, ROOT, NS)).toBeNull();
    expect(world.route53.recordSets(ROOT).some(({ name }) => name === X.name)).toBe(true);
    await done(world, SUB);
    expect(standing(world, SUB, X)).toBeNull();
  });
});

describe('a sub-zone that gets a hosted zone of its own', () => {
  test("is delegated to only when its hosted zone has its names, and only then the parent's lose them", async () => {
    const world = await rootWorld();
    await gain(world);
    const early = await done(world, ROOT);
    expect(early.outcomes).toEqual([]);
    expect(early.waiting.get(NS.name)).toBe('x.s.e. A is not published yet in hosted zone Z2');
    expect(early.retryAfterSeconds).toBe(1);
    expect(foundIn(world)).toBe(ROOT);
    await done(world, SUB);
    expect(foundIn(world)).toBe(ROOT);
    const late = await done(world, ROOT);
    expect(late.outcomes.map(({ change }) => `${change.action} ${change.name}`)).toEqual([
      'create s.e.',
      'delete x.s.e.',
    ]);
    expect(late.waiting.size).toBe(0);
    expect(foundIn(world)).toBe(SUB);
    expect(standing(world, ROOT, X)).toBeNull();
  });

  test('stays where it is while its hosted zone cannot be written, and asks less and less often', async () => {
    let isDenied = true;
    const world = denying(await rootWorld(), SUB, () => isDenied);
    await gain(world);
    await done(world, SUB);
    const pauses: (number | null)[] = [];
    for (const waitMs of [0, 60_000, 3_600_000]) {
      world.clock.ms += waitMs;
      pauses.push((await done(world, ROOT)).retryAfterSeconds);
    }
    // After a long time it no longer asks, but waits for a message.
    expect(pauses).toEqual([1, 6, null]);
    expect(foundIn(world)).toBe(ROOT);
    isDenied = false;
    world.queued.publish.clear();
    await done(world, SUB);
    expect([...world.queued.publish]).toContain(ROOT);
    await done(world, ROOT);
    expect(foundIn(world)).toBe(SUB);
  });

  test('waits for a name that changes hands too often', async () => {
    const world = await rootWorld();
    await gain(world);
    const flip = { atMs: world.clock.ms, by: ['Record p/other'], fight: true };
    await changeItem(world, SUB, (item) => ({ ...item, flips: new Array(6).fill(flip) }));
    await done(world, SUB);
    expect(await done(world, ROOT)).toMatchObject({ outcomes: [], retryAfterSeconds: 1 });
    world.clock.ms += 660_000;
    await done(world, SUB);
    await done(world, ROOT);
    expect(foundIn(world)).toBe(SUB);
  });

  test('gets a message about a late name, although the run that published it died', async () => {
    const world = await rootWorld();
    await gain(world);
    world.clock.ms += 3_600_000;
    expect((await done(world, ROOT)).retryAfterSeconds).toBeNull();
    const queues = { ...world.deps.queues, publish: () => Promise.reject(new Error('the queue is down')) };
    await expect(publish({ ...world.deps, queues }, SUB)).rejects.toThrow('the queue is down');
    expect(standing(world, SUB, X)).not.toBeNull();
    world.queued.publish.clear();
    await done(world, SUB);
    expect([...world.queued.publish]).toContain(ROOT);
  });

  test('asks about a name that became dirty lately, however long it has waited itself (seed 203126)', async () => {
    const world = await rootWorld();
    await gain(world);
    world.clock.ms += 3_600_000;
    expect((await done(world, ROOT)).retryAfterSeconds).toBeNull();
    const key = dirtyItemKey(SUB, X.name);
    const mark = await world.ledger.get(key);
    await world.ledger.put(key, { ...mark?.body, sinceMs: world.clock.ms }, mark?.revision ?? null);
    expect((await done(world, ROOT)).retryAfterSeconds).toBe(60);
  });

  test('waits until everything below its Zones is settled', async () => {
    const world = await rootWorld();
    world.cluster.put(parseRef('Zone p/s'), { domainName: 's.e.', delegations: ALL });
    // This run settles no name; its work is left in a task.
    await reconcile(world.context, [parseRef('Zone p/s')], 0);
    const task = (await world.ledger.query('subtrees#default')).items[0];
    expect(task).toBeDefined();
    world.cluster.put(parseRef('Record p/x'), { domainName: X.name, type: 'A', rdata: '192.0.2.2' });
    await say(world, 'Record p/x');
    await world.ledger.put(task as NonNullable<typeof task>, (task as { body: JsonObject }).body, null);
    await done(world, SUB);
    const { waiting } = await done(world, ROOT);
    expect([...waiting.values()]).toContain('the Zones at or above x.s.e. are being resolved');
    expect(standing(world, ROOT, X)).not.toBeNull();
  });

  test('moves although a foreign record set is in the way of a name', async () => {
    const world = await rootWorld();
    world.route53.edit(SUB, X, { kind: 'values', ttlSeconds: 61, values: ['203.0.113.1'] });
    await gain(world);
    await done(world, SUB);
    expect((await done(world, ROOT)).waiting.size).toBe(0);
    expect(standing(world, ROOT, NS)).not.toBeNull();
  });

  test("keeps its names in the parent's hosted zone while the delegation is refused", async () => {
    const world = await rootWorld();
    world.route53.edit(ROOT, NS, { kind: 'values', ttlSeconds: 61, values: ['ns.example.com.'] });
    await gain(world);
    await done(world, SUB);
    const { waiting, retryAfterSeconds } = await done(world, ROOT);
    expect(waiting.get(X.name)).toBe('hosted zone Z1 does not delegate s.e. yet');
    // Nobody knows how long this lasts. The next sweep, or the run that writes the delegation, comes back to it.
    expect(retryAfterSeconds).toBeNull();
    expect(standing(world, ROOT, X)).not.toBeNull();
  });

  test('keeps names that depend on an item of an unknown version', async () => {
    const world = await rootWorld();
    await gain(world);
    await done(world, SUB);
    const key = recordSetItemKey(SUB, X);
    const stored = await world.ledger.get(key);
    await world.ledger.put(key, { ...stored?.body, v: 99 }, stored?.revision ?? null);
    const { waiting } = await done(world, ROOT);
    expect(waiting.get(NS.name)).toContain('Cannot read ledger item "recordsets#Z2"');
    expect(foundIn(world)).toBe(ROOT);
  });

  test('sees a delete of the other hosted zone that began in the meantime, once its own intent is written', async () => {
    const world = await rootWorld();
    await gain(world);
    await done(world, SUB);
    const { ledger } = world;
    const intent = { content: null, before: null, epoch: 9, atMs: world.clock.ms };
    const put: typeof ledger.put = async (key, body, expected) => {
      const revision = await ledger.put(key, body, expected);
      const isOurs = key.partition === `recordsets#${ROOT}` && key.sort === recordSetItemKey(ROOT, X).sort;
      // The Zone is deleted again, and the sub-zone's hosted zone is about to be emptied.
      if (isOurs && body.intent !== null) await changeItem(world, SUB, (item) => ({ ...item, intent }));
      return revision;
    };
    const { waiting } = await done({ ...world, deps: { ...world.deps, ledger: { ...ledger, put } } }, ROOT);
    expect(waiting.get(X.name)).toBe('x.s.e. A is not published yet in hosted zone Z2');
    expect(standing(world, ROOT, X)).not.toBeNull();
    expect((await ledger.get(recordSetItemKey(ROOT, X)))?.body.intent).toBeNull();
  });
});

test('held deletes in the hosted zone that a sub-zone gets again do not count as wanted there', async () => {
  const world = await subWorld();
  await lose(world);
  await done(world, ROOT);
  const guarded = { ...world.deps, config: { ...world.deps.config, guard: { deletesMax: 0, deletesShareMax: 1 } } };
  await publish(guarded, SUB);
  expect(standing(world, SUB, X)).not.toBeNull();
  world.cluster.put(parseRef('Record p/x'), { domainName: X.name, type: 'A', rdata: '192.0.2.2' });
  await say(world, 'Record p/x');
  await done(world, ROOT);
  await gain(world);
  await done(world, ROOT);
  expect(foundIn(world)).toBe(ROOT);
  await publish(guarded, SUB);
  await done(world, ROOT);
  expect(foundIn(world)).toBe(SUB);
  expect(standing(world, SUB, X)).toMatchObject({ values: ['192.0.2.2'] });
});

test('a hosted zone that waits for a held name does not ask again and again, and gets a message when it goes', async () => {
  const world = await subWorld();
  const guarded = { ...world.deps, config: { ...world.deps.config, guard: { deletesMax: 0, deletesShareMax: 1 } } };
  await lose(world);
  await done(world, ROOT);
  await publish(guarded, SUB);
  // The new record set cannot exist together with the held one.
  world.cluster.put(parseRef('Record p/x'), { domainName: X.name, type: 'CNAME', rdata: 'c.e.' });
  await say(world, 'Record p/x');
  await done(world, ROOT);
  await gain(world);
  const result = await publish(guarded, SUB);
  const digest = result.kind === 'done' ? result.held?.digest : undefined;
  const { waiting, retryAfterSeconds } = await done(world, ROOT);
  expect(waiting.get(NS.name)).toBe('x.s.e. CNAME is not published yet in hosted zone Z2');
  expect(retryAfterSeconds).toBeNull();
  await changeHostedZone(
    world.ledger,
    SUB,
    (item) => item && { ...item, acknowledgements: [{ digest: digest ?? '', state: 'open' }] },
  );
  world.queued.publish.clear();
  await publish(guarded, SUB);
  expect([...world.queued.publish]).toContain(ROOT);
  await done(world, ROOT);
  expect(standing(world, ROOT, NS)).not.toBeNull();
});

test('a sub-zone with another hosted zone is delegated to that one once it is filled; then the first is emptied', async () => {
  const hostedZones = [
    { id: ROOT, name: 'e.' },
    { id: SUB, name: 's.e.', nameServers: ['ns-2.example.net.'] },
    { id: OTHER, name: 's.e.', nameServers: ['ns-3.example.net.'] },
  ];
  const given = (id: string) => ({ hostedZones: [{ zone: 's.e.', id }] });
  const before = await subWorld({ hostedZones, config: given(SUB) });
  const world = { ...before, context: { ...before.context, config: { ...before.context.config, ...given(OTHER) } } };
  world.cluster.put(parseRef('Zone p/s'), { domainName: 's.e.', delegations: ALL, ttl: 60 });
  await say(world, 'Zone p/s');
  const found: (string | null)[] = [];
  for (const id of [SUB, ROOT, OTHER, SUB, ROOT, SUB]) {
    await done(world, id);
    found.push(foundIn(world));
  }
  expect(found).toEqual([SUB, SUB, SUB, SUB, OTHER, OTHER]);
  expect(standing(world, SUB, X)).toBeNull();
});

test('wakeHostedZones() wakes a hosted zone that has dirty names, or is being published and may have them then', async () => {
  const world = await rootWorld();
  const told = async () => {
    world.queued.publish.clear();
    await wakeHostedZones(world.context, await hostedZonesOf(world.ledger, 'default', world.context.log));
    return [...world.queued.publish];
  };
  expect(await told()).toEqual([]);
  const lease = { holder: 'h', epoch: 9, charged: { epoch: 0, batch: 0 }, expiresAtMs: world.clock.ms };
  await changeHostedZone(world.ledger, ROOT, (item) => item && { ...item, lease });
  expect(await told()).toEqual([ROOT]);
  await changeHostedZone(world.ledger, ROOT, (item) => item && { ...item, lease: null });
  await world.ledger.put(
    dirtyItemKey(ROOT, X.name),
    dirtyCodec.encode({ name: X.name, sinceMs: 0, retry: false }),
    null,
  );
  expect(await told()).toEqual([ROOT]);
});
