// Reads an object of a manifest: its metadata; its spec is left to the rules. Only what prevents naming the object is a
// problem here; anything else becomes `InvalidSpec` later.

import { escapeControls } from '../../dns/names/quote.ts';
import { ownText, ownTexts, sharedText, type Texts, textsOf } from '../../dns/own-text.ts';
import type { Kind } from '../../objects/kind.ts';
import type { ObjectKind } from '../../objects/object-ref.ts';
import { type Mapping, mapping } from '../../objects/plain.ts';
import { describe } from '../../objects/spec-fields.ts';
import { sizedSpec } from '../../objects/spec-size.ts';
import type { ClusterObject, Origin } from '../../ports/cluster.ts';

/** An object of one file. The reader fills in order and version. */
export type ManifestObject = ClusterObject & { readonly origin: Origin };

export type ReadObject =
  | { readonly ok: true; readonly object: ManifestObject }
  | { readonly ok: false; readonly message: string };

export function readManifestObject(of: Kind, value: Mapping, origin: Origin): ReadObject {
  const { kind, scope, factsOf } = of;
  const metadata = mapping(value.metadata);
  const name = metadata.name;
  if (name === undefined || name === null || name === '') {
    const generated = typeof metadata.generateName === 'string' ? ' (generateName is for an API server only)' : '';
    return { ok: false, message: `${kind} without a name: write metadata.name${generated}` };
  }
  const stated = metadata.namespace;
  const isStated = stated !== undefined && stated !== null && stated !== '';
  const namespace = scope === 'cluster' ? '' : isStated ? stated : 'default';
  const problem = refuseKey(kind, 'name', name) ?? refuseKey(kind, 'namespace', namespace);
  if (problem !== null) return { ok: false, message: problem };
  return {
    ok: true,
    object: {
      ref: { kind, namespace: sharedText(namespace as string), name: ownText(name as string) },
      uid: textOrNull(metadata.uid),
      creationTimestamp: textOrNull(metadata.creationTimestamp),
      order: '',
      version: '',
      generation: Number.isSafeInteger(metadata.generation) ? (metadata.generation as number) : null,
      annotations: texts(metadata.annotations),
      ...oddAnnotations(metadata.annotations),
      labels: texts(metadata.labels),
      ...(factsOf === undefined ? sizedSpec(ownTexts(value.spec)) : { spec: factsOf(value) }),
      // A source may read the status of kinds of others; the status of ours is output.
      ...(of.status === 'subresource' || of.status === 'none' ? {} : { status: value.status ?? null }),
      origin,
    },
  };
}

/** Refuses names that would make two of our keys equal, or break a line. */
function refuseKey(kind: ObjectKind, field: 'name' | 'namespace', value: unknown): string | null {
  if (typeof value !== 'string') {
    return `${kind} with metadata.${field} ${String(value)}, which is ${Array.isArray(value) ? 'a list' : `a ${typeof value}`}: put it in quotes`;
  }
  if (value.length > 253) return `${kind} with a metadata.${field} of ${value.length} characters: 253 are the most`;
  if (/[/\s\p{C}]/u.test(value)) {
    return `${kind} with metadata.${field} ${escapeControls(JSON.stringify(value))}: slashes, white space and control characters cannot be in it`;
  }
  return null;
}

function textOrNull(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? ownText(value) : null;
}

/** The annotations that are neither text nor read as text. An API server would refuse the object. */
function oddAnnotations(value: unknown): Pick<ManifestObject, 'oddAnnotations'> {
  const odd = Object.entries(mapping(value)).filter(([, one]) => typeof one === 'object' && one !== null);
  return odd.length === 0 ? {} : { oddAnnotations: Object.fromEntries(odd.map(([key, one]) => [key, describe(one)])) };
}

/** Annotations and labels. `true` and `5` without quotes, which an API server would refuse, are read as text. */
function texts(value: unknown): Texts {
  const entries = Object.entries(mapping(value)).flatMap(([key, text]) => {
    if (typeof text === 'string') return [[key, ownText(text)] as const];
    return typeof text === 'boolean' || typeof text === 'number' ? [[key, String(text)] as const] : [];
  });
  return textsOf(entries);
}
