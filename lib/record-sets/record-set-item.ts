// The item of a record set: what is desired, what is published, and what is under way.
import * as z from 'zod';
import { nameOfReversedKey, reversedKey } from '../dns/names/name.ts';
import { sharedText } from '../dns/own-text.ts';
import type { RecordSet, RecordSetContent, RecordSetKey } from '../dns/record-set.ts';
import { type Codec, type Item, itemCodec } from '../ledger/item-codec.ts';
import { storedRouting } from '../ledger/stored-routing.ts';
import type { LedgerKey } from '../ports/ledger.ts';

const routing = storedRouting.exactOptional();

/** The content of a record set, as items have it. */
export const storedContents = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('values'), ttlSeconds: z.number(), values: z.array(z.string()), routing }),
  z.object({
    kind: z.literal('alias'),
    alias: z.object({ hostedZoneId: z.string(), dnsName: z.string(), evaluateTargetHealth: z.boolean() }),
    routing,
  }),
]);

const content = storedContents;
const identified = { setIdentifier: z.string().nullable(), content };
const texts = z.array(z.object({ name: z.string(), ...identified }));

const recordSetBody = z.object({
  name: z.string(),
  type: z.string(),
  setIdentifier: z.string().nullable(),
  /** What the cluster asks for; null: nothing. Reconcile writes it, with `objects` ("Record ns/name") and `zone`. */
  desired: content.nullable(),
  objects: z.array(z.string()),
  zone: z.string().transform(sharedText),
  /** The Zone that it is published for, if nothing is desired and `zone` is its heir. For the history. */
  formerZone: z.string().exactOptional(),
  /** The Zone of this record set may replace foreign record sets. Written by reconcile. */
  takeover: z.boolean(),
  /** If Route 53 has exactly what is desired, it becomes ours, whoever wrote it. Written by reconcile; absent: no. */
  takesEqual: z.literal(true).exactOptional(),
  /**
   * Since when every object that asks for it, or its Zone, is on standby; 0: from the beginning. Written by reconcile;
   * absent: one is not.
   */
  standbyMs: z.number().exactOptional(),
  /** Its values are united with those that other clusters merge. Written by reconcile; absent: they are not. */
  merges: z.literal(true).exactOptional(),
  /**
   * What the objects ask for, where several clusters have the record set together, and `desired` is what it has for all
   * of them; or where it is to be deleted, because of what another cluster has beside it. Written by publish, with
   * `desired`; absent: they ask for `desired`.
   */
  claimed: content.exactOptional(),
  /**
   * An object still asks for it for a cluster's own DNS, or at a Zone that retains what nothing asks for, but nothing
   * is desired, because no Zone allows it here any more. It is deleted, and the guard counts that like any other
   * deletion. Written by reconcile.
   */
  isAsked: z.boolean(),
  /**
   * What is desired is what the view that this one extends has published: no object asks for it. Written by publish;
   * it stays until an object asks for the record set. Absent: it is not.
   */
  inherits: z.literal(true).exactOptional(),
  /**
   * Objects that asked for it and went together with their CRD, and have not returned. Until then the guard holds what
   * would be deleted or changed without them. Written by reconcile; absent: none.
   */
  lost: z.array(z.string()).exactOptional(),
  /** What we know that we put into Route 53, and for which objects. Publish writes this and all further fields. */
  published: content.nullable(),
  publishedObjects: z.array(z.string()),
  /** A write that was begun and has no saved outcome. `before`: the content that it is meant to replace. */
  intent: z
    .object({
      content: content.nullable(),
      before: content.nullable(),
      epoch: z.number(),
      atMs: z.number(),
      /** The number of its batch in the run: with epoch and time, the key of its entry in the history. */
      batch: z.number().exactOptional(),
      /** Record sets of others that the same batch deletes, for the history; absent: none. */
      also: z.array(z.object({ name: z.string(), type: z.string(), ...identified })).exactOptional(),
    })
    .nullable(),
  /** What we had published before somebody changed or deleted it; absent once something is published again. */
  had: content.exactOptional(),
  /** The refusal (by its content) or the drift (by what stands) that the history has, and that has not ended. */
  seen: z.object({ action: z.enum(['refused', 'drift']), content: content.nullable() }).exactOptional(),
  /** Why it is not published; `content` is the desired content that was refused. */
  refusal: z
    .object({
      reason: z.enum(['ForeignRecord', 'OwnedByAnotherCluster', 'Drifted', 'Rejected', 'Protected', 'HeldByGuard']),
      message: z.string(),
      content: content.nullable(),
      atMs: z.number(),
      /** Digest of the changes that were refused together (`digestUnit`); absent: there was only this one. */
      unit: z.string().optional(),
      /** A foreign record set of the same name that Route 53 does not allow beside it. */
      beside: z
        .object({ type: z.string(), setIdentifier: z.string().nullable(), content: content.nullable() })
        .optional(),
      /** The name and type that somebody protects; present if that is the reason. */
      shield: z.object({ name: z.string(), type: z.string() }).exactOptional(),
    })
    .nullable(),
  /**
   * How Route 53 has refused it since it was last published, with any content: `times` by itself, the last time at
   * `atMs`, by itself or in a batch with others. `together`: how many names may be in its next batch; 0: its own name
   * was refused by itself, and is sent in parts.
   */
  refused: z.object({ times: z.number(), together: z.number(), atMs: z.number() }).nullable(),
  /**
   * Contents of earlier intents that had not landed when they were read back, and may still land. They are ours.
   * `owed`: a delete that the guard's numbers have not.
   */
  late: z.array(z.object({ content: content.nullable(), atMs: z.number(), owed: z.literal(true).exactOptional() })),
  /** Changes of the published content in the last minutes, for the flip breaker. */
  flips: z.array(z.object({ atMs: z.number(), by: z.array(z.string()), fight: z.boolean() })),
  /** Names of aliases to this record set: refused ones that may wait for it, and those that a view inherits. */
  awaitedBy: z.array(z.string()),
  /**
   * It came from this cluster. If that no longer asked for it, or had become standby, it may go back for ten minutes,
   * until something else is published here; `stays`: it may not. Written by the run of that cluster; absent: it was
   * made here.
   */
  takenFrom: z
    .object({ cluster: z.string(), atMs: z.number(), stays: z.literal(true).exactOptional() })
    .exactOptional(),
  /** When we deleted it, and the epoch of the lease. The guard takes the deletion back if it is published again. */
  deleted: z.object({ epoch: z.number(), atMs: z.number() }).nullable(),
  /**
   * The epoch of the lease under which publish last wrote this item; 0: it never did. A reading from before that may be
   * out of date. The sweep writes without a lease and does not change this field; its writes show in `published` and
   * `refusal`.
   */
  epoch: z.number(),
  /** TXT record sets by which external-dns owned it: they are deleted with the next write. */
  texts,
  /**
   * TXT record sets by which external-dns owned it, and which stayed because they note the owner of other record sets,
   * too. They are deleted with the last of those: the sweep tries again when it finds no other. Then they are in
   * `texts`, too, until they are deleted.
   */
  sharedTexts: texts,
  /** When `published` last changed. */
  publishedAtMs: z.number().nullable(),
  /** `published` went to Route 53 in two batches, DELETE then CREATE, as old and new values did not fit into one. */
  inTwoBatches: z.boolean(),
  /**
   * The last change of `published`, until resolvers can no longer answer what was there before (propagation.ts). Who
   * asks Route 53 about the change writes it, too. `changeId`: null if no answer had one. `keptSeconds`: for how long
   * resolvers keep what was there; `isNew`: there was nothing, and how long they keep that is not read yet.
   * `insyncMs`: since when all name servers have it; null: not known. `earlierMs`: until when resolvers may answer
   * what was there before earlier changes. `givenUp`: nobody learned it in time, and that was reported.
   */
  propagation: z
    .object({
      changeId: z.string().nullable(),
      atMs: z.number(),
      keptSeconds: z.number(),
      isNew: z.boolean(),
      insyncMs: z.number().nullable(),
      earlierMs: z.number(),
      givenUp: z.literal(true).exactOptional(),
    })
    .exactOptional(),
});

export type RecordSetItem = Item<typeof recordSetBody>;
export const recordSetCodec: Codec<RecordSetItem> = itemCodec(recordSetBody);
export type Refusal = NonNullable<RecordSetItem['refusal']>;
export type Refused = NonNullable<RecordSetItem['refused']>;

export function recordSetsPartition(hostedZoneId: string): string {
  return `recordsets#${hostedZoneId}`;
}

/** The key of a record set's item. All items of a name, and of names below it, have the prefix `reversedKey(name)`. */
export function recordSetItemKey(hostedZoneId: string, key: RecordSetKey): LedgerKey {
  return {
    partition: recordSetsPartition(hostedZoneId),
    sort: `${reversedKey(key.name)}${key.type} ${key.setIdentifier ?? ''}`,
  };
}

/** The record set of an item's sort key. Labels have no capital letters, and types begin with one. */
export function recordSetOfSortKey(sort: string): RecordSetKey {
  const [, reversed = '', type = '', setIdentifier = ''] = /^((?:[^A-Z ][^ ]* )*)([A-Z]\S*) ?(.*)$/.exec(sort) ?? [];
  return { name: nameOfReversedKey(reversed), type, setIdentifier: setIdentifier === '' ? null : setIdentifier };
}

/** What the objects of an item ask for, whatever is published for several clusters together. */
export function claimedOf({ claimed, desired }: Pick<RecordSetItem, 'claimed' | 'desired'>): RecordSetItem['desired'] {
  return claimed ?? desired;
}

/**
 * True for what is to be deleted although objects ask for it, because of what another cluster has beside it. That one
 * answers for the name.
 */
export function isWithdrawn({ claimed, desired }: Pick<RecordSetItem, 'claimed' | 'desired'>): boolean {
  return claimed !== undefined && desired === null;
}

/** One shared empty list for most items: nobody changes an item in place. */
const NONE: never[] = Object.freeze([]) as readonly never[] as never[];

/** The item of a record set of which nothing is known yet. */
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
    sharedTexts: NONE,
    publishedAtMs: null,
    inTwoBatches: false,
  };
}

/** A copy of a content for an item: contents are readonly, items are not. */
export function storedContent(of: RecordSetContent | null): RecordSetItem['desired'] {
  if (of === null) return null;
  return of.kind === 'values' ? { ...of, values: [...of.values] } : { ...of, alias: { ...of.alias } };
}

/** The TXT record sets of external-dns that are deleted with the next write of the item. */
export function textsOf({ texts }: Pick<RecordSetItem, 'texts'>): readonly RecordSet[] {
  return texts.map((text) => ({ ...text, type: 'TXT' }));
}

/** TXT record sets in the form in which an item has them. */
export function storedTexts(texts: readonly RecordSet[]): RecordSetItem['texts'] {
  return texts.flatMap(({ name, setIdentifier, content: of }) => {
    const stored = storedContent(of);
    return stored === null ? [] : [{ name, setIdentifier, content: stored }];
  });
}

/** True if both are the same TXT record set, whatever their contents. */
export function isSameText(a: RecordSetItem['texts'][number], b: RecordSetItem['texts'][number]): boolean {
  return a.name === b.name && a.setIdentifier === b.setIdentifier;
}
