// When the item of a record set may forget something. A write of ours that may land late is forgotten only after a
// reading that was made when it could no longer land. If it were forgotten earlier and landed, the record set would
// count as foreign for ever. An item without content is removed.
import { FLIP_WINDOW_MS, isSpentFlips } from './flip-breaker.ts';
import { isForgotten } from './propagation.ts';
import type { RecordSetItem } from './record-set-item.ts';

export const HOUR_MS = 3_600_000;
/** A call that was given up lands within this time, in milliseconds, or never. */
const LATE_MS = HOUR_MS;

/** The writes of ours that were given up and may still land. */
export function recentLate(item: RecordSetItem, nowMs: number): RecordSetItem['late'] {
  return item.late.filter((one) => one.atMs > nowMs - LATE_MS);
}

/** The lease of a run that died: up to which batch of which epoch the guard's numbers have the deletes of intents. */
export type Abandoned = {
  readonly epoch: number;
  readonly charged: { readonly epoch: number; readonly batch: number };
};

/**
 * True for a write intent of a delete that the guard's numbers have. Only a run that died may not have come to charge
 * it; then it did not come to send it either, or a delete that was given up before is counted. `abandoned`: the lease
 * of the run before, if that died.
 */
export function isCharged(
  intent: Pick<NonNullable<RecordSetItem['intent']>, 'epoch' | 'batch'>,
  abandoned: Abandoned | null,
): boolean {
  if (abandoned === null || intent.epoch > abandoned.epoch) return true;
  const { epoch, batch } = abandoned.charged;
  return intent.epoch < epoch || (intent.epoch === epoch && (intent.batch ?? 0) <= batch);
}

/**
 * When we deleted the record set, or may have: a delete that is under way may have landed, and one that was given up
 * may still land. The guard counts both until the outcome is known. Null: no such delete within the hour.
 */
export function deletedAtMs(
  { published, deleted, intent, late }: Pick<RecordSetItem, 'published' | 'deleted' | 'intent' | 'late'>,
  nowMs: number,
): number | null {
  const mayLand =
    published === null
      ? undefined
      : [intent, ...late.filter(({ owed }) => owed !== true)].find((one) => one?.content === null);
  const atMs = deleted?.atMs ?? mayLand?.atMs ?? null;
  return atMs !== null && atMs > nowMs - HOUR_MS ? atMs : null;
}

/** True if there is a late write that a reading of `nowMs` lets us forget. */
export function hasOldLate(item: RecordSetItem, nowMs: number): boolean {
  return recentLate(item, nowMs).length < item.late.length;
}

/**
 * True for an item without content that may be removed: it has no write that may land, no fight, no waiting alias, and
 * no content that resolvers may still answer. A deletion stays for ten minutes: if the record set is published again
 * meanwhile, the guard takes it back.
 */
export function isSpent(item: RecordSetItem, nowMs: number): boolean {
  const { desired, published, intent, awaitedBy, propagation } = item;
  const empty = desired === null && published === null && intent === null && awaitedBy.length === 0;
  if (propagation !== undefined && !isForgotten(propagation, nowMs)) return false;
  const isRecent = item.deleted !== null && item.deleted.atMs > nowMs - FLIP_WINDOW_MS;
  return empty && !isRecent && item.late.length === 0 && isSpentFlips(item.flips, nowMs);
}
