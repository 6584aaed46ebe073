// When the item of a record set may forget something. A write of ours that may land late is forgotten when somebody has
// looked after it could no longer land; an item is removed when it says nothing any more. Forgotten earlier, what lands
// would be taken for somebody else's, for ever.
import { isSpentFlips } from './flap-damping.ts';
import type { RecordSetItem } from './record-set-item.ts';

export const HOUR_MS = 3_600_000;
/** A call that was given up lands so long after at most, milliseconds. */
const LATE_MS = HOUR_MS;

/** What of ours may still land at the item, though nobody waits for it any more. */
export function recentLate(item: RecordSetItem, nowMs: number): RecordSetItem['late'] {
  return item.late.filter((one) => one.atMs > nowMs - LATE_MS);
}

/**
 * When a delete of ours took the record set away, or may have: one that is under way has perhaps landed, one that was
 * given up may land at any time, and the guard counts both until it is known better. Null: neither, within the hour.
 */
export function deletedAtMs(
  { published, deleted, intent, late }: Pick<RecordSetItem, 'published' | 'deleted' | 'intent' | 'late'>,
  nowMs: number,
): number | null {
  const mayLand = published === null ? undefined : [intent, ...late].find((one) => one?.content === null);
  const atMs = deleted?.atMs ?? mayLand?.atMs ?? null;
  return atMs !== null && atMs > nowMs - HOUR_MS ? atMs : null;
}

/** True when there is a write to forget, once it is known what stands as of `nowMs`. */
export function hasOldLate(item: RecordSetItem, nowMs: number): boolean {
  return recentLate(item, nowMs).length < item.late.length;
}

/**
 * True for an item without content: removing it loses no write that may land, no conflict with a stranger, no waiting
 * alias, and no deletion that the guard still counts.
 */
export function isSpent(item: RecordSetItem, nowMs: number): boolean {
  const { desired, published, intent, awaitedBy } = item;
  const empty = desired === null && published === null && intent === null && awaitedBy.length === 0;
  return empty && deletedAtMs(item, nowMs) === null && item.late.length === 0 && isSpentFlips(item.flips, nowMs);
}
