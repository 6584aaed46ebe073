// A record set that Route 53 does not let stand beside somebody else's: as long as that stands as it is, no sweep sends
// it again.
import { describe, expect, test } from 'vitest';
import {
  changeCalls,
  itemAt,
  outcomes,
  type PublishWorld,
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
import type { DesiredRecordSet } from '../record-sets/desired-name.ts';
import { changeHostedZone } from '../record-sets/lease.ts';
import { sweepHostedZone } from './sweep-hosted-zone.ts';

const OURS = wanted(WWW, 'A', ['192.0.2.1']);
const key = (type: string, setIdentifier: string | null = null) => ({ name: WWW, type, setIdentifier });

async function sweep(world: PublishWorld) {
  const { retried } = await sweepHostedZone(sweepContext(world), ZONE_ID, { retryRefused: true });
  await run(world);
  return retried;
}

/** A world in which a foreign CNAME blocks an A, which was refused. */
async function blocked(ours: DesiredRecordSet = OURS): Promise<PublishWorld> {
  const world = await publishWorld();
  world.route53.edit(ZONE_ID, key('CNAME'), values(60, 'theirs.example.net.'));
  await want(world, WWW, ours);
  await run(world);
  expect((await itemAt(world, key(ours.type)))?.refusal).toMatchObject({ reason: 'ForeignRecord' });
  return world;
}

describe('what is refused for a neighbour', () => {
  test('is not sent again by sweeps, and is read after growing pauses', async () => {
    const world = await blocked();
    const before = changeCalls(world);
    for (let hours = 0; hours < 8; hours += 1) {
      world.clock.ms += 3_600_000;
      await sweep(world);
    }
    expect(changeCalls(world)).toBe(before);
    // Hourly sweeps, and pauses of 15 and 30 minutes and of one, two and four hours: after 1, 2, 3 and 5 hours.
    expect((await itemAt(world, key('A')))?.refused?.times).toBe(5);
    await want(world, WWW, wanted(WWW, 'A', ['192.0.2.2']));
    expect(await outcomes(world)).toEqual([`create ${WWW} A: foreign`]);
    expect(changeCalls(world)).toBe(before + 1);
  });

  test.each([
    ['is gone', (world: PublishWorld) => world.route53.edit(ZONE_ID, key('CNAME'), null)],
    [
      'may be taken over',
      async (world: PublishWorld) => {
        await changeHostedZone(world.deps.ledger, ZONE_ID, (item) => item && { ...item, takeover: true });
        world.clock.ms += 3_600_000;
      },
    ],
  ])('is published when the neighbour %s', async (_, change) => {
    const world = await blocked();
    await change(world);
    await sweep(world);
    expect(standing(world)).toEqual([`${WWW} A 192.0.2.1 300`]);
  });

  test('is tried again when the neighbour has changed', async () => {
    const policy = { policy: { kind: 'weight' as const, weight: 1 }, healthCheckId: null };
    const routed = (ttlSeconds: number) => ({ ...values(ttlSeconds, '192.0.2.9'), routing: policy });
    const world = await publishWorld();
    world.route53.edit(ZONE_ID, key('A', 'theirs'), routed(60));
    await want(world, WWW, { ...OURS, setIdentifier: 'ours', content: routed(300) });
    await run(world);
    expect((await itemAt(world, key('A', 'ours')))?.refusal).toMatchObject({ reason: 'ForeignRecord' });
    expect(await sweep(world)).toBe(0);
    world.route53.edit(ZONE_ID, key('A', 'theirs'), routed(300));
    expect(await sweep(world)).toBe(1);
    expect((await itemAt(world, key('A', 'ours')))?.published).not.toBeNull();
  });
});
