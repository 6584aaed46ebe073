// Builds the write of our conditions, `zone53.dev/Programmed` and `zone53.dev/Propagated`, in the status of a kind that
// is not ours, where it has a place for them. Nothing else is written, and nothing if they are there already.
//
//   conditions            a Service: `status.conditions`, by server-side apply
//   observedGeneration    a DNSEndpoint: `status.observedGeneration`, and `status.conditions` where its CRD keeps them
//   parents               a route: our own entry of `status.parents`. All controllers share that list, so the
//                         entry is changed by index, and only if the list is as it was read
import { apiVersionOf, type Kind } from '../../objects/kind.ts';
import type { ObjectRef } from '../../objects/object-ref.ts';
import { type Mapping, mapping } from '../../objects/plain.ts';
import type { ObjectStatus } from '../../ports/cluster.ts';
import {
  CONTROLLER,
  foreignConditions,
  foreignOwn,
  othersConditions,
  parentEntry,
  showsForeign,
} from '../../ports/shown-status.ts';
import { patchRequest } from './apply-status.ts';
import type { KubernetesRequest } from './http/kubernetes-error.ts';

/** The request that writes this status; null if the object has it already, or has no place for it. */
export function foreignStatusRequest(
  kind: Kind,
  ref: ObjectRef,
  object: Mapping,
  status: ObjectStatus,
  now: string,
): KubernetesRequest | null {
  const { generation: given } = mapping(object.metadata);
  const generation = typeof given === 'number' ? given : null;
  const shown = { generation, spec: object.spec, status: object.status };
  if (kind.status === 'subresource' || showsForeign(kind.status, shown, status.conditions)) return null;
  const said = foreignConditions(status.conditions);
  if (kind.status === 'parents') return parentsRequest(kind, ref, object, said, now);
  const existing = mapping(object.status);
  const conditions = dated(said, existing.conditions, now);
  const { uid, resourceVersion } = mapping(object.metadata);
  if (kind.status === 'observedGeneration') {
    // A merge patch drops fields that the CRD does not declare, where an apply would fail. The list is replaced with
    // the entries that were read.
    const observed = generation === null ? {} : { observedGeneration: generation };
    const wanted = { ...observed, conditions: [...othersConditions(existing.conditions), ...conditions] };
    return patchRequest(kind, ref, '/status', 'merge-patch+json', {
      metadata: { uid, resourceVersion },
      status: wanted,
    });
  }
  const metadata = { name: ref.name, namespace: ref.namespace, uid };
  const body = { apiVersion: apiVersionOf(kind), kind: ref.kind, metadata, status: { conditions } };
  return patchRequest(kind, ref, '/status', 'apply-patch+yaml', body);
}

/** The conditions as text, so that equal reports have equal texts. */
export function saidAs(object: Mapping, { conditions }: ObjectStatus): string {
  return JSON.stringify([mapping(object.metadata).generation ?? null, foreignConditions(conditions)]);
}

/** Conditions with their times, by those that the untrusted status has. */
function dated(said: readonly Mapping[], conditions: unknown, now: string): readonly Mapping[] {
  const existing = foreignOwn(conditions);
  return said.map((one) => {
    const before = existing.find(({ type }) => type === one.type);
    const since = before?.status === one.status ? before?.lastTransitionTime : undefined;
    return { ...one, lastTransitionTime: typeof since === 'string' ? since : now };
  });
}

function parentsRequest(
  kind: Kind,
  ref: ObjectRef,
  object: Mapping,
  said: readonly Mapping[],
  now: string,
): KubernetesRequest {
  const { index, entry: existing } = parentEntry(mapping(object.status));
  const { parentRefs } = mapping(object.spec);
  const parentRef = Array.isArray(parentRefs) ? parentRefs[0] : undefined;
  const conditions = said.length === 0 || parentRef === undefined ? null : dated(said, existing?.conditions, now);
  const entry = { parentRef, controllerName: CONTROLLER, conditions };
  const body = [
    // If another controller wrote the list since, the test fails, and the object is read again.
    { op: 'test', path: '/metadata/resourceVersion', value: mapping(object.metadata).resourceVersion },
    ...(object.status === undefined ? [{ op: 'add', path: '/status', value: {} }] : []),
    ...(Array.isArray(mapping(object.status).parents) ? [] : [{ op: 'add', path: '/status/parents', value: [] }]),
    ...(conditions === null
      ? [{ op: 'remove', path: `/status/parents/${index}` }]
      : existing === undefined
        ? [{ op: 'add', path: '/status/parents/-', value: entry }]
        : [{ op: 'replace', path: `/status/parents/${index}`, value: entry }]),
  ];
  return patchRequest(kind, ref, '/status', 'json-patch+json', body);
}
