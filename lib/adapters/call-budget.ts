// The budget of Route 53 calls, which the whole account shares: 5 a second, less what is kept for people and other tools.
// A window that slides, not a bucket that fills: in any second at most that many calls begin, so a quiet minute saves up no
// burst. Whoever asks first goes first.
// Source: Route 53 quotas, "Maximums on API requests". Last verified 2026-11-21 (reference/route53.md).
import type { Clock } from '../reconcile/ports.ts';

export type CallBudget = {
  /** Resolves when one more call may begin. First come, first served. */
  take(): Promise<void>;
};

export type CallBudgetOptions = {
  /** Of the account; Route 53 gives 5. */
  readonly callsPerSecond: number;
  /** Of these, how many are left to people and other tools. */
  readonly reservedForOthers: number;
  readonly clock: Clock;
  /** Milliseconds. */
  readonly sleep: (ms: number) => Promise<unknown>;
};

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

  const next = async (): Promise<void> => {
    while (begun.length >= callsMax) {
      const waitMs = (begun[0] ?? 0) + windowMs - clock.nowMs();
      if (waitMs <= 0) begun.shift();
      // A clock that was set back must not stop us for longer than one window.
      else if (waitMs > windowMs) begun[0] = clock.nowMs();
      else await sleep(Math.ceil(waitMs));
    }
    begun.push(clock.nowMs());
  };

  let last: Promise<void> = Promise.resolve();
  return {
    take: () => {
      last = last.then(next);
      return last;
    },
  };
}
