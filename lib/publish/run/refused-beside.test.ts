// Record sets of one name that Route 53 refuses one by one, each for a reason of its own: all are settled in a few
// runs.
import { expect, test } from 'vitest';
import { hintFor } from '../../../test/fakes/reconcile-world.ts';
import { begun, put, refusalOf, type Spy, through } from '../../../test/fakes/spied-batches.ts';
import { markDirty } from '../../record-sets/dirty-mark.ts';
import { reconcile } from '../../resolve/reconcile-hints.ts';
import { publish } from './publish-hosted-zone.ts';

const weighted = (id: string, ttl: number) => ({ rdata: '192.0.2.1', ttl, routing: { setIdentifier: id, weight: 1 } });

/** Publishes until nothing is left to do now. Returns the number of runs; infinite if 30 were not enough. */
async function runs({ world }: Spy): Promise<number> {
  for (let count = 1; count <= 30; count += 1) {
    const result = await publish(world.deps, 'Z1');
    if (result.kind === 'done' && result.retryAfterSeconds === null) return count;
  }
  return Number.POSITIVE_INFINITY;
}

test.each([
  ['one', 1],
  ['seven', 7],
])('publish() tries an alias without its target again, and %s with a TTL other than Route 53 has', async (_, count) => {
  const spy = await begun();
  await through(spy, [put(spy.world, 'x', weighted('x', 120))]);
  const ids = Array.from({ length: count }, (_, index) => `y${index}`);
  const alias = { alias: { target: 'gone.e.' }, routing: { setIdentifier: 'x', weight: 1 } };
  await through(spy, [put(spy.world, 'x', alias), ...ids.map((id) => put(spy.world, id, weighted(id, 360)))]);
  for (let again = 0; again < 2; again += 1) {
    expect(await runs(spy)).toBeLessThanOrEqual(count + 1);
    for (const id of ['x', ...ids]) expect(await refusalOf(spy, 'www.e.', id)).toBe('Rejected');
    const calls = spy.batches.length;
    expect(await runs(spy)).toBe(1);
    expect(spy.batches.length).toBe(calls);
    await markDirty(spy.world.ledger, 'Z1', 'www.e.', spy.world.deps.clock.nowMs(), { retry: true });
  }
  // The target is created, so everything that waited for it is published.
  await through(spy, [put(spy.world, 'w', { domainName: 'gone.e.', rdata: '192.0.2.9' })]);
  expect(await runs(spy)).toBeLessThanOrEqual(count + 1);
  for (const id of ['x', ...ids]) expect(await refusalOf(spy, 'www.e.', id)).toBe(null);
});

/** A Route 53 that refuses these set identifiers in these words, and counts the calls. */
function refusing({ world }: Spy, isBad: (id: string) => boolean, words: string) {
  const { change } = world.deps.hostedZones;
  let calls = 0;
  const checking: typeof change = async (id, changes, ...rest) => {
    calls += 1;
    return changes.some(({ recordSet }) => isBad(recordSet.setIdentifier ?? ''))
      ? { kind: 'refused', messages: [words] }
      : change(id, changes, ...rest);
  };
  const deps = { ...world.deps, hostedZones: { ...world.deps.hostedZones, change: checking } };
  return { world: { ...world, deps }, calls: () => calls };
}

test.each([
  ['names none', 'No health check found', 14],
  [
    'says that they are too many',
    'RRSet with DNS name www.e., type A, SetIdentifier x50 cannot be created as it exceeds the limit of 100 sets with the same name and type.',
    2,
  ],
])(
  'publish() finds the one refused of 101 record sets of a name in a few calls, if Route 53 %s',
  async (_, words, most) => {
    const spy = await begun();
    const { world, calls } = refusing(spy, (id) => id === 'x50', words);
    const ids = Array.from({ length: 101 }, (_, index) => `x${index}`);
    await through(
      { ...spy, world },
      ids.map((id) => put(world, id, weighted(id, 60))),
    );
    for (const id of ids) expect(await refusalOf(spy, 'www.e.', id)).toBe(id === 'x50' ? 'Rejected' : null);
    expect(spy.batches.flat()).toHaveLength(100);
    expect(calls()).toBeLessThanOrEqual(most);
  },
);

test.each([
  ['three of 100', 100, (at: number) => at % 33 === 32, 34],
  ['all of 18', 18, () => true, 23],
  ['all of 100', 100, () => true, 107],
])(
  'publish() settles a name with many record sets, of which Route 53 refuses %s without a name',
  async (_, of, isBad, most) => {
    const spy = await begun();
    const { world, calls } = refusing(spy, (id) => isBad(Number(id.slice(1))), 'That is not possible here.');
    const ids = Array.from({ length: of }, (_, index) => `x${index}`);
    await reconcile(
      world.context,
      ids.map((id) => hintFor(put(world, id, weighted(id, 60)))),
    );
    expect(await runs({ ...spy, world })).toBeLessThanOrEqual(1 + of / 4);
    for (const [at, id] of ids.entries())
      expect(await refusalOf(spy, 'www.e.', id)).toBe(isBad(at) ? 'Rejected' : null);
    expect(calls()).toBeLessThanOrEqual(most);
  },
);
