// The key `budget` of the configuration: how much of Route 53's limits zone53 uses.
import * as z from 'zod';
import type { BudgetLimits } from '../../ports/budget-limits.ts';

const number = z.number('write a number, such as 10');

export const budgetSchema = z.strictObject(
  {
    requestsPerSecond: number
      .positive('write requests a second, more than 0')
      .nullish()
      .describe("How quickly the account's bucket of requests refills. AWS allows 10 a second."),
    burst: number
      .min(1, 'write 1 or more')
      .nullish()
      .describe('How many requests may begin at once after a quiet time. AWS allows 50.'),
    reserve: number
      .min(0, 'write a share from 0 to below 1')
      .lt(1, 'write a share from 0 to below 1: 1 would leave nothing to zone53')
      .nullish()
      .describe('The share of every limit that zone53 leaves to people and other tools.'),
    changesPerSecond: z
      .union([number.min(1, 'write 1 or more, or auto'), z.literal('auto')], 'write a number from 1 on, or auto')
      .nullish()
      .describe('The most record changes a second; auto: as many as Route 53 is seen to take.'),
  },
  'write a mapping, such as { requestsPerSecond: 10, burst: 50, reserve: 0.2, changesPerSecond: auto }',
);

/** The limits that were written, completed from the defaults. */
export function buildBudget(written: z.output<typeof budgetSchema> | null | undefined, defaults: BudgetLimits) {
  const { requestsPerSecond, burst, reserve, changesPerSecond } = written ?? {};
  return {
    requestsPerSecond: requestsPerSecond ?? defaults.requestsPerSecond,
    burst: burst ?? defaults.burst,
    reserve: reserve ?? defaults.reserve,
    changesPerSecond: changesPerSecond ?? defaults.changesPerSecond,
  };
}
