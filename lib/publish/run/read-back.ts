// Reads names in doubt back from Route 53, and saves what that shows. A name is in doubt after a crash, after a call
// without an answer, and after a refusal which says that Route 53 has something else there than the ledger knows.
import { type Change, compareRecordSets } from '../../dns/plan-changes.ts';
import { type RecordSet, type RecordSetKey, recordSetId, sameContent } from '../../dns/record-set.ts';
import type { HostedZonesDeniedError } from '../../ports/hosted-zones.ts';
import { judgeReading, type Taking, withTextsRead } from '../../record-sets/judge-reading.ts';
import type { RecordSetItem } from '../../record-sets/record-set-item.ts';
import { hasLapsed, isInTheWay, stateOf, takesOver } from '../../record-sets/state.ts';
import { refusedAlone, withoutClaim } from '../../record-sets/transitions.ts';
import { type Doubts, isDoubtful } from '../existing/in-doubt.ts';
import { withKept } from '../existing/kept-by-others.ts';
import { blockersOf, contentAt, isBlockedBeside } from '../existing/neighbours.ts';
import { orDenied, readExistingWithTexts } from '../existing/read-existing.ts';
import { speakersOf, takesSharedText, takingOf, takingsOf } from '../existing/takings.ts';
import { readTextItems } from '../existing/text-items.ts';
import { noteName } from '../plan/names.ts';
import { askAfterDenial, endRun } from '../plan/progress.ts';
import { eachOf, itemOf, momentOf, type Run, saveItem } from './run.ts';

/**
 * All record sets in Route 53 at the names of these and of their TXT records, by id. Null if they cannot be read, which
 * the run notes: the hosted zone is gone, so it ends; or we may not read, so their names are left to a later run.
 */
export async function readNames(
  run: Run,
  sets: readonly (RecordSetKey & Pick<Change, 'also'>)[],
): Promise<Map<string, RecordSet> | null> {
  const { id, name: apex } = run.hostedZone;
  const { hostedZones, config } = run.deps;
  const names = new Set(sets.flatMap((set) => [set, ...(set.also ?? [])]).map(({ name }) => name));
  const actual = await readExistingWithTexts({ hostedZones, id, apex }, names, config.externalDns).catch(orDenied);
  return actual instanceof Map ? actual : noteUnread(run, sets, actual);
}

/** Notes that these cannot be read, as `readNames` does. `denied` null: the hosted zone is gone. */
export function noteUnread(run: Run, sets: readonly RecordSetKey[], denied: HostedZonesDeniedError | null): null {
  if (denied === null) endRun(run, 'gone');
  else {
    for (const { name } of sets) noteName(run.names, name, { stays: true });
    run.progress.note({ ending: { denied: denied.message } });
    askAfterDenial(run);
  }
  return null;
}

/** What external-dns, or another publisher of zone53, owns of the record sets found where these are wanted, by id. */
export async function takingsIn(
  run: Run,
  existing: ReadonlyMap<string, RecordSet>,
  wanted: readonly RecordSetKey[],
  beside: readonly RecordSet[],
): Promise<ReadonlyMap<string, Taking>> {
  const { externalDns } = run.deps.config;
  const itemAt = (id: string) => run.items.get(id)?.item;
  const first = takingsOf(externalDns, existing, wanted, itemAt, beside);
  // Of names that are not dirty, the run has no items.
  const texts = [...first.values()].flatMap(speakersOf).filter((text) => !run.items.has(recordSetId(text)));
  const asked = await readTextItems({ ...run.deps, ...run.lease }, texts);
  const known = (id: string) => itemAt(id) ?? asked.get(id);
  const takings = asked.size === 0 ? first : takingsOf(externalDns, existing, wanted, known, beside);
  return withKept({ ...run.deps, ...run.lease }, existing, [...wanted, ...beside], takings);
}

/** Reads the names of all items in doubt, and no others, and saves what Route 53 has there. */
export async function resolveDoubts(run: Run, doubts: Doubts): Promise<void> {
  const { retryNames } = doubts;
  for (const { item } of run.items.values())
    if (hasLapsed(item, run.hostedZone)) await saveItem(run, item, withoutClaim);
  const items = [...run.items.values()].map((stored) => stored.item);
  // An intent of a later lease is of a run that is alive: this run was overtaken, and must not judge it.
  if (items.some(({ intent }) => intent !== null && intent.epoch > run.lease.epoch)) {
    endRun(run, 'lost');
    return;
  }
  const { externalDns } = run.deps.config;
  const doubtful = items.filter((item) => isDoubtful(run.hostedZone, externalDns, item, doubts));
  if (doubtful.length === 0) return;
  const sinceMs = run.deps.clock.nowMs();
  const actual = await readNames(run, doubtful);
  if (actual === null) return;
  const takings = await takingsIn(run, actual, doubtful, blockersOf(doubtful, actual));
  const byName = Map.groupBy(items, ({ name }) => name);
  const isBlocked = (item: RecordSetItem) =>
    stateOf(item) === 'refused' &&
    !takesOver(item, run.hostedZone) &&
    isBlockedBeside(item, byName.get(item.name) ?? [], actual, takings);
  const kept = new Set<string>();
  const look = async (item: RecordSetItem) => {
    const content = contentAt(actual, item);
    const sight = { ...momentOf(run), owner: run.hostedZone, sinceMs, ...takingOf(takings, item, kept) };
    const judged = (now: RecordSetItem) => {
      const { item: next } = isBlocked(now) ? { item: null } : judgeReading(now, content, sight);
      return withTextsRead(next ?? now, content, sight.taking);
    };
    const isAskedAgain = retryNames.has(item.name) && isInTheWay(item);
    if (judged(item) === item && !isAskedAgain) return;
    await saveItem(run, item, (now) => {
      const next = judged(now);
      // Nothing has changed there: the pause before the next try gets longer.
      return next === now && isAskedAgain ? { ...now, refused: refusedAlone(now.refused, sight.nowMs, true) } : next;
    });
  };
  const lookAndKeep = async (item: RecordSetItem) => {
    await look(item);
    const isTaken = sameContent(itemOf(run, item)?.published ?? null, contentAt(actual, item));
    const taking = isTaken ? undefined : takings.get(recordSetId(item));
    for (const text of taking === undefined ? [] : speakersOf(taking)) kept.add(recordSetId(text));
  };
  // A TXT record set that speaks for several goes with the last of them. Others may not have been taken over by now: an
  // object that asked for one is gone, or an earlier write of ours may still land.
  const isLast = takesSharedText(takings);
  await eachOf(
    doubtful.filter((item) => !isLast(item)),
    lookAndKeep,
  );
  for (const item of doubtful.filter(isLast).toSorted(compareRecordSets)) await lookAndKeep(item);
}
