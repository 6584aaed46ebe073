// Everything that the rules say of one name: which of its endpoints stand, which conflict, which are occluded, and which
// record sets of which hosted zones come of them. It needs the endpoints at that name and the live Zones at or above it,
// nothing else: `buildWorld` calls it for every name, the hot path for the one that changed, so both always agree.
import { buildRecordSet } from '../dns/build-record-set.ts';
import type { RecordSet } from '../dns/record-set.ts';
import { isRoute53Type } from '../dns/record-type.ts';
import type { AcceptedReason, ProgrammedReason, Verdict } from '../objects/conditions.ts';
import { compareAge, compareText, formatRef, type ZoneKey } from '../objects/object-ref.ts';
import type { AdoptedEndpoint } from './adopt-endpoint.ts';
import type { PlacedZone } from './place-zones.ts';
import { occluded, unsupported, verdictOfTarget } from './unpublished-reasons.ts';
import { gluingZones, highestCut, isWithinGroup, parentOf } from './zone-cuts.ts';
import { buildSoaEntry } from './zone-entries.ts';

/** A record set that the cluster asks for, in one hosted zone. */
export type DesiredRecordSet = RecordSet & {
  readonly hostedZoneId: string;
  /** The Zone that the hosted zone belongs to. */
  readonly zone: ZoneKey;
  readonly objects: readonly string[];
};

/** What became of one endpoint at the name. */
export type EndpointSettlement = {
  /** Null when adoption's own verdict stands. */
  readonly accepted: Verdict<AcceptedReason> | null;
  /** Null when that depends on what Route 53 says of the record sets that name this object. */
  readonly programmed: Verdict<ProgrammedReason> | null;
  /** The TTL of its record set: the lowest of those that stand, in seconds. */
  readonly ttl: number;
};

/** The whole of one name. */
export type NameSettlement = {
  readonly endpoints: ReadonlyMap<AdoptedEndpoint, EndpointSettlement>;
  readonly recordSets: readonly DesiredRecordSet[];
  /** The endpoints that stand, by Zone: its entries at this name, sub-zones' NS and glue not counted. */
  readonly standing: ReadonlyMap<ZoneKey, readonly AdoptedEndpoint[]>;
};

type Contribution = {
  readonly place: PlacedZone;
  readonly type: string;
  readonly ttl: number;
  readonly rdata: string;
  readonly objects: readonly string[];
};

/** Settles one name. `chain` holds the live Zones at or above it, the shortest first. */
export function settleName(
  name: string,
  chain: readonly PlacedZone[],
  endpoints: readonly AdoptedEndpoint[],
): NameSettlement {
  const places = new Map(chain.map((place) => [place.live.key, place]));
  const settlements = new Map<AdoptedEndpoint, EndpointSettlement>();
  const contributions: Contribution[] = [];
  const standing = judgeNeighbours(name, places, endpoints, settlements);
  for (const list of standing.values()) {
    for (const endpoint of list) {
      const place = places.get(endpoint.zone) as PlacedZone;
      const { verdict, into } = placeEndpoint(name, chain, places, place, endpoint);
      const glueFor = glueParents(name, chain, places, endpoint, into);
      for (const parent of [...(into === null ? [] : [into]), ...glueFor]) {
        const { type, ttl, values, ref } = endpoint;
        const objects = [formatRef(ref)];
        for (const rdata of values) contributions.push({ place: parent, type, ttl, rdata, objects });
      }
      const servesAsGlue = glueFor.length > 0 && verdict?.reason !== 'Occluded';
      const ttl = lowestTtl(endpoint, place, standing, places);
      settlements.set(endpoint, { accepted: null, programmed: servesAsGlue ? null : verdict, ttl });
    }
  }
  for (const contribution of hostedNameServers(name, chain, places)) contributions.push(contribution);
  const recordSets = [...mergeContributions(name, contributions), ...soaRecordSets(name, chain)];
  return { endpoints: settlements, recordSets, standing };
}

/** The lowest TTL of the endpoints that make up one record set with this one: of its type, in the same piece of the DNS tree. */
function lowestTtl(
  { type, class: recordClass, ttl }: AdoptedEndpoint,
  { group }: PlacedZone,
  standing: ReadonlyMap<ZoneKey, readonly AdoptedEndpoint[]>,
  places: ReadonlyMap<ZoneKey, PlacedZone>,
): number {
  const together = [...standing].filter(([zone]) => places.get(zone)?.group === group).flatMap(([, list]) => list);
  const same = together.filter((other) => other.type === type && other.class === recordClass);
  return same.reduce((least, other) => Math.min(least, other.ttl), ttl);
}

/** The SOA of a Zone with a hosted zone of its own, where that is ours to write. The publisher compares its TTL and timers only, and keeps Route 53's names. */
function soaRecordSets(name: string, chain: readonly PlacedZone[]): DesiredRecordSet[] {
  const zone = chain.at(-1);
  if (zone === undefined || zone.live.fqdn !== name || zone.hosting?.soa !== true) return [];
  const soa = buildSoaEntry(name, zone.live.spec, 0);
  const content = { kind: 'values', ttlSeconds: soa.ttl, values: [soa.rdata] } as const;
  const { key } = zone.live;
  return [
    {
      name,
      type: 'SOA',
      setIdentifier: null,
      content,
      hostedZoneId: zone.hosting.id,
      zone: key,
      objects: [`Zone ${key}`],
    },
  ];
}

/** CNAME tolerates no neighbour: oldest first, each against those already accepted (RFC 1034 §3.6.2). */
function judgeNeighbours(
  name: string,
  places: ReadonlyMap<ZoneKey, PlacedZone>,
  endpoints: readonly AdoptedEndpoint[],
  settlements: Map<AdoptedEndpoint, EndpointSettlement>,
): Map<ZoneKey, AdoptedEndpoint[]> {
  const acceptedByGroup = new Map<ZoneKey, AdoptedEndpoint[]>();
  const standing = new Map<ZoneKey, AdoptedEndpoint[]>();
  for (const endpoint of endpoints.toSorted(compareAdopted)) {
    const place = places.get(endpoint.zone) as PlacedZone;
    const accepted = getOrCreate(acceptedByGroup, place.group);
    const verdict = conflictOf(name, places, place, endpoint, accepted);
    if (verdict !== null) {
      settlements.set(endpoint, { accepted: verdict, programmed: null, ttl: endpoint.ttl });
      continue;
    }
    accepted.push(endpoint);
    getOrCreate(standing, endpoint.zone).push(endpoint);
  }
  return standing;
}

/** Oldest first; those of one object by type and values, so that the order of reading decides nothing. */
function compareAdopted(a: AdoptedEndpoint, b: AdoptedEndpoint): number {
  return (
    compareAge(a.age, b.age) ||
    compareText(formatRef(a.ref), formatRef(b.ref)) ||
    compareText(a.type, b.type) ||
    compareText(a.values.join('\n'), b.values.join('\n'))
  );
}

function conflictOf(
  name: string,
  places: ReadonlyMap<ZoneKey, PlacedZone>,
  place: PlacedZone,
  endpoint: AdoptedEndpoint,
  accepted: readonly AdoptedEndpoint[],
): Verdict<AcceptedReason> | null {
  if (endpoint.class !== 'IN') return null;
  // Any Zone's apex, also that of a sub-zone, with or without a cut; not that of a root that has nothing to do with us.
  const apex = [...places.values()].find((zone) => zone.live.fqdn === name && isWithinGroup(places, zone, place.group));
  if (endpoint.type === 'CNAME' && apex !== undefined) {
    return {
      reason: 'Conflict',
      message: `a CNAME cannot stand at the apex of Zone ${apex.live.key} (${name}), where SOA and NS stand (RFC 1912 §2.4)`,
    };
  }
  const rival = accepted.find(
    (other) =>
      other.class === 'IN' &&
      (endpoint.type === 'CNAME'
        ? other.type !== 'CNAME' || other.values[0] !== endpoint.values[0]
        : other.type === 'CNAME'),
  );
  if (rival === undefined) return null;
  return {
    reason: 'Conflict',
    message: `${formatRef(rival.ref)} has ${name} ${rival.type} ${rival.values.join(', ')} already and is older: a CNAME tolerates no other record at its name (RFC 1034 §3.6.2)`,
  };
}

/** Where a standing endpoint goes: into the hosted zone of `into`, or nowhere, and then why. */
function placeEndpoint(
  name: string,
  chain: readonly PlacedZone[],
  places: ReadonlyMap<ZoneKey, PlacedZone>,
  place: PlacedZone,
  endpoint: AdoptedEndpoint,
): { verdict: Verdict<ProgrammedReason> | null; into: PlacedZone | null } {
  if (endpoint.class !== 'IN' || endpoint.type === 'SOA' || !isRoute53Type(endpoint.type)) {
    return { verdict: unsupported(endpoint), into: null };
  }
  const cut = highestCut(chain, places, place);
  if (cut !== null && !(endpoint.type === 'DS' && cut.live.fqdn === name)) {
    return { verdict: occluded(name, cut), into: null };
  }
  if (endpoint.type === 'NS' && name === place.live.fqdn) return placeApexNameServer(chain, places, place, endpoint);
  return { verdict: verdictOfTarget(place), into: place.target.kind === 'hosted' ? place : null };
}

/** The NS set at a Zone's apex: published by the parent; a hosted zone's own apex NS set is left alone. */
function placeApexNameServer(
  chain: readonly PlacedZone[],
  places: ReadonlyMap<ZoneKey, PlacedZone>,
  place: PlacedZone,
  endpoint: AdoptedEndpoint,
): { verdict: Verdict<ProgrammedReason> | null; into: PlacedZone | null } {
  const parent = parentOf(places, place);
  if (parent !== undefined) {
    const cut = highestCut(chain, places, parent);
    if (cut !== null && cut !== place) return { verdict: occluded(endpoint.fqdn, cut), into: null };
    return { verdict: verdictOfTarget(parent), into: parent.target.kind === 'hosted' ? parent : null };
  }
  const { hosting } = place;
  if (hosting === null) return { verdict: verdictOfTarget(place), into: null };
  if (endpoint.values.every((server) => hosting.nameServers.includes(server))) {
    return {
      verdict: { reason: 'Published', message: `one of hosted zone ${hosting.id}'s own name servers` },
      into: null,
    };
  }
  return {
    verdict: {
      reason: 'ForeignRecord',
      message: `Route 53 keeps the NS set at the apex of hosted zone ${hosting.id} itself (${hosting.nameServers.join(', ') || 'not read yet'}); zone53 leaves it alone`,
    },
    into: null,
  };
}

/** The Zones that publish this A or AAAA as glue: parents, up the chain, of sub-zones whose name server it is. */
function glueParents(
  name: string,
  chain: readonly PlacedZone[],
  places: ReadonlyMap<ZoneKey, PlacedZone>,
  endpoint: AdoptedEndpoint,
  own: PlacedZone | null,
): PlacedZone[] {
  return [...gluingZones(name, places, endpoint)].flatMap(({ subZone, parent }) => {
    if (parent.target.kind !== 'hosted' || parent === own || highestCut(chain, places, parent) !== subZone) return [];
    return [parent];
  });
}

/** NS of sub-zones that declare none but have a hosted zone: the parent delegates to that hosted zone's own. */
function hostedNameServers(
  name: string,
  chain: readonly PlacedZone[],
  places: ReadonlyMap<ZoneKey, PlacedZone>,
): Contribution[] {
  const zone = chain.at(-1);
  if (zone === undefined || zone.live.fqdn !== name) return [];
  const parent = parentOf(places, zone);
  if (parent === undefined || parent.target.kind !== 'hosted' || highestCut(chain, places, parent) !== zone) return [];
  return zone.nameServers
    .filter((server) => server.objects.every((object) => object === `Zone ${zone.live.key}`))
    .map((server) => ({ place: parent, type: 'NS', ttl: server.ttl, rdata: server.rdata, objects: server.objects }));
}

function mergeContributions(name: string, contributions: readonly Contribution[]): DesiredRecordSet[] {
  const groups = new Map<string, Contribution[]>();
  for (const contribution of contributions) {
    if (contribution.place.target.kind !== 'hosted') continue;
    getOrCreate(groups, `${contribution.place.target.hostedZoneId} ${contribution.type}`).push(contribution);
  }
  return [...groups.values()].map((group) => {
    const [first] = group as [Contribution];
    const target = first.place.target as Extract<PlacedZone['target'], { kind: 'hosted' }>;
    const objects = [...new Set(group.flatMap((contribution) => contribution.objects))].toSorted();
    return {
      ...buildRecordSet(name, first.type, group),
      hostedZoneId: target.hostedZoneId,
      zone: target.zone,
      objects,
    };
  });
}

function getOrCreate<Key, Value>(map: Map<Key, Value[]>, key: Key): Value[] {
  const found = map.get(key);
  if (found !== undefined) return found;
  const created: Value[] = [];
  map.set(key, created);
  return created;
}
