// publish() of changes that are tied, and more than Route 53 takes at once: deletes, then the TXT
// record sets of external-dns, then creates. Whatever call the run dies at, the next ones end with what is wanted.
import { describe, expect, test } from 'vitest';
import {
  A,
  APEX,
  dirtyNames,
  itemAt,
  key,
  type PublishWorld,
  publishWorld,
  run,
  standing,
  WWW,
  want,
  wanted,
  ZONE_ID,
} from '../../../test/fakes/publish-world.ts';
import { CLAIM, put, REGISTRY } from '../../../test/fakes/shared-text.ts';
import type { HostedZones } from '../../ports/hosted-zones.ts';
import type { DesiredRecordSet } from '../../record-sets/desired-name.ts';

const AAAA = wanted(WWW, 'AAAA', ['2001:db8::1']);
const CNAME = wanted(WWW, 'CNAME', ['other.example.net.']);
const TEXTS = [`txt.${WWW}`, `txt.a-${WWW}`];

function weighted(setIdentifier: string, weight: number, ttlSeconds = 300): DesiredRecordSet {
  const { content, ...set } = A('192.0.2.1');
  const routing = { policy: { kind: 'weight' as const, weight }, healthCheckId: null };
  return { ...set, setIdentifier, content: { ...content, ttlSeconds, routing } as DesiredRecordSet['content'] };
}

type Tie = {
  readonly name: string;
  readonly before: readonly DesiredRecordSet[];
  readonly after: readonly DesiredRecordSet[];
  /** What external-dns has there, with its TXT record sets. */
  readonly theirs?: string;
};

const TIES: readonly Tie[] = [
  { name: 'an update', before: [A('192.0.2.1')], after: [A('192.0.2.2')] },
  { name: 'CNAME to A and AAAA', before: [CNAME], after: [A('192.0.2.1'), AAAA] },
  { name: 'A and AAAA to CNAME', before: [A('192.0.2.1'), AAAA], after: [CNAME] },
  { name: 'weighted to simple', before: [weighted('x', 1), weighted('y', 2)], after: [A('192.0.2.1')] },
  { name: 'simple to weighted', before: [A('192.0.2.1')], after: [weighted('x', 1), weighted('y', 2)] },
  {
    name: 'another TTL of weighted record sets',
    before: [weighted('x', 1), weighted('y', 2)],
    after: [weighted('x', 1, 60), weighted('y', 2, 60)],
  },
  { name: 'another set identifier', before: [weighted('x', 1)], after: [weighted('y', 1)] },
  { name: 'what external-dns owned', before: [], after: [A('192.0.2.1')], theirs: '192.0.2.9' },
  { name: 'what external-dns owned, as is', before: [], after: [A('192.0.2.1')], theirs: '192.0.2.1' },
  { name: 'what external-dns owned, to CNAME', before: [], after: [CNAME], theirs: '192.0.2.9' },
];

/** A world where `before` is published, and `after` is wanted through a bucket of so many changes. */
async function begun({ before, after, theirs }: Tie, size: number, knows = false) {
  const world = await publishWorld({ config: { externalDns: [REGISTRY] } });
  await want(world, WWW, ...before);
  await run(world);
  if (theirs !== undefined) {
    put(world, WWW, 'A', theirs);
    for (const text of TEXTS) put(world, text, 'TXT', CLAIM);
  }
  await want(world, WWW, ...after);
  return limited(world, size, knows);
}

type Limited = { readonly world: PublishWorld; readonly sizes: number[]; dieAt: number };

/** `dieAt`: the call at which the process dies, before Route 53 has it (1, 2 …) or after it (1.5, 2.5 …). */
function limited(world: PublishWorld, size: number, knows: boolean): Limited {
  const sizes: number[] = [];
  let taken = 0;
  const change: HostedZones['change'] = async (id, changes, ...rest) => {
    sizes.push(changes.length);
    if (changes.length > size) return { kind: 'throttled', message: 'Throttling: Rate exceeded', isOfAccount: true };
    taken += 1;
    if (taken === at.dieAt) throw new Error('killed');
    const outcome = await world.route53.port.change(id, changes, ...rest);
    if (taken + 0.5 === at.dieAt) throw new Error('killed');
    return outcome;
  };
  const hostedZones = { ...world.route53.port, change, ...(knows && { changesAtOnce: async () => size }) };
  const at: Limited = { world: { ...world, deps: { ...world.deps, hostedZones } }, sizes, dieAt: 0 };
  return at;
}

/** Runs until nothing is left to do, and at most six times. */
async function settle(world: PublishWorld): Promise<void> {
  for (let runs = 0; runs < 6 && (await dirtyNames(world)).length > 0; runs += 1) {
    await run(world);
    world.clock.ms += 60_000;
  }
}

/** What stands in the end without a limit, and how many record changes were sent for it. */
async function withoutLimit(tie: Tie) {
  const { world, sizes } = await begun(tie, 1_000);
  await settle(world);
  return { lines: standing(world), changes: sizes.reduce((sum, one) => sum + one, 0) };
}

describe.each(TIES)('publish() of $name', (tie) => {
  test.each([1, 2, 3])('through a bucket of %i', async (size) => {
    const { world, sizes } = await begun(tie, size);
    const result = await run(world);
    const { lines, changes } = await withoutLimit(tie);
    expect(standing(world)).toEqual(lines);
    expect(await dirtyNames(world)).toEqual([]);
    expect(result.kind === 'done' && result.retryAfterSeconds).toBeNull();
    expect(sizes.filter((one) => one <= size).length).toBeLessThanOrEqual(changes);
  });

  test('through a bucket that is known to hold one: no larger batch is sent', async () => {
    const { world, sizes } = await begun(tie, 1, true);
    await run(world);
    expect(standing(world)).toEqual((await withoutLimit(tie)).lines);
    expect(new Set(sizes)).toEqual(new Set([1]));
  });

  test.each([1, 2])('through a bucket of %i, whatever call it dies at', async (size) => {
    const { lines } = await withoutLimit(tie);
    for (let dieAt = 1, isDead = true; isDead; dieAt += 0.5) {
      const at = await begun(tie, size);
      at.dieAt = dieAt;
      isDead = await run(at.world).then(
        () => false,
        () => true,
      );
      at.world.clock.ms += 60_000;
      await settle(at.world);
      expect(standing(at.world), `died at call ${dieAt}`).toEqual(lines);
    }
  });
});

test('publish() counts the deletes of a name that is sent in parts for the guard, as in one batch', async () => {
  const counted = async (size: number) => {
    const { world } = await begun({ name: '', before: [A('192.0.2.1'), AAAA], after: [CNAME] }, size);
    await run(world);
    return [
      (await itemAt(world, key(WWW, 'A')))?.deleted !== null,
      (await itemAt(world, key(WWW, 'AAAA')))?.deleted !== null,
    ];
  };
  expect(await counted(1)).toEqual(await counted(1_000));
  expect(await counted(1)).toEqual([true, true]);
});

test('publish() creates what is absent after a death before all else, however much is new', async () => {
  const at = await begun({ name: '', before: [CNAME], after: [A('192.0.2.1'), AAAA] }, 1);
  const [died] = await Promise.allSettled([run({ ...at.world, deps: { ...at.world.deps, hostedZones: dying(at) } })]);
  expect(died.status).toBe('rejected');
  expect(standing(at.world)).toEqual([]);
  for (let index = 0; index < 5; index += 1)
    await want(at.world, `a${index}.${APEX}`, A('192.0.2.7', `a${index}.${APEX}`));
  const order: string[] = [];
  const { change } = at.world.deps.hostedZones;
  const noting: HostedZones['change'] = (id, changes, ...rest) => {
    if (changes.length === 1) order.push(`${changes[0]?.recordSet.name} ${changes[0]?.recordSet.type}`);
    return change(id, changes, ...rest);
  };
  await run({ ...at.world, deps: { ...at.world.deps, hostedZones: { ...at.world.deps.hostedZones, change: noting } } });
  expect(order.slice(0, 2)).toEqual([`${WWW} A`, `${WWW} AAAA`]);
  expect((await itemAt(at.world, key(WWW, 'A')))?.inTwoBatches).toBe(true);
});

/** The process dies at the first create. */
function dying({ world }: Limited): HostedZones {
  const { hostedZones } = world.deps;
  const change: HostedZones['change'] = async (id, changes, ...rest) => {
    if (changes.length === 1 && changes[0]?.action === 'CREATE') throw new Error('killed');
    return hostedZones.change(id, changes, ...rest);
  };
  return { ...hostedZones, change };
}

test('publish() judges what is left when somebody changed a record set between the parts', async () => {
  const { world } = await begun({ name: '', before: [A('192.0.2.1'), AAAA], after: [CNAME] }, 1);
  const { hostedZones } = world.deps;
  const change: HostedZones['change'] = async (id, changes, ...rest) => {
    const outcome = await hostedZones.change(id, changes, ...rest);
    if (changes.length === 1 && changes[0]?.recordSet.type === 'A') put(world, WWW, 'A', '192.0.2.99');
    return outcome;
  };
  const result = await run({ ...world, deps: { ...world.deps, hostedZones: { ...hostedZones, change } } });
  expect(standing(world)).toEqual([`${WWW} A 192.0.2.99 300`]);
  expect(result.kind === 'done' && result.outcomes.at(-1)).toMatchObject({ outcome: 'foreign' });
  expect(await world.route53.port.readName(ZONE_ID, WWW)).toHaveLength(1);
});
