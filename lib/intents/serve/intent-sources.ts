// The sources with that of intents: DNSEndpoints are read also where the configuration does not turn them on, and then those of
// intents alone (intent-cluster.ts).
import type { Source } from '../../objects/source.ts';
import { DEFAULT_SETTINGS } from '../../objects/source-settings.ts';
import { DNS_ENDPOINT } from '../../sources/external-dns/dns-endpoint.ts';

/** These sources, and that of DNSEndpoints. */
export function withIntents(on: readonly Source[]): readonly Source[] {
  if (on.some(({ kind }) => kind === DNS_ENDPOINT.kind)) return on;
  return [...on, { ...DNS_ENDPOINT, settings: DEFAULT_SETTINGS }];
}
