// When a change resolves everywhere: once the name servers of Route 53 have it (its batch is INSYNC), and resolvers can
// no longer answer what was there before. They keep a content for its TTL, and that there was nothing for the negative
// TTL of the SOA (RFC 2308 section 5). Pure.
//
//   Route 53 says INSYNC | an hour since it was accepted | what was there may be kept | it is
//   not yet              | not over                      | -                          | Changing
//   never                | over                          | -                          | Unknown
//   yes                  | -                             | yes                        | Changing
//   yes                  | -                             | no                         | Resolved
//
// A record set whose item has no wait has not changed since its last change resolved.
import type { RecordSetContent } from '../dns/record-set.ts';
import { type PropagatedReason, timeText, type Verdict } from '../objects/conditions.ts';
import type { RecordSetItem } from './record-set-item.ts';

/** What an item notes of its last change until that resolves. */
export type Wait = NonNullable<RecordSetItem['propagation']>;

/** Route 53's name servers usually have a change within this time (Developer Guide). Last verified 2026-11-29. */
const USUAL_MS = 60_000;
/** A change of which Route 53 has not said INSYNC for so long is given up. */
const LEARN_MS_MAX = 3_600_000;
/** Clocks differ by less, and an answer is on its way for less. The lease has the same margin. */
const CLOCKS_MS = 5_000;
/** No resolver in wide use keeps an answer for longer (BIND's max-cache-ttl; RFC 8767 section 4). */
const KEPT_SECONDS_MAX = 604_800;
/** The negative TTL of a SOA as Route 53 makes it, until the SOA is read. It has TTL 900 and minimum 86400. */
export const NEGATIVE_SECONDS = 900;
/** The longest TTL of an alias to an AWS resource: most have 60, Global Accelerator has 300. */
export const ALIAS_SECONDS = 300;
/** The TTL of an alias whose target is not known. */
const UNKNOWN_SECONDS = 86_400;
/** Name servers have a delete by then; nobody asks Route 53 about deletes. */
const DELETE_MS = 900_000;

/** `untilMs`: until when resolvers may answer what was there; estimated while `sinceMs` is null. */
export type Propagation =
  | { readonly reason: 'Resolved' }
  | { readonly reason: 'Changing'; readonly untilMs: number; readonly sinceMs: number | null }
  | { readonly reason: 'Unknown'; readonly atMs: number };

/** For how many seconds resolvers keep a content. `targetSeconds`: of an alias; null: its target is not known. */
export function keptSeconds(content: RecordSetContent | null, targetSeconds: number | null = null): number {
  if (content === null) return 0;
  const seconds = content.kind === 'values' ? content.ttlSeconds : (targetSeconds ?? UNKNOWN_SECONDS);
  return Math.min(KEPT_SECONDS_MAX, seconds);
}

/** The negative TTL of a SOA in seconds: the lesser of its TTL and its minimum. Null: it is no SOA that can be read. */
export function negativeSeconds(soa: RecordSetContent | null): number | null {
  if (soa?.kind !== 'values') return null;
  const minimum = Number(/\s(\d+)\s*$/.exec(soa.values[0] ?? '')?.[1] ?? Number.NaN);
  return Number.isSafeInteger(minimum) ? Math.min(soa.ttlSeconds, minimum, KEPT_SECONDS_MAX) : null;
}

/**
 * The wait after a change was accepted. `keptSeconds`: for how long resolvers keep what was there; `isNew`: nothing was
 * there. An earlier change that has not reached all name servers has reached them when this one has.
 */
export function waitAfter(
  before: Wait | undefined,
  change: Pick<Wait, 'changeId' | 'atMs' | 'keptSeconds' | 'isNew'>,
): Wait {
  const open = before?.insyncMs === null ? before : null;
  return {
    ...change,
    keptSeconds: Math.max(change.keptSeconds, open?.keptSeconds ?? 0),
    isNew: change.isNew || open?.isNew === true,
    insyncMs: null,
    earlierMs: before === undefined ? 0 : open === null ? untilMs(before) : before.earlierMs,
  };
}

/** The wait once all name servers have the change. `nothingSeconds`: how long resolvers keep that nothing was there. */
export function waitInSync(wait: Wait, insyncMs: number, nothingSeconds: number): Wait {
  const seconds = wait.isNew
    ? Math.max(wait.keptSeconds, Math.min(KEPT_SECONDS_MAX, nothingSeconds))
    : wait.keptSeconds;
  return { ...wait, keptSeconds: seconds, isNew: false, insyncMs };
}

/** Until when resolvers may answer what was there before, in milliseconds since the epoch. */
export function untilMs({ atMs, insyncMs, keptSeconds: seconds, isNew, earlierMs }: Wait): number {
  const kept = isNew ? Math.max(seconds, NEGATIVE_SECONDS) : seconds;
  return Math.max(earlierMs, (insyncMs ?? atMs + USUAL_MS) + kept * 1_000 + CLOCKS_MS);
}

/** True once nobody asks Route 53 about the change any more. */
export function isGivenUp({ atMs, insyncMs }: Wait, nowMs: number): boolean {
  return insyncMs === null && nowMs - atMs >= LEARN_MS_MAX;
}

/** The table above. */
export function propagationOf(wait: Wait | undefined, nowMs: number): Propagation {
  if (wait === undefined) return { reason: 'Resolved' };
  if (isGivenUp(wait, nowMs)) return { reason: 'Unknown', atMs: wait.atMs };
  const until = untilMs(wait);
  if (wait.insyncMs !== null && nowMs >= until) return { reason: 'Resolved' };
  return { reason: 'Changing', untilMs: until, sinceMs: wait.insyncMs };
}

/** True for the wait of a record set that was deleted, when resolvers no longer have it. */
export function isForgotten({ atMs, keptSeconds: seconds, earlierMs }: Wait, nowMs: number): boolean {
  return nowMs >= Math.max(earlierMs, atMs + seconds * 1_000 + DELETE_MS);
}

/** Of several record sets: what is not resolved, and of that what takes longest. Null: there are none. */
export function worstPropagation(all: readonly Propagation[]): Propagation | null {
  const changing = all.filter((one) => one.reason === 'Changing');
  const last = changing.toSorted(
    (a, b) => Number(a.sinceMs !== null) - Number(b.sinceMs !== null) || b.untilMs - a.untilMs,
  );
  return last[0] ?? all.find(({ reason }) => reason === 'Unknown') ?? all[0] ?? null;
}

/** The verdict, in words that change only when something new is known. */
export function propagationVerdict(of: Propagation): Verdict<PropagatedReason> {
  switch (of.reason) {
    case 'Resolved':
      return {
        reason: 'Resolved',
        message: 'the name servers of Route 53 have it, and resolvers no longer have what was there before',
      };
    case 'Unknown':
      return {
        reason: 'Unknown',
        message: `Route 53 did not say within an hour that its name servers have the change of ${timeText(of.atMs)}`,
      };
    case 'Changing': {
      const until = timeText(Math.ceil(of.untilMs / 1_000) * 1_000);
      const message =
        of.sinceMs === null
          ? `Route 53 brings the change to its name servers; resolvers may answer what was there before until about ${until}`
          : `the name servers of Route 53 have it; resolvers may answer what was there before until ${until}`;
      return { reason: 'Changing', message };
    }
    default:
      return of satisfies never;
  }
}
