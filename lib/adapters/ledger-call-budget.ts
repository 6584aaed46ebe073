// The budget of Route 53 calls where many functions share one account (docs/adr/0006): when the last calls
// began, or will begin, stands in one ledger item. Whoever wants to call appends the next free moment by compare-and-swap
// and then waits for it, so that nobody polls. The same sliding window as call-budget.ts, across processes.
//
// Clocks of functions differ by less than a second; one that is ahead makes the others wait that much longer, once.
import * as z from 'zod';
import type { Ledger, LedgerKey } from '../reconcile/ports.ts';
import type { CallBudget, CallBudgetOptions } from './call-budget.ts';

/** A caller that would wait longer than this takes nothing: it may hold a lease, which must outlive the wait and the call. */
const WAIT_MS_MAX = 4_000;
/** Moments further ahead than this are from a clock that was wrong, and count as now. */
const AHEAD_MS_MAX = 60_000;
/** Tries to append, among callers that all succeed one after the other. */
const ATTEMPTS_MAX = 50;

const KEY: LedgerKey = { partition: 'budget', sort: 'route53' };
const VERSION = 1;
const item = z.object({ v: z.literal(VERSION), begun: z.array(z.number()) });

export type LedgerCallBudgetOptions = CallBudgetOptions & {
  readonly ledger: Ledger;
  /** From 0 to 1, to spread callers that met at the item. */
  readonly random?: () => number;
};

/** Every moment is further away than a caller can wait: the budget is used up by others. Nothing happened. */
export class BudgetExhaustedError extends Error {
  constructor(waitMs: number) {
    super(`Cannot call Route 53 within ${WAIT_MS_MAX} ms: the budget is used up for ${Math.ceil(waitMs)} ms`);
    this.name = 'BudgetExhaustedError';
  }
}

/** A budget that all functions over one ledger share. Throws an Error when nothing is left after the reserve. */
export function ledgerCallBudget(options: LedgerCallBudgetOptions): CallBudget {
  const { callsPerSecond, reservedForOthers, clock, sleep } = options;
  const perSecond = callsPerSecond - reservedForOthers;
  if (!(perSecond > 0)) {
    throw new Error(`Cannot call Route 53 with a budget of ${callsPerSecond} a second, ${reservedForOthers} reserved`);
  }
  const callsMax = Math.max(1, Math.floor(perSecond));
  const windowMs = (callsMax / perSecond) * 1_000;
  return {
    take: async () => {
      const startMs = await reserve(options, { callsMax, windowMs });
      const waitMs = startMs - clock.nowMs();
      if (waitMs > 0) await sleep(Math.ceil(waitMs));
    },
  };
}

type Window = { readonly callsMax: number; readonly windowMs: number };

/** Appends the next free moment to the item and returns it. */
async function reserve(options: LedgerCallBudgetOptions, { callsMax, windowMs }: Window): Promise<number> {
  const { ledger, clock, sleep, random = Math.random } = options;
  for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt += 1) {
    const stored = await ledger.get(KEY);
    const nowMs = clock.nowMs();
    const begun = stored === null ? [] : plausible(item.parse(stored.body).begun, nowMs);
    const startMs = nextStart(begun, nowMs, { callsMax, windowMs });
    if (startMs - nowMs > WAIT_MS_MAX) throw new BudgetExhaustedError(startMs - nowMs);
    const body = { v: VERSION, begun: [...begun, startMs].slice(-callsMax) };
    if ((await ledger.put(KEY, body, stored?.revision ?? null)) !== null) return startMs;
    await sleep(Math.ceil(random() * 10 * Math.min(attempt, 5)));
  }
  throw new Error(`Cannot take a call of the Route 53 budget: its item changed ${ATTEMPTS_MAX} times over`);
}

function plausible(begun: readonly number[], nowMs: number): readonly number[] {
  return begun.map((atMs) => (atMs > nowMs + AHEAD_MS_MAX ? nowMs : atMs));
}

/** The first moment, not before the last one given away, that leaves at most `callsMax` in any window. */
function nextStart(begun: readonly number[], nowMs: number, { callsMax, windowMs }: Window): number {
  const last = begun.at(-1) ?? 0;
  const full = begun.length >= callsMax ? (begun.at(-callsMax) ?? 0) + windowMs : 0;
  return Math.max(nowMs, last, full);
}
