// The shapes behind the JSON of `-o json`, which is a stable contract. `ClusterOutput` is that of `render`. The output
// for people is made from the same shapes and nothing else.
import type { ExistingAtChange } from '../../lib/apply/read-planned.ts';
import type { AliasTarget } from '../../lib/dns/record-set.ts';
import type { ReadRemark as RemarkOutput } from '../../lib/ports/cluster.ts';
import type { ClusterOutput, ErrorOutput } from '../../lib/report/describe-cluster.ts';

/** The content of a record set. `ttl` in seconds. */
export type ContentOutput =
  | ({ readonly ttl: number; readonly values: readonly string[] } & RoutingOutput)
  | ({ readonly alias: AliasTarget } & RoutingOutput);

/** The policy of a routed record set, in the words of a Record's spec, and its health check. */
type RoutingOutput = { readonly routing?: Readonly<Record<string, unknown>>; readonly healthCheckId?: string };

export type ChangeOutput = {
  readonly action: 'create' | 'update' | 'delete' | 'adopt';
  readonly name: string;
  readonly type: string;
  readonly setIdentifier: string | null;
  readonly before: ContentOutput | null;
  readonly after: ContentOutput | null;
  /** The objects that ask for it, as "Record ns/name". */
  readonly objects: readonly string[];
  /** A create that may replace what Route 53 has there, by `takeover`. Not part of the JSON. */
  readonly mayReplace?: boolean;
  /**
   * What is deleted in the same batch: TXT records of external-dns, and record sets that must not exist beside this
   * one.
   */
  readonly also?: readonly AlsoOutput[];
  /** What Route 53 has there that is not ours, before the change. */
  readonly standing?: ExistingAtChange['standing'];
  readonly message?: string;
  /** What became of it. In a plan: what will, because the message says why it is not sent; absent if it is. */
  readonly outcome?: Outcome;
};

type AlsoOutput = { readonly action: 'delete'; readonly name: string; readonly type: string };

export type Outcome = 'published' | 'foreign' | 'drifted' | 'rejected' | 'held' | 'failed';

export type AppliedChangeOutput = ChangeOutput & { readonly outcome: Outcome; readonly message: string };

/** The plan of one hosted zone; `id` is null for one that is yet to be created. */
export type HostedZoneOutput<Of extends ChangeOutput> = {
  readonly id: string | null;
  readonly name: string;
  /** "ns/name" of the Zone that publishes there. */
  readonly zone: string;
  readonly digest: string;
  /** Whether the guard holds the deletes. `reasons` says why, and how to release them. */
  readonly held: boolean;
  /** The digest of just the held deletes, which `--acknowledge` and the annotation take; absent where none is held. */
  readonly heldDigest?: string;
  readonly reasons: readonly string[];
  /** Further notes; in the JSON they are the last of the reasons. */
  readonly notes?: readonly string[];
  /** Whether Route 53 could not be read, to show creates or to compare. Not part of the JSON. */
  readonly isUnread?: boolean;
  readonly changes: readonly Of[];
};

/**
 * What serving a DNSRecord would do. `state` is the value of `lastOperation.state`; `account` is the SHA-256 of the
 * ledger.
 */
export type DnsRecordOutput = {
  readonly namespace: string;
  readonly name: string;
  readonly operation: string;
  readonly state: 'Succeeded' | 'Error' | 'Processing';
  readonly account: string | null;
  readonly hostedZone: string | null;
  readonly changes: readonly DnsRecordChangeOutput[];
  readonly error: { readonly codes: readonly string[]; readonly message: string } | null;
  readonly message: string;
};

/** A change, with its account and the id of its hosted zone. */
type DnsRecordChangeOutput = ChangeOutput & { readonly hostedZone: string; readonly account: string };

export type PlanOutput = {
  readonly hostedZones: readonly HostedZoneOutput<ChangeOutput>[];
  readonly errors: readonly ErrorOutput[];
  readonly sources?: ClusterOutput['sources'];
  /** The DNSRecords with something to do; absent if none are served. */
  readonly dnsRecords?: readonly DnsRecordOutput[];
  /** Not part of the JSON. */
  readonly remarks?: readonly RemarkOutput[];
  /** The objects, to explain what the plan leaves out. Not part of the JSON. */
  readonly resolved?: Pick<ClusterOutput, 'zones' | 'records' | 'sources'>;
};

export type ApplyOutput = ClusterOutput & {
  readonly hostedZones: readonly HostedZoneOutput<AppliedChangeOutput>[];
  /** The DNSRecords that were served, with their results; absent if none are served. */
  readonly dnsRecords?: readonly DnsRecordOutput[];
};

export type { ClusterOutput, ErrorOutput, RemarkOutput };
