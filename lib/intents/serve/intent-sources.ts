// Adds the DNSEndpoints of intents to the sources. If the configuration does not switch DNSEndpoints on, only those of
// intents are read (intent-cluster.ts). Selectors and other settings of `dnsEndpoints` apply to all others; an intent's
// DNSEndpoint follows the parameters of its record.
import { isSelected, type Source, type SourceObject, settingsOf } from '../../objects/source.ts';
import { DEFAULT_SETTINGS, type SourceSettings } from '../../objects/source-settings.ts';
import type { Cluster } from '../../ports/cluster.ts';
import type { Ledger } from '../../ports/ledger.ts';
import { DNS_ENDPOINT } from '../../sources/external-dns/dns-endpoint.ts';
import { RECORD_LABEL } from '../manifests/flags.ts';
import { intentCluster } from './intent-cluster.ts';

/** The cluster and the sources with intents. `on`: the sources that are switched on. */
export function withIntentsOver(ledger: Ledger, cluster: Cluster, on: readonly Source[]) {
  return {
    cluster: intentCluster(cluster, ledger, on),
    sources: withIntents(on),
  };
}

/** The sources, with DNSEndpoints among them. */
export function withIntents(on: readonly Source[]): readonly Source[] {
  if (on.some(({ kind }) => kind === DNS_ENDPOINT.kind))
    return on.map((source) => (source.kind === DNS_ENDPOINT.kind ? forBoth(source) : source));
  return [...on, { ...DNS_ENDPOINT, settings: DEFAULT_SETTINGS }];
}

function forBoth(source: Source): Source {
  const plain = settingsOf(source);
  /** Null: the object is not read. */
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
