// Objects that a source reads beside its own: the EndpointSlices of a Service, the Gateways of a route. A source says
// what it needs as queries; the machinery (lib/observe) reads exactly those, and remembers who asked for what, so that
// a related object that changes leads to the objects that it concerns.

import type { Kind } from './kind.ts';
import type { ObjectRef } from './object-ref.ts';

/** A kind of related object. Its `status` is `none`: nothing is ever said of it. */
export type RelatedKind = Kind & {
  /** The keys of labels that a query may select by. */
  readonly selectedBy: readonly string[];
  /**
   * What of an object counts, given the whole of it as its API has it (untrusted): JSON, in the shape of the API with
   * all else left out, metadata too. While it stays the same, nothing happens: a heartbeat must not show in it. Pure.
   */
  readonly factsOf: (object: unknown) => unknown;
};

/** A related object. */
export type RelatedObject = {
  readonly ref: ObjectRef;
  /** What `factsOf` its kind left of it. Untrusted. */
  readonly facts: unknown;
};

/** A label that objects are selected by. */
export type RelatedLabel = { readonly key: string; readonly value: string };

/** What a source needs beside the object. */
export type RelatedQuery =
  /** One object; `namespace` is `''` for a kind without. */
  | { readonly code: 'get'; readonly kind: string; readonly namespace: string; readonly name: string }
  /** All of a kind: of a namespace or (null) of all, with the label or (null) whatever their labels. */
  | {
      readonly code: 'list';
      readonly kind: string;
      readonly namespace: string | null;
      readonly label: RelatedLabel | null;
    }
  /** Which types a name has in DNS. */
  | { readonly code: 'types'; readonly fqdn: string };

/** The answers to what was asked; what was not asked is not there. */
export type RelatedObjects = {
  /** Null: there is none, or nobody asked. */
  readonly get: (kind: string, namespace: string, name: string) => RelatedObject | null;
  /** In order of namespace and name. */
  readonly list: (kind: string, namespace: string | null, label: RelatedLabel | null) => readonly RelatedObject[];
  /** The types that the record sets of a name have, desired or published. */
  readonly typesAt: (fqdn: string) => readonly string[];
  /** Those of them that are aliases to a name of the same hosted zone: their targets by type. */
  readonly aliasesAt: (fqdn: string) => Aliases;
};

/** Targets of aliases, canonical names, by type. */
export type Aliases = Readonly<Record<string, string>>;

/** What is known of a name. */
export type TypesOfName = { readonly types: readonly string[]; readonly aliases: Aliases };

export const NO_TYPES: TypesOfName = { types: [], aliases: {} };

/** Where nothing is related. */
export const NOTHING_RELATED: RelatedObjects = {
  get: () => null,
  list: () => [],
  typesAt: () => [],
  aliasesAt: () => ({}),
};

/** A query as text: equal for the same question. */
export function queryText(query: RelatedQuery): string {
  if (query.code === 'types') return `types ${query.fqdn}`;
  if (query.code === 'get') return `get ${query.kind} ${query.namespace}/${query.name}`;
  const { kind, namespace, label } = query;
  return `list ${kind} ${namespace ?? '*'}${label === null ? '' : ` ${label.key}=${label.value}`}`;
}
