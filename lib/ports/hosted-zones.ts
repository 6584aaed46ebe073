// Route 53, as the use cases see it. A batch may be accepted, refused, or end unknown: the callers must survive all
// three.
import type { RecordSet, RecordSetKey } from '../dns/record-set.ts';

/** A hosted zone. `id` without the `/hostedzone/` prefix; `name` and `nameServers` canonical names. */
export type HostedZone = {
  readonly id: string;
  readonly name: string;
  readonly nameServers: readonly string[];
  /** What its creator named it by: ours begin with `zone53:`. */
  readonly callerReference: string;
  /** Answers inside of VPCs only, and has no name servers of its own. */
  readonly isPrivate?: boolean;
};

/** A hosted zone of which somebody may know, and we may not: what we were told. */
export type UnreadableHostedZone = { readonly unreadable: string };

/** One change of a batch. CREATE and UPSERT carry what is wanted, DELETE what stands. */
export type RecordSetChange = { readonly action: 'CREATE' | 'DELETE' | 'UPSERT'; readonly recordSet: RecordSet };

/** What became of a batch; it is applied whole or not at all. */
export type BatchOutcome =
  | { readonly kind: 'accepted'; readonly changeId: string }
  /** InvalidChangeBatch, InvalidInput: nothing applied; `messages` in Route 53's words, maybe not all of them. */
  | { readonly kind: 'refused'; readonly messages: readonly string[] }
  /** Throttled, PriorRequestNotComplete, or no turn in the budget (`unsent`): nothing was applied; try again later. */
  | { readonly kind: 'throttled'; readonly message: string; readonly unsent?: true }
  /** NoSuchHostedZone. */
  | { readonly kind: 'gone'; readonly message: string }
  /** AccessDenied and other terminal refusals of the whole call: nothing applied. */
  | { readonly kind: 'denied'; readonly message: string }
  /** Timeout, connection lost, 5xx, an answer that makes no sense: it may have been applied. */
  | { readonly kind: 'unknown'; readonly message: string };

/** The role that writes a record set, and the most changes of its batches; null: the default. */
export type Writer = { readonly role: string | null; readonly changesMax: number | null };

/** The orders of an object, "Kind ns/name"; null: it has none of its own. */
export type Writers = (object: string) => Promise<Writer | null>;

/** The account's hosted zones. Each call takes a token of the adapter's budget. Reads retry; `change` never does. */
export type HostedZones = {
  /** All public hosted zones of the account; `nameServers` is empty, because they are not read one by one. */
  list(): Promise<readonly HostedZone[]>;
  /** Public or private; null when it is gone. */
  get(id: string): Promise<HostedZone | UnreadableHostedZone | null>;
  /** Idempotent by `callerReference`. */
  create(name: string, callerReference: string): Promise<HostedZone>;
  /**
   * With `waitMsMax`, a batch whose turn within the budget would come later than in so many milliseconds is not sent:
   * `throttled`. `role`: the ARN of the role to write with; null or absent: our own.
   */
  change(
    id: string,
    changes: readonly RecordSetChange[],
    comment: string,
    waitMsMax?: number,
    role?: string | null,
  ): Promise<BatchOutcome>;
  /** Every record set at exactly this name; null when the hosted zone is gone. */
  readName(id: string, name: string): Promise<readonly RecordSet[] | null>;
  /** One page in Route 53's order, from `from` on; null when the hosted zone is gone. */
  readPage(
    id: string,
    from: RecordSetKey | null,
  ): Promise<{ readonly recordSets: readonly RecordSet[]; readonly next: RecordSetKey | null } | null>;
};
