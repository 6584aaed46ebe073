// A source is a kind of cluster object that asks for DNS names. This is what the rest of the house knows of one; the
// table of all of them is lib/sources/source.ts. A source is pure: the object, its settings and the related objects
// that it asked for go in; endpoints, and what is wrong, come out.
import type { Endpoint, EndpointAlias } from './endpoint.ts';
import { type Kind, ZONE_KIND } from './kind.ts';
import type { ObjectRef } from './object-ref.ts';
import type { RelatedKind, RelatedObjects, RelatedQuery } from './related.ts';
import { matchesSelector } from './selector.ts';
import { DEFAULT_SETTINGS, type SourceKey, type SourceSettings } from './source-settings.ts';

/** What a source reads of an object. Everything in it is untrusted. */
export type SourceObject = {
  readonly ref: ObjectRef;
  readonly annotations: Readonly<Record<string, string>>;
  readonly labels: Readonly<Record<string, string>>;
  readonly spec: unknown;
  readonly status?: unknown;
};

/** An endpoint that parses, and that the rules refuse: it is shown as `InvalidSpec`, and never published. */
export type InvalidEndpoint = {
  /** Canonical, with the last dot. */
  readonly fqdn: string;
  readonly type: string;
  readonly setIdentifier: string | null;
  /** What is wrong, in words for whoever wrote it. */
  readonly message: string;
  /** As far as they parse, for the outputs; seconds, and canonical rdata. */
  readonly ttl?: number | null;
  readonly values?: readonly string[];
  readonly alias?: EndpointAlias;
};

/** Something that is wrong with an object, and is no endpoint. */
export type SourceProblem = {
  /** It names the annotation or the field, quotes the value, and says what to write instead. */
  readonly message: string;
  /**
   * The name whose endpoints are left out because of the problem; null: not known, so any of the object's. What was
   * published there stays in force. Absent: nothing is left out.
   */
  readonly leavesOut?: string | null;
};

/** What an object asks for. */
export type SourceResult =
  | {
      readonly ok: true;
      readonly endpoints: readonly Endpoint[];
      readonly invalid?: readonly InvalidEndpoint[];
      readonly problems?: readonly SourceProblem[];
      /**
       * Names that wait (no load balancer, nothing attached): what was published there stays until the object no longer
       * asks for the name. `true`: everything stays.
       */
      readonly waits?: true | readonly string[];
      /** Names that the object asks for, whether or not an endpoint came of them. */
      readonly wants?: readonly string[];
    }
  /** The object cannot be read at all: all that it last asked for stays in force, and is `InvalidSpec`. */
  | { readonly ok: false; readonly problems: readonly string[] };

/** A kind of object that yields endpoints. */
export type Source = Kind & {
  /** The key of the configuration under which the kind is read; null: always. */
  readonly key: SourceKey | null;
  /** Whether these settings, of a key that several kinds share, turn this kind on; absent: they do. */
  readonly isOn?: (settings: SourceSettings) => boolean;
  /** The most endpoints of one object; default 500. A source keeps so many, and reports the rest in a problem. */
  readonly endpointsMax?: number;
  /** Milliseconds in which changes of its related objects are gathered; absent: 5 seconds. */
  readonly quietMs?: (settings: SourceSettings) => number;
  /** Its block of the configuration; absent: the defaults. */
  readonly settings?: SourceSettings;
  /** Pure: the same object and the same related objects always ask for the same. */
  readonly endpointsOf: (object: SourceObject, settings: SourceSettings, related: RelatedObjects) => SourceResult;
  /** The kinds that `relatedOf` may ask for, by these settings: exactly those are watched, and may be read. */
  readonly relatedKinds?: (settings: SourceSettings) => readonly RelatedKind[];
  /**
   * All that `endpointsOf` needs beside the object, as far as that can be told by what is `known`. It is asked again
   * with the answers until it asks for nothing new, so that one answer may lead to the next question (a route to its
   * Gateways, these to their Namespaces). Pure.
   */
  readonly relatedOf?: (
    object: SourceObject,
    settings: SourceSettings,
    known: RelatedObjects,
  ) => readonly RelatedQuery[];
};

/** Endpoints of one object at most, where its source says nothing else. */
const ENDPOINTS_MAX = 500;

/** How many endpoints one object may ask for. What asks for more by mistake of its source is refused as a whole. */
export function endpointsMaxOf({ endpointsMax = ENDPOINTS_MAX }: Pick<Source, 'endpointsMax'>): number {
  return endpointsMax;
}

/** True when the operator's `namespaces` and selectors let the object be read. */
export function isSelected(
  { ref, labels, annotations }: Pick<SourceObject, 'ref' | 'labels' | 'annotations'>,
  { namespaces, labelSelector, annotationSelector }: SourceSettings,
): boolean {
  return (
    (namespaces === null || namespaces.includes(ref.namespace)) &&
    (labelSelector === null || matchesSelector(labelSelector, labels)) &&
    (annotationSelector === null || matchesSelector(annotationSelector, annotations))
  );
}

/** Every kind that the rules judge, once, the Zone first: a name is judged after what may adopt it is known. */
export function kindsOf(sources: readonly Source[]): readonly Kind[] {
  return [ZONE_KIND, ...new Map(sources.map((source) => [source.kind, source])).values()];
}

/** The settings of a source: its own, or those that hold where the operator says nothing. */
export function settingsOf({ settings = DEFAULT_SETTINGS }: Source): SourceSettings {
  return settings;
}

/** The kinds that these sources ask for beside their own objects, each once. */
export function relatedKindsOf(sources: readonly Source[]): readonly RelatedKind[] {
  const all = sources.flatMap((source) => source.relatedKinds?.(settingsOf(source)) ?? []);
  return [...new Map(all.map((one) => [one.kind, one])).values()];
}
