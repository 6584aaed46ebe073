// The guard's rule for the names of a cluster's own DNS. Single endpoints come and go all the time, so none of their
// deletes counts. What counts is Services:
//
//   of ten or more, a larger share than shareMax has lost all of its names within windowMs, or would       held
//
// What goes although objects still ask for it, as when a reverse Zone no longer delegates its PTRs, counts in guard.ts
// as well.
import type { Change } from '../../dns/plan-changes.ts';
import { recordSetId } from '../../dns/record-set.ts';
import type { ServiceLimits } from '../../ports/guard-limits.ts';

/** Of fewer Services one is a large part. */
const SERVICES_MIN = 10;

/** The Services that the deletes of a plan concern, by name (`<service>.<namespace>.svc.<zone>`). */
export type ServicesView = {
  readonly limits: ServiceLimits;
  /** Those that stand in Route 53 and that nothing wants any more. */
  readonly going: ReadonlySet<string>;
  /** Those that went within the window and are still gone. */
  readonly gone: ReadonlySet<string>;
  /** How many stand and stay; or as many as show that too few go. */
  readonly standing: number;
  /** The Services that a delete is of; null: it is no name of that DNS. */
  readonly behind: (change: Pick<Change, 'name' | 'type' | 'before'>) => readonly string[] | null;
  /** Record sets, by id, that objects still ask for: no change in the cluster explains that they go. */
  readonly asked?: ReadonlySet<string>;
};

/** True for a delete to which these limits apply and no others. */
export function isOfServices(view: ServicesView | null, change: Change): boolean {
  return view !== null && view.behind(change) !== null && view.asked?.has(recordSetId(change)) !== true;
}

/** True for a delete of a Service that loses all of its names. */
export function isOfGoing({ going, behind }: ServicesView, change: Change): boolean {
  return behind(change)?.some((service) => going.has(service)) === true;
}

/** Why the deletes of Services that go are held; null: they are not. */
export function servicesBreach({ limits, going, gone, standing }: ServicesView): string | null {
  const lost = going.union(gone).size;
  const all = lost + standing;
  if (all < SERVICES_MIN || lost / all <= limits.shareMax) return null;
  const earlier = gone.size === 0 ? '' : `, ${gone.size} of them already`;
  return `${lost} of ${all} Services would lose all of their names within ${limits.windowMs / 1_000} seconds${earlier}: more than servicesShareMax, ${Math.round(limits.shareMax * 1000) / 10} %.`;
}
