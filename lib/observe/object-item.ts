// The ledger's memory of the cluster: what was observed of each object, where its Record lies by name, and which Zone
// lives at which name. Here is the item of an object; the others are beside it (status-item.ts, name-index.ts) and in
// lib/directory/directory-item.ts.
//
//   partition                      | sort                                  | holds
//   -------------------------------|---------------------------------------|------------------------------------------
//   objects#<cluster>#<Kind>       | <namespace>/<name>                    | ObjectItem: one a Zone or Record
//   statuses#<cluster>#<Kind>      | <namespace>/<name>                    | StatusItem: what was last reported of it
//   names#<cluster>                | <reversed fqdn>!<namespace>/<name>    | RecordItem of a fully qualified Record
//   members#<cluster>#<Zone key>   | <reversed labels>!<namespace>/<name>  | RecordItem of a Record with a zoneRef
//   directory#<cluster>            | <reversed fqdn>                       | DirectoryItem: the live Zone at that name
//
// The ObjectItem is the authority: one item, written by compare-and-swap. A RecordItem is an index to it with a copy for
// reports, and whoever settles a name looks behind it.

import * as z from 'zod';
import { digestOf } from '../ledger/canonical-json.ts';
import { anyJson, anyText, type Codec, itemCodec } from '../ledger/item-codec.ts';
import { sameKey } from '../ledger/pages.ts';
import { ACKNOWLEDGE_ANNOTATION, TAKEOVER_ANNOTATION } from '../objects/annotations.ts';
import type { RecordSpec } from '../objects/endpoint.ts';
import { type Age, type Declared, keyOf, type ObjectKind, type ObjectRef } from '../objects/object-ref.ts';
import type { ClusterObject } from '../ports/cluster.ts';
import type { JsonValue, LedgerKey } from '../ports/ledger.ts';
import { parseRecordOnce } from '../sources/kubizone/parse-record.ts';
import { parseZoneOnce, type ZoneSpec } from '../zones/parse-zone.ts';

/** An object as last observed. `spec` is the untyped spec in force, null when there never was a valid one. */
export type ObjectItem = {
  readonly ref: ObjectRef;
  readonly uid: string | null;
  readonly version: string;
  readonly generation: number | null;
  readonly age: Age;
  /** The file it was read from; null for an API server's objects. */
  readonly file: string | null;
  readonly spec: JsonValue;
  readonly problems: readonly string[];
  readonly takeover: boolean;
  readonly acknowledged: string | null;
  /** Changes exactly when something that has consequences changed. */
  readonly digest: string;
  /** True until the consequences of the last observation are written. */
  readonly unsettled: boolean;
  /** Positively gone; the item stays until the consequences are written. */
  readonly deleted: boolean;
  /** A Record's RecordItem, and those of former specs that are still to be taken away. */
  readonly location: LedgerKey | null;
  readonly leaving: readonly LedgerKey[];
  /**
   * The names of those places when a hint had it noted, and while that is not settled the names of before: wherever the run behind a
   * hint may have written for it, also when its Zone has left them since. An apply adds none, and an earlier version leaves it out.
   */
  readonly names?: readonly string[];
};

export const storedRef = z.object({ kind: anyText<ObjectKind>(), namespace: z.string(), name: z.string() });

export const storedAge = z.object({
  creationTimestamp: z.string().nullable(),
  uid: z.string().nullable(),
  order: z.string(),
});

const storedKey = z.object({ partition: z.string(), sort: z.string() });

export const objectCodec: Codec<ObjectItem> = itemCodec(
  z.object({
    ref: storedRef,
    uid: z.string().nullable(),
    version: z.string(),
    generation: z.number().nullable(),
    age: storedAge,
    file: z.string().nullable(),
    spec: anyJson,
    problems: z.array(z.string()),
    takeover: z.boolean(),
    acknowledged: z.string().nullable(),
    digest: z.string(),
    unsettled: z.boolean(),
    deleted: z.boolean(),
    location: storedKey.nullable(),
    leaving: z.array(storedKey),
    names: z.array(z.string()).exactOptional(),
  }),
);

export function objectsPartition(cluster: string, kind: ObjectKind): string {
  return `objects#${cluster}#${kind}`;
}

export function objectKey(cluster: string, ref: ObjectRef): LedgerKey {
  return { partition: objectsPartition(cluster, ref.kind), sort: keyOf(ref) };
}

/** What was observed, as an item that is not settled yet; `before` is the item that it replaces. */
export function observedItem(
  object: ClusterObject,
  inForce: {
    readonly rawSpec: unknown;
    readonly problems: readonly string[];
    /** Where a Record lies by the spec in force. */
    readonly location: LedgerKey | null;
  },
  before: ObjectItem | null,
): ObjectItem {
  const { ref, uid, version, generation, creationTimestamp, order, origin, annotations } = object;
  const age = { creationTimestamp, uid, order };
  const spec = (inForce.rawSpec ?? null) as JsonValue;
  const takeover = annotations[TAKEOVER_ANNOTATION] === 'true';
  const acknowledged = annotations[ACKNOWLEDGE_ANNOTATION] ?? null;
  const { problems, location } = inForce;
  const digest = digestOf([age, spec, problems, takeover, acknowledged, generation] as unknown as JsonValue);
  const file = origin?.file ?? null;
  const leaving = [...(before?.leaving ?? []), ...(before?.location ? [before.location] : [])].filter(
    (key) => !sameKey(key, location),
  );
  const observed = { ref, uid, version, generation, age, file, spec, problems, takeover, acknowledged, digest };
  return { ...observed, unsettled: true, deleted: false, location, leaving, names: before?.names ?? [] };
}

/** The item of an object whose file does not parse now: it says so, and what it last said stays in force. */
export function unreadableItem(before: ObjectItem, message: string): ObjectItem {
  const problems = [message];
  if (before.problems.includes(message)) return before;
  return { ...before, problems, digest: digestOf([before.digest, problems]), unsettled: true };
}

/** The item of an object that is gone, until the consequences of that are written. */
export function deletedItem(before: ObjectItem): ObjectItem {
  const leaving = [...before.leaving, ...(before.location === null ? [] : [before.location])];
  return { ...before, unsettled: true, deleted: true, location: null, leaving };
}

/** True when `seen` may not overwrite what the ledger knows: an older reading of the API server. */
export function isOlder(seen: string, known: string): boolean {
  if (!/^\d+$/.test(seen) || !/^\d+$/.test(known)) return false;
  return BigInt(seen) < BigInt(known);
}

/** The Zone or Record that an object item declares. */
export function declaredZone(item: ObjectItem): Declared<ZoneSpec> {
  const parsed = item.spec === null ? null : parseZoneOnce(item.spec, item.ref.namespace);
  return { ref: item.ref, age: item.age, spec: parsed?.ok ? parsed.spec : null, problems: item.problems };
}

export function declaredRecord(item: ObjectItem): Declared<RecordSpec> {
  const parsed = item.spec === null ? null : parseRecordOnce(item.spec, item.ref.namespace);
  return { ref: item.ref, age: item.age, spec: parsed?.ok ? parsed.spec : null, problems: item.problems };
}
