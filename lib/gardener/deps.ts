// The dependencies of serving DNSRecords, and the types that its steps share.
import type { ObjectRef } from '../objects/object-ref.ts';
import type { Timer } from '../ports/clock.ts';
import type { DnsRecordSettings } from '../ports/config.ts';
import type { Ledger } from '../ports/ledger.ts';
import type { Log } from '../ports/log.ts';
import type { Queues } from '../ports/queues.ts';
import type { AccountCredentials, Accounts } from '../ports/seed/accounts.ts';
import type { Seed } from '../ports/seed/seed.ts';
import type { Agreed } from '../publish/plan/agreed.ts';
import type { PublishConfig } from '../publish/run/run.ts';
import { DNS_RECORD_KIND, type DnsRecord, type Operation } from '../sources/gardener/dns-record.ts';
import type { ErrorCode } from '../sources/gardener/error-codes.ts';
import type { DnsRecordSpec, SecretRef } from '../sources/gardener/spec.ts';
import type { DnsRecordItem } from './items/dns-record-item.ts';

export type DnsRecordDeps = {
  readonly ledger: Ledger;
  readonly seed: Seed;
  readonly accounts: Accounts;
  readonly clock: Timer;
  readonly log: Log;
  readonly queues: Pick<Queues, 'hint' | 'publish'>;
  readonly server: Server;
  /** Returns an id that no other run has. */
  readonly newHolder: () => string;
  /** What somebody agreed to destroy in a hosted zone; absent: whatever may be taken over. */
  readonly agreed?: (hostedZoneId: string) => Agreed;
  /** As publish() has it; absent: its default. What is published together has the cause of the first. */
  readonly history?: PublishConfig['history'];
};

/** The process that serves the DNSRecords of one cluster. */
export type Server = {
  readonly clusterId: string;
  readonly settings: DnsRecordSettings;
  /** An id that no other process has. It marks the objects on which this process works (turn.ts). */
  readonly holder: string;
  /** Called for every object whose work is finished. */
  readonly ended?: (ref: ObjectRef) => void;
};

/** The work on one DNSRecord: an operation of its lifecycle, or a check whether its record sets still exist. */
export type Work = {
  readonly kind: 'run' | 'check';
  readonly record: DnsRecord;
  readonly operation: Operation;
  /** The owner of its record sets in the ledger (`ownerOf`). */
  readonly owner: string;
  readonly item: DnsRecordItem;
};

/** Work with what is needed to call Route 53. `spec` is null for a deletion, which deletes what was published. */
export type Ready = {
  readonly work: Work;
  readonly spec: DnsRecordSpec | null;
  readonly secretRef: SecretRef;
  readonly credentials: AccountCredentials;
};

/** An error for `lastError`. `isUnanswered`: the account did not answer, or with an error of its own (5xx). */
export type Failure = {
  readonly message: string;
  readonly codes: readonly ErrorCode[];
  readonly isUnanswered?: true;
};

export type Outcome =
  /** `zone`: the record's hosted zone. `left`: what was not deleted as it is not ours, a sentence; null: nothing. */
  | { readonly kind: 'done'; readonly zone: string | null; readonly left: string | null }
  | ({ readonly kind: 'failed' } & Failure)
  /** Not an error: another run is working there, or the budget of calls is used up. It is tried again soon. */
  | { readonly kind: 'later' };

/** True if the account was asked too often or did not answer: nothing is wrong with the object. */
export function isForLater({ codes, isUnanswered }: Failure): boolean {
  return isUnanswered === true || codes.includes('ERR_INFRA_RATE_LIMITS_EXCEEDED');
}

const CONFIGURATION_PROBLEM = 'ERR_CONFIGURATION_PROBLEM' as const;

export function misconfigured(message: string): Extract<Outcome, { kind: 'failed' }> {
  return { kind: 'failed', message, codes: [CONFIGURATION_PROBLEM] };
}

/**
 * The owner of a DNSRecord's record sets in the ledger. It has the cluster, because clusters that share a ledger may
 * have DNSRecords of one name.
 */
export function ownerOf(clusterId: string, { ref }: Pick<DnsRecord, 'ref'>): string {
  return `${ownersOf(clusterId)}${ref.namespace}/${ref.name}`;
}

/** The DNSRecord of an owner; null: it is of another cluster. */
export function refOfOwner(clusterId: string, owner: string): ObjectRef | null {
  if (!owner.startsWith(ownersOf(clusterId))) return null;
  const [namespace = '', name = ''] = owner.slice(ownersOf(clusterId).length).split('/');
  return { kind: DNS_RECORD_KIND.kind, namespace, name };
}

function ownersOf(clusterId: string): string {
  return `${DNS_RECORD_KIND.kind} ${clusterId}/`;
}
