// The patch that puts the parent Zone's label, and the annotation of the same key, right on an API server's object.

import { apiVersionOf, type Kind } from '../../objects/kind.ts';
import type { ObjectRef } from '../../objects/object-ref.ts';
import { PARENT_KEY, parentLabel, showsParent } from '../../objects/parent-label.ts';
import { FIELD_MANAGER, type Mapping, objectPath, texts } from './read-object.ts';
import type { KubernetesRequest } from './request.ts';

/** The patch that puts the label right; null when it is. A merge patch never creates an object, and the uid keeps it to this one. */
export function labelPatch(
  kind: Kind,
  ref: ObjectRef,
  metadata: Mapping,
  parent: string | null,
): KubernetesRequest | null {
  const shown = { labels: texts(metadata.labels), annotations: texts(metadata.annotations) };
  if (showsParent(shown, parent)) return null;
  const { label, annotation } = parentLabel(parent);
  const wanted = { uid: metadata.uid, labels: { [PARENT_KEY]: label }, annotations: { [PARENT_KEY]: annotation } };
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
