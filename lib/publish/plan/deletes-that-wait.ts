// Deletes wait for one another. `kubectl delete --all` deletes one object after the other: were each published at once,
// the guard would see a mass delete only when most of it is done. Pure.
import { recordSetId } from '../../dns/record-set.ts';
import type { RecordSetItem } from '../../record-sets/record-set-item.ts';
import { unitsOf } from '../../route53/tied-changes.ts';
import { isOfGoing, isOfServices, type ServicesView } from './guard-services.ts';
import { planRecordSets } from './plan-hosted-zone.ts';

/** Deletes wait no longer than this for others to come: somewhere a name may be deleted every second. */
const DELETES_WAIT_MS_MAX = 30_000;

export type WaitInput = {
  readonly apex: string;
  /** Since when a name has been dirty; null: it is not. */
  readonly dirtySinceMs: (name: string) => number | null;
  /** Names of which the guard holds deletes, or has released them. */
  readonly marked: ReadonlySet<string>;
  /** The guard holds deletes in this hosted zone. */
  readonly isHolding: boolean;
  readonly deletesMax: number;
  /** The Services that deletes of a cluster's own names are of; null: there are none. */
  readonly services: ServicesView | null;
  /** For how long no other delete must have come; 0: none waits. */
  readonly quietMs: number;
  readonly nowMs: number;
};

/**
 * Those of the deletes of `items` that wait until no other has come for a moment, by record set id. A delete waits
 * whatever else stands or changes at its name. It does not wait
 *   - where it takes an endpoint from a Service that keeps others: such deletes are of no concern to the guard,
 *   - where it is tied to a create or an update (tied-changes.ts),
 *   - when it was sent before, and its outcome is not known,
 *   - when the guard has held or released its name already,
 *   - when the guard will hold it at first sight; once it holds some, the others wait again: a look is at all of them,
 *   - longer than DELETES_WAIT_MS_MAX.
 */
export function deletesThatWait(items: readonly RecordSetItem[], input: WaitInput): ReadonlySet<string> {
  const { quietMs, nowMs, services } = input;
  if (quietMs === 0) return new Set();
  const sent = new Set(items.filter(({ intent }) => intent !== null).map(recordSetId));
  const deletes = unitsOf(planRecordSets(items, input.apex))
    .filter((unit) => unit.every(({ action }) => action === 'delete'))
    .flat()
    .filter((change) => !input.marked.has(change.name) && !sent.has(recordSetId(change)))
    .filter((change) => !isOfServices(services, change) || (services !== null && isOfGoing(services, change)));
  const dirtyMs = deletes.flatMap(({ name }) => input.dirtySinceMs(name) ?? []);
  const newestMs = dirtyMs.reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY);
  const oldestMs = dirtyMs.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY);
  const isQuiet = nowMs - newestMs >= quietMs || nowMs - oldestMs >= DELETES_WAIT_MS_MAX;
  const counting = deletes.filter((change) => !isOfServices(services, change));
  const isHeldAtSight = counting.length > input.deletesMax && !input.isHolding;
  return isQuiet || isHeldAtSight ? new Set() : new Set(deletes.map(recordSetId));
}
