// What serving DNSRecords is given, and the words that its parts share.
import type { ObjectRef } from '../objects/object-ref.ts';
import type { Timer } from '../ports/clock.ts';
import type { DnsRecordSettings } from '../ports/config.ts';
import type { Ledger } from '../ports/ledger.ts';
import type { Log } from '../ports/log.ts';
import type { Queues } from '../ports/queues.ts';
import type { AccountCredentials, Accounts } from '../ports/seed/accounts.ts';
import type { Seed } from '../ports/seed/seed.ts';
import type { DnsRecord, Operation } from '../sources/gardener/dns-record.ts';
import type { ErrorCode } from '../sources/gardener/error-codes.ts';
import type { DnsRecordSpec, SecretRef } from '../sources/gardener/spec.ts';
import type { DnsRecordItem } from './dns-record-item.ts';

export type DnsRecordDeps = {
  readonly ledger: Ledger;
  readonly seed: Seed;
  readonly accounts: Accounts;
  readonly clock: Timer;
  readonly log: Log;
  readonly queues: Pick<Queues, 'hint'>;
  readonly server: Server;
  /** An id that no other run has. */
  readonly newHolder: () => string;
};

/** The process that serves the DNSRecords of one cluster. */
export type Server = {
  readonly clusterId: string;
  readonly settings: DnsRecordSettings;
  /** An id that no other process has: whose turn it is with an object. */
  readonly holder: string;
  /** Told of every object that is through. */
  readonly ended?: (ref: ObjectRef) => void;
};

/** What is done with one DNSRecord: an operation of its life, or (`check`) a look at whether it still stands. */
export type Work = {
  readonly kind: 'run' | 'check';
  readonly record: DnsRecord;
  readonly operation: Operation;
  /** As whose the record sets are noted. */
  readonly owner: string;
  readonly item: DnsRecordItem;
};

/** Work with all that it takes to call Route 53. `spec` is null for a deletion, which goes by what was published. */
export type Ready = {
  readonly work: Work;
  readonly spec: DnsRecordSpec | null;
  readonly secretRef: SecretRef;
  readonly credentials: AccountCredentials;
};

/** What went wrong, for `lastError`. */
export type Failure = { readonly message: string; readonly codes: readonly ErrorCode[] };

export type Outcome =
  /** `zone`: where it stands. `left`: what was not ours to delete, in words. */
  | { readonly kind: 'done'; readonly zone: string | null; readonly left: string | null }
  | ({ readonly kind: 'failed' } & Failure)
  /** Nobody is to blame: another run is at it, or the budget is used up. */
  | { readonly kind: 'later' };

const CONFIGURATION_PROBLEM = 'ERR_CONFIGURATION_PROBLEM' as const;

export function misconfigured(message: string): Extract<Outcome, { kind: 'failed' }> {
  return { kind: 'failed', message, codes: [CONFIGURATION_PROBLEM] };
}

/** As whose the record sets of a DNSRecord are noted: clusters that share a ledger may have two of one name. */
export function ownerOf(clusterId: string, { ref }: Pick<DnsRecord, 'ref'>): string {
  return `DNSRecord ${clusterId}/${ref.namespace}/${ref.name}`;
}
