// The flip breaker: counts changes of the content of a record set, and holds it. If the content of a record set changes
// again and again between two authors, they fight over it, and each change may serve the wrong content. Then the record
// set is held for some minutes, and its objects report who fights. An author who merely edits often has a far higher
// limit.
import type { Change } from '../dns/plan-changes.ts';
import { showRecordSet } from '../dns/record-set.ts';
import { type RecordSetItem, type Refusal, storedContent } from './record-set-item.ts';

/** Ten minutes: the window in which changes are counted. */
export const FLIP_WINDOW_MS = 600_000;
/** Changes of author within the window. Kuadrant and k8gb had endless update cycles; six are not an accident. */
export const FLIPS_MAX = 6;
/** Changes within the window by anybody: no person makes one every five seconds for ten minutes. */
const EDITS_MAX = 120;

type Flip = RecordSetItem['flips'][number];

/** The author of a record set that a takeover replaced. */
export const OUTSIDER = 'somebody outside of zone53';

function within(flips: readonly Flip[], nowMs: number): Flip[] {
  return flips.filter((flip) => flip.atMs > nowMs - FLIP_WINDOW_MS);
}

/** The flips of an item after a change of its published content. The authors are now `objects`. */
export function withFlip(item: RecordSetItem, objects: readonly string[], tookOver: boolean, nowMs: number): Flip[] {
  const before = tookOver || item.publishedObjects.includes(OUTSIDER) ? [OUTSIDER] : item.publishedObjects;
  const fight = before.length > 0 && objects.length > 0 && !before.some((one) => objects.includes(one));
  const flips = [...within(item.flips, nowMs), { atMs: nowMs, by: [...(fight ? before : objects)], fight }];
  return flips.slice(-EDITS_MAX);
}

/** The refusal of a change that exceeds a limit, and until when it is held; null if the change may be made. */
export function flipHold(
  item: RecordSetItem | undefined,
  change: Change,
  nowMs: number,
): { readonly refusal: Refusal; readonly untilMs: number } | null {
  if (item === undefined) return null;
  const recent = within(item.flips, nowMs);
  const fights = recent.filter((flip) => flip.fight);
  const over = fights.length >= FLIPS_MAX ? fights : recent.length >= EDITS_MAX ? recent : null;
  const oldest = over?.[0];
  if (over === null || oldest === undefined) return null;
  const untilMs = oldest.atMs + FLIP_WINDOW_MS;
  const who = [...new Set([...over.flatMap((flip) => flip.by), ...change.objects])].sort();
  const fight = who.length > 1 ? `${who.join(' and ')} fight over it` : `${who[0] ?? 'it'} keeps changing`;
  const message = `${showRecordSet(change)} changed ${over.length} times in ten minutes: ${fight}. It is left unchanged until ${new Date(untilMs).toISOString()}.`;
  return {
    refusal: { reason: 'HeldByGuard', message, content: storedContent(change.after), atMs: nowMs },
    untilMs,
  };
}

/** True if these changes may be forgotten without hiding a fight. */
export function isSpentFlips(flips: readonly Flip[], nowMs: number): boolean {
  return within(flips, nowMs).length <= 1;
}
