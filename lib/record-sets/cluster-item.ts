// A cluster that uses the ledger: when a command last read it, which one it is, and whether it is on standby. The
// functions note no time: their last whole sweep says it.
import * as z from 'zod';
import { swap } from '../ledger/compare-and-swap.ts';
import { type Codec, type Item, itemCodec, readItem, UnreadableItemError } from '../ledger/item-codec.ts';
import { orUnread } from '../ledger/skip-unreadable.ts';
import type { Config } from '../ports/config.ts';
import type { Context } from '../ports/context.ts';
import type { Ledger, LedgerItem, LedgerKey } from '../ports/ledger.ts';

const clusterBody = z.object({
  /** Milliseconds since the epoch; 0: never. */
  readMs: z.number(),
  /** Whether it is on standby, whatever the configuration says. Absent: the configuration decides. */
  standby: z.boolean().exactOptional(),
  /** Since when it is on standby, if that is known; 0: from the beginning. */
  standbyMs: z.number().exactOptional(),
  /** The uid of its namespace kube-system. Absent: the next reading notes it. */
  uid: z.string().exactOptional(),
});

export type ClusterItem = Item<typeof clusterBody>;
export const clusterCodec: Codec<ClusterItem> = itemCodec(clusterBody);
export const CLUSTERS_PARTITION = 'clusters';

/** The key of a cluster. */
export function clusterKey(cluster: string): LedgerKey {
  return { partition: CLUSTERS_PARTITION, sort: cluster };
}

/** Notes that the cluster was read now, and since when it is on standby. */
export async function noteReading({
  ledger,
  config: { clusterId, standby },
  clock,
}: Pick<Context, 'ledger' | 'config' | 'clock'>): Promise<void> {
  const readMs = clock.nowMs();
  await orUnread(() =>
    swap(ledger, clusterKey(clusterId), clusterCodec, (now) => {
      const { standbyMs = (now?.readMs ?? 0) === 0 ? 0 : readMs, ...rest } = now ?? {};
      return { ...rest, readMs, ...((now?.standby ?? standby.includes(clusterId)) && { standbyMs }) };
    }),
  );
}

/** The uid by which the ledger knows the cluster; if it knows none, `uid`, which is noted if `isNoted`. */
export async function knownUid(ledger: Ledger, cluster: string, uid: string, isNoted: boolean): Promise<string> {
  const key = clusterKey(cluster);
  const read = async () => (await readItem(ledger, key, clusterCodec))?.item.uid;
  const known = await orUnread(async () => {
    const before = await read();
    if (before !== undefined || !isNoted) return before;
    await swap(ledger, key, clusterCodec, (now) => (now?.uid === undefined ? { readMs: 0, ...now, uid } : null));
    return read();
  });
  return known instanceof UnreadableItemError ? uid : (known ?? uid);
}

/** Has the next reading note which cluster it is. @throws UnreadableItemError */
export async function forgetUid(ledger: Ledger, cluster: string): Promise<void> {
  await swap(ledger, clusterKey(cluster), clusterCodec, (now) => {
    const { uid, ...rest } = now ?? {};
    return uid === undefined ? null : { readMs: 0, ...rest };
  });
}

/** Sets whether a cluster is on standby, over the configuration. @throws UnreadableItemError */
export async function setStandby(ledger: Ledger, cluster: string, standby: boolean, nowMs: number): Promise<void> {
  await swap(ledger, clusterKey(cluster), clusterCodec, (now) => changed(now, standby, nowMs));
}

/** The item of a cluster as `setStandby()` would write it. */
export function withStandby(stored: LedgerItem | null, key: LedgerKey, standby: boolean, nowMs: number): LedgerItem {
  const now = stored === null ? null : clusterCodec.read(stored);
  const item = changed(now instanceof UnreadableItemError ? null : now, standby, nowMs);
  return { ...key, revision: 'rehearsed', body: clusterCodec.encode(item) };
}

function changed(now: ClusterItem | null, standby: boolean, nowMs: number): ClusterItem {
  const { standbyMs = nowMs, ...rest } = now ?? {};
  return { readMs: 0, ...rest, standby, ...(standby && { standbyMs }) };
}

/** Those of these clusters that are on standby, by the ledger, else by the configuration, and since when. */
export async function standbyAmong(
  { ledger, clock }: Pick<Context, 'ledger' | 'clock'>,
  { standby = [] }: Partial<Pick<Config, 'standby'>>,
  clusters: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const known = await Promise.all(
    clusters.map(async (cluster) => {
      const stored = await orUnread(() => readItem(ledger, clusterKey(cluster), clusterCodec));
      const item = stored instanceof UnreadableItemError ? null : stored?.item;
      const isOn = item?.standby ?? standby.includes(cluster);
      return isOn ? [[cluster, item?.standbyMs ?? clock.nowMs()] as const] : [];
    }),
  );
  return new Map(known.flat());
}
