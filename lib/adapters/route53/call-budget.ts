// The budget of Route 53 calls, which the whole account shares: 5 a second, less those reserved for people and other
// tools. It is a sliding window, not a token bucket: at most that many calls begin in any second, so a quiet minute
// saves up no burst, and within the second calls keep their distance. First come, first served. Source: Route 53
// quotas, "Maximums on API requests". Last verified 2026-11-21.
import type { Clock } from '../../ports/clock.ts';

export type CallBudget = {
  /**
   * Resolves when one more call may begin. First come, first served. @throws BudgetExhaustedError if that would take
   * longer than `waitMsMax` milliseconds; then nothing was taken.
   */
  take(waitMsMax?: number): Promise<void>;
};

/** A call would have to wait longer than the caller allows. Nothing was taken. */
export class BudgetExhaustedError extends Error {
  constructor(waitMsMax: number) {
    super(`Cannot call Route 53 within ${Math.floor(waitMsMax)} ms: the budget is used up for longer`);
    this.name = 'BudgetExhaustedError';
  }
}

export type CallBudgetOptions = {
  /** The limit of the account; Route 53 allows 5. */
  readonly callsPerSecond: number;
  /** How many of these are left to people and other tools. */
  readonly reservedForOthers: number;
  readonly clock: Clock;
  /** Milliseconds. */
  readonly sleep: (ms: number) => Promise<unknown>;
};

/**
 * Calls that may begin together; the others keep their distance. If all calls of a second began at once, and the next
 * ones a second later, a small delay on the way would let Route 53 count both in one second.
 */
const TOGETHER_MAX = 2;

/** The budget of one account. Throws an Error if the reserve leaves nothing. */
export function callBudget(options: CallBudgetOptions): CallBudget {
  const { clock, sleep } = options;
  const { callsMax, windowMs } = windowOf(options);
  /** When the last `callsMax` calls began, oldest first. */
  const begun: number[] = [];
  /** When the last call was due: if a caller wakes late, the next one is not later for it. */
  let dueMs = Number.NEGATIVE_INFINITY;

  const next = async (beganMs: number, waitMsMax: number): Promise<void> => {
    const refuseAfter = (waitMs: number) => {
      if (clock.nowMs() - beganMs + waitMs > waitMsMax) throw new BudgetExhaustedError(waitMsMax);
    };
    const nextStartMs = () => nextStart(begun, clock.nowMs(), { callsMax, windowMs }, dueMs);
    let startMs = nextStartMs();
    for (let waitMs = startMs - clock.nowMs(); waitMs > 0; waitMs = nextStartMs() - clock.nowMs()) {
      refuseAfter(Math.min(windowMs, waitMs));
      // If the clock was set back, nobody waits longer than one window.
      if (waitMs > windowMs) {
        begun.fill(clock.nowMs());
        dueMs = clock.nowMs();
        startMs = nextStartMs();
      } else await sleep(Math.ceil(waitMs));
    }
    refuseAfter(0);
    dueMs = startMs;
    begun.push(clock.nowMs());
    if (begun.length > callsMax) begun.shift();
  };

  return inTurn(clock, next);
}

/** A budget that calls `next` for one caller after the other. `beganMs`: when the caller asked. */
export function inTurn(clock: Clock, next: (beganMs: number, waitMsMax: number) => Promise<void>): CallBudget {
  let last: Promise<void> = Promise.resolve();
  return {
    take: (waitMsMax = Number.POSITIVE_INFINITY) => {
      const beganMs = clock.nowMs();
      const mine = last.then(() => next(beganMs, waitMsMax));
      // The caller after one that was refused still has its turn.
      last = mine.catch(() => {});
      return mine;
    },
  };
}

/** At most `callsMax` calls begin within any `windowMs`. */
export type Window = { readonly callsMax: number; readonly windowMs: number };

/** The window of a budget. Throws an Error if the reserve leaves nothing. */
export function windowOf({ callsPerSecond, reservedForOthers }: CallBudgetOptions): Window {
  const perSecond = callsPerSecond - reservedForOthers;
  if (!(perSecond > 0)) {
    throw new Error(`Cannot call Route 53 with a budget of ${callsPerSecond} a second, ${reservedForOthers} reserved`);
  }
  // 0.5 calls a second are one call in two seconds; 2.5 are two in 0.8.
  const callsMax = Math.max(1, Math.floor(perSecond));
  return { callsMax, windowMs: (callsMax / perSecond) * 1_000 };
}

/**
 * The first time, not before the last of `begun`, at which no window has more than `callsMax`; milliseconds. `begun` is
 * ordered and may be ahead of the clock; `dueMs`: when its last call was due.
 */
export function nextStart(
  begun: readonly number[],
  nowMs: number,
  { callsMax, windowMs }: Window,
  dueMs = begun.at(-1) ?? nowMs,
): number {
  const last = begun.at(-1) ?? nowMs;
  const full = begun.length >= callsMax ? (begun.at(-callsMax) ?? nowMs) + windowMs : nowMs;
  const startMs = Math.max(nowMs, last, full);
  const together = begun.filter((atMs) => atMs > startMs - windowMs).length;
  return together < TOGETHER_MAX ? startMs : Math.max(startMs, dueMs + windowMs / callsMax);
}
