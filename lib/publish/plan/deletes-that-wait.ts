// Decides which deletes wait for others that may follow, so that the guard sees them together. `kubectl delete --all`
// deletes one object after the other: if each delete were published at once, the guard would see a mass delete only
// when most of it is done. Pure.
import { recordSetId } from '../../dns/record-set.ts';
import type { HostedZoneItem } from '../../record-sets/hosted-zone-item.ts';
import type { RecordSetItem } from '../../record-sets/record-set-item.ts';
import { unitsOf } from '../../route53/tied-changes.ts';
import { isOfGoing, isOfServices, type ServicesView } from './guard-services.ts';
import { planRecordSets } from './plan-hosted-zone.ts';

/** Deletes wait no longer than this for others: in a busy hosted zone a name may be deleted every second. */
const DELETES_WAIT_MS_MAX = 30_000;

export type WaitInput = {
  readonly hostedZone: Pick<HostedZoneItem, 'name' | 'retains'>;
  /** Since when a name has been dirty; null: it is not dirty. */
  readonly dirtySinceMs: (name: string) => number | null;
  /** Names whose deletes the guard holds or has released. */
  readonly marked: ReadonlySet<string>;
  /** The guard holds deletes in this hosted zone. */
  readonly isHolding: boolean;
  readonly deletesMax: number;
  /** The Services whose names would be deleted from a cluster's own DNS; null: there are none. */
  readonly services: ServicesView | null;
  /** A delete waits until no other has come for so long; 0: none waits. */
  readonly quietMs: number;
  readonly nowMs: number;
};

/**
 * Those deletes of `items` that wait until no other delete has come for `quietMs`, by record set id. Other record sets
 * and changes at its name do not matter. A delete does not wait
 *   - if it takes an endpoint from a Service that keeps others: the guard does not count such deletes,
 *   - if it is tied to a create or an update (tied-changes.ts),
 *   - if it was sent before, and its outcome is not known,
 *   - if the guard has held or released its name already,
 *   - if there are so many that the guard will hold them anyway; but while it holds some, new ones wait again,
 *   - longer than DELETES_WAIT_MS_MAX.
 */
export function deletesThatWait(items: readonly RecordSetItem[], input: WaitInput): ReadonlySet<string> {
  const { quietMs, nowMs, services } = input;
  if (quietMs === 0) return new Set();
  const sent = new Set(items.filter(({ intent }) => intent !== null).map(recordSetId));
  const deletes = unitsOf(planRecordSets(items, input.hostedZone))
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
