// `zone53 ledger check`: reads every item of a cluster in the ledger, and lists those that this version cannot read.

import { intentKeys } from '../../lib/intents/state/items.ts';
import { UnreadableItemError } from '../../lib/ledger/item-codec.ts';
import { eachItem } from '../../lib/ledger/pages.ts';
import { itemsOfCluster } from '../../lib/observe/items-of-cluster.ts';
import type { JsonValue, Ledger, LedgerItem } from '../../lib/ports/ledger.ts';
import { openLedgerToRead } from '../run/open-ledger.ts';
import { ITEM_KINDS } from './ledger-items.ts';
import type { CheckLedgerRequest } from './requests.ts';

/** An item that cannot be read. */
export type UnreadItem = {
  readonly partition: string;
  readonly sort: string;
  /** The name, object or hosted zone that it is about. */
  readonly concerns: string;
  /** Null: it has none. */
  readonly version: JsonValue;
  readonly problem: string;
  readonly remedy: string;
};

export type LedgerCheck = { readonly items: number; readonly unreadable: readonly UnreadItem[] };

/** Checks the ledger of a command. */
export async function runCheckLedger({ store, config, progress }: CheckLedgerRequest): Promise<LedgerCheck> {
  progress('reading the ledger');
  const { ledger, close } = await openLedgerToRead(store);
  try {
    return await checkLedger(ledger, config.clusterId);
  } finally {
    await close();
  }
}

/** Reads every item that the cluster has in the ledger. */
export async function checkLedger(ledger: Ledger, clusterId: string): Promise<LedgerCheck> {
  const unreadable: UnreadItem[] = [];
  let items = 0;
  for await (const stored of itemsOf(ledger, clusterId)) {
    items += 1;
    const unread = unreadIn(stored);
    if (unread !== null) unreadable.push(unread);
  }
  return { items, unreadable };
}

function unreadIn(stored: LedgerItem): UnreadItem | null {
  const { partition, sort, body } = stored;
  const kind = ITEM_KINDS[partition.split('#', 1)[0] ?? ''];
  const found = kind?.codec.read(stored);
  if (kind === undefined || !(found instanceof UnreadableItemError)) return null;
  const version = body.v ?? null;
  // A later version may have written it on purpose, so it must not be removed.
  const isNewer = typeof version === 'number' && version > 1;
  const remedy = isNewer
    ? 'A later version of zone53 wrote it: use that version, or a later one.'
    : `If a later version of zone53 wrote it, use that version. ${kind.remedy}`;
  return {
    partition,
    sort,
    concerns: kind.concerns(stored),
    version,
    problem: found.detail,
    remedy: `${kind.costs} ${remedy}`,
  };
}

/** Every item of the cluster, and those that all clusters share. */
async function* itemsOf(ledger: Ledger, clusterId: string): AsyncGenerator<LedgerItem> {
  yield* itemsOfCluster(ledger, clusterId);
  const hostedZones = new Map<string, string>();
  for (const partition of [...ofOthers(clusterId), ...SHARED])
    for await (const stored of eachItem(ledger, partition)) {
      if (partition === 'hostedzones') hostedZones.set(stored.sort, clusterOf(stored, clusterId));
      yield stored;
    }
  for (const [id, cluster] of hostedZones)
    for (const partition of [...OF_HOSTED_ZONE.map((word) => `${word}#${id}`), `guard#${cluster}#${id}`])
      yield* eachItem(ledger, partition);
}

/** What Gardener and the intent API have of a cluster. */
export function ofOthers(clusterId: string): readonly string[] {
  return [`dnsrecords#${clusterId}`, ...Object.values(intentKeys(clusterId).partitions)];
}

const SHARED = ['hostedzones', 'clusters', 'format', 'healthchecks', 'healthcheckuses', 'budget'];

/** The partitions of a hosted zone, besides that of the guard. */
const OF_HOSTED_ZONE = ['recordsets', 'readings', 'differences', 'dirty', 'held', 'history', 'batches'];

function clusterOf({ body }: LedgerItem, clusterId: string): string {
  return typeof body.cluster === 'string' ? body.cluster : clusterId;
}
