// Reads a DNSRecord of Gardener from the untrusted JSON of an API server: whether zone53 serves it, and the metadata
// and status that the contract uses. spec.ts reads its spec.
import type { Kind } from '../../objects/kind.ts';
import type { ObjectRef } from '../../objects/object-ref.ts';
import { at, listAt, textAt, textMap } from '../../objects/plain.ts';

export const DNS_RECORD_KIND: Kind = {
  kind: 'DNSRecord',
  group: 'extensions.gardener.cloud',
  version: 'v1alpha1',
  resource: 'dnsrecords',
  status: 'none',
  pageSize: 250,
};

/** True for a hint that names DNSRecords. */
export function isDnsRecordHint({ kind }: { readonly kind: string }): boolean {
  return kind === DNS_RECORD_KIND.kind;
}

/** The `spec.type` of DNSRecords for Route 53. */
export const PROVIDER_TYPE = 'aws-route53';
/** The class of a DNSRecord without one. */
const DEFAULT_CLASS = 'shoot';

/** The operations on a DNSRecord, as in `status.lastOperation.type`. */
export const OPERATIONS = ['Create', 'Reconcile', 'Delete', 'Migrate', 'Restore'] as const;
export type Operation = (typeof OPERATIONS)[number];

/** Whether the record was ever published, by the condition `Created`; null: it is absent. */
type Created = 'True' | 'False' | 'Unknown' | null;

/** A DNSRecord; its `spec` is still untrusted. */
export type DnsRecord = {
  readonly ref: ObjectRef;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly generation: number;
  readonly deletionTimestamp: string | null;
  readonly finalizers: readonly string[];
  readonly annotations: Readonly<Record<string, string>>;
  readonly spec: unknown;
  readonly status: DnsRecordStatus;
};

/** The fields of its status that are read. */
type DnsRecordStatus = {
  readonly lastOperation: { readonly type: string; readonly state: string } | null;
  readonly observedGeneration: number | null;
  readonly zone: string | null;
  readonly created: Created;
  /** All conditions, unchanged: writing one writes the whole list. */
  readonly conditions: readonly unknown[];
};

/** Null for an object without name or namespace. */
export function readDnsRecord(object: unknown): DnsRecord | null {
  const metadata = at(object, 'metadata');
  const namespace = textAt(metadata, 'namespace');
  const name = textAt(metadata, 'name');
  if (namespace === null || name === null) return null;
  return {
    ref: { kind: DNS_RECORD_KIND.kind, namespace, name },
    uid: textAt(metadata, 'uid') ?? '',
    resourceVersion: textAt(metadata, 'resourceVersion') ?? '',
    generation: integerAt(metadata, 'generation') ?? 0,
    deletionTimestamp: textAt(metadata, 'deletionTimestamp'),
    finalizers: listAt(metadata, 'finalizers').filter((one): one is string => typeof one === 'string'),
    annotations: textMap(at(metadata, 'annotations')),
    spec: at(object, 'spec'),
    status: readRecordStatus(at(object, 'status')),
  };
}

function readRecordStatus(status: unknown): DnsRecordStatus {
  const type = textAt(status, 'lastOperation', 'type');
  const state = textAt(status, 'lastOperation', 'state');
  const conditions = listAt(status, 'conditions');
  return {
    lastOperation: type === null || state === null ? null : { type, state },
    observedGeneration: integerAt(status, 'observedGeneration'),
    zone: textAt(status, 'zone'),
    created: createdOf(conditions),
    conditions,
  };
}

function createdOf(conditions: readonly unknown[]): Created {
  const condition = conditions.find((one) => at(one, 'type') === 'Created');
  if (condition === undefined) return null;
  const status = at(condition, 'status');
  return status === 'True' || status === 'False' ? status : 'Unknown';
}

function integerAt(value: unknown, key: string): number | null {
  const found = at(value, key);
  return typeof found === 'number' && Number.isInteger(found) ? found : null;
}

/** True for a DNSRecord for Route 53 of one of these classes. A class that is not a string never matches. */
export function isServed(
  { spec }: Pick<DnsRecord, 'spec'>,
  settings: { readonly classes: readonly string[] },
): boolean {
  const given = at(spec, 'class') ?? '';
  const recordClass = given === '' ? DEFAULT_CLASS : given;
  return (
    at(spec, 'type') === PROVIDER_TYPE && typeof recordClass === 'string' && settings.classes.includes(recordClass)
  );
}

/** True if the shoot of a Cluster has failed. Then its DNSRecords are left alone. */
export function isShootFailed(cluster: unknown): boolean {
  return at(cluster, 'spec', 'shoot', 'status', 'lastOperation', 'state') === 'Failed';
}
