// The sweep of a hosted zone, and a record set of ours that somebody changed by hand.
import { expect, test } from 'vitest';
import {
  itemAt,
  publishWorld,
  run,
  standing,
  values,
  WWW,
  want,
  wanted,
  ZONE_ID,
} from '../../test/fakes/publish-world.ts';
import { sweepContext } from '../../test/fakes/sweep-world.ts';
import { recordSetItemKey } from '../record-sets/record-set-item.ts';
import { sweepHostedZone } from './sweep-hosted-zone.ts';

const KEY = { name: WWW, type: 'A', setIdentifier: null };

test.each([
  { takeover: false, found: { drifted: 1, retried: 0 }, address: '203.0.113.9', reason: 'Drifted' },
  { takeover: true, found: { drifted: 0, retried: 1 }, address: '192.0.2.1', reason: undefined },
])('with takeover $takeover, Route 53 has $address afterwards', async ({ takeover, found, address, reason }) => {
  const world = await publishWorld();
  await want(world, WWW, wanted(WWW, 'A', ['192.0.2.1'], { takeover }));
  await run(world);
  world.route53.edit(ZONE_ID, KEY, values(300, '203.0.113.9'));
  // As after an event about the change: nothing that was refused is tried again.
  expect(await sweepHostedZone(sweepContext(world), ZONE_ID)).toMatchObject(found);
  await run(world);
  expect(standing(world)).toEqual([`${WWW} A ${address} 300`]);
  expect((await itemAt(world, KEY))?.refusal?.reason).toBe(reason);
});

test('a drift that another run noted meanwhile is not counted', async () => {
  const world = await publishWorld();
  await want(world, WWW, wanted(WWW, 'A', ['192.0.2.1']));
  await run(world);
  world.route53.edit(ZONE_ID, KEY, values(300, '203.0.113.9'));
  const context = sweepContext(world);
  const { partition, sort } = recordSetItemKey(ZONE_ID, KEY);
  const put: typeof context.ledger.put = async (key, ...rest) =>
    key.partition === partition && key.sort === sort ? null : context.ledger.put(key, ...rest);
  const overtaken = { ...context, ledger: { ...context.ledger, put } };
  expect(await sweepHostedZone(overtaken, ZONE_ID)).toMatchObject({ drifted: 0 });
  expect(await sweepHostedZone(context, ZONE_ID)).toMatchObject({ drifted: 1 });
});
