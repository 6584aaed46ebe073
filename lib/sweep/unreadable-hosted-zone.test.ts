// A hosted zone that Route 53 does not list, as when route53:ListResourceRecordSets is denied.
import { expect, test } from 'vitest';
import { settledWorld } from '../../test/fakes/sweep-world.ts';
import { markDirty } from '../record-sets/dirty-mark.ts';
import { sweepPiece } from './sweep-cluster.ts';

test('the sweep wakes a hosted zone with a dirty name that it cannot compare', async () => {
  const world = await settledWorld();
  // A name that no object asks for any more. The message to publish is lost.
  await markDirty(world.ledger, 'Z2', 'former.f.', world.clock.ms);
  const { account } = world.context;
  const hostedZones = { ...account.hostedZones, readPage: () => Promise.reject(new Error('AccessDenied')) };
  const context = { ...world.context, account: { ...account, hostedZones } };
  // Each of the two hosted zones is tried twice.
  for (let tries = 0; tries < 4; tries += 1)
    await sweepPiece(context, Number.POSITIVE_INFINITY).catch((error: unknown) =>
      expect(String(error)).toContain('AccessDenied'),
    );
  expect([...world.queued.publish]).toEqual(['Z2']);
});
