// How the item of a record set moves on: it was sent, it stands, it was refused.
import { type RecordSet, type RecordSetContent, sameContent } from '../dns/record-set.ts';
import { withFlip } from './flap-damping.ts';
import { type RecordSetItem, type Refusal, type Refused, storedContent, storedTexts } from './record-set-item.ts';
import { HOUR_MS, recentLate } from './retention.ts';

/** True when what stands is something that an earlier run wrote and that had not landed when it was looked for. */
export function isOurs(item: Pick<RecordSetItem, 'late'>, actual: RecordSetContent | null): boolean {
  return item.late.some((one) => sameContent(one.content, actual));
}

/** Under which lease something is noted, and when. */
export type Moment = { readonly epoch: number; readonly nowMs: number };

/** The item after a write without an answer: its content may still land. Earlier ones are kept: nobody looked. */
export function withoutIntent({ nowMs }: Moment, item: RecordSetItem, mayLand: boolean): RecordSetItem {
  const { intent } = item;
  if (intent === null || !mayLand) return { ...item, intent: null };
  const others = item.late.filter((one) => !sameContent(one.content, intent.content));
  return { ...item, intent: null, late: [...others, { content: intent.content, atMs: nowMs }] };
}

/** The item once it is known what of ours stands in Route 53. Clears intent and refusal. */
export function withPublished(
  { epoch, nowMs }: Moment,
  item: RecordSetItem,
  content: RecordSetContent | null,
  how: {
    readonly objects: readonly string[];
    readonly tookOver?: boolean;
    readonly deleted?: boolean;
    /** Left out: as they are noted. */
    readonly texts?: readonly RecordSet[];
  },
): RecordSetItem {
  const moved = item.type !== 'SOA' && !sameContent(item.published, content);
  // What is only seen to stand as before was refused no less for that.
  const isNews = moved || (item.intent !== null && sameContent(item.intent.content, content));
  // A delete of ours that was given up and has landed since counts for the guard as any other.
  const ours = how.deleted === true || (content === null && isOurs(item, null));
  const deleted = ours && item.published !== null && item.type !== 'SOA';
  return {
    ...item,
    published: storedContent(content),
    // Of what is gone its objects stay noted: they are still to be told, and may be found to fight over the name.
    publishedObjects: content === null ? item.publishedObjects : [...how.objects],
    intent: null,
    refusal: null,
    refused: content === null || !isNews ? item.refused : null,
    // Also of the same content: it may have been a second try that put it there, and the first may land after a delete.
    late: recentLate(item, nowMs),
    flips: moved ? withFlip(item, how.objects, how.tookOver === true, nowMs) : item.flips,
    deleted: deleted ? { epoch, atMs: nowMs } : content === null ? item.deleted : null,
    texts: how.texts === undefined ? item.texts : storedTexts(how.texts),
    publishedAtMs: moved ? nowMs : item.publishedAtMs,
  };
}

/** The item once its change was refused for good: what we published stays noted, for it is ours to know about. */
export function withRefusal(item: RecordSetItem, refusal: Refusal): RecordSetItem {
  return { ...item, intent: null, refusal };
}

/** The pause before what was refused is tried again as it is: it doubles from the first to the last. */
const FIRST_PAUSE_MS = HOUR_MS / 4;
const LAST_PAUSE_MS = 24 * HOUR_MS;
/** Names in the batch of one that was refused alone and has changed since: a quarter as many after each refusal. */
const TOGETHER_AFTER_FIRST = 64;
/** The same, where Route 53 named it: as many as a batch holds. */
const TOGETHER_NAMED = 1_000;

/**
 * Noted of a record set that Route 53 refused by itself. `isNamed`: its words said which it was. Then it need not be
 * tried with few others: were it refused again, nobody would have to look for it.
 */
export function refusedAlone(before: Refused | null, nowMs: number, isNamed: boolean): Refused {
  const times = (before?.times ?? 0) + 1;
  const few = Math.max(1, Math.floor(TOGETHER_AFTER_FIRST / 4 ** (times - 1)));
  return { times, together: isNamed ? TOGETHER_NAMED : few, atMs: nowMs };
}

/** True where the words of the last refusal said which record set it was. */
export function wasNamed({ together }: Refused): boolean {
  return together === TOGETHER_NAMED;
}

/** Noted of a record set whose batch was refused, when nobody knows for whose sake. */
export function refusedTogether(before: Refused | null, together: number, nowMs: number): Refused {
  return { times: before?.times ?? 0, together, atMs: nowMs };
}

/** When something refused `times` times, the last time at `atMs`, is to be tried again as it is. */
export function nextTryMs(times: number, atMs: number): number {
  return atMs + Math.min(LAST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.max(0, times - 1));
}

/** True when the pause of a refused record set is over. */
export function isDueAgain({ refused, refusal }: Pick<RecordSetItem, 'refused' | 'refusal'>, nowMs: number): boolean {
  return nowMs >= nextTryMs(refused?.times ?? 0, refused?.atMs ?? refusal?.atMs ?? 0);
}

/** The item of what we had begun to take over and somebody else claims by now: it was never ours. */
export function withoutClaim(item: RecordSetItem): RecordSetItem {
  return { ...item, published: null, publishedObjects: [], texts: [] };
}
