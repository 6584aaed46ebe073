// Builds the write of an object's status: server-side apply of our fields only, forced, so that whatever a tenant wrote
// there is overwritten. Nothing is written if the object has it all. lastTransitionTime changes only when the status of
// its condition does. A Zone's entries are cut if the object would exceed OBJECT_OCTETS_MAX.
import type { Entry } from '../../dns/entry.ts';
import { type Condition, cutMessage } from '../../objects/conditions.ts';
import { apiVersionOf, type Kind } from '../../objects/kind.ts';
import { formatRef, type ObjectRef } from '../../objects/object-ref.ts';
import { PARENT_KEY, parentLabel, showsParent } from '../../objects/parent-label.ts';
import { type Mapping, mapping, mappingsIn } from '../../objects/plain.ts';
import { sameJson } from '../../objects/same-json.ts';
import type { ListedObject, ObjectStatus } from '../../ports/cluster.ts';
import { OURS } from '../../ports/shown-status.ts';
import type { KubernetesRequest } from './http/kubernetes-error.ts';
import { FIELD_MANAGER, objectPath, texts } from './read-object.ts';

/** The largest object that we write, in octets of JSON. etcd refuses 1.5 MiB; the rest is left for later edits. */
export const OBJECT_OCTETS_MAX = 1024 * 1024;

/** The parts of the current object that matter for its status. */
export type ExistingObject = {
  readonly metadata: Mapping;
  readonly status: Mapping;
  readonly octets: number;
};

/** Reads a current object from an answer of the API server. */
export function readExisting(answer: unknown): ExistingObject {
  const object = mapping(answer);
  const { status, ...rest } = object;
  return {
    metadata: mapping(object.metadata),
    status: mapping(status),
    octets: Buffer.byteLength(JSON.stringify(rest)),
  };
}

/** A current object from a list, which keeps neither its size nor its managed fields. */
export function existingAsListed({
  uid,
  version,
  generation,
  labels,
  annotations,
  status,
}: ListedObject): ExistingObject {
  const metadata = { uid, resourceVersion: version, generation: generation ?? undefined, labels, annotations };
  return { metadata, status: mapping(status), octets: 0 };
}

/** The status to write: conditions with their times, and as many entries as fit. `now`: RFC 3339, whole seconds. */
export function buildStatus(status: ObjectStatus, existing: ExistingObject, now: string): Mapping {
  const conditions = status.conditions.map((condition) => withTime(condition, existing.status, now));
  const { fqdn, data, views } = status;
  const common = {
    fqdn,
    ...(data === undefined ? {} : { data }),
    ...(views === undefined ? {} : { views }),
    conditions,
  };
  if (status.zone === undefined) return common;
  const { entries, entriesOmitted, hash, serial } = status.zone;
  const base = { ...common, hash, serial };
  const room = OBJECT_OCTETS_MAX - existing.octets - Buffer.byteLength(JSON.stringify(base)) - 64;
  const kept = countFitting(entries, room);
  const omitted = entriesOmitted + entries.length - kept;
  const mentioned = omitted > 0 || existing.status.entriesOmitted !== undefined;
  return { ...base, entries: entries.slice(0, kept), ...(mentioned ? { entriesOmitted: omitted } : {}) };
}

function withTime(condition: Condition, existing: Mapping, now: string): Mapping {
  const before = conditionsOf(existing).find(({ type }) => type === condition.type);
  const since = before?.lastTransitionTime;
  const kept = before?.status === condition.status && typeof since === 'string' && !Number.isNaN(Date.parse(since));
  return { ...condition, message: cutMessage(condition.message), lastTransitionTime: kept ? since : now };
}

export function conditionsOf(status: Mapping): readonly Mapping[] {
  return mappingsIn(status.conditions);
}

function countFitting(entries: readonly Entry[], room: number): number {
  let octets = 0;
  for (const [index, entry] of entries.entries()) {
    octets += Buffer.byteLength(JSON.stringify(entry)) + 1;
    if (octets > room) return index;
  }
  return entries.length;
}

/** True if the object has all of it and no more of ours: other types of conditions belong to others. */
export function saysAlready(existing: Mapping, wanted: Mapping): boolean {
  if (strayFields(existing, wanted).length > 0) return false;
  return Object.entries(wanted).every(([key, value]) =>
    key === 'conditions'
      ? sameConditions(existing, wanted) && strayConditions(existing, wanted).length === 0
      : sameJson(existing[key], value),
  );
}

/** Which of these fields somebody else wrote to an object that has none: apply does not remove them. */
function strayFields(existing: Mapping, wanted: Mapping): readonly string[] {
  return ['data', 'views'].filter((key) => existing[key] !== undefined && wanted[key] === undefined);
}

function sameConditions(existing: Mapping, wanted: Mapping): boolean {
  const existingByType = new Map(conditionsOf(existing).map((condition) => [condition.type, condition]));
  return conditionsOf(wanted).every((condition) => sameJson(existingByType.get(condition.type), condition));
}

/** The indexes of conditions of our types that somebody else wrote: apply does not remove them. */
export function strayConditions(existing: Mapping, wanted: Mapping): readonly number[] {
  const stated = new Set(conditionsOf(wanted).map(({ type }) => type));
  return conditionsOf(existing).flatMap(({ type }, index) => (OURS.has(type) && !stated.has(type) ? [index] : []));
}

/**
 * Server-side apply of our fields, restricted to the version that was read. (In a write of the status of a custom
 * resource, the API server does not compare the uid: a late one would reach the next object of this name. A JSON patch
 * could test the uid, but applies and patches have separate owners of fields: an apply that leaves out a condition
 * which was patched before keeps a part of it, and is refused.)
 */
export function applyStatusRequest(
  kind: Kind,
  ref: ObjectRef,
  resourceVersion: unknown,
  status: Mapping,
): KubernetesRequest {
  const metadata = { name: ref.name, namespace: ref.namespace, resourceVersion };
  const body = { apiVersion: apiVersionOf(kind), kind: ref.kind, metadata, status };
  return patchRequest(kind, ref, '/status', 'apply-patch+yaml', body);
}

/** Removes what apply leaves of others in our fields, each only if it is still what was seen; null: nothing is left. */
export function removeStrayRequest(
  kind: Kind,
  ref: ObjectRef,
  existing: Mapping,
  wanted: Mapping,
): KubernetesRequest | null {
  const conditions = conditionsOf(existing);
  const body = strayConditions(existing, wanted)
    .toReversed()
    .flatMap((index) => [
      { op: 'test', path: `/status/conditions/${index}/type`, value: conditions[index]?.type },
      { op: 'remove', path: `/status/conditions/${index}` },
    ]);
  for (const key of strayFields(existing, wanted)) {
    const path = `/status/${key}`;
    body.push({ op: 'test', path, value: existing[key] }, { op: 'remove', path });
  }
  return body.length === 0 ? null : patchRequest(kind, ref, '/status', 'json-patch+json', body);
}

/** A patch of an object or of its status. Server-side apply also takes over fields that others wrote. */
export function patchRequest(
  kind: Kind,
  ref: ObjectRef,
  part: '' | '/status',
  type: 'apply-patch+yaml' | 'json-patch+json' | 'merge-patch+json',
  body: unknown,
): KubernetesRequest {
  return {
    action: `write ${part === '' ? 'metadata' : 'the status'} of ${formatRef(ref)}`,
    method: 'PATCH',
    path: `${objectPath(kind, ref)}${part}`,
    query: { fieldManager: FIELD_MANAGER, ...(type === 'apply-patch+yaml' ? { force: 'true' } : {}) },
    contentType: `application/${type}`,
    body,
    rule: { group: kind.group, resource: `${kind.resource}${part}`, verb: 'patch' },
  };
}

/** A status as text, without the times of its conditions, so that equal reports have equal texts. */
export function reportText(status: Mapping): string {
  const conditions = conditionsOf(status).map(({ lastTransitionTime: _, ...condition }) => condition);
  // Built by the same code each time, its keys have the same order.
  return JSON.stringify({ ...status, conditions });
}

/** The field manager that wrote the status last; null if none is noted. */
export function lastStatusManager({ metadata }: Pick<ExistingObject, 'metadata'>): string | null {
  const ofStatus = mappingsIn(metadata.managedFields).filter(
    ({ subresource, manager }) => subresource === 'status' && typeof manager === 'string',
  );
  const latest = ofStatus.toSorted((a, b) => (String(a.time) < String(b.time) ? 1 : -1))[0];
  return latest === undefined ? null : String(latest.manager);
}

/**
 * The patch that corrects the label; null if it is right. A merge patch never creates an object, and this one is
 * restricted to the version that was read.
 */
export function labelPatch(
  kind: Kind,
  ref: ObjectRef,
  { metadata }: Pick<ExistingObject, 'metadata'>,
  parent: string | null,
): KubernetesRequest | null {
  const shown = { labels: texts(metadata.labels), annotations: texts(metadata.annotations) };
  if (showsParent(shown, parent)) return null;
  const { label, annotation } = parentLabel(parent);
  const wanted = {
    resourceVersion: metadata.resourceVersion,
    labels: { [PARENT_KEY]: label },
    annotations: { [PARENT_KEY]: annotation },
  };
  const body = { apiVersion: apiVersionOf(kind), kind: ref.kind, metadata: wanted };
  return { ...patchRequest(kind, ref, '', 'merge-patch+json', body), action: `label ${formatRef(ref)}` };
}
