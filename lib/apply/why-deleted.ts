// Says why a plan deletes or forgets a record set: what became of the objects for which it was published.
import type { Change } from '../dns/plan-changes.ts';
import { typesExclude } from '../dns/record-set.ts';
import { findRef, formatRef, isZone, keyOf } from '../objects/object-ref.ts';
import type { EndpointOutcome, ResolvedCluster } from '../zones/resolve-cluster.ts';
import type { ClusterPlan, PlannedHostedZone } from './plan-cluster.ts';

/** Half a sentence such as "Record ns/name is gone"; null for another change, or one of nobody's. */
export function whyDeleted(plan: ClusterPlan, planned: PlannedHostedZone, change: Change): string | null {
  if (change.action !== 'delete' && change.action !== 'forget') return null;
  const whys = change.objects.flatMap((object) => whyOf(plan, planned, change, object) ?? []);
  const successor = createsOf(planned.plan)
    .get(change.name)
    ?.find((other) => isSuccessor(change, other) && !other.objects.some((object) => change.objects.includes(object)));
  const next = successor === undefined ? [] : [`${successor.objects.join(', ')} asks for ${successor.type} there`];
  const said = [...new Set([...whys, ...next, ...refusedThere(plan, change)])];
  return said.length === 0 ? null : said.join('; ');
}

/** The indexes of a plan, made when the first delete asks: there may be very many. */
const CREATES = new WeakMap<object, ReadonlyMap<string, readonly Change[]>>();
const SETS = new WeakMap<object, ReadonlyMap<string, ResolvedCluster['recordSets']>>();

function createsOf({ changes }: PlannedHostedZone['plan']): ReadonlyMap<string, readonly Change[]> {
  const found = CREATES.get(changes);
  if (found !== undefined) return found;
  const creates = Map.groupBy(
    changes.filter(({ action }) => action === 'create'),
    ({ name }) => name,
  );
  CREATES.set(changes, creates);
  return creates;
}

function setsOf({ recordSets }: ResolvedCluster): ReadonlyMap<string, ResolvedCluster['recordSets']> {
  const found = SETS.get(recordSets);
  if (found !== undefined) return found;
  const sets = Map.groupBy(recordSets, ({ name }) => name);
  SETS.set(recordSets, sets);
  return sets;
}

/** The other objects that ask for the same and are not accepted: with one of them, nothing would be deleted. */
function refusedThere({ resolved }: ClusterPlan, { name, type, objects }: Change): readonly string[] {
  const asking = refusedIn(resolved).get(`${name} ${type}`) ?? [];
  const others = asking.filter(({ object }) => !objects.includes(object));
  return others
    .slice(0, REFUSED_MAX)
    .map(({ object, reason }) => `${object} asks for it and is not accepted (${reason})`);
}

/** How many objects that are not accepted are named. */
const REFUSED_MAX = 3;

type Refused = { readonly object: string; readonly reason: string };

/** Computed once for each plan. */
const REFUSED = new WeakMap<ResolvedCluster, ReadonlyMap<string, readonly Refused[]>>();

/** What is not accepted, by name and type. A Zone asks for the NS that delegate to it. */
function refusedIn(resolved: ResolvedCluster): ReadonlyMap<string, readonly Refused[]> {
  const known = REFUSED.get(resolved);
  if (known !== undefined) return known;
  const all = [
    ...[...resolved.zones.values()].flatMap(({ ref, fqdn, live, verdict: { reason } }) =>
      live !== null || fqdn === null ? [] : [{ at: `${fqdn} NS`, object: formatRef(ref), reason }],
    ),
    ...[...resolved.objects.values()]
      .flat()
      .flatMap(({ ref, fqdn, parent, endpoint, verdict: { reason } }) =>
        parent !== null || fqdn === null || endpoint === null
          ? []
          : [{ at: `${fqdn} ${endpoint.type}`, object: formatRef(ref), reason }],
      ),
  ];
  const found = Map.groupBy(all, ({ at }) => at);
  REFUSED.set(resolved, found);
  return found;
}

/** True for a create that takes the place of the delete: Route 53 allows only one of them. */
function isSuccessor(
  change: Pick<Change, 'type' | 'setIdentifier'>,
  other: Pick<Change, 'type' | 'setIdentifier'>,
): boolean {
  const isRouted = change.type === other.type && change.setIdentifier !== other.setIdentifier;
  return isRouted || typesExclude(change.type, other.type);
}

function whyOf(plan: ClusterPlan, planned: PlannedHostedZone, change: Change, object: string): string | null {
  const ref = findRef(object);
  if (ref === null) return null;
  if (!plan.reading.objects.has(object)) return `${object} is gone`;
  return isZone(ref) ? whyOfZone(plan, change, keyOf(ref)) : whyOfOther(plan, planned, change, object);
}

function whyOfZone({ resolved }: ClusterPlan, { name, type }: Change, key: string): string {
  const zone = resolved.zones.get(key);
  const id = `Zone ${key}`;
  if (zone === undefined) return `${id} is gone`;
  if (zone.live === null) return `${id} is not accepted (${zone.verdict.reason})`;
  if (zone.fqdn !== name) return `${id} is named ${zone.fqdn} now`;
  if (type === 'NS' && zone.live.parent === null) return `no Zone above delegates ${id} any more`;
  return `${id} has no name servers of its own any more`;
}

function whyOfOther(
  { resolved }: ClusterPlan,
  { hostedZone }: PlannedHostedZone,
  { name, type, setIdentifier }: Change,
  object: string,
): string {
  const outcomes = resolved.objects.get(object) ?? [];
  const isHere = ({ fqdn, endpoint }: EndpointOutcome) =>
    (fqdn === name || fqdn === null) && (endpoint?.type ?? type) === type;
  const here = outcomes.filter(isHere);
  const refused = here.find(({ parent }) => parent === null);
  if (refused !== undefined) return `${object} is not accepted (${refused.verdict.reason})`;
  const unpublished = here.find(({ programmed }) => programmed !== null);
  if (unpublished?.programmed != null) return `${object} is ${unpublished.programmed.reason}`;
  const moved = setsOf(resolved)
    .get(name)
    ?.find((set) => set.type === type && set.hostedZoneId !== hostedZone.id && set.objects.includes(object));
  if (moved !== undefined) return `moved to hosted zone ${moved.hostedZoneId}`;
  const waiting = resolved.waiting.get(object)?.find(({ fqdn }) => fqdn === name);
  if (waiting !== undefined) return `${object} waits: ${waiting.why}`;
  const identifier = here.find(
    ({ endpoint }) => (endpoint?.routing?.setIdentifier ?? null) !== setIdentifier,
  )?.endpoint;
  if (identifier !== undefined && identifier !== null)
    return `${object} asks for it ${identifier.routing === undefined ? 'without routing' : `as [${identifier.routing.setIdentifier}]`} now`;
  const others = [
    ...new Set(outcomes.flatMap(({ fqdn, endpoint }) => (fqdn === null ? [] : [`${fqdn} ${endpoint?.type ?? ''}`]))),
  ];
  const [other] = others;
  return other === undefined || others.length > 1
    ? `${object} asks for it no more`
    : `${object} asks for ${other.trim()} now`;
}

/** By hosted zone and `recordSetId`, for who prints the plan after it was carried out. */
export type WhyDeleted = (hostedZoneId: string, change: Change) => string | null;

/** The reasons of all deletes of a plan. */
export function whysOf(plan: ClusterPlan): WhyDeleted {
  const whys = new Map<string, string>();
  for (const planned of plan.hostedZones)
    for (const change of planned.plan.changes) {
      const why = whyDeleted(plan, planned, change);
      if (why !== null) whys.set(keyOfChange(planned.hostedZone.id, change), why);
    }
  return (hostedZoneId, change) => whys.get(keyOfChange(hostedZoneId, change)) ?? null;
}

function keyOfChange(hostedZoneId: string, { action, name, type, setIdentifier }: Change): string {
  return JSON.stringify([hostedZoneId, action, name, type, setIdentifier]);
}
