// publish() and record sets that somebody protects in Route 53: they are told from other refusals, they hold nobody up,
// and they are not sent again while the protection exists.
import { describe, expect, test } from 'vitest';
import {
  A,
  APEX,
  changeCalls,
  dirtyNames,
  itemAt,
  key,
  outcomes,
  type PublishWorld,
  publishWorld,
  run,
  standing,
  type WorldOptions,
  WWW,
  want,
  wanted,
  ZONE_ID,
} from '../../../test/fakes/publish-world.ts';
import { sweepContext } from '../../../test/fakes/sweep-world.ts';
import { sweepHostedZone } from '../../sweep/sweep-hosted-zone.ts';

const COMMENT = 'frozen until March, ask ops';
const OTHERS = Array.from({ length: 40 }, (_, index) => `h${index}.${APEX}`);
/** Words that tell of a protection, and words that do not. */
const WORDS: Readonly<Record<string, WorldOptions>> = {
  'says so': {},
  'says so without the name': { protectedWords: () => 'A protection of the hosted zone forbids this change.' },
  'says so of two names': {
    protectedWords: ({ name, comment }) => `${name} is protected. ${comment}, see ${OTHERS[3]}`,
  },
  'gives no reason': { protectedWords: ({ name }) => `${name} is not to be changed.` },
  'is like another': {
    protectedWords: ({ name, type }) => `RRSet of type ${type} with DNS name ${name} is not permitted`,
  },
  'is short': { wordless: true },
};

const calls = ({ route53 }: PublishWorld, method: string) =>
  route53.calls.filter((call) => call.method === method).length;
const refusalAt = async (world: PublishWorld, type = 'A', name = WWW) =>
  (await itemAt(world, key(name, type)))?.refusal;

/** A world in which www is published and protected, and the others are wanted. */
async function protectedWorld(options: WorldOptions = {}): Promise<PublishWorld> {
  const world = await publishWorld(options);
  await want(world, WWW, A('192.0.2.1'));
  await run(world);
  world.route53.protect(ZONE_ID, WWW, 'A', COMMENT);
  for (const name of OTHERS) await want(world, name, A('192.0.2.1', name));
  return world;
}

async function swept(world: PublishWorld): Promise<void> {
  world.clock.ms += 3_600_000;
  await sweepHostedZone(sweepContext(world), ZONE_ID, { retryRefused: true });
  await run(world);
}

describe('publish() of a protected record set', () => {
  test.each(Object.entries(WORDS))('when the refusal %s: settles it with one more call', async (title, options) => {
    const world = await protectedWorld(options);
    await want(world, WWW, A('192.0.2.2'));
    const before = changeCalls(world);
    expect((await outcomes(world)).filter((line) => !line.endsWith('published'))).toEqual([
      `update ${WWW} A: protected`,
    ]);
    expect(changeCalls(world) - before).toBe(2);
    expect(calls(world, 'protections')).toBe(title === 'says so' ? 0 : 1);
    expect(standing(world)).toHaveLength(OTHERS.length + 1);
    expect(await dirtyNames(world)).toEqual([]);
    const refusal = await refusalAt(world);
    expect(refusal).toMatchObject({ reason: 'Protected', shield: { name: WWW, type: 'A' } });
    expect(refusal?.message).toContain(COMMENT);
    expect(await outcomes(world)).toEqual([]);
  });

  test('sends it again when its content changes, and in a batch of its own', async () => {
    const world = await protectedWorld();
    await want(world, WWW, A('192.0.2.2'));
    await run(world);
    await want(world, WWW, A('192.0.2.3'));
    await want(world, `new.${APEX}`, A('192.0.2.1', `new.${APEX}`));
    const before = changeCalls(world);
    expect(await outcomes(world)).toEqual([`create new.${APEX} A: published`, `update ${WWW} A: protected`]);
    expect(changeCalls(world) - before).toBe(2);
    await want(world, WWW, A('192.0.2.1'));
    await run(world);
    expect(await refusalAt(world)).toBeNull();
    expect(changeCalls(world) - before).toBe(2);
  });

  test('sends it again when a sweep finds the protection gone, and not before', async () => {
    const world = await protectedWorld();
    await want(world, WWW);
    await run(world);
    const before = changeCalls(world);
    for (let hours = 0; hours < 30; hours += 1) await swept(world);
    expect(changeCalls(world)).toBe(before);
    expect(await refusalAt(world)).toMatchObject({ reason: 'Protected' });
    world.route53.unprotect(ZONE_ID, WWW, 'A');
    await swept(world);
    expect(changeCalls(world)).toBe(before + 1);
    expect(standing(world)).toHaveLength(OTHERS.length);
  });

  test('refuses what can only change together with it, and tries both when it is free', async () => {
    const world = await publishWorld();
    await want(world, WWW, wanted(WWW, 'CNAME', ['a.example.net.']));
    await run(world);
    world.route53.protect(ZONE_ID, WWW, 'CNAME', COMMENT);
    await want(world, WWW, A('192.0.2.1'));
    expect(await outcomes(world)).toEqual([`delete ${WWW} CNAME: protected`, `create ${WWW} A: protected`]);
    expect((await refusalAt(world))?.message).toContain(`Waits for CNAME ${WWW}`);
    const before = changeCalls(world);
    await swept(world);
    expect(changeCalls(world)).toBe(before);
    world.route53.unprotect(ZONE_ID, WWW, 'CNAME');
    await swept(world);
    expect(standing(world)).toEqual([`${WWW} A 192.0.2.1 300`]);
  });

  test('tells it from other refusals of the same batch', async () => {
    const reject = ({ name }: { readonly name: string }) =>
      name === OTHERS[0] ? `Invalid Resource Record: FATAL problem: X (why) encountered with '192.0.2.99'` : null;
    const world = await protectedWorld({ reject, ...WORDS['gives no reason'] });
    await want(world, WWW, A('192.0.2.2'));
    await want(world, OTHERS[0] ?? '', A('192.0.2.99', OTHERS[0]));
    const bad = (await outcomes(world)).filter((line) => !line.endsWith('published'));
    expect(bad.toSorted()).toEqual([`create ${OTHERS[0]} A: rejected`, `update ${WWW} A: protected`]);
    expect(standing(world)).toHaveLength(OTHERS.length);
  });

  test('accuses nobody because a tenant wrote of protections', async () => {
    const text = `"${OTHERS[0]} is protected"`;
    const reject = ({ type }: { readonly type: string }) =>
      type === 'TXT' ? `Invalid Resource Record: FATAL problem: X (why) encountered with '${text}'` : null;
    const world = await publishWorld({ reject });
    for (const name of OTHERS) await want(world, name, A('192.0.2.1', name));
    await want(world, `evil.${APEX}`, wanted(`evil.${APEX}`, 'TXT', [text]));
    for (let runs = 0; runs < 5; runs += 1) await run(world);
    expect(standing(world)).toHaveLength(OTHERS.length);
    expect(await refusalAt(world, 'TXT', `evil.${APEX}`)).toMatchObject({ reason: 'Rejected' });
  });

  test('where protections may not be listed: rejects it in the words of Route 53, and the others are published', async () => {
    const world = await protectedWorld({ ...WORDS['gives no reason'], protectionsDenied: () => true });
    await want(world, WWW, A('192.0.2.2'));
    for (let runs = 0; runs < 5; runs += 1) await run(world);
    expect(await refusalAt(world)).toMatchObject({ reason: 'Rejected', message: `${WWW} is not to be changed.` });
    expect(standing(world)).toHaveLength(OTHERS.length + 1);
    const before = changeCalls(world);
    await swept(world);
    expect(changeCalls(world)).toBe(before + 1);
  });

  test('lists the protections when the message of Route 53 is cut', async () => {
    const protectedWords = ({ name }: { readonly name: string }) => `RRSet with DNS name ${name} is protected.`;
    const world = await publishWorld({ protectedWords });
    for (const name of OTHERS) await want(world, name, A('192.0.2.1', name));
    for (const name of OTHERS.slice(1)) world.route53.protect(ZONE_ID, name, 'A', COMMENT);
    const { change } = world.route53.port;
    const cut: typeof change = async (...asked) => {
      const outcome = await change(...asked);
      return outcome.kind === 'refused' ? { ...outcome, messages: outcome.messages.slice(0, 2), isCut: true } : outcome;
    };
    const hostedZones = { ...world.deps.hostedZones, change: cut };
    const result = await run({ ...world, deps: { ...world.deps, hostedZones } });
    expect(result.kind === 'done' && Object.groupBy(result.outcomes, ({ outcome }) => outcome)).toMatchObject({
      published: { length: 1 },
      protected: { length: OTHERS.length - 1 },
    });
    expect([changeCalls(world), calls(world, 'protections')]).toEqual([2, 1]);
  });
});
