// A hosted zone with as many record sets as its quota allows refuses every batch that would add one. Its Zone says so.
// Such a batch is not parted: changes that add record sets wait, all others go on. One batch is tried again after a
// while, and at once when something was deleted.
import type { Change } from '../../dns/plan-changes.ts';
import type { HostedZoneItem } from '../../record-sets/hosted-zone-item.ts';
import { HOUR_MS } from '../../record-sets/retention.ts';
import { nextTryMs } from '../../record-sets/transitions.ts';
import { noteName } from '../plan/names.ts';
import { runAgain } from '../plan/progress.ts';
import { noteOutcome, type Run } from './run.ts';

/** A queue of SQS delivers no later. The sweep wakes whatever is still dirty then. */
const AGAIN_SECONDS_MAX = 900;

/** What is said of a change that waits for room begins with this. */
export const FULL_WORDS = 'The hosted zone is full.';

/** When a batch is tried again; within the hour, as nobody tells us that the quota was raised. */
function againAtMs({ times, atMs }: NonNullable<HostedZoneItem['full']>): number {
  return Math.min(atMs + HOUR_MS, nextTryMs(times, atMs));
}

/** True while nothing is to be added. */
export function isFull({ progress, hostedZone: { full }, deps }: Run): boolean {
  if (progress.ending.full !== null) return true;
  return full !== null && progress.tallies.published >= 0 && deps.clock.nowMs() < againAtMs(full);
}

/** Leaves the changes as they are, dirty. */
export function waitForRoom(run: Run, changes: readonly Change[]): void {
  if (changes.length === 0) return;
  const { full } = run.hostedZone;
  const said = run.progress.ending.full ?? full?.message ?? '';
  noteOutcome(run, changes, 'failed', `${FULL_WORDS} Route 53: ${said}`);
  for (const { name } of changes) noteName(run.names, name, { stays: true });
  const nowMs = run.deps.clock.nowMs();
  const nextMs = run.progress.ending.full === null && full !== null ? againAtMs(full) : nextTryMs(0, nowMs);
  runAgain(run, Math.min(AGAIN_SECONDS_MAX, Math.max(1, Math.ceil((nextMs - nowMs) / 1_000))));
}

/** What the hosted zone says after the run. */
export function fullAfter({ progress, hostedZone: { full }, deps }: Run): HostedZoneItem['full'] {
  if (progress.ending.full === null) return progress.tallies.published === 0 ? full : null;
  return { message: progress.ending.full, times: (full?.times ?? 0) + 1, atMs: deps.clock.nowMs() };
}
