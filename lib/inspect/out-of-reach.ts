// Says why resolvers do not see what zone53 publishes at a name: nothing delegates to its hosted zone, an NS record set
// leads past it, or the name is below a delegation in it.
import type { ClusterPlan, PlannedHostedZone } from '../apply/plan-cluster.ts';
import { isAtOrBelow } from '../dns/names/name.ts';
import { recordSetId } from '../dns/record-set.ts';
import { hostedZoneIdOf } from '../record-sets/hosted-zone-item.ts';
import { explainDenial } from '../zones/explain-denial.ts';
import type { ResolvedCluster, ResolvedZone } from '../zones/resolve-cluster.ts';
import type { Delegation } from './follow-delegation.ts';

type Place = { readonly id: string; readonly name: string };

/** Types that the hosted zone above a cut answers for the name of the cut. */
const OF_THE_PARENT = ['NS', 'DS'];

/** Why no resolver sees what is published at the name, now or soon, and what to do; null: nothing is known. */
export function outOfReach(
  { resolved, hostedZones }: Pick<ClusterPlan, 'resolved' | 'hostedZones'>,
  planned: PlannedHostedZone,
  { path, cut, unread }: Delegation,
  name: string,
  types: readonly string[],
): string | null {
  const home: Place = { id: hostedZoneIdOf(planned.hostedZone.id), name: planned.hostedZone.name };
  const last = path.at(-1);
  if (last === undefined) return null;
  if (last.id === home.id && cut === null) return aboutToEnd(resolved, hostedZones, planned, path);
  const at = path.findIndex(({ id }) => id === home.id);
  if (at >= 0) {
    const next = path[at + 1] ?? null;
    const below = next?.name ?? cut?.name ?? name;
    const isEnding = planned.plan.changes.some(
      (change) => change.action === 'delete' && change.type === 'NS' && change.name === below,
    );
    if (isEnding) return null;
    const isOfParent = name === below && types.length > 0 && types.every((type) => OF_THE_PARENT.includes(type));
    return isOfParent || cut?.nameServers.includes(name) === true
      ? null
      : belowDelegation(planned, name, below, next, cut);
  }
  if (unread !== null) return null;
  const hidden = `No resolver sees what hosted zone ${show(home)} has`;
  if (cut !== null && isAtOrBelow(home.name, cut.name))
    return `${hidden}: hosted zone ${show(last)} delegates ${cut.name} to ${cut.nameServers.join(', ')}. ${delegateTo(planned)}`;
  const same = path.find((one) => one.name === home.name);
  if (same !== undefined)
    return `${hidden}: resolvers ask hosted zone ${same.id} of the same name. ${delegateTo(planned)}`;
  const why = `Resolvers that come through hosted zone ${show(last)} do not see what hosted zone ${show(home)} has: there is no NS record set ${home.name} in it, so it answers for the names below that itself.`;
  return `${why} ${howToDelegate(resolved, planned, last)}`;
}

/** An NS record set on the way that the plan deletes. */
function aboutToEnd(
  resolved: ResolvedCluster,
  hostedZones: readonly PlannedHostedZone[],
  planned: PlannedHostedZone,
  path: Delegation['path'],
): string | null {
  for (const [at, above] of path.entries()) {
    const next = path[at + 1];
    const plan = hostedZones.find(({ hostedZone }) => hostedZoneIdOf(hostedZone.id) === above.id)?.plan;
    const change = plan?.changes.find(({ type, name }) => type === 'NS' && name === next?.name);
    if (change?.action !== 'delete') continue;
    const held = plan?.guard.held.some(({ type, name }) => type === 'NS' && name === change.name) === true;
    const when = held ? 'once it is acknowledged' : 'with the next apply or run';
    const what = `The NS record set ${change.name} is to be deleted in hosted zone ${show(above)}, ${when}; then no resolver sees what hosted zone ${show(planned.hostedZone)} has.`;
    return `${what} ${howToDelegate(resolved, planned, above)}`;
  }
  return null;
}

function show({ id, name }: Place): string {
  return `${id} (${name})`;
}

function belowDelegation(
  { hostedZone, items }: PlannedHostedZone,
  name: string,
  below: string,
  next: Place | null,
  cut: Delegation['cut'],
): string {
  const objects = items.get(recordSetId({ name: below, type: 'NS', setIdentifier: null }))?.objects ?? [];
  const by = objects.length === 0 ? '' : `, by ${objects.join(', ')}`;
  const where = `${name} is ${name === below ? 'at' : 'below'} the delegation ${below} in hosted zone ${show(hostedZone)}${by}`;
  if (next !== null)
    return `${where}: resolvers ask hosted zone ${next.id}, and never see what is published here. Declare a Zone ${below}, which publishes into that hosted zone.`;
  return `${where}: resolvers ask ${cut?.nameServers.join(', ') ?? 'others'}, and never see what is published here. Change it at those name servers; or remove the NS record set ${below}, so that this hosted zone answers.`;
}

/** How to have the hosted zone above delegate: by the Zone that publishes there, or by hand. */
function howToDelegate({ zones }: ResolvedCluster, planned: PlannedHostedZone, above: Place): string {
  const { hostedZone } = planned;
  const own = zones.get(hostedZone.zone);
  const upper = [...zones.values()].find(({ placed }) => hostedZoneIdOf(placed?.hosting?.id ?? '') === above.id);
  if (own === undefined || upper?.live == null) return delegateTo(planned);
  if (isUnder(zones, own, upper))
    return `Zone ${upper.key} delegates it: its NS record set is to be published. Run zone53 apply, or wait for the pipeline.`;
  return `${explainDenial(upper.live, hostedZone.name, null, own.ref.namespace)}.`;
}

function isUnder(zones: ResolvedCluster['zones'], zone: ResolvedZone, upper: ResolvedZone): boolean {
  let parent = zone.live?.parent ?? null;
  while (parent !== null && parent !== upper.key) parent = zones.get(parent)?.live?.parent ?? null;
  return parent !== null;
}

function delegateTo({ hostedZone: { name, nameServers } }: PlannedHostedZone): string {
  const servers = nameServers.length === 0 ? 'its name servers' : nameServers.join(', ');
  return `To be seen, it needs the NS record set ${name} with ${servers} in the hosted zone above.`;
}
