// Objects that a source needs besides its own, such as the EndpointSlices of a Service or the Gateways of a route. A
// source states what it needs as queries. lib/observe reads exactly that, and stores which object asked which query. So
// when a related object changes, the objects that depend on it are found.

import type { Kind } from './kind.ts';
import type { ObjectRef } from './object-ref.ts';

/** A kind of related object. Its `status` is `none`: nothing is ever reported to it. */
export type RelatedKind = Kind & {
  /** The label keys that a query may select by. */
  readonly selectedBy: readonly string[];
  /** True if only objects of its own namespace ask for it. Absent: objects of any namespace may. */
  readonly isLocal?: boolean;
  /**
   * Reduces an object as its API has it (untrusted) to the part that matters: JSON in the shape of the API, without
   * metadata and everything else. A change of the object that leaves this part the same is ignored, so it must not
   * contain heartbeats. Pure.
   */
  readonly factsOf: (object: unknown) => unknown;
};

export type RelatedObject = {
  readonly ref: ObjectRef;
  /** What `factsOf` of its kind returned. Untrusted. */
  readonly facts: unknown;
};

/** A label by which a query selects objects. */
export type RelatedLabel = { readonly key: string; readonly value: string };

/** What a source needs to know besides the object itself. */
export type RelatedQuery =
  /** One object. `namespace` is `''` for a cluster-scoped kind. */
  | { readonly code: 'get'; readonly kind: string; readonly namespace: string; readonly name: string }
  /** All objects of a kind. `namespace` null: of all namespaces. `label` null: with any labels. */
  | {
      readonly code: 'list';
      readonly kind: string;
      readonly namespace: string | null;
      readonly label: RelatedLabel | null;
    }
  /** The record types of a name in DNS. */
  | { readonly code: 'types'; readonly fqdn: string };

/** The answers to the queries, and nothing else. */
export type RelatedObjects = {
  /** null: the object does not exist, or no query asked for it. */
  readonly get: (kind: string, namespace: string, name: string) => RelatedObject | null;
  /** Ordered by namespace and name. */
  readonly list: (kind: string, namespace: string | null, label: RelatedLabel | null) => readonly RelatedObject[];
  /** The types of the desired or published record sets of a name. */
  readonly typesAt: (fqdn: string) => readonly string[];
  /** Those of them that are aliases to a name in the same hosted zone, with their targets. */
  readonly aliasesAt: (fqdn: string) => Aliases;
};

/** The targets of aliases, as canonical names, by record type. */
export type Aliases = Readonly<Record<string, string>>;

export type TypesOfName = { readonly types: readonly string[]; readonly aliases: Aliases };

export const NO_TYPES: TypesOfName = { types: [], aliases: {} };

/** For an object that asks for nothing. */
export const NOTHING_RELATED: RelatedObjects = {
  get: () => null,
  list: () => [],
  typesAt: () => [],
  aliasesAt: () => ({}),
};

/** A query as text. Two queries are the same when their texts are equal. */
export function queryText(query: RelatedQuery): string {
  if (query.code === 'types') return `types ${query.fqdn}`;
  if (query.code === 'get') return `get ${query.kind} ${query.namespace}/${query.name}`;
  const { kind, namespace, label } = query;
  return `list ${kind} ${namespace ?? '*'}${label === null ? '' : ` ${label.key}=${label.value}`}`;
}
