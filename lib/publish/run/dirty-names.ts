// Before a run plans, it reads the dirty names, the names with held deletes, and the record set items of both. When it
// is done with names, it reports their objects and then clears the dirty marks, but only marks of the generation that
// was planned. An item that this code cannot read affects its own name, never the hosted zone.

import { type Change, digestChanges } from '../../dns/plan-changes.ts';
import { recordSetId } from '../../dns/record-set.ts';
import { type Codec, type Stored, UnreadableItemError } from '../../ledger/item-codec.ts';
import { findRef } from '../../objects/object-ref.ts';
import type { LedgerItem } from '../../ports/ledger.ts';
import { reportList } from '../../ports/report-list.ts';
import { dirtyCodec, dirtyItemKey, dirtyPartition, endRetry } from '../../record-sets/dirty-mark.ts';
import { type HeldItem, heldCodec, heldItemKey } from '../../record-sets/held-name.ts';
import { readableHostedZones } from '../../record-sets/list-hosted-zones.ts';
import { type RecordSetItem, recordSetCodec, recordSetItemKey } from '../../record-sets/record-set-item.ts';
import { isSpent } from '../../record-sets/retention.ts';
import { isByTrialOnly } from '../../record-sets/state.ts';
import { readManyNameItems, readNameItems } from '../../record-sets/store.ts';
import { placeAgain } from '../../record-sets/wake-hosted-zones.ts';
import { wakeAliases } from '../order/awaited-targets.ts';
import { ASKED_MS_MAX, wakeForNames } from '../order/waits.ts';
import { causeOfMark, dirtySinceMs, isDone, nameOf, noteName } from '../plan/names.ts';
import { isStopped, runAgain } from '../plan/progress.ts';
import { eachOf, type Run, saveItem } from './run.ts';
import { askerOf } from './waiting.ts';
import { wakeInheriting } from './wake-inheriting.ts';

export type HeldMarks = Map<string, Stored<HeldItem>>;

/** From so many names on, all items between the first and the last name are read: far fewer calls at the same cost. */
const MANY_NAMES = 100;
const ITEMS_PER_NAME = 8;

export type DirtyPage = {
  readonly names: readonly string[];
  readonly retryNames: ReadonlySet<string>;
  /** Where the unread dirty names begin; null: all were read. */
  readonly next: string | null;
};

/** The content of an item; null, and a line in the log, if this code cannot read it. */
export function readable<T>(run: Run, stored: LedgerItem, codec: Codec<T>): T | null {
  const item = codec.read(stored);
  if (!(item instanceof UnreadableItemError)) return item;
  run.deps.log('error', item.message, { hostedZoneId: run.lease.hostedZoneId });
  return null;
}

/** The first dirty names, as many as one run plans, with the generation of their marks. */
export async function readDirtyNames(run: Run): Promise<DirtyPage> {
  if (run.options.names !== undefined) return { ...run.options.names, next: null };
  const names: string[] = [];
  const retryNames = new Set<string>();
  const namesMax = Math.min(run.deps.config.namesMax, run.options.namesMax ?? Number.POSITIVE_INFINITY);
  let after: string | null | undefined = run.hostedZone.dirtyAfter ?? undefined;
  while (after !== null && names.length < namesMax) {
    const page = await run.deps.ledger.query(dirtyPartition(run.lease.hostedZoneId), {
      limit: Math.min(1000, namesMax - names.length),
      ...(after === undefined ? {} : { after }),
    });
    for (const item of page.items) {
      const mark = readable(run, item, dirtyCodec);
      if (mark === null) continue;
      names.push(mark.name);
      noteName(run.names, mark.name, {
        mark: { revision: item.revision, retry: mark.retry, moves: mark.moves === true },
        cause: causeOfMark(mark),
      });
      if (mark.retry) retryNames.add(mark.name);
    }
    after = page.next;
  }
  return { names, retryNames, next: after ?? null };
}

/** Loads the record set items of the names into the run. */
export async function loadNames(run: Run, names: readonly string[]): Promise<void> {
  const { ledger } = run.deps;
  const { id } = run.hostedZone;
  const many = names.length >= MANY_NAMES;
  const found = many ? await readManyNameItems(ledger, id, names, names.length * ITEMS_PER_NAME) : null;
  await eachOf(names, async (name) => {
    const items = found?.get(name) ?? (await readNameItems(ledger, id, name));
    const decoded = items.map((item) => ({ item: readable(run, item, recordSetCodec), revision: item.revision }));
    if (decoded.some((one) => one.item === null)) {
      noteName(run.names, name, { stays: true });
      return;
    }
    const owners = new Set(nameOf(run.names, name).owners);
    for (const { item, revision } of decoded) {
      if (item === null) continue;
      run.items.set(recordSetId(item), { item, revision });
      for (const object of [...item.objects, ...item.publishedObjects]) owners.add(object);
      if (item.zone !== '') owners.add(`Zone ${item.zone}`);
    }
    noteName(run.names, name, { owners });
  });
}

/** Requests reports of the objects of these names. A name that is done and was reported has none. */
export async function reportNames(run: Run, names: Iterable<string>): Promise<void> {
  const reports = reportList();
  for (const name of names) {
    const { cause: dirty, owners } = nameOf(run.names, name);
    const { sinceMs: _, ...cause } = dirty ?? { sinceMs: 0 };
    for (const ref of [...owners].map(findRef)) if (ref !== null) reports.add(ref, cause);
  }
  await reports.send(run.deps.queues);
}

/**
 * Requests reports of the objects of these names, wakes aliases that wait for them and hosted zones that wait for names
 * that are done, and clears the dirty marks of these. A name that was done before costs nothing.
 */
export async function finishNames(run: Run, names: Iterable<string>): Promise<void> {
  const all = [...new Set(names)];
  await reportNames(run, all);
  // A run for given names does not read their marks.
  const isNew = (name: string) => run.options.names !== undefined || nameOf(run.names, name).mark !== null;
  await wakeInheriting(run, all.filter(isNew));
  const done = all.filter((name) => isDone(nameOf(run.names, name)));
  const items = Map.groupBy(run.items.values(), ({ item }) => item.name);
  await eachOf(all, (name) => endRetryAt(run, name, items.get(name) ?? []));
  const sets = all.flatMap((name) => (items.get(name) ?? []).map(({ item }) => item));
  if (await wakeAliases({ ...run.deps, ...run.lease, items: run.items }, sets, run.deps.clock.nowMs()))
    runAgain(run, 0);
  await wakeForLate(run, done);
  const moved = done.filter((name) => nameOf(run.names, name).mark?.moves === true);
  if (moved.length > 0)
    await placeAgain(run.deps, run.hostedZone, moved, await readableHostedZones(run.deps.ledger, run.deps.log));
  await eachOf(done, async (name) => {
    const { mark } = nameOf(run.names, name);
    noteName(run.names, name, { mark: null, owners: new Set() });
    if (mark === null) return;
    await run.deps.ledger.remove(dirtyItemKey(run.lease.hostedZoneId, name), mark.revision);
  });
}

/**
 * Ends the retry of a name that this run did not finish. The next run tries only the record sets that this one did not
 * reach, not those that it saw refused. Otherwise a name with more refusals than one run allows would never be done.
 */
async function endRetryAt(run: Run, name: string, items: readonly Stored<RecordSetItem>[]): Promise<void> {
  const { mark, cause, refused } = nameOf(run.names, name);
  if (mark === null || !mark.retry || cause === null || refused.now.size === 0 || isStopped(run)) return;
  if (isDone(nameOf(run.names, name))) return;
  const left = items.filter(({ item }) => isByTrialOnly(item.refusal) && !refused.now.has(recordSetId(item)));
  await eachOf(left, async ({ item }) => void (await saveItem(run, item, (now) => ({ ...now, refusal: null }))));
  const { atMs, ...rest } = cause;
  const since = {
    ...{ name, ...rest },
    ...(atMs === undefined ? {} : { hintAtMs: atMs }),
    ...(mark.moves && { moves: true as const }),
  };
  const revision = await endRetry(run.deps.ledger, run.lease.hostedZoneId, since, mark.revision);
  noteName(run.names, name, { mark: { ...mark, revision: revision ?? mark.revision, retry: false } });
}

/** Wakes the hosted zones that wait for names which were dirty for so long that those zones no longer ask. */
async function wakeForLate(run: Run, names: readonly string[]): Promise<void> {
  const nowMs = run.deps.clock.nowMs();
  const isLate = (name: string) => nowMs - (dirtySinceMs(nameOf(run.names, name)) ?? nowMs) > ASKED_MS_MAX;
  await wakeForNames(askerOf(run), names.filter(isLate));
}

/** Takes a held mark into the run: the history names the digest that released deletes. */
export function takeHeld(run: Run, held: HeldMarks, mark: Stored<HeldItem>): void {
  held.set(mark.item.name, mark);
  noteName(run.names, mark.item.name, { releasedBy: mark.item.releasedBy ?? null });
}

/** Saves, name by name, that exactly these deletes are held, or by which digest they are released. */
export async function markHeld(
  run: Run,
  held: HeldMarks,
  deletes: Iterable<readonly [Change, string | null]>,
): Promise<void> {
  await eachOf(
    Map.groupBy(deletes, ([{ name }]) => name),
    async ([name, ofName]) => {
      const before = held.get(name);
      const releasedBy = ofName[0]?.[1] ?? null;
      const released = releasedBy !== null;
      const digest = digestChanges(ofName.map(([change]) => change));
      const item: HeldItem = { name, digest, released, ...(released && { releasedBy }) };
      if (before?.item.digest === item.digest && before.item.released === released) return;
      const revision = await run.deps.ledger.put(
        heldItemKey(run.lease.hostedZoneId, name),
        heldCodec.encode(item),
        before?.revision ?? null,
      );
      // Only the holder of the lease writes these items, so the lease is lost. The next batch finds that out.
      if (revision === null) noteName(run.names, name, { stays: true });
      else takeHeld(run, held, { item, revision });
    },
  );
}

/** Removes items of this run without content whose deletion no longer counts. The sweep removes all others. */
export async function removeSpent(run: Run): Promise<void> {
  const nowMs = run.deps.clock.nowMs();
  const spent = [...run.items.values()].filter(({ item }) => isSpent(item, nowMs));
  await eachOf(spent, async ({ item, revision }) => {
    await run.deps.ledger.remove(recordSetItemKey(run.lease.hostedZoneId, item), revision);
  });
}
