// How much of Route 53's limits zone53 uses.

/** The limits of an account, as configured (budget-state.ts in lib/adapters/route53 says what they are). */
export type BudgetLimits = {
  /** The refill and the size of the account's bucket of requests. */
  readonly requestsPerSecond: number;
  readonly burst: number;
  /** The share of the refill and the size of every bucket that is left to people and other tools; from 0 to below 1. */
  readonly reserve: number;
  /** The most record changes a second; `auto`: as many as Route 53 takes. */
  readonly changesPerSecond: number | 'auto';
};

/** Route 53's limits since 30 July 2026, less a fifth for others. */
export const DEFAULT_BUDGET: BudgetLimits = {
  requestsPerSecond: 10,
  burst: 50,
  reserve: 0.2,
  changesPerSecond: 'auto',
};
