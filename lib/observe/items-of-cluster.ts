// What the ledger has of one cluster, besides what it has of hosted zones.
import { eachItem } from '../ledger/pages.ts';
import type { Ledger, LedgerItem } from '../ports/ledger.ts';
import { kindsEverRead } from './kinds-noted.ts';
import { membersPartition } from './name-index.ts';
import { dependentsPartition, rechecksPartition, relatedPartition } from './related/related-items.ts';

/** Further partitions with the cluster behind their word. */
const WORDS = [
  'names',
  'targets',
  'pointers',
  'directory',
  'subtrees',
  'sweep',
  'sweeps',
  'polls',
  'lookups',
  'creations',
];

/**
 * Every item of the cluster. An item by which others are found comes before them: who removes them in the opposite
 * order, and dies, finds the rest again.
 */
export async function* itemsOfCluster(ledger: Ledger, clusterId: string): AsyncGenerator<LedgerItem> {
  const { own, related } = await kindsEverRead(ledger, clusterId, []);
  const zones = new Set<string>();
  for (const partition of [
    `kinds#${clusterId}`,
    ...own.flatMap((kind) => [`objects#${clusterId}#${kind}`, `statuses#${clusterId}#${kind}`]),
    ...WORDS.map((word) => `${word}#${clusterId}`),
    `ages#${clusterId}#names`,
    `ages#${clusterId}#zones`,
    ...[...related, 'types'].map((kind) => dependentsPartition(clusterId, kind)),
    ...related.map((kind) => relatedPartition(clusterId, kind)),
    rechecksPartition(clusterId),
  ])
    for await (const stored of eachItem(ledger, partition)) {
      noteZones(stored, zones);
      yield stored;
    }
  for (const zone of zones) yield* eachItem(ledger, membersPartition(clusterId, zone));
}

/** Notes the Zones that an object is, or names: each has a partition of the objects that name it. */
function noteZones({ partition, sort, body }: LedgerItem, zones: Set<string>): void {
  if (!partition.startsWith('objects#')) return;
  if (partition.endsWith('#Zone')) zones.add(sort);
  for (const [, zone] of JSON.stringify(body).matchAll(/"zoneRef":"([^"]+)"/g)) if (zone !== undefined) zones.add(zone);
}
