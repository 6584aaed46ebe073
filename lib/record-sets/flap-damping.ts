// The flip breaker: a record set whose published content changes hands again and again is two writers fighting, and
// each change is a chance to serve the wrong one. Winning by persistence helps nobody: it is held, and its objects are
// told who fights whom. An owner who merely edits often fights nobody, and has a far higher limit.
import type { Change } from '../dns/plan-changes.ts';
import { type RecordSetItem, type Refusal, storedContent } from './record-set-item.ts';

/** Ten minutes: the window in which changes are counted. */
export const FLIP_WINDOW_MS = 600_000;
/** Changes of author within the window. Kuadrant and k8gb had endless update cycles; six is no accident. */
export const FLIPS_MAX = 6;
/** Changes within the window whoever made them: one every five seconds for ten minutes is no person. */
const EDITS_MAX = 120;

type Flip = RecordSetItem['flips'][number];

/** Somebody outside of the cluster, whose record set a takeover replaced. */
export const OUTSIDER = 'somebody outside of zone53';

function within(flips: readonly Flip[], nowMs: number): Flip[] {
  return flips.filter((flip) => flip.atMs > nowMs - FLIP_WINDOW_MS);
}

/** The flips of an item after it changed from what `by` says to what its objects want now. */
export function withFlip(item: RecordSetItem, objects: readonly string[], tookOver: boolean, nowMs: number): Flip[] {
  const before = tookOver ? [OUTSIDER] : item.publishedObjects;
  const fight = before.length > 0 && objects.length > 0 && !before.some((one) => objects.includes(one));
  const flips = [...within(item.flips, nowMs), { atMs: nowMs, by: [...(fight ? before : objects)], fight }];
  return flips.slice(-EDITS_MAX);
}

/** The refusal to give, and until when, if one more change would be one too many; null if it may go. */
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
  const message = `${change.type} ${change.name} changed ${over.length} times in ten minutes: ${fight}. It is left as it stands until ${new Date(untilMs).toISOString()}.`;
  return {
    refusal: { reason: 'HeldByGuard', message, content: storedContent(change.after), atMs: nowMs },
    untilMs,
  };
}

/** True when forgetting these changes would not hide a fight. */
export function isSpentFlips(flips: readonly Flip[], nowMs: number): boolean {
  return within(flips, nowMs).length <= 1;
}
