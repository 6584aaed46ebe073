// The queues between the use cases, and what their messages contain.
import type { ObjectKind, ObjectRef } from '../objects/object-ref.ts';

/** How zone53 learned of a change. `poll`: a comparison because no event can tell; `command`: `apply`. */
export const CAUSE_KINDS = ['webhook', 'audit', 'watch', 'poll', 'file', 'schedule', 'command'] as const;
export type CauseKind = (typeof CAUSE_KINDS)[number];

/** Which event led to a piece of work. It is passed along with the work for logs and metrics and decides nothing. */
export type Cause = {
  /** When the event happened, in milliseconds since the epoch. Used for the latency metric only. */
  readonly atMs?: number;
  /** The id of the event in all logs and in the comment of the batch in Route 53. */
  readonly correlationId?: string;
  /** How it was learned of, for the history. */
  readonly via?: CauseKind;
  /** Who asked for it, as the API server said; absent unless the configuration wants it. */
  readonly user?: string;
};

/**
 * A message that an object may have changed. `name` null: any object of that kind in the namespace. `namespace` null:
 * any object of that kind.
 */
export type Hint = Cause & {
  readonly kind: ObjectKind;
  readonly namespace: string | null;
  readonly name: string | null;
  /** The version before the write, '' for none. As long as the cluster returns it, reconcile reads again. */
  readonly oldVersion?: string;
  /** The generation after that write; null: the object will be gone. More precise than `oldVersion`. */
  readonly awaited?: { readonly uid: string; readonly generation: number | null };
  /** The ledger's version, which a later listing showed. While it is unchanged, the object is not read again. */
  readonly noted?: string;
  /**
   * It was sent in case that an earlier run had died before it sent it. When nothing has changed it leads to no further
   * hints: otherwise objects whose aliases depend on each other's names would send hints to each other forever.
   */
  readonly repeats?: true;
  /** How often this hint has been queued again. */
  readonly attempt?: number;
  /** How far a hint without a name has been processed (`compareObjects`). */
  readonly cursor?: string;
};

/** A batch that Route 53 accepted at `atMs`, and whose record sets at `names` may be waiting for its name servers. */
export type FollowedChange = {
  readonly hostedZoneId: string;
  readonly changeId: string;
  readonly atMs: number;
  readonly names: readonly string[];
};

/** The queues that the use cases write to. A message is a key and no data, so sending it twice costs one more read. */
export type Queues = {
  hint(hints: readonly Hint[], delaySeconds?: number): Promise<void>;
  /**
   * Names of the hosted zone have to be published. Its messages are handled in order, one at a time. `after`: the epoch
   * of the run that asks to be repeated. The message is not needed if a later run has concluded before it is due.
   */
  publish(hostedZoneId: string, delaySeconds?: number, cause?: Cause, after?: number): Promise<void>;
  /** The status of these objects may be out of date, or is when the delay is over. */
  report(refs: readonly ObjectRef[], cause?: Cause, delaySeconds?: number): Promise<void>;
  /** Route 53 is to be asked, after the delay, whether its name servers have this change (follow-change.ts). */
  follow(change: FollowedChange, delaySeconds: number): Promise<void>;
};

/** Queues that drop every message. */
export const NO_QUEUES: Queues = {
  hint: async () => {},
  publish: async () => {},
  report: async () => {},
  follow: async () => {},
};

/** The hint without the user: names of people are kept only where the configuration wants them. */
export function withoutUser({ user: _, ...hint }: Hint): Hint {
  return hint;
}

/** The fields of a hint that describe the event behind it. */
export function causeOf({ atMs, correlationId, via, user }: Hint): Cause {
  return {
    ...(atMs === undefined ? {} : { atMs }),
    ...(correlationId === undefined ? {} : { correlationId }),
    ...(via === undefined ? {} : { via }),
    ...(user === undefined ? {} : { user }),
  };
}

/** The earliest of the events that led to a piece of work. Causes without a time come last. */
export function earliest(causes: readonly Cause[]): Cause {
  return causes.toSorted(compareCauses)[0] ?? {};
}

function compareCauses(a: Cause, b: Cause): number {
  if (a.atMs !== undefined && b.atMs !== undefined) return a.atMs - b.atMs;
  if (a.atMs !== b.atMs) return a.atMs === undefined ? 1 : -1;
  return Number(a.correlationId === undefined) - Number(b.correlationId === undefined);
}
