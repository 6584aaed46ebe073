import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
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

/** The times at which `count` calls began, in milliseconds after the first. */
async function begins(count: number, callsPerSecond: number, reservedForOthers: number): Promise<number[]> {
  const time = virtualTime();
  const start = time.clock.nowMs();
  const budget = callBudget({ callsPerSecond, reservedForOthers, ...time });
  const at: number[] = [];
  for (let index = 0; index < count; index += 1) {
    await budget.take();
    at.push(time.clock.nowMs() - start);
  }
  return at;
}

describe('callBudget()', () => {
  it.each([
    ['5 a second', 5, 0, [0, 0, 200, 400, 600, 1000, 1200, 1400, 1600, 1800, 2000]],
    ['5 a second, 1 reserved', 5, 1, [0, 0, 250, 500, 1000, 1250, 1500, 1750, 2000]],
    ['half a call a second', 5, 4.5, [0, 2000, 4000]],
    ['2.5 a second', 2.5, 0, [0, 0, 800, 800, 1600]],
  ])('allows %s', async (_, perSecond, reserved, expected) => {
    expect(await begins(expected.length, perSecond, reserved)).toEqual(expected);
  });

  it('never lets more than 5 calls begin within any second, whatever the pauses', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.integer({ min: 0, max: 900 }), { maxLength: 60 }), async (pauses) => {
        const time = virtualTime();
        const budget = callBudget({ callsPerSecond: 5, reservedForOthers: 0, ...time });
        const at: number[] = [];
        for (const pause of pauses) {
          time.pass(pause);
          await budget.take();
          at.push(time.clock.nowMs());
        }
        for (const [index, begun] of at.entries()) expect(begun - (at[index - 5] ?? 0)).toBeGreaterThanOrEqual(1_000);
      }),
    );
  });

  it('loses at most one late sleep in each window when every sleep ends late', async () => {
    const time = virtualTime();
    const lateMs = 15;
    const budget = callBudget({
      ...{ callsPerSecond: 5, reservedForOthers: 1 },
      ...{ clock: time.clock, sleep: (ms) => time.sleep(ms + lateMs) },
    });
    const start = time.clock.nowMs();
    for (let call = 0; call < 41; call += 1) await budget.take();
    expect(time.clock.nowMs() - start).toBeLessThanOrEqual(10_000 + 11 * lateMs);
  });

  it('saves up no calls in quiet times', async () => {
    const time = virtualTime();
    const budget = callBudget({ callsPerSecond: 5, reservedForOthers: 0, ...time });
    time.pass(3_600_000);
    const start = time.clock.nowMs();
    for (let index = 0; index < 6; index += 1) await budget.take();
    expect(time.clock.nowMs() - start).toBe(1_000);
  });

  it('serves callers in the order in which they ask', async () => {
    const time = virtualTime();
    const budget = callBudget({ callsPerSecond: 1, reservedForOthers: 0, ...time });
    const order: number[] = [];
    await Promise.all([1, 2, 3, 4].map((n) => budget.take().then(() => order.push(n))));
    expect(order).toEqual([1, 2, 3, 4]);
  });

  it.each([
    [1, 1],
    [5, 1],
    [5, 5],
    [5, 9],
  ])('waits at most one window when the clock is set back: %i a second, after %i calls', async (perSecond, calls) => {
    const time = virtualTime();
    const budget = callBudget({ callsPerSecond: perSecond, reservedForOthers: 0, ...time });
    for (let call = 0; call < calls; call += 1) await budget.take();
    time.pass(-86_400_000);
    const start = time.clock.nowMs();
    await budget.take();
    expect(time.clock.nowMs() - start).toBeLessThanOrEqual(1_000);
    for (let call = 0; call < 10; call += 1) await budget.take();
    expect(time.clock.nowMs() - start).toBeLessThanOrEqual(1_000 + (10 / perSecond) * 1_000);
  });

  it('gives no turn to a caller that cannot wait long enough, and gives later callers one', async () => {
    const time = virtualTime();
    const budget = callBudget({ callsPerSecond: 1, reservedForOthers: 0, ...time });
    await budget.take(0);
    const start = time.clock.nowMs();
    const all = await Promise.allSettled([budget.take(900), budget.take(1_500), budget.take(1_500), budget.take()]);
    expect(all.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'rejected', 'fulfilled']);
    expect(all[0]).toMatchObject({ reason: expect.any(BudgetExhaustedError) });
    expect(time.clock.nowMs() - start).toBe(2_000);
  });

  it('does not let a caller begin that was suspended while it waited', async () => {
    const time = virtualTime();
    const budget = callBudget({
      ...time,
      callsPerSecond: 1,
      reservedForOthers: 0,
      sleep: async () => time.pass(60_000),
    });
    await budget.take();
    await expect(budget.take(5_000)).rejects.toThrow(BudgetExhaustedError);
  });

  it('throws an Error for a budget of 0', () => {
    expect(() => callBudget({ callsPerSecond: 5, reservedForOthers: 5, ...virtualTime() })).toThrow('5 reserved');
  });
});
