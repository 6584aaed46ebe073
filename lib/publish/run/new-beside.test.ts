// A new routed record set for which the others of its name must change, as for its lower TTL: if Route 53 refuses it,
// the others go without it. If Route 53 refuses one of the others, the new one waits.
import { describe, expect, test } from 'vitest';
import { begun, put, refusalOf, type Spy, through } from '../../../test/fakes/spied-batches.ts';
import { recordSetCodec, recordSetItemKey } from '../../record-sets/record-set-item.ts';

type Routing = { readonly weight?: number; readonly region?: string };
const routed = (setIdentifier: string, ttl: number, routing: Routing, check?: string) => ({
  rdata: '192.0.2.1',
  ttl,
  routing: { setIdentifier, ...routing, ...(check === undefined ? {} : { healthCheckId: check }) },
});
const weighted = (id: string, ttl: number, weight = 1, check?: string) => routed(id, ttl, { weight }, check);

/** A Route 53 that has no health check whose id begins with `gone`, and says so in these words. */
async function world(words: (id: string) => string): Promise<Spy & { readonly calls: () => number }> {
  const { world, batches } = await begun();
  const { change } = world.deps.hostedZones;
  let calls = 0;
  const checking: typeof change = async (id, changes, ...rest) => {
    calls += 1;
    const bad = changes.find(
      ({ action, recordSet: { content } }) => action !== 'DELETE' && content.routing?.healthCheckId?.startsWith('gone'),
    );
    if (bad === undefined) return change(id, changes, ...rest);
    return { kind: 'refused', messages: [words(bad.recordSet.setIdentifier ?? '')] };
  };
  const deps = { ...world.deps, hostedZones: { ...world.deps.hostedZones, change: checking } };
  return { world: { ...world, deps }, batches, calls: () => calls };
}

const standing = ({ world }: Spy) =>
  world.route53
    .recordSets('Z1')
    .filter(({ name }) => name === 'www.e.')
    .map(
      ({ setIdentifier, content }) => `${setIdentifier} ${content.kind === 'values' ? content.ttlSeconds : 'alias'}`,
    );

async function messageOf({ world }: Spy, setIdentifier: string): Promise<string | null> {
  const stored = await world.ledger.get(recordSetItemKey('Z1', { name: 'www.e.', type: 'A', setIdentifier }));
  return stored === null ? null : (recordSetCodec.decode(stored).refusal?.message ?? null);
}

describe.each([
  [
    'names it',
    (id: string) =>
      `RRSet with DNS name www.e., type A, SetIdentifier ${id} cannot be created as it has no health check.`,
    3,
  ],
  ['names none', () => 'No health check found', 3],
])('publish() of a new weighted record set with a lower TTL, if Route 53 refuses it and %s', (_, words, callsMax) => {
  test('publishes the others, and blames it alone', async () => {
    const spy = await world(words);
    await through(spy, [put(spy.world, 'a', weighted('x', 60)), put(spy.world, 'b', weighted('y', 60))]);
    const before = spy.calls();
    await through(spy, [put(spy.world, 'c', weighted('z', 30, 1, 'gone')), put(spy.world, 'a', weighted('x', 60, 5))]);
    expect(standing(spy)).toEqual(['x 30', 'y 30']);
    expect(await messageOf(spy, 'z')).toBe(words('z'));
    for (const id of ['x', 'y']) expect(await refusalOf(spy, 'www.e.', id)).toBe(null);
    expect(spy.calls() - before).toBeLessThanOrEqual(callsMax);
    expect(await through(spy, [put(spy.world, 'a', weighted('x', 60, 6))])).toEqual([
      ['DELETE www.e. x', 'CREATE www.e. x'],
    ]);
    expect(await through(spy, [put(spy.world, 'c', weighted('z', 30))])).toEqual([['CREATE www.e. z']]);
  });

  test('publishes every other new one with them', async () => {
    const spy = await world(words);
    await through(spy, [put(spy.world, 'a', weighted('x', 60))]);
    const ids = ['p', 'q', 'r', 's'];
    const bad = put(spy.world, 'c', weighted('z', 30, 1, 'gone'));
    await through(spy, [...ids.map((id) => put(spy.world, id, weighted(id, 30))), bad]);
    expect(standing(spy)).toEqual(['p 30', 'q 30', 'r 30', 's 30', 'x 30']);
    expect(await messageOf(spy, 'z')).toBe(words('z'));
  });

  test('lets it wait for a record set that exists and is refused', async () => {
    const spy = await world(words);
    await through(spy, [put(spy.world, 'a', weighted('x', 60)), put(spy.world, 'b', weighted('y', 60))]);
    await through(spy, [put(spy.world, 'b', weighted('y', 60, 1, 'gone')), put(spy.world, 'c', weighted('z', 30))]);
    expect(standing(spy)).toEqual(['x 60', 'y 60']);
    expect(await messageOf(spy, 'z')).toMatch(/^Waits for A www\.e\., /);
    const before = spy.calls();
    await through(spy, [put(spy.world, 'c', weighted('z', 30, 7))]);
    expect(spy.calls()).toBe(before);
    expect(await messageOf(spy, 'z')).toMatch(/^Waits for A www\.e\., /);
    await through(spy, [put(spy.world, 'b', weighted('y', 60, 2))]);
    expect(standing(spy)).toEqual(['x 30', 'y 30', 'z 30']);
  });

  test('publishes the others also if all go to another policy', async () => {
    const spy = await world(words);
    await through(spy, [put(spy.world, 'a', weighted('x', 60)), put(spy.world, 'b', weighted('y', 60))]);
    await through(spy, [
      put(spy.world, 'a', routed('x', 60, { region: 'eu-west-1' })),
      put(spy.world, 'b', routed('y', 60, { region: 'us-east-1' })),
      put(spy.world, 'c', routed('z', 60, { region: 'us-west-2' }, 'gone')),
    ]);
    expect(standing(spy)).toEqual(['x 60', 'y 60']);
    expect(await messageOf(spy, 'z')).toBe(words('z'));
    for (const id of ['x', 'y']) expect(await refusalOf(spy, 'www.e.', id)).toBe(null);
  });
});
