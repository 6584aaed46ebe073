// Reads objects from answers of an API server: their paths, and the parts that the use cases see. Everything is
// untrusted, even the shape of an answer. An object without the metadata that every API server sets is an error; it is
// never left out silently.

import { sharedText, type Texts, textsOf } from '../../dns/own-text.ts';
import { apiVersionOf, type Kind } from '../../objects/kind.ts';
import type { ObjectKind, ObjectRef } from '../../objects/object-ref.ts';
import { type Mapping, mapping, textMap } from '../../objects/plain.ts';
import { sizedSpec } from '../../objects/spec-size.ts';
import type { ClusterObject } from '../../ports/cluster.ts';
import { KubernetesError } from './http/kubernetes-error.ts';

/** Our field manager (server-side apply). */
export const FIELD_MANAGER = 'zone53';

/** The kind of that name. Throws `KubernetesError` for a kind that is not read. */
export function kindNamed(kinds: readonly Kind[], name: ObjectKind): Kind {
  const found = kinds.find(({ kind }) => kind === name);
  if (found !== undefined) return found;
  throw new KubernetesError(`Cannot read a ${name}: no source has that kind`, { status: null });
}

/** The path of all objects of a kind, in a namespace or in all. */
export function listPath(kind: Kind, namespace: string | null = null): string {
  const root = kind.group === '' ? '/api' : '/apis';
  const inNamespace = namespace === null || namespace === '' ? '' : `namespaces/${encodeURIComponent(namespace)}/`;
  return `${root}/${apiVersionOf(kind)}/${inNamespace}${kind.resource}`;
}

export function objectPath(kind: Kind, { namespace, name }: ObjectRef): string {
  return `${listPath(kind, namespace)}/${encodeURIComponent(name)}`;
}

/** Reads an object. Throws `KubernetesError` if it lacks name, uid or resourceVersion. */
export function readObject({ kind, scope, factsOf, status }: Kind, value: unknown): ClusterObject {
  const object = mapping(value);
  const metadata = mapping(object.metadata);
  return {
    ref: {
      kind,
      namespace: scope === 'cluster' ? '' : sharedText(text(metadata, 'namespace', kind)),
      name: text(metadata, 'name', kind),
    },
    uid: text(metadata, 'uid', kind),
    creationTimestamp: text(metadata, 'creationTimestamp', kind),
    order: '',
    version: text(metadata, 'resourceVersion', kind),
    generation: typeof metadata.generation === 'number' ? metadata.generation : null,
    annotations: texts(metadata.annotations),
    labels: texts(metadata.labels),
    ...(factsOf === undefined ? sizedSpec(object.spec) : { spec: factsOf(value) }),
    status: object.status ?? null,
    ...(status === 'subresource' ? {} : { statusForm: status }),
    origin: null,
  };
}

/** The string values of a mapping. */
export function texts(value: unknown): Texts {
  return textsOf(Object.entries(textMap(value)));
}

function text(metadata: Mapping, key: string, kind: ObjectKind): string {
  const value = metadata[key];
  if (typeof value === 'string' && value !== '') return value;
  throw new KubernetesError(`Cannot read a ${kind} of the API server's answer: it has no metadata.${key}`, {
    status: null,
  });
}
