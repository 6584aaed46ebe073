// The table of sources: every kind of object that yields endpoints, one row each. To add a kind, write its source beside the
// others (lib/sources/<name>/) and give it a row here. Nothing else knows the kinds.
import type { Kind } from '../objects/kind.ts';
import { kindsOf, relatedKindsOf, type Source } from '../objects/source.ts';
import { DEFAULT_SETTINGS, type SourceKey, type SourceSettings } from '../objects/source-settings.ts';
import { DNS_ENDPOINT } from './external-dns/dns-endpoint.ts';
import { ROUTES } from './external-dns/gateway-route.ts';
import { INGRESS } from './external-dns/ingress.ts';
import { SERVICE } from './external-dns/service.ts';
import { RECORD } from './kubizone/parse-record.ts';

export const SOURCES: readonly Source[] = [RECORD, DNS_ENDPOINT, SERVICE, INGRESS, ...ROUTES];

/** The sources that a configuration turns on, with its settings. */
export function sourcesOn(
  on: Readonly<Partial<Record<SourceKey, SourceSettings>>>,
  all: readonly Source[] = SOURCES,
): readonly Source[] {
  return all.flatMap((source) => {
    const settings = source.key === null ? DEFAULT_SETTINGS : on[source.key];
    if (settings === undefined) return [];
    return source.isOn?.(settings) === false ? [] : [{ ...source, settings }];
  });
}

/** Every kind that is read for these sources: Zones, their own, and those beside them. */
export function kindsRead(sources: readonly Source[]): readonly Kind[] {
  return [...kindsOf(sources), ...relatedKindsOf(sources)];
}

/** The kinds that are read whatever the configuration says. */
export const KINDS = kindsRead(sourcesOn({}));
