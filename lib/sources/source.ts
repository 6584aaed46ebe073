// The table of sources, with a row for every kind of object that yields endpoints. To add a kind, write its source in
// lib/sources/<name>/ and add a row here. Nothing else knows the kinds.
import type { Kind } from '../objects/kind.ts';
import { NOTHING_RELATED } from '../objects/related.ts';
import {
  endpointsMaxOf,
  isSelected,
  kindsOf,
  relatedKindsOf,
  type Source,
  type SourceObject,
  type SourceResult,
  type SourcesOn,
  settingsOf,
} from '../objects/source.ts';
import {
  DEFAULT_SETTINGS,
  NAMED_SOURCE_KEYS,
  type SourceKey,
  type SourceSettings,
} from '../objects/source-settings.ts';
import { DNS_ENDPOINT } from './external-dns/dns-endpoint.ts';
import { GATEWAY } from './external-dns/gateway.ts';
import { ROUTES } from './external-dns/gateway-route.ts';
import { INGRESS } from './external-dns/ingress.ts';
import { SERVICE } from './external-dns/service.ts';
import { DNS_RECORD_KIND } from './gardener/dns-record.ts';
import { DISCOVERED_POD } from './kubernetes-dns/pod.ts';
import { DISCOVERED_SERVICE } from './kubernetes-dns/service.ts';
import { RECORD } from './kubizone/parse-record.ts';

export const SOURCES: readonly Source[] = [
  RECORD,
  DNS_ENDPOINT,
  SERVICE,
  INGRESS,
  ...ROUTES,
  GATEWAY,
  DISCOVERED_SERVICE,
  DISCOVERED_POD,
];

/** The sources that a configuration switches on, with their settings. */
export function sourcesOn(on: SourcesOn, all: readonly Source[] = SOURCES): readonly Source[] {
  const views = on.views === undefined ? {} : { views: on.views };
  const sources = all.flatMap((source) => {
    const settings = source.key === null ? DEFAULT_SETTINGS : on[source.key];
    if (settings === undefined) return [];
    return source.isOn?.(settings) === false ? [] : [{ ...source, settings, ...views }];
  });
  return [
    ...Map.groupBy(
      [...sources, ...(on.custom ?? []).map((one) => ({ ...one, ...views }))],
      ({ kind }) => kind,
    ).values(),
  ].map(asOne);
}

/** The sources that a flag or a key alone could switch on, with these settings; a kind that is read is none of them. */
export function sourcesOff(on: SourcesOn, settings: SourceSettings): readonly (Source & { readonly key: SourceKey })[] {
  const read = new Set(sourcesOn(on).map(({ kind }) => kind));
  return SOURCES.flatMap((source) => {
    const { key, kind } = source;
    if (source.isOn?.(settings) === false) return [];
    if (key === null || !NAMED_SOURCE_KEYS.some((one) => one === key) || on[key] !== undefined || read.has(kind))
      return [];
    return [{ ...source, key, settings }];
  });
}

/** True for an object that asks for names, as far as that is known without its related objects. */
export function asksForNames(source: Source, object: SourceObject): boolean {
  const settings = settingsOf(source);
  if (!isSelected(object, settings)) return false;
  const asked = source.endpointsOf(object, settings, NOTHING_RELATED);
  if (!asked.ok) return true;
  const { endpoints, invalid = [], waits = [], wants = [] } = asked;
  if (waits === true || [...endpoints, ...invalid, ...wants, ...waits].length > 0) return true;
  return (source.relatedOf?.(object, settings, NOTHING_RELATED) ?? []).length > 0;
}

/** Combines sources of one kind: each reads the objects that its settings select; all endpoints count. */
function asOne(sources: readonly Source[]): Source {
  const [first] = sources as readonly [Source];
  if (sources.length === 1) return first;
  const quiet = sources.flatMap((source) => source.quietMs?.(settingsOf(source)) ?? []);
  const relatedKinds = relatedKindsOf(sources);
  return {
    ...first,
    settings: DEFAULT_SETTINGS,
    endpointsMax: sources.reduce((sum, source) => sum + endpointsMaxOf(source), 0),
    quietMs: () => Math.min(...quiet),
    endpointsOf: (object, _, related) =>
      together(
        sources
          .filter((source) => isSelected(object, settingsOf(source)))
          .map((source) => source.endpointsOf(object, settingsOf(source), related)),
      ),
    relatedKinds: () => relatedKinds,
    relatedOf: (object, _, known) =>
      sources
        .filter((source) => isSelected(object, settingsOf(source)))
        .flatMap((source) => source.relatedOf?.(object, settingsOf(source), known) ?? []),
  };
}

function together(results: readonly SourceResult[]): SourceResult {
  const problems = results.flatMap((result) => (result.ok ? [] : result.problems));
  if (problems.length > 0) return { ok: false, problems };
  const asked = results.flatMap((result) => (result.ok ? [result] : []));
  return {
    ok: true,
    endpoints: asked.flatMap(({ endpoints }) => endpoints),
    invalid: asked.flatMap(({ invalid = [] }) => invalid),
    problems: asked.flatMap((one) => one.problems ?? []),
    waits:
      asked.some(({ waits }) => waits === true) || asked.flatMap(({ waits }) => (waits === true ? [] : (waits ?? []))),
    wants: asked.flatMap(({ wants = [] }) => wants),
    waiting: asked.flatMap(({ waiting = [] }) => waiting),
    notes: asked.flatMap(({ notes = [] }) => notes),
  };
}

/**
 * Every kind that is read for these sources: Zones, their own kinds, and related kinds. A kind that is both own and
 * related is read as a whole.
 */
export function kindsRead(sources: readonly Source[]): readonly Kind[] {
  const own = kindsOf(sources);
  const names = new Set(own.map(({ kind }) => kind));
  return [...own, ...relatedKindsOf(sources).filter(({ kind }) => !names.has(kind))];
}

/** Every kind whose events are hints: those that are read, and DNSRecords if they are served. */
export function kindsHinted({
  sources,
  dnsRecords,
}: {
  readonly sources: SourcesOn;
  readonly dnsRecords: unknown;
}): readonly Kind[] {
  return [...kindsRead(sourcesOn(sources)), ...(dnsRecords === null ? [] : [DNS_RECORD_KIND])];
}

/** True for a Record, which has a key of its own in the stable JSON: `records`. All other kinds are below `sources`. */
export function isRecord({ kind }: { readonly kind: string }): boolean {
  return kind === RECORD.kind;
}

/** The kinds that are always read. */
export const KINDS = kindsRead(sourcesOn({}));

/** The namespaces of the objects that sources read, Gateways among them; null: all. */
export function namespacesRead({ custom = [], views: _, ...on }: SourcesOn): readonly string[] | null {
  const own = Object.entries(on).flatMap(([key, { namespaces, gatewayNamespaces }]) =>
    key === 'gatewayRoutes' ? [namespaces, gatewayNamespaces] : [namespaces],
  );
  // A related object may be in any namespace.
  const all = [...own, ...custom.map((one) => (one.relatedKinds === undefined ? settingsOf(one).namespaces : null))];
  if (all.length === 0 || all.includes(null)) return null;
  return [...new Set(all.flatMap((some) => some ?? []))].toSorted();
}
