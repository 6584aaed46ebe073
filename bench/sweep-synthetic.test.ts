// A synthetic cluster is settled: a sweep finds nothing to do in it. Otherwise the bench would measure another sweep.

import { expect, test } from 'vitest';
import { sweepPiece } from '../lib/sweep/sweep-cluster.ts';
import { syntheticWorld } from './sweep-synthetic.ts';

test('a sweep of a synthetic cluster finds every Record published and reported', async () => {
  const { context, queued } = await syntheticWorld(3);
  for (let whole = false; !whole; ) ({ whole } = await sweepPiece(context, 0));
  // Every sweep reports each Zone.
  expect({ ...queued, reports: [...queued.reports.keys()] }).toEqual({
    publish: new Set(),
    reports: ['Zone team/zone'],
    hints: [],
    follows: [],
  });
});
