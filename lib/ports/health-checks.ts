// The interface to the health checks of an account.
import type { HealthCheck } from '../dns/health-check.ts';
import type { RecordSet } from '../dns/record-set.ts';

/** What became of a call that creates or changes a health check. */
export type HealthCheckOutcome =
  | { readonly kind: 'made'; readonly id: string }
  /** Nothing was created, and trying again soon will not help. */
  | { readonly kind: 'refused'; readonly message: string }
  /** The reference is that of a deleted health check, or of another one: it can never be used. */
  | { readonly kind: 'spent'; readonly message: string }
  /** Not sent, throttled, or without an answer: to be repeated with the same reference. */
  | { readonly kind: 'again'; readonly message: string };

/** The health checks of one account. Every call counts against its budget. */
export type HealthChecks = {
  /** Idempotent by `reference`. Waits at most `waitMsMax` milliseconds for the budget. */
  create(check: HealthCheck, reference: string, waitMsMax?: number): Promise<HealthCheckOutcome>;
  /** Changes what can be changed of one. `spent`: Route 53 does not have it any more. */
  update(id: string, check: HealthCheck, waitMsMax?: number): Promise<HealthCheckOutcome>;
  /** Deletes one, or finds that there is none. @throws an error if a later try may succeed */
  remove(id: string): Promise<void>;
  /** All of the account, each with the reference that its creator chose. @throws as `remove` */
  list(): Promise<readonly { readonly id: string; readonly reference: string }[]>;
};

/** The health checks of all accounts. `account`: by its name in the configuration; null: the stack's own. */
export type HealthChecksOfAccounts = {
  /** The account of a hosted zone: its record sets can only name health checks of that account. */
  accountOf(hostedZoneId: string): Promise<string | null>;
  of(account: string | null): HealthChecks;
  /** As `readName` of the hosted zones, with the ids of health checks and never with keys. Absent: it is the same. */
  readIds?(hostedZoneId: string, name: string): Promise<readonly RecordSet[] | null>;
};
