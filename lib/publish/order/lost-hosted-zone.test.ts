// A sub-zone that loses its hosted zone stays delegated until its names are published in the hosted zone of its parent.
import { describe, expect, test } from 'vitest';
import {
  ALL,
  denying,
  done,
  foundIn,
  lose,
  NS,
  ROOT,
  SUB,
  say,
  standing,
  subWorld,
  X,
} from '../../../test/fakes/sub-zone-world.ts';
import { parseRef } from '../../objects/object-ref.ts';
import type { HostedZones } from '../../ports/hosted-zones.ts';
import { hostedZoneItemKey } from '../../record-sets/hosted-zone-item.ts';
import { changeHostedZone } from '../../record-sets/lease.ts';
import { recordSetItemKey } from '../../record-sets/record-set-item.ts';
import { reconcile } from '../../resolve/reconcile-hints.ts';
import { publish } from '../run/publish-hosted-zone.ts';

describe('a sub-zone that loses its hosted zone', () => {
  test("is no longer delegated to once the parent's hosted zone has its names, and only then its own loses them", async () => {
    const world = await subWorld();
    await lose(world);
    const early = await done(world, SUB);
    expect(early.waiting.get(X.name)).toBe('x.s.e. A is not published yet in hosted zone Z1');
    expect(foundIn(world)).toBe(SUB);
    await done(world, ROOT);
    expect(foundIn(world)).toBe(ROOT);
    await done(world, SUB);
    expect(standing(world, SUB, X)).toBeNull();
  });

  test("is delegated to until the parent's hosted zone has all of its names, however many runs that takes", async () => {
    const world = await subWorld();
    await lose(world);
    const short = { ...world, deps: { ...world.deps, config: { ...world.deps.config, namesMax: 1 } } };
    const first = await done(short, ROOT);
    expect([...first.waiting.keys()]).toEqual([NS.name]);
    // The next run begins after the names that wait, and asks about the earlier ones again.
    const second = await done(short, ROOT);
    expect(second.outcomes.map(({ change }) => change.name)).toEqual([X.name]);
    expect(foundIn(world)).toBe(SUB);
    for (let runs = 0; runs < 3; runs += 1)
      expect((await done(short, ROOT)).retryAfterSeconds === null).toBe(runs === 2);
    expect(foundIn(world)).toBe(ROOT);
  });

  test('keeps its names when it gets that hosted zone again, and they are not settled yet (seed 2149329)', async () => {
    const world = await subWorld();
    await lose(world);
    await done(world, ROOT);
    world.cluster.put(parseRef('Zone p/s'), { domainName: 's.e.', delegations: ALL });
    await reconcile(world.context, [parseRef('Zone p/s')], 0);
    expect((await world.ledger.get(recordSetItemKey(SUB, X)))?.body.desired).toBeNull();
    await done(world, SUB);
    expect(standing(world, SUB, X)).not.toBeNull();
  });

  test("is delegated to until the names in the parent's hosted zone are settled (seed 4514)", async () => {
    const world = await subWorld();
    world.cluster.remove(parseRef('Zone p/s'));
    await reconcile(world.context, [parseRef('Zone p/s')], 0);
    // Only this one of its names is settled, because of a Record there.
    world.cluster.put(parseRef('Record p/apex'), { domainName: NS.name, type: 'TXT', rdata: 'new' });
    await reconcile(world.context, [parseRef('Record p/apex')], 0);
    expect((await world.ledger.get(recordSetItemKey(ROOT, NS)))?.body.desired).toBeNull();
    await done(world, ROOT);
    expect(foundIn(world)).toBe(SUB);
    await say(world, 'Zone p/s');
    await done(world, ROOT);
    expect(foundIn(world)).toBe(ROOT);
  });

  test("keeps its names while the parent's hosted zone delegates it, also when that one's item cannot be read", async () => {
    const world = await subWorld();
    await lose(world);
    let calls = 0;
    const { port } = world.route53;
    // The names are created, but the delegation is not deleted.
    const change: HostedZones['change'] = async (...args) => {
      calls += 1;
      return calls > 1 ? { kind: 'denied', message: 'AccessDenied' } : port.change(...args);
    };
    await done({ ...world, deps: { ...world.deps, hostedZones: { ...port, change } } }, ROOT);
    expect(standing(world, ROOT, X)).not.toBeNull();
    expect(standing(world, ROOT, NS)).not.toBeNull();
    const key = hostedZoneItemKey(ROOT);
    const stored = await world.ledger.get(key);
    await world.ledger.put(key, { ...stored?.body, v: 99 }, stored?.revision ?? null);
    await done(world, SUB);
    expect(foundIn(world)).toBe(SUB);
  });

  test("stays where it is while the parent's hosted zone cannot be written", async () => {
    const world = denying(await subWorld(), ROOT, () => true);
    await lose(world);
    await done(world, ROOT);
    await done(world, SUB);
    expect(foundIn(world)).toBe(SUB);
  });

  test('keeps its names while the guard holds the delegation, does not ask again and again, and gets a message at the end', async () => {
    const world = await subWorld();
    const guarded = { ...world.deps, config: { ...world.deps.config, guard: { deletesMax: 0, deletesShareMax: 1 } } };
    await lose(world);
    const first = await publish(guarded, ROOT);
    const held = first.kind === 'done' ? first.held : null;
    expect(held?.count).toBe(1);
    const { waiting, retryAfterSeconds } = await done(world, SUB);
    expect(waiting.get(X.name)).toBe('hosted zone Z1 may still delegate s.e. to this one');
    expect(retryAfterSeconds).toBeNull();
    expect(foundIn(world)).toBe(SUB);
    await changeHostedZone(
      world.ledger,
      ROOT,
      (item) => item && { ...item, acknowledgements: [{ digest: held?.digest ?? '', state: 'open' }] },
    );
    world.queued.publish.clear();
    await publish(guarded, ROOT);
    expect(foundIn(world)).toBe(ROOT);
    expect([...world.queued.publish]).toContain(SUB);
    await done(world, SUB);
    expect(standing(world, SUB, X)).toBeNull();
  });

  test('asks again when the delegation was deleted while it looked, however long it had waited', async () => {
    const world = await subWorld();
    await lose(world);
    world.clock.ms += 1_800_000;
    const { port } = world.route53;
    let during: Awaited<ReturnType<typeof done>> | null = null;
    const change: HostedZones['change'] = async (id, changes, ...rest) => {
      const goes = changes.some(({ action, recordSet }) => action === 'DELETE' && recordSet.type === 'NS');
      if (goes) during = await done(world, SUB);
      return port.change(id, changes, ...rest);
    };
    await done({ ...world, deps: { ...world.deps, hostedZones: { ...port, change } } }, ROOT);
    expect(during).toMatchObject({ retryAfterSeconds: 60 });
    await done(world, SUB);
    expect(standing(world, SUB, X)).toBeNull();
  });

  test('loses at once what nobody wants any more', async () => {
    const world = await subWorld();
    world.cluster.remove(parseRef('Record p/x'));
    await say(world, 'Record p/x');
    expect((await done(world, SUB)).waiting.size).toBe(0);
    expect(standing(world, SUB, X)).toBeNull();
  });
});

test("a sub-zone's hosted zone keeps its names when somebody edited the delegation that should be deleted", async () => {
  const world = await subWorld();
  const edited = standing(world, ROOT, NS);
  if (edited?.kind !== 'values') throw new Error('no delegation');
  world.route53.edit(ROOT, NS, { ...edited, ttlSeconds: 61 });
  await lose(world);
  await done(world, ROOT);
  const { waiting, retryAfterSeconds } = await done(world, SUB);
  expect(waiting.get(X.name)).toBe('hosted zone Z1 may still delegate s.e. to this one');
  expect(retryAfterSeconds).toBeNull();
  expect(standing(world, SUB, X)).not.toBeNull();
});
