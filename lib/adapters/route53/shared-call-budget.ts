// The budget of Route 53 calls where many functions share one account (docs/adr/0006). One ledger item has the times at
// which the last calls began or will begin. A caller appends the next free time by compare-and-swap and waits for it,
// so nobody polls. It is the sliding window of call-budget.ts across processes.
//
// Clocks of functions differ by less than a second; if one is ahead, the others wait that much longer, once.
import * as z from 'zod';
import { itemCodec } from '../../ledger/item-codec.ts';
import type { Ledger, LedgerKey } from '../../ports/ledger.ts';
import {
  BudgetExhaustedError,
  type CallBudget,
  type CallBudgetOptions,
  inTurn,
  nextStart,
  type Window,
  windowOf,
} from './call-budget.ts';

/** A caller that would wait longer takes nothing: it may hold a lease, and pays for each second that it waits. */
const WAIT_MS_MAX = 4_000;
/** Times further ahead come from a wrong clock, and count as now. */
const AHEAD_MS_MAX = 60_000;
/** The pause before a patient caller asks again. */
const ASK_AGAIN_MS = 1_000;
/** Tries to append, while other callers succeed one after the other. */
const ATTEMPTS_MAX = 50;

const budgetCodec = itemCodec(z.object({ begun: z.array(z.number()) }));

export type LedgerCallBudgetOptions = CallBudgetOptions & {
  readonly ledger: Ledger;
  /** The account, if it is not zone53's own. */
  readonly account?: string;
};

/** The budget that all functions with one ledger share. Throws an Error if the reserve leaves nothing. */
export function ledgerCallBudget(options: LedgerCallBudgetOptions): CallBudget {
  const { clock, sleep } = options;
  const window = windowOf(options);
  return {
    take: async (waitMsMax = Number.POSITIVE_INFINITY) => {
      const beganMs = clock.nowMs();
      const startMs = await reserve(options, window, beganMs + waitMsMax);
      const waitMs = startMs - clock.nowMs();
      if (waitMs > 0) await sleep(Math.ceil(waitMs));
      // A function may be frozen while it sleeps. Its call is then lost, which costs a fraction of a second.
      if (clock.nowMs() - beganMs > waitMsMax + 1) throw new BudgetExhaustedError(waitMsMax);
    },
  };
}

/**
 * The same budget for a command, which no function pays for by the second: while the functions have taken the calls of
 * the next seconds, it asks again. Its own calls ask one after the other.
 */
export function patientCallBudget(options: LedgerCallBudgetOptions): CallBudget {
  const { clock, sleep } = options;
  const budget = ledgerCallBudget(options);
  return inTurn(clock, async (beganMs, waitMsMax) => {
    const untilMs = beganMs + waitMsMax;
    for (;;) {
      try {
        await budget.take(untilMs - clock.nowMs());
        return;
      } catch (error) {
        if (!(error instanceof BudgetExhaustedError)) throw error;
        if (clock.nowMs() + ASK_AGAIN_MS > untilMs) throw new BudgetExhaustedError(waitMsMax);
      }
      await sleep(ASK_AGAIN_MS);
    }
  });
}

/** Appends the next free time to the item and returns it; none after `untilMs`, nor later than any caller waits. */
async function reserve(options: LedgerCallBudgetOptions, window: Window, untilMs: number): Promise<number> {
  const { ledger, clock, sleep, account } = options;
  const key: LedgerKey = { partition: 'budget', sort: account === undefined ? 'route53' : `account ${account}` };
  for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt += 1) {
    const stored = await ledger.get(key);
    const nowMs = clock.nowMs();
    const begun = stored === null ? [] : plausible(budgetCodec.decode(stored).begun, nowMs);
    const startMs = nextStart(begun, nowMs, window);
    const waitMsMax = Math.min(WAIT_MS_MAX, untilMs - nowMs);
    if (startMs - nowMs > waitMsMax) throw new BudgetExhaustedError(waitMsMax);
    const body = budgetCodec.encode({ begun: [...begun, startMs].slice(-window.callsMax) });
    if ((await ledger.put(key, body, stored?.revision ?? null)) !== null) return startMs;
    // Spreads callers that wrote the item at the same time.
    await sleep(Math.ceil(Math.random() * 10 * Math.min(attempt, 5)));
  }
  throw new Error(`Cannot take a call of the Route 53 budget: its item was changed by others ${ATTEMPTS_MAX} times`);
}

function plausible(begun: readonly number[], nowMs: number): readonly number[] {
  return begun.map((atMs) => (atMs > nowMs + AHEAD_MS_MAX ? nowMs : atMs));
}
