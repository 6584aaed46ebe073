// The shapes behind the JSON of `-o json`, which is a stable contract. `ClusterOutput` is that of `render`. The output
// for people is made from the same shapes and nothing else.
import type { PlannedHealthCheck } from '../../lib/apply/planned-health-checks.ts';
import type { ExistingAtChange } from '../../lib/apply/read-planned.ts';
import type { AliasTarget } from '../../lib/dns/record-set.ts';
import type { ReadRemark as RemarkOutput } from '../../lib/ports/cluster.ts';
import type { ClusterOutput, ErrorOutput } from '../../lib/report/describe-cluster.ts';
import type { UnknownLedger } from './ledger-unknown.ts';

/** The content of a record set. `ttl` in seconds. */
export type ContentOutput =
  | ({ readonly ttl: number; readonly values: readonly string[] } & RoutingOutput)
  | ({ readonly alias: AliasTarget } & RoutingOutput);

/** The policy of a routed record set, in the words of a Record's spec, and its health check. */
type RoutingOutput = { readonly routing?: Readonly<Record<string, unknown>>; readonly healthCheckId?: string };

export type ChangeOutput = {
  readonly action: 'create' | 'update' | 'delete' | 'adopt' | 'forget';
  readonly name: string;
  /** Absent: the public one. */
  readonly view?: string;
  readonly type: string;
  readonly setIdentifier: string | null;
  /** The cluster that has it afterwards, or that had it. */
  readonly cluster?: string;
  /** The cluster that it moves from; absent if it does not move. */
  readonly from?: string;
  readonly before: ContentOutput | null;
  readonly after: ContentOutput | null;
  /** The objects that ask for it, as "Record ns/name". */
  readonly objects: readonly string[];
  /** Why it is deleted, half a sentence. Not part of the JSON. */
  readonly why?: string;
  /**
   * Whether it is held: by the guard, or because two sides change the record set in turn. In the result of `apply`:
   * whether it was.
   */
  readonly held?: boolean;
  /** A create that may replace what Route 53 has there, by `takeover`. Not part of the JSON. */
  readonly mayReplace?: boolean;
  /**
   * What is deleted in the same batch: TXT records of external-dns, and record sets that must not exist beside this
   * one. Of what is given to external-dns: its TXT records, which are created.
   */
  readonly also?: readonly AlsoOutput[];
  /** The health checks that zone53 makes, changes and deletes with it; absent: none. */
  readonly healthChecks?: readonly PlannedHealthCheck[];
  /** What Route 53 has there that is not ours, before the change. */
  readonly standing?: ExistingAtChange['standing'];
  readonly message?: string;
  /** What became of it. In a plan: what will, because the message says why it is not sent; absent if it is. */
  readonly outcome?: Outcome;
};

/** What somebody changed by hand of what zone53 published. `standing` is absent if it was not read. */
type DriftOutput = Pick<ChangeOutput, 'name' | 'type' | 'setIdentifier' | 'objects'> & {
  readonly published: ContentOutput | null;
  readonly standing?: ContentOutput | null;
  readonly message: string;
};

/** A record set that zone53 did not publish and that nobody asks for. */
export type UnmanagedOutput = Pick<ChangeOutput, 'name' | 'type' | 'setIdentifier'> & {
  readonly content: ContentOutput | null;
};

/** The note of a hosted zone about a drift. */
export function noteOf({ name, type, message }: Pick<DriftOutput, 'name' | 'type' | 'message'>): string {
  return `${name} ${type} ${message}`;
}

type AlsoOutput = { readonly action: 'delete' | 'create'; readonly name: string; readonly type: string };

export type Outcome = 'published' | 'foreign' | 'drifted' | 'rejected' | 'protected' | 'held' | 'failed';

export type AppliedChangeOutput = ChangeOutput & { readonly outcome: Outcome; readonly message: string };

export type CallsOutput = { readonly sent: number; readonly throttled: number };
export const NO_CALLS: CallsOutput = { sent: 0, throttled: 0 };

/** The plan of one hosted zone; `id` is null for one that is yet to be created. */
export type HostedZoneOutput<Of extends ChangeOutput> = {
  /** As the ledger has it; the JSON has the id of Route 53. */
  readonly id: string | null;
  readonly name: string;
  /** Absent: the public one. */
  readonly view?: string;
  /** "ns/name" of the Zone that publishes there. */
  readonly zone: string;
  readonly digest: string;
  /** Whether the guard holds the deletes. `reasons` says why, and how to release them. */
  readonly held: boolean;
  /** The digest of just the held deletes, which `--acknowledge` and the annotation take; absent where none is held. */
  readonly heldDigest?: string;
  /** The same for each namespace whose deletes are held; absent where none is. */
  readonly holds?: readonly { readonly namespace: string; readonly digest: string; readonly reason: string }[];
  readonly reasons: readonly string[];
  /** Further notes; in the JSON they are the last of the reasons. */
  readonly notes?: readonly string[];
  /** What is known to be changed by hand; absent if nothing is. */
  readonly drifts?: readonly DriftOutput[];
  /** At how many names `apply` adopts something without a change in Route 53; absent if at none. */
  readonly adopts?: number;
  /** What stands there and nobody asks for; absent if that was not asked. */
  readonly unmanaged?: readonly UnmanagedOutput[];
  /** The calls of ChangeResourceRecordSets of an apply, all of them, and those that Route 53 throttled. */
  readonly calls?: CallsOutput;
  /** Whether Route 53 could not be read, to show creates or to compare. Not part of the JSON. */
  readonly isUnread?: boolean;
  /** Whether Route 53 was not to be read, so what stands at names of creates is not shown. Not part of the JSON. */
  readonly hidesWhatStands?: boolean;
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
  /** Not part of the JSON, but for its entries in `problems`. */
  readonly ledger?: UnknownLedger | null;
  /** The DNSRecords with something to do; absent if none are served. */
  readonly dnsRecords?: readonly DnsRecordOutput[];
  /** Not part of the JSON. */
  readonly remarks?: readonly RemarkOutput[];
  /** How many changes a filter hides. Not part of the JSON. */
  readonly hidden?: number;
  /** The objects, to explain what the plan leaves out. Not part of the JSON. */
  readonly resolved?: Pick<ClusterOutput, 'zones' | 'records' | 'sources'>;
};

export type ApplyOutput = ClusterOutput & {
  /** As in the output of `plan`. */
  readonly ledger?: UnknownLedger | null;
  readonly hostedZones: readonly HostedZoneOutput<AppliedChangeOutput>[];
  /** The DNSRecords that were served, with their results; absent if none are served. */
  readonly dnsRecords?: readonly DnsRecordOutput[];
};

export type { ClusterOutput, ErrorOutput, RemarkOutput };
