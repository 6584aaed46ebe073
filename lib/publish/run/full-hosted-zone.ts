// What is sent to a hosted zone that is at its quota of record sets, and refuses every batch that would add one. The
// status of its Zone says so. Such a batch is not split: changes that add record sets wait, and all other changes are
// sent. One batch is tried again after a pause, or as soon as something was deleted. A batch that adds fewer record
// sets than the smallest refused batch is tried, too.
import type { Change } from '../../dns/plan-changes.ts';
import type { HostedZoneItem } from '../../record-sets/hosted-zone-item.ts';
import { HOUR_MS } from '../../record-sets/retention.ts';
import { nextTryMs } from '../../record-sets/transitions.ts';
import { growthOf, isGrowth } from '../plan/fair-order.ts';
import { noteName } from '../plan/names.ts';
import type { ChangeOutcome } from '../plan/outcome.ts';
import { noteFull, noteWithoutRoom, runAgain } from '../plan/progress.ts';
import { noteOutcome, type Run } from './run.ts';

/** The longest delay of an SQS message. The sweep wakes hosted zones that are still dirty later. */
const AGAIN_SECONDS_MAX = 900;

const FULL_WORDS = 'The hosted zone is full.';

export function isWaitingForRoom({ outcome, message }: Pick<ChangeOutcome, 'outcome' | 'message'>): boolean {
  return outcome === 'failed' && message.startsWith(FULL_WORDS);
}

/** When a batch is tried again: within the hour, because zone53 does not learn when the quota is raised. */
function againAtMs({ times, atMs }: NonNullable<HostedZoneItem['full']>): number {
  return Math.min(atMs + HOUR_MS, nextTryMs(times, atMs));
}

/**
 * The fewest additional record sets that are known to find no room in the hosted zone, the changes of this run
 * counted. Infinity: no limit is known.
 */
function knownGrowth({ progress, hostedZone: { full }, deps }: Run): number {
  const { ending, tallies } = progress;
  if (ending.full !== null) return ending.full.growth - tallies.published;
  if (full === null || deps.clock.nowMs() >= againAtMs(full)) return Number.POSITIVE_INFINITY;
  return Math.max(1, full.growth - tallies.published);
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
  postponeForRoom(run, changes);
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
  const nextMs = ending.full === null && full !== null ? againAtMs(full) : nextTryMs(0, nowMs);
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
