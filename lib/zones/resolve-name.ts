// Applies the rules to one name: which endpoints are accepted, which conflict, which are occluded, and which record
// sets follow for which hosted zones. It needs only the endpoints at the name and the live Zones at or above it.
// `resolveCluster()` calls it for every name and the hot path for one, so both agree.
import { isAtOrBelow } from '../dns/names/name.ts';
import { inViewOf } from '../dns/names/view.ts';
import { isRoute53Type } from '../dns/record-type.ts';
import type { AcceptedReason, ProgrammedReason, Verdict } from '../objects/conditions.ts';
import { formatRef, type ZoneKey } from '../objects/object-ref.ts';
import type { AdoptedAlias, AdoptedEndpoint } from './adopt-endpoint.ts';
import { isSpf } from './content-notes.ts';
import { foreignInWords } from './foreign-cuts.ts';
import { httpsOf } from './https.ts';
import { conflictOf, conflictWithClusterIp, standsAlready } from './judge-neighbours.ts';
import { type Contribution, contributionsOf, type DesiredRecordSet, mergeContributions } from './merge-record-sets.ts';
import { isPrivate, type PlacedZone } from './place-zones.ts';
import { compareAdopted, type NameHistory, NOTHING_KNOWN } from './seniority.ts';
import { notDelegated, occluded, unsupported, verdictOfTarget } from './unpublished-reasons.ts';
import { cutOffTarget, gluingZones, highestCut, parentOf } from './zone-cuts.ts';
import { buildSoaEntry } from './zone-entries.ts';

/** The result for one endpoint at the name. */
export type ResolvedEndpoint = {
  /** Why it is not accepted at this name; null if it is. */
  readonly refusal: Verdict<AcceptedReason> | null;
  /** For a former endpoint: what is wrong with the endpoint for which it stands in. */
  readonly flawOfNewer?: Verdict<AcceptedReason>;
  /** Null if it depends on Route 53's answers about the record sets that name this object. */
  readonly programmed: Verdict<ProgrammedReason> | null;
  /** The TTL of its record set: the lowest of the accepted endpoints, in seconds. */
  readonly ttl: number;
  /** How many values of its record set state a policy of SPF, if it is one of them. */
  readonly spfCount?: number;
};

export type ResolvedName = {
  readonly endpoints: ReadonlyMap<AdoptedEndpoint, ResolvedEndpoint>;
  readonly recordSets: readonly DesiredRecordSet[];
  /** The accepted endpoints, by Zone: its entries at this name, without sub-zones' NS and glue. */
  readonly acceptedByZone: ReadonlyMap<ZoneKey, readonly AdoptedEndpoint[]>;
};

/** True if an endpoint was refused because of another one: then it matters which came first. */
export function hasConflict({ endpoints }: Pick<ResolvedName, 'endpoints'>): boolean {
  return [...endpoints.values()].some(({ refusal }) => refusal?.reason === 'Conflict');
}

/** A name with the live Zones at or above it, shortest first, and by key. */
type Around = {
  readonly name: string;
  readonly chain: readonly PlacedZone[];
  readonly places: ReadonlyMap<ZoneKey, PlacedZone>;
  readonly elsewhere: ZonesElsewhere;
  readonly history: NameHistory;
};

/** Finds Zones that are not above the name: those of aliases' targets and of newer endpoints. */
export type ZonesElsewhere = {
  readonly placeOf: (zone: ZoneKey) => PlacedZone | undefined;
  /** The live Zones at or above a name, the shortest first. */
  readonly chainOf: (name: string) => readonly PlacedZone[];
};

/** Where an endpoint is published: in the hosted zone of `into`, or nowhere, with the reason. */
type Placement = { readonly verdict: Verdict<ProgrammedReason> | null; readonly into: PlacedZone | null };

/** Resolves one name. `history`: default, nothing is known. */
export function resolveName(
  name: string,
  endpoints: readonly AdoptedEndpoint[],
  elsewhere: ZonesElsewhere,
  history: NameHistory = NOTHING_KNOWN,
): ResolvedName {
  const chain = elsewhere.chainOf(name);
  const places = new Map(chain.map((place) => [place.live.key, place]));
  const around = { name, chain, places, elsewhere, history };
  const resolved = new Map<AdoptedEndpoint, ResolvedEndpoint>();
  const contributions: Contribution[] = [];
  const flaws = flawsOfNewer(endpoints, around);
  const counting = endpoints.filter((one) => one.standsInFor === undefined || flaws.has(one));
  const { acceptedByZone, echoes } = judgeNeighbours(around, counting, resolved);
  addHttps(around, counting, acceptedByZone);
  for (const endpoint of [...acceptedByZone.values()].flat().toSorted(compareAdopted(history))) {
    const place = places.get(endpoint.zone) as PlacedZone;
    const { verdict, into } = placeEndpoint(around, place, endpoint);
    const glueFor = glueParents(around, endpoint, into);
    const objects = [formatRef(endpoint.ref)];
    for (const parent of [...(into === null ? [] : [into]), ...glueFor]) {
      contributions.push(...contributionsOf(parent, endpoint, objects));
    }
    const servesAsGlue = glueFor.length > 0 && verdict?.reason !== 'Occluded';
    const ttl = lowestTtl(endpoint, place, acceptedByZone, places);
    const spfCount = countSpf(endpoint, place, acceptedByZone, places);
    const spf = spfCount < 2 ? {} : { spfCount };
    resolved.set(endpoint, { refusal: null, programmed: servesAsGlue ? null : verdict, ttl, ...spf });
  }
  for (const endpoint of echoes) {
    const place = places.get(endpoint.zone) as PlacedZone;
    const { verdict: programmed, into } = placeEndpoint(around, place, endpoint);
    const ttl = lowestTtl({ ...endpoint, ttl: Number.POSITIVE_INFINITY }, place, acceptedByZone, places);
    if (into !== null) contributions.push(...contributionsOf(into, { ...endpoint, ttl }, [formatRef(endpoint.ref)]));
    resolved.set(endpoint, { refusal: null, programmed, ttl: endpoint.alias === undefined ? ttl : endpoint.ttl });
  }
  for (const [endpoint, flawOfNewer] of flaws) {
    const one = resolved.get(endpoint);
    if (one !== undefined) resolved.set(endpoint, { ...one, flawOfNewer });
  }
  contributions.push(...hostedNameServers(around), ...foreignGlue(around));
  const recordSets = [...mergeContributions(name, contributions), ...soaRecordSets(around)];
  return { endpoints: resolved, recordSets, acceptedByZone };
}

/** Adds the HTTPS records that follow from the addresses of the name, unless somebody asks for HTTPS here. */
function addHttps(
  { places }: Around,
  endpoints: readonly AdoptedEndpoint[],
  acceptedByZone: Map<ZoneKey, AdoptedEndpoint[]>,
): void {
  if (endpoints.some(({ type }) => type === 'HTTPS')) return;
  const byGroup = Map.groupBy([...acceptedByZone.values()].flat(), ({ zone }) => places.get(zone)?.group);
  for (const accepted of byGroup.values()) {
    const https = httpsOf(accepted, (zone) => places.get(zone));
    if (https !== null) getOrCreate(acceptedByZone, https.zone).push(https);
  }
}

/** The former endpoints in force, each with what is wrong with the newest endpoint that replaced it. */
function flawsOfNewer(
  endpoints: readonly AdoptedEndpoint[],
  { places, elsewhere }: Around,
): Map<AdoptedEndpoint, Verdict<AcceptedReason>> {
  const placeOf = (zone: ZoneKey) => places.get(zone) ?? elsewhere.placeOf(zone);
  const flaws = new Map<AdoptedEndpoint, Verdict<AcceptedReason>>();
  for (const endpoint of endpoints) {
    const place = placeOf(endpoint.zone);
    if (endpoint.standsInFor === undefined || place === undefined) continue;
    if (lostAlias(endpoint, place, elsewhere) !== null) continue;
    const newer = endpoint.standsInFor.map((one) => {
      if ('reason' in one) return one;
      const itsPlace = placeOf(one.zone);
      return itsPlace === undefined ? null : flawOfTarget(one, itsPlace, elsewhere);
    });
    const [last = null] = newer;
    if (last !== null && !newer.includes(null)) flaws.set(endpoint, last);
  }
  return flaws;
}

/** The lowest TTL of the record set, or of all weighted ones of its name and type, in one piece of the DNS tree. */
function lowestTtl(
  { type, class: recordClass, ttl, alias, routing }: AdoptedEndpoint,
  { group }: PlacedZone,
  acceptedByZone: ReadonlyMap<ZoneKey, readonly AdoptedEndpoint[]>,
  places: ReadonlyMap<ZoneKey, PlacedZone>,
): number {
  if (alias !== undefined) return ttl;
  const together = [...acceptedByZone]
    .filter(([zone]) => places.get(zone)?.group === group)
    .flatMap(([, list]) => list);
  const isWeighted = routing?.policy.kind === 'weight';
  const same = together.filter(
    (other) =>
      other.type === type &&
      other.class === recordClass &&
      other.alias === undefined &&
      (isWeighted || other.routing?.setIdentifier === routing?.setIdentifier),
  );
  return same.reduce((least, other) => Math.min(least, other.ttl), ttl);
}

/** How many policies of SPF the record set of an endpoint has, if the endpoint has one of them; else 0. */
function countSpf(
  { type, class: recordClass, routing, values }: AdoptedEndpoint,
  { group }: PlacedZone,
  acceptedByZone: ReadonlyMap<ZoneKey, readonly AdoptedEndpoint[]>,
  places: ReadonlyMap<ZoneKey, PlacedZone>,
): number {
  if (type !== 'TXT' || recordClass !== 'IN' || !values.some(isSpf)) return 0;
  const together = [...acceptedByZone]
    .filter(([zone]) => places.get(zone)?.group === group)
    .flatMap(([, list]) => list);
  const same = together.filter(
    (other) => other.type === type && other.routing?.setIdentifier === routing?.setIdentifier,
  );
  return new Set(same.flatMap((other) => other.values.filter(isSpf))).size;
}

/** A Zone's SOA, if we may write it. The publisher uses only its TTL and timers, and keeps Route 53's names. */
function soaRecordSets({ name, chain }: Around): DesiredRecordSet[] {
  const zone = chain.at(-1);
  if (zone === undefined || zone.live.fqdn !== name || zone.hosting?.soa !== true) return [];
  const soa = buildSoaEntry(name, zone.live.spec, 0);
  const content = { kind: 'values', ttlSeconds: soa.ttl, values: [soa.rdata] } as const;
  const { key } = zone.live;
  const owned = { hostedZoneId: zone.hosting.id, zone: key, objects: [`Zone ${key}`] };
  return [{ name, type: 'SOA', setIdentifier: null, content, ...owned }];
}

/**
 * The accepted endpoints, by Zone: each, oldest first, is compared with those accepted before it. `echoes`: endpoints
 * that only repeat what another namespace has at the name, and so add no entry.
 */
function judgeNeighbours(
  { name, places, elsewhere, history }: Around,
  endpoints: readonly AdoptedEndpoint[],
  resolved: Map<AdoptedEndpoint, ResolvedEndpoint>,
): { readonly acceptedByZone: Map<ZoneKey, AdoptedEndpoint[]>; readonly echoes: readonly AdoptedEndpoint[] } {
  const echoes: AdoptedEndpoint[] = [];
  const acceptedByGroup = new Map<ZoneKey, AdoptedEndpoint[]>();
  const acceptedByZone = new Map<ZoneKey, AdoptedEndpoint[]>();
  const oldestFirst = endpoints.toSorted(compareAdopted(history));
  const ofClusterIp = oldestFirst.find(({ reverse }) => reverse === 'clusterIP');
  for (const endpoint of oldestFirst) {
    const place = places.get(endpoint.zone) as PlacedZone;
    const accepted = getOrCreate(acceptedByGroup, place.group);
    const lost = lostAlias(endpoint, place, elsewhere) ?? conflictWithClusterIp(endpoint, ofClusterIp);
    const isEcho = lost === null && standsAlready(endpoint, accepted);
    const verdict = isEcho ? null : (lost ?? conflictOf(name, places, place, endpoint, accepted, history));
    if (verdict !== null) {
      resolved.set(endpoint, { refusal: verdict, programmed: null, ttl: endpoint.ttl });
      continue;
    }
    if (isEcho) {
      echoes.push(endpoint);
      continue;
    }
    accepted.push(endpoint);
    getOrCreate(acceptedByZone, endpoint.zone).push(endpoint);
  }
  return { acceptedByZone, echoes };
}

/** Why an alias is invalid in its Zone; null for every other endpoint. */
function lostAlias(
  { zone, fqdn, type, alias }: AdoptedEndpoint,
  place: PlacedZone,
  elsewhere: ZonesElsewhere,
): Verdict<AcceptedReason> | null {
  if (alias === undefined) return null;
  const { target, hostedZoneId } = alias;
  if (inViewOf(fqdn, target) === fqdn) {
    return { reason: 'InvalidSpec', message: `the alias ${fqdn} points to itself; write another target` };
  }
  return hostedZoneId !== null ? null : flawOfTarget({ zone, fqdn, type, target }, place, elsewhere);
}

/** Why an alias's target has no known hosted zone; null if it has one. The Zone's own is known. */
function flawOfTarget(
  alias: AdoptedAlias,
  place: PlacedZone,
  { chainOf }: ZonesElsewhere,
): Verdict<AcceptedReason> | null {
  const { fqdn: name, type, target } = alias;
  const { zone, fqdn } = place.target;
  const isInside = isAtOrBelow(target, fqdn);
  const chain = chainOf(target);
  const cut = isInside ? cutOffTarget(alias, chain, place) : null;
  if (isInside && cut === null) return null;
  // A CNAME is no way out at an apex, nor for another type than an address.
  const isApex = chainOf(name).some(({ live }) => live.fqdn === name);
  const instead = !isApex && (type === 'A' || type === 'AAAA') ? 'a CNAME, or its values' : 'its values';
  const there = cut ?? chain.findLast(({ foreign }) => foreign === undefined) ?? null;
  if (there !== null) {
    const { live } = there;
    const where =
      cut === null
        ? `${target} is in Zone ${live.key} (${live.fqdn}), not in Zone ${zone} (${fqdn})`
        : cut.foreign === undefined
          ? `${target} is at or below the zone cut ${live.fqdn} of Zone ${live.key}`
          : `${target} is at or below ${foreignInWords(cut.foreign)}`;
    const message = `the alias ${name} cannot lead out of its hosted zone: ${where}; write another target, ${instead}`;
    return { reason: 'InvalidSpec', message };
  }
  const why = `${target} is not the name of an AWS service that zone53 knows, and it is not in Zone ${zone} (${fqdn})`;
  const message = `the alias ${name} needs the hosted zone of its target: ${why}; if it is of AWS, set its id (spec.alias.hostedZoneId of a Record, else aws-target-hosted-zone), else write ${instead}`;
  return { reason: 'InvalidSpec', message };
}

/** Where an accepted endpoint is published. */
function placeEndpoint(around: Around, place: PlacedZone, endpoint: AdoptedEndpoint): Placement {
  const { name, chain, places } = around;
  if (endpoint.class !== 'IN' || endpoint.type === 'SOA' || !isRoute53Type(endpoint.type)) {
    return { verdict: unsupported(endpoint), into: null };
  }
  const cut = highestCut(chain, places, place);
  if (cut !== null && !(cut.live.fqdn === name && isOfParent(endpoint.type, cut))) {
    return { verdict: occluded(name, cut), into: null };
  }
  if (endpoint.type === 'NS' && delegatesInPrivate(around, place)) {
    return { verdict: notDelegated(name), into: null };
  }
  if (endpoint.type === 'NS' && name === place.live.fqdn) return placeApexNameServer(around, place, endpoint);
  return intoTarget(place);
}

/** True for a type that the Zone above a cut has at the name of the cut: its DS, and NS that nobody else publishes. */
function isOfParent(type: string, { foreign }: PlacedZone): boolean {
  return type === 'DS' || (type === 'NS' && foreign?.isDelegated === false);
}

function intoTarget(place: PlacedZone): Placement {
  return { verdict: verdictOfTarget(place), into: place.target.kind === 'hosted' ? place : null };
}

/** True for NS that would delegate from or to a private hosted zone; the NS of a hosted zone's own apex do neither. */
function delegatesInPrivate({ name, places }: Around, place: PlacedZone): boolean {
  const parent = name === place.live.fqdn ? parentOf(places, place) : place;
  return parent !== undefined && (isPrivate(place) || isPrivate(parent));
}

/** The NS set at a Zone's apex: published by the parent; a hosted zone's own apex NS set is left alone. */
function placeApexNameServer({ chain, places }: Around, place: PlacedZone, endpoint: AdoptedEndpoint): Placement {
  const parent = parentOf(places, place);
  if (parent !== undefined) {
    const cut = highestCut(chain, places, parent);
    if (cut !== null && cut !== place) return { verdict: occluded(endpoint.fqdn, cut), into: null };
    return intoTarget(parent);
  }
  const { hosting } = place;
  if (hosting === null) return { verdict: verdictOfTarget(place), into: null };
  if (endpoint.values.every((server) => hosting.nameServers.includes(server))) {
    const message = `one of hosted zone ${hosting.id}'s own name servers`;
    return { verdict: { reason: 'Published', message }, into: null };
  }
  const message = `Route 53 itself manages the NS set at the apex of hosted zone ${hosting.id} (${hosting.nameServers.join(', ') || 'not read yet'}); zone53 does not change it`;
  return { verdict: { reason: 'ForeignRecord', message }, into: null };
}

/** The Zones that publish this A or AAAA as glue: parents, up the chain, of sub-zones whose name server it is. */
function glueParents({ name, chain, places }: Around, endpoint: AdoptedEndpoint, own: PlacedZone | null): PlacedZone[] {
  return [...gluingZones(name, places, endpoint)].flatMap(({ subZone, parent }) => {
    if (parent.target.kind !== 'hosted' || parent === own || highestCut(chain, places, parent) !== subZone) return [];
    return [parent];
  });
}

/** NS of sub-zones that declare none but have a hosted zone: the parent delegates to that hosted zone's own. */
function hostedNameServers({ name, chain, places }: Around): Contribution[] {
  const zone = chain.at(-1);
  if (zone === undefined || zone.live.fqdn !== name) return [];
  const parent = parentOf(places, zone);
  if (parent === undefined || parent.target.kind !== 'hosted' || highestCut(chain, places, parent) !== zone) return [];
  const isStandby = [zone, parent].some(({ live }) => live.spec.claim?.standby);
  const standby = isStandby ? { claim: { standby: true as const } } : {};
  return zone.nameServers
    .filter(
      ({ objects }) => zone.foreign !== undefined || objects.every((object) => object === `Zone ${zone.live.key}`),
    )
    .map(({ ttl, rdata, objects }) => ({ place: parent, type: 'NS', ttl, rdata, objects, ...standby }));
}

/** The addresses of another cluster's name servers, which the Zone that delegates to them publishes. */
function foreignGlue({ name, chain, places }: Around): Contribution[] {
  return chain.flatMap((zone) => {
    const parent = parentOf(places, zone);
    if (zone.foreign === undefined || parent === undefined || highestCut(chain, places, parent) !== zone) return [];
    const objects = [`Zone ${parent.live.key}`];
    return zone.foreign.glue
      .filter((glue) => glue.name === name)
      .map(({ type, ttl, rdata }) => ({ place: parent, type, ttl, rdata, objects }));
  });
}

/** The list of a key, which is added if it is missing. */
export function getOrCreate<Key, Value>(map: Map<Key, Value[]>, key: Key): Value[] {
  const found = map.get(key);
  if (found !== undefined) return found;
  const created: Value[] = [];
  map.set(key, created);
  return created;
}
