// publish() and an account that takes few record changes at once: what is throttled is never sent again at its size.
import { expect, test } from 'vitest';
import {
  A,
  APEX,
  itemAt,
  key,
  type PublishWorld,
  publishWorld,
  run,
  standing,
  WWW,
  want,
} from '../../../test/fakes/publish-world.ts';
import type { HostedZones } from '../../ports/hosted-zones.ts';

const nameOf = (index: number) => `h${index}.${APEX}`;

/** The same world over a bucket of so many changes, which is full at each call. Returns the sizes of the calls, too. */
async function limitedWorld(size: number, code = 'Throttling', isOfAccount = true) {
  const world = await publishWorld();
  const sizes: number[] = [];
  const throttled: string[] = [];
  const change: HostedZones['change'] = async (id, changes, ...rest) => {
    sizes.push(changes.length);
    if (changes.length <= size) return world.route53.port.change(id, changes, ...rest);
    throttled.push(changes.map(({ recordSet }) => recordSet.name).join());
    return { kind: 'throttled', message: `${code}: Rate exceeded`, ...(isOfAccount && { isOfAccount: true as const }) };
  };
  const hostedZones = { ...world.route53.port, change };
  const limited: PublishWorld = { ...world, deps: { ...world.deps, hostedZones } };
  return { world: limited, sizes, throttled };
}

async function wantMany(world: PublishWorld, count: number, address = '192.0.2.1') {
  for (let index = 0; index < count; index += 1) await want(world, nameOf(index), A(address, nameOf(index)));
}

test.each([1, 7, 16])('publishes 40 names through a bucket of %i, and sends no throttled batch again', async (size) => {
  const { world, sizes, throttled } = await limitedWorld(size);
  await wantMany(world, 40);
  for (let runs = 0; standing(world).length < 40 && runs < 4; runs += 1) await run(world);
  expect(standing(world)).toHaveLength(40);
  expect(throttled).toEqual([...new Set(throttled)]);
  expect(sizes.length).toBeLessThanOrEqual((2 * 40) / size + 10);
});

test('updates one by one where the bucket takes a single change: DELETE, then CREATE, and the object is told', async () => {
  const { world, sizes } = await limitedWorld(1);
  await want(world, WWW, A('192.0.2.1'));
  await run(world);
  await want(world, WWW, A('192.0.2.2'));
  const result = await run(world);
  expect(standing(world)).toEqual([`${WWW} A 192.0.2.2 300`]);
  expect(sizes).toEqual([1, 2, 2, 2, 1, 1]);
  expect(result.kind === 'done' && result.outcomes.at(-1)?.message).toMatch(/two batches, because Route 53 takes one/);
});

test('creates the name first after a death between the two', async () => {
  const { world } = await limitedWorld(1);
  await want(world, WWW, A('192.0.2.1'));
  await run(world);
  await want(world, WWW, A('192.0.2.2'));
  const { hostedZones } = world.deps;
  const dying: HostedZones['change'] = async (id, changes, ...rest) => {
    if (changes.length === 1 && changes[0]?.action === 'CREATE') throw new Error('killed');
    return hostedZones.change(id, changes, ...rest);
  };
  await expect(
    run({ ...world, deps: { ...world.deps, hostedZones: { ...hostedZones, change: dying } } }),
  ).rejects.toThrow();
  expect(standing(world)).toEqual([]);
  await run(world);
  expect(standing(world)).toEqual([`${WWW} A 192.0.2.2 300`]);
  expect((await itemAt(world, key(WWW, 'A')))?.intent).toBeNull();
});

test('waits, and splits nothing, where only the hosted zone is busy', async () => {
  let busy = 2;
  const { world, sizes } = await limitedWorld(0, 'PriorRequestNotComplete', false);
  const inner = world.route53.port.change;
  const change: HostedZones['change'] = async (...call) => {
    busy -= 1;
    if (busy >= 0) return world.deps.hostedZones.change(...call);
    sizes.push(call[1].length);
    return inner(...call);
  };
  await wantMany(world, 5);
  await run({ ...world, deps: { ...world.deps, hostedZones: { ...world.deps.hostedZones, change } } });
  expect(sizes).toEqual([5, 5, 5]);
  expect(standing(world)).toHaveLength(5);
});

test('sends no batch that the account is known not to take', async () => {
  const { world, sizes } = await limitedWorld(8);
  await wantMany(world, 40);
  const hostedZones = { ...world.deps.hostedZones, changesAtOnce: async () => 8 };
  await run({ ...world, deps: { ...world.deps, hostedZones } });
  expect(sizes).toEqual([8, 8, 8, 8, 8]);
  expect(standing(world)).toHaveLength(40);
});

test('counts denied calls in a row although others are throttled between them, and pauses then', async () => {
  const { world } = await limitedWorld(1);
  let calls = 0;
  const change: HostedZones['change'] = async (_, changes) => {
    calls += 1;
    if (changes.length > 1 || calls % 2 === 0)
      return { kind: 'throttled', message: 'Throttling: Rate exceeded', isOfAccount: true };
    return { kind: 'denied', message: 'AccessDenied' };
  };
  await wantMany(world, 40);
  const result = await run({ ...world, deps: { ...world.deps, hostedZones: { ...world.deps.hostedZones, change } } });
  expect(result.kind === 'done' && result.retryAfterSeconds).toBeGreaterThanOrEqual(60);
});
