// What the use cases tell one another, and the queues that carry it.
import type { ObjectKind, ObjectRef } from '../objects/object-ref.ts';

/** Why something is looked at; goes along with the work, never decides anything. */
export type Cause = {
  /** When the event happened, milliseconds since the epoch, for the latency figure only. */
  readonly atMs?: number;
  /** Under which the event is followed through all logs, to the comment of the batch in Route 53. */
  readonly correlationId?: string;
};

/**
 * "This object may have changed." `name` null: any object of that kind in the namespace; `namespace` null: anywhere.
 */
export type Hint = Cause & {
  readonly kind: ObjectKind;
  readonly namespace: string | null;
  readonly name: string | null;
  /**
   * What a webhook saw stand before the write, "" nothing; reconcile looks again shortly while it still reads exactly
   * that.
   */
  readonly oldVersion?: string;
  /**
   * What will stand after that write: this generation of the object, or, null, the object no more. Says more than
   * `oldVersion`.
   */
  readonly awaited?: { readonly uid: string; readonly generation: number | null };
  /**
   * The version of the object that the ledger has and a later listing showed: while it has that, nobody need read it.
   */
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
