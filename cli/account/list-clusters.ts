// `zone53 clusters`: the clusters of the configuration and of the ledger, and how many names each has published.
import { compareText } from '../../lib/dns/names/compare-text.ts';
import { UnreadableItemError } from '../../lib/ledger/item-codec.ts';
import { allItems, eachItem } from '../../lib/ledger/pages.ts';
import type { Ledger } from '../../lib/ports/ledger.ts';
import { CLUSTERS_PARTITION, type ClusterItem, clusterCodec } from '../../lib/record-sets/cluster-item.ts';
import { HOSTED_ZONES_PARTITION, hostedZoneCodec } from '../../lib/record-sets/hosted-zone-item.ts';
import { recordSetCodec, recordSetsPartition } from '../../lib/record-sets/record-set-item.ts';
import { lastReadingMs, readSweepNotes } from '../../lib/sweep/last-swept.ts';
import { openLedgerToRead } from '../run/open-ledger.ts';
import type { ClustersRequest } from './requests.ts';

type ListedCluster = {
  readonly id: string;
  readonly standby: boolean;
  /** What says whether it is on standby. */
  readonly standbyFrom: 'configuration' | 'ledger';
  /** How many names it has published. */
  readonly owns: number;
  /** At how many it waits for another cluster. */
  readonly waits: number;
  /** When it was last read as a whole, in milliseconds since the epoch; null: it is not known. */
  readonly readMs: number | null;
  readonly configured: boolean;
};
export type ClusterList = { readonly clusters: readonly ListedCluster[] };

/** Lists the clusters of a command's ledger. */
export async function runClusters({ store, configured, standby, progress }: ClustersRequest): Promise<ClusterList> {
  progress('reading the ledger');
  const { ledger, close } = await openLedgerToRead(store);
  try {
    return { clusters: await listClusters(ledger, configured, standby) };
  } finally {
    await close();
  }
}

/** The clusters by id: those of the configuration, and those that the ledger knows. */
async function listClusters(
  ledger: Ledger,
  configured: readonly string[],
  onStandby: readonly string[],
): Promise<readonly ListedCluster[]> {
  const known = new Map<string, ClusterItem>();
  for (const stored of await allItems(ledger, CLUSTERS_PARTITION)) {
    const item = clusterCodec.read(stored);
    if (!(item instanceof UnreadableItemError)) known.set(stored.sort, item);
  }
  const { owned, waiting } = await namesByCluster(ledger);
  const ids = [...new Set([...configured, ...known.keys(), ...owned.keys()])].toSorted(compareText);
  const clusters: ListedCluster[] = [];
  for (const id of ids) {
    const readMs = lastReadingMs(known.get(id) ?? null, await readSweepNotes(ledger, id));
    const owns = owned.get(id)?.size ?? 0;
    const waits = waiting.get(id)?.size ?? 0;
    const said = known.get(id)?.standby;
    const standbyFrom = said === undefined ? ('configuration' as const) : ('ledger' as const);
    const standby = { standby: said ?? onStandby.includes(id), standbyFrom };
    clusters.push({
      id,
      ...standby,
      owns,
      waits,
      readMs,
      configured: configured.includes(id),
    });
  }
  return clusters;
}

type NamesBy = ReadonlyMap<string, ReadonlySet<string>>;

/** The names that each cluster has published, and those at which it waits for another, each with its hosted zone. */
async function namesByCluster(ledger: Ledger): Promise<{ readonly owned: NamesBy; readonly waiting: NamesBy }> {
  const owned = new Map<string, Set<string>>();
  const waiting = new Map<string, Set<string>>();
  for (const stored of await allItems(ledger, HOSTED_ZONES_PARTITION)) {
    const hostedZone = hostedZoneCodec.read(stored);
    if (hostedZone instanceof UnreadableItemError) continue;
    const { id, cluster, gone, retired } = hostedZone;
    if (retired) continue;
    const own = owned.get(cluster) ?? new Set<string>();
    const open = waiting.get(cluster) ?? new Set<string>();
    owned.set(cluster, own);
    waiting.set(cluster, open);
    if (gone) continue;
    for await (const one of eachItem(ledger, recordSetsPartition(id))) {
      const item = recordSetCodec.read(one);
      // A SOA has the name of every hosted zone, and nobody asks for it.
      if (item instanceof UnreadableItemError || item.type === 'SOA') continue;
      if (item.published !== null) own.add(`${id} ${item.name}`);
      if (item.desired !== null && item.refusal?.reason === 'OwnedByAnotherCluster') open.add(`${id} ${item.name}`);
    }
  }
  return { owned, waiting };
}
