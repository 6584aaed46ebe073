// What is said in the status of a kind that is not ours: one condition, `zone53.dev/Programmed`, where that kind keeps it. Nothing
// else of the object is ever written, and nothing where it says so already.
//
//   conditions            a Service: `status.conditions`, by server-side apply
//   observedGeneration    a DNSEndpoint: `status.observedGeneration`, and `status.conditions` where its CRD keeps them
//   parents               a route: an entry of our own in `status.parents`, which is one list for all controllers, so that it is
//                         changed by index, and only as it was read
import type { Condition } from '../../objects/conditions.ts';
import { apiVersionOf, type Kind } from '../../objects/kind.ts';
import type { ObjectRef } from '../../objects/object-ref.ts';
import type { ObjectStatus } from '../../ports/cluster.ts';
import { statusRequest } from './apply-status.ts';
import type { KubernetesRequest } from './kubernetes-error.ts';
import { FIELD_MANAGER, type Mapping, mapping } from './read-object.ts';

const CONDITION = 'zone53.dev/Programmed';
const CONTROLLER = 'zone53.dev/dns';
/** Entries that a route's status may hold (Gateway API, RouteStatus). Last verified 2026-11-23. */
const PARENTS_MAX = 32;

/** The write that makes an object say this; null where it says it already, or cannot. */
export function foreignStatusRequest(
  kind: Kind,
  ref: ObjectRef,
  object: Mapping,
  status: ObjectStatus,
  now: string,
): KubernetesRequest | null {
  const said = conditionOf(status.conditions);
  if (kind.status === 'parents') return parentsRequest(kind, ref, object, said, now);
  const standing = mapping(object.status);
  const own = listOf(standing.conditions).find(({ type }) => type === CONDITION);
  const { generation } = mapping(object.metadata);
  const observes = kind.status === 'observedGeneration' && typeof generation === 'number';
  const isObserved = !observes || standing.observedGeneration === generation;
  // Where a CRD keeps no conditions, they are not there after the first write either.
  const keepsNone = observes && isObserved && standing.conditions === undefined;
  if (isObserved && (keepsNone || says(own, said))) return null;
  const conditions = said === null ? [] : [dated(said, own, now)];
  const { uid, resourceVersion } = mapping(object.metadata);
  if (kind.status === 'observedGeneration') {
    // What the CRD does not declare is dropped from a merge patch, and an error of an apply. The list is replaced as it was read.
    const others = listOf(standing.conditions).filter(({ type }) => type !== CONDITION);
    const wanted = { ...(observes ? { observedGeneration: generation } : {}), conditions: [...others, ...conditions] };
    return {
      ...statusRequest(kind, ref),
      query: { fieldManager: FIELD_MANAGER },
      contentType: 'application/merge-patch+json',
      body: { metadata: { uid, resourceVersion }, status: wanted },
    };
  }
  const metadata = { name: ref.name, namespace: ref.namespace, uid };
  const body = { apiVersion: apiVersionOf(kind), kind: ref.kind, metadata, status: { conditions } };
  return {
    ...statusRequest(kind, ref),
    query: { fieldManager: FIELD_MANAGER, force: 'true' },
    contentType: 'application/apply-patch+yaml',
    body,
  };
}

/** What is to be said; null: nothing, the object asks for nothing. */
function conditionOf(conditions: readonly Condition[]): Condition | null {
  const programmed = conditions.find(({ type }) => type === 'Programmed');
  const accepted = conditions.find(({ type }) => type === 'Accepted');
  const refused = accepted === undefined || accepted.status === 'True' ? undefined : accepted;
  // What is refused of an object weighs more than what of it stands.
  const said = refused ?? programmed;
  return said === undefined ? null : said;
}

function dated(said: Condition, standing: Mapping | undefined, now: string): Mapping {
  const { status, reason, message, observedGeneration } = said;
  const since = standing?.status === status ? standing.lastTransitionTime : undefined;
  return {
    type: CONDITION,
    status,
    reason,
    message: message.slice(0, 32_768).toWellFormed(),
    ...(observedGeneration === undefined ? {} : { observedGeneration }),
    lastTransitionTime: typeof since === 'string' ? since : now,
  };
}

function says(standing: Mapping | undefined, said: Condition | null): boolean {
  if (standing === undefined || said === null) return standing === undefined && said === null;
  return (['status', 'reason', 'message', 'observedGeneration'] as const).every(
    (field) => (standing[field] ?? null) === (said[field] ?? null),
  );
}

function parentsRequest(
  kind: Kind,
  ref: ObjectRef,
  object: Mapping,
  said: Condition | null,
  now: string,
): KubernetesRequest | null {
  const parents = listOf(mapping(object.status).parents);
  const index = parents.findIndex(({ controllerName }) => controllerName === CONTROLLER);
  const standing = index < 0 ? undefined : parents[index];
  const own = listOf(standing?.conditions).find(({ type }) => type === CONDITION);
  const parentRef = listOf(mapping(object.spec).parentRefs)[0];
  const wanted = said === null || parentRef === undefined ? null : said;
  if (says(own, wanted) && (wanted !== null || standing === undefined)) return null;
  if (wanted !== null && standing === undefined && parents.length >= PARENTS_MAX) return null;
  const entry = { parentRef, controllerName: CONTROLLER, conditions: wanted === null ? [] : [dated(wanted, own, now)] };
  const body = [
    // Another controller may write the list meanwhile: then it is read again.
    { op: 'test', path: '/metadata/resourceVersion', value: mapping(object.metadata).resourceVersion },
    ...(object.status === undefined ? [{ op: 'add', path: '/status', value: {} }] : []),
    ...(Array.isArray(mapping(object.status).parents) ? [] : [{ op: 'add', path: '/status/parents', value: [] }]),
    ...(wanted === null
      ? [{ op: 'remove', path: `/status/parents/${index}` }]
      : standing === undefined
        ? [{ op: 'add', path: '/status/parents/-', value: entry }]
        : [{ op: 'replace', path: `/status/parents/${index}`, value: entry }]),
  ];
  return {
    ...statusRequest(kind, ref),
    query: { fieldManager: FIELD_MANAGER },
    contentType: 'application/json-patch+json',
    body,
  };
}

function listOf(value: unknown): readonly Mapping[] {
  return Array.isArray(value) ? value.map(mapping) : [];
}
