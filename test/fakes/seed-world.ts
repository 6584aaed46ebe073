// A seed of Gardener in memory: DNSRecords as an API server keeps them, Secrets, accounts with hosted zones of their
// own, and the service that publishes the DNSRecords. Every call of a port can be made to fail.
import { memoryLedger } from '../../lib/adapters/ledger/memory-ledger.ts';
import type { DnsRecordDeps } from '../../lib/gardener/deps.ts';
import { serveDnsRecords } from '../../lib/gardener/serve.ts';
import { gatherInTurns } from '../../lib/gardener/turns.ts';
import type { ObjectRef } from '../../lib/objects/object-ref.ts';
import { DEFAULT_DNS_RECORDS, type DnsRecordSettings } from '../../lib/ports/config.ts';
import type { JsonObject } from '../../lib/ports/ledger.ts';
import type { AccountCredentials, AccountError, Accounts } from '../../lib/ports/seed/accounts.ts';
import type { Seed, SeedEvent, SeedWrite } from '../../lib/ports/seed/seed.ts';
import { type MemoryHostedZones, memoryHostedZones } from './memory-hosted-zones.ts';

export const NAMESPACE = 'shoot--foo--bar';
export const NOW_MS = Date.parse('2026-11-23T12:00:00Z');
export const SECRET_KEY = 'very/secret+access=key0123456789abcdefgh';

type Metadata = {
  namespace: string;
  name: string;
  uid: string;
  resourceVersion: string;
  generation: number;
  deletionTimestamp?: string;
  finalizers?: readonly string[];
  annotations?: Record<string, string>;
};
type StoredRecord = { metadata: Metadata; spec: Record<string, unknown>; status?: Record<string, unknown> };

export type SeedWorld = {
  readonly deps: DnsRecordDeps;
  readonly ledger: ReturnType<typeof memoryLedger>;
  readonly account: MemoryHostedZones;
  readonly clock: { ms: number };
  readonly events: SeedEvent[];
  /** Hints that came, with their pauses in seconds. */
  readonly hints: { readonly ref: ObjectRef; readonly seconds: number }[];
  /** Hosted zones that were queued for publishing. */
  readonly woken: string[];
  readonly logged: string[];
  readonly secrets: Map<string, Record<string, string>>;
  /** Every state of the object so far. */
  readonly history: StoredRecord[];
  create(name: string, spec: object, annotations?: Record<string, string>): ObjectRef;
  read(ref: ObjectRef): StoredRecord | null;
  /** Spec and annotations, as a client writes them. */
  edit(ref: ObjectRef, spec: object | null, annotations?: Record<string, string>): void;
  /** Asks for a deletion. */
  remove(ref: ObjectRef): void;
  serve(refs: readonly ObjectRef[], deps?: DnsRecordDeps, options?: { readonly checks?: boolean }): Promise<void>;
};

export type SeedWorldOptions = {
  readonly settings?: Partial<DnsRecordSettings>;
  readonly hostedZones?: readonly { readonly id: string; readonly name: string }[];
  readonly account?: Parameters<typeof memoryHostedZones>[1];
  /** The ledger and the account of another world, which the two seeds then share. */
  readonly over?: Pick<SeedWorld, 'ledger' | 'account'>;
  readonly clusterId?: string;
};

const ZONES = [{ id: 'Z1', name: 'example.org.' }];

export function seedWorld(options: SeedWorldOptions = {}): SeedWorld {
  const clock = { ms: NOW_MS };
  const ledger = options.over?.ledger ?? memoryLedger();
  const zones = (options.hostedZones ?? ZONES).map((zone) => ({ nameServers: [], callerReference: zone.id, ...zone }));
  const account = options.over?.account ?? memoryHostedZones(zones, options.account);
  const objects = new Map<string, StoredRecord>();
  const secrets = new Map([
    [`${NAMESPACE}/creds`, { accessKeyID: 'AKIAGOODGOODGOODGOOD', secretAccessKey: SECRET_KEY }],
  ]);
  const events: SeedEvent[] = [];
  const hints: { ref: ObjectRef; seconds: number }[] = [];
  const woken: string[] = [];
  const logged: string[] = [];
  const history: StoredRecord[] = [];
  let version = 0;
  const keyOf = (ref: Pick<ObjectRef, 'namespace' | 'name'>) => `${ref.namespace}/${ref.name}`;
  const put = (object: StoredRecord): StoredRecord | null => {
    version += 1;
    const stored = structuredClone(object);
    stored.metadata.resourceVersion = String(version);
    const isOver = stored.metadata.deletionTimestamp !== undefined && (stored.metadata.finalizers ?? []).length === 0;
    history.push(structuredClone(stored));
    if (isOver) objects.delete(keyOf(stored.metadata));
    else objects.set(keyOf(stored.metadata), stored);
    return stored;
  };
  const annotated = (before: Record<string, string> = {}, patch: Readonly<Record<string, string | null>> = {}) =>
    Object.fromEntries(
      Object.entries({ ...before, ...patch }).filter((entry): entry is [string, string] => entry[1] !== null),
    );
  const write = (ref: ObjectRef, uid: string, change: (object: StoredRecord) => StoredRecord | null): SeedWrite => {
    const object = objects.get(keyOf(ref));
    if (object === undefined) return { kind: 'gone' };
    const next = object.metadata.uid === uid ? change(structuredClone(object)) : null;
    if (next === null) return { kind: 'changed' };
    return { kind: 'written', object: structuredClone(put(next)) };
  };
  const seed: Seed = {
    get: async (ref) => structuredClone(objects.get(keyOf(ref)) ?? null),
    list: async () => [...objects.values()].map((one) => structuredClone(one)),
    patchMetadata: async ({ ref, uid, resourceVersion }, patch) =>
      write(ref, uid, (object) => {
        if (object.metadata.resourceVersion !== resourceVersion) return null;
        const annotations = annotated(object.metadata.annotations, patch.annotations);
        const finalizers = patch.finalizers ?? object.metadata.finalizers ?? [];
        return { ...object, metadata: { ...object.metadata, annotations, finalizers } };
      }),
    patchStatus: async ({ ref, uid }, status, resourceVersion) =>
      write(ref, uid, (object) => {
        if (resourceVersion !== undefined && object.metadata.resourceVersion !== resourceVersion) return null;
        return { ...object, status: merged(object.status ?? {}, status) };
      }),
    readSecret: async (namespace, name) => secrets.get(`${namespace}/${name}`) ?? null,
    readShoot: async () => null,
    recordEvent: async (_, event) => void events.push(event),
  };
  const accounts: Accounts = { open: (credentials) => ({ id: `sha-${idOf(credentials)}`, hostedZones: account.port }) };
  const settings = { ...DEFAULT_DNS_RECORDS, ...options.settings };
  const deps: DnsRecordDeps = {
    ledger,
    seed,
    accounts,
    clock: { nowMs: () => clock.ms, sleep: async () => {} },
    log: (level, message, fields = {}) => {
      // The functions' logger uses that key for the message itself, and would drop the field.
      if ('message' in fields) throw new Error(`"${message}" has a field named message`);
      logged.push(`${level} ${message} ${JSON.stringify(fields)}`);
    },
    queues: {
      hint: async (sent, seconds = 0) => {
        for (const { kind, namespace, name } of sent)
          hints.push({ ref: { kind, namespace: namespace ?? '', name: name ?? '' }, seconds });
      },
      publish: async (id) => void woken.push(id),
    },
    server: { clusterId: options.clusterId ?? 'seed', settings, holder: 'process' },
    newHolder: () => 'holder',
  };
  return {
    ...{ deps, ledger, account, clock, events, hints, woken, logged, secrets, history },
    create: (name, spec, annotations = {}) => {
      const metadata = {
        namespace: NAMESPACE,
        name,
        uid: `uid-${name}-${version}`,
        resourceVersion: '',
        generation: 1,
      };
      const secretRef = { name: 'creds' };
      put({ metadata: { ...metadata, annotations }, spec: { type: 'aws-route53', secretRef, ...spec } });
      return { kind: 'DNSRecord', namespace: NAMESPACE, name };
    },
    read: (ref) => structuredClone(objects.get(keyOf(ref)) ?? null),
    edit: (ref, spec, annotations = {}) => {
      const object = objects.get(keyOf(ref)) as StoredRecord;
      const { metadata } = object;
      const generation = metadata.generation + (spec === null ? 0 : 1);
      put({
        ...object,
        metadata: { ...metadata, generation, annotations: annotated(metadata.annotations, annotations) },
        spec: { ...object.spec, ...spec },
      });
    },
    remove: (ref) => {
      const object = objects.get(keyOf(ref)) as StoredRecord;
      put({ ...object, metadata: { ...object.metadata, deletionTimestamp: new Date(clock.ms).toISOString() } });
    },
    serve: (refs, given = deps, how = {}) => serveDnsRecords(given, gatherInTurns(), refs, how),
  };
}

function idOf(credentials: AccountCredentials): string {
  return credentials.kind === 'key' ? credentials.accessKeyId.length.toString() : credentials.roleArn;
}

function merged(before: Record<string, unknown>, patch: JsonObject): Record<string, unknown> {
  const next = Object.entries({ ...before, ...patch }).filter(([, value]) => value !== null);
  return Object.fromEntries(next);
}

/**
 * The same ports in a process that dies: the `k`-th call fails, before or after its effect, and every later one too.
 */
export function dyingAt(deps: DnsRecordDeps, k: number, after: boolean): { deps: DnsRecordDeps; calls(): number } {
  let calls = 0;
  const around = async <T>(call: () => Promise<T>): Promise<T> => {
    calls += 1;
    if (calls > k || (calls === k && !after)) throw new Error('crash');
    const answer = await call();
    if (calls >= k) throw new Error('crash');
    return answer;
  };
  const wrap = <T extends object>(target: T): T =>
    new Proxy(target, {
      get: (of, method) => {
        const member = Reflect.get(of, method) as unknown;
        if (typeof member !== 'function') return member;
        return (...args: unknown[]) => around(() => member.apply(of, args) as Promise<never>);
      },
    });
  const accounts: Accounts = {
    open: (credentials) => {
      const account = deps.accounts.open(credentials);
      return { ...account, hostedZones: wrap(account.hostedZones) };
    },
  };
  const dying = { ...deps, ledger: wrap(deps.ledger), seed: wrap(deps.seed), queues: wrap(deps.queues), accounts };
  return { deps: dying, calls: () => calls };
}

/** An account that fails in this way. */
export function failingAccount(error: AccountError): Accounts {
  const fail = async () => {
    throw error;
  };
  const changes = { create: fail, change: fail, changeStatus: fail };
  const reads = { list: fail, get: fail, readName: fail, readPage: fail, protections: fail };
  const hostedZones = { ...changes, ...reads };
  return { open: () => ({ id: 'failing', hostedZones }) };
}

/** The spec of a DNSRecord of type A. */
export const A = { name: 'api.example.org', recordType: 'A', values: ['192.0.2.1'] };

/** The annotation that asks for an operation. */
export const RECONCILE = { 'gardener.cloud/operation': 'reconcile' };

/** The state of the last operation, and the codes of the last error. */
export function lastOf(world: SeedWorld, ref: ObjectRef) {
  const status = (world.read(ref)?.status ?? {}) as Record<string, Record<string, unknown>>;
  return [status.lastOperation?.state, ...((status.lastError?.codes ?? []) as string[])].join(' ');
}
