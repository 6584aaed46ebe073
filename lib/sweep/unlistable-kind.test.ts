// A kind that the API server cannot list, as when the conversion webhook of its CRD fails, or a right is missing.
import { expect, test } from 'vitest';
import { through } from '../../test/fakes/reconcile-world.ts';
import { settledWorld } from '../../test/fakes/sweep-world.ts';
import type { Context } from '../ports/context.ts';
import { readSweepNotes } from './last-swept.ts';
import { sweepPiece } from './sweep-cluster.ts';

test('the sweep compares the hosted zones although a kind cannot be listed, and is not whole', async () => {
  const world = await settledWorld();
  world.route53.edit('Z2', { name: 'y.f.', type: 'A', setIdentifier: null }, null);
  const { cluster } = world.context;
  const sick = through(world, {
    cluster: {
      ...cluster,
      listPage: async (kind, ...rest) => {
        if (kind === 'Record') throw new Error('conversion webhook failed');
        return cluster.listPage(kind, ...rest);
      },
    },
  });
  const found: unknown[] = [];
  const sweep = (context: Context) =>
    sweepPiece(context, Number.POSITIVE_INFINITY, { onHostedZone: (id, { lost }) => found.push([id, lost]) });
  const wholeMs = async () => (await readSweepNotes(world.ledger, 'default')).map((note) => note.wholeMs);
  const before = await wholeMs();
  world.clock.ms += 1_000;
  // It is tried again once, in case that it fails only now.
  await expect(sweep(sick.context)).rejects.toThrow('conversion webhook failed');
  expect(found).toEqual([]);
  await expect(sweep(sick.context)).rejects.toThrow('conversion webhook failed');
  expect(found).toEqual([
    ['Z1', 0],
    ['Z2', 1],
  ]);
  const after = await wholeMs();
  expect(after).toEqual(before.length === 0 ? [null, null] : before);
  world.clock.ms += 1_000;
  expect(await sweep(world.context)).toMatchObject({ whole: true, carriedOn: false });
  expect(await wholeMs()).toEqual([world.clock.ms, world.clock.ms]);
});
