// The item of a record set: what is wanted at its key, what stands there of ours, and what is under way. Fields that
// came later have a default, so that an item written before them still reads.
import * as z from 'zod';
import { reversedKey } from '../dns/names/name.ts';
import type { RecordSet, RecordSetContent, RecordSetKey } from '../dns/record-set.ts';
import { itemCodec } from '../ledger/item-codec.ts';
import { storedRouting } from '../ledger/stored-routing.ts';
import type { LedgerKey } from '../ports/ledger.ts';

const routing = storedRouting.exactOptional();

const content = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('values'), ttlSeconds: z.number(), values: z.array(z.string()), routing }),
  z.object({
    kind: z.literal('alias'),
    alias: z.object({ hostedZoneId: z.string(), dnsName: z.string(), evaluateTargetHealth: z.boolean() }),
    routing,
  }),
]);

const recordSetBody = z.object({
  name: z.string(),
  type: z.string(),
  setIdentifier: z.string().nullable(),
  /** What the cluster asks for; null: nothing. Reconcile adds `objects` ("Record ns/name") and `zone` ("ns/name"). */
  desired: content.nullable(),
  objects: z.array(z.string()),
  zone: z.string(),
  /** The Zone of this record set lets it replace foreign record sets. Reconcile's too. */
  takeover: z.boolean().default(false),
  /**
   * Nothing is desired, though an object still asks for it by the names of a cluster's own DNS: no Zone lets it be here
   * any more. The guard counts its deletion as any other's. Reconcile's too.
   */
  isAsked: z.boolean().default(false),
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
      /** Somebody else's record set of the same name that Route 53 does not let stand beside it. */
      beside: z
        .object({ type: z.string(), setIdentifier: z.string().nullable(), content: content.nullable() })
        .optional(),
    })
    .nullable(),
  /**
   * How Route 53 refused it since it last was published, whatever its content: `times` by itself, the last time at
   * `atMs`, by itself or in a batch with others; so many names, `together`, may be in its next batch.
   */
  refused: z.object({ times: z.number(), together: z.number(), atMs: z.number() }).nullable().default(null),
  /** Contents of earlier intents that had not landed when we looked and may land yet: found later, they are ours. */
  late: z.array(z.object({ content: content.nullable(), atMs: z.number() })).default([]),
  /** Changes of what is published, of the last minutes: what the flip breaker counts. */
  flips: z.array(z.object({ atMs: z.number(), by: z.array(z.string()), fight: z.boolean() })).default([]),
  /** Names of aliases that were refused and may have come before this, their target. */
  awaitedBy: z.array(z.string()).default([]),
  /** When we deleted it, under the lease of that epoch; the item stays while the guard counts that. */
  deleted: z.object({ epoch: z.number(), atMs: z.number() }).nullable().default(null),
  /**
   * Of the lease under which publish wrote this item last: who looked before that has seen what may be no more. 0: none
   * did. The sweep, which notes what it sees without a lease, leaves it; what it writes shows in `published` and
   * `refusal`.
   */
  epoch: z.number().default(0),
  /** TXT record sets by which external-dns owned it: they go with the next write. */
  texts: z.array(z.object({ name: z.string(), setIdentifier: z.string().nullable(), content })).default([]),
  /** When `published` last changed. */
  publishedAtMs: z.number().nullable().default(null),
});

export type RecordSetItem = z.infer<typeof recordSetBody>;
export const recordSetCodec = itemCodec(recordSetBody);
export type Refusal = NonNullable<RecordSetItem['refusal']>;
export type Refused = NonNullable<RecordSetItem['refused']>;

export function recordSetsPartition(hostedZoneId: string): string {
  return `recordsets#${hostedZoneId}`;
}

/** The item of one record set; all of one name share the prefix `reversedKey(name)`, as do those of its descendants. */
export function recordSetItemKey(hostedZoneId: string, key: RecordSetKey): LedgerKey {
  return {
    partition: recordSetsPartition(hostedZoneId),
    sort: `${reversedKey(key.name)}${key.type} ${key.setIdentifier ?? ''}`,
  };
}

/** What most items have none of, one for all: nobody changes an item in place. */
const NONE: never[] = Object.freeze([]) as readonly never[] as never[];

/** A record set of which nothing is known yet. */
export function newRecordSetItem(key: RecordSetKey): RecordSetItem {
  return {
    name: key.name,
    type: key.type,
    setIdentifier: key.setIdentifier,
    desired: null,
    objects: NONE,
    zone: '',
    takeover: false,
    isAsked: false,
    published: null,
    publishedObjects: NONE,
    intent: null,
    refusal: null,
    refused: null,
    late: NONE,
    flips: NONE,
    awaitedBy: NONE,
    deleted: null,
    epoch: 0,
    texts: NONE,
    publishedAtMs: null,
  };
}

/** A copy that may be stored: contents in the library are readonly, items are plain. */
export function storedContent(of: RecordSetContent | null): RecordSetItem['desired'] {
  if (of === null) return null;
  return of.kind === 'values' ? { ...of, values: [...of.values] } : { ...of, alias: { ...of.alias } };
}

/** The TXT record sets of external-dns that go with the next write of the item. */
export function textsOf({ texts }: Pick<RecordSetItem, 'texts'>): readonly RecordSet[] {
  return texts.map((text) => ({ ...text, type: 'TXT' }));
}

/** The same as they are stored. */
export function storedTexts(texts: readonly RecordSet[]): RecordSetItem['texts'] {
  return texts.flatMap(({ name, setIdentifier, content: of }) => {
    const stored = storedContent(of);
    return stored === null ? [] : [{ name, setIdentifier, content: stored }];
  });
}
