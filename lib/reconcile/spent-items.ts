// When what was noted of a record set may be forgotten: a write of ours that may land late only after somebody looked when it
// no longer could, an item when it says nothing any more. Otherwise what lands would be taken for somebody else's, for ever.
import { HOUR_MS } from './guard.ts';
import type { RecordSetItem } from './ledger-items.ts';
import { isSpentFlips } from './publish-flips.ts';

/** A call that was given up lands so long after at most, milliseconds. */
const LATE_MS = HOUR_MS;

/** What of ours may still land at the item, though nobody waits for it any more. */
export function recentLate(item: RecordSetItem, nowMs: number): RecordSetItem['late'] {
  return item.late.filter((one) => one.atMs > nowMs - LATE_MS);
}

/** True when there is a write to forget, once it is known what stands as of `nowMs`. */
export function hasOldLate(item: RecordSetItem, nowMs: number): boolean {
  return recentLate(item, nowMs).length < item.late.length;
}

/** True for an item that says nothing any more: removing it forgets no write that may land, no fight, and no deletion that the guard still counts. */
export function isSpent(item: RecordSetItem, nowMs: number): boolean {
  const empty = item.desired === null && item.published === null && item.intent === null;
  const counts = item.deleted !== null && item.deleted.atMs > nowMs - HOUR_MS;
  return empty && !counts && item.late.length === 0 && isSpentFlips(item.flips, nowMs);
}
