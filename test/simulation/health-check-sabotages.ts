// Sabotages of the health checks that zone53 makes, each of which weakens one safeguard. Part of the list in
// sabotages.ts.
import type { HealthChecks } from '../../lib/ports/health-checks.ts';
import { bend, breaks, type Sabotage } from './bend.ts';
import { madeChecksOf } from './made-health-checks.ts';

function bendChecks(invariant: string, name: string, how: (own: HealthChecks) => Partial<HealthChecks>): Sabotage {
  const bent = bend(name, ({ hostedZones: { healthChecks } }) => {
    if (healthChecks === undefined) return {};
    const of: typeof healthChecks.of = (account) => {
      const own = healthChecks.of(account);
      return { ...own, ...how(own) };
    };
    return { hostedZones: { healthChecks: { ...healthChecks, of } } };
  });
  return { ...breaks(invariant, bent), concerns: (seed) => madeChecksOf(seed) !== null };
}

/** More than any world makes. */
const IDS_MAX = 200;
const ALL = Array.from({ length: IDS_MAX }, (_, index) => ({
  id: `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`,
  reference: '',
}));

export const HEALTH_CHECK_SABOTAGES: readonly Sabotage[] = [
  bendChecks('Q8', 'a health check that nothing uses is not deleted', () => ({ remove: async () => {} })),
  bendChecks('Q1', 'a health check is not changed in place', () => ({ update: async (id) => ({ kind: 'made', id }) })),
  bendChecks('Q1', 'a health check that somebody deletes seems to be there', () => ({ list: async () => ALL })),
  {
    ...breaks(
      'Q1',
      bend('the record sets that use a health check are not saved', ({ ledger }) => ({
        ledger: {
          put: async (key, ...rest) => (key.partition === 'healthcheckuses' ? '1' : ledger.put(key, ...rest)),
        },
      })),
    ),
    concerns: (seed) => madeChecksOf(seed) !== null,
  },
];
