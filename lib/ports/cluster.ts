// The interface to a Kubernetes cluster or a folder of manifests. A call succeeds, fails (throws, and nothing has
// changed) or ends without a known outcome (throws `OutcomeUnknownError`, or returns `unknown`). The callers must
// handle all three. The adapters in lib/adapters implement this; so does the simulation, in memory.

import type { Entry } from '../dns/entry.ts';
import type { Condition } from '../objects/conditions.ts';
import type { FieldPath } from '../objects/field-path.ts';
import type { StatusForm } from '../objects/kind.ts';
import type { ObjectKind, ObjectRef } from '../objects/object-ref.ts';
import type { RelatedLabel } from '../objects/related.ts';
import type { SizedSpec } from '../objects/spec-size.ts';

/** An object as its API server (or its file) has it now. */
export type ClusterObject = SizedSpec & {
  readonly ref: ObjectRef;
  /** null for a manifest without one. */
  readonly uid: string | null;
  /** RFC 3339; null for a manifest without one. */
  readonly creationTimestamp: string | null;
  /** Orders objects without a timestamp by when they were read, bytewise. Empty for an API server's objects. */
  readonly order: string;
  /** Grows with every write to the same uid. For an API server the resourceVersion, for a file the time it was read. */
  readonly version: string;
  readonly generation: number | null;
  readonly annotations: Readonly<Record<string, string>>;
  /** Annotations that are no text, with what they are instead ("a list"). Only a manifest has such. */
  readonly oddAnnotations?: Readonly<Record<string, string>>;
  readonly labels: Readonly<Record<string, string>>;
  /** Its status, untrusted, which is only compared with what we report. Absent for manifests. */
  readonly status?: unknown;
  /** For kinds whose status others write too: where in it our report goes. Absent: only zone53 writes the status. */
  readonly statusForm?: StatusForm;
  /** Where a manifest was read; null for an API server's objects. */
  readonly origin: Origin | null;
};

/** A place in a manifest; `line` counts from 1. */
export type Origin = { readonly file: string; readonly line: number };

/** A part of a file that cannot be read as an object. `line` 0: `message` is about a whole file or folder. */
export type ReadProblem = {
  readonly file: string;
  readonly line: number;
  readonly column?: number;
  readonly message: string;
};

/**
 * A remark that is no error. `warning`: an object that is probably misspelt, or a path without any object that zone53
 * reads. `note`: a single file without one. `advice`: it may be as intended, so it is no error with `--strict` either.
 */
export type ReadRemark = ReadProblem & { readonly level: 'warning' | 'note' | 'advice' };

/** What somebody knows of an object. */
export type KnownVersion = Pick<ClusterObject, 'uid' | 'version'>;

/** A complete listing. An adapter that cannot read everything throws or names the incomplete files in `unreadable`. */
export type Listing = {
  readonly objects: readonly ClusterObject[];
  readonly problems: readonly ReadProblem[];
  /** For manifests only. */
  readonly remarks?: readonly ReadRemark[];
  /** For manifests only: the line of a field of an object; null: it is not known. */
  readonly fieldLine?: (origin: Origin, path: FieldPath) => number | null;
  /** Files that did not parse completely. An object last read from one of them is unknown, not absent. */
  readonly unreadable: ReadonlySet<string>;
};

/** The beginning of an object's message when its file could not be read completely. */
export const FILE_UNREAD = 'its file cannot be read in full, so this object is kept unchanged';

/** Part of an object's message when its kind is not served any more: all objects of the kind have it. */
export const KIND_NOT_SERVED = 'is not served by the API server, so its objects are not read';

/** A page of a listing. Pages are in the order of `namespace/name`, bytewise, as in etcd and the ledger. */
export type ClusterPage = {
  readonly objects: readonly ClusterObject[];
  /** The cursor of the next page; null after the last. Opaque, and valid for a few minutes only. */
  readonly next: string | null;
  /** As in a listing: when this is not empty, an object that is missing here may still exist. */
  readonly unreadable: ReadonlySet<string>;
};

/** One object: present, certainly absent (a 404), or unknown for now (its file does not parse). */
export type Observation =
  | { readonly kind: 'present'; readonly object: ClusterObject }
  | { readonly kind: 'absent' }
  | { readonly kind: 'unknown'; readonly message: string };

/**
 * What the CRD of a kind says about objects that are gone. `none`: the kind needs no CRD. `missing`, `leaving`: there
 * is none any more, or it is being deleted, so its objects went with it. `since`: when the CRD was created; an object
 * that is older went with the CRD before it. `unread`: the CRD may not be read.
 */
export type CrdState =
  | { readonly kind: 'none' }
  | { readonly kind: 'missing' }
  | { readonly kind: 'leaving' }
  | { readonly kind: 'since'; readonly createdAt: string }
  | { readonly kind: 'unread'; readonly message: string };

/** What has changed of a kind since a version. `deleted`: objects that are gone since. */
export type Changes = {
  /** The version that this reaches to; `''`: the API server does not serve the kind, and it may be missing. */
  readonly version: string;
  readonly objects: readonly ClusterObject[];
  readonly deleted: readonly ObjectRef[];
};

/** An object in one of its views; `reason` and `message`: of the first condition that is not True there. */
export type ViewStatus = {
  readonly view: string;
  readonly parent: string | null;
  readonly accepted: Condition['status'];
  readonly programmed: Condition['status'];
  readonly reason: string;
  readonly message: string;
};

/** What is written back to an object. Only a Zone has `zone`. */
export type ObjectStatus = {
  readonly fqdn: string | null;
  /** `namespace/name` of the adopting Zone. */
  readonly parent: string | null;
  /** What an alias shows in the data column, where other objects show their values. */
  readonly data?: string;
  /** A line for each view in which it asks for its names. Absent: it is in the public one alone. */
  readonly views?: readonly ViewStatus[];
  readonly conditions: readonly Condition[];
  readonly zone?: {
    readonly entries: readonly Entry[];
    readonly hash: string | null;
    readonly serial: number | null;
    /** How many entries were left out because with them the object would be larger than 1 MiB. */
    readonly entriesOmitted: number;
  };
};

/** The part of an object as it was read that a report needs. */
export type ListedObject = Pick<ClusterObject, 'uid' | 'version' | 'generation' | 'labels' | 'annotations' | 'status'>;

/**
 * The API server refused the report of one object and would refuse it again. This says nothing about other objects.
 */
export class ReportRefusedError extends Error {
  constructor(message: string, cause: unknown) {
    super(message, { cause });
    this.name = 'ReportRefusedError';
  }
}

/** One Kubernetes API server, or a folder of manifests. */
export type Cluster = {
  readonly clusterId: string;
  /** The uid of its namespace `kube-system`; null: it may not be read. Absent for manifests. */
  uid?(): Promise<string | null>;
  /** Every Zone, and every object of the enabled sources. Throws when the listing is incomplete. */
  list(): Promise<Listing>;
  /**
   * One page of the objects of a kind, starting at `cursor`. `namespace` null: of all namespaces. `label`: only objects
   * with this label. A later page may be newer than an earlier one, so an object that no page has is absent only when a
   * read by name says so too. Returns null when the cursor is too old; the caller starts over. Throws when the page
   * cannot be read or the kind is not known.
   */
  listPage(
    kind: ObjectKind,
    namespace: string | null,
    cursor: string | null,
    label?: RelatedLabel | null,
  ): Promise<ClusterPage | null>;
  /**
   * One object. `lastSeenIn`: the file from which it was last read; `''` if that is not known. If that file (or, with
   * `''`, any file) cannot be parsed now, the answer is `unknown`. `known`: to whoever knows this version of the
   * object, a newer one that was read before the question is an answer, too. Absent: the answer is never older than the
   * question.
   */
  get(ref: ObjectRef, lastSeenIn: string | null, known?: KnownVersion): Promise<Observation>;
  /**
   * The CRD of a kind. The answer is never older than the question: who asks after a deletion was seen learns whether
   * the CRD went, too. Absent for manifests.
   */
  crd?(kind: ObjectKind): Promise<CrdState>;
  /**
   * What has changed of a kind since a version; null: the API server no longer has that version, and anything may have
   * changed. `since` null: the version of now, without changes. Absent for manifests.
   */
  changes?(kind: ObjectKind, since: string | null): Promise<Changes | null>;
  /**
   * Writes the status, the parent-zone label and, when a condition changed, an Event. Not an error when the object is
   * missing. `listed`: the object as it was read earlier; it is read again only when it has changed since. Throws
   * `ReportRefusedError` if the API server refuses the report of this object.
   */
  report(
    ref: ObjectRef,
    status: ObjectStatus,
    before: Pick<ObjectStatus, 'fqdn' | 'parent' | 'conditions'> | null,
    listed?: ListedObject,
  ): Promise<void>;
};
