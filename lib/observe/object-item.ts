// What the ledger keeps of the cluster: each object as observed, an index of endpoints by name, and which Zone is live
// at which name. This file has the item of an object. The others are in status-item.ts, name-index.ts and
// lib/directory/directory-item.ts.
//
//   partition                      | sort                                  | holds
//   -------------------------------|---------------------------------------|------------------------------------------
//   objects#<cluster>#<Kind>       | <namespace>/<name>                    | ObjectItem: one an object
//   statuses#<cluster>#<Kind>      | <namespace>/<name>                    | StatusItem: what was last reported of it
//   names#<cluster>                | <reversed fqdn>!<Kind ns/name>        | NamedItem: endpoints with that full name
//   members#<cluster>#<Zone key>   | <reversed labels>!<Kind ns/name>      | NamedItem: those relative to that Zone
//   targets#<cluster>              | <reversed fqdn>!<Kind ns/name>        | NamedItem: aliases with that target
//   directory#<cluster>            | <reversed fqdn>                       | DirectoryItem: the live Zone at that name
//
// The ObjectItem is the authority: one item, written by compare-and-swap. A NamedItem is an index to it, with a copy
// for reports. A run that updates a name reads the ObjectItem.

import * as z from 'zod';
import { sharedText } from '../dns/own-text.ts';
import { digestOf } from '../ledger/canonical-json.ts';
import { anyJson, type Codec, type Item, itemCodec } from '../ledger/item-codec.ts';
import { storedClaim } from '../ledger/stored-claim.ts';
import { ACKNOWLEDGE_ANNOTATION, asksForTakeover, deletionPolicyOf } from '../objects/annotations.ts';
import { type Declared, isZone, keyOf, type ObjectKind, type ObjectRef } from '../objects/object-ref.ts';
import { showsParent } from '../objects/parent-label.ts';
import type { ClusterObject, ListedObject } from '../ports/cluster.ts';
import type { LedgerKey } from '../ports/ledger.ts';
import type { DeclaredObject } from '../zones/adopt-endpoint.ts';
import { parseZoneOnce, withClaim, type ZoneSpec } from '../zones/parse-zone.ts';
import type { InForce, LeftOut } from './in-force/last-valid-spec.ts';
import { placesLeft, placesOf } from './name-index.ts';
import { storedQuery, storedRef } from './related/related-items.ts';
import { storedAge, storedEndpoint, storedKey } from './stored-object.ts';

const objectBody = z.object({
  ref: storedRef,
  uid: z.string().nullable(),
  version: z.string(),
  generation: z.number().nullable(),
  age: storedAge,
  /** The file it was read from; null for an API server's objects. */
  file: z.string().transform(sharedText).nullable(),
  // What is in force of it: the fields of InForce.
  spec: anyJson,
  endpoints: z.array(storedEndpoint).nullable(),
  problems: z.array(z.string()),
  remarks: z.array(z.string()).exactOptional(),
  leftOut: z
    .array(z.object({ message: z.string(), names: z.array(z.string()), type: z.string().exactOptional() }))
    .exactOptional(),
  waiting: z.array(z.object({ fqdn: z.string(), why: z.string() })).exactOptional(),
  notes: z.array(z.string()).exactOptional(),
  related: z.array(storedQuery).exactOptional(),
  sinceMs: z.number().exactOptional(),
  former: z.object({ spec: anyJson, sinceMs: z.number() }).exactOptional(),
  claim: storedClaim.exactOptional(),
  takeover: z.boolean(),
  /** A Zone whose record sets stay in Route 53 when nothing asks for them any more; absent: they are deleted. */
  retains: z.literal(true).exactOptional(),
  acknowledged: z.string().nullable(),
  /** Changes exactly when something that has consequences changed. */
  digest: z.string(),
  /** True until the consequences of the last observation are written. */
  unsettled: z.boolean(),
  /** The object is proven gone. Afterwards, if it had names, a tombstone stays for an hour (former-names.ts). */
  deleted: z.boolean(),
  /** The places of NamedItems of former specs that must still be removed. */
  leaving: z.array(storedKey),
  /**
   * All names at which a run may have written for the object: the names of its places when it was saved, and until it
   * is settled those of before. They stay even if its Zone has left them since. An apply adds none.
   */
  names: z.array(z.string()).exactOptional(),
  /** This version of the object had neither a status nor a label of ours. Absent: not known. */
  bare: z.literal(true).exactOptional(),
  /** Names that the object left within the last hour, the latest first, and when; absent: none. */
  left: z.array(z.object({ name: z.string(), atMs: z.number() })).exactOptional(),
});

/** An object as last observed, with what is in force of it. */
export type ObjectItem = Item<typeof objectBody>;
export const objectCodec: Codec<ObjectItem> = itemCodec(objectBody);

export function objectsPartition(cluster: string, kind: ObjectKind): string {
  return `objects#${cluster}#${kind}`;
}

export function objectKey(cluster: string, ref: ObjectRef): LedgerKey {
  return { partition: objectsPartition(cluster, ref.kind), sort: keyOf(ref) };
}

/** How many problems of an object are kept, and how many characters of each: a condition shows no more. */
const PROBLEMS_MAX = 100;
const PROBLEM_CHARACTERS_MAX = 1_000;

/** The most characters of an acknowledgement: the digests of some sixty namespaces. */
const ACKNOWLEDGED_CHARACTERS_MAX = 4_096;

/** One shared empty list: most objects need several. */
const NONE: readonly never[] = Object.freeze([]);

/** The problems that are kept: in a large spec every field may be a problem. */
function keptProblems(problems: readonly string[]): readonly string[] {
  if (problems.length === 0) return NONE;
  const kept = problems
    .slice(0, PROBLEMS_MAX)
    .map((problem) => problem.slice(0, PROBLEM_CHARACTERS_MAX).toWellFormed());
  return kept.length === problems.length ? kept : [...kept, `and ${problems.length - kept.length} problems more`];
}

/** How many left out names are kept, as many as one object may ask for, and how many characters of each reason. */
const LEFT_OUT_MAX = 500;
const REASON_CHARACTERS_MAX = 300;

function keptLeftOut(all: readonly LeftOut[]): readonly LeftOut[] {
  let room = LEFT_OUT_MAX;
  return all.slice(0, PROBLEMS_MAX).flatMap(({ message, names, ...rest }) => {
    const kept = names.slice(0, room);
    room -= kept.length;
    const shown = message.slice(0, REASON_CHARACTERS_MAX).toWellFormed();
    return kept.length === 0 ? [] : [{ message: shown, names: kept, ...rest }];
  });
}

/** The unsettled item of an object as observed. `before` is the item that it replaces. */
export function observedItem(
  cluster: string,
  object: ClusterObject,
  inForce: InForce,
  before: ObjectItem | null,
): ObjectItem {
  const { ref, uid, version, generation, creationTimestamp, order, origin, annotations } = object;
  const { spec, endpoints, related = [], sinceMs, former, claim } = inForce;
  const problems = keptProblems(inForce.problems);
  const remarks = keptProblems(inForce.remarks ?? []);
  const age = { creationTimestamp, uid, order };
  const takeover = asksForTakeover(object);
  const policy = isZone(ref) ? deletionPolicyOf(object) : 'delete';
  // With a wrong policy the last valid form of the Zone stays in force.
  const retains = (policy === null ? before?.retains === true : policy === 'retain') ? { retains: true as const } : {};
  // Who copies a digest from the message of the guard may copy the dot behind it too.
  const digests = annotations[ACKNOWLEDGE_ANNOTATION]?.trim().replaceAll(/\.(?=\s|$)/g, '') ?? null;
  const acknowledged = (digests?.length ?? 0) > ACKNOWLEDGED_CHARACTERS_MAX ? null : digests;
  // A field that most objects do not need is left out if it is empty, so that it does not change their digests.
  const relatedQueries = related.length === 0 ? {} : { related };
  const leftOut = keptLeftOut(inForce.leftOut ?? []);
  const { waiting = [], notes = [] } = inForce;
  const said = {
    ...(remarks.length === 0 ? {} : { remarks }),
    ...(leftOut.length === 0 ? {} : { leftOut }),
    ...(waiting.length === 0 ? {} : { waiting: waiting.slice(0, LEFT_OUT_MAX) }),
    ...(notes.length === 0 ? {} : { notes: keptProblems(notes) }),
  };
  const rest = [
    ...(remarks.length === 0 && related.length === 0 ? [] : [remarks, related, ...leftOut]),
    ...(retains.retains ? ['retains'] : []),
    ...(claim === undefined ? [] : [claim]),
  ];
  const hints = waiting.length + notes.length === 0 ? [] : [{ waiting, notes }];
  const consequences = [age, spec, endpoints, problems, takeover, acknowledged, generation, ...rest, ...hints];
  const digest = digestOf(consequences);
  const file = origin?.file ?? null;
  const ofZone = { ...(sinceMs === undefined ? {} : { sinceMs }), ...(former === undefined ? {} : { former }) };
  const places = before === null ? NONE : placesOf(cluster, { ref, endpoints });
  const leaving = before === null ? NONE : placesLeft([...before.leaving, ...placesOf(cluster, before)], places);
  const earlier = before?.left === undefined ? {} : { left: before.left };
  const bare = isBare(object) ? { bare: true as const } : {};
  const names = before?.names ?? NONE;
  // Fields that all items have come first: V8 keeps those in the object itself.
  return {
    ref,
    uid,
    version,
    generation,
    age,
    file,
    spec,
    endpoints,
    problems,
    takeover,
    acknowledged,
    digest,
    unsettled: true,
    deleted: false,
    leaving,
    names,
    ...retains,
    ...(claim !== undefined && { claim }),
    ...said,
    ...relatedQueries,
    ...ofZone,
    ...bare,
    ...earlier,
  };
}

/** The former item of an object. It shares with the present one what has not changed, because both are in memory. */
export function sharing(before: ObjectItem, { ref, age, spec, endpoints, problems, digest }: ObjectItem): ObjectItem {
  return before.digest === digest ? { ...before, ref, age, spec, endpoints, problems, digest } : before;
}

/** True for an object of a kind of ours that has no status, and no label that names a Zone. */
function isBare({ status, statusForm, labels, annotations }: ClusterObject): boolean {
  return status === null && statusForm === undefined && showsParent({ labels, annotations }, null);
}

/** What decides whether an object asks for anything. */
export type Asked = Pick<ObjectItem, 'endpoints' | 'problems' | 'remarks'>;

/** True if nothing is reported of the object: most Services of a cluster have no name to publish. */
export function asksNothing({ endpoints, problems, remarks }: Asked): boolean {
  return endpoints?.length === 0 && problems.length === 0 && remarks === undefined;
}

/** The object as the first report would read it, if that is known; undefined: the report must read it. */
export function asRead({ bare, uid, version, generation }: ObjectItem): ListedObject | undefined {
  return bare === true ? { uid, version, generation, labels: {}, annotations: {}, status: null } : undefined;
}

/** The item of an object whose file cannot be parsed now: its last valid spec stays in force, with this problem. */
export function unreadableItem(before: ObjectItem, message: string): ObjectItem {
  const problems = [message];
  if (before.problems.includes(message)) return before;
  return { ...before, problems, digest: digestOf([before.digest, problems]), unsettled: true };
}

/** The unsettled item of an object that is gone. */
export function deletedItem(cluster: string, before: ObjectItem): ObjectItem {
  const leaving = [...before.leaving, ...placesOf(cluster, before)];
  return { ...before, unsettled: true, deleted: true, endpoints: null, leaving };
}

type ObjectInForce = InForce & Pick<ObjectItem, 'ref' | 'age'>;

export function declaredZone(item: ObjectInForce): Declared<ZoneSpec> {
  const parsed = item.spec === null ? null : parseZoneOnce(item.spec, item.ref.namespace);
  const { ref, age, problems, notes, claim } = item;
  const spec = parsed?.ok ? withClaim(parsed.spec, claim) : null;
  return { ref, age, spec, problems, ...(notes === undefined ? {} : { notes }) };
}

/** What every other object declares. */
export function declaredObject(item: ObjectInForce): DeclaredObject {
  const { ref, age, endpoints, problems, remarks = [], waiting = [], notes = [] } = item;
  return {
    ...{ ref, age, spec: endpoints, problems },
    ...(remarks.length === 0 ? {} : { remarks }),
    ...(waiting.length === 0 ? {} : { waiting }),
    ...(notes.length === 0 ? {} : { notes }),
  };
}
