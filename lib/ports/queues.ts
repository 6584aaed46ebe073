// What the use cases tell one another, and the queues that carry it.
import type { ObjectKind, ObjectRef } from '../objects/object-ref.ts';

/** Why something is looked at; goes along with the work, never decides anything. */
export type Cause = {
  /** When the event happened, milliseconds since the epoch, for the latency figure only. */
  readonly atMs?: number;
  /** Under which the event is followed through all logs, to the comment of the batch in Route 53. */
  readonly correlationId?: string;
};

/** "This object may have changed." `name` null: any of that kind in the namespace; `namespace` null: anywhere. */
export type Hint = Cause & {
  readonly kind: ObjectKind;
  readonly namespace: string | null;
  readonly name: string | null;
  /** The version that a webhook saw before the write, "" for none: reconcile reads again while it is still there. */
  readonly oldVersion?: string;
  /** The generation after that write; null: the object will be gone. More precise than `oldVersion`. */
  readonly awaited?: { readonly uid: string; readonly generation: number | null };
  /** The version that the ledger has and a later listing showed: while it is unchanged, the object need not be read. */
  readonly noted?: string;
  /** How often this hint has been put back to look again. */
  readonly attempt?: number;
  /** How far a hint without a name has been worked off (`compareObjects`). */
  readonly cursor?: string;
};

/** Where the use cases leave work for one another. A message is a key; sending twice costs a read. */
export type Queues = {
  hint(hints: readonly Hint[], delaySeconds?: number): Promise<void>;
  /** Names of the hosted zone are dirty. In order and one at a time for one hosted zone. */
  publish(hostedZoneId: string, delaySeconds?: number, cause?: Cause): Promise<void>;
  /** Status of these objects may be out of date. */
  report(refs: readonly ObjectRef[], cause?: Cause): Promise<void>;
};
