// Applies all rules to a whole cluster, from scratch: `render` shows the result, `plan` compares with it, and the
// incremental path must give the same. Pure. Input: objects, the operator's roots, the hosted zones. Output:
// resolutions of Zones, resolved endpoints, entries and record sets.

import type { Entry } from '../dns/entry.ts';
import { ancestorsOf, isAtOrBelow } from '../dns/names/name.ts';
import { PUBLIC, viewOf } from '../dns/names/view.ts';
import { typeGroup } from '../dns/record-type.ts';
import type { AcceptedReason, ProgrammedReason, Verdict } from '../objects/conditions.ts';
import type { Endpoint } from '../objects/endpoint.ts';
import { type Declared, formatRef, keyOf, type ObjectRef, type ZoneKey } from '../objects/object-ref.ts';
import type { RootRule } from '../objects/root-rule.ts';
import { withoutUncovered } from '../objects/views.ts';
import { challengeOf, delegateChallenges, delegationOf, hostsOf } from './acme.ts';
import {
  type AdoptedEndpoint,
  adoptEndpoint,
  adoptedEndpoint,
  type DeclaredObject,
  dnsVersion,
  type EndpointAdoption,
  entriesOf,
  refuseObject,
  withoutReplaced,
  type ZoneLookup,
} from './adopt-endpoint.ts';
import { notesOf, type OfSet } from './adoption-notes.ts';
import { type ClusterDns, clusterIpNames, countReversed, withoutOverridden } from './cluster-names.ts';
import type { LiveZone } from './delegation.ts';
import type { Fleet, ForeignCut } from './foreign-cuts.ts';
import { type DesiredRecordSet, ownHostedZoneId } from './merge-record-sets.ts';
import { agesNow, type NameAge } from './name-ages.ts';
import { withNotes } from './notes.ts';
import type { ZoneSpec } from './parse-zone.ts';
import { foreignPlace, type Hosting, type PlacedZone, placeZones } from './place-zones.ts';
import { type Pointer, pointersOf, pointsBack, ptrOf } from './pointers.ts';
import { getOrCreate, hasConflict, type ResolvedEndpoint, resolveName } from './resolve-name.ts';
import { NO_HISTORY, overruledBySpec, resolveZones, type ZoneHistory, type ZoneResolution } from './resolve-zones.ts';
import { type NameHistory, NOTHING_KNOWN, type Past } from './seniority.ts';
import { occludedDelegation, ownedBelow } from './unpublished-reasons.ts';
import { cutAbove, declaredNameServers, gluingZones } from './zone-cuts.ts';
import { buildEntries, type SubZoneEntries } from './zone-entries.ts';

export type ClusterInput = {
  readonly zones: readonly Declared<ZoneSpec>[];
  readonly objects: readonly DeclaredObject[];
  readonly roots: readonly RootRule[] | null;
  /** Null, or absent: the cluster's own DNS is not published. */
  readonly clusterDns?: ClusterDns | null;
  /** Absent: nothing is known of earlier times. */
  readonly history?: ZoneHistory;
  readonly past?: Past;
  /** The hosted zone of each fqdn that has one. */
  readonly hostings: ReadonlyMap<string, Hosting>;
  /** Where the live Zones publish, if that is known already from the ledger's directory. */
  readonly placed?: ReadonlyMap<ZoneKey, PlacedZone>;
  /** What other clusters have, if the Zones are not placed. Absent: nothing. */
  readonly fleet?: Fleet;
  /** The pointers of hosts, if the objects at these are not among the objects. */
  readonly pointers?: readonly Pointer[];
};

/**
 * A resolved Zone. `hidden`: why nothing delegates to it; null if something does. `entries`: without the SOA, empty if
 * the Zone is not live.
 */
export type ResolvedZone = ZoneResolution & {
  readonly ref: ObjectRef;
  readonly view: string;
  readonly placed: PlacedZone | null;
  readonly hidden: Verdict<ProgrammedReason> | null;
  readonly entries: readonly Entry[];
};

/** A resolved endpoint. `parent` is null if no Zone accepts it, `programmed` is null if Route 53 decides it. */
export type EndpointOutcome = {
  readonly ref: ObjectRef;
  /** Null for an object without an endpoint in force: then the outcome is that of the object. */
  readonly endpoint: Endpoint | null;
  readonly fqdn: string | null;
  readonly parent: ZoneKey | null;
  readonly verdict: Verdict<AcceptedReason>;
  readonly programmed: Verdict<ProgrammedReason> | null;
};

/** The view in which an endpoint asks for its name. */
export function viewOfOutcome({ fqdn, endpoint }: Pick<EndpointOutcome, 'fqdn' | 'endpoint'>): string {
  if (fqdn !== null) return viewOf(fqdn);
  if (endpoint?.domainName.kind === 'full') return viewOf(endpoint.domainName.fqdn);
  return endpoint?.view ?? PUBLIC;
}

export type ResolvedCluster = {
  readonly zones: ReadonlyMap<ZoneKey, ResolvedZone>;
  /** The outcomes of each object that is not a Zone, by `formatRef`, in the order of its endpoints. */
  readonly objects: ReadonlyMap<string, readonly EndpointOutcome[]>;
  /** The problems of those objects that have any, by `formatRef`. */
  readonly problems: ReadonlyMap<string, readonly string[]>;
  /** The names that objects ask for and do not get yet, and remarks for their authors, likewise. */
  readonly waiting: ReadonlyMap<string, NonNullable<DeclaredObject['waiting']>>;
  readonly notes: ReadonlyMap<string, readonly string[]>;
  readonly recordSets: readonly DesiredRecordSet[];
  readonly leftOut: Adoptions['leftOut'];
  /** The ages at each name that is asked for; empty if nothing is known of earlier times. */
  readonly ages: ReadonlyMap<string, readonly NameAge[]>;
  /** Names where an endpoint was refused because of another. */
  readonly contested: ReadonlySet<string>;
  /** The addresses of hosts that are to have PTRs. */
  readonly pointers: readonly Pointer[];
};

/** An endpoint being judged. `adopted`: null if no Zone adopted it; `endpoint`: null if none is in force. */
export type JudgedEndpoint = {
  readonly object: DeclaredObject;
  readonly endpoint: Endpoint | null;
  readonly adoption: EndpointAdoption;
  readonly adopted: AdoptedEndpoint | null;
};

/** The result of the rules that need no hosted zones: which Zones are live, and which Zone adopts each endpoint. */
export type Adoptions = {
  readonly resolutions: ReadonlyMap<ZoneKey, ZoneResolution>;
  readonly live: readonly LiveZone[];
  readonly endpoints: readonly JudgedEndpoint[];
  readonly problems: ResolvedCluster['problems'];
  readonly waiting: ResolvedCluster['waiting'];
  readonly notes: ResolvedCluster['notes'];
  /** How many PTRs no Zone adopts. */
  readonly leftOut: number;
  /** The names of cluster IPs' PTRs. */
  readonly clusterIps: ReadonlySet<string>;
};

/** Applies every rule, and places every Zone, for a whole cluster. */
export function resolveCluster(input: ClusterInput): ResolvedCluster {
  return placeCluster(input, adoptAll(input));
}

/** Resolves every Zone and adopts every endpoint. */
export function adoptAll(
  input: Pick<ClusterInput, 'zones' | 'objects' | 'roots' | 'clusterDns' | 'history'>,
): Adoptions {
  const { clusterDns = null, history = NO_HISTORY } = input;
  const resolutions = resolveZones(input.zones, input.roots, clusterDns, history);
  const live = [...resolutions.values()].flatMap((resolution) => resolution.live ?? []);
  const liveAt = new Map(live.map((zone) => [zone.fqdn, zone]));
  const lookup = {
    byKey: (key: ZoneKey) => resolutions.get(key),
    liveAt: (fqdn: string) => liveAt.get(fqdn),
    clusterDns,
  };
  const endpoints = input.objects.flatMap((object) => judgeObject(object, lookup));
  const asked = input.objects.flatMap(({ spec }) => spec ?? []);
  const leftOut = countReversed(asked) - countReversed(endpoints.flatMap(({ endpoint }) => endpoint ?? []));
  const clusterIps = clusterIpNames(asked);
  const said = {
    problems: saidOf(input.objects, ({ problems, remarks = [] }) => [...problems, ...remarks]),
    waiting: saidOf(input.objects, ({ waiting = [] }) => waiting),
    notes: saidOf(input.objects, ({ notes = [] }) => notes),
  };
  return { resolutions, live, endpoints, ...said, leftOut, clusterIps };
}

/** What is said of the objects of which something is, by `formatRef`. */
function saidOf<Said>(
  objects: readonly DeclaredObject[],
  of: (object: DeclaredObject) => readonly Said[],
): ReadonlyMap<string, readonly Said[]> {
  return new Map(
    objects.flatMap((object) => {
      const said = of(object);
      return said.length === 0 ? [] : [[formatRef(object.ref), said] as const];
    }),
  );
}

/** Adopts every endpoint of an object. An object without an endpoint in force is refused as a whole. */
export function judgeObject(object: DeclaredObject, zones: ZoneLookup): JudgedEndpoint[] {
  if (object.spec === null) return [{ object, endpoint: null, adoption: refuseObject(object), adopted: null }];
  return object.spec.flatMap((endpoint) => {
    const adoption = adoptEndpoint(object, endpoint, zones);
    const judged = { object, endpoint, adoption, adopted: adoptedEndpoint(object, endpoint, adoption) };
    return isLeftOut(judged) ? [] : [judged];
  });
}

/** Applies the other rules, once it is known which hosted zones there are. */
export function placeCluster(
  input: Pick<ClusterInput, 'zones' | 'hostings' | 'placed' | 'fleet' | 'clusterDns' | 'past' | 'pointers'>,
  adoptions: Adoptions,
): ResolvedCluster {
  const { resolutions, live, endpoints } = adoptions;
  const clusterDns = input.clusterDns ?? null;
  const clusterZone = live.find(({ fqdn }) => fqdn === clusterDns?.zone);
  const all = [...endpoints.flatMap((one) => one.adopted ?? []), ...dnsVersion(clusterZone, clusterDns)];
  const adopted = withoutOverridden(all, adoptions.clusterIps);
  const ages = agesOfAll(adoptions, input.past);
  const historyOf = historiesOf(ages, input.past);
  const declared = () => declaredNameServers(adopted, resolutions, historyOf);
  const placed = input.placed ?? placeZones(live, declared(), input.hostings, input.fleet);
  const placedAt = new Map([...placed.values()].map((zone) => [zone.live.fqdn, zone]));
  // If the directory changed while it was read, it may lack a Zone, or have its old name. Then the Zone's endpoints
  // wait for the next run.
  const placeable = adopted.filter(
    ({ zone }) => placed.has(zone) && placed.get(zone)?.live.fqdn === resolutions.get(zone)?.live?.fqdn,
  );
  const byName = groupByName(placeable, placedAt);
  const resolved = resolveNames(byName, placedAt, placed, historyOf);
  if (delegateChallenges(placed.values()))
    resolveNames(delegationsIn(resolved, byName, placed), placedAt, placed, historyOf, resolved);
  const own = pointsBack(placed.values()) ? pointersIn(resolved, placed) : [];
  const pointers = [...own, ...(input.pointers ?? [])];
  resolveNames(ptrsIn(pointers, byName, placedAt), placedAt, placed, historyOf, resolved);
  const outcomes = endpoints
    .filter((one) => !isOverridden(one, resolved.endpoints))
    .map((one) => endpointOutcome(one, resolved.endpoints));
  const objects = [...Map.groupBy(outcomes, ({ ref }) => formatRef(ref))];
  return {
    zones: worldZones(input.zones, resolutions, { placed, placedAt }, resolved),
    objects: new Map(objects.map(([ref, ofObject]) => [ref, said(ofObject)])),
    problems: adoptions.problems,
    waiting: adoptions.waiting,
    notes: adoptions.notes,
    recordSets: resolved.recordSets,
    leftOut: adoptions.leftOut,
    ages,
    contested: resolved.contested,
    pointers: own,
  };
}

/** The outcomes of an object that are told. */
function said(outcomes: readonly EndpointOutcome[]): readonly EndpointOutcome[] {
  return withoutUncovered(
    withoutReplaced(outcomes, ({ endpoint }) => endpoint),
    (outcome) => outcome,
  );
}

type HistoryOf = (name: string) => NameHistory;

/** The histories of names, from their ages. */
export function historiesOf(ages: ResolvedCluster['ages'], past: Past | undefined): HistoryOf {
  if (past === undefined) return () => NOTHING_KNOWN;
  return (name) => ({ ages: ages.get(name) ?? [], stands: past.stands });
}

/** The ages at every name that is asked for. Names that are asked for alike share one list, for there are many. */
export function agesOfAll(
  { endpoints }: Pick<Adoptions, 'endpoints'>,
  past: Past | undefined,
): ResolvedCluster['ages'] {
  if (past === undefined) return new Map();
  const byName = Map.groupBy(endpoints.filter(isAsking), ({ adoption }) => adoption.fqdn as string);
  const lists = new Map<string, readonly NameAge[]>();
  return new Map(
    [...byName].map(([name, all]) => {
      const ages = agesAt(name, all, past);
      const text = JSON.stringify(ages);
      if (!lists.has(text)) lists.set(text, ages);
      return [name, lists.get(text) ?? ages];
    }),
  );
}

/** The ages at a name, by who asks for it now. */
export function agesAt(name: string, endpoints: readonly JudgedEndpoint[], past: Past): readonly NameAge[] {
  const asking = endpoints.filter(isAsking).map(({ object: { ref, age }, endpoint, adopted }) => {
    const group = typeGroup(endpoint?.type ?? '');
    return { group, namespace: ref.namespace, ref, age, stands: adopted !== null && past.stands(adopted) };
  });
  return agesNow(past.agesAt(name), asking, past.nowMs);
}

/**
 * True for an endpoint in force whose name is known, whether or not a Zone adopts it. The names of a cluster's own DNS
 * need no ages, save PTRs: nobody else can have them, and they come and go with every Pod.
 */
function isAsking({ endpoint, adoption }: JudgedEndpoint): boolean {
  if (endpoint === null || endpoint.class !== 'IN' || endpoint.flaw?.isInForce === false) return false;
  return adoption.fqdn !== null && (endpoint.clusterZone === undefined || endpoint.reverse !== undefined);
}

type PlacesByName = ReadonlyMap<string, PlacedZone>;

/** The live Zones at or above a name, the shortest first. */
function ownChainOf(name: string, placedAt: PlacesByName): PlacedZone[] {
  return [name, ...ancestorsOf(name)].flatMap((at) => placedAt.get(at) ?? []).reverse();
}

/** The same, with the cuts of other clusters. */
export function chainOf(name: string, placedAt: PlacesByName): PlacedZone[] {
  const own = ownChainOf(name, placedAt);
  const foreign = own.flatMap((place) =>
    (place.cuts ?? [])
      .filter(({ fqdn }) => isAtOrBelow(name, fqdn) && !placedAt.has(fqdn))
      .map((cut) => foreignPlace(place, cut)),
  );
  if (foreign.length === 0) return own;
  return [...own, ...foreign].toSorted((a, b) => a.live.fqdn.length - b.live.fqdn.length);
}

function groupByName(
  adopted: readonly AdoptedEndpoint[],
  placedAt: ReadonlyMap<string, PlacedZone>,
): Map<string, AdoptedEndpoint[]> {
  const foreign = [...placedAt.values()].flatMap(({ cuts = [] }) => cuts);
  const names = [...placedAt.keys(), ...foreign.flatMap(({ fqdn, glue }) => [fqdn, ...glue.map(({ name }) => name)])];
  const byName = new Map<string, AdoptedEndpoint[]>(names.map((name) => [name, []]));
  for (const endpoint of adopted) getOrCreate(byName, endpoint.fqdn).push(endpoint);
  return byName;
}

type ResolvedNames = {
  readonly endpoints: Map<AdoptedEndpoint, ResolvedEndpoint>;
  readonly recordSets: DesiredRecordSet[];
  readonly entries: Map<ZoneKey, Entry[]>;
  /** Glue, by the sub-zone that has the addresses. */
  readonly glue: Map<ZoneKey, Entry[]>;
  readonly contested: Set<string>;
};

function nothingResolved(): ResolvedNames {
  const shown = { entries: new Map(), glue: new Map() };
  return { endpoints: new Map(), recordSets: [], ...shown, contested: new Set() };
}

/** The delegations of ACME challenges, by name. There is none where anything else is asked for. */
function delegationsIn(
  { endpoints }: Pick<ResolvedNames, 'endpoints'>,
  byName: ReadonlyMap<string, readonly AdoptedEndpoint[]>,
  placed: ReadonlyMap<ZoneKey, PlacedZone>,
): Map<string, AdoptedEndpoint[]> {
  const resolvedAt = Map.groupBy(endpoints, ([{ fqdn }]) => fqdn);
  const challenges = new Set([...resolvedAt.keys()].map(challengeOf).filter((name) => name !== null));
  return new Map(
    [...challenges].flatMap((name) => {
      if (byName.has(name)) return [];
      const hosts = hostsOf(name).map((host) => ({ endpoints: new Map(resolvedAt.get(host) ?? []) }));
      const delegation = delegationOf(name, hosts, (zone) => placed.get(zone));
      return delegation === null ? [] : [[name, [delegation]] as const];
    }),
  );
}

function pointersIn(
  { endpoints }: Pick<ResolvedNames, 'endpoints'>,
  placed: ReadonlyMap<ZoneKey, PlacedZone>,
): readonly Pointer[] {
  const byHost = Map.groupBy(endpoints, ([{ fqdn }]) => fqdn);
  return [...byHost].flatMap(([host, all]) =>
    pointersOf(host, { endpoints: new Map(all) }, (zone) => placed.get(zone)),
  );
}

/** The PTRs of addresses, by name. There is none where anything else is asked for. */
function ptrsIn(
  pointers: readonly Pointer[],
  byName: ReadonlyMap<string, readonly AdoptedEndpoint[]>,
  placedAt: PlacesByName,
): Map<string, AdoptedEndpoint[]> {
  return new Map(
    [...Map.groupBy(pointers, ({ name }) => name)].flatMap(([name, all]) => {
      if (byName.has(name)) return [];
      const ptr = ptrOf(name, all, ownChainOf(name, placedAt), (fqdn) => placedAt.get(fqdn)?.live);
      return ptr === null ? [] : [[name, [ptr]] as const];
    }),
  );
}

function resolveNames(
  byName: ReadonlyMap<string, readonly AdoptedEndpoint[]>,
  placedAt: ReadonlyMap<string, PlacedZone>,
  placed: ReadonlyMap<ZoneKey, PlacedZone>,
  historyOf: HistoryOf,
  resolved: ResolvedNames = nothingResolved(),
): ResolvedNames {
  const elsewhere = {
    placeOf: (key: ZoneKey) => placed.get(key),
    chainOf: (name: string) => chainOf(name, placedAt),
  };
  for (const [name, endpoints] of byName) {
    const atName = resolveName(name, endpoints, elsewhere, historyOf(name));
    if (hasConflict(atName)) resolved.contested.add(name);
    for (const [endpoint, outcome] of atName.endpoints) resolved.endpoints.set(endpoint, outcome);
    resolved.recordSets.push(...atName.recordSets);
    for (const [zone, accepted] of atName.acceptedByZone) {
      const place = placed.get(zone);
      const ownId = place === undefined ? null : ownHostedZoneId(place);
      getOrCreate(resolved.entries, zone).push(...accepted.flatMap((endpoint) => entriesOf(endpoint, ownId)));
      for (const endpoint of accepted) {
        for (const { subZone } of gluingZones(name, placed, endpoint))
          getOrCreate(resolved.glue, subZone.live.key).push(...entriesOf(endpoint, ownId));
      }
    }
  }
  return resolved;
}

function worldZones(
  zones: readonly Declared<ZoneSpec>[],
  resolutions: ReadonlyMap<ZoneKey, ZoneResolution>,
  { placed, placedAt }: { readonly placed: ReadonlyMap<ZoneKey, PlacedZone>; readonly placedAt: PlacesByName },
  resolved: ResolvedNames,
): Map<ZoneKey, ResolvedZone> {
  const subZones = new Map<ZoneKey, SubZoneEntries[]>();
  for (const place of placed.values()) {
    if (place.live.parent !== null) getOrCreate(subZones, place.live.parent).push(lentEntries(place, resolved.glue));
    for (const cut of place.cuts ?? [])
      if (cut.isDelegated && cut.ownedBy === undefined)
        getOrCreate(subZones, place.live.key).push(lentEntries(foreignPlace(place, cut), foreignGlue(place, cut)));
  }
  return new Map(
    zones.map((zone) => {
      const key = keyOf(zone.ref);
      const resolution = resolutions.get(key) as ZoneResolution;
      const entries =
        resolution.live === null ? [] : buildEntries(resolved.entries.get(key) ?? [], subZones.get(key) ?? []);
      const place = placed.get(key) ?? null;
      const cut = place === null ? null : cutAbove(place, chainOf(place.live.fqdn, placedAt), placed);
      const hidden = place === null ? null : hiddenBy(place, cut);
      const verdict = resolution.live === null ? resolution.verdict : withNotesOn(zone, resolution.verdict);
      const { view = PUBLIC } = zone.spec ?? {};
      return [key, { ...resolution, verdict, ref: zone.ref, view, placed: place, hidden, entries }];
    }),
  );
}

/** Why nothing delegates to a Zone; null: something does. */
function hiddenBy(place: PlacedZone, cut: PlacedZone | null): Verdict<ProgrammedReason> | null {
  if (place.ownedBelow !== undefined) return ownedBelow(place.live.fqdn, place.ownedBelow);
  return cut === null ? null : occludedDelegation(place, cut);
}

/** The glue of a cut of another cluster, as entries. */
function foreignGlue(above: PlacedZone, cut: ForeignCut): ReadonlyMap<ZoneKey, readonly Entry[]> {
  const entries = cut.glue.map(({ name: fqdn, type, ttl, rdata }) => ({ fqdn, type, class: 'IN', ttl, rdata }));
  return new Map([[foreignPlace(above, cut).live.key, entries]]);
}

/** The verdict on a live Zone, with the notes on its object. */
function withNotesOn(
  { notes = [], problems }: Declared<ZoneSpec>,
  verdict: Verdict<AcceptedReason>,
): Verdict<AcceptedReason> {
  if (notes.length === 0 || problems.length > 0) return verdict;
  return { ...verdict, message: withNotes(verdict.message, notes) };
}

/** The entries of a sub-zone that its parent shows: its apex NS and the glue. */
function lentEntries(place: PlacedZone, glue: ReadonlyMap<ZoneKey, readonly Entry[]>): SubZoneEntries {
  const { fqdn, key } = place.live;
  const nameServers = place.nameServers.map(({ rdata, ttl }) => ({ fqdn, type: 'NS', class: 'IN', ttl, rdata }));
  return { fqdn, nameServers, glue: glue.get(key) ?? [] };
}

/** True for a PTR that no Zone adopts. */
export function isLeftOut({ endpoint, adoption }: Pick<JudgedEndpoint, 'endpoint' | 'adoption'>): boolean {
  return endpoint?.reverse !== undefined && adoption.parent === null;
}

/** True for an endpoint to leave out: a PTR displaced by a cluster IP's, or a former endpoint that is not needed. */
export function isOverridden(
  { endpoint, adopted }: JudgedEndpoint,
  resolved: ReadonlyMap<AdoptedEndpoint, ResolvedEndpoint>,
): boolean {
  if (endpoint?.standsInFor !== undefined) return adopted === null || !resolved.has(adopted);
  return adopted?.reverse === 'endpoint' && !resolved.has(adopted);
}

/** Combines adoption and the rules about neighbours: an endpoint that is not accepted has no parent. */
export function endpointOutcome(
  { object, endpoint, adoption, adopted }: JudgedEndpoint,
  resolved: ReadonlyMap<AdoptedEndpoint, ResolvedEndpoint>,
): EndpointOutcome {
  const { ref } = object;
  const one = adopted === null ? undefined : resolved.get(adopted);
  const { fqdn } = adoption;
  if (one === undefined) return { ref, endpoint, fqdn, parent: null, verdict: adoption.verdict, programmed: null };
  const { flawOfNewer, refusal } = one;
  // A problem of the present spec goes before every other verdict.
  const ofSpec = endpoint?.flaw === undefined ? object.problems : [endpoint.flaw.message];
  const problems = ofSpec.length > 0 || flawOfNewer === undefined ? ofSpec : [flawOfNewer.message];
  if (refusal !== null) {
    const said = overruledBySpec({ ...object, problems }, refusal);
    return { ref, endpoint, fqdn, parent: null, verdict: said, programmed: null };
  }
  // The verdict of the adoption has the problems of the spec already.
  const own = ofSpec.length > 0 ? adoption.verdict : overruledBySpec({ ...object, problems }, adoption.verdict);
  const parent = adoption.parent?.key ?? null;
  const verdict = noted({ ...adoption, verdict: own }, adopted, one);
  return { ref, endpoint, fqdn, parent, verdict, programmed: one.programmed };
}

function noted(
  { verdict, parent }: EndpointAdoption,
  adopted: AdoptedEndpoint | null,
  ofSet: OfSet,
): Verdict<AcceptedReason> {
  if (verdict.reason !== 'Adopted' || adopted === null || parent === null) return verdict;
  const notes = notesOf(adopted, parent.fqdn, ofSet);
  return notes.length === 0 ? verdict : { ...verdict, message: withNotes(verdict.message, notes) };
}
