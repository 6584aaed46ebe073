// The health checks of an account in memory, at the level of the port. As Route 53 does, it creates one for each
// reference, never takes the reference of a deleted one again, and deletes one that record sets name.
import type { HealthCheck } from '../../lib/dns/health-check.ts';
import type { HealthCheckOutcome, HealthChecks, HealthChecksOfAccounts } from '../../lib/ports/health-checks.ts';

export type MemoryHealthChecks = {
  readonly port: HealthChecksOfAccounts;
  /** Those that exist, by id. */
  readonly standing: Map<string, { readonly reference: string; readonly check: HealthCheck }>;
  /** Every call so far. */
  readonly calls: string[];
  /** What the next creation answers although Route 53 has done it, or in place of it. */
  fault: { readonly isDone: boolean; readonly outcome: HealthCheckOutcome } | null;
};

export function memoryHealthChecks(): MemoryHealthChecks {
  const spent = new Set<string>();
  let made = 0;
  const create = (check: HealthCheck, reference: string): HealthCheckOutcome => {
    for (const [id, one] of all.standing) if (one.reference === reference) return { kind: 'made', id };
    if (spent.has(reference)) return { kind: 'spent', message: 'HealthCheckAlreadyExists: it was deleted' };
    made += 1;
    const id = `00000000-0000-4000-8000-${String(made).padStart(12, '0')}`;
    spent.add(reference);
    all.standing.set(id, { reference, check });
    return { kind: 'made', id };
  };
  const port: HealthChecks = {
    create: async (check, reference) => {
      all.calls.push(`create ${reference}`);
      const { fault } = all;
      all.fault = null;
      if (fault?.isDone === false) return fault.outcome;
      const outcome = create(check, reference);
      return fault?.outcome ?? outcome;
    },
    update: async (id, check) => {
      all.calls.push(`update ${id}`);
      const { fault } = all;
      all.fault = null;
      if (fault?.isDone === false) return fault.outcome;
      const known = all.standing.get(id);
      if (known === undefined) return { kind: 'spent', message: 'NoSuchHealthCheck' };
      all.standing.set(id, { ...known, check });
      return fault?.outcome ?? { kind: 'made', id };
    },
    remove: async (id) => {
      all.calls.push(`remove ${id}`);
      all.standing.delete(id);
    },
    list: async () => {
      all.calls.push('list');
      return [...all.standing].map(([id, { reference }]) => ({ id, reference }));
    },
  };
  const all: MemoryHealthChecks = {
    port: { accountOf: async () => null, of: () => port },
    standing: new Map(),
    calls: [],
    fault: null,
  };
  return all;
}
