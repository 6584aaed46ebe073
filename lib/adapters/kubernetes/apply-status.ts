// The status of an object, written by server-side apply: only our fields, forced, so that whatever a tenant wrote there
// is put right and gains nothing. Nothing is sent when the object says it all already. lastTransitionTime moves only
// when a condition's status does. A Zone's entries are cut where the object would outgrow OBJECT_OCTETS_MAX.
import type { Entry } from '../../dns/entry.ts';
import { type Condition, cutMessage } from '../../objects/conditions.ts';
import { apiVersionOf, type Kind } from '../../objects/kind.ts';
import type { ObjectRef } from '../../objects/object-ref.ts';
import { PARENT_KEY, parentLabel, showsParent } from '../../objects/parent-label.ts';
import type { ListedObject, ObjectStatus } from '../../ports/cluster.ts';
import type { KubernetesRequest } from './kubernetes-error.ts';
import { FIELD_MANAGER, type Mapping, mapping, objectPath, texts } from './read-object.ts';

/**
 * What an object may come to, octets of JSON. etcd refuses a request of 1.5 MiB; the rest is for spec edits to come.
 */
export const OBJECT_OCTETS_MAX = 1024 * 1024;

/** The object as it stands now, as far as status is concerned. */
export type StandingObject = {
  readonly metadata: Mapping;
  readonly status: Mapping;
  readonly octets: number;
  /** Of an object out of a listing: the only version that the first write is for. */
  readonly asListed?: { readonly resourceVersion: string };
};

/** A standing object out of an API server's answer. */
export function readStanding(answer: unknown): StandingObject {
  const object = mapping(answer);
  const { status, ...rest } = object;
  return {
    metadata: mapping(object.metadata),
    status: mapping(status),
    octets: Buffer.byteLength(JSON.stringify(rest)),
  };
}

/** A standing object out of a listing, which keeps neither its size nor who wrote it. */
export function standingAsListed({
  uid,
  version,
  generation,
  labels,
  annotations,
  status,
}: ListedObject): StandingObject {
  const asListed = { resourceVersion: version };
  const metadata = { uid, ...asListed, generation: generation ?? undefined, labels, annotations };
  return { metadata, status: mapping(status), octets: 0, asListed };
}

/** The status as it will stand: conditions with their times, entries as many as fit. `now`: RFC 3339, whole seconds. */
export function buildStatus(status: ObjectStatus, standing: StandingObject, now: string): Mapping {
  const conditions = status.conditions.map((condition) => withTime(condition, standing.status, now));
  const common = { fqdn: status.fqdn, ...(status.data === undefined ? {} : { data: status.data }), conditions };
  if (status.zone === undefined) return common;
  const { entries, entriesOmitted, hash, serial } = status.zone;
  const base = { ...common, hash, serial };
  const room = OBJECT_OCTETS_MAX - standing.octets - Buffer.byteLength(JSON.stringify(base)) - 64;
  const kept = countFitting(entries, room);
  const omitted = entriesOmitted + entries.length - kept;
  const mentioned = omitted > 0 || standing.status.entriesOmitted !== undefined;
  return { ...base, entries: entries.slice(0, kept), ...(mentioned ? { entriesOmitted: omitted } : {}) };
}

function withTime(condition: Condition, standing: Mapping, now: string): Mapping {
  const before = conditionsOf(standing).find(({ type }) => type === condition.type);
  const since = before?.lastTransitionTime;
  const kept = before?.status === condition.status && typeof since === 'string' && !Number.isNaN(Date.parse(since));
  return { ...condition, message: cutMessage(condition.message), lastTransitionTime: kept ? since : now };
}

/** The conditions of a status as it stands. */
export function conditionsOf(status: Mapping): readonly Mapping[] {
  return Array.isArray(status.conditions) ? status.conditions.map(mapping) : [];
}

function countFitting(entries: readonly Entry[], room: number): number {
  let octets = 0;
  for (const [index, entry] of entries.entries()) {
    octets += Buffer.byteLength(JSON.stringify(entry)) + 1;
    if (octets > room) return index;
  }
  return entries.length;
}

/**
 * True when the object says all of it already. Conditions of other writers beside ours are theirs; of our types there
 * is one each.
 */
export function saysAlready(standing: Mapping, wanted: Mapping): boolean {
  return Object.entries(wanted).every(([key, value]) =>
    key === 'conditions'
      ? sameConditions(standing, wanted) && strayConditions(standing, wanted).length === 0
      : canonical(standing[key] ?? null) === canonical(value ?? null),
  );
}

function sameConditions(standing: Mapping, wanted: Mapping): boolean {
  const standingByType = new Map(conditionsOf(standing).map((condition) => [condition.type, condition]));
  return conditionsOf(wanted).every(
    (condition) => canonical(standingByType.get(condition.type) ?? null) === canonical(condition),
  );
}

/** Indexes of conditions of our types that we do not state: somebody else wrote them, and apply alone leaves them. */
export function strayConditions(standing: Mapping, wanted: Mapping): readonly number[] {
  const stated = new Set(conditionsOf(wanted).map(({ type }) => type));
  return conditionsOf(standing).flatMap(({ type }, index) =>
    (type === 'Accepted' || type === 'Programmed') && !stated.has(type) ? [index] : [],
  );
}

/** JSON with sorted keys. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
}

/**
 * Server-side apply of our fields. The uid, and the version where one is given, keep it to the object that was read.
 */
export function applyStatusRequest(
  kind: Kind,
  ref: ObjectRef,
  read: { readonly uid: unknown; readonly resourceVersion?: string },
  status: Mapping,
): KubernetesRequest {
  const metadata = { name: ref.name, namespace: ref.namespace, ...read };
  return {
    ...statusRequest(kind, ref),
    query: { fieldManager: FIELD_MANAGER, force: 'true' },
    contentType: 'application/apply-patch+yaml',
    body: { apiVersion: apiVersionOf(kind), kind: ref.kind, metadata, status },
  };
}

/** Removes conditions by index, each only if it still is of the type that was seen there. */
export function removeConditionsRequest(
  kind: Kind,
  ref: ObjectRef,
  standing: Mapping,
  indexes: readonly number[],
): KubernetesRequest {
  const conditions = conditionsOf(standing);
  const body = indexes.toReversed().flatMap((index) => [
    { op: 'test', path: `/status/conditions/${index}/type`, value: conditions[index]?.type },
    { op: 'remove', path: `/status/conditions/${index}` },
  ]);
  return {
    ...statusRequest(kind, ref),
    query: { fieldManager: FIELD_MANAGER },
    contentType: 'application/json-patch+json',
    body,
  };
}

/** The part that every write of a status has. */
export function statusRequest(kind: Kind, ref: ObjectRef): KubernetesRequest {
  return {
    action: `write the status of ${ref.kind} ${ref.namespace}/${ref.name}`,
    method: 'PATCH',
    path: `${objectPath(kind, ref)}/status`,
    rule: { group: kind.group, resource: `${kind.resource}/status`, verb: 'patch' },
  };
}

/** A status as text without the times of its conditions: the same report twice is the same text. */
export function reportText(status: Mapping): string {
  const conditions = conditionsOf(status).map(({ lastTransitionTime: _, ...condition }) => condition);
  return canonical({ ...status, conditions });
}

/** The field manager that wrote the status last, as the API server noted it; null where it notes none. */
export function lastStatusManager({ metadata }: Pick<StandingObject, 'metadata'>): string | null {
  const fields = Array.isArray(metadata.managedFields) ? metadata.managedFields.map(mapping) : [];
  const ofStatus = fields.filter(({ subresource, manager }) => subresource === 'status' && typeof manager === 'string');
  const latest = ofStatus.toSorted((a, b) => (String(a.time) < String(b.time) ? 1 : -1))[0];
  return latest === undefined ? null : String(latest.manager);
}

/**
 * The patch that puts the label right; null when it is. A merge patch never creates an object, and the uid keeps it to
 * this one; as listed, to this version.
 */
export function labelPatch(
  kind: Kind,
  ref: ObjectRef,
  { metadata, asListed }: Pick<StandingObject, 'metadata' | 'asListed'>,
  parent: string | null,
): KubernetesRequest | null {
  const shown = { labels: texts(metadata.labels), annotations: texts(metadata.annotations) };
  if (showsParent(shown, parent)) return null;
  const { label, annotation } = parentLabel(parent);
  const wanted = {
    uid: metadata.uid,
    ...asListed,
    labels: { [PARENT_KEY]: label },
    annotations: { [PARENT_KEY]: annotation },
  };
  return {
    action: `label ${ref.kind} ${ref.namespace}/${ref.name}`,
    method: 'PATCH',
    path: objectPath(kind, ref),
    query: { fieldManager: FIELD_MANAGER },
    contentType: 'application/merge-patch+json',
    body: { apiVersion: apiVersionOf(kind), kind: ref.kind, metadata: wanted },
    rule: { group: kind.group, resource: kind.resource, verb: 'patch' },
  };
}
