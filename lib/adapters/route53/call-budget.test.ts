import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type BudgetLimits, DEFAULT_BUDGET } from '../../ports/budget-limits.ts';
import { BudgetExhaustedError, callBudget } from './call-budget.ts';

/** A clock that `sleep` advances. */
function virtualTime() {
  let nowMs = 1_000_000;
  return {
    clock: { nowMs: () => nowMs },
    sleep: async (ms: number) => {
      nowMs += ms;
    },
    pass: (ms: number) => {
      nowMs += ms;
    },
  };
}

const limits = (more: Partial<BudgetLimits> = {}): BudgetLimits => ({ ...DEFAULT_BUDGET, reserve: 0, ...more });

/** The times at which `count` calls began, in milliseconds after the first. */
async function begins(count: number, more: Partial<BudgetLimits>, action?: 'CreateHostedZone'): Promise<number[]> {
  const time = virtualTime();
  const start = time.clock.nowMs();
  const budget = callBudget({ ...limits(more), ...time });
  const at: number[] = [];
  for (let index = 0; index < count; index += 1) {
    await budget.take(undefined, action === undefined ? {} : { action });
    at.push(time.clock.nowMs() - start);
  }
  return at;
}

describe('callBudget()', () => {
  it.each([
    ['50 at once, then 10 a second', {}, 52, [...new Array(50).fill(0), 100, 200]],
    [
      '40 at once and 8 a second of them, with a fifth reserved',
      { reserve: 0.2 },
      42,
      [...new Array(40).fill(0), 125, 250],
    ],
    ['one at once where the reserve leaves less', { burst: 1, reserve: 0.9 }, 3, [0, 1_000, 2_000]],
    ['half a call a second', { requestsPerSecond: 0.5, burst: 2 }, 4, [0, 0, 2_000, 4_000]],
  ])('allows %s', async (_, more, count, expected) => {
    expect(await begins(count, more)).toEqual(expected);
  });

  it('lets a call that comes last begin only while half of the bucket is left, and never wait', async () => {
    const time = virtualTime();
    const budget = callBudget({ ...limits({ burst: 10, requestsPerSecond: 10 }), ...time });
    const last = () => budget.take(0, { isLast: true });
    for (let index = 0; index < 6; index += 1) await last();
    await expect(last()).rejects.toThrow(BudgetExhaustedError);
    const beforeMs = time.clock.nowMs();
    for (let index = 0; index < 4; index += 1) await budget.take();
    expect(time.clock.nowMs()).toBe(beforeMs);
    time.pass(400);
    await expect(last()).rejects.toThrow(BudgetExhaustedError);
    time.pass(200);
    await last();
  });

  it('lets hosted zones be created by a bucket of their own', async () => {
    expect((await begins(42, {}, 'CreateHostedZone')).slice(39)).toEqual([0, 500, 1_000]);
  });

  it('never takes more than a bucket of 50 with a refill of 10 has, whatever the pauses', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.integer({ min: 0, max: 900 }), { maxLength: 200 }), async (pauses) => {
        const time = virtualTime();
        const budget = callBudget({ ...limits(), ...time });
        let [tokens, beforeMs] = [50, time.clock.nowMs()];
        for (const pause of pauses) {
          time.pass(pause);
          await budget.take();
          const nowMs = time.clock.nowMs();
          tokens = Math.min(50, tokens + (nowMs - beforeMs) / 100) - 1;
          beforeMs = nowMs;
          expect(tokens).toBeGreaterThanOrEqual(-1e-6);
        }
      }),
    );
  });

  it('take() refuses a caller that may not wait so long, and takes nothing', async () => {
    const time = virtualTime();
    const budget = callBudget({ ...limits({ requestsPerSecond: 1, burst: 1 }), ...time });
    await budget.take();
    await expect(budget.take(999)).rejects.toBeInstanceOf(BudgetExhaustedError);
    await budget.take(1_000);
    expect(time.clock.nowMs()).toBe(1_001_000);
  });

  it('waits no longer than one bucket after the clock was set back', async () => {
    const time = virtualTime();
    const budget = callBudget({ ...limits({ requestsPerSecond: 1, burst: 1 }), ...time });
    await budget.take();
    time.pass(-3_600_000);
    const before = time.clock.nowMs();
    await budget.take();
    await budget.take();
    expect(time.clock.nowMs() - before).toBeLessThanOrEqual(2_000);
  });

  it.each([
    { requestsPerSecond: 0 },
    { burst: 0.5 },
    { reserve: 1 },
    { reserve: -0.1 },
    { changesPerSecond: 0.5 },
  ] as const)('refuses limits that leave nothing: %j', (more) => {
    expect(() => callBudget({ ...limits(more), ...virtualTime() })).toThrow('Cannot call Route 53 with a budget of');
  });
});

/** A bucket of record changes, as Route 53 may have it: this test's own. */
function bucketOf(size: number, perSecond: number, nowMs: () => number) {
  let [tokens, beforeMs] = [size, nowMs()];
  return (changes: number): boolean => {
    tokens = Math.min(size, tokens + ((nowMs() - beforeMs) / 1_000) * perSecond);
    beforeMs = nowMs();
    if (tokens < changes) return false;
    tokens -= changes;
    return true;
  };
}

describe('what callBudget() learns of record changes', () => {
  it.each([
    [1, 1_000],
    [1, 1],
    [50, 50],
    [50, 1_000],
    [500, 500],
    [500, 50],
    [1_000, 1_000],
  ])('a bucket of %i that refills at %i a second takes all changes in few calls', async (size, perSecond) => {
    const time = virtualTime();
    const budget = callBudget({ ...limits({ reserve: 0.2 }), ...time });
    const takes = bucketOf(size, perSecond, time.clock.nowMs);
    const total = size === 1 && perSecond === 1 ? 300 : 3_000;
    let [open, calls, again] = [total, 0, Number.POSITIVE_INFINITY];
    while (open > 0) {
      // As publish does: a throttled batch is split in halves.
      const changes = Math.min(open, again, (await budget.changesAtOnce?.(open)) ?? 1);
      await budget.take(undefined, { changes });
      const sentAtMs = time.clock.nowMs();
      calls += 1;
      const isTaken = takes(changes);
      await budget.learn?.({ changes, isThrottled: !isTaken, sentAtMs });
      again = isTaken ? Number.POSITIVE_INFINITY : Math.max(1, Math.floor(changes / 2));
      if (isTaken) open -= changes;
      else if (changes === 1) time.pass(500);
      expect(calls).toBeLessThan(10_000);
    }
    const most = Math.min(size, perSecond);
    expect(calls).toBeLessThanOrEqual((2 * total) / most + 10);
    // No slower than twice what the limits allow, and some seconds to find them.
    const seconds = (time.clock.nowMs() - 1_000_000) / 1_000;
    expect(seconds).toBeLessThanOrEqual(2 * Math.max(total / perSecond, total / size / 8) + 60);
  });

  it('keeps to a ceiling', async () => {
    const time = virtualTime();
    const budget = callBudget({ ...limits({ changesPerSecond: 20 }), ...time });
    expect(await budget.changesAtOnce?.(1_000)).toBe(20);
    await budget.take(undefined, { changes: 20 });
    const before = time.clock.nowMs();
    await budget.take(undefined, { changes: 20 });
    expect(time.clock.nowMs() - before).toBe(1_000);
    await budget.learn?.({ changes: 20, isThrottled: false, sentAtMs: before });
    expect(await budget.changesAtOnce?.(1_000)).toBe(20);
  });

  it('learns nothing from a batch that was under way when an other one was throttled, nor where requests were too many', async () => {
    const time = virtualTime();
    const budget = callBudget({ ...limits(), ...time });
    const sentAtMs = time.clock.nowMs();
    time.pass(10);
    await budget.learn?.({ changes: 400, isThrottled: true, sentAtMs: sentAtMs + 5 });
    expect(await budget.changesAtOnce?.(1_000)).toBe(200);
    await budget.learn?.({ changes: 300, isThrottled: true, sentAtMs });
    expect(await budget.changesAtOnce?.(1_000)).toBe(200);
    for (let call = 0; call < 50; call += 1) await budget.take();
    await budget.learn?.({ changes: 100, isThrottled: true, sentAtMs: time.clock.nowMs() });
    expect(await budget.changesAtOnce?.(1_000)).toBe(200);
  });
});
