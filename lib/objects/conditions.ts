// The conditions and reasons, in one place; docs/kubernetes.md explains them. A reason is a contract; a message is for
// people.

type ConditionStatus = 'True' | 'False' | 'Unknown';

/** Why an object is adopted or not. True for `Adopted` and `Root` only. */
export type AcceptedReason =
  | 'Adopted'
  | 'Root'
  | 'ParentNotFound'
  | 'ParentNotLive'
  | 'DelegationDenied'
  | 'RootNotAllowed'
  | 'InvalidSpec'
  | 'Conflict';

/** Whether it is in Route 53. True for `Published` only. */
export type ProgrammedReason =
  | 'Published'
  | 'Pending'
  | 'Occluded'
  | 'UnsupportedType'
  | 'ForeignRecord'
  | 'Drifted'
  | 'Rejected'
  | 'HeldByGuard'
  | 'HostedElsewhere'
  | 'HostedZoneNotFound';

/** A reason with its message. */
export type Verdict<Reason> = { readonly reason: Reason; readonly message: string };

/** A condition in the sense of the Kubernetes API conventions. */
export type Condition = {
  readonly type: 'Accepted' | 'Programmed';
  readonly status: ConditionStatus;
  readonly reason: AcceptedReason | ProgrammedReason;
  readonly message: string;
  readonly observedGeneration?: number;
};

/** True when the reason means that the object is adopted. */
function isAccepted(reason: AcceptedReason): boolean {
  return reason === 'Adopted' || reason === 'Root';
}

export function acceptedCondition(verdict: Verdict<AcceptedReason>): Condition {
  return { type: 'Accepted', status: isAccepted(verdict.reason) ? 'True' : 'False', ...verdict };
}

export function programmedCondition(verdict: Verdict<ProgrammedReason>): Condition {
  return { type: 'Programmed', status: verdict.reason === 'Published' ? 'True' : 'False', ...verdict };
}

/** A message of a condition at most; the CRDs allow 32768 characters, a person reads fewer. */
const MESSAGE_CHARACTERS_MAX = 8_000;

/** The message, cut where nobody would read on. */
export function cutMessage(message: string): string {
  return message.length <= MESSAGE_CHARACTERS_MAX
    ? message
    : `${message.slice(0, MESSAGE_CHARACTERS_MAX).toWellFormed()} … and more`;
}
