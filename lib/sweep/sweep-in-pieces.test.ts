// How the sweep is cut into pieces, and that being killed anywhere changes nothing of what it leads to.
import { describe, expect, test } from 'vitest';
import { READS } from '../../test/fakes/failing-world.ts';
import { deliverAll, deliverHints, hintFor } from '../../test/fakes/reconcile-world.ts';
import { disturbedWorld, dying, expectRight, FEW, Killed, sweepAndDeliver } from '../../test/fakes/sweep-world.ts';
import { tasksPartition } from '../directory/subtree-task-item.ts';
import { allItems } from '../ledger/pages.ts';
import { reconcile } from '../resolve/reconcile-hints.ts';
import { readSweepNotes } from './last-swept.ts';
import { sweepPiece } from './sweep-cluster.ts';
import { sweepUnderWay } from './sweep-cursor.ts';

describe('sweepPiece() in pieces', () => {
  test.each(['before', 'after'] as const)(
    'ends like an uninterrupted sweep when it is killed %s any call of any port and continued',
    async (when) => {
      const whole = dying((await disturbedWorld(FEW)).context, Number.POSITIVE_INFINITY, when);
      await sweepPiece(whole.context, Number.POSITIVE_INFINITY);
      expect(whole.calls.length).toBeGreaterThan(80);
      for (const [index, method] of whole.calls.entries()) {
        const at = index + 1;
        if (when === 'after' && READS.has(method)) continue;
        const world = await disturbedWorld(FEW);
        await expect(sweepPiece(dying(world.context, at, when).context, Number.POSITIVE_INFINITY)).rejects.toThrow(
          Killed,
        );
        await sweepAndDeliver(world);
        await expectRight(world);
      }
    },
    60_000,
  );

  test('continues piece by piece, each with a time of its own, and begins again when it is complete', async () => {
    const world = await disturbedWorld();
    const beganMs = world.clock.ms;
    for (let pieces = 1; ; pieces += 1) {
      const { whole, carriedOn, beganMs: of } = await sweepPiece(world.context, 0);
      expect([carriedOn, of]).toEqual([pieces > 1, beganMs]);
      world.clock.ms += 60_000;
      if (!whole) continue;
      expect(pieces).toBeGreaterThan(8);
      break;
    }
    expect(await readSweepNotes(world.ledger, 'default')).toMatchObject([{ wholeMs: beganMs }, { wholeMs: beganMs }]);
    await deliverHints(world);
    await deliverAll(world);
    await expectRight(world);
    expect(await sweepPiece(world.context, 0)).toMatchObject({ whole: false, carriedOn: false });
  });

  test('begins again when the configuration is another one, and uses that throughout', async () => {
    const world = await disturbedWorld(FEW);
    const piece = (configuration: string) => sweepPiece(world.context, 0, { sweepId: configuration, configuration });
    expect(await piece('v1')).toMatchObject({ carriedOn: false });
    expect(await piece('v1')).toMatchObject({ carriedOn: true });
    world.clock.ms += 60_000;
    expect(await piece('v2')).toMatchObject({ carriedOn: false, beganMs: world.clock.ms });
    expect(await sweepUnderWay(world.context)).toBe('v2');
    let pieces = 2;
    for (; !(await piece('v2')).whole && pieces < 100; pieces += 1);
    expect(pieces).toBeGreaterThan(4);
    await deliverHints(world);
    await deliverAll(world);
    await expectRight(world);
  });

  test('continues a subtree that was left, though each piece comes too late for it', async () => {
    const world = await disturbedWorld(FEW);
    const ref = { kind: 'Zone', namespace: 'team', name: 'late' };
    world.cluster.put(ref, { domainName: 'late.e.', delegations: [{ records: [{ pattern: '*' }] }] });
    await reconcile(world.context, [hintFor(ref)], 0);
    const left = () => allItems(world.ledger, tasksPartition('default'));
    expect(await left()).not.toEqual([]);
    for (let pieces = 0; pieces < 100 && !(await sweepPiece(world.context, 0)).whole; pieces += 1);
    expect(await left()).toEqual([]);
  });

  test('stops one of two sweeps that run at once, and finds everything once', async () => {
    const world = await disturbedWorld();
    const runs = [1, 2].map(() => sweepPiece(world.context, Number.POSITIVE_INFINITY));
    expect((await Promise.all(runs)).map(({ whole }) => whole).toSorted()).toEqual([false, true]);
    await deliverHints(world);
    await deliverAll(world);
    await expectRight(world);
  });
});
