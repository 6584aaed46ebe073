// The budget of Route 53 calls of one process: each call waits here for its turn. First come, first served.
// budget-state.ts has the rules; shared-call-budget.ts has the same for many processes.
import type { BudgetLimits } from '../../ports/budget-limits.ts';
import type { Clock } from '../../ports/clock.ts';
import {
  type BatchFate,
  type BudgetedCall,
  type BudgetState,
  changesAtOnce,
  learnFrom,
  newBudget,
  reserveCall,
} from './budget-state.ts';

export type CallBudget = {
  /**
   * Resolves when the call may begin. First come, first served. @throws BudgetExhaustedError if that would take longer
   * than `waitMsMax` milliseconds; then nothing was taken.
   */
  take(waitMsMax?: number, call?: BudgetedCall): Promise<void>;
  /** The most record changes that a batch may have now. `wanted`: how many there are to send. Absent: no limit. */
  changesAtOnce?(wanted: number): Promise<number>;
  /** Learns from what became of a batch. Never throws. */
  learn?(fate: BatchFate): Promise<void>;
};

/** A call would have to wait longer than the caller allows. Nothing was taken. */
export class BudgetExhaustedError extends Error {
  constructor(waitMsMax: number) {
    super(`Cannot call Route 53 within ${Math.floor(waitMsMax)} ms: the budget is used up for longer`);
    this.name = 'BudgetExhaustedError';
  }
}

export type CallBudgetOptions = BudgetLimits & {
  readonly clock: Clock;
  /** Milliseconds. */
  readonly sleep: (ms: number) => Promise<unknown>;
};

/** The budget of one account in this process. Throws an Error if the limits leave nothing. */
export function callBudget(options: CallBudgetOptions): CallBudget {
  checkLimits(options);
  const { clock, sleep } = options;
  let state: BudgetState = newBudget(options);
  return {
    take: async (waitMsMax = Number.POSITIVE_INFINITY, call = {}) => {
      const nowMs = clock.nowMs();
      const reserved = reserveCall(state, options, call, nowMs);
      const waitMs = reserved.startMs - nowMs;
      if (waitMs > waitMsMax) throw new BudgetExhaustedError(waitMsMax);
      state = reserved.state;
      if (waitMs > 0) await sleep(Math.ceil(waitMs));
      // The process may have slept for longer than the caller may wait.
      if (clock.nowMs() - nowMs > waitMsMax + 1) throw new BudgetExhaustedError(waitMsMax);
    },
    changesAtOnce: async () => changesAtOnce(state),
    learn: async (fate) => {
      state = learnFrom(state, options, fate, clock.nowMs()) ?? state;
    },
  };
}

/** Throws an Error if these limits leave no call to us. */
export function checkLimits({ requestsPerSecond, burst, reserve, changesPerSecond }: BudgetLimits): void {
  const isEnough = requestsPerSecond > 0 && burst >= 1 && reserve >= 0 && reserve < 1;
  if (isEnough && (changesPerSecond === 'auto' || changesPerSecond >= 1)) return;
  const limits = JSON.stringify({ requestsPerSecond, burst, reserve, changesPerSecond });
  throw new Error(`Cannot call Route 53 with a budget of ${limits}`);
}

/** A budget that calls `next` for one caller after the other. `beganMs`: when the caller asked. */
export function inTurn(
  clock: Clock,
  next: (beganMs: number, waitMsMax: number, call: BudgetedCall) => Promise<void>,
): CallBudget['take'] {
  let last: Promise<void> = Promise.resolve();
  return (waitMsMax = Number.POSITIVE_INFINITY, call = {}) => {
    const beganMs = clock.nowMs();
    const mine = last.then(() => next(beganMs, waitMsMax, call));
    // The caller after one that was refused still has its turn.
    last = mine.catch(() => {});
    return mine;
  };
}
