// What the guard counts in a hosted zone: record sets that are published, and those that were deleted within the hour.
// A delete is charged before its call, from its write intent on, and taken back if Route 53 refuses it. Deletes in a
// cluster's own DNS do not count here: services.ts counts its Services instead.
import type { GuardLimits } from '../../ports/guard-limits.ts';
import { countedNamespace, isUncounted } from '../../record-sets/guarded.ts';
import type { HostedZoneItem } from '../../record-sets/hosted-zone-item.ts';
import type { AbandonedLease } from '../../record-sets/lease.ts';
import type { RecordSetItem } from '../../record-sets/record-set-item.ts';
import { deletedAtMs, HOUR_MS, isCharged } from '../../record-sets/retention.ts';
import type { Tallies, Tally } from '../plan/progress.ts';
import { countsByService } from './services.ts';

const MINUTE_MS = 60_000;

/** What one item adds to the counts of its hosted zone. */
type Counted = { readonly namespace: string; readonly isPublished: boolean; readonly deletedAtMs: number | null };

/** Deletions are noted by the minute. */
function minuteOf(atMs: number): number {
  return Math.floor(atMs / MINUTE_MS);
}

/** True for a delete under way that the numbers have. */
function isDeleteCharged({ intent, published }: RecordSetItem, abandoned: AbandonedLease | null): boolean {
  return intent?.content === null && published !== null && isCharged(intent, abandoned);
}

/**
 * What an item counts for. A delete that is charged counts as deleted already. `abandoned`: the lease of the run
 * before, if that died.
 */
export function countOf(item: RecordSetItem, abandoned: AbandonedLease | null, nowMs: number): Counted {
  const namespace = countedNamespace(item);
  if (isUncounted(item)) return { namespace, isPublished: false, deletedAtMs: null };
  const charged = isDeleteCharged(item, abandoned);
  const atMs = deletedAtMs(charged ? item : { ...item, intent: null }, nowMs);
  return { namespace, isPublished: item.published !== null && !charged, deletedAtMs: atMs };
}

/** How the counts change when an item changes. A deletion that only moves within its minute stays as it is. */
export function tally(
  { services }: GuardLimits,
  was: RecordSetItem,
  is: RecordSetItem,
  { abandoned, nowMs }: { readonly abandoned: AbandonedLease | null; readonly nowMs: number },
): readonly Tally[] {
  const { deletedAtMs: before, ...from } = countOf(was, abandoned, nowMs);
  const { deletedAtMs: after, ...to } = countOf(is, abandoned, nowMs);
  const isKnown = before === null ? after === null : after !== null && minuteOf(before) === minuteOf(after);
  const isSame = isKnown || countsByService(services, is) || countsByService(services, was);
  const undone = isSame || before === null ? [] : [{ atMs: before, count: -1 }];
  const done = isSame || after === null ? [] : [{ atMs: after, count: 1, sinceMs: before }];
  return [
    { namespace: from.namespace, published: -Number(from.isPublished), deletions: undone },
    { namespace: to.namespace, published: Number(to.isPublished), deletions: done },
  ];
}

/** The deletions of the last hour, by the minute, with those of a run. A deletion that was undone no longer counts. */
export function deletionsWith(
  { deletions }: Tallies,
  hostedZone: Pick<HostedZoneItem, 'deletions' | 'publishedCount'>,
  nowMs: number,
): HostedZoneItem['deletions'] {
  const own = deletions.map(({ atMs, count, sinceMs }) => {
    const known = hostedZone.deletions.filter((one) => sinceMs != null && minuteOf(one.atMs) === minuteOf(sinceMs));
    const before = Math.max(hostedZone.publishedCount, ...known.map(({ published }) => published));
    return { atMs, count, published: count > 0 ? before : 0 };
  });
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
