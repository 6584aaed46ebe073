// `apply` always ends, whatever Route 53 does: when nothing was published for the given time, it says what was
// published and what was not.
import { expect, test } from 'vitest';
import { planCluster } from '../../test/fakes/plan-cluster.ts';
import { type ReconcileWorld, reconcileWorld } from '../../test/fakes/reconcile-world.ts';
import { parseRef } from '../objects/object-ref.ts';
import type { Config } from '../ports/config.ts';
import { type BatchOutcome, type HostedZones, HostedZonesDeniedError } from '../ports/hosted-zones.ts';
import { DEFAULT_LEASE_LIMITS, takeLease } from '../record-sets/lease.ts';
import { applyCluster } from './apply-cluster.ts';

const SPEC = { domainName: 'e.', delegations: [{ records: [{ pattern: '*' }] }] };

function worldOf(config: Partial<Config> = {}): ReconcileWorld {
  const world = reconcileWorld({ hostedZones: [{ id: 'Z1', name: 'e.' }], config });
  world.cluster.put(parseRef('Zone p/e'), SPEC);
  for (const name of ['a', 'b', 'c'])
    world.cluster.put(parseRef(`Record p/${name}`), { domainName: `${name}.e.`, type: 'A', rdata: '192.0.2.1' });
  return world;
}

/** Applies with a clock that each sleep advances. `answer` replaces the answer to a change; null: Route 53 answers. */
async function apply(
  world: ReconcileWorld,
  answer: () => BatchOutcome | null,
  timeoutMs?: number,
  signal?: AbortSignal,
) {
  const began = world.clock.ms;
  const logged: string[] = [];
  const change: HostedZones['change'] = async (...asked) => answer() ?? world.route53.port.change(...asked);
  const hostedZones = { ...world.route53.port, change };
  const sleep = async (ms: number) => {
    world.clock.ms += ms;
  };
  const deps = { ...world.deps, hostedZones, clock: { ...world.deps.clock, sleep } };
  const context = { ...world.context, log: (_level: string, message: string) => void logged.push(message) };
  const options = {
    acknowledged: [],
    only: () => true,
    progress: () => {},
    ...(timeoutMs && { timeoutMs }),
    ...(signal && { signal }),
  };
  const applied = await applyCluster(context, deps, await planCluster(context), options);
  const outcomes = applied.hostedZones.flatMap((one) => one.outcomes);
  return { seconds: (world.clock.ms - began) / 1_000, outcomes, logged };
}

const REFUSED = { kind: 'throttled', message: 'ECONNREFUSED: connect ECONNREFUSED 127.0.0.1:1' } as const;

test.each([
  ['two minutes by default', undefined, 120],
  ['the time given', 30_000, 30],
])(
  'apply gives up after %s when connections are refused, and the next run publishes',
  async (_name, timeoutMs, seconds) => {
    const world = worldOf();
    const refused = await apply(world, () => REFUSED, timeoutMs);
    // The last run begins before that time is over.
    expect(refused.seconds).toBeGreaterThanOrEqual(seconds);
    expect(refused.seconds).toBeLessThan(seconds + 20);
    expect(refused.outcomes.map(({ outcome, message }) => [outcome, message])).toEqual(
      refused.outcomes.map(() => ['failed', REFUSED.message]),
    );
    expect(refused.logged).toContain('gave up, as nothing was published for so long');
    const next = await apply(world, () => null);
    expect(next.outcomes.map(({ outcome }) => outcome)).toEqual(next.outcomes.map(() => 'published'));
    expect(next.outcomes.length).toBeGreaterThanOrEqual(3);
  },
);

test('apply counts the time since the last success, and so waits for a slow Route 53', async () => {
  const world = worldOf();
  let calls = 0;
  // One call of twenty succeeds: first the SOA, then the Records.
  const slow = await apply(world, () => {
    calls += 1;
    return calls % 20 === 0 ? null : REFUSED;
  });
  expect(slow.seconds).toBeGreaterThan(120);
  expect(slow.outcomes.map(({ outcome }) => outcome)).toEqual(slow.outcomes.map(() => 'published'));
});

test('apply does not wait for what is denied', async () => {
  const denied = await apply(worldOf(), () => ({ kind: 'denied', message: 'AccessDenied: no' }));
  expect(denied.seconds).toBeLessThan(10);
  expect(new Set(denied.outcomes.map(({ outcome }) => outcome))).toEqual(new Set(['failed']));
});

test('apply gives up what is never answered', async () => {
  const lost = await apply(worldOf(), () => ({ kind: 'unknown', message: 'TimeoutError' }));
  expect(lost.seconds).toBeLessThan(180);
  expect(new Set(lost.outcomes.map(({ outcome }) => outcome))).toEqual(new Set(['failed']));
});

test('apply, interrupted between two batches, says what is published and what is not, and the next run continues', async () => {
  const world = worldOf();
  const stopping = new AbortController();
  let calls = 0;
  const interrupted = await apply(
    world,
    () => {
      calls += 1;
      stopping.abort();
      return null;
    },
    undefined,
    stopping.signal,
  );
  expect(calls).toBe(1);
  const by = Map.groupBy(interrupted.outcomes, ({ outcome }) => outcome);
  expect(by.get('published')?.length).toBeGreaterThan(0);
  expect(new Set(by.get('failed')?.map(({ message }) => message))).toEqual(
    new Set(['Not published: the run was interrupted. Run the command again.']),
  );
  const next = await apply(world, () => null);
  expect(next.outcomes.length).toBe(by.get('failed')?.length);
  expect(next.outcomes.every(({ outcome }) => outcome === 'published')).toBe(true);
});

test('apply, interrupted while Route 53 refuses, ends without waiting', async () => {
  const stopping = new AbortController();
  const refuse = () => {
    stopping.abort();
    return REFUSED;
  };
  const { seconds, outcomes } = await apply(worldOf(), refuse, undefined, stopping.signal);
  expect(seconds).toBeLessThan(5);
  expect(outcomes.every(({ outcome }) => outcome === 'failed')).toBe(true);
});

test('apply right after an apply that died waits for the lease that is left', async () => {
  const world = worldOf();
  await apply(world, () => null);
  world.cluster.put(parseRef('Record p/d'), { domainName: 'd.e.', type: 'A', rdata: '192.0.2.1' });
  expect((await takeLease({ ...world.deps, lease: DEFAULT_LEASE_LIMITS }, 'Z1', 'dead')).kind).toBe('taken');
  const { outcomes, seconds } = await apply(world, () => null);
  expect(outcomes.filter(({ outcome }) => outcome === 'published').map(({ change }) => change.name)).toEqual(['d.e.']);
  expect(seconds).toBeGreaterThan(30);
});

test('apply says that names in doubt cannot be read, and publishes the others', async () => {
  const world = worldOf({ soa: 'never' });
  await apply(world, () => ({ kind: 'unknown', message: 'TimeoutError' }), 5_000);
  world.cluster.put(parseRef('Record p/d'), { domainName: 'd.e.', type: 'A', rdata: '192.0.2.1' });
  world.route53.port.readName = async () => {
    throw new HostedZonesDeniedError('AccessDenied: no');
  };
  const { outcomes, seconds } = await apply(world, () => null);
  expect(seconds).toBe(0);
  expect(outcomes.map(({ change, outcome, message }) => [change.name, outcome, message])).toEqual([
    ...['a.e.', 'b.e.', 'c.e.'].map((name) => [name, 'failed', 'AccessDenied: no']),
    ['d.e.', 'published', 'Published.'],
  ]);
});
