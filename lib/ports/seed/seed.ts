// The API server of a Gardener seed, as far as serving its DNSRecords needs it. Objects are returned as read,
// untrusted. If a read or write fails, it throws. An answer that an object is gone or has changed is certain.
import type { ObjectRef } from '../../objects/object-ref.ts';
import type { CrdState } from '../cluster.ts';
import type { JsonObject } from '../ledger.ts';

/** The API server forbids it. The message says which right is missing. */
export class ForbiddenError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'ForbiddenError';
  }
}

/** Which object exactly: another of the same name is never written. */
type SeedIdentity = { readonly ref: ObjectRef; readonly uid: string };

/** `null` removes an annotation. */
type MetadataPatch = {
  readonly annotations?: Readonly<Record<string, string | null>>;
  readonly finalizers?: readonly string[];
};

/** The result of a write. `gone`: the object no longer exists. `changed`: somebody wrote it since it was read. */
export type SeedWrite =
  | { readonly kind: 'written'; readonly object: unknown }
  | { readonly kind: 'gone' }
  | { readonly kind: 'changed' };

export type SeedEvent = {
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
};

export type Seed = {
  /** A DNSRecord; null: there is none of that name. */
  get(ref: ObjectRef): Promise<unknown>;
  /** All DNSRecords of a namespace, or (null) of all. */
  list(namespace: string | null): Promise<readonly unknown[]>;
  /** The CRD of DNSRecords; the answer is never older than the question. Absent: it never goes. */
  crd?(): Promise<CrdState>;
  /** Changes metadata, if the object is still as it was read. */
  patchMetadata(of: SeedIdentity & { readonly resourceVersion: string }, patch: MetadataPatch): Promise<SeedWrite>;
  /**
   * Merges into the status. `resourceVersion`: only if the object is still at that version; absent: whatever else of it
   * has changed.
   */
  patchStatus(of: SeedIdentity, status: JsonObject, resourceVersion?: string): Promise<SeedWrite>;
  /** The content of a Secret, decoded; null: there is none of that name. @throws ForbiddenError */
  readSecret(namespace: string, name: string): Promise<Readonly<Record<string, string>> | null>;
  /** The Cluster of a shoot's namespace; null: the namespace is no shoot's, or has none. */
  readShoot(namespace: string): Promise<unknown>;
  /** Writes an Event about the object. */
  recordEvent(of: SeedIdentity & { readonly resourceVersion: string }, event: SeedEvent): Promise<void>;
};
