// When a command last read a cluster, for `zone53 clusters`. The item also tells which clusters share the ledger. The
// functions write none: their last whole sweep says it.
import * as z from 'zod';
import { swap } from '../ledger/compare-and-swap.ts';
import { type Codec, type Item, itemCodec } from '../ledger/item-codec.ts';
import { orUnread } from '../ledger/skip-unreadable.ts';
import type { Context } from '../ports/context.ts';

const clusterBody = z.object({
  /** Milliseconds since the epoch. */
  readMs: z.number(),
});

export type ClusterItem = Item<typeof clusterBody>;
export const clusterCodec: Codec<ClusterItem> = itemCodec(clusterBody);
export const CLUSTERS_PARTITION = 'clusters';

/** Notes that the cluster was read now. */
export async function noteReading({
  ledger,
  config,
  clock,
}: Pick<Context, 'ledger' | 'config' | 'clock'>): Promise<void> {
  const key = { partition: CLUSTERS_PARTITION, sort: config.clusterId };
  await orUnread(() => swap(ledger, key, clusterCodec, () => ({ readMs: clock.nowMs() })));
}
