// The conclusion of a run: what is to be saved, reported and queued after it. Values only: `publish()`
// (publish-hosted-zone.ts) carries them out.
import { type Acknowledgement, acknowledgedDigests, type HostedZoneItem } from '../../record-sets/hosted-zone-item.ts';
import { objectsOf } from '../../record-sets/transitions.ts';
import { servicesGone } from '../counts/services.ts';
import { waitsOf } from '../plan/names.ts';
import { type ChangeOutcome, inWordsOfPlan } from '../plan/outcome.ts';
import { heldAfter } from '../plan/plan-hosted-zone.ts';
import { isStopped } from '../plan/progress.ts';
import { fullAfter, hasRoomAgain } from './full-hosted-zone.ts';
import type { Planned } from './prepare.ts';
import { countsNow, type Run } from './run.ts';

/** The pause before the next run reads the dirty names from the first again, after a run that began behind it. */
const PASSED_RETRY_SECONDS = 60;
/** The pause before the next run after every try of a call was throttled. */
const THROTTLED_RETRY_SECONDS = 15;

export type Conclusion = {
  /** The new fields of the hosted zone's item. */
  readonly noted: Pick<
    HostedZoneItem,
    'publishedCount' | 'deletions' | 'servicesGone' | 'held' | 'full' | 'denied' | 'dirtyAfter' | 'concluded'
  >;
  /** The new state of the annotation's digests, if they were compared. `open`: no Zone owns the hosted zone. */
  readonly weighed: Acknowledgement['state'] | null;
  readonly isGone: boolean;
  readonly isHeldAnew: boolean;
  /** What the history has of the held deletes: the objects and names concerned, and whether some were released. */
  readonly hold: { readonly objects: readonly string[]; readonly names: readonly string[]; readonly released: boolean };
  /** The hosted zone became full in this run, or began to deny changes, or is so no longer. */
  readonly isBlockedAnew: boolean;
  /** This run published, deleted or held something: the hosted zone's item must say so even if the lease was lost. */
  readonly hasLearned: boolean;
  /** One for each change as it was planned, even if another change was sent in its place. */
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
  const isWhole = sawAll(run, planned);
  const full = fullAfter(run, isWhole);
  const denied = progress.ending.denied ?? (isWhole ? null : hostedZone.denied);
  return {
    noted: {
      ...countsNow(run),
      servicesGone: servicesGone(config.guard.services, hostedZone.servicesGone, items, clock.nowMs()),
      held,
      full,
      denied,
      dirtyAfter: readOn(run, planned),
      concluded: run.options.callerRepeats === true ? hostedZone.concluded : run.lease.epoch,
    },
    weighed: weighedNow(run, planned),
    isGone: progress.ending.stop?.kind === 'gone',
    isHeldAnew: held?.digest !== hostedZone.held?.digest,
    hold: holdOf(run, planned),
    isBlockedAnew: (full === null) !== (hostedZone.full === null) || (denied === null) !== (hostedZone.denied === null),
    hasLearned: progress.tallies.published !== 0 || progress.tallies.deletions.length > 0 || isHeld,
    outcomes: inWordsOfPlan(progress.outcomes, planned?.plan.changes ?? []),
    againAfterSeconds: againAfter(run, planned),
  };
}

/** The held deletes after this run. A run that did not read all held deletes keeps what the item says. */
function heldNow({ hostedZone }: Run, planned: Planned | null): HostedZoneItem['held'] {
  const looked = planned !== null && (planned.heldIsWhole || planned.plan.guard.digest !== null);
  return looked ? heldAfter(planned.plan) : hostedZone.held;
}

/** Once nothing is held any more: what was held at the beginning of the run. */
function holdOf({ items, hostedZone }: Run, planned: Planned | null): Conclusion['hold'] {
  if (planned === null) return { objects: [], names: [], released: false };
  const { plan, marks } = planned;
  const { held, released, underWay } = plan.guard;
  const wasSpent = hostedZone.acknowledgements.some(
    ({ digest, state }) => state === 'spent' && digest === hostedZone.held?.digest,
  );
  const left = [...items.values()].flatMap(({ item }) => (marks.has(item.name) ? [item] : []));
  return {
    objects: held.length > 0 ? held.flatMap((change) => change.objects) : left.flatMap(objectsOf),
    names: held.length > 0 ? held.map(({ name }) => name) : [...marks.keys()],
    released: wasSpent || released.size + underWay.length > 0 || [...marks.values()].some(({ item }) => item.released),
  };
}

function weighedNow({ hostedZone }: Run, planned: Planned | null): Conclusion['weighed'] {
  if (planned === null || planned.plan.guard.digest === null) return null;
  if (acknowledgedDigests(hostedZone).length === 0) return null;
  return planned.isLeft ? 'open' : 'weighed';
}

/** True for a run that looked at all dirty names. */
function sawAll(run: Run, planned: Planned | null): boolean {
  const { hostedZone, options, progress } = run;
  if (planned === null || options.names !== undefined || isStopped(run)) return false;
  return planned.page.next === null && hostedZone.dirtyAfter === null && !progress.ending.leftOver;
}

/** Where the next run begins to read dirty names. If one run cannot read them all, it begins behind those that wait. */
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
  // This run began behind names that wait: the next one begins with the first dirty name.
  else if (hostedZone.dirtyAfter !== null)
    reasons.push(outcomes.some(({ outcome }) => outcome === 'published') ? 1 : PASSED_RETRY_SECONDS);
  return reasons.length === 0 ? null : Math.min(...reasons);
}
