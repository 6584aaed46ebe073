// What a run leads to once it is over: values only. `publish()` (publish-hosted-zone.ts) carries them out.
import { recordSetId } from '../../dns/record-set.ts';
import { type Acknowledgement, acknowledgedDigest, type HostedZoneItem } from '../../record-sets/hosted-zone-item.ts';
import { servicesGone } from '../counts/services.ts';
import { waitsOf } from '../plan/names.ts';
import type { ChangeOutcome } from '../plan/outcome.ts';
import { heldAfter } from '../plan/plan-hosted-zone.ts';
import { isStopped } from '../plan/progress.ts';
import { fullAfter, hasRoomAgain } from './full-hosted-zone.ts';
import type { Planned } from './prepare.ts';
import { deletionsNow, type Run } from './run.ts';

/** A pause before the first of many dirty names are looked at again. */
const PASSED_RETRY_SECONDS = 60;
/** A pause before the next run after Route 53 said "too fast" five times over. */
const THROTTLED_RETRY_SECONDS = 15;

export type Conclusion = {
  /** What the hosted zone says from now on. */
  readonly noted: Pick<
    HostedZoneItem,
    'publishedCount' | 'deletions' | 'servicesGone' | 'held' | 'full' | 'dirtyAfter'
  >;
  /** The annotation's digest, if it was compared with all held deletes; `open`: no Zone owns the hosted zone. */
  readonly weighed: Acknowledgement | null;
  readonly isGone: boolean;
  readonly isHeldAnew: boolean;
  /** It is full since this run, or no more. */
  readonly isFullAnew: boolean;
  /** Something was settled, or is held, that the hosted zone has to be told of, also where the lease was lost. */
  readonly hasLearned: boolean;
  /** By the changes as they were planned, whatever they had to become on the way. */
  readonly outcomes: readonly ChangeOutcome[];
  /** How soon another run is needed; null: none is. */
  readonly againAfterSeconds: number | null;
};

/** `planned` null: the run stopped before it planned. */
export function conclude(run: Run, planned: Planned | null): Conclusion {
  const { hostedZone, progress } = run;
  const { clock, config } = run.deps;
  const items = [...run.items.values()].map(({ item }) => item);
  const isHeld = planned !== null && planned.plan.guard.digest !== null;
  const held = heldNow(run, planned);
  const full = fullAfter(run, sawAll(run, planned));
  return {
    noted: {
      publishedCount: Math.max(0, hostedZone.publishedCount + progress.tallies.published),
      deletions: deletionsNow(run),
      servicesGone: servicesGone(config.guard.services, hostedZone.servicesGone, items, clock.nowMs()),
      held,
      full,
      dirtyAfter: readOn(run, planned),
    },
    weighed: weighedNow(run, planned),
    isGone: progress.ending.stop?.kind === 'gone',
    isHeldAnew: held?.digest !== hostedZone.held?.digest,
    isFullAnew: (full === null) !== (hostedZone.full === null),
    hasLearned: progress.tallies.published !== 0 || progress.tallies.deletions.length > 0 || isHeld,
    outcomes: inWordsOfPlan(run, planned),
    againAfterSeconds: againAfter(run, planned),
  };
}

/** Only a run that looked at all that is held may say so. */
function heldNow({ hostedZone }: Run, planned: Planned | null): HostedZoneItem['held'] {
  const looked = planned !== null && (planned.heldIsWhole || planned.plan.guard.digest !== null);
  return looked ? heldAfter(planned.plan) : hostedZone.held;
}

function weighedNow({ hostedZone }: Run, planned: Planned | null): Acknowledgement | null {
  const digest = acknowledgedDigest(hostedZone);
  if (planned === null || planned.plan.guard.digest === null || digest === null) return null;
  return { digest, state: planned.isLeft ? 'open' : 'weighed' };
}

/** True for a run that came to the end of all dirty names. */
function sawAll(run: Run, planned: Planned | null): boolean {
  const { hostedZone, options, progress } = run;
  if (planned === null || options.names !== undefined || isStopped(run)) return false;
  return planned.page.next === null && hostedZone.dirtyAfter === null && !progress.ending.leftOver;
}

/** Where the next run begins to read dirty names: after those that wait, if these are more than one run reads. */
function readOn({ names, hostedZone, progress }: Run, planned: Planned | null): string | null {
  if (planned === null) return hostedZone.dirtyAfter;
  const passes = waitsOf(names).size > 0 || progress.ending.leftOver || hostedZone.dirtyAfter !== null;
  return passes ? planned.page.next : null;
}

function againAfter(run: Run, planned: Planned | null): number | null {
  const { hostedZone, progress } = run;
  const { outcomes, ending } = progress;
  const { stop } = ending;
  const reasons = progress.ending.againAfterSeconds === null ? [] : [progress.ending.againAfterSeconds];
  if (stop?.kind === 'throttled') reasons.push(THROTTLED_RETRY_SECONDS);
  if (hasRoomAgain(run)) reasons.push(0);
  if (stop?.kind === 'late' || stop?.kind === 'lost' || (planned !== null && planned.page.next !== null))
    reasons.push(0);
  // Those that wait before where it began are asked again from the beginning.
  else if (hostedZone.dirtyAfter !== null)
    reasons.push(outcomes.some(({ outcome }) => outcome === 'published') ? 1 : PASSED_RETRY_SECONDS);
  return reasons.length === 0 ? null : Math.min(...reasons);
}

function inWordsOfPlan({ progress }: Run, planned: Planned | null): readonly ChangeOutcome[] {
  const byId = new Map((planned?.plan.changes ?? []).map((change) => [recordSetId(change), change]));
  const last = new Map(progress.outcomes.map((one) => [recordSetId(one.change), one]));
  return [...last].map(([id, one]) => ({ ...one, change: byId.get(id) ?? one.change }));
}
