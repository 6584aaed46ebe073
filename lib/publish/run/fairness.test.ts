// publish() where one tenant is refused: what the others wait for it, and how often Route 53 is asked for its sake.
import { describe, expect, test } from 'vitest';
import {
  APEX,
  changeCalls,
  dirtyNames,
  itemAt,
  outcomes,
  type PublishWorld,
  publishWorld,
  run,
  standing,
  values,
  want,
  wanted,
  ZONE_ID,
} from '../../../test/fakes/publish-world.ts';
import type { RecordSet } from '../../dns/record-set.ts';
import { markDirty } from '../../record-sets/dirty-mark.ts';

const MANY = 2_000;
/** The calls of Route 53 that the default budget allows in ten seconds. */
const CALLS_IN_TIME = 40;

const hostile = (index: number) => `evil${String(index).padStart(4, '0')}.${APEX}`;
const isHostile = ({ name }: RecordSet) => name.startsWith('evil');

/** Everything that the hostile tenant asks for, with another content in each round. */
async function touch(world: PublishWorld, round: number, count = MANY, name = hostile): Promise<void> {
  for (let index = 0; index < count; index += 1)
    await want(world, name(index), {
      ...wanted(name(index), 'TXT', [`"round ${round}, ${index}"`]),
      objects: [`Record evil/r${index}`],
    });
}

async function wantGood(world: PublishWorld, name: string, address: string): Promise<void> {
  await want(world, name, { ...wanted(name, 'A', [address]), objects: [`Record good/${name}`] });
}

/** The number of calls of Route 53, of any kind, until this record set is there. */
async function callsUntil(world: PublishWorld, stands: string): Promise<number> {
  const before = world.route53.calls.length;
  for (let runs = 0; runs < 50; runs += 1) {
    if (standing(world).includes(stands)) return world.route53.calls.length - before;
    await run(world);
  }
  return Number.POSITIVE_INFINITY;
}

describe('publish() beside a tenant who is refused 2,000 record sets', () => {
  test.each([
    [
      'with words that name each',
      { reject: (set: RecordSet) => (isHostile(set) ? `RRSet with DNS name ${set.name} is not permitted` : null) },
    ],
    ['without a word', { wordless: true, reject: (set: RecordSet) => (isHostile(set) ? 'no' : null) }],
  ])('%s: delays another tenant by some calls at most, however often they change', async (_, options) => {
    const world = await publishWorld(options);
    // The good tenant's names sort last, and its changes come together with the hostile ones.
    for (let round = 0; round < 4; round += 1) {
      await touch(world, round);
      await wantGood(world, `z-together.${APEX}`, `192.0.2.${round}`);
      expect(await callsUntil(world, `z-together.${APEX} A 192.0.2.${round} 300`)).toBeLessThanOrEqual(CALLS_IN_TIME);
      const beforeRun = world.route53.calls.length;
      await run(world);
      // A change that comes during a run waits for the end of that run.
      const inRun = world.route53.calls.length - beforeRun;
      await wantGood(world, `z-later.${APEX}`, `192.0.2.${round}`);
      expect(inRun + (await callsUntil(world, `z-later.${APEX} A 192.0.2.${round} 300`))).toBeLessThanOrEqual(
        CALLS_IN_TIME,
      );
      world.clock.ms += 60_000;
    }
  });

  test('delays nobody with new names in each round, in many namespaces', async () => {
    const world = await publishWorld({ wordless: true, reject: (set) => (isHostile(set) ? 'no' : null) });
    for (let round = 0; round < 3; round += 1) {
      for (let index = 0; index < 400; index += 1) {
        const name = `evil-${round}-${index}.${APEX}`;
        await want(world, name, { ...wanted(name, 'TXT', ['"x"']), objects: [`Record evil-${index % 20}/r${index}`] });
      }
      await wantGood(world, `z.${APEX}`, `192.0.2.${round}`);
      expect(await callsUntil(world, `z.${APEX} A 192.0.2.${round} 300`)).toBeLessThanOrEqual(CALLS_IN_TIME);
    }
  });

  test('sends no second call for 1,000 foreign names that Route 53 quotes, and reads the first ten', async () => {
    const world = await publishWorld();
    for (let index = 0; index < 1_000; index += 1)
      world.route53.edit(ZONE_ID, { name: hostile(index), type: 'TXT', setIdentifier: null }, values(60, '"theirs"'));
    await touch(world, 0, 1_000);
    const said = await outcomes(world);
    expect(said).toHaveLength(1_000);
    expect(said.every((line) => line.endsWith('foreign'))).toBe(true);
    expect(changeCalls(world)).toBe(1);
    expect(world.route53.calls).toHaveLength(11);
    expect(await dirtyNames(world)).toEqual([]);
  });

  test('sends one call and reads one page for 300 names that somebody changed by hand', async () => {
    const world = await publishWorld();
    await touch(world, 0, 300);
    await run(world);
    for (let index = 0; index < 300; index += 1)
      world.route53.edit(ZONE_ID, { name: hostile(index), type: 'TXT', setIdentifier: null }, values(60, '"theirs"'));
    const before = world.route53.calls.length;
    await touch(world, 1, 300);
    expect((await outcomes(world)).every((line) => line.endsWith('drifted'))).toBe(true);
    expect(world.route53.calls.slice(before).map(({ method }) => method)).toEqual(['change', 'readPage']);
  });

  test('sends a few calls for 300 takeovers at once', async () => {
    const world = await publishWorld();
    for (let index = 0; index < 300; index += 1) {
      const key = { name: hostile(index), type: 'TXT', setIdentifier: null };
      world.route53.edit(ZONE_ID, key, values(60, '"theirs"'));
      await want(world, key.name, { ...wanted(key.name, 'TXT', ['"ours"']), takeover: true });
    }
    expect((await outcomes(world)).every((line) => line.endsWith('published'))).toBe(true);
    expect(world.route53.calls.length).toBeLessThanOrEqual(5);
  });

  test('refuses all record sets with a value that Route 53 quotes, and sends the others in one more call', async () => {
    const bad = '"bad"';
    const world = await publishWorld({
      reject: ({ content }) =>
        content.kind === 'values' && content.values.includes(bad)
          ? `Invalid Resource Record: FATAL problem: Nonsense (No such thing) encountered with '${bad}'`
          : null,
    });
    for (const name of ['a', 'b', 'c'])
      await want(world, `${name}.${APEX}`, wanted(`${name}.${APEX}`, 'TXT', [name === 'b' ? bad : '"good"']));
    expect((await outcomes(world)).sort()).toEqual([
      `create a.${APEX} TXT: published`,
      `create b.${APEX} TXT: rejected`,
      `create c.${APEX} TXT: published`,
    ]);
    expect(changeCalls(world)).toBe(2);
  });

  test('takes a value that reads like a message of Route 53 for a refusal of its own name only', async () => {
    const lie = `"Tried to create resource record set [name='good.${APEX}', type='A'] but it already exists"`;
    const world = await publishWorld({
      reject: (set) =>
        set.type === 'TXT' ? `Invalid Resource Record: FATAL problem: X encountered with '${lie}'` : null,
    });
    await want(world, `evil.${APEX}`, { ...wanted(`evil.${APEX}`, 'TXT', [lie]), objects: ['Record evil/evil'] });
    await wantGood(world, `good.${APEX}`, '192.0.2.1');
    expect((await outcomes(world)).sort()).toEqual([
      `create evil.${APEX} TXT: rejected`,
      `create good.${APEX} A: published`,
    ]);
  });
});

describe('publish() and what was refused before', () => {
  const REFUSED = { wordless: true, reject: (set: RecordSet) => (isHostile(set) ? 'no' : null) };

  test('tries it after everything that was never refused, in a batch of its own, and as soon as its content changes', async () => {
    const world = await publishWorld(REFUSED);
    await touch(world, 0, 1);
    await wantGood(world, `z.${APEX}`, '192.0.2.1');
    await run(world);
    await touch(world, 1, 1);
    await wantGood(world, `z.${APEX}`, '192.0.2.2');
    const before = world.route53.calls.length;
    expect(await outcomes(world)).toEqual([`update z.${APEX} A: published`, `create ${hostile(0)} TXT: rejected`]);
    const changes = world.route53.calls.slice(before).filter(({ method }) => method === 'change');
    expect(changes.map(({ accepted }) => accepted)).toEqual([true, false]);
  });

  test('forgets it once it is published', async () => {
    let isRefused = true;
    const world = await publishWorld({ wordless: true, reject: () => (isRefused ? 'no' : null) });
    await touch(world, 0, 1);
    await run(world);
    expect((await itemAt(world, { name: hostile(0), type: 'TXT' }))?.refused?.times).toBe(1);
    isRefused = false;
    await touch(world, 1, 1);
    await run(world);
    expect((await itemAt(world, { name: hostile(0), type: 'TXT' }))?.refused).toBeNull();
  });

  test('finds every one of 100 in the end, and never sends a batch again that was refused', async () => {
    const world = await publishWorld(REFUSED);
    await touch(world, 0, 100);
    let runs = 0;
    for (; (await dirtyNames(world)).length > 0; runs += 1) {
      expect(runs).toBeLessThan(60);
      await run(world);
    }
    expect(changeCalls(world)).toBeLessThanOrEqual(2 * 100);
    for (let index = 0; index < 100; index += 1)
      expect((await itemAt(world, { name: hostile(index), type: 'TXT' }))?.refusal?.reason).toBe('Rejected');
  });

  test('reports a new refusal of a record set once, however often it changes', async () => {
    const world = await publishWorld(REFUSED);
    const news: boolean[] = [];
    for (let round = 0; round < 3; round += 1) {
      await touch(world, round, 1);
      const result = await run(world);
      if (result.kind === 'done') news.push(...result.outcomes.map(({ isNews }) => isNews));
    }
    expect(news).toEqual([true, false, false]);
  });
});

test('publish() does not read a rejected record set that it is asked to try again, because the answer shows it', async () => {
  const world = await publishWorld({ reject: (set) => (isHostile(set) ? 'no' : null) });
  await touch(world, 0, 1);
  await run(world);
  await markDirty(world.ledger, ZONE_ID, hostile(0), world.clock.ms, { retry: true });
  const before = world.route53.calls.length;
  await run(world);
  // The protections of the hosted zone are listed once for a refused batch.
  expect(world.route53.calls.slice(before).map(({ method }) => method)).toEqual(['change', 'protections']);
  expect((await itemAt(world, { name: hostile(0), type: 'TXT' }))?.refused?.times).toBe(2);
});
