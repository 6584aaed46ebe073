// Looks up how the record sets of an intent's DNSEndpoint are written: by the parameters of its record at the time of
// publishing.
import { readItem } from '../../ledger/item-codec.ts';
import type { Writers } from '../../ports/hosted-zones.ts';
import type { Ledger } from '../../ports/ledger.ts';
import { DNS_ENDPOINT } from '../../sources/external-dns/dns-endpoint.ts';
import { writerBy } from '../manifests/writer.ts';
import { intentKeys, servedCodec } from '../state/items.ts';

const OBJECT = new RegExp(`^${DNS_ENDPOINT.kind} ([^/]+)/(.+)$`);

export function intentWriters(ledger: Ledger, clusterId: string): Writers {
  const keys = intentKeys(clusterId);
  return async (object) => {
    const [, project, name] = OBJECT.exec(object) ?? [];
    if (project === undefined || name === undefined) return null;
    const stored = await readItem(ledger, keys.served(project, name), servedCodec);
    return stored === null ? null : writerBy(stored.item.parameters);
  };
}
