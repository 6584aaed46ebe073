// What the publishing side keeps in the ledger, and under which keys: record sets, dirty marks, held marks, hosted zones.
// Every body carries a version. An item of a version that this code does not know is never guessed at and never
// overwritten: decoding it ends in a LedgerVersionError, which costs that item alone. Fields that came later have a
// default, so that an item written before them still reads.
import * as z from 'zod';
import { reversedKey } from '../dns/names/name.ts';
import type { JsonObject, LedgerItem, LedgerKey, RecordSetContent, RecordSetKey } from '../ports/cluster.ts';

const VERSION = 1;

/** An item that this version of the code cannot read: written by a newer or an older one, or damaged. */
export class LedgerVersionError extends Error {
  readonly partition: string;
  readonly sort: string;

  constructor(item: LedgerItem, detail: string) {
    super(`Cannot read ledger item "${item.partition}" / "${item.sort}": ${detail}`);
    this.name = 'LedgerVersionError';
    this.partition = item.partition;
    this.sort = item.sort;
  }
}

const content = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('values'), ttlSeconds: z.number(), values: z.array(z.string()) }),
  z.object({
    kind: z.literal('alias'),
    alias: z.object({ hostedZoneId: z.string(), dnsName: z.string(), evaluateTargetHealth: z.boolean() }),
  }),
]);

const recordSetBody = z.object({
  name: z.string(),
  type: z.string(),
  setIdentifier: z.string().nullable(),
  /** What the cluster asks for; null: nothing. With `objects` ("Record ns/name") and `zone` ("ns/name"), reconcile's. */
  desired: content.nullable(),
  objects: z.array(z.string()),
  zone: z.string(),
  /** The Zone of this record set lets it replace foreign record sets. Reconcile's too. */
  takeover: z.boolean().default(false),
  /** What we know that we put into Route 53, and for whom. From here on all is publish's. */
  published: content.nullable(),
  publishedObjects: z.array(z.string()),
  /** A write that was begun and whose end was not noted. `before` is what was meant to stand there until then. */
  intent: z
    .object({ content: content.nullable(), before: content.nullable(), epoch: z.number(), atMs: z.number() })
    .nullable(),
  /** Why it is not published; `content` is the desired content that was refused. */
  refusal: z
    .object({
      reason: z.enum(['ForeignRecord', 'Drifted', 'Rejected', 'HeldByGuard']),
      message: z.string(),
      content: content.nullable(),
      atMs: z.number(),
      /** Digest of all that was refused together (`digestUnit`); absent: it was alone. */
      unit: z.string().optional(),
    })
    .nullable(),
  /** Contents of earlier intents that had not landed when we looked and may land yet: found later, they are ours. */
  late: z.array(z.object({ content: content.nullable(), atMs: z.number() })).default([]),
  /** Changes of what is published, of the last minutes: what the flip breaker counts. */
  flips: z.array(z.object({ atMs: z.number(), by: z.array(z.string()), fight: z.boolean() })).default([]),
  /** When we deleted it, under the lease of that epoch; the item stays while the guard counts that. */
  deleted: z.object({ epoch: z.number(), atMs: z.number() }).nullable().default(null),
  /**
   * Of the lease under which publish wrote this item last: who looked before that has seen what may be no more. 0: none did. The
   * sweep, which notes what it sees without a lease, leaves it; what it writes shows in `published` and `refusal`.
   */
  epoch: z.number().default(0),
});

const dirtyBody = z.object({
  name: z.string(),
  sinceMs: z.number(),
  /** When the first event behind it happened, and under which id it is followed; absent where it was no event. */
  hintAtMs: z.number().optional(),
  correlationId: z.string().optional(),
  /** What Route 53 refused before is to be tried again. */
  retry: z.boolean().default(false),
});

const heldBody = z.object({
  name: z.string(),
  /** Digest of the held deletes of this name. */
  digest: z.string(),
  /** Acknowledged: exactly these deletes may go, also after a crash. */
  released: z.boolean(),
});

const hostedZoneBody = z.object({
  id: z.string(),
  name: z.string(),
  /** The cluster whose Zone ("ns/name") this hosted zone is the own one of. */
  cluster: z.string().default('default'),
  zone: z.string(),
  nameServers: z.array(z.string()),
  lease: z.object({ holder: z.string(), epoch: z.number(), expiresAtMs: z.number() }).nullable(),
  /** The last epoch given out; grows by one with every lease. */
  epoch: z.number(),
  /** Record sets of ours in Route 53, the SOA not counted. */
  publishedCount: z.number(),
  /** What was deleted in the last hour. */
  /** With what was published before: a share is of what there was, not of what came and went since. */
  deletions: z.array(z.object({ atMs: z.number(), count: z.number(), published: z.number().default(0) })),
  /** What the guard holds; `judged`: the acknowledgements that were weighed against exactly this. */
  held: z
    .object({
      digest: z.string(),
      reasons: z.array(z.string()),
      count: z.number(),
      judged: z.array(z.string()).default([]),
    })
    .nullable(),
  /** The digest that the Zone's annotation acknowledges; or that it did and that is used up: it releases once. One at most in either. */
  acknowledged: z.array(z.string()),
  used: z.array(z.string()).default([]),
  takeover: z.boolean(),
  gone: z.boolean(),
  /** A run ended without noting its counts: count anew before trusting them. */
  recount: z.boolean().default(false),
  /** Sort key of a dirty mark behind which the next run begins to read; null: at the beginning. */
  dirtyAfter: z.string().nullable().default(null),
});

export type RecordSetItem = z.infer<typeof recordSetBody>;
export type DirtyItem = z.infer<typeof dirtyBody>;
export type HeldItem = z.infer<typeof heldBody>;
export type HostedZoneItem = z.infer<typeof hostedZoneBody>;
export type Refusal = NonNullable<RecordSetItem['refusal']>;

/** An item with the revision that it was read or written at. */
export type Stored<T> = { readonly item: T; readonly revision: string };

export const HOSTED_ZONES_PARTITION = 'hostedzones';

export function recordSetsPartition(hostedZoneId: string): string {
  return `recordsets#${hostedZoneId}`;
}

export function dirtyPartition(hostedZoneId: string): string {
  return `dirty#${hostedZoneId}`;
}

export function heldPartition(hostedZoneId: string): string {
  return `held#${hostedZoneId}`;
}

/** The item of one record set; all of one name share the prefix `reversedKey(name)`, as do those of its descendants. */
export function recordSetItemKey(hostedZoneId: string, key: RecordSetKey): LedgerKey {
  return {
    partition: recordSetsPartition(hostedZoneId),
    sort: `${reversedKey(key.name)}${key.type} ${key.setIdentifier ?? ''}`,
  };
}

export function dirtyItemKey(hostedZoneId: string, name: string): LedgerKey {
  return { partition: dirtyPartition(hostedZoneId), sort: reversedKey(name) };
}

export function heldItemKey(hostedZoneId: string, name: string): LedgerKey {
  return { partition: heldPartition(hostedZoneId), sort: reversedKey(name) };
}

export function hostedZoneItemKey(hostedZoneId: string): LedgerKey {
  return { partition: HOSTED_ZONES_PARTITION, sort: hostedZoneId };
}

/** The body of an item by its schema. @throws LedgerVersionError when it is of another version, or malformed. */
export function decodeBody<T>(schema: z.ZodType<T>, item: LedgerItem): T {
  if (item.body.v !== VERSION) {
    throw new LedgerVersionError(item, `its version is ${JSON.stringify(item.body.v)}, this code knows ${VERSION}`);
  }
  const parsed = schema.safeParse(item.body);
  // What a later version of this code added to the body is kept, so that two versions may run at once.
  const { v: _, ...kept } = item.body;
  if (parsed.success) return { ...kept, ...parsed.data };
  const issue = parsed.error.issues[0];
  throw new LedgerVersionError(item, `${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'malformed'}`);
}

/** @throws LedgerVersionError when the item is of another version or malformed; so do the other three. */
export function decodeRecordSetItem(item: LedgerItem): RecordSetItem {
  return decodeBody(recordSetBody, item);
}

export function decodeDirtyItem(item: LedgerItem): DirtyItem {
  return decodeBody(dirtyBody, item);
}

export function decodeHeldItem(item: LedgerItem): HeldItem {
  return decodeBody(heldBody, item);
}

export function decodeHostedZoneItem(item: LedgerItem): HostedZoneItem {
  return decodeBody(hostedZoneBody, item);
}

/** The body to write: an item with the version that this code writes. An absent optional field is no field: JSON has no undefined. */
export function encodeBody(item: object): JsonObject {
  return { v: VERSION, ...item };
}

/** A record set of which nothing is known yet. */
export function newRecordSetItem(key: RecordSetKey): RecordSetItem {
  return {
    name: key.name,
    type: key.type,
    setIdentifier: key.setIdentifier,
    desired: null,
    objects: [],
    zone: '',
    takeover: false,
    published: null,
    publishedObjects: [],
    intent: null,
    refusal: null,
    late: [],
    flips: [],
    deleted: null,
    epoch: 0,
  };
}

/** A hosted zone into which nothing was published yet; `zone` is the Zone ("ns/name") whose own it is. */
export function newHostedZoneItem(hostedZone: {
  readonly id: string;
  readonly name: string;
  readonly zone: string;
  readonly nameServers: readonly string[];
  readonly cluster?: string;
}): HostedZoneItem {
  return {
    cluster: 'default',
    ...hostedZone,
    nameServers: [...hostedZone.nameServers],
    lease: null,
    epoch: 0,
    publishedCount: 0,
    deletions: [],
    held: null,
    acknowledged: [],
    used: [],
    takeover: false,
    gone: false,
    recount: false,
    dirtyAfter: null,
  };
}

/** A copy that may be stored: contents in the library are readonly, items are plain. */
export function storedContent(of: RecordSetContent | null): RecordSetItem['desired'] {
  if (of === null) return null;
  return of.kind === 'values' ? { ...of, values: [...of.values] } : { kind: 'alias', alias: { ...of.alias } };
}
