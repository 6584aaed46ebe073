// The sources with that of intents: DNSEndpoints are read also where the configuration does not turn them on, and then
// those of intents alone (intent-cluster.ts). Selectors and other settings of the key `dnsEndpoints` are for plain
// DNSEndpoints: what an intent asks for is under its record's parameters.
import { isSelected, type Source, type SourceObject, settingsOf } from '../../objects/source.ts';
import { DEFAULT_SETTINGS, type SourceSettings } from '../../objects/source-settings.ts';
import type { Cluster } from '../../ports/cluster.ts';
import type { Ledger } from '../../ports/ledger.ts';
import { DNS_ENDPOINT } from '../../sources/external-dns/dns-endpoint.ts';
import { RECORD_LABEL } from '../manifests/flags.ts';
import { intentCluster } from './intent-cluster.ts';

/** How a cluster is read and written with its intents, beside the sources that are on. */
export function withIntentsOver(ledger: Ledger, cluster: Cluster, on: readonly Source[]) {
  return {
    cluster: intentCluster(cluster, ledger, on),
    sources: withIntents(on),
  };
}

/** These sources, and that of DNSEndpoints. */
export function withIntents(on: readonly Source[]): readonly Source[] {
  if (on.some(({ kind }) => kind === DNS_ENDPOINT.kind))
    return on.map((source) => (source.kind === DNS_ENDPOINT.kind ? forBoth(source) : source));
  return [...on, { ...DNS_ENDPOINT, settings: DEFAULT_SETTINGS }];
}

function forBoth(source: Source): Source {
  const plain = settingsOf(source);
  /** Null: not read. */
  const settingsFor = (object: SourceObject): SourceSettings | null => {
    if (object.labels[RECORD_LABEL] !== undefined) return DEFAULT_SETTINGS;
    return isSelected(object, plain) ? plain : null;
  };
  return {
    ...source,
    settings: DEFAULT_SETTINGS,
    endpointsOf: (object, _, related) => {
      const settings = settingsFor(object);
      return settings === null ? { ok: true, endpoints: [] } : source.endpointsOf(object, settings, related);
    },
    relatedOf: (object, _, known) => {
      const settings = settingsFor(object);
      return settings === null ? [] : (source.relatedOf?.(object, settings, known) ?? []);
    },
  };
}
