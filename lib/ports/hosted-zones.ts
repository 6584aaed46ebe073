// The interface to Route 53. A batch may be accepted, be refused or end without a known outcome. The callers must
// handle all three.
import type { RecordSet, RecordSetChange, RecordSetKey } from '../dns/record-set.ts';
import type { HealthChecksOfAccounts } from './health-checks.ts';

/** A hosted zone. `id` is without the `/hostedzone/` prefix; `name` and `nameServers` are canonical names. */
export type HostedZone = {
  readonly id: string;
  readonly name: string;
  readonly nameServers: readonly string[];
  /** The reference that its creator chose. That of a hosted zone created by zone53 begins with `zone53:`. */
  readonly callerReference: string;
  /** Answers only inside VPCs, and has no name servers of its own. */
  readonly isPrivate?: boolean;
  /** The VPCs in which a private hosted zone answers. Absent: they were not read. */
  readonly vpcs?: readonly Vpc[];
};

export type Vpc = { readonly id: string; readonly region: string };

/** A hosted zone that may exist but that we may not read, with the message of Route 53. */
export type UnreadableHostedZone = { readonly unreadable: string };

/** Route 53 refused to create a hosted zone: for its name, because of a quota, or because we may not. */
export class HostedZoneRefusedError extends Error {
  override readonly name = 'HostedZoneRefusedError';
}

/** We may not list the hosted zones of the account, or the record sets of a hosted zone. */
export class HostedZonesDeniedError extends Error {
  override readonly name = 'HostedZonesDeniedError';
}

/** For `catch`: the error if it says that we may not read. Throws any other. */
export function orDenied(error: unknown): HostedZonesDeniedError {
  if (error instanceof HostedZonesDeniedError) return error;
  throw error;
}

/** The outcome of a batch, which Route 53 applies as a whole or not at all. */
export type BatchOutcome =
  /** `changeId`: Route 53's id of the change. */
  | { readonly kind: 'accepted'; readonly changeId?: string }
  /**
   * InvalidChangeBatch or InvalidInput: nothing was applied. The `messages` may not name every problem. `isCut`: they
   * were too long, and Route 53 left out the rest.
   */
  | { readonly kind: 'refused'; readonly messages: readonly string[]; readonly isCut?: true }
  /**
   * Throttled, PriorRequestNotComplete, or not sent because the call budget has no room soon enough (`unsent`). Nothing
   * was applied; try again later. `isOfAccount`: a limit of the account was reached, perhaps that of record changes:
   * such a batch must not be sent again at its size. `waits`: nothing was sent because the health checks of these names
   * cannot be made yet; the others can be sent without them.
   */
  | {
      readonly kind: 'throttled';
      readonly message: string;
      readonly unsent?: true;
      readonly isOfAccount?: true;
      readonly waits?: ReadonlySet<string>;
    }
  /** NoSuchHostedZone. */
  | { readonly kind: 'gone'; readonly message: string }
  /** AccessDenied, or another final refusal of the whole call: nothing was applied. */
  | { readonly kind: 'denied'; readonly message: string }
  /** Timeout, lost connection, 5xx or an unreadable answer: the batch may have been applied. */
  | { readonly kind: 'unknown'; readonly message: string };

/**
 * Whether all name servers of Route 53 have a change. `unsaid`: it is not known now. `message`: why Route 53 did not
 * say it; null: it was not asked, because other calls come first.
 */
export type ChangeStatus =
  | { readonly kind: 'insync' | 'pending' }
  | { readonly kind: 'unsaid'; readonly message: string | null };

/** The name of the sessions in which zone53 uses a role. It tells its own calls from those of others with that role. */
export const ROLE_SESSION = 'zone53';

/** The role that writes a record set and the maximum number of changes in its batches; null for the default. */
export type Writer = { readonly role: string | null; readonly changesMax: number | null };

/** The writer of an object, which is given as "Kind ns/name"; null when the object has none of its own. */
export type Writers = (object: string) => Promise<Writer | null>;

/** A page of a hosted zone's record sets. `next`: where the next page begins; null at the end. */
export type RecordSetsPage = { readonly recordSets: readonly RecordSet[]; readonly next: RecordSetKey | null };

/**
 * While it exists, Route 53 refuses every change of the record sets of this name and type. `comment` null: whoever made
 * it left none.
 */
export type Protection = { readonly name: string; readonly type: string; readonly comment: string | null };

/**
 * The hosted zones of one account, or of several: then each call goes to the account of its hosted zone. Every call
 * counts against the budget of the account. Reads are retried, `change` never is.
 */
export type HostedZones = {
  /**
   * All public hosted zones of the stack's own account. Their `nameServers` are empty, because that would take a call
   * for each.
   * @throws HostedZonesDeniedError, and any other error if a later try may succeed
   */
  list(): Promise<readonly HostedZone[]>;
  /**
   * A public or private hosted zone; null when it does not exist. `account`: where it is, if neither the configuration
   * nor the ledger says so yet.
   */
  get(id: string, account?: string): Promise<HostedZone | UnreadableHostedZone | null>;
  /**
   * Idempotent by `callerReference`. `account`: where to create it; absent: the stack's own. @throws
   * HostedZoneRefusedError, and any other error if a later try may succeed
   */
  create(name: string, callerReference: string, account?: string): Promise<HostedZone>;
  /**
   * Sends a batch. With `waitMsMax`, a batch that would have to wait longer than so many milliseconds for the call
   * budget is not sent; the outcome is `throttled`. `role`: the ARN of the role that it must be written with, which is
   * refused unless it is that of the hosted zone's account; null or absent: any.
   */
  change(
    id: string,
    changes: readonly RecordSetChange[],
    comment: string,
    waitMsMax?: number,
    role?: string | null,
  ): Promise<BatchOutcome>;
  /**
   * The most changes that Route 53 is believed to take in one batch now. `wanted`: how many there are to send. Absent:
   * as many as a batch may have. `id`: the hosted zone.
   */
  changesAtOnce?(wanted: number, id: string): Promise<number>;
  /** All record sets at exactly this name; null when the hosted zone does not exist. @throws as `list` */
  readName(id: string, name: string): Promise<readonly RecordSet[] | null>;
  /** One page in Route 53's order, starting at `from`; null when the hosted zone does not exist. @throws as `list` */
  readPage(id: string, from: RecordSetKey | null): Promise<RecordSetsPage | null>;
  /** Absent: none can be made. */
  readonly healthChecks?: HealthChecksOfAccounts;
  /** Asks about an accepted change of the hosted zone, once, and only while the call budget has room for others. */
  changeStatus(id: string, changeId: string): Promise<ChangeStatus>;
  /**
   * The protections of a hosted zone, or of one name; null when the hosted zone does not exist. @throws
   * HostedZonesDeniedError also if whoever answers knows no protections; any other error if a later try may succeed
   */
  protections(id: string, name: string | null): Promise<readonly Protection[] | null>;
};
