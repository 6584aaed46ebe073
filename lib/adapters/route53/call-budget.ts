// The budget of Route 53 calls, which the whole account shares: 5 a second, less what is kept for people and other
// tools. A window that slides, not a bucket that fills: in any second at most that many calls begin, so a quiet minute
// saves up no burst; and within the second they keep their distance. Whoever asks first goes first.
// Source: Route 53 quotas, "Maximums on API requests". Last verified 2026-11-21.
import type { Clock } from '../../ports/clock.ts';

export type CallBudget = {
  /**
   * Resolves when one more call may begin. First come, first served. @throws BudgetExhaustedError when that would be
   * later than in `waitMsMax` milliseconds: nothing was taken.
   */
  take(waitMsMax?: number): Promise<void>;
};

/** The turn of a call would come too late for the caller. Nothing happened. */
export class BudgetExhaustedError extends Error {
  constructor(waitMsMax: number) {
    super(`Cannot call Route 53 within ${Math.floor(waitMsMax)} ms: the budget is used up for longer`);
    this.name = 'BudgetExhaustedError';
  }
}

export type CallBudgetOptions = {
  /** Of the account; Route 53 gives 5. */
  readonly callsPerSecond: number;
  /** Of these, how many are left to people and other tools. */
  readonly reservedForOthers: number;
  readonly clock: Clock;
  /** Milliseconds. */
  readonly sleep: (ms: number) => Promise<unknown>;
};

/**
 * Calls of one second that begin together; the others keep their distance. Were all of them sent at once, and the next
 * lot a second later, the least delay on the way would make Route 53 count both in one second.
 */
const TOGETHER_MAX = 2;

/** A budget for one account. Throws an Error when nothing is left after the reserve. */
export function callBudget(options: CallBudgetOptions): CallBudget {
  const { callsPerSecond, reservedForOthers, clock, sleep } = options;
  const perSecond = callsPerSecond - reservedForOthers;
  if (!(perSecond > 0)) {
    throw new Error(`Cannot call Route 53 with a budget of ${callsPerSecond} a second, ${reservedForOthers} reserved`);
  }
  // A share such as 0.5 a second is one call in two seconds; 2.5 is two in 0.8.
  const callsMax = Math.max(1, Math.floor(perSecond));
  const windowMs = (callsMax / perSecond) * 1_000;
  /** When the last `callsMax` calls began, oldest first. */
  const begun: number[] = [];
  /** When the last one was due: whoever wakes late does not make the next one later. */
  let dueMs = Number.NEGATIVE_INFINITY;

  const next = async (beganMs: number, waitMsMax: number): Promise<void> => {
    const refuseAfter = (waitMs: number) => {
      if (clock.nowMs() - beganMs + waitMs > waitMsMax) throw new BudgetExhaustedError(waitMsMax);
    };
    const nextStartMs = () => nextStart(begun, clock.nowMs(), { callsMax, windowMs }, dueMs);
    let startMs = nextStartMs();
    for (let waitMs = startMs - clock.nowMs(); waitMs > 0; waitMs = nextStartMs() - clock.nowMs()) {
      refuseAfter(Math.min(windowMs, waitMs));
      // A clock that was set back must not stop us for longer than one window.
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

  let last: Promise<void> = Promise.resolve();
  return {
    take: (waitMsMax = Number.POSITIVE_INFINITY) => {
      const beganMs = clock.nowMs();
      const mine = last.then(() => next(beganMs, waitMsMax));
      // Whoever comes after one that was refused has a turn all the same.
      last = mine.catch(() => {});
      return mine;
    },
  };
}

type Window = { readonly callsMax: number; readonly windowMs: number };

/**
 * The first moment, not before the last of `begun`, that leaves at most `callsMax` in any window; milliseconds. `begun`
 * is in order, and may be ahead of the clock; `dueMs` is when its last one was to begin.
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
