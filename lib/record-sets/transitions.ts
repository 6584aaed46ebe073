// How the item of a record set changes after an event: it was sent, published, refused.

import { type RecordSet, type RecordSetContent, sameContent } from '../dns/record-set.ts';
import { backoff } from '../ports/backoff.ts';
import { OUTSIDER, withFlip } from './flip-breaker.ts';
import { keptSeconds, waitAfter } from './propagation.ts';
import {
  isSameText,
  isWithdrawn,
  type RecordSetItem,
  type Refusal,
  type Refused,
  storedContent,
  storedTexts,
} from './record-set-item.ts';
import { type Abandoned, HOUR_MS, isCharged, recentLate } from './retention.ts';
import { samePublishing } from './same-content.ts';

/** True if Route 53 has what an earlier run wrote, which had not landed when it was read back. */
export function isOurs(item: Pick<RecordSetItem, 'late'>, actual: RecordSetContent | null): boolean {
  return item.late.some((one) => sameContent(one.content, actual));
}

/**
 * The epoch of the lease under which something is saved, and the time. `follows`: it is noted until when resolvers may
 * answer what was there before; absent: it is not. `abandoned`: the lease of the run before, if that died.
 */
export type Moment = {
  readonly epoch: number;
  readonly nowMs: number;
  readonly follows?: boolean;
  readonly abandoned?: Abandoned | null;
};

/** The objects of the record set: those that ask for it, or that asked for it last. */
export function objectsOf({ objects, publishedObjects, desired, inherits }: RecordSetItem): readonly string[] {
  if (inherits === true && desired !== null) return [];
  return objects.length > 0 ? objects : publishedObjects.filter((one) => one !== OUTSIDER);
}

/** The objects that ask for what was published: others than when it was planned, if they ask for the same since. */
export function askersOf(
  { desired, objects }: RecordSetItem,
  planned: { readonly after: RecordSetContent | null; readonly objects: readonly string[] },
): readonly string[] {
  return objects.length > 0 && sameContent(desired, planned.after) ? objects : planned.objects;
}

/** The item without its intent, whose write had no answer: its content is kept as a late write. */
export function withoutIntent({ nowMs, abandoned = null }: Moment, item: RecordSetItem): RecordSetItem {
  const { intent } = item;
  if (intent === null) return item;
  const isSame = (one: RecordSetItem['late'][number]) => sameContent(one.content, intent.content);
  const others = item.late.filter((one) => !isSame(one));
  const isKnown = item.late.some((one) => isSame(one) && one.owed !== true);
  const isOwed = intent.content === null && !isKnown && !isCharged(intent, abandoned);
  const late = { content: intent.content, atMs: nowMs, ...(isOwed ? { owed: true as const } : {}) };
  return { ...item, intent: null, late: [...others, late] };
}

/** The item once it is known what is published. Clears intent and refusal. */
export function withPublished(
  { epoch, nowMs, follows = false }: Moment,
  item: RecordSetItem,
  content: RecordSetContent | null,
  how: {
    readonly objects: readonly string[];
    readonly tookOver?: boolean;
    readonly deleted?: boolean;
    /** Absent: they stay as they are. */
    readonly texts?: readonly RecordSet[];
    /** Absent: as they are, without those that have gone with `texts`. */
    readonly sharedTexts?: readonly RecordSet[];
    /** The delete is the first of two batches. The create that follows it does not change the note of that. */
    readonly inTwoBatches?: boolean;
    /** Route 53's id of the change; absent: it is not known. */
    readonly changeId?: string | null;
    /** For how many seconds resolvers keep what was there, and whether there was nothing. Absent: by `published`. */
    readonly keptSeconds?: number;
    readonly isNew?: boolean;
  },
): RecordSetItem {
  const moved = item.type !== 'SOA' && !sameContent(item.published, content);
  // What a takeover finds was there already.
  const isSeen = how.tookOver === true && how.changeId === undefined;
  const isChange = item.type === 'SOA' ? how.changeId != null || how.keptSeconds !== undefined : moved && !isSeen;
  // If the content is only seen to be the same as before, earlier refusals still count.
  const isNews = moved || (item.intent !== null && sameContent(item.intent.content, content));
  // A delete of ours that was given up and has landed since counts for the guard like any other.
  const ours = how.deleted === true || (content === null && isOurs(item, null));
  const deleted = ours && item.published !== null && item.type !== 'SOA';
  const isOver = content === null && item.desired === null;
  const texts = how.texts === undefined ? item.texts : storedTexts(how.texts);
  const hasGone = (text: RecordSetItem['texts'][number]) =>
    item.texts.some((one) => isSameText(one, text)) && !texts.some((one) => isSameText(one, text));
  const shared = how.sharedTexts === undefined ? item.sharedTexts : storedTexts(how.sharedTexts);
  const { lost, propagation, claimed, ...rest } = item;
  // It was deleted because of what another cluster has beside it, and its objects still ask for it.
  const isRefused = content === null && isWithdrawn(item);
  const isLost = lost !== undefined && !samePublishing(item.type, item.desired, content);
  return {
    ...rest,
    ...(isLost ? { lost } : {}),
    ...(claimed !== undefined && (isRefused ? { desired: claimed } : { claimed })),
    ...(isChange ? follows && { propagation: waitOf(item, how, nowMs) } : propagation && { propagation }),
    published: storedContent(content),
    // After a delete the objects stay: they must still be reported, and they may be fighting over the name.
    publishedObjects: content === null ? item.publishedObjects : [...how.objects],
    intent: null,
    refusal: isRefused ? item.refusal : null,
    refused: content === null || !isNews ? item.refused : null,
    // Late writes of the same content stay, too: a second try may have landed, and the first may land after a delete.
    late: recentLate(item, nowMs),
    flips: moved ? withFlip(item, how.objects, how.tookOver === true, nowMs) : item.flips,
    deleted: deleted ? { epoch, atMs: nowMs } : content === null ? item.deleted : null,
    texts,
    sharedTexts: isOver ? [] : shared.filter((text) => !hasGone(text)),
    publishedAtMs: moved ? nowMs : item.publishedAtMs,
    inTwoBatches: moved && item.published !== null ? how.inTwoBatches === true : item.inTwoBatches,
  };
}

/** What an item notes of its change, from now on. */
function waitOf(
  { type, published, propagation }: RecordSetItem,
  {
    changeId = null,
    keptSeconds: seconds = keptSeconds(published),
    isNew = published === null,
  }: { readonly changeId?: string | null; readonly keptSeconds?: number; readonly isNew?: boolean },
  atMs: number,
) {
  return waitAfter(propagation, { changeId, atMs, keptSeconds: seconds, isNew: isNew && type !== 'SOA' });
}

/** The item after its change was refused. What is published stays as it is. */
export function withRefusal(item: RecordSetItem, refusal: Refusal): RecordSetItem {
  return { ...item, intent: null, refusal };
}

/**
 * The item of a record set of which the reviewed plan did not show what Route 53 has there. A takeover that has begun
 * ends: what stands is somebody else's. One that was ours before, and is to be deleted, stays drifted.
 */
export function refusedUnagreed(item: RecordSetItem, message: string, atMs: number): RecordSetItem {
  const isBegun = item.published !== null && item.publishedObjects.includes(OUTSIDER);
  const left = isBegun && item.desired !== null ? withoutClaim(item) : item;
  const reason = left.published === null ? 'ForeignRecord' : 'Drifted';
  return withRefusal(left, { reason, message, content: item.desired, atMs });
}

/**
 * The item of a record set that stays in Route 53 and is not ours any more. For objects that still ask for it, it is
 * foreign; `message` says so.
 */
export function forgotten(item: RecordSetItem, message: string, nowMs: number): RecordSetItem {
  const { desired } = item;
  const refusal =
    desired === null ? null : { reason: 'ForeignRecord' as const, message, content: desired, atMs: nowMs };
  const { propagation: _, ...kept } = withoutClaim(item);
  const left = { ...kept, intent: null, refused: null, late: [], flips: [], deleted: null };
  return { ...left, refusal, publishedAtMs: nowMs, inTwoBatches: false };
}

/** The item of a record set that came from another cluster as it stands. */
export function withGiven(
  item: RecordSetItem,
  content: RecordSetContent,
  takenFrom: NonNullable<RecordSetItem['takenFrom']>,
): RecordSetItem {
  const publishedObjects = sameContent(item.desired, content) ? item.objects : [];
  const given = { published: storedContent(content), publishedObjects, publishedAtMs: takenFrom.atMs };
  return { ...item, takenFrom, ...given, refusal: null, refused: null };
}

/** The pauses before a refused change is tried again with the same content: from the first on they double. */
const pauseMs = backoff(HOUR_MS / 4, 24 * HOUR_MS);
/** How many names may be in the next batch of a record set that was refused alone: a quarter after each refusal. */
const TOGETHER_AFTER_FIRST = 64;
/** The same if Route 53 named the record set: as many as fit into a batch. */
const TOGETHER_NAMED = 1_000;

/**
 * The field `refused` of a record set that Route 53 refused by itself. `isNamed`: the message named it. Then it may be
 * tried again in a large batch, because another refusal would name it again.
 */
export function refusedAlone(before: Refused | null, nowMs: number, isNamed: boolean): Refused {
  const times = (before?.times ?? 0) + 1;
  const few = Math.max(1, Math.floor(TOGETHER_AFTER_FIRST / 4 ** (times - 1)));
  return { times, together: isNamed ? TOGETHER_NAMED : few, atMs: nowMs };
}

/** True if the message of the last refusal named the record set. */
export function wasNamed({ together }: Refused): boolean {
  return together === TOGETHER_NAMED;
}

/** The field `refused` of a record set whose batch was refused, if it is not known because of which one. */
export function refusedTogether(before: Refused | null, together: number, nowMs: number): Refused {
  return { times: before?.times ?? 0, together, atMs: nowMs };
}

/** When to try again after `times` refusals, the last one at `atMs`. */
export function nextTryMs(times: number, atMs: number): number {
  return atMs + pauseMs(times);
}

/** True if the pause of a refused record set is over. */
export function isDueAgain({ refused, refusal }: Pick<RecordSetItem, 'refused' | 'refusal'>, nowMs: number): boolean {
  return nowMs >= nextTryMs(refused?.times ?? 0, refused?.atMs ?? refusal?.atMs ?? 0);
}

/** True if it was taken over from external-dns before: only TXT record sets that stayed then may be left to delete. */
export function isTakenOver({ published, publishedObjects, texts, sharedTexts }: RecordSetItem): boolean {
  if (published === null || publishedObjects.includes(OUTSIDER)) return false;
  return texts.every((text) => sharedTexts.some((one) => isSameText(one, text)));
}

/** The item of a record set whose takeover had begun when somebody else claimed it: it was never ours. */
export function withoutClaim(item: RecordSetItem): RecordSetItem {
  return { ...item, published: null, publishedObjects: [], texts: [], sharedTexts: [] };
}
