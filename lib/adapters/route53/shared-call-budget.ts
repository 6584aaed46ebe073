// The budget of Route 53 calls where many functions share one account. One ledger item has the buckets and what was
// learned (budget-state.ts). A caller takes the next free place by compare-and-swap and waits for it, so nobody polls.
//
// Clocks of functions differ by less than a second; if one is ahead, the others wait that much longer, once.
import * as z from 'zod';
import { itemCodec } from '../../ledger/item-codec.ts';
import type { Ledger, LedgerKey } from '../../ports/ledger.ts';
import {
  type BudgetedCall,
  type BudgetState,
  changesAtOnce,
  learnFrom,
  newBudget,
  reserveCall,
} from './budget-state.ts';
import { BudgetExhaustedError, type CallBudget, type CallBudgetOptions, checkLimits, inTurn } from './call-budget.ts';

/** A caller that would wait longer takes nothing: it may hold a lease, and pays for each second that it waits. */
const WAIT_MS_MAX = 4_000;
/** The pause before a patient caller asks again. */
const ASK_AGAIN_MS = 1_000;
/** Tries to write, while other callers succeed one after the other. */
const ATTEMPTS_MAX = 50;
/** A smaller batch is sent by what the last call of this process saw, without a reading of the item. */
const READ_FROM_CHANGES = 10;

export const budgetCodec = itemCodec(
  z.object({
    fullAtMs: z.number(),
    actionsFullAtMs: z.record(z.string(), z.number()).default({}),
    changesFullAtMs: z.number(),
    size: z.number(),
    rate: z.number(),
    accepted: z.number(),
    acceptedAtMs: z.number(),
    shrunkAtMs: z.number(),
  }),
);

export type LedgerCallBudgetOptions = CallBudgetOptions & {
  readonly ledger: Ledger;
  /** The account, if it is not zone53's own. */
  readonly account?: string;
};

/** The budget that all functions with one ledger share. Throws an Error if the limits leave nothing. */
export function ledgerCallBudget(options: LedgerCallBudgetOptions): CallBudget {
  checkLimits(options);
  const { clock, sleep } = options;
  let seen = newBudget(options);
  return {
    take: async (waitMsMax = Number.POSITIVE_INFINITY, call = {}) => {
      const beganMs = clock.nowMs();
      let startMs = beganMs;
      seen = await changeState(options, (state) => {
        const nowMs = clock.nowMs();
        const reserved = reserveCall(state, options, call, nowMs);
        startMs = reserved.startMs;
        const waitMsLeft = Math.min(WAIT_MS_MAX, beganMs + waitMsMax - nowMs);
        if (startMs - nowMs > waitMsLeft) throw new BudgetExhaustedError(waitMsLeft);
        return reserved.state;
      });
      const waitMs = startMs - clock.nowMs();
      if (waitMs > 0) await sleep(Math.ceil(waitMs));
      // A function may be frozen while it sleeps. Its call is then lost, which costs a fraction of a second.
      if (clock.nowMs() - beganMs > waitMsMax + 1) throw new BudgetExhaustedError(waitMsMax);
    },
    changesAtOnce: async (wanted) => {
      if (wanted > READ_FROM_CHANGES) seen = (await readBudget(options)).state;
      return changesAtOnce(seen);
    },
    learn: async (fate) => {
      // Most batches are accepted while nothing is left to learn: then nothing is read or written.
      if (learnFrom(seen, options, fate, clock.nowMs()) === null && !fate.isThrottled) return;
      const learn = (state: BudgetState) => learnFrom(state, options, fate, clock.nowMs());
      seen = await changeState(options, learn).catch(() => learn(seen) ?? seen);
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
  const take = inTurn(clock, async (beganMs, waitMsMax, call: BudgetedCall) => {
    const untilMs = beganMs + waitMsMax;
    for (;;) {
      try {
        await budget.take(untilMs - clock.nowMs(), call);
        return;
      } catch (error) {
        if (!(error instanceof BudgetExhaustedError)) throw error;
        if (clock.nowMs() + ASK_AGAIN_MS > untilMs) throw new BudgetExhaustedError(waitMsMax);
      }
      await sleep(ASK_AGAIN_MS);
    }
  });
  return { ...budget, take };
}

function budgetKey({ account }: LedgerCallBudgetOptions): LedgerKey {
  return { partition: 'budget', sort: account === undefined ? 'route53' : `account ${account}` };
}

async function readBudget(options: LedgerCallBudgetOptions) {
  const stored = await options.ledger.get(budgetKey(options));
  const known = stored === null ? null : budgetCodec.read(stored);
  // An item of another version is replaced: the buckets are full again within seconds.
  const state = known === null || known instanceof Error ? newBudget(options) : known;
  return { state, revision: stored?.revision ?? null };
}

/** Changes the item by compare-and-swap; null: it stays. Returns the new state. */
async function changeState(
  options: LedgerCallBudgetOptions,
  change: (state: BudgetState) => BudgetState | null,
): Promise<BudgetState> {
  for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt += 1) {
    const { state, revision } = await readBudget(options);
    const next = change(state);
    if (next === null) return state;
    if ((await options.ledger.put(budgetKey(options), budgetCodec.encode(next), revision)) !== null) return next;
    // Spreads callers that wrote the item at the same time.
    await options.sleep(Math.ceil(Math.random() * 10 * Math.min(attempt, 5)));
  }
  throw new Error(`Cannot take a call of the Route 53 budget: its item was changed by others ${ATTEMPTS_MAX} times`);
}
