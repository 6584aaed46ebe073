// What the guard holds goes when it is acknowledged, by the Zone's annotation or for one run: exactly that, once,
// whoever dies.
import { describe, expect, test } from 'vitest';
import { READS } from '../../../test/fakes/failing-world.ts';
import { A, heldNames, heldWorld, name, publishedWorld, withdraw } from '../../../test/fakes/guarded-world.ts';
import {
  APEX,
  annotate,
  hostedZone,
  intercepted,
  itemAt,
  partition,
  publishWorld,
  run,
  standing,
  values,
  want,
  wanted,
  ZONE_ID,
} from '../../../test/fakes/publish-world.ts';
import { directoryKey } from '../../directory/directory-item.ts';
import type { BatchOutcome } from '../../ports/hosted-zones.ts';
import { markDirty } from '../../record-sets/dirty-mark.ts';
import { acknowledgedDigests } from '../../record-sets/hosted-zone-item.ts';
import type { PublishResult } from '../plan/publish-result.ts';

describe('publish() and what is acknowledged', () => {
  test('releases exactly what is acknowledged, once', async () => {
    const { world, digest } = await heldWorld();
    await annotate(world, digest);
    await run(world);
    expect(standing(world)).toHaveLength(14);
    expect((await hostedZone(world)).held).toBe(null);
    expect(await heldNames(world)).toEqual([]);
    // The same deletes again, and the annotation is still there.
    world.clock.ms += 7_200_000;
    for (let index = 0; index < 6; index += 1) await want(world, name(index), A(index));
    await run(world);
    await withdraw(world, 0, 6);
    await annotate(world, digest);
    await run(world);
    expect(standing(world)).toHaveLength(20);
    expect((await hostedZone(world)).held?.digest).toBe(digest);
    await annotate(world, null);
    await annotate(world, digest);
    await run(world);
    expect(standing(world)).toHaveLength(14);
  });

  test('counts an acknowledgement for one run only in that run, and leaves an annotation with another digest unused', async () => {
    const { world, digest } = await heldWorld();
    await run(world, { acknowledged: ['f'.repeat(64)] });
    expect(standing(world)).toHaveLength(20);
    await run(world, { acknowledged: [digest] });
    expect(standing(world)).toHaveLength(14);
    world.clock.ms += 7_200_000;
    for (let index = 0; index < 6; index += 1) await want(world, name(index), A(index));
    await run(world);
    await withdraw(world, 0, 6);
    await run(world);
    expect((await hostedZone(world)).held?.digest).toBe(digest);
    await annotate(world, digest);
    await run(world);
    expect(standing(world)).toHaveLength(14);
  });

  test('logs a hold once, until it changes', async () => {
    const { world, digest } = await heldWorld();
    const said = () =>
      world.logged.filter(([, message]) => message.startsWith('The guard holds ')).map((line) => line[1]);
    await annotate(world, 'a'.repeat(64));
    await run(world);
    expect(said()).toEqual([expect.stringContaining(`The guard holds 6 deletes: `)]);
    expect((await hostedZone(world)).held?.digest).toBe(digest);
    await withdraw(world, 6, 7);
    await run(world);
    expect(said()).toEqual([expect.anything(), expect.stringContaining('The guard holds 7 deletes: ')]);
  });

  test('marks an annotation with the same digest as used', async () => {
    const { world, digest } = await heldWorld();
    await annotate(world, digest);
    await run(world, { acknowledged: [digest] });
    expect(await hostedZone(world)).toMatchObject({ acknowledgements: [{ digest, state: 'spent' }] });
  });

  test('ignores every annotation in a hosted zone without a Zone, also one that was noted before', async () => {
    const { world, digest } = await heldWorld();
    await annotate(world, digest);
    const key = directoryKey('default', APEX);
    const live = await world.ledger.get(key);
    await world.ledger.remove(key, live?.revision ?? '');
    await run(world);
    expect(standing(world)).toHaveLength(20);
    // The hosted zone belongs to the Zone again, and no run has counted the annotation yet.
    await world.ledger.put(key, live?.body ?? {}, null);
    await run(world);
    expect(standing(world)).toHaveLength(14);
  });

  test('releases deletes in a hosted zone without a Zone by an acknowledgement for the run, whatever annotation was noted', async () => {
    const { world, digest } = await heldWorld();
    await annotate(world, digest);
    const key = directoryKey('default', APEX);
    await world.ledger.remove(key, (await world.ledger.get(key))?.revision ?? '');
    await run(world);
    await run(world, { acknowledged: [digest] });
    expect(standing(world)).toHaveLength(14);
  });

  test('tries a refused acknowledged delete again without another acknowledgement, until it is no longer wanted', async () => {
    const world = await publishedWorld(20);
    world.route53.edit(ZONE_ID, { name: name(0), type: 'A', setIdentifier: null }, values(60, '203.0.113.1'));
    await withdraw(world, 1, 6);
    await want(world, name(0), wanted(name(0), 'CNAME', ['elsewhere.example.net.']));
    await run(world);
    await annotate(world, (await hostedZone(world)).held?.digest ?? '');
    await run(world);
    for (let sweep = 0; sweep < 3; sweep += 1) {
      expect(await itemAt(world, { name: name(0), type: 'A' })).toMatchObject({
        refusal: { reason: 'Drifted' },
      });
      expect((await hostedZone(world)).held).toBe(null);
      await markDirty(world.ledger, ZONE_ID, name(0), world.clock.ms, { retry: true });
      await run(world);
    }
    await want(world, name(0), A(0));
    await run(world);
    expect(await heldNames(world)).toEqual([]);
  });

  describe('deletes that come one by one', () => {
    const config = { deletesQuietMs: 300, guard: { deletesMax: 100, deletesShareMax: 0.3 } };

    test('are counted together, and held when they are too many', async () => {
      const world = await publishedWorld(20, config);
      for (let index = 0; index < 12; index += 1) {
        await withdraw(world, index, index + 1);
        const { retryAfterSeconds } = (await run(world)) as Extract<PublishResult, { kind: 'done' }>;
        expect(retryAfterSeconds).toBe(0.3);
        world.clock.ms += 50;
      }
      expect(standing(world)).toHaveLength(20);
      world.clock.ms += 300;
      await run(world);
      expect(standing(world)).toHaveLength(20);
      expect((await hostedZone(world)).held?.count).toBe(12);
    });

    test('are counted together also when other record sets stay at their names, as the SOA at the apex', async () => {
      const world = await publishWorld({ config: { ...config, guard: { deletesMax: 100, deletesShareMax: 1 } } });
      const SOA = wanted(APEX, 'SOA', ['ns-1.awsdns-01.org. noc.example.org. 1 7200 900 1209600 86400']);
      await want(world, APEX, SOA, wanted(APEX, 'MX', ['10 mail.example.net.']));
      await want(world, name(0), A(0), wanted(name(0), 'TXT', ['"old"']));
      await want(world, name(1), A(1));
      await run(world);
      const before = standing(world);
      expect(before).toHaveLength(4);
      await want(world, APEX, SOA);
      await want(world, name(0), wanted(name(0), 'AAAA', ['2001:db8::1']));
      await want(world, name(1));
      await run(world);
      expect(standing(world).filter((line) => before.includes(line))).toEqual(before);
      // Only a delete without a replacement waits.
      expect(standing(world)).toHaveLength(5);
      world.clock.ms += 300;
      await want(world, name(0));
      await run(world);
      world.clock.ms += 300;
      await run(world);
      expect(standing(world)).toHaveLength(5);
      expect((await hostedZone(world)).held?.count).toBe(5);
    });

    test('do not wait if a change from CNAME ties them to a create', async () => {
      const world = await publishWorld({ config });
      await want(world, name(0), wanted(name(0), 'CNAME', ['target.example.net.']));
      await run(world);
      await want(world, name(0), A(0));
      await run(world);
      expect(standing(world)).toEqual([`${name(0)} A 192.0.2.1 300`]);
    });

    test('are sent when no other has come for a moment, and creates do not wait for them', async () => {
      const world = await publishedWorld(20, config);
      await withdraw(world, 0, 2);
      await want(world, name(30), A(30));
      await run(world);
      expect(standing(world)).toHaveLength(21);
      world.clock.ms += 300;
      expect(await run(world)).toMatchObject({ kind: 'done', retryAfterSeconds: null });
      expect(standing(world)).toHaveLength(19);
    });

    test('are sent after a while, also when new ones never stop coming', async () => {
      const world = await publishedWorld(1_000, { ...config, guard: { deletesMax: 1_000, deletesShareMax: 1 } });
      for (let index = 0; index < 200; index += 1) {
        await withdraw(world, index, index + 1);
        world.clock.ms += 200;
        await run(world);
      }
      expect(standing(world).length).toBeLessThan(900);
    });
  });

  test('tries an acknowledged delete without an answer again in the next run (seed 1556037)', async () => {
    let lost = true;
    const unknown: BatchOutcome = { kind: 'unknown', message: 'timeout' };
    const world = await publishWorld({
      config: { guard: { deletesMax: 0, deletesShareMax: 1 } },
      changeFault: (changes) =>
        lost && changes.some(({ action }) => action === 'DELETE') ? { apply: false, outcome: unknown } : null,
    });
    await want(world, name(0), A(0));
    await want(world, name(1), A(1));
    await run(world);
    await withdraw(world, 0, 1);
    await run(world);
    await annotate(world, (await hostedZone(world)).held?.digest ?? '');
    await run(world);
    expect(standing(world)).toHaveLength(2);
    lost = false;
    await run(world);
    expect(standing(world)).toHaveLength(1);
    expect(await heldNames(world)).toEqual([]);
    expect(await partition(world, `dirty#${ZONE_ID}`)).toEqual([]);
  });

  test('sends at once what was acknowledged before it was ever held', async () => {
    const first = await publishedWorld(20);
    await withdraw(first, 0, 6);
    await run(first);
    const digest = (await hostedZone(first)).held?.digest ?? '';
    const world = await publishedWorld(20);
    await annotate(world, digest);
    await withdraw(world, 0, 6);
    await run(world);
    expect(standing(world)).toHaveLength(14);
    expect(await heldNames(world)).toEqual([]);
  });

  test('releases nothing for a stale acknowledgement', async () => {
    const { world, digest } = await heldWorld();
    await withdraw(world, 6, 7);
    await annotate(world, digest);
    await run(world);
    expect(standing(world)).toHaveLength(20);
    expect((await hostedZone(world)).held?.count).toBe(7);
  });

  test.each([
    ['alone', 0],
    ['beside a new record set', 1],
  ])('needs no second acknowledgement for a mass delete %s, wherever a run dies', async (_, created) => {
    const start = await publishedWorld(8);
    await withdraw(start, 0, 7);
    await run(start);
    await annotate(start, (await hostedZone(start)).held?.digest ?? '');
    for (let index = 0; index < created; index += 1) await want(start, name(20 + index), A(20 + index));
    for (let crashAt = 1, method: string | undefined = ''; method !== undefined; crashAt += 1) {
      for (const after of [false, true]) {
        if (after && (method === undefined || READS.has(method))) continue;
        const world = start.copy();
        const calls: string[] = [];
        const deps = intercepted(world.deps, async (_port, called, call) => {
          calls.push(called);
          if (calls.length === crashAt && after) await call();
          if (calls.length >= crashAt) throw new Error('crash');
          return call();
        });
        await run({ ...world, deps }).catch(() => null);
        method = calls[crashAt - 1];
        world.clock.ms += 70_000;
        await run(world);
        const label = `crash ${after ? 'after' : 'before'} call ${crashAt}`;
        expect(standing(world), label).toHaveLength(1 + created);
        expect((await hostedZone(world)).held, label).toBe(null);
        expect(await heldNames(world), label).toEqual([]);
        expect(acknowledgedDigests(await hostedZone(world)), label).toEqual([]);
        expect((await hostedZone(world)).publishedCount, label).toBe(1 + created);
        const deleted = (await hostedZone(world)).deletions.reduce((sum, one) => sum + one.count, 0);
        expect(deleted, label).toBe(7);
      }
    }
  });
});
