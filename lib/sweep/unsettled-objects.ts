// Which objects sweep after sweep finds unsettled: nobody consumes their hints, or their work never ends. No item says
// since when, and the item of an object whose hint nobody has read is still settled. So an object counts from the first
// of the sweeps in a row that sent a hint for it, as long as the ledger has the same of it.

import { formatRef, keyOf } from '../objects/object-ref.ts';
import type { Compared } from '../observe/diff-objects.ts';
import type { LedgerItem } from '../ports/ledger.ts';
import type { SweepState, UnsettledObject } from './sweep-cursor.ts';

/** How many objects are kept, since the state is written after every piece. One that stays is enough to ring. */
const KEPT_MAX = 10;

/** The unsettled objects after a piece of the sweep that has sent `hints`, the longest known first. */
export function withHinted(
  { beganMs, unsettled = [] }: SweepState,
  hints: Compared['hints'],
  known: Compared['known'],
): readonly UnsettledObject[] {
  const before = new Map(unsettled.map((one) => [one.object, one]));
  for (const ref of hints) {
    const object = formatRef(ref);
    const state = stateOf(known.get(keyOf(ref)));
    const earlier = before.get(object);
    const sinceMs = earlier?.state === state ? earlier.sinceMs : beganMs;
    before.set(object, { object, state, sinceMs, seenMs: beganMs });
  }
  return [...before.values()].toSorted((one, other) => one.sinceMs - other.sinceMs).slice(0, KEPT_MAX);
}

/** Those of the last sweep that has compared all objects, and of the one that compares them now. */
export function stillUnsettled(state: SweepState | null): readonly UnsettledObject[] {
  if (state?.unsettled === undefined) return [];
  const { at, beganMs, unsettled } = state;
  return at.phase === 'objects' ? unsettled : unsettled.filter(({ seenMs }) => seenMs === beganMs);
}

/**
 * What the ledger has of an object, in short. Every write of a settled item is work on the object. An unsettled one may
 * be written again and again for the same version.
 */
function stateOf(item: LedgerItem | undefined): string {
  if (item === undefined) return '';
  return item.body.unsettled === true ? String(item.body.version) : item.revision;
}
