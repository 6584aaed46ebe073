// Compares one hosted zone with the ledger, page by page. A record set of ours that is gone is published again. One
// that somebody edited is reported and left alone. A refused one is tried again once its obstacle is gone.
//
// A page is a range of names in Route 53's order. The ledger's order differs a little, so a wider range of items is
// read and compared by name (lib/route53/listing-order.ts). A wrong order would only cost publish a read under its
// lease. An item must be compared with a page that was read after it, so items that differ are compared once more.

import { createHash } from 'node:crypto';
import { type RecordSetContent, recordSetId, sameContent, showRecordSet } from '../dns/record-set.ts';
import { historian } from '../history/historian.ts';
import type { Stored } from '../ledger/item-codec.ts';
import { eachBetween } from '../ledger/pages.ts';
import { readable } from '../ledger/skip-unreadable.ts';
import { findRef, type ObjectRef, zoneOfKey } from '../objects/object-ref.ts';
import type { Context } from '../ports/context.ts';
import { orDenied } from '../ports/hosted-zones.ts';
import { inParallel } from '../ports/in-parallel.ts';
import type { Ledger, LedgerItem } from '../ports/ledger.ts';
import { once } from '../ports/once.ts';
import type { Cause } from '../ports/queues.ts';
import { markDirty } from '../record-sets/dirty-mark.ts';
import { lookAtChange, needsLook, noteNegativeSeconds } from '../record-sets/follow-change.ts';
import { removeSpentGuards } from '../record-sets/guard-item.ts';
import { isUncounted } from '../record-sets/guarded.ts';
import { compareWithRoute53 } from '../record-sets/judge-reading.ts';
import { abandonLease, changeHostedZone, readHostedZone } from '../record-sets/lease.ts';
import { negativeSeconds } from '../record-sets/propagation.ts';
import {
  type RecordSetItem,
  recordSetCodec,
  recordSetItemKey,
  recordSetsPartition,
} from '../record-sets/record-set-item.ts';
import { hasOldLate, isSpent, recentLate } from '../record-sets/retention.ts';
import { isUnprotected } from '../record-sets/state.ts';
import { readName } from '../record-sets/store.ts';
import { isDueAgain } from '../record-sets/transitions.ts';
import { hintZoneOf } from '../record-sets/wake-hosted-zones.ts';
import { compareRoute53Names, ledgerRange } from '../route53/listing-order.ts';
import { exceededLimit } from '../route53/record-set-limits.ts';
import { type Names, type PagePosition, readNames } from './listing-page.ts';
import type { HostedZoneFound } from './sweep-cursor.ts';
import { hasUnneededText } from './unneeded-texts.ts';

/** How many items may wait for the second comparison or for forget(), and how many are written at once. */
const WAITING_MAX = 500;
const AT_ONCE = 8;

export type HostedZoneSweep = HostedZoneFound & {
  readonly gone: boolean;
  /** The comparison is complete. */
  readonly whole: boolean;
};

export const FOUND_NOTHING: HostedZoneFound = { lost: 0, drifted: 0, retried: 0, foreign: 0, published: 0 };

type Options = {
  /** Try refused changes again whose pause is over; default false. */
  readonly retryRefused?: boolean;
  /** Why the hosted zone is compared, for the history; default: nothing is known. */
  readonly cause?: Cause;
};

/**
 * Sweeps one hosted zone from its beginning. Reads Route 53 in pages of 300, within the budget. From `untilMs` on
 * (milliseconds since the epoch, by the context's clock) it begins no further page, and the result is not whole.
 */
export async function sweepHostedZone(
  context: Context,
  hostedZoneId: string,
  { untilMs = Number.POSITIVE_INFINITY, ...options }: Options & { readonly untilMs?: number } = {},
): Promise<HostedZoneSweep> {
  let at: PagePosition & { readonly found: HostedZoneFound } = { from: null, after: null, found: FOUND_NOTHING };
  for (;;) {
    const { next, found, gone } = await compareHostedZone(context, hostedZoneId, at, options);
    if (next === null) return { ...found, gone, whole: true };
    if (context.clock.nowMs() >= untilMs) return { ...found, gone, whole: false };
    at = { ...next, found };
  }
}

/** Compares one page. `found` adds up. `next` null: the comparison is complete, or the hosted zone is gone. */
export async function compareHostedZone(
  context: Context,
  hostedZoneId: string,
  at: PagePosition & { readonly found: HostedZoneFound },
  { retryRefused = false, cause = {} }: Options = {},
): Promise<{ readonly next: PagePosition | null; readonly found: HostedZoneFound; readonly gone: boolean }> {
  const begunMs = context.clock.nowMs();
  const page = await readNames(context, hostedZoneId, at);
  if (page === null) return markGone(context, hostedZoneId, at.found);
  const looking = newLook(context, hostedZoneId, at, cause);
  const isDue = dueItems(context, hostedZoneId, begunMs);
  const suspects: LedgerItem[] = [];
  const old: Known[] = [];
  const waiting: Stored<RecordSetItem>[] = [];
  let ours = 0;
  let published = 0;
  for await (const { stored, item } of listedItems(context, hostedZoneId, at.after, page.through)) {
    if (page.existing.has(recordSetId(item))) ours += 1;
    if (item.published !== null && !isUncounted(item)) published += 1;
    if (retryRefused && (await isDue(item))) await looking.retry(item);
    if (needsLook(item, begunMs)) waiting.push({ item, revision: stored.revision });
    if (compareWithRoute53(item, contentIn(page.existing)) === 'fine') {
      if (await hasUnneededText(context, hostedZoneId, item, page.existing)) await looking.retry(item);
      const isOver = hasOldLate(item, begunMs) || isSpent({ ...item, awaitedBy: [] }, begunMs);
      if (item.intent === null && isOver) old.push({ stored, item });
    } else suspects.push(stored);
    if (suspects.length + old.length < WAITING_MAX) continue;
    if (suspects.length > 0) await looking.compareAgain(suspects.splice(0));
    await forget(context, hostedZoneId, old.splice(0), begunMs);
  }
  if (suspects.length > 0) await looking.compareAgain(suspects);
  await forget(context, hostedZoneId, old, begunMs);
  const { lost, drifted, retried } = await looking.finish();
  await followWaiting(context, hostedZoneId, waiting);
  if (at.from === null) await noteSoa(context, hostedZoneId, page.existing);
  const found = {
    lost: at.found.lost + lost,
    drifted: at.found.drifted + drifted,
    retried: at.found.retried + retried,
    foreign: at.found.foreign + page.existing.size - ours,
    published: at.found.published + published,
  };
  if (page.next === null) await checkCount(context, hostedZoneId, found.published);
  return { next: page.next === null ? null : { from: page.next, after: page.through }, found, gone: false };
}

/** Finishes what no message follows: it was lost, or the wait is too long for one. The oldest first. */
async function followWaiting(
  context: Context,
  hostedZoneId: string,
  waiting: readonly Stored<RecordSetItem>[],
): Promise<void> {
  if (!context.config.propagation) return;
  const oldestFirst = waiting.toSorted((a, b) => atMsOf(a) - atMsOf(b));
  for (const [changeId, items] of Map.groupBy(oldestFirst, ({ item }) => item.propagation?.changeId ?? null))
    await lookAtChange(context, hostedZoneId, changeId, items);
}

function atMsOf({ item }: Stored<RecordSetItem>): number {
  return item.propagation?.atMs ?? 0;
}

/** Notes for how long resolvers keep that a name has nothing, if that was read before. The first page has the SOA. */
async function noteSoa({ ledger }: Context, hostedZoneId: string, existing: Names['existing']): Promise<void> {
  const soa = existing.values().find(({ type }) => type === 'SOA');
  const seconds = soa === undefined ? null : negativeSeconds(soa.content);
  const known = (await readHostedZone(ledger, hostedZoneId))?.item.negativeSeconds;
  if (seconds !== null && known != null && known !== seconds) await noteNegativeSeconds(ledger, hostedZoneId, seconds);
}

/**
 * Has the record sets counted again if the sweep counts another number of them than the item of the hosted zone says.
 * That may be because something was published meanwhile. But a run that was overtaken and died after it saved an
 * outcome leaves a wrong number, which nothing else would correct.
 */
async function checkCount({ ledger, queues, clock }: Context, hostedZoneId: string, published: number): Promise<void> {
  const item = (await readHostedZone(ledger, hostedZoneId))?.item ?? null;
  // During a run the number is not final, and a run that takes an abandoned lease counts again anyway.
  if (item === null || item.lease !== null) return;
  await removeSpentGuards(ledger, item, clock.nowMs());
  if (item.publishedCount === published) return;
  await abandonLease(ledger, hostedZoneId);
  await queues.publish(hostedZoneId);
}

/**
 * Tells which refused record sets are due to be tried again: those whose pause is over, and those that somebody
 * protected, once the protection is gone. If protections may not be listed, these have pauses, too. One that exceeds a
 * limit of Route 53 never is due.
 */
function dueItems(context: Context, hostedZoneId: string, nowMs: number): (item: RecordSetItem) => Promise<boolean> {
  const listed = once(() => context.account.hostedZones.protections(hostedZoneId, null).catch(orDenied));
  return async (item) => {
    if (item.refusal === null || exceededLimit(item.type, item.desired) !== null) return false;
    const protections = item.refusal.reason === 'Protected' ? await listed() : null;
    if (protections === null || protections instanceof Error) return isDueAgain(item, nowMs);
    return isUnprotected(item, protections);
  };
}

type Known = { readonly stored: LedgerItem; readonly item: RecordSetItem };

/**
 * Removes what is over from items that matched Route 53: late writes that can no longer land, and aliases that wait for
 * it no more. Removes items without content.
 */
async function forget(
  { ledger }: Context,
  hostedZoneId: string,
  old: readonly Known[],
  sinceMs: number,
): Promise<void> {
  await inParallel(old, AT_ONCE, async ({ stored: { revision }, item }) => {
    const awaitedBy = await stillWaiting(ledger, hostedZoneId, item);
    const left = { ...item, awaitedBy, late: recentLate(item, sinceMs) };
    const key = recordSetItemKey(hostedZoneId, item);
    if (isSpent(left, sinceMs)) await ledger.remove(key, revision);
    else if (hasOldLate(item, sinceMs) || awaitedBy.length < item.awaitedBy.length)
      await ledger.put(key, recordSetCodec.encode(left), revision);
  });
}

/** The names of the aliases that were refused for want of this record set, and are not published yet. */
async function stillWaiting(ledger: Ledger, hostedZoneId: string, { name, type, awaitedBy }: RecordSetItem) {
  const waiting: string[] = [];
  for (const alias of awaitedBy) {
    const items = await readName(ledger, hostedZoneId, alias);
    const waits = ({ item: { desired, published, ...of } }: (typeof items)[number]) =>
      of.type === type &&
      desired?.kind === 'alias' &&
      desired.alias.dnsName === name &&
      !sameContent(desired, published);
    if (items.some(waits)) waiting.push(alias);
  }
  return waiting;
}

function contentIn(existing: Names['existing']): (id: string) => RecordSetContent | null {
  return (id) => existing.get(id)?.content ?? null;
}

/** The items whose names Route 53 lists behind `after`, through `through`. */
async function* listedItems(
  context: Context,
  hostedZoneId: string,
  after: string | null,
  through: string | null,
): AsyncGenerator<Known> {
  if (after !== null && through === after) return;
  const { from, to } = ledgerRange(after, through);
  // Each key is longer than the name it begins with, so none is equal to an end of the range.
  const range = { after: from === '' ? null : from, through: to };
  for await (const stored of eachBetween(context.ledger, recordSetsPartition(hostedZoneId), range)) {
    const item = readable(context, recordSetCodec, stored);
    if (item === null) continue;
    if (after !== null && compareRoute53Names(item.name, after) <= 0) continue;
    if (through !== null && compareRoute53Names(item.name, through) > 0) continue;
    yield { stored, item };
  }
}

type Look = {
  /** Marks a name dirty, to be tried again. */
  retry(item: RecordSetItem): Promise<void>;
  /** Compares these items with the page, which is read again, and notes those that differ. */
  compareAgain(suspects: readonly LedgerItem[]): Promise<void>;
  /** Queues the hosted zone and the reports, as needed. Returns the numbers. */
  finish(): Promise<Pick<HostedZoneFound, 'lost' | 'drifted' | 'retried'>>;
};

/** What a comparison found at an item. */
type Noted = {
  readonly item: RecordSetItem;
  readonly revision: string;
  readonly verdict: 'lost' | 'drifted';
  readonly standing: RecordSetContent | null;
  readonly cause: Cause;
};

function newLook(context: Context, hostedZoneId: string, at: PagePosition, cause: Cause): Look {
  const found = { lost: 0, drifted: 0, retried: 0 };
  const reports = new Map<string, ObjectRef>();
  let dirty = false;
  const retry = async ({ name, refusal }: RecordSetItem) => {
    // What another cluster owns is decided by the ledger, and not by what Route 53 has.
    const reads = refusal?.reason !== 'OwnedByAnotherCluster';
    await markDirty(context.ledger, hostedZoneId, name, context.clock.nowMs(), { retry: reads, cause });
    dirty = true;
  };
  const lookAt = async (item: RecordSetItem, revision: string, existing: Names['existing']) => {
    const compared = compareWithRoute53(item, contentIn(existing));
    // With the takeover annotation, publish sets it back.
    const verdict = compared === 'drifted' && item.takeover ? 'retried' : compared;
    if (verdict === 'fine') return;
    // A lost record set is only marked: publish reads it again under its lease, and counts it.
    const noted = verdict === 'drifted' || (verdict === 'lost' && item.type === 'SOA');
    const standing = contentIn(existing)(recordSetId(item));
    if (noted && !(await note(context, hostedZoneId, { item, revision, verdict, standing, cause }))) return;
    found[verdict] += 1;
    if (verdict !== 'drifted') await retry(item);
    for (const object of item.objects) {
      const ref = findRef(object);
      if (ref === null)
        context.log('warn', 'a record set names an object that has no such name', { name: item.name, object });
      else reports.set(object, ref);
    }
    if (item.zone !== '') reports.set(`Zone ${item.zone}`, zoneOfKey(item.zone));
  };
  return {
    retry,
    compareAgain: async (suspects) => {
      const names = await readNames(context, hostedZoneId, at);
      if (names === null) return;
      const { existing, through } = names;
      await inParallel(suspects, AT_ONCE, async (stored) => {
        const item = recordSetCodec.decode(stored);
        // The page ends earlier than before: the next sweep compares the rest.
        if (through !== null && compareRoute53Names(item.name, through) > 0) return;
        await lookAt(item, stored.revision, existing);
      });
    },
    finish: async () => {
      if (dirty) await context.queues.publish(hostedZoneId);
      if (reports.size > 0) await context.queues.report([...reports.values()]);
      return found;
    },
  };
}

/** The batches of a run have lower numbers. */
const BATCHES_OF_SWEEPS = 500_000;

async function note(
  { ledger, clock, config }: Context,
  hostedZoneId: string,
  { item, revision, verdict, standing, cause }: Noted,
): Promise<boolean> {
  const key = recordSetItemKey(hostedZoneId, item);
  const nowMs = clock.nowMs();
  const message = `Somebody changed ${showRecordSet(item)} in Route 53 since we published it; it is left unchanged. Restore it, delete it, or annotate the Zone with zone53.dev/takeover: "true".`;
  const next: RecordSetItem =
    verdict === 'lost'
      ? { ...item, published: null, refusal: null }
      : { ...item, refusal: { reason: 'Drifted', message, content: item.desired, atMs: nowMs } };
  const hostedZone = (await readHostedZone(ledger, hostedZoneId))?.item;
  if (hostedZone === undefined) return false;
  const telling = historian({
    ...{ deps: { ledger, clock, config }, hostedZone, lease: { hostedZoneId, epoch: hostedZone.epoch } },
    // Another sweep at the same time must not take the same number.
    batches: BATCHES_OF_SWEEPS + (createHash('sha256').update(key.sort).digest().readUInt32BE() % 400_000),
    knownAt: () => ({ cause: { ...cause, sinceMs: nowMs }, releasedBy: null }),
  });
  const { item: saved, beside } = telling.tell(item, next, { standing });
  return (await ledger.put(key, recordSetCodec.encode(saved), revision, { beside })) !== null;
}

async function markGone(
  { ledger, queues, log }: Context,
  hostedZoneId: string,
  found: HostedZoneFound,
): Promise<{ readonly next: null; readonly found: HostedZoneFound; readonly gone: true }> {
  const item = await changeHostedZone(ledger, hostedZoneId, (known) => known && { ...known, gone: true });
  if (item !== null) await hintZoneOf(queues, item);
  log('warn', 'hosted zone is gone', { hostedZoneId });
  return { next: null, found, gone: true };
}
