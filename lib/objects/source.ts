// A source is a kind of cluster object that asks for DNS names. This is what the rest of the house knows of one; the table of
// all of them is lib/sources/source.ts.
import type { Endpoint } from './endpoint.ts';
import type { ObjectRef } from './object-ref.ts';
import type { SpecResult } from './spec-fields.ts';

/** A kind of object as its API serves it, and how what became of an object is said back to it. */
export type Kind = {
  /** As manifests and messages name it: `Record`. */
  readonly kind: string;
  readonly group: string;
  readonly version: string;
  /** The plural, as paths of the API have it: `records`. */
  readonly resource: string;
  /**
   * `subresource`: conditions, name and parent in its status subresource, the parent-zone label, and an Event for a transition.
   * `events`: the Event alone, for kinds whose status is not ours.
   */
  readonly status: 'subresource' | 'events';
  /** Objects on one page of a list: fewer where one may be large. */
  readonly pageSize: number;
};

/** What a source reads of an object. Everything in it is untrusted. */
type SourceObject = {
  readonly ref: ObjectRef;
  readonly annotations: Readonly<Record<string, string>>;
  readonly labels: Readonly<Record<string, string>>;
  readonly spec: unknown;
  readonly status?: unknown;
};

/** A kind of object that yields endpoints. */
export type Source = Kind & {
  /**
   * What an object asks for, or all that is wrong with it, in words for whoever wrote it; what it last asked for then stays in
   * force. Pure: the same object always asks for the same.
   */
  readonly endpointsOf: (object: SourceObject) => SpecResult<readonly Endpoint[]>;
};

/** The Zone: the one kind that is read and yields no endpoint. */
export const ZONE_KIND: Kind = {
  kind: 'Zone',
  group: 'kubi.zone',
  version: 'v1alpha1',
  resource: 'zones',
  status: 'subresource',
  pageSize: 50,
};

/** Every kind that is read, the Zone first: what a name needs to be adopted is then known before the name is. */
export function kindsOf(sources: readonly Source[]): readonly Kind[] {
  return [ZONE_KIND, ...sources];
}

/** `group/version`, as manifests have it. */
export function apiVersionOf({ group, version }: Kind): string {
  return group === '' ? version : `${group}/${version}`;
}
