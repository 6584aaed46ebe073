// All conditions and reasons; docs/kubernetes.md explains them. Reasons are part of the public contract, messages
// are not.

import { withViewsInWords } from '../dns/names/view.ts';

type ConditionStatus = 'True' | 'False' | 'Unknown';

/** Reasons of the condition Accepted: whether an object is adopted. It is True for `Adopted` and `Root` only. */
export type AcceptedReason =
  | 'Adopted'
  | 'Root'
  | 'ParentNotFound'
  | 'ParentNotLive'
  | 'DelegationDenied'
  | 'RootNotAllowed'
  | 'InvalidSpec'
  | 'Conflict';

/** Reasons of the condition Programmed: whether it is in Route 53. Its status is True for `Published` only. */
export type ProgrammedReason =
  | 'Published'
  | 'Pending'
  | 'Occluded'
  | 'UnsupportedType'
  | 'ForeignRecord'
  | 'OwnedByAnotherCluster'
  | 'Drifted'
  | 'Rejected'
  | 'Protected'
  | 'HeldByGuard'
  | 'HostedElsewhere'
  | 'HostedZoneNotFound'
  | 'AccountRefused';

/** Reasons of the condition Propagated: whether resolvers answer it. Its status is True for `Resolved` only. */
export type PropagatedReason = 'Changing' | 'Resolved' | 'Unknown';

export type Verdict<Reason> = { readonly reason: Reason; readonly message: string };

/** A condition in the sense of the Kubernetes API conventions. */
export type Condition = {
  readonly type: 'Accepted' | 'Programmed' | 'Propagated';
  readonly status: ConditionStatus;
  readonly reason: AcceptedReason | ProgrammedReason | PropagatedReason;
  readonly message: string;
  readonly observedGeneration?: number;
};

/** True when the reason means that the object is adopted. */
function isAccepted(reason: AcceptedReason): boolean {
  return reason === 'Adopted' || reason === 'Root';
}

export function acceptedCondition(verdict: Verdict<AcceptedReason>): Condition {
  return { type: 'Accepted', status: isAccepted(verdict.reason) ? 'True' : 'False', ...shown(verdict) };
}

export function programmedCondition(verdict: Verdict<ProgrammedReason>): Condition {
  return { type: 'Programmed', status: verdict.reason === 'Published' ? 'True' : 'False', ...shown(verdict) };
}

/** A verdict as it is shown: names of other views than the public one have their view in words. */
function shown<Reason>({ reason, message }: Verdict<Reason>): Verdict<Reason> {
  return { reason, message: withViewsInWords(message) };
}

export function propagatedCondition(verdict: Verdict<PropagatedReason>): Condition {
  const status = { Resolved: 'True', Changing: 'False', Unknown: 'Unknown' } as const;
  return { type: 'Propagated', status: status[verdict.reason], ...verdict };
}

/** True for a condition whose transitions become Kubernetes Events. That a change resolves is no news each time. */
export function isTold({ type, reason }: { readonly type?: unknown; readonly reason?: unknown }): boolean {
  return type !== 'Propagated' || reason === 'Unknown';
}

/** A time as Kubernetes writes it: whole seconds, UTC. */
export function timeText(ms: number): string {
  return new Date(ms).toISOString().replace(/\.\d{3}Z$/, 'Z');
}

/** Maximum length of a message. The CRDs allow 32768 characters, more than anybody reads. */
const MESSAGE_CHARACTERS_MAX = 8_000;

/** The message, shortened when it is too long. */
export function cutMessage(message: string): string {
  return message.length <= MESSAGE_CHARACTERS_MAX
    ? message
    : `${message.slice(0, MESSAGE_CHARACTERS_MAX).toWellFormed()} … and more`;
}

/** What is wrong with an object's spec; undefined: nothing. */
export function invalidIn(conditions: readonly Condition[]): string | undefined {
  return conditions.find(({ type, reason }) => type === 'Accepted' && reason === 'InvalidSpec')?.message;
}
