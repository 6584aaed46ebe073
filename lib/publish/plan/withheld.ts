// Which planned changes are not applied: what Route 53 or our own rules refused, and what flips too often. Changes that
// are tied (tied-changes.ts) are withheld together. Only the creates that the others do not need are withheld alone: a
// new record set that is refused does not hold up those that exist. Pure.
import { hash } from 'node:crypto';
import { hashRecordSet } from '../../dns/hash.ts';
import type { Change } from '../../dns/plan-changes.ts';
import { flipHold } from '../../record-sets/flip-breaker.ts';
import type { HostedZoneItem } from '../../record-sets/hosted-zone-item.ts';
import { type RecordSetItem, type Refusal, storedContent } from '../../record-sets/record-set-item.ts';
import { isByTrialOnly, stateOf, takesOver } from '../../record-sets/state.ts';
import { exceededLimit } from '../../route53/record-set-limits.ts';
import { followersOf } from '../../route53/tied-changes.ts';

/** A change that is not applied, with the refusal that its objects report. */
export type Withheld = { readonly change: Change; readonly refusal: Refusal };

/**
 * A text for the desired contents of all changes of the unit without which this one cannot be applied; undefined if it
 * can be applied alone.
 */
export function digestUnit(unit: readonly Change[], change: Change): string | undefined {
  const followers = followersOf(unit);
  const all = followers.includes(change) ? unit : unit.filter((one) => !followers.includes(one));
  if (all.length === 1) return undefined;
  const lines = all.map(({ type, setIdentifier, after }) => [type, setIdentifier, hashRecordSet(after)]);
  return hash('sha256', JSON.stringify(lines.map((line) => JSON.stringify(line)).sort()), 'hex');
}

/** True if another try would be refused again. Before it plans, publish reads names that are to be tried again. */
export function refusalHolds(
  item: RecordSetItem,
  hostedZone: HostedZoneItem,
  retryNames: ReadonlySet<string>,
): boolean {
  if (stateOf(item) !== 'refused') return false;
  // Only a run that judges the claims of all clusters removes it.
  if (item.refusal?.reason === 'OwnedByAnotherCluster') return true;
  return isByTrialOnly(item.refusal) ? !retryNames.has(item.name) : !takesOver(item, hostedZone);
}

const WAITS = 'Waits for ';

/** True if what the change starts from is not there: no other change in its batch helps. */
function isOwnDrift(refusal: Refusal | null): boolean {
  return refusal?.reason === 'Drifted' && !refusal.message.startsWith(WAITS);
}

/** The message for a change that waits for another one, which was refused with this message, or waits itself. */
function waitsMessage({ type, name }: Change, message: string): string {
  return message.startsWith(WAITS)
    ? message
    : `${WAITS}${type} ${name}, because both can only change together: ${message}`;
}

/** The refusal of a change of a unit, because of another one of it, or of itself. */
export function refusalIn(
  unit: readonly Change[],
  change: Change,
  { reason, message: said, atMs, beside, shield }: Omit<Refusal, 'content' | 'unit'>,
  guilty: Change,
): Refusal {
  const digest = digestUnit(unit, change);
  const message = change === guilty ? said : waitsMessage(guilty, said);
  const together = {
    ...(digest !== undefined && { unit: digest }),
    ...(beside && { beside }),
    ...(shield && { shield }),
  };
  return { reason, message, content: storedContent(change.after), atMs, ...together };
}

/**
 * Units in which each follower that is withheld for itself is a unit of its own, and so is what another cluster has:
 * no other change waits for that.
 */
function withoutWithheld(
  units: readonly Change[][],
  isWithheld: (change: Change) => boolean,
  isOfOthers: (change: Change) => boolean,
): readonly Change[][] {
  return units.flatMap((unit) => {
    const followers = followersOf(unit);
    const apart = unit.filter((one) => isOfOthers(one) || (followers.includes(one) && isWithheld(one)));
    return [unit.filter((change) => !apart.includes(change)), ...apart.map((change) => [change])];
  });
}

type Known = {
  readonly hostedZone: HostedZoneItem;
  readonly itemOf: (change: Change) => RecordSetItem | undefined;
  /** The names whose refused changes are tried again. */
  readonly retryNames: ReadonlySet<string>;
  readonly nowMs: number;
};

/** Separates the changes of these units that may be applied from those that are withheld. */
export function splitWithheld(all: readonly Change[][], { hostedZone, itemOf, retryNames, nowMs }: Known) {
  const open: Change[] = [];
  const refused: Withheld[] = [];
  const flipping: (Withheld & { untilMs: number })[] = [];
  const limitOf = ({ type, after }: Change) => exceededLimit(type, after);
  const holdOf = (change: Change) => flipHold(itemOf(change), change, nowMs);
  const refusalOf = (unit: readonly Change[], change: Change) => {
    const item = itemOf(change);
    if (item === undefined || !refusalHolds(item, hostedZone, retryNames)) return null;
    // What was refused in another unit may be accepted in this one, unless somebody changed what it starts from.
    return isOwnDrift(item.refusal) || item.refusal?.unit === digestUnit(unit, change) ? item.refusal : null;
  };
  const isWithheld = (change: Change) =>
    refusalOf([change], change) !== null || limitOf(change) !== null || holdOf(change) !== null;
  const isOfOthers = (change: Change) =>
    itemOf(change)?.refusal?.reason === 'OwnedByAnotherCluster' && refusalOf([change], change) !== null;
  for (const unit of withoutWithheld(all, isWithheld, isOfOthers)) {
    const followers = followersOf(unit);
    const refusals = unit
      .filter((change) => !followers.includes(change))
      .map((change) => ({ change, refusal: refusalOf(unit, change) }));
    const tooLarge = unit.find((change) => limitOf(change) !== null);
    const flip = unit.map((change) => ({ change, hold: holdOf(change) })).find(({ hold }) => hold !== null);
    const [first] = refusals;
    if (first?.refusal != null && refusals.every(({ refusal }) => refusal !== null)) {
      for (const change of unit) {
        const own = refusalOf(unit, change);
        refused.push({ change, refusal: own ?? refusalIn(unit, change, first.refusal, first.change) });
      }
    } else if (tooLarge !== undefined) {
      const message = `${limitOf(tooLarge)}: nothing was sent.`;
      const refusal = { reason: 'Rejected', message, content: null, atMs: nowMs } as const;
      for (const change of unit) refused.push({ change, refusal: refusalIn(unit, change, refusal, tooLarge) });
    } else if (flip?.hold) {
      const { refusal, untilMs } = flip.hold;
      for (const change of unit)
        flipping.push({ change, refusal: refusalIn(unit, change, refusal, flip.change), untilMs });
    } else {
      open.push(...unit);
    }
  }
  return { open, refused, flipping };
}
