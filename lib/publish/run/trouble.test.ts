// publish() with other faults or events at the same time: throttling, late writes, a hosted zone that is gone, another
// run.
import { describe, expect, test } from 'vitest';
import {
  A,
  APEX,
  changeCalls,
  dirtyNames,
  hostedZone,
  intercepted,
  itemAt,
  key,
  outcomes,
  partition,
  publishWorld,
  run,
  standing,
  values,
  WWW,
  want,
  ZONE_ID,
} from '../../../test/fakes/publish-world.ts';
import type { BatchOutcome } from '../../ports/hosted-zones.ts';
import type { Ledger } from '../../ports/ledger.ts';
import { heldItemKey } from '../../record-sets/held-name.ts';

const UNREADABLE = expect.stringContaining('its version is 2, this code knows 1');

describe('publish() in trouble', () => {
  test('waits out a throttle, and leaves everything dirty when that does not end', async () => {
    let throttles = 3;
    const throttled: BatchOutcome = { kind: 'throttled', message: 'Rate exceeded' };
    const world = await publishWorld({
      changeFault: () => (throttles-- > 0 ? { apply: false, outcome: throttled } : null),
    });
    await want(world, WWW, A('192.0.2.1'));
    expect(await outcomes(world)).toEqual([`create ${WWW} A: published`]);
    throttles = 99;
    await want(world, WWW, A('192.0.2.2'));
    expect(await outcomes(world)).toEqual([`update ${WWW} A: failed`]);
    expect(await dirtyNames(world)).toEqual([WWW]);
    expect((await itemAt(world, key(WWW, 'A')))?.intent).toBe(null);
    expect(world.queued).toEqual([{ hostedZoneId: ZONE_ID, delaySeconds: 15 }]);
    throttles = 0;
    expect(await outcomes(world)).toEqual([`update ${WWW} A: published`]);
  });

  test.each([true, false])('reads back what Route 53 never answered (applied: %s)', async (apply) => {
    let unknowns = 1;
    const outcome: BatchOutcome = { kind: 'unknown', message: 'socket hang up' };
    const world = await publishWorld({ changeFault: () => (unknowns-- > 0 ? { apply, outcome } : null) });
    await want(world, WWW, A('192.0.2.1'));
    const first = await outcomes(world);
    expect(first).toEqual([`create ${WWW} A: ${apply ? 'published' : 'failed'}`]);
    expect(await dirtyNames(world)).toEqual(apply ? [] : [WWW]);
    if (!apply) await run(world);
    expect(standing(world)).toEqual([`${WWW} A 192.0.2.1 300`]);
    expect((await itemAt(world, key(WWW, 'A')))?.published).toEqual(values(300, '192.0.2.1'));
  });

  test('recognizes its own write when that lands late', async () => {
    let unknowns = 1;
    const outcome: BatchOutcome = { kind: 'unknown', message: 'socket hang up' };
    const world = await publishWorld({ changeFault: () => (unknowns-- > 0 ? { apply: false, outcome } : null) });
    await want(world, WWW, A('192.0.2.1'));
    await run(world);
    world.route53.edit(ZONE_ID, key(WWW, 'A'), values(300, '192.0.2.1'));
    await want(world, WWW, A('192.0.2.2'));
    expect(await outcomes(world)).toEqual([`create ${WWW} A: published`]);
    expect(standing(world)).toEqual([`${WWW} A 192.0.2.2 300`]);
  });

  test('keeps everything dirty when the hosted zone is gone', async () => {
    const world = await publishWorld();
    await want(world, WWW, A('192.0.2.1'));
    world.route53.removeHostedZone(ZONE_ID);
    expect((await run(world)).kind).toBe('gone');
    expect((await hostedZone(world)).gone).toBe(true);
    expect(await dirtyNames(world)).toEqual([WWW]);
    expect((await run(world)).kind).toBe('gone');
    expect(changeCalls(world)).toBe(1);
  });

  test('leaves the hosted zone to the holder of its lease', async () => {
    const world = await publishWorld();
    await want(world, WWW, A('192.0.2.1'));
    const item = await hostedZone(world);
    const lease = { holder: 'other', epoch: 1, charged: { epoch: 0, batch: 0 }, expiresAtMs: world.clock.ms + 60_000 };
    const { changeHostedZone } = await import('../../record-sets/lease.ts');
    await changeHostedZone(world.ledger, ZONE_ID, () => ({ ...item, epoch: 1, lease }));
    expect(await run(world)).toEqual({ kind: 'busy', retryAfterSeconds: 66 });
    world.clock.ms += 66_000;
    expect(await outcomes(world)).toEqual([`create ${WWW} A: published`]);
  });

  test('writes nothing to Route 53, and leaves no trace, in a run that was overtaken', async () => {
    const world = await publishWorld();
    await want(world, WWW, A('192.0.2.1'));
    let overtaken = false;
    const deps = intercepted(world.deps, async (port, method, call) => {
      const result = await call();
      if (port === 'ledger' && method === 'put' && !overtaken && (await itemAt(world, key(WWW, 'A')))?.intent) {
        overtaken = true;
        world.clock.ms += 120_000;
        await want(world, WWW, A('192.0.2.2'));
        await run(world);
      }
      return result;
    });
    await run({ ...world, deps });
    expect(overtaken).toBe(true);
    expect(standing(world)).toEqual([`${WWW} A 192.0.2.2 300`]);
    expect(changeCalls(world)).toBe(1);
    expect((await itemAt(world, key(WWW, 'A')))?.published).toEqual(values(300, '192.0.2.2'));
  });

  test.each([
    ['its time is over', 20_000],
    ['it is interrupted', 0],
  ])('begins no call of Route 53 if %s while it reads its lease', async (_, sleptMs) => {
    const world = await publishWorld();
    const interrupt = new AbortController();
    await want(world, WWW, A('192.0.2.1'));
    let hasWaited = false;
    const get: Ledger['get'] = async (of) => {
      if (!hasWaited && of.partition === 'hostedzones' && (await itemAt(world, key(WWW, 'A')))?.intent) {
        hasWaited = true;
        world.clock.ms += sleptMs;
        if (sleptMs === 0) interrupt.abort();
      }
      return world.ledger.get(of);
    };
    await run(
      { ...world, deps: { ...world.deps, ledger: { ...world.ledger, get } } },
      { stopAtMs: world.clock.ms + 10_000, signal: interrupt.signal },
    );
    expect(changeCalls(world)).toBe(0);
    expect(await dirtyNames(world)).toEqual([WWW]);
    await run(world);
    expect(standing(world)).toEqual([`${WWW} A 192.0.2.1 300`]);
  });

  test('publishes the newer content when it changes between plan and batch', async () => {
    const world = await publishWorld();
    await want(world, WWW, A('192.0.2.1'));
    let changed = false;
    const deps = intercepted(world.deps, async (port, method, call) => {
      const result = await call();
      if (
        port === 'ledger' &&
        method === 'query' &&
        !changed &&
        (await partition(world, `recordsets#${ZONE_ID}`)).length
      ) {
        changed = true;
        await want(world, WWW, A('192.0.2.2'));
      }
      return result;
    });
    await run({ ...world, deps });
    await run(world);
    expect(standing(world)).toEqual([`${WWW} A 192.0.2.2 300`]);
    expect(await dirtyNames(world)).toEqual([]);
  });

  test('publishes more names than fit into one run in several, and asks for the next', async () => {
    const world = await publishWorld({ config: { namesMax: 10 } });
    for (let index = 0; index < 25; index += 1)
      await want(world, `h${index}.${APEX}`, A('192.0.2.1', `h${index}.${APEX}`));
    await run(world);
    expect(standing(world)).toHaveLength(10);
    expect(world.queued).toEqual([{ hostedZoneId: ZONE_ID, delaySeconds: 0 }]);
    await run(world);
    await run(world);
    expect(standing(world)).toHaveLength(25);
  });

  test('loses only the name of an item that it cannot read', async () => {
    const world = await publishWorld();
    await want(world, WWW, A('192.0.2.1'));
    await want(world, `mail.${APEX}`, A('192.0.2.2', `mail.${APEX}`));
    const page = await world.ledger.query(`recordsets#${ZONE_ID}`, { prefix: 'org example www ' });
    const item = page.items[0];
    if (item === undefined) throw new Error('no item');
    await world.ledger.put(item, { ...item.body, v: 2 }, item.revision);
    expect(await outcomes(world)).toEqual([`create mail.${APEX} A: published`]);
    expect(world.logged[0]).toEqual(['error', UNREADABLE, { hostedZoneId: ZONE_ID }]);
    expect(await dirtyNames(world)).toEqual([WWW]);
  });

  test('deletes nothing at the name of a held mark that it cannot read, and loses no other name', async () => {
    const world = await publishWorld();
    await want(world, WWW, A('192.0.2.1'));
    await want(world, `mail.${APEX}`, A('192.0.2.2', `mail.${APEX}`));
    await run(world);
    await world.ledger.put(heldItemKey(ZONE_ID, WWW), { v: 2 }, null);
    await want(world, WWW);
    await want(world, `mail.${APEX}`);
    expect(await outcomes(world)).toEqual([`delete mail.${APEX} A: published`]);
    expect(world.logged[0]).toEqual(['error', UNREADABLE, { hostedZoneId: ZONE_ID }]);
    expect(await dirtyNames(world)).toEqual([WWW]);
  });
});
