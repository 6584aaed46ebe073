// Looking at what stands in Route 53, and what follows from it. Only names in doubt are ever looked at: after a crash, after
// an answer that never came, after a refusal that says that what stands there is not what we thought.
import { type RecordSet, recordSetId } from '../../dns/record-set.ts';
import type { HostedZones } from '../../ports/hosted-zones.ts';
import type { HostedZoneItem } from '../../record-sets/hosted-zone-item.ts';
import type { RecordSetItem } from '../../record-sets/record-set-item.ts';
import { seen } from '../../record-sets/seen.ts';
import { isPublishable, type State, stateOf } from '../../record-sets/state.ts';
import { refusedAlone } from '../../record-sets/transitions.ts';
import { stopRun } from './progress.ts';
import { eachOf, momentOf, type Run, settleItem } from './run.ts';

/** Record sets on a page of Route 53's listing. */
const PAGE_RECORD_SETS = 300;

/**
 * Everything that stands at these names, by record set id; null when the hosted zone is gone. Many names are read in pages
 * of the whole hosted zone where that takes fewer calls.
 */
export async function readStanding(
  hostedZones: HostedZones,
  { id, publishedCount }: Pick<HostedZoneItem, 'id' | 'publishedCount'>,
  names: readonly string[],
): Promise<Map<string, RecordSet> | null> {
  const found = new Map<string, RecordSet>();
  const pages = 2 + publishedCount / PAGE_RECORD_SETS;
  if (names.length <= Math.max(10, pages)) {
    for (const name of names) {
      const recordSets = await hostedZones.readName(id, name);
      if (recordSets === null) return null;
      for (const set of recordSets) found.set(recordSetId(set), set);
    }
    return found;
  }
  const wanted = new Set(names);
  let from: Parameters<typeof hostedZones.readPage>[1] = null;
  do {
    const page: Awaited<ReturnType<typeof hostedZones.readPage>> = await hostedZones.readPage(id, from);
    if (page === null) return null;
    for (const set of page.recordSets) if (wanted.has(set.name)) found.set(recordSetId(set), set);
    from = page.next;
  } while (from !== null);
  return found;
}

/** The same for a run's own hosted zone. */
export function readNames(run: Run, names: readonly string[]): Promise<Map<string, RecordSet> | null> {
  return readStanding(run.deps.hostedZones, run.hostedZone, names);
}

/** True for an item of which it is not known what stands in Route 53, or that we are asked to look at again. */
function isDoubtful(run: Run, item: RecordSetItem, retryNames: ReadonlySet<string>): boolean {
  if (!isPublishable(item, run.hostedZone.name)) return false;
  const state = stateOf(item);
  if (state === 'sending') return true;
  if (retryNames.has(item.name)) return !isForWordsOnly(item, state);
  return state === 'reopened' && item.refusal?.reason === 'Drifted';
}

/** True where only Route 53's answer to another try tells more: nothing of ours stands there, or may. */
function isForWordsOnly(item: RecordSetItem, state: State): boolean {
  return (
    state === 'refused' && item.refusal?.reason === 'Rejected' && item.published === null && item.late.length === 0
  );
}

/** True where somebody else's record set was seen in its place. */
function isInTheWay(item: RecordSetItem): boolean {
  return stateOf(item) === 'refused' && item.refusal?.reason !== 'Rejected';
}

/** Looks at the names of all items in doubt, and notes what stands there. Only those names are read. */
export async function resolveDoubts(run: Run, retryNames: ReadonlySet<string>): Promise<void> {
  const items = [...run.items.values()].map((stored) => stored.item);
  // What a later lease means to write is not ours to judge: it has not died, we were overtaken.
  if (items.some(({ intent }) => intent !== null && intent.epoch > run.lease.epoch)) {
    stopRun(run, 'lost', 'Another run has taken over the hosted zone.');
    return;
  }
  const doubtful = items.filter((item) => isDoubtful(run, item, retryNames));
  if (doubtful.length === 0) return;
  const sinceMs = run.deps.clock.nowMs();
  const actual = await readNames(run, [...new Set(doubtful.map((item) => item.name))]);
  if (actual === null) {
    stopRun(run, 'gone', 'The hosted zone is gone.');
    return;
  }
  await eachOf(doubtful, async (item) => {
    const content = actual.get(recordSetId(item))?.content ?? null;
    const sight = { ...momentOf(run), owner: run.hostedZone, sinceMs };
    const { item: news } = seen(item, content, sight);
    const isAskedAgain = retryNames.has(item.name) && isInTheWay(item);
    if (news === null && !isAskedAgain) return;
    await settleItem(run, item, (now) => {
      const next = seen(now, content, sight).item;
      // As it was: the next pause is longer.
      if (next === null && isAskedAgain) return { ...now, refused: refusedAlone(now.refused, sight.nowMs) };
      return next ?? now;
    });
  });
}
