// The guard's rule for the names of a cluster's own DNS. Single endpoints come and go all the time, so their deletes do
// not count. Services that lose all of their names count:
//
//   of ten or more Services, a larger share than shareMax lost or would lose all names within windowMs      held
//
// guard.ts also counts deletes of record sets that objects still ask for: for example PTRs that a reverse Zone no
// longer delegates.
import type { Change } from '../../dns/plan-changes.ts';
import { recordSetId } from '../../dns/record-set.ts';
import type { ServiceLimits } from '../../ports/guard-limits.ts';

/** Below this number the rule does not apply, since one Service is a large share. */
const SERVICES_MIN = 10;

/** The Services that the deletes of a plan concern, by name (`<service>.<namespace>.svc.<zone>`). */
export type ServicesView = {
  readonly limits: ServiceLimits;
  /** Services that are published, and that nothing asks for any more. */
  readonly going: ReadonlySet<string>;
  /** Services that lost all names within the window and have not come back. */
  readonly gone: ReadonlySet<string>;
  /** How many Services stay. Counting stops once there are enough to show that the share is allowed. */
  readonly staying: number;
  /** The Services whose names a delete concerns; null: its name is not in the cluster's own DNS. */
  readonly behind: (change: Pick<Change, 'name' | 'type' | 'before'>) => readonly string[] | null;
  /** Record sets, by id, that objects still ask for: no change in the cluster explains that they go. */
  readonly asked?: ReadonlySet<string>;
};

/** True for a delete to which only the limits for Services apply. */
export function isOfServices(view: ServicesView | null, change: Change): boolean {
  return view !== null && view.behind(change) !== null && view.asked?.has(recordSetId(change)) !== true;
}

/** True for a delete of a Service that loses all of its names. */
export function isOfGoing({ going, behind }: ServicesView, change: Change): boolean {
  return behind(change)?.some((service) => going.has(service)) === true;
}

/** Why the deletes of these Services are held; null: they are not held. */
export function servicesBreach({ limits, going, gone, staying }: ServicesView): string | null {
  const lost = going.union(gone).size;
  const all = lost + staying;
  if (all < SERVICES_MIN || lost / all <= limits.shareMax) return null;
  const earlier = gone.size === 0 ? '' : `, ${gone.size} of them already`;
  return `${lost} of ${all} Services would lose all of their names within ${limits.windowMs / 1_000} seconds${earlier}: more than servicesShareMax, ${Math.round(limits.shareMax * 1000) / 10} %.`;
}
