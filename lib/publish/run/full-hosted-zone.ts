// What is sent to a hosted zone that is at its quota of record sets, and refuses every batch that would add one. The
// status of its Zone says so. Changes that add record sets wait, and all other changes are sent. One batch is tried
// again after a pause, or as soon as something was deleted. After a pause, a refused batch is split, to send as many
// record sets as there is room for. A batch that adds fewer record sets than the smallest refused batch is tried, too.
import type { Change } from '../../dns/plan-changes.ts';
import { fullAgainAtMs, type HostedZoneItem } from '../../record-sets/hosted-zone-item.ts';
import { nextTryMs } from '../../record-sets/transitions.ts';
import { growthOf, isGrowth } from '../plan/fair-order.ts';
import { noteName } from '../plan/names.ts';
import { FULL_WORDS } from '../plan/outcome.ts';
import { noteFull, noteWithoutRoom, runAgain } from '../plan/progress.ts';
import { noteOutcome, type Run } from './run.ts';

/** The longest delay of an SQS message. The sweep wakes hosted zones that are still dirty later. */
const AGAIN_SECONDS_MAX = 900;

/**
 * True if the pause is over, or the caller asks for a try: then a refused batch is split, since there may be room for
 * some of its record sets.
 */
export function seeksRoom({ hostedZone: { full }, deps, options }: Run): boolean {
  return full !== null && (options.triesFull === true || deps.clock.nowMs() >= fullAgainAtMs(full));
}

/**
 * The fewest additional record sets that are known to find no room in the hosted zone, the changes of this run
 * counted. Infinity: no limit is known.
 */
function knownGrowth(run: Run): number {
  const { ending, tallies } = run.progress;
  const { full } = run.hostedZone;
  if (ending.full !== null) return ending.full.growth - tallies.published;
  return full === null || seeksRoom(run) ? Number.POSITIVE_INFINITY : Math.max(1, full.growth - tallies.published);
}

/** Those groups of a batch that add record sets, if there is no room for all of them. */
export function groupsWithoutRoom<G extends readonly Change[]>(run: Run, groups: readonly G[]): readonly G[] {
  const growing = groups.filter(isGrowth);
  return growing.length > 0 && growthOf(growing.flat()) >= knownGrowth(run) ? growing : [];
}

/** Notes that Route 53 refused to add the record sets of these changes, because the hosted zone is full. */
export function noteRefusedGrowth(run: Run, message: string, changes: readonly Change[]): void {
  const { ending, tallies } = run.progress;
  // Counted from the start of the run.
  const growth = growthOf(changes) + tallies.published;
  noteFull(run, { message, growth: Math.min(growth, ending.full?.growth ?? growth) });
}

/** Sends none of these changes in this run. Their names stay dirty. */
export function postponeForRoom(run: Run, changes: readonly Change[]): void {
  if (changes.length === 0) return;
  const { full } = run.hostedZone;
  const { ending } = run.progress;
  const said = (ending.full ?? full)?.message ?? '';
  noteOutcome(run, changes, 'failed', `${FULL_WORDS} Route 53: ${said}`);
  for (const { name } of changes) noteName(run.names, name, { stays: true });
  noteWithoutRoom(run, growthOf(changes));
  const nowMs = run.deps.clock.nowMs();
  const nextMs = ending.full === null && full !== null ? fullAgainAtMs(full) : nextTryMs(0, nowMs);
  runAgain(run, Math.min(AGAIN_SECONDS_MAX, Math.max(1, Math.ceil((nextMs - nowMs) / 1_000))));
}

/** True if changes of this run wait for room, and deletes have made some since. */
export function hasRoomAgain(run: Run): boolean {
  const { waiting } = run.progress.ending;
  return waiting !== null && waiting < knownGrowth(run);
}

/** The field `full` of the hosted zone's item after the run. `sawAll`: this run looked at all dirty names. */
export function fullAfter(run: Run, sawAll: boolean): HostedZoneItem['full'] {
  const { progress, hostedZone, options, deps } = run;
  const { ending, tallies } = progress;
  const { full } = hostedZone;
  const growthIn = (growth: number) => Math.max(1, growth - tallies.published);
  if (ending.full !== null) {
    const { message, growth } = ending.full;
    return { message, times: (full?.times ?? 0) + 1, atMs: deps.clock.nowMs(), growth: growthIn(growth) };
  }
  if (full === null) return null;
  const hasAdded = options.names !== undefined && tallies.published > 0;
  return ending.waiting === null && (sawAll || hasAdded) ? null : { ...full, growth: growthIn(full.growth) };
}
