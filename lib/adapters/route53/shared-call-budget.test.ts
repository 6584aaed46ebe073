// The shared budget under many callers at once, each with a budget of its own over one ledger, as functions are.
import { describe, expect, it } from 'vitest';
import { type BudgetLimits, DEFAULT_BUDGET } from '../../ports/budget-limits.ts';
import type { Ledger } from '../../ports/ledger.ts';
import { memoryLedger } from '../ledger/memory-ledger.ts';
import { BudgetExhaustedError } from './call-budget.ts';
import { ledgerCallBudget, patientCallBudget } from './shared-call-budget.ts';

const START_MS = 1_000_000;

/** A clock whose sleepers wake in the order of their times. */
function virtualTime() {
  let nowMs = START_MS;
  const sleepers: { readonly atMs: number; readonly wake: () => void }[] = [];
  const sleep = (ms: number) => new Promise<void>((wake) => sleepers.push({ atMs: nowMs + ms, wake }));
  return {
    clock: { nowMs: () => nowMs },
    sleep,
    pass: (ms: number) => {
      nowMs += ms;
    },
    /** Runs until the promise is settled. */
    run: async <T>(all: Promise<T>): Promise<T> => {
      let done = false;
      const watched = all.finally(() => {
        done = true;
      });
      watched.catch(() => null);
      while (!done) {
        await new Promise((resolve) => setImmediate(resolve));
        sleepers.sort((a, b) => a.atMs - b.atMs);
        const next = sleepers.shift();
        if (next === undefined) continue;
        nowMs = Math.max(nowMs, next.atMs);
        next.wake();
      }
      return watched;
    },
  };
}

type Time = ReturnType<typeof virtualTime>;

/** A bucket of 5 that refills at 5 a second, of which one is left to others. */
const LIMITS: BudgetLimits = { requestsPerSecond: 5, burst: 5, reserve: 0.2, changesPerSecond: 'auto' };
/** One call a second. */
const ONE = { requestsPerSecond: 1, burst: 1, reserve: 0, changesPerSecond: 'auto' } as const;
const KEY = { partition: 'budget', sort: 'route53' };
const NOTHING_KNOWN = {
  actionsFullAtMs: {},
  changesFullAtMs: 0,
  size: 1_000,
  rate: 1_000,
  accepted: 0,
  acceptedAtMs: 0,
};

function budgetOf(ledger: Ledger, time: Time, more: Partial<BudgetLimits> = {}) {
  return ledgerCallBudget({ ...LIMITS, ...more, ledger, clock: time.clock, sleep: time.sleep });
}

/** The times at which the calls of `callers` functions began, in milliseconds after the start. */
async function begins(callers: number, more: Partial<BudgetLimits> = {}): Promise<number[]> {
  const ledger = memoryLedger();
  const time = virtualTime();
  const all = Array.from({ length: callers }, async () => {
    await budgetOf(ledger, time, more).take();
    return time.clock.nowMs() - START_MS;
  });
  return (await time.run(Promise.all(all))).toSorted((a, b) => a - b);
}

/** The bucket of four that refills at four a second is never overdrawn. */
function expectWithin(at: readonly number[]): void {
  for (let index = 4; index < at.length; index += 1)
    expect((at[index] as number) - (at[index - 4] as number)).toBeGreaterThanOrEqual(249);
  for (let index = 8; index < at.length; index += 1)
    expect((at[index] as number) - (at[index - 8] as number)).toBeGreaterThanOrEqual(1_249);
}

describe('ledgerCallBudget()', () => {
  it('take() lets 16 functions begin as a bucket of four that refills at four a second does', async () => {
    const at = await begins(16);
    expectWithin(at);
    expect(at[3]).toBeLessThan(250);
    expect(at.at(-1)).toBeLessThan(4_000);
  });

  it('take() lets a burst begin at once: 24 hosted zones with a change each are 24 calls', async () => {
    expect((await begins(24, DEFAULT_BUDGET)).at(-1)).toBeLessThan(1_000);
  });

  it('take() spreads a share below one call a second', async () => {
    const [first = 0, second = 0, third = 0] = await begins(3, { burst: 1, reserve: 0.9 });
    expect(second - first).toBeGreaterThanOrEqual(2_000);
    expect(third - second).toBeGreaterThanOrEqual(2_000);
  });

  it('shares what one function learned of record changes with all', async () => {
    const ledger = memoryLedger();
    const time = virtualTime();
    const [one, other] = [budgetOf(ledger, time), budgetOf(ledger, time)];
    expect(await other.changesAtOnce?.(1_000)).toBe(1_000);
    await time.run(one.take(undefined, { changes: 800 }));
    await one.learn?.({ changes: 800, isThrottled: true, sentAtMs: time.clock.nowMs() });
    expect(await other.changesAtOnce?.(1_000)).toBe(400);
    await other.learn?.({ changes: 400, isThrottled: false, sentAtMs: time.clock.nowMs() });
    expect(await one.changesAtOnce?.(1_000)).toBe(409);
  });

  it('learn() writes nothing while there is nothing to learn, and never throws', async () => {
    const time = virtualTime();
    const broken: Ledger = { ...memoryLedger(), get: () => Promise.reject(new Error('no table')) };
    await budgetOf(broken, time).learn?.({ changes: 1, isThrottled: false, sentAtMs: time.clock.nowMs() });
    const budget = budgetOf(broken, time);
    await budget.learn?.({ changes: 800, isThrottled: true, sentAtMs: time.clock.nowMs() });
    expect(await budget.changesAtOnce?.(1)).toBe(400);
  });

  it('take() refuses a wait that is longer than any lease, and takes nothing', async () => {
    const ledger = memoryLedger();
    const time = virtualTime();
    const budget = budgetOf(ledger, time);
    const taken = await time.run(Promise.allSettled(Array.from({ length: 40 }, () => budget.take())));
    const refused = taken.filter((one) => one.status === 'rejected');
    expect(refused.length).toBeGreaterThan(10);
    expect(refused.every((one) => one.reason instanceof BudgetExhaustedError)).toBe(true);
    time.pass(10_000);
    const before = time.clock.nowMs();
    await time.run(budget.take());
    expect(time.clock.nowMs()).toBe(before);
  });

  it('take() takes nothing when its turn would come later than the caller can wait', async () => {
    const ledger = memoryLedger();
    const time = virtualTime();
    const budget = budgetOf(ledger, time, ONE);
    await time.run(budget.take(0));
    const before = await ledger.get({ partition: 'budget', sort: 'route53' });
    await expect(time.run(budget.take(900))).rejects.toThrow('within 900 ms');
    expect(await ledger.get({ partition: 'budget', sort: 'route53' })).toEqual(before);
    await time.run(budget.take(1_100));
  });

  it('take() does not let a caller begin that was suspended while it waited', async () => {
    const time = virtualTime();
    const ledger = memoryLedger();
    const frozen = async (ms: number) => time.pass(ms > 500 ? ms + 60_000 : ms);
    const budget = ledgerCallBudget({ ...time, ledger, ...ONE, sleep: frozen });
    await budget.take(2_000);
    await expect(budget.take(2_000)).rejects.toThrow(BudgetExhaustedError);
  });

  it('take() is not stopped by a time that a wrong clock wrote', async () => {
    const ledger = memoryLedger();
    const ahead = { v: 1, ...NOTHING_KNOWN, fullAtMs: START_MS + 86_400_000, shrunkAtMs: 0 };
    await ledger.put(KEY, ahead, null);
    const time = virtualTime();
    await time.run(budgetOf(ledger, time).take());
    expect(time.clock.nowMs() - START_MS).toBeLessThan(1_000);
  });

  it('learn() learns from a throttled batch also after a clock that was ahead was set back', async () => {
    const ledger = memoryLedger();
    const time = virtualTime();
    time.pass(86_400_000);
    await budgetOf(ledger, time).learn?.({ changes: 800, isThrottled: true, sentAtMs: time.clock.nowMs() });
    time.pass(-86_400_000);
    const budget = budgetOf(ledger, time);
    await time.run(budget.take(undefined, { changes: 400 }));
    expect(time.clock.nowMs() - START_MS).toBeLessThan(1_000);
    await budget.learn?.({ changes: 400, isThrottled: true, sentAtMs: time.clock.nowMs() });
    expect(await budget.changesAtOnce?.(1_000)).toBe(200);
  });

  it('take() throws what the ledger throws', async () => {
    const time = virtualTime();
    const broken: Ledger = { ...memoryLedger(), get: () => Promise.reject(new Error('no table')) };
    await expect(time.run(budgetOf(broken, time).take())).rejects.toThrow('no table');
  });

  it('throws for a budget that leaves no calls', () => {
    expect(() => budgetOf(memoryLedger(), virtualTime(), { reserve: 1 })).toThrow('"reserve":1');
  });
});

describe('patientCallBudget()', () => {
  it('take() gives every call of a command a turn beside functions, and no more in all than the bucket has', async () => {
    const ledger = memoryLedger();
    const time = virtualTime();
    const at: number[] = [];
    const asFunction = async () => {
      const budget = budgetOf(ledger, time);
      for (let left = 40; left > 0; left -= 1) {
        // A function whose call gets no turn ends, and its message comes back.
        await budget.take().then(
          () => at.push(time.clock.nowMs()),
          () => time.sleep(2_000),
        );
      }
    };
    const command = patientCallBudget({ ...time, ledger, ...LIMITS });
    const own = Array.from({ length: 40 }, () => command.take().then(() => at.push(time.clock.nowMs())));
    await time.run(Promise.all([...own, ...Array.from({ length: 20 }, asFunction)]));
    expect(at.length).toBeGreaterThan(200);
    at.sort((a, b) => a - b);
    expectWithin(at);
  });

  it('take() takes nothing when its turn would come later than the caller can wait', async () => {
    const ledger = memoryLedger();
    const time = virtualTime();
    // Functions have taken the next six seconds.
    const taken = { v: 1, ...NOTHING_KNOWN, fullAtMs: START_MS + 7_000, shrunkAtMs: 0 };
    await ledger.put(KEY, taken, null);
    const command = patientCallBudget({ ...time, ledger, ...ONE });
    const asked = await time.run(Promise.allSettled([command.take(3_000), command.take(8_000)]));
    expect(asked).toMatchObject([
      { status: 'rejected', reason: expect.any(BudgetExhaustedError) },
      { status: 'fulfilled' },
    ]);
    expect(time.clock.nowMs()).toBe(START_MS + 7_000);
  });

  it('take() throws what the ledger throws', async () => {
    const time = virtualTime();
    const ledger: Ledger = { ...memoryLedger(), get: () => Promise.reject(new Error('no table')) };
    const budget = patientCallBudget({ ...time, ledger, ...LIMITS });
    await expect(time.run(budget.take())).rejects.toThrow('no table');
    await expect(time.run(budget.take())).rejects.toThrow('no table');
  });
});
