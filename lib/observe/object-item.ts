// The ledger's memory of the cluster: what was observed of each object, where its Record lies by name, and which Zone
// lives at which name. Keys and bodies are written and read here only. Every body carries its version `v`; another
// version than ours is an error, never a guess.
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
// reports, and whoever settles a name looks behind it. A Record's place depends on its own spec alone, so that adopting it
// anew never moves it. `!` sorts before all that a label may begin with: one prefix reads a name, a shorter one a subtree.
import { hash } from 'node:crypto';
import { reversedKey } from '../dns/names/name.ts';
import type { Condition, Entry } from '../objects/conditions.ts';
import type { Age, Declared, ObjectRef, ZoneKey } from '../objects/object-ref.ts';
import { keyOf } from '../objects/object-ref.ts';
import { parseRecordOnce, parseZoneOnce } from '../objects/parse-cache.ts';
import type { ClusterObject, JsonObject, JsonValue, LedgerItem, LedgerKey, ObjectKind } from '../ports/cluster.ts';
import { LedgerVersionError } from '../record-sets/record-set-item.ts';
import type { RecordSpec } from '../sources/kubizone/parse-record.ts';
import type { LiveZone } from '../zones/delegation.ts';
import type { ZoneSpec } from '../zones/parse-zone.ts';
import type { Hosting, NameServer, PlacedZone, Target } from '../zones/place-zones.ts';

/** What a Zone may ask of the publisher by annotation. */
export const TAKEOVER_ANNOTATION = 'zone53.dev/takeover';
export const ACKNOWLEDGE_ANNOTATION = 'zone53.dev/acknowledge-plan';

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

/** The status as last reported, to tell a transition by. The entries of a Zone are told by a digest: one hash has several orders. */
export type StatusItem = {
  /** Another uid is another object, which has no status yet. */
  readonly uid: string | null;
  readonly fqdn: string | null;
  readonly parent: ZoneKey | null;
  readonly conditions: readonly Condition[];
  readonly hash: string | null;
  readonly serial: number | null;
  /** Null for a Record. */
  readonly entries: string | null;
  /** Somebody else wrote over what was reported: it is written again although it did not change. */
  readonly overwritten?: true;
};

/** A Record by name, as its ObjectItem says; it may be late, or a leftover, until its name is next settled. */
export type RecordItem = {
  readonly ref: ObjectRef;
  readonly age: Age;
  readonly spec: JsonValue;
  readonly problems: readonly string[];
};

export function objectsPartition(cluster: string, kind: ObjectKind): string {
  return `objects#${cluster}#${kind}`;
}

export function objectKey(cluster: string, ref: ObjectRef): LedgerKey {
  return { partition: objectsPartition(cluster, ref.kind), sort: keyOf(ref) };
}

export function statusesPartition(cluster: string, kind: ObjectKind): string {
  return `statuses#${cluster}#${kind}`;
}

export function statusKey(cluster: string, ref: ObjectRef): LedgerKey {
  return { partition: statusesPartition(cluster, ref.kind), sort: keyOf(ref) };
}

/** What StatusItem holds of a Zone's entries. */
export function digestEntries(entries: readonly Entry[]): string {
  return digestOf(entries as unknown as JsonValue);
}

export function encodeStatus(item: StatusItem): JsonObject {
  return { v: 1, ...item } as unknown as JsonObject;
}

export function decodeStatus(item: LedgerItem): StatusItem {
  const { v: _, ...kept } = checked(item);
  return kept as unknown as StatusItem;
}

export function namesPartition(cluster: string): string {
  return `names#${cluster}`;
}

export function membersPartition(cluster: string, zone: ZoneKey): string {
  return `members#${cluster}#${zone}`;
}

export function directoryPartition(cluster: string): string {
  return `directory#${cluster}`;
}

/** Where the RecordItem of a Record with this spec lies. */
export function recordKey(cluster: string, ref: ObjectRef, spec: RecordSpec): LedgerKey {
  const { domainName, zoneRef } = spec;
  if (domainName.kind === 'full') {
    return { partition: namesPartition(cluster), sort: `${namePrefix(domainName.fqdn)}${keyOf(ref)}` };
  }
  const labels = domainName.kind === 'apex' ? '' : domainName.labels;
  return { partition: membersPartition(cluster, zoneRef as ZoneKey), sort: `${memberPrefix(labels)}${keyOf(ref)}` };
}

/** The sort prefix of the Records at exactly this name. */
export function namePrefix(fqdn: string): string {
  return `${reversedKey(fqdn)}!`;
}

/** The sort prefix of the Records with exactly these relative labels; empty for the Zone itself. */
export function memberPrefix(labels: string): string {
  return labels === '' ? '!' : `${reversedKey(`${labels}.`)}!`;
}

/** The Zone and the labels below it that a members partition's key stands for; null for another partition's key. */
export function parseMemberKey(
  cluster: string,
  key: LedgerKey,
): { readonly zone: ZoneKey; readonly reversedLabels: string } | null {
  const prefix = membersPartition(cluster, '');
  if (!key.partition.startsWith(prefix)) return null;
  return { zone: key.partition.slice(prefix.length), reversedLabels: key.sort.slice(0, key.sort.indexOf('!')) };
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

export function sameKey(a: LedgerKey, b: LedgerKey | null): boolean {
  return a.partition === b?.partition && a.sort === b.sort;
}

/** True when `seen` may not overwrite what the ledger knows: an older reading of the API server. */
export function isOlder(seen: string, known: string): boolean {
  if (!/^\d+$/.test(seen) || !/^\d+$/.test(known)) return false;
  return BigInt(seen) < BigInt(known);
}

export function encodeObject(item: ObjectItem): JsonObject {
  return { v: 1, ...item } as unknown as JsonObject;
}

export function decodeObject(item: LedgerItem): ObjectItem {
  const { v: _, ...kept } = checked(item);
  return kept as unknown as ObjectItem;
}

export function encodeRecord(item: RecordItem): JsonObject {
  return { v: 1, ...item } as unknown as JsonObject;
}

/** The RecordItem of an object item. */
export function recordItem({ ref, age, spec, problems }: ObjectItem): RecordItem {
  return { ref, age, spec, problems };
}

/** The Record that an item declares, parsed anew. */
export function decodeRecord(item: LedgerItem): Declared<RecordSpec> {
  const { ref, age, spec, problems } = checked(item) as unknown as RecordItem;
  const parsed = parseRecordOnce(spec, ref.namespace);
  return { ref, age, spec: parsed.ok ? parsed.spec : null, problems };
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

/** A live Zone in its place; `spec` is its untyped spec in force, `declared` the NS records at its apex. */
export type DirectoryItem = {
  readonly key: ZoneKey;
  readonly fqdn: string;
  readonly parent: ZoneKey | null;
  readonly spec: JsonValue;
  readonly declared: readonly NameServer[];
  readonly nameServers: readonly NameServer[];
  readonly hosting: Hosting | null;
  readonly cut: boolean;
  readonly group: ZoneKey;
  readonly target: Target;
  readonly takeover: boolean;
};

export function directoryKey(cluster: string, fqdn: string): LedgerKey {
  return { partition: directoryPartition(cluster), sort: reversedKey(fqdn) };
}

/** The directory item of a placed Zone; `object` is the Zone's own item. */
export function directoryItem(place: PlacedZone, declared: readonly NameServer[], object: ObjectItem): DirectoryItem {
  const { live, nameServers, hosting, cut, group, target } = place;
  const { spec, takeover } = object;
  return {
    key: live.key,
    fqdn: live.fqdn,
    parent: live.parent,
    spec,
    declared,
    nameServers,
    hosting,
    cut,
    group,
    target,
    takeover,
  };
}

export function encodeDirectory(item: DirectoryItem): JsonObject {
  return { v: 1, ...item } as unknown as JsonObject;
}

export function decodeDirectory(item: LedgerItem): DirectoryItem {
  const { v: _, ...kept } = checked(item);
  return kept as unknown as DirectoryItem;
}

/** The placed Zone that a directory item holds. */
export function placedZone(item: DirectoryItem): PlacedZone {
  const { key, fqdn, parent, nameServers, hosting, cut, group, target } = item;
  const namespace = key.slice(0, key.indexOf('/'));
  const parsed = parseZoneOnce(item.spec, namespace);
  if (!parsed.ok) throw new Error(`The directory holds an invalid spec for Zone ${key}: ${parsed.problems.join('; ')}`);
  const live: LiveZone = { key, namespace, fqdn, parent, spec: parsed.spec };
  return { live, nameServers, hosting, cut, group, target };
}

/** SHA-256 in hex of a value as JSON with sorted keys. */
function digestOf(value: JsonValue): string {
  return hash('sha256', canonicalJson(value), 'hex');
}

/** JSON whose keys are sorted, so that equal values have equal text. */
export function canonicalJson(value: JsonValue): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  const fields = value as JsonObject;
  let text = '';
  for (const key of Object.keys(fields).sort()) {
    const inner = fields[key];
    if (inner !== undefined) text += `${text === '' ? '' : ','}${JSON.stringify(key)}:${canonicalJson(inner)}`;
  }
  return `{${text}}`;
}

function checked(item: LedgerItem): JsonObject {
  if (item.body.v !== 1)
    throw new LedgerVersionError(item, `its version is ${JSON.stringify(item.body.v)}, this code knows 1`);
  return item.body;
}
