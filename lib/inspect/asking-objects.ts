// Finds all objects that ask for a name, adopted or not. This includes objects with a wrong spec whose name can be
// told, objects that ask for the name in a part that was left out (a problem in it, or a PTR that no Zone delegates),
// and objects that wait, such as for an address.
import { storedItems } from '../apply/describe-applied.ts';
import type { ClusterPlan } from '../apply/plan-cluster.ts';
import { compareText } from '../dns/names/compare-text.ts';
import { formatRef, isZone, type ZoneKey } from '../objects/object-ref.ts';
import { type Mapping, mapping } from '../objects/plain.ts';
import { endpointVerdict, ownRecordSets, setsOf, zoneVerdict } from '../report/programmed.ts';
import type { ClusterDns } from '../zones/cluster-names.ts';
import type { EndpointOutcome, ResolvedZone } from '../zones/resolve-cluster.ts';
import type { AskingObject } from './explanation.ts';
import { leftOutReverse } from './left-out-reverse.ts';
import { nameAsked } from './name-asked.ts';
import { namingObjects } from './naming-objects.ts';

/** In place of a reason of `Accepted`: the object waits. */
export const WAITING = 'Waiting';

const NOT_SELECTED = {
  reason: 'NotSelected',
  message:
    'the name is in its spec or annotations, and the configuration does not select it: see its class, its annotation for a controller, and the filters of its source in zone53.yaml',
};

/** The types that a Zone itself asks for at its own name. */
const ZONE_TYPES = ['SOA', 'NS'];

/** The objects that ask for the name and type (null: any): Zones first, then by kind, namespace and name. */
export function askingFor(
  plan: ClusterPlan,
  clusterDns: ClusterDns | null,
  name: string,
  type: string | null,
): readonly AskingObject[] {
  const { resolved } = plan;
  const zones = [...resolved.zones.values()]
    .filter((zone) => zone.fqdn === name && (type === null || ZONE_TYPES.includes(type)))
    .map((zone) => zoneObject(plan, zone));
  const others = [...resolved.objects.values()].flatMap((outcomes) =>
    outcomes
      .filter((outcome) => nameOf(plan, outcome) === name && (type === null || typeOf(plan, outcome) === type))
      .map((outcome) => otherObject(plan, outcome)),
  );
  const reversed = type === null || type === 'PTR' ? leftOutReverse(plan, clusterDns, name) : [];
  const leftOut = [...plan.reading.objects.values()].flatMap(({ now }) =>
    (now.leftOut ?? [])
      .filter((one) => one.names.includes(name) && (type === null || (one.type ?? type) === type))
      .map((one) => leftOutObject(formatRef(now.ref), one.type ?? null, one.message)),
  );
  const waiting = [...resolved.waiting].flatMap(([object, all]) =>
    all.filter(({ fqdn }) => fqdn === name).map(({ why }) => waitingObject(object, why)),
  );
  // The former endpoints stay in force, and are listed already.
  const isSaid = ({ object, accepted }: AskingObject) =>
    others.some((one) => one.object === object && one.accepted.reason === accepted.reason);
  const byName = (a: AskingObject, b: AskingObject) => compareText(a.object, b.object);
  const naming = namingObjects(plan.reading.listing.objects, name)
    .filter((object) => !asksAt(plan, object, name))
    .map(namingObject);
  return [
    ...zones.toSorted(byName),
    ...[...others, ...reversed, ...leftOut.filter((one) => !isSaid(one)), ...waiting, ...naming].toSorted(byName),
  ];
}

/** An object whose part was left out. */
function leftOutObject(object: string, type: string | null, message: string): AskingObject {
  return { object, type, accepted: { reason: 'InvalidSpec', message }, programmed: null, parent: null };
}

/** An object that asks for the name and does not get it yet, although nothing is wrong. */
function waitingObject(object: string, why: string): AskingObject {
  return { object, type: null, accepted: { reason: WAITING, message: why }, programmed: null, parent: null };
}

/** True if the object asks for the name, with any type, or waits for it, or if that part of it was left out. */
function asksAt(plan: ClusterPlan, object: string, name: string): boolean {
  const { resolved, reading } = plan;
  if (resolved.objects.get(object)?.some((outcome) => nameOf(plan, outcome) === name) === true) return true;
  if (resolved.waiting.get(object)?.some(({ fqdn }) => fqdn === name) === true) return true;
  return reading.objects.get(object)?.now.leftOut?.some(({ names }) => names.includes(name)) === true;
}

/** An object that names it and asks for nothing there, and is not waiting either. */
function namingObject(object: string): AskingObject {
  return { object, type: null, accepted: NOT_SELECTED, programmed: null, parent: null };
}

function zoneObject(plan: ClusterPlan, zone: ResolvedZone): AskingObject {
  const target = zone.placed?.target;
  const planned = plan.hostedZones.find(
    ({ hostedZone }) => target?.kind === 'hosted' && hostedZone.id === target.hostedZoneId,
  );
  const leftovers = [...(planned?.items.values() ?? [])].filter(({ desired }) => desired === null);
  const own = storedItems(plan, ownRecordSets(plan.resolved, zone));
  const programmed = zoneVerdict(zone, planned?.hostedZone ?? null, leftovers, own, []);
  return {
    object: formatRef(zone.ref),
    type: null,
    accepted: zone.verdict,
    programmed,
    parent: zone.live?.parent ?? null,
  };
}

function otherObject(plan: ClusterPlan, outcome: EndpointOutcome): AskingObject {
  const programmed = endpointVerdict(outcome, storedItems(plan, setsOf(outcome, plan.resolved.recordSets)));
  const { verdict: accepted, parent } = outcome;
  return { object: formatRef(outcome.ref), type: typeOf(plan, outcome), accepted, programmed, parent };
}

/** The name that an endpoint asks for, also when no Zone adopts it. */
function nameOf(plan: ClusterPlan, { fqdn, endpoint, ref }: EndpointOutcome): string | null {
  return nameAsked({ fqdn, endpoint, ref }, specOf(plan.reading, formatRef(ref)), (zone) => fqdnOf(plan, zone));
}

function fqdnOf({ resolved }: ClusterPlan, zone: ZoneKey): string | null {
  return resolved.zones.get(zone)?.fqdn ?? null;
}

function typeOf({ reading }: ClusterPlan, { endpoint, ref }: EndpointOutcome): string | null {
  if (endpoint !== null) return endpoint.type;
  const { type } = specOf(reading, formatRef(ref));
  return typeof type === 'string' ? type.toUpperCase() : null;
}

function specOf({ listing }: ClusterPlan['reading'], id: string): Mapping {
  return mapping(listing.objects.find(({ ref }) => !isZone(ref) && formatRef(ref) === id)?.spec);
}
