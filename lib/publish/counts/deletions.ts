// What the guard counts in a hosted zone: record sets that are published, and those that were deleted within the hour.
// Deletes in a cluster's own DNS do not count here: services.ts counts its Services instead.
import type { GuardLimits } from '../../ports/guard-limits.ts';
import type { HostedZoneItem } from '../../record-sets/hosted-zone-item.ts';
import type { RecordSetItem } from '../../record-sets/record-set-item.ts';
import { deletedAtMs, HOUR_MS } from '../../record-sets/retention.ts';
import type { Tallies } from '../plan/progress.ts';
import { countsByService } from './services.ts';

const MINUTE_MS = 60_000;

/** What one item adds to the counts of its hosted zone. `before`: how many there were before its deletion, if known. */
export type Counted = { readonly isPublished: boolean; readonly deletedAtMs: number | null; readonly before?: number };

/** Deletions are noted by the minute. */
export function minuteOf(atMs: number): number {
  return Math.floor(atMs / MINUTE_MS);
}

const NOTHING: Counted = { isPublished: false, deletedAtMs: null };

function countOf(item: RecordSetItem, nowMs: number): Counted {
  if (item.type === 'SOA') return NOTHING;
  return { isPublished: item.published !== null, deletedAtMs: deletedAtMs(item, nowMs) };
}

/** How the counts change when an item changes. `was`: what it was counted for before, if it was counted. */
export function tally(
  { services }: GuardLimits,
  was: RecordSetItem | Counted | undefined,
  is: RecordSetItem,
  nowMs: number,
): Tallies {
  const before = was !== undefined && 'type' in was ? was : null;
  const apart = countsByService(services, is) || (before !== null && countsByService(services, before));
  const from = before === null ? ((was as Counted | undefined) ?? NOTHING) : countOf(before, nowMs);
  const to = countOf(is, nowMs);
  const published = Number(to.isPublished) - Number(from.isPublished);
  if (apart || from.deletedAtMs === to.deletedAtMs) return { published, deletions: [] };
  const undone = from.deletedAtMs === null ? [] : [{ atMs: from.deletedAtMs, count: -1 }];
  const done = to.deletedAtMs === null ? [] : [{ atMs: to.deletedAtMs, count: 1 }];
  return { published, deletions: [...undone, ...done] };
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
