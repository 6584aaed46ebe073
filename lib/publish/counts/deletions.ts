// What the guard counts in a hosted zone: record sets that are published, and those that were deleted within the hour.
// Deletes in a cluster's own DNS do not count here: services.ts counts its Services instead.
import type { GuardLimits } from '../../ports/guard-limits.ts';
import { countedNamespace, isUncounted } from '../../record-sets/guarded.ts';
import type { HostedZoneItem } from '../../record-sets/hosted-zone-item.ts';
import type { RecordSetItem } from '../../record-sets/record-set-item.ts';
import { deletedAtMs, HOUR_MS } from '../../record-sets/retention.ts';
import type { Tallies, Tally } from '../plan/progress.ts';
import { countsByService } from './services.ts';

const MINUTE_MS = 60_000;

/** What one item adds to the counts of its hosted zone. `before`: how many there were before its deletion, if known. */
export type Counted = {
  readonly namespace: string;
  readonly isPublished: boolean;
  readonly deletedAtMs: number | null;
  readonly before?: number;
};

/** Deletions are noted by the minute. */
export function minuteOf(atMs: number): number {
  return Math.floor(atMs / MINUTE_MS);
}

function countOf(item: RecordSetItem, nowMs: number): Counted {
  const namespace = countedNamespace(item);
  if (isUncounted(item)) return { namespace, isPublished: false, deletedAtMs: null };
  return { namespace, isPublished: item.published !== null, deletedAtMs: deletedAtMs(item, nowMs) };
}

/** How the counts change when an item changes. `was`: what it was counted for before, if it was counted. */
export function tally(
  { services }: GuardLimits,
  was: RecordSetItem | Counted | undefined,
  is: RecordSetItem,
  nowMs: number,
): readonly Tally[] {
  const before = was !== undefined && 'type' in was ? was : null;
  const apart = countsByService(services, is) || (before !== null && countsByService(services, before));
  const to = countOf(is, nowMs);
  const counted = before === null ? (was as Counted | undefined) : countOf(before, nowMs);
  const from = counted ?? { ...to, isPublished: false, deletedAtMs: null };
  const isSame = apart || from.deletedAtMs === to.deletedAtMs;
  const undone = isSame || from.deletedAtMs === null ? [] : [{ atMs: from.deletedAtMs, count: -1 }];
  const done = isSame || to.deletedAtMs === null ? [] : [{ atMs: to.deletedAtMs, count: 1 }];
  const changes = [
    { namespace: from.namespace, published: -Number(from.isPublished), deletions: undone },
    { namespace: to.namespace, published: Number(to.isPublished), deletions: done },
  ];
  return changes.filter(({ published, deletions }) => published !== 0 || deletions.length > 0);
}

/** The deletions of the last hour, by the minute, with those of a run. A deletion that was undone no longer counts. */
export function deletionsWith(
  { deletions }: Tallies,
  hostedZone: Pick<HostedZoneItem, 'deletions' | 'publishedCount'>,
  nowMs: number,
): HostedZoneItem['deletions'] {
  const before = hostedZone.publishedCount;
  const own = deletions.map((one) => ({ ...one, published: one.count > 0 ? before : 0 }));
  const recent = [...hostedZone.deletions, ...own].filter((one) => one.atMs > nowMs - HOUR_MS);
  const byMinute = Map.groupBy(recent, (one) => minuteOf(one.atMs));
  return [...byMinute.values()]
    .map((ofMinute) =>
      ofMinute.reduce((sum, one) => ({
        atMs: Math.max(sum.atMs, one.atMs),
        count: sum.count + one.count,
        published: Math.max(sum.published, one.published),
      })),
    )
    .filter((one) => one.count !== 0);
}
