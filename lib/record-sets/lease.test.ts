// The lease of a hosted zone: one holder at a time, an epoch that only grows, and counts that are not trusted after a
// death.
import { describe, expect, test } from 'vitest';
import { hostedZone, publishWorld, ZONE_ID } from '../../test/fakes/publish-world.ts';
import { changeUnderLease, DEFAULT_LEASE_LIMITS, releaseLease, takeLease, waitUnderLease } from './lease.ts';

async function setUp() {
  const world = await publishWorld();
  const at = (skewMs: number) => ({
    ledger: world.ledger,
    clock: { nowMs: () => world.clock.ms + skewMs },
    lease: DEFAULT_LEASE_LIMITS,
  });
  const take = async (holder: string, skewMs = 0) => takeLease(at(skewMs), ZONE_ID, holder);
  const taken = async (holder: string, skewMs = 0) => {
    const result = await take(holder, skewMs);
    if (result.kind !== 'taken') throw new Error(`${holder} did not get the lease`);
    return result;
  };
  return { world, at, take, taken };
}

describe('takeLease()', () => {
  test('is refused while another run holds it, until a margin after its end', async () => {
    const { world, take, taken } = await setUp();
    await taken('a');
    expect(await take('b')).toEqual({ kind: 'busy', retryAfterMs: 35_001 });
    world.clock.ms += 30_000;
    expect((await take('b')).kind).toBe('busy');
    world.clock.ms += 5_001;
    const { lease, abandoned } = await taken('b');
    expect(lease.epoch).toBe(2);
    expect(abandoned).toMatchObject({ holder: 'a', epoch: 1 });
  });

  test('is not given early to a run whose clock is a little ahead', async () => {
    const { world, take, taken } = await setUp();
    await taken('a');
    world.clock.ms += 29_000;
    expect((await take('b', 4_000)).kind).toBe('busy');
  });

  test('does not wait for a lease that ends later than any lease can', async () => {
    const { take, taken } = await setUp();
    await taken('a', 86_400_000);
    expect((await take('b')).kind).toBe('taken');
  });

  test('waits for the longer lease of an earlier version of the code', async () => {
    const { world, take, at } = await setUp();
    const longer = { ...DEFAULT_LEASE_LIMITS, leaseMs: 60_000 };
    expect((await takeLease({ ...at(0), lease: longer }, ZONE_ID, 'older')).kind).toBe('taken');
    expect(await take('b')).toEqual({ kind: 'busy', retryAfterMs: 65_001 });
    world.clock.ms += 65_001;
    expect((await take('b')).kind).toBe('taken');
  });

  test('is free again once it is given back, and the counts are trusted', async () => {
    const { world, taken } = await setUp();
    const { lease } = await taken('a');
    expect(await releaseLease(world.ledger, lease, { note: (item) => ({ ...item, publishedCount: 7 }) })).toBe(true);
    const second = await taken('b');
    expect(second.hostedZone).toMatchObject({ epoch: 2, publishedCount: 7 });
    expect(second.abandoned).toBe(null);
  });

  test('has no lease for a hosted zone that the ledger does not have', async () => {
    const { at } = await setUp();
    expect(await takeLease(at(0), 'Z9', 'a')).toEqual({ kind: 'absent' });
  });
});

describe('waitUnderLease()', () => {
  test('leaves room for the call itself and for clocks that differ', async () => {
    const { world, at, taken } = await setUp();
    const { lease } = await taken('a');
    expect(await waitUnderLease(at(0), lease)).toBe(10_000);
    world.clock.ms += 4_000;
    expect(await waitUnderLease(at(0), lease)).toBe(6_000);
    const { leaseMs, callMs, skewMs, waitMs } = DEFAULT_LEASE_LIMITS;
    expect(leaseMs).toBeGreaterThan(callMs + skewMs + waitMs);
  });

  test('renews when there is too little time left for one more call', async () => {
    const { world, at, taken } = await setUp();
    const { lease } = await taken('a');
    world.clock.ms += 5_000;
    expect(await waitUnderLease(at(0), lease)).toBe(10_000);
    expect((await hostedZone(world)).lease?.expiresAtMs).toBe(world.clock.ms + 30_000);
  });

  test('renews a lease that has ended and that nobody has taken', async () => {
    const { world, at, taken } = await setUp();
    const { lease } = await taken('a');
    world.clock.ms += 600_000;
    expect(await waitUnderLease(at(0), lease)).toBe(10_000);
  });

  test('gives null once another run has the lease, and nothing is written under the old one', async () => {
    const { world, at, taken } = await setUp();
    const { lease } = await taken('a');
    world.clock.ms += 70_000;
    await taken('b');
    expect(await waitUnderLease(at(0), lease)).toBe(null);
    expect(await changeUnderLease(world.ledger, lease, (item) => ({ ...item, publishedCount: 9 }))).toBe(null);
    expect(await releaseLease(world.ledger, lease, { note: (item) => item })).toBe(false);
    expect((await hostedZone(world)).lease?.holder).toBe('b');
  });
});

describe('waitUnderLease() among sleepers', () => {
  test('does not trust a renewal that was delayed until the lease had ended (simulation, seed 21480)', async () => {
    const world = await publishWorld();
    const { ledger } = world;
    const limits = DEFAULT_LEASE_LIMITS;
    const deps = { ledger, clock: world.deps.clock, lease: limits };
    const taken = await takeLease(deps, ZONE_ID, 'sleeper');
    if (taken.kind !== 'taken') throw new Error('the lease was not free');
    world.clock.ms += limits.leaseMs - 1_000;
    let writes = 0;
    const slow = {
      ...ledger,
      put: async (...args: Parameters<typeof ledger.put>) => {
        writes += 1;
        if (writes === 1) world.clock.ms += limits.leaseMs * 5;
        return ledger.put(...args);
      },
    };
    expect(await waitUnderLease({ ...deps, ledger: slow }, taken.lease)).toBe(10_000);
    expect((await hostedZone(world)).lease?.expiresAtMs).toBeGreaterThan(world.clock.ms + limits.callMs);
    expect(writes).toBe(2);
  });
});
