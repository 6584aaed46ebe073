// The table of sources: every kind of object that yields endpoints, one row each. To add a kind, write its source
// beside the others (lib/sources/<name>/) and give it a row here. Nothing else knows the kinds.
import type { Kind } from '../objects/kind.ts';
import {
  endpointsMaxOf,
  isSelected,
  kindsOf,
  relatedKindsOf,
  type Source,
  type SourceResult,
  settingsOf,
} from '../objects/source.ts';
import { DEFAULT_SETTINGS, type SourceKey, type SourceSettings } from '../objects/source-settings.ts';
import { DNS_ENDPOINT } from './external-dns/dns-endpoint.ts';
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
  DISCOVERED_SERVICE,
  DISCOVERED_POD,
];

/** The sources that a configuration turns on, with its settings. */
export function sourcesOn(
  on: Readonly<Partial<Record<SourceKey, SourceSettings>>>,
  all: readonly Source[] = SOURCES,
): readonly Source[] {
  const sources = all.flatMap((source) => {
    const settings = source.key === null ? DEFAULT_SETTINGS : on[source.key];
    if (settings === undefined) return [];
    return source.isOn?.(settings) === false ? [] : [{ ...source, settings }];
  });
  return [...Map.groupBy(sources, ({ kind }) => kind).values()].map(asOne);
}

/**
 * Sources that read one kind, as one: each reads the objects that its settings select, and what they ask for stands
 * together.
 */
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
  };
}

/**
 * Every kind that is read for these sources: Zones, their own, and those beside them. One that is both is read whole.
 */
export function kindsRead(sources: readonly Source[]): readonly Kind[] {
  const own = kindsOf(sources);
  const names = new Set(own.map(({ kind }) => kind));
  return [...own, ...relatedKindsOf(sources).filter(({ kind }) => !names.has(kind))];
}

/** Every kind of which an event is a hint: those that are read, and DNSRecords where they are served. */
export function kindsHinted({
  sources,
  dnsRecords,
}: {
  readonly sources: Readonly<Partial<Record<SourceKey, SourceSettings>>>;
  readonly dnsRecords: unknown;
}): readonly Kind[] {
  return [...kindsRead(sourcesOn(sources)), ...(dnsRecords === null ? [] : [DNS_RECORD_KIND])];
}

/** The kinds that are read whatever the configuration says. */
export const KINDS = kindsRead(sourcesOn({}));
