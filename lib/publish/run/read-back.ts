// Reads names in doubt back from Route 53, and saves what that shows. A name is in doubt after a crash, after a call
// without an answer, and after a refusal which says that Route 53 has something else there than the ledger knows.
import { type Change, compareRecordSets } from '../../dns/plan-changes.ts';
import { type RecordSet, type RecordSetKey, recordSetId, sameContent } from '../../dns/record-set.ts';
import { isOwnershipText, txtNamesOf } from '../../external-dns/ownership.ts';
import { refusalIn } from '../../objects/account-refusal.ts';
import { type HostedZonesDeniedError, orDenied } from '../../ports/hosted-zones.ts';
import { once } from '../../ports/once.ts';
import { fellowsOf } from '../../record-sets/fellows.ts';
import { judgeReading, type Taking, withTextsRead } from '../../record-sets/judge-reading.ts';
import type { RecordSetItem } from '../../record-sets/record-set-item.ts';
import { hasLapsed, isInTheWay, stateOf, takesOver } from '../../record-sets/state.ts';
import { refusedAlone, withoutClaim } from '../../record-sets/transitions.ts';
import { withKept } from '../existing/kept-by-others.ts';
import { blockersOf, contentAt, isBlockedBeside, type View } from '../existing/neighbours.ts';
import { readExistingWithTexts } from '../existing/read-existing.ts';
import { speakersOf, takesSharedText, takingOf, takingsOf } from '../existing/takings.ts';
import { readUnloadedItems } from '../existing/unloaded-items.ts';
import { noteName } from '../plan/names.ts';
import { askAfterDenial, endRun } from '../plan/progress.ts';
import { eachOf, type ItemsOfRun, itemOf, momentOf, type Run, saveItem } from './run.ts';

type Asked = RecordSetKey & Pick<Change, 'also'> & Partial<Pick<RecordSetItem, 'texts' | 'sharedTexts'>>;

/** The names of these and of their TXT records. What those speak for may be all that is left of a record set. */
export function namesToRead(sets: readonly Asked[]): ReadonlySet<string> {
  const all = sets.flatMap((set) => [set, ...(set.also ?? []), ...(set.texts ?? []), ...(set.sharedTexts ?? [])]);
  return new Set(all.map(({ name }) => name));
}

/**
 * All record sets in Route 53 at the names of these and of their TXT records, by id. Null if they cannot be read, which
 * the run notes: the hosted zone is gone, so it ends; or we may not read, so their names are left to a later run.
 */
export async function readNames(run: Run, sets: readonly Asked[]): Promise<Map<string, RecordSet> | null> {
  const { id, name: apex } = run.hostedZone;
  const { hostedZones, config } = run.deps;
  const names = namesToRead(sets);
  const actual = await readExistingWithTexts({ hostedZones, id, apex }, names, config.externalDns).catch(orDenied);
  return actual instanceof Map ? actual : noteUnread(run, sets, actual);
}

/** Notes that these cannot be read, as `readNames` does. `denied` null: the hosted zone is gone. */
export function noteUnread(run: Run, sets: readonly RecordSetKey[], denied: HostedZonesDeniedError | null): null {
  if (denied === null) endRun(run, 'gone');
  else {
    for (const { name } of sets) noteName(run.names, name, { stays: true });
    run.progress.note({ ending: { denied: refusalIn(denied.message) ?? denied.message } });
    askAfterDenial(run);
  }
  return null;
}

/** What external-dns, or another publisher of zone53, owns of the record sets found where these are wanted, by id. */
export async function takingsIn(
  run: ItemsOfRun,
  existing: ReadonlyMap<string, RecordSet>,
  wanted: readonly RecordSetKey[],
  beside: readonly RecordSet[],
  areJudged = false,
): Promise<ReadonlyMap<string, Taking>> {
  const { externalDns } = run.deps.config;
  const itemAt = (id: string) => run.items.get(id)?.item;
  const first = takingsOf(externalDns, existing, wanted, itemAt, beside, areJudged);
  // Of names that are not dirty, the run has no items: of the TXT record sets, and of what else they speak for.
  const texts = [...[...first.values()].flatMap(speakersOf), ...wanted.filter(({ type }) => type === 'TXT')];
  const [ids, names] = [new Set(texts.map(recordSetId)), new Set(texts.map(({ name }) => name))];
  const speaks = (set: RecordSet) => txtNamesOf(externalDns, set).some((name) => names.has(name));
  const unknown = [...(first.size === 0 ? [] : existing)].filter(
    ([id, set]) => !run.items.has(id) && (ids.has(id) || speaks(set)),
  );
  const asked = await readUnloadedItems(
    { ...run.deps, ...run.lease },
    unknown.map(([, set]) => set),
  );
  const known = (id: string) => itemAt(id) ?? asked.get(id);
  const takings = asked.size === 0 ? first : takingsOf(externalDns, existing, wanted, known, beside, areJudged);
  const fellows = existing.size === 0 ? [] : await fellowsOf(run.deps.ledger, run.hostedZone);
  return withKept({ ...run.deps, ...run.lease, fellows }, existing, [...wanted, ...beside], takings);
}

/** How doubts are resolved: by `publish()`, and in a plan. */
export type DoubtsOf = {
  readonly isDoubtful: (item: RecordSetItem) => boolean;
  /** The names at which refused changes are tried again. */
  readonly retryNames: ReadonlySet<string>;
  /** What Route 53 has at the names of these; null: it cannot be read. */
  readonly read: (doubtful: readonly RecordSetItem[]) => Promise<ReadonlyMap<string, RecordSet> | null>;
  /** Further record sets that may be taken over for these. */
  readonly besideOf?: (doubtful: readonly RecordSetItem[], existing: View['actual']) => readonly RecordSet[];
};

/** Reads the names of all items in doubt, and saves what Route 53 has there. Null: it could not be read. */
export async function resolveDoubts(
  run: ItemsOfRun,
  { isDoubtful, retryNames, read, besideOf = () => [] }: DoubtsOf,
): Promise<Omit<View, 'sinceMs'> | null> {
  for (const { item } of run.items.values())
    if (hasLapsed(item, run.hostedZone)) await saveItem(run, item, withoutClaim);
  const items = [...run.items.values()].map((stored) => stored.item);
  const { externalDns } = run.deps.config;
  const doubtful = items.filter(isDoubtful);
  const sinceMs = run.deps.clock.nowMs();
  const actual = await read(doubtful);
  if (actual === null) return null;
  const beside = [...blockersOf(doubtful, actual), ...besideOf(doubtful, actual)];
  const takings = await takingsIn(run, actual, doubtful, beside);
  const byName = once(() => Map.groupBy(items, ({ name }) => name));
  const isBlocked = (item: RecordSetItem) =>
    stateOf(item) === 'refused' &&
    !takesOver(item, run.hostedZone) &&
    isBlockedBeside(item, byName().get(item.name) ?? [], actual, takings);
  const isNote = (set: RecordSet | undefined) => set !== undefined && isOwnershipText(externalDns, set);
  const kept = new Set<string>();
  const look = async (item: RecordSetItem, by = takings) => {
    const content = contentAt(actual, item);
    const sight = { ...momentOf(run), owner: run.hostedZone, sinceMs, ...takingOf(by, item, kept) };
    const judged = (now: RecordSetItem) => {
      const { item: next } = isBlocked(now) ? { item: null } : judgeReading(now, content, sight);
      return withTextsRead(next ?? now, content, sight.taking);
    };
    const isAskedAgain = retryNames.has(item.name) && isInTheWay(item);
    if (judged(item) === item && !isAskedAgain) return;
    const seen = (now: RecordSetItem) => {
      const next = judged(now);
      // Nothing has changed there: the pause before the next try gets longer.
      return next === now && isAskedAgain ? { ...now, refused: refusedAlone(now.refused, sight.nowMs, true) } : next;
    };
    await saveItem(run, item, seen, { standing: content });
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
  const notes = new Set(doubtful.filter((item) => isNote(actual.get(recordSetId(item)))));
  const others = doubtful.filter((item) => !notes.has(item));
  await eachOf(
    others.filter((item) => !isLast(item)),
    lookAndKeep,
  );
  for (const item of others.filter(isLast).toSorted(compareRecordSets)) await lookAndKeep(item);
  if (notes.size === 0) return { actual, takings };
  // A TXT that is desired in place of one of external-dns: what external-dns needs that for may not have been taken.
  const now = await takingsIn(run, actual, doubtful, beside, true);
  for (const item of notes) await look(item, now);
  const ids = new Set([...notes].map(recordSetId));
  return { actual, takings: new Map([...takings, ...[...now].filter(([id]) => ids.has(id))]) };
}
