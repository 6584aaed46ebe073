// What a health check costs. Amazon has a lower price for endpoints in AWS, and none for the first 50 of these. Which
// ones these are cannot be told from a name, so this is the most that it costs.
import type { HealthCheck } from '../dns/health-check.ts';

/** Dollars a month, as quoted from Amazon's page by others. Not read from a price list. Last verified 2026-11-30. */
const PRICES = { endpoint: 0.75, option: 2 };

/** When the prices were last looked at. */
export const HEALTH_CHECK_PRICES_OF = '2026-11-30';

/** Dollars a month. */
export function monthlyPrice({ protocol, searchString, interval, measureLatency }: HealthCheck): number {
  const options = [protocol === 'HTTPS', searchString !== undefined, interval === 10, measureLatency === true];
  return PRICES.endpoint + PRICES.option * options.filter(Boolean).length;
}
