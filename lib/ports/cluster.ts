// The world outside, as the use cases see it: roles, no technology. Every call may succeed, fail (throws, nothing
// happened) or end unknown (throws `OutcomeUnknownError`, or says `unknown`): the callers must survive all three.
// Adapters in lib/adapters implement these; the simulation implements them in memory.

import type { Entry } from '../dns/entry.ts';
import type { Condition } from '../objects/conditions.ts';
import type { StatusForm } from '../objects/kind.ts';
import type { ObjectKind, ObjectRef } from '../objects/object-ref.ts';
import type { RelatedLabel } from '../objects/related.ts';
import type { SizedSpec } from '../objects/spec-size.ts';

/** An object as its API server (or its file) has it now. */
export type ClusterObject = SizedSpec & {
  readonly ref: ObjectRef;
  /** null for a manifest that states none. */
  readonly uid: string | null;
  /** RFC 3339, or null for a manifest that states none. */
  readonly creationTimestamp: string | null;
  /** Order of reading among objects without a timestamp, compared bytewise. Empty for an API server's objects. */
  readonly order: string;
  /** Grows with every write of the same uid: resourceVersion of an API server, time of reading of a file. */
  readonly version: string;
  readonly generation: number | null;
  readonly annotations: Readonly<Record<string, string>>;
  readonly labels: Readonly<Record<string, string>>;
  /** What stands in its status, untrusted: only ever compared with what we report. Left out for manifests. */
  readonly status?: unknown;
  /** Of a kind whose status others write too: where in it we say what we report. Absent: the status is ours alone. */
  readonly statusForm?: StatusForm;
  /** Where a manifest stands; null for an API server's objects. */
  readonly origin: Origin | null;
};

/** A place in a manifest; `line` counts from 1. */
export type Origin = { readonly file: string; readonly line: number };

/** A part that cannot be read as an object. `line` 0: a whole file or folder, which `message` names. */
export type ReadProblem = {
  readonly file: string;
  readonly line: number;
  readonly column?: number;
  readonly message: string;
};

/**
 * A remark, not an error. `warning`: an object that is probably misspelt, or a path without any object of ours;
 * `note`: a single file without one.
 */
export type ReadRemark = ReadProblem & { readonly level: 'warning' | 'note' };

/** A whole listing. An adapter that cannot read everything throws, or names the files that are incomplete. */
export type Listing = {
  readonly objects: readonly ClusterObject[];
  readonly problems: readonly ReadProblem[];
  /** Of manifests only. */
  readonly remarks?: readonly ReadRemark[];
  /** Files of which a part did not parse: an object last seen there is unknown, not absent. */
  readonly unreadable: ReadonlySet<string>;
};

/** How the message of an object begins whose file could not be read in full. */
export const FILE_UNREAD = 'its file cannot be read in full, so this object is kept unchanged';

/** A part of a listing, in order of `namespace/name`, bytewise, as etcd and the ledger keep them. */
export type ClusterPage = {
  readonly objects: readonly ClusterObject[];
  /** For the page that follows; null: this was the last. Opaque, and good for some minutes only. */
  readonly next: string | null;
  /** As in a listing: while there are any, no object is absent because it is missing here. */
  readonly unreadable: ReadonlySet<string>;
};

/** One object: present, positively absent (a 404), or not to be known now (its file does not parse). */
export type Observation =
  | { readonly kind: 'present'; readonly object: ClusterObject }
  | { readonly kind: 'absent' }
  | { readonly kind: 'unknown'; readonly message: string };

/** What we write back to an object. `entries`, `hash`, `serial` are a Zone's only. */
export type ObjectStatus = {
  readonly fqdn: string | null;
  /** `namespace/name` of the adopting Zone. */
  readonly parent: string | null;
  /** What an alias shows in the column of data, where others show their values. */
  readonly data?: string;
  readonly conditions: readonly Condition[];
  readonly zone?: {
    readonly entries: readonly Entry[];
    readonly hash: string | null;
    readonly serial: number | null;
    /** How many entries were left out because the object would have grown past 1 MiB. */
    readonly entriesOmitted: number;
  };
};

/** What a report needs of an object as it was read. */
export type ListedObject = Pick<ClusterObject, 'uid' | 'version' | 'generation' | 'labels' | 'annotations' | 'status'>;

/** One Kubernetes API server, or a folder of manifests. */
export type Cluster = {
  readonly clusterId: string;
  /** Every Zone, and every object of the sources that are on. Throws when the listing is not whole. */
  list(): Promise<Listing>;
  /**
   * Objects of one kind, of one namespace or (null) of all, page by page from `cursor` on. What comes later may be
   * newer than what came before, so a page proves nothing that a read by name does not. Null: the cursor is too old,
   * start over. `label`: only those that have it. Throws when the page cannot be had, or the kind is not known.
   */
  listPage(
    kind: ObjectKind,
    namespace: string | null,
    cursor: string | null,
    label?: RelatedLabel | null,
  ): Promise<ClusterPage | null>;
  /**
   * One object. `lastSeenIn`: the file that it was last read from. If that file cannot be parsed now, the answer is
   * `unknown`; `''` stands for any file.
   */
  get(ref: ObjectRef, lastSeenIn: string | null): Promise<Observation>;
  /**
   * Writes status, parent-zone label and, for a transition, an Event. A missing object is not an error. `listed`: the
   * object as it was read before, so that it is not read again unless it has changed since.
   */
  report(
    ref: ObjectRef,
    status: ObjectStatus,
    before: Pick<ObjectStatus, 'fqdn' | 'parent' | 'conditions'> | null,
    listed?: ListedObject,
  ): Promise<void>;
};
