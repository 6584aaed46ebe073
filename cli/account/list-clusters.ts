// `zone53 clusters`: the clusters of the configuration and of the ledger, and how many names each has published.
import { compareText } from '../../lib/dns/names/compare-text.ts';
import { UnreadableItemError } from '../../lib/ledger/item-codec.ts';
import { allItems, eachItem } from '../../lib/ledger/pages.ts';
import { CLUSTERS_PARTITION, clusterCodec } from '../../lib/observe/cluster-item.ts';
import type { Ledger } from '../../lib/ports/ledger.ts';
import { HOSTED_ZONES_PARTITION, hostedZoneCodec } from '../../lib/record-sets/hosted-zone-item.ts';
import { recordSetCodec, recordSetsPartition } from '../../lib/record-sets/record-set-item.ts';
import { readSweepNotes } from '../../lib/sweep/last-swept.ts';
import { openLedgerToRead } from '../run/open-ledger.ts';
import type { ClustersRequest } from './requests.ts';

type ListedCluster = {
  readonly id: string;
  /** How many names it has published. */
  readonly owns: number;
  /** When it was last read as a whole, in milliseconds since the epoch; null: it is not known. */
  readonly readMs: number | null;
  readonly configured: boolean;
};
export type ClusterList = { readonly clusters: readonly ListedCluster[] };

/** Lists the clusters of a command's ledger. */
export async function runClusters({ store, configured, progress }: ClustersRequest): Promise<ClusterList> {
  progress('reading the ledger');
  const { ledger, close } = await openLedgerToRead(store);
  try {
    return { clusters: await listClusters(ledger, configured) };
  } finally {
    await close();
  }
}

/** The clusters by id: those of the configuration, and those that the ledger knows. */
async function listClusters(ledger: Ledger, configured: readonly string[]): Promise<readonly ListedCluster[]> {
  const readAt = new Map<string, number>();
  for (const stored of await allItems(ledger, CLUSTERS_PARTITION)) {
    const item = clusterCodec.read(stored);
    if (!(item instanceof UnreadableItemError)) readAt.set(stored.sort, item.readMs);
  }
  const names = await namesByCluster(ledger);
  const ids = [...new Set([...configured, ...readAt.keys(), ...names.keys()])].toSorted(compareText);
  const clusters: ListedCluster[] = [];
  for (const id of ids) {
    const swept = (await readSweepNotes(ledger, id)).map(({ wholeMs }) => wholeMs ?? 0);
    const readMs = Math.max(readAt.get(id) ?? 0, ...swept);
    const owns = names.get(id)?.size ?? 0;
    clusters.push({ id, owns, readMs: readMs === 0 ? null : readMs, configured: configured.includes(id) });
  }
  return clusters;
}

/** The names that each cluster has published, each with its hosted zone. */
async function namesByCluster(ledger: Ledger): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  const names = new Map<string, Set<string>>();
  for (const stored of await allItems(ledger, HOSTED_ZONES_PARTITION)) {
    const hostedZone = hostedZoneCodec.read(stored);
    if (hostedZone instanceof UnreadableItemError) continue;
    const ofCluster = names.get(hostedZone.cluster) ?? new Set<string>();
    names.set(hostedZone.cluster, ofCluster);
    if (hostedZone.gone) continue;
    for await (const one of eachItem(ledger, recordSetsPartition(hostedZone.id))) {
      const item = recordSetCodec.read(one);
      if (item instanceof UnreadableItemError || item.published === null) continue;
      // Its SOA has the name of every hosted zone, and nobody asks for it.
      if (item.type !== 'SOA') ofCluster.add(`${hostedZone.id} ${item.name}`);
    }
  }
  return names;
}
