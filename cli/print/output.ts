// The JSON that the commands print with `-o json`: a stable contract. What `render` prints is
// `WorldOutput`; the rest is here. Everything the human output says is made from these shapes and nothing else.
import type { ChangeStanding } from '../../lib/apply/read-planned.ts';
import type { AliasTarget } from '../../lib/dns/record-set.ts';
import type { ReadRemark as RemarkOutput } from '../../lib/ports/cluster.ts';
import type { ErrorOutput, WorldOutput } from '../../lib/report/describe-cluster.ts';

/** What a record set says, or would say. `ttl` in seconds. */
export type ContentOutput =
  | ({ readonly ttl: number; readonly values: readonly string[] } & RoutingOutput)
  | ({ readonly alias: AliasTarget } & RoutingOutput);

/** Of a routed record set: its policy in the words of a Record's spec, and its health check. */
type RoutingOutput = { readonly routing?: Readonly<Record<string, unknown>>; readonly healthCheckId?: string };

export type ChangeOutput = {
  readonly action: 'create' | 'update' | 'delete' | 'adopt';
  readonly name: string;
  readonly type: string;
  readonly setIdentifier: string | null;
  readonly before: ContentOutput | null;
  readonly after: ContentOutput | null;
  /** "Record ns/name" of each object behind it. */
  readonly objects: readonly string[];
  /** A create that takes the place of whatever stands there, by `takeover`. For people; not part of the JSON. */
  readonly mayReplace?: boolean;
  /** What is deleted in the same batch: TXT records of external-dns, and what Route 53 does not let stand beside. */
  readonly also?: readonly AlsoOutput[];
  /** What stands there that is not ours, before the change. */
  readonly standing?: ChangeStanding['standing'];
  readonly message?: string;
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
  /** The guard holds the deletes; `reasons` says why, and how to let them go. */
  readonly held: boolean;
  readonly reasons: readonly string[];
  /** What is worth knowing besides: in the JSON, the last of the reasons. */
  readonly notes?: readonly string[];
  /** Route 53 could not be read where something would be created, as the notes say. Not part of the JSON. */
  readonly isUnread?: boolean;
  readonly changes: readonly Of[];
};

/**
 * What serving a DNSRecord would come to. `state`: as `lastOperation.state` would say. `account`: a SHA-256, as the
 * ledger has it.
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

/** A change, and the id of the hosted zone and the account that it is made in. */
type DnsRecordChangeOutput = ChangeOutput & { readonly hostedZone: string; readonly account: string };

export type PlanOutput = {
  readonly hostedZones: readonly HostedZoneOutput<ChangeOutput>[];
  readonly errors: readonly ErrorOutput[];
  readonly sources?: WorldOutput['sources'];
  /** Of those with which something would be done; absent where no DNSRecords are served. */
  readonly dnsRecords?: readonly DnsRecordOutput[];
  /** For people; not part of the JSON. */
  readonly remarks?: readonly RemarkOutput[];
  /** The objects, for what the plan leaves out and why; not part of the JSON. */
  readonly world?: Pick<WorldOutput, 'zones' | 'records' | 'sources'>;
};

export type ApplyOutput = WorldOutput & {
  readonly hostedZones: readonly HostedZoneOutput<AppliedChangeOutput>[];
  /** Those that were served, as they ended; absent where no DNSRecords are served. */
  readonly dnsRecords?: readonly DnsRecordOutput[];
};

export type { ErrorOutput, RemarkOutput, WorldOutput };
