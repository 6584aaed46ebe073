// publish() when Route 53 refuses in words that say nothing: what stands at the name tells why.
import { describe, expect, test } from 'vitest';
import {
  APEX,
  changeCalls,
  itemAt,
  outcomes,
  type PublishWorld,
  publishWorld,
  run,
  standing,
  values,
  type WorldOptions,
  want,
  wanted,
  ZONE_ID,
} from '../../../test/fakes/publish-world.ts';

const WWW = `www.${APEX}`;
const key = (type: string) => ({ name: WWW, type, setIdentifier: null });
const OURS = wanted(WWW, 'A', ['192.0.2.1']);
const WEIGHTED = {
  ...OURS,
  setIdentifier: 'one',
  content: { ...values(300, '192.0.2.1'), routing: { policy: { kind: 'weight', weight: 1 }, healthCheckId: null } },
} as const;

/** A world whose Route 53 says of every refused batch that it is bad, and no more. */
async function unclearWorld(options: WorldOptions = {}): Promise<PublishWorld> {
  const world = await publishWorld(options);
  const { change } = world.deps.hostedZones;
  const unclear: typeof change = async (...asked) => {
    const outcome = await change(...asked);
    return outcome.kind === 'refused' ? { ...outcome, messages: ['That is not possible here.'] } : outcome;
  };
  return { ...world, deps: { ...world.deps, hostedZones: { ...world.deps.hostedZones, change: unclear } } };
}

describe('publish() and a refusal in unclear words', () => {
  test.each([
    ['a CNAME at its name', 'CNAME', 'other.example.net.', OURS],
    ['a simple set beside its weighted one', 'A', '192.0.2.9', WEIGHTED],
    ['a record set of the same name and type', 'A', '192.0.2.9', OURS],
  ])('finds %s of somebody else, and takes it over if it may', async (_, type, value, set) => {
    const world = await unclearWorld();
    world.route53.edit(ZONE_ID, key(type), values(300, value));
    await want(world, WWW, set);
    expect(await outcomes(world)).toEqual([`create ${WWW} A: foreign`]);
    expect((await itemAt(world, key('A')))?.refusal?.message).toContain('not created by zone53');
    expect(standing(world)).toEqual([`${WWW} ${type} ${value} 300`]);
    await want(world, WWW, { ...set, takeover: true });
    await run(world);
    expect(standing(world)).toEqual([`${WWW} A 192.0.2.1 300`]);
  });

  test('finds the neighbour again when another content is refused', async () => {
    const world = await unclearWorld();
    world.route53.edit(ZONE_ID, key('CNAME'), values(300, 'other.example.net.'));
    for (const address of ['192.0.2.1', '192.0.2.2']) {
      await want(world, WWW, wanted(WWW, 'A', [address]));
      expect(await outcomes(world)).toEqual([`create ${WWW} A: foreign`]);
    }
  });

  test('takes over at once, also where only reading shows the neighbour', async () => {
    const world = await unclearWorld();
    world.route53.edit(ZONE_ID, key('A'), values(300, '192.0.2.9'));
    await want(world, WWW, { ...WEIGHTED, takeover: true });
    await run(world);
    expect(standing(world)).toEqual([`${WWW} A 192.0.2.1 300`]);
  });

  test.each([
    ['that somebody deleted by hand is gone', null, 'published', []],
    ['that somebody changed by hand has drifted', '192.0.2.9', 'drifted', [`${WWW} A 192.0.2.9 300`]],
  ])('says that a record set to delete %s', async (_, value, outcome, left) => {
    const world = await unclearWorld();
    await want(world, WWW, OURS);
    await run(world);
    world.route53.edit(ZONE_ID, key('A'), value === null ? null : values(300, value));
    await want(world, WWW);
    expect(await outcomes(world)).toEqual([`delete ${WWW} A: ${outcome}`]);
    expect(standing(world)).toEqual(left);
  });

  test('calls the content rejected if nothing there explains it, after one reading', async () => {
    const world = await unclearWorld({ reject: () => 'no' });
    await want(world, WWW, OURS);
    expect(await outcomes(world)).toEqual([`create ${WWW} A: rejected`]);
    expect((await itemAt(world, key('A')))?.refusal?.message).toBe('That is not possible here.');
    expect(changeCalls(world)).toBe(1);
    expect(world.route53.calls.filter(({ method }) => method === 'readName')).toHaveLength(1);
  });
});
