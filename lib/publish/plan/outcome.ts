// The outcome of one change of a plan.
import type { Change } from '../../dns/plan-changes.ts';
import type { Refusal } from '../../record-sets/record-set-item.ts';

export type ChangeOutcome = {
  readonly change: Change;
  readonly outcome: 'published' | 'foreign' | 'drifted' | 'rejected' | 'held' | 'failed';
  readonly message: string;
  /** Refused or held in this run for the first time, even with another content. */
  readonly isNews: boolean;
  /** When that was known, milliseconds since the epoch. */
  readonly atMs: number;
};

export const OUTCOME_OF: Readonly<Record<Refusal['reason'], ChangeOutcome['outcome']>> = {
  ForeignRecord: 'foreign',
  Drifted: 'drifted',
  Rejected: 'rejected',
  HeldByGuard: 'held',
};
