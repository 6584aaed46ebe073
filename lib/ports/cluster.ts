// The world outside, as the use cases see it: roles, no technology. Every call may succeed, fail (throws, nothing
// happened) or end unknown (throws `OutcomeUnknownError`, or says `unknown`): the callers must survive all three.
// Adapters in lib/adapters implement these; the simulation implements them in memory.

import type { RecordSet, RecordSetContent, RecordSetKey } from '../dns/record-set.ts';
import type { Condition, Entry } from '../objects/conditions.ts';
import type { ObjectKind, ObjectRef } from '../objects/object-ref.ts';

/** The clock, milliseconds since the epoch, UTC. */
export type Clock = { nowMs(): number };

// ---------------------------------------------------------------- the cluster

/** An object as its API server (or its file) has it now. `spec` is untrusted and unparsed. */
export type ClusterObject = {
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
  readonly spec: unknown;
  /** What stands in its status, untrusted: only ever compared with what we report. Left out for manifests. */
  readonly status?: unknown;
  /** Where a manifest stands; null for an API server's objects. */
  readonly origin: Origin | null;
};

/** A place in a manifest; `line` counts from 1. */
export type Origin = { readonly file: string; readonly line: number };

/** Something that could not be read as an object at all; costs only itself. `line` 0: a whole file or folder, named in `message`. */
export type ReadProblem = {
  readonly file: string;
  readonly line: number;
  readonly column?: number;
  readonly message: string;
};

/**
 * What is no error, and somebody should know: a `warning` of an object that is probably misspelt or of a path that holds none
 * of ours, a `note` of one file among others that holds none.
 */
export type ReadRemark = ReadProblem & { readonly level: 'warning' | 'note' };

/** A whole listing. An adapter that cannot read everything throws, or names the files that it could not read in full. */
export type Listing = {
  readonly objects: readonly ClusterObject[];
  readonly problems: readonly ReadProblem[];
  /** Of manifests only. */
  readonly remarks?: readonly ReadRemark[];
  /** Files of which a part did not parse: an object last seen there is unknown, not absent. */
  readonly unreadable: ReadonlySet<string>;
};

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
  readonly conditions: readonly Condition[];
  readonly zone?: {
    readonly entries: readonly Entry[];
    readonly hash: string | null;
    readonly serial: number | null;
    /** How many entries were left out because the object would have grown past 1 MiB. */
    readonly entriesOmitted: number;
  };
};

/** One Kubernetes API server, or a folder of manifests. */
export type Cluster = {
  readonly clusterId: string;
  /** Every Zone and Record. Throws when the listing is not whole. */
  list(): Promise<Listing>;
  /**
   * Objects of one kind, of one namespace or (null) of all, page by page from `cursor` on. What comes later may be newer than
   * what came before, so a page proves nothing that a read by name does not. Null: the cursor is too old, start over.
   * Throws when the page cannot be had, or the kind is not known.
   */
  listPage(kind: ObjectKind, namespace: string | null, cursor: string | null): Promise<ClusterPage | null>;
  /** One object. `lastSeenIn` is the file it was last read from, for manifests: if that file does not parse now, the answer is `unknown`. */
  get(ref: ObjectRef, lastSeenIn: string | null): Promise<Observation>;
  /** Writes status, parent-zone label and, for a transition, an Event. A missing object is no error. */
  report(
    ref: ObjectRef,
    status: ObjectStatus,
    before: Pick<ObjectStatus, 'fqdn' | 'parent' | 'conditions'> | null,
  ): Promise<void>;
};

// ---------------------------------------------------------------- the ledger

export type JsonValue = null | boolean | number | string | readonly JsonValue[] | { readonly [key: string]: JsonValue };
export type JsonObject = { readonly [key: string]: JsonValue };

/** One item. `revision` is opaque and never repeats, not even after a removal: the only condition there is. */
export type LedgerItem = {
  readonly partition: string;
  readonly sort: string;
  readonly revision: string;
  readonly body: JsonObject;
};

export type LedgerKey = { readonly partition: string; readonly sort: string };

/** A page of a query, in order of `sort` (bytewise); `next` is the `after` of the following page, null at the end. */
export type LedgerPage = { readonly items: readonly LedgerItem[]; readonly next: string | null };

/** Strongly consistent reads of one partition, conditional writes of one item; nothing else. */
export type Ledger = {
  get(key: LedgerKey): Promise<LedgerItem | null>;
  /** Items of one partition whose sort key starts with `prefix` (default: all) and lies after `after` (exclusive). */
  query(
    partition: string,
    options?: { readonly prefix?: string; readonly after?: string; readonly limit?: number },
  ): Promise<LedgerPage>;
  /** Writes if the item stands at `expected` (null: does not exist). Returns the new revision, or null when it does not stand there. */
  put(key: LedgerKey, body: JsonObject, expected: string | null): Promise<string | null>;
  /** Removes if the item stands at `expected`. Returns false when it does not. */
  remove(key: LedgerKey, expected: string): Promise<boolean>;
};

// ---------------------------------------------------------------- Route 53

/** A public hosted zone. `id` without the `/hostedzone/` prefix; `name` and `nameServers` canonical names. */
export type HostedZone = { readonly id: string; readonly name: string; readonly nameServers: readonly string[] };

/** One change of a batch. CREATE and UPSERT carry what is wanted, DELETE what stands. */
export type RecordSetChange = { readonly action: 'CREATE' | 'DELETE' | 'UPSERT'; readonly recordSet: RecordSet };

/** What became of a batch; it is applied whole or not at all. */
export type BatchOutcome =
  | { readonly kind: 'accepted'; readonly changeId: string }
  /** InvalidChangeBatch, InvalidInput: nothing applied; `messages` in Route 53's words, maybe not all of them. */
  | { readonly kind: 'refused'; readonly messages: readonly string[] }
  /** Throttling, PriorRequestNotComplete, no turn within the budget in time (`unsent`): nothing applied, worth another try later. */
  | { readonly kind: 'throttled'; readonly message: string; readonly unsent?: true }
  /** NoSuchHostedZone. */
  | { readonly kind: 'gone'; readonly message: string }
  /** AccessDenied and other terminal refusals of the whole call: nothing applied. */
  | { readonly kind: 'denied'; readonly message: string }
  /** Timeout, connection lost, 5xx, an answer that makes no sense: it may have been applied. */
  | { readonly kind: 'unknown'; readonly message: string };

/** The account's hosted zones. Every call takes one token of the budget, which the adapter holds. Reads retry; `change` never does. */
export type HostedZones = {
  /** All public hosted zones of the account, without name servers being read one by one (`nameServers` is then empty). */
  list(): Promise<readonly HostedZone[]>;
  /** null when it is gone. */
  get(id: string): Promise<HostedZone | null>;
  /** Idempotent by `callerReference`. */
  create(name: string, callerReference: string): Promise<HostedZone>;
  /** With `waitMsMax`, a batch whose turn within the budget would come later than in so many milliseconds is not sent: `throttled`. */
  change(id: string, changes: readonly RecordSetChange[], comment: string, waitMsMax?: number): Promise<BatchOutcome>;
  /** Every record set at exactly this name; null when the hosted zone is gone. */
  readName(id: string, name: string): Promise<readonly RecordSet[] | null>;
  /** One page in Route 53's order, from `from` on; null when the hosted zone is gone. */
  readPage(
    id: string,
    from: RecordSetKey | null,
  ): Promise<{ readonly recordSets: readonly RecordSet[]; readonly next: RecordSetKey | null } | null>;
};

export type { Condition, Entry, ObjectKind, ObjectRef, RecordSet, RecordSetContent, RecordSetKey };

// ---------------------------------------------------------------- messages

/** Why something is looked at; goes along with the work, never decides anything. */
export type Cause = {
  /** When the event happened, milliseconds since the epoch, for the latency figure only. */
  readonly atMs?: number;
  /** Under which the event is followed through all logs, to the comment of the batch in Route 53. */
  readonly correlationId?: string;
};

/** "This object may have changed." `name` null: any object of that kind in the namespace; `namespace` null: anywhere. */
export type Hint = Cause & {
  readonly kind: ObjectKind;
  readonly namespace: string | null;
  readonly name: string | null;
  /** What a webhook saw stand before the write, "" nothing; reconcile looks again shortly while it still reads exactly that. */
  readonly oldVersion?: string;
  /** What will stand after that write: this generation of the object, or, null, the object no more. Says more than `oldVersion`. */
  readonly awaited?: { readonly uid: string; readonly generation: number | null };
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
