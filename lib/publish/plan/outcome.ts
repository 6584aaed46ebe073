// The outcome of one change of a plan.
import type { Change } from '../../dns/plan-changes.ts';
import { recordSetId } from '../../dns/record-set.ts';
import type { Refusal } from '../../record-sets/record-set-item.ts';

export type ChangeOutcome = {
  readonly change: Change;
  readonly outcome: 'published' | 'foreign' | 'drifted' | 'rejected' | 'protected' | 'held' | 'failed';
  readonly message: string;
  /** Refused or held in this run for the first time, even with another content. */
  readonly isNews: boolean;
  /** When that was known, milliseconds since the epoch. */
  readonly atMs: number;
};

export const OUTCOME_OF: Readonly<Record<Refusal['reason'], ChangeOutcome['outcome']>> = {
  ForeignRecord: 'foreign',
  OwnedByAnotherCluster: 'foreign',
  Drifted: 'drifted',
  Rejected: 'rejected',
  Protected: 'protected',
  HeldByGuard: 'held',
};

/** How the message of a change begins that waits because its hosted zone is full. */
export const FULL_WORDS = 'The hosted zone is full.';

export function isWaitingForRoom({ outcome, message }: Pick<ChangeOutcome, 'outcome' | 'message'>): boolean {
  return outcome === 'failed' && message.startsWith(FULL_WORDS);
}

/** The last outcome of each change, with the change as it was planned. */
export function inWordsOfPlan(
  outcomes: readonly ChangeOutcome[],
  planned: readonly Change[],
): readonly ChangeOutcome[] {
  const byId = new Map(planned.map((change) => [recordSetId(change), change]));
  const last = new Map(outcomes.map((one) => [recordSetId(one.change), one]));
  return [...last].map(([id, one]) => ({ ...one, change: byId.get(id) ?? one.change }));
}
