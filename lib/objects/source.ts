// The interface of a source, which is a kind of object that asks for DNS names. lib/sources/source.ts lists all
// sources. A source is pure: it makes endpoints and problems from an object, its settings and the related objects it
// asked for.
import type { Endpoint, EndpointAlias } from './endpoint.ts';
import { type Kind, ZONE_KIND } from './kind.ts';
import type { ObjectRef } from './object-ref.ts';
import type { RelatedKind, RelatedObjects, RelatedQuery } from './related.ts';
import { matchesSelector } from './selector.ts';
import { DEFAULT_SETTINGS, type SourceKey, type SourceSettings } from './source-settings.ts';

/** The part of an object that a source reads. All of it is untrusted. */
export type SourceObject = {
  readonly ref: ObjectRef;
  readonly annotations: Readonly<Record<string, string>>;
  /** Annotations that are no text, with what they are instead ("a list"). Only a manifest has such. */
  readonly oddAnnotations?: Readonly<Record<string, string>>;
  readonly labels: Readonly<Record<string, string>>;
  readonly spec: unknown;
  readonly status?: unknown;
};

/** An endpoint that can be parsed but is not valid. It is shown as `InvalidSpec` and never published. */
export type InvalidEndpoint = {
  /** A canonical name, with the last dot. */
  readonly fqdn: string;
  readonly type: string;
  readonly setIdentifier: string | null;
  /** What is wrong, in words for the author of the object. */
  readonly message: string;
  /** For the outputs, as far as they can be parsed: TTL in seconds, and canonical rdata. */
  readonly ttl?: number | null;
  readonly values?: readonly string[];
  readonly alias?: EndpointAlias;
};

/** A problem of an object that is not the problem of one endpoint. */
export type SourceProblem = {
  /** Names the annotation or the field, quotes the value, and says what to write instead. */
  readonly message: string;
  /**
   * The name whose endpoints are missing because of this problem; null: it may be any name of the object. What was
   * published at such a name stays. Absent: no endpoint is missing.
   */
  readonly leavesOut?: string | null;
  /** The record type of the missing endpoint. Absent: it may be any. */
  readonly type?: string;
  /** True: only names of the cluster's own DNS are missing. Absent: only other names are. */
  readonly ofClusterDns?: true;
};

/**
 * A name that an object asks for and does not get, without anything being wrong. `why` completes "it waits: …", such as
 * "its load balancer has no address yet (status.loadBalancer.ingress)", and says what to do if something can be done.
 */
export type Waiting = { readonly fqdn: string; readonly why: string };

/** What an object asks for. */
export type SourceResult =
  | {
      readonly ok: true;
      readonly endpoints: readonly Endpoint[];
      readonly invalid?: readonly InvalidEndpoint[];
      readonly problems?: readonly SourceProblem[];
      /**
       * Names that cannot have an endpoint yet (no load balancer, no attached Gateway). What was published at them
       * stays as long as the object asks for the name. `true`: all names.
       */
      readonly waits?: true | readonly string[];
      /** All names that the object asks for, with or without an endpoint. */
      readonly wants?: readonly string[];
      /** The names that get no endpoint, with the reason: those of `waits`, and those of which nothing stays. */
      readonly waiting?: readonly Waiting[];
      /** The views in which it asks for its names. Absent: its annotation says it. */
      readonly views?: readonly string[];
      /** Remarks for the author, one sentence each, although nothing is wrong: a key that is probably misspelt. */
      readonly notes?: readonly string[];
    }
  /**
   * The object cannot be read at all. Everything it asked for before stays in force, and the object is `InvalidSpec`.
   */
  | { readonly ok: false; readonly problems: readonly string[] };

/** A kind of object that has endpoints. */
export type Source = Kind & {
  /** The key below `sources` that enables the kind; null: it is always enabled. */
  readonly key: SourceKey | null;
  /** For a key that several kinds share: whether these settings enable this kind. Absent: they do. */
  readonly isOn?: (settings: SourceSettings) => boolean;
  /** Maximum number of endpoints of one object; default 500. What a source leaves out, it reports as a problem. */
  readonly endpointsMax?: number;
  /** Minimum time in milliseconds between two updates of an object whose related objects change. Default: 5 seconds. */
  readonly quietMs?: (settings: SourceSettings) => number;
  /** Its settings from the configuration. Absent: the defaults. */
  readonly settings?: SourceSettings;
  /** Absent: there is the public view alone. */
  readonly views?: ViewSettings;
  /** True if annotations of the object say that its load balancer is internal. Absent: there are none such. */
  readonly isInternal?: (object: Pick<SourceObject, 'annotations'>) => boolean;
  /** Pure: the same object and related objects always give the same result. */
  readonly endpointsOf: (object: SourceObject, settings: SourceSettings, related: RelatedObjects) => SourceResult;
  /** The kinds that `relatedOf` may ask for with these settings. Only these are watched and may be read. */
  readonly relatedKinds?: (settings: SourceSettings) => readonly RelatedKind[];
  /**
   * The queries that `endpointsOf` needs answered, as far as they follow from `known`. It is called again with the
   * answers until it asks for nothing new, so an answer may lead to the next query (a route to its Gateways, these to
   * their Namespaces). Pure.
   */
  readonly relatedOf?: (
    object: SourceObject,
    settings: SourceSettings,
    known: RelatedObjects,
  ) => readonly RelatedQuery[];
};

/** The sources that a configuration switches on: settings by key, and the sources that it makes itself. */
export type SourcesOn = Readonly<Partial<Record<SourceKey, SourceSettings>>> & {
  readonly custom?: readonly Source[];
  /** Absent: the configuration has the public view alone. */
  readonly views?: ViewSettings;
};

/** The views of the configuration, and the one of internal load balancers; null: none is. */
export type ViewSettings = { readonly known: readonly string[]; readonly ofInternalLoadBalancers: string | null };

/** The default of `endpointsMax`. */
const ENDPOINTS_MAX = 500;

/** Maximum number of endpoints of one object. If a source returns more, the object is refused as a whole. */
export function endpointsMaxOf({ endpointsMax = ENDPOINTS_MAX }: Pick<Source, 'endpointsMax'>): number {
  return endpointsMax;
}

/** True when the operator's `namespaces` and selectors select the object. */
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

/** All kinds, each once, the Zone first: Zones must be known before other objects' names are judged. */
export function kindsOf(sources: readonly Source[]): readonly Kind[] {
  return [ZONE_KIND, ...new Map(sources.map((source) => [source.kind, source])).values()];
}

/** The settings of a source, or the defaults when it has none. */
export function settingsOf({ settings = DEFAULT_SETTINGS }: Source): SourceSettings {
  return settings;
}

/** The related kinds of these sources, each once. */
export function relatedKindsOf(sources: readonly Source[]): readonly RelatedKind[] {
  const all = sources.flatMap((source) => source.relatedKinds?.(settingsOf(source)) ?? []);
  return [...new Map(all.map((one) => [one.kind, one])).values()];
}
