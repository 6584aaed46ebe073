// The API server of a simulated seed: DNSRecords with resource versions, generations, finalizers and merge patches of
// their status, and Secrets. It keeps every past state of a DNSRecord for the checks.
import type { ObjectRef } from '../../../lib/objects/object-ref.ts';
import type { JsonObject } from '../../../lib/ports/ledger.ts';
import type { Seed, SeedWrite } from '../../../lib/ports/seed/seed.ts';
import { type DnsRecord, readDnsRecord } from '../../../lib/sources/gardener/dns-record.ts';

type Metadata = {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly generation: number;
  readonly deletionTimestamp?: string;
  readonly finalizers?: readonly string[];
  readonly annotations?: Readonly<Record<string, string>>;
};
type Stored = {
  readonly metadata: Metadata;
  readonly spec: JsonObject;
  readonly status?: Readonly<Record<string, unknown>>;
};

export type ApiServer = {
  readonly seed: Pick<Seed, 'get' | 'list' | 'patchMetadata' | 'patchStatus'>;
  readonly secrets: Map<string, Readonly<Record<string, string>>>;
  /** All past states of each object, by uid. */
  readonly history: Map<string, DnsRecord[]>;
  read(name: string): DnsRecord | null;
  all(): readonly DnsRecord[];
  /** Its status has a last error, which the product writes and never reads. */
  hasLastError(name: string): boolean;
  create(namespace: string, name: string, spec: JsonObject, annotations: Readonly<Record<string, string>>): void;
  /** As a client writes: a merge patch of spec and annotations. */
  edit(name: string, spec: JsonObject | null, annotations: Readonly<Record<string, string | null>>): void;
  remove(name: string): void;
  /** Somebody takes all finalizers away. */
  force(name: string): void;
};

type Patch = { readonly [key: string]: unknown };

/** Without what is null. */
function merged<T>(before: Readonly<Record<string, T>>, patch: Patch): Record<string, T> {
  const entries = Object.entries({ ...before, ...patch }).filter(([, value]) => value !== null);
  return Object.fromEntries(entries) as Record<string, T>;
}

export function simulatedApiServer(nowMs: () => number): ApiServer {
  const objects = new Map<string, Stored>();
  const history = new Map<string, DnsRecord[]>();
  let version = 0;
  const put = (object: Stored): Stored => {
    version += 1;
    const stored = { ...object, metadata: { ...object.metadata, resourceVersion: String(version) } };
    const { name, uid, deletionTimestamp, finalizers = [] } = stored.metadata;
    if (deletionTimestamp !== undefined && finalizers.length === 0) objects.delete(name);
    else objects.set(name, stored);
    const record = readDnsRecord(stored);
    if (record !== null) history.set(uid, [...(history.get(uid) ?? []), record]);
    return stored;
  };
  const write = (ref: ObjectRef, uid: string, change: (object: Stored) => Stored | null): SeedWrite => {
    const object = objects.get(ref.name);
    if (object === undefined) return { kind: 'gone' };
    const next = object.metadata.uid === uid ? change(object) : null;
    return next === null ? { kind: 'changed' } : { kind: 'written', object: put(next) };
  };
  const change = (name: string, how: (object: Stored) => Stored) => {
    const object = objects.get(name);
    if (object !== undefined) put(how(object));
  };
  return {
    secrets: new Map(),
    history,
    read: (name) => readDnsRecord(objects.get(name) ?? null),
    all: () => [...objects.values()].flatMap((one) => readDnsRecord(one) ?? []),
    hasLastError: (name) => Object.keys(objects.get(name)?.status?.lastError ?? {}).length > 0,
    create: (namespace, name, spec, annotations) => {
      const metadata = {
        namespace,
        name,
        uid: `uid-${name}-${version}`,
        resourceVersion: '',
        generation: 1,
        annotations,
      };
      put({ metadata, spec });
    },
    edit: (name, spec, annotations) =>
      change(name, ({ metadata, ...object }) => ({
        ...object,
        metadata: {
          ...metadata,
          generation: metadata.generation + (spec === null ? 0 : 1),
          annotations: merged(metadata.annotations ?? {}, annotations),
        },
        spec: spec === null ? object.spec : (merged(object.spec, spec) as JsonObject),
      })),
    remove: (name) =>
      change(name, (object) => ({
        ...object,
        metadata: {
          ...object.metadata,
          generation: object.metadata.generation + 1,
          deletionTimestamp: new Date(nowMs()).toISOString(),
        },
      })),
    force: (name) => change(name, (object) => ({ ...object, metadata: { ...object.metadata, finalizers: [] } })),
    seed: {
      get: async ({ name }) => objects.get(name) ?? null,
      list: async () => [...objects.values()],
      patchMetadata: async ({ ref, uid, resourceVersion }, { annotations = {}, finalizers }) =>
        write(ref, uid, (object) => {
          if (object.metadata.resourceVersion !== resourceVersion) return null;
          const kept = merged(object.metadata.annotations ?? {}, annotations);
          const metadata = { ...object.metadata, annotations: kept, ...(finalizers && { finalizers }) };
          return { ...object, metadata };
        }),
      patchStatus: async ({ ref, uid }, status, resourceVersion) =>
        write(ref, uid, (object) => {
          if (resourceVersion !== undefined && object.metadata.resourceVersion !== resourceVersion) return null;
          return { ...object, status: merged(object.status ?? {}, status) };
        }),
    },
  };
}
