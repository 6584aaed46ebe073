// Finds the DNSEndpoints of intents that the pipeline has not observed as they are served now. A call may have died
// after it wrote them and before it sent their hints. A hint for one that is merely under way costs a read.
import { UnreadableItemError } from '../../ledger/item-codec.ts';
import { eachItem } from '../../ledger/pages.ts';
import { objectCodec, objectsPartition } from '../../observe/object-item.ts';
import type { Ledger } from '../../ports/ledger.ts';
import { DNS_ENDPOINT } from '../../sources/external-dns/dns-endpoint.ts';
import { intentKeys, servedCodec } from '../state/items.ts';
import { isOfIntent, versionOf } from './served-version.ts';

/** Their names as `project/name`, those that are no longer served included. `project` null: of all projects. */
export async function unobserved(ledger: Ledger, clusterId: string, project: string | null): Promise<string[]> {
  const prefix = project === null ? '' : `${project}/`;
  const { served } = intentKeys(clusterId).partitions;
  /** The version that is served; null: an item that cannot be read, about which nothing is known. */
  const versions = new Map<string, string | null>();
  for await (const stored of eachItem(ledger, served, prefix)) {
    const item = servedCodec.read(stored);
    if (item instanceof UnreadableItemError) versions.set(stored.sort, null);
    else if (item.sets.length > 0) versions.set(stored.sort, versionOf(item.sets));
  }
  const gone: string[] = [];
  for await (const stored of eachItem(ledger, objectsPartition(clusterId, DNS_ENDPOINT.kind), prefix)) {
    const item = objectCodec.read(stored);
    const version = versions.get(stored.sort);
    const isUnknown = item instanceof UnreadableItemError;
    if (isUnknown || (!item.deleted && item.version === version)) versions.delete(stored.sort);
    else if (version === undefined && !item.deleted && isOfIntent(item.version)) gone.push(stored.sort);
  }
  return [...[...versions].flatMap(([name, version]) => (version === null ? [] : [name])), ...gone];
}
