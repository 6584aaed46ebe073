// Which Zones are live, and which Zone adopts each: a pure function of every Zone's spec in force and the operator's
// roots. Labels and status are output, never input.
//
// A parent's fqdn is strictly shorter than its sub-zone's, so Zones are resolved by number of labels, fewest first. A
// Zone with a zoneRef is resolved when its target is live; one never resolved is in a ring, or its target is not live.
import { ancestorsOf, labelsOf, NAME_OCTETS_MAX, nameOctets } from '../dns/names/name.ts';
import { PUBLIC, viewOf } from '../dns/names/view.ts';
import type { AcceptedReason, Verdict } from '../objects/conditions.ts';
import { type Age, compareAge, type Declared, keyOf, type ZoneKey } from '../objects/object-ref.ts';
import type { RootRule } from '../objects/root-rule.ts';
import { type ClusterDns, isClusterName, reservedName } from './cluster-names.ts';
import { allowsRoot, delegatesZone, type LiveZone } from './delegation.ts';
import { explainDenial } from './explain-denial.ts';
import { agesNow, type NameAge, older } from './name-ages.ts';
import { coveredRootNote, withNotes } from './notes.ts';
import type { ZoneSpec } from './parse-zone.ts';
import { patternNotes } from './pattern-notes.ts';
import { ringMessage, ringThrough } from './rings/break-rings.ts';
import { tooLong } from './rings/long-names.ts';

/** The result for one Zone. `fqdn` is shown if it is known, even if the Zone was refused. */
export type ZoneResolution = {
  readonly key: ZoneKey;
  readonly fqdn: string | null;
  readonly live: LiveZone | null;
  readonly verdict: Verdict<AcceptedReason>;
};

/**
 * What is known of earlier times. `standing`: the namespace of the root that is live at each fqdn until now, which
 * counts where no roots are configured.
 */
export type ZoneHistory = {
  readonly standing: ReadonlyMap<string, string>;
  /** The live Zone at each fqdn until now, and since when Zones have asked for each; absent: nothing is known. */
  readonly known?: {
    readonly nowMs: number;
    /** Since when those have asked who are new: later than all others, though their clocks differ. */
    readonly newMs: number;
    readonly live: ReadonlyMap<string, ZoneKey>;
    readonly agesAt: (fqdn: string) => readonly NameAge[];
  };
};

/** `render` has no ledger. */
export const NO_HISTORY: ZoneHistory = { standing: new Map() };

type Candidate = {
  readonly zone: Declared<ZoneSpec>;
  readonly spec: ZoneSpec;
  readonly fqdn: string;
  readonly parent: LiveZone | null;
};

type Resolver = {
  readonly roots: readonly RootRule[] | null;
  readonly clusterDns: ClusterDns | null;
  readonly history: ZoneHistory;
  readonly ages: ReadonlyMap<ZoneKey, Age>;
  /** Who has asked for each fqdn, the oldest first; of the levels that are resolved. */
  readonly namesAsked: Map<string, readonly NameAge[]>;
  readonly results: Map<ZoneKey, ZoneResolution>;
  readonly liveByName: Map<string, LiveZone>;
  /** The Zones by their zoneRef; null: they have none. */
  readonly byTarget: ReadonlyMap<ZoneKey | null, readonly Declared<ZoneSpec>[]>;
  readonly levels: Map<number, Candidate[]>;
};

/** Resolves all Zones of a cluster at once. `clusterDns` is null if the cluster's own DNS is not published. */
export function resolveZones(
  zones: readonly Declared<ZoneSpec>[],
  roots: readonly RootRule[] | null,
  clusterDns: ClusterDns | null = null,
  history: ZoneHistory = NO_HISTORY,
): ReadonlyMap<ZoneKey, ZoneResolution> {
  const resolver: Resolver = {
    roots,
    clusterDns,
    history,
    ages: new Map(zones.map((zone) => [keyOf(zone.ref), zone.age])),
    namesAsked: new Map(),
    results: new Map(),
    liveByName: new Map(),
    byTarget: Map.groupBy(zones, (zone) => zone.spec?.zoneRef ?? null),
    levels: new Map(),
  };
  for (const zone of zones) {
    if (zone.spec?.domainName.kind === 'full') enqueue(resolver, zone, zone.spec, zone.spec.domainName.fqdn, null);
  }
  for (let labels = 0; resolver.levels.size > 0; labels += 1) {
    const level = resolver.levels.get(labels);
    resolver.levels.delete(labels);
    if (level !== undefined) resolveLevel(resolver, level);
  }
  refuseTheRest(resolver, zones);
  return resolver.results;
}

function enqueue(
  resolver: Resolver,
  zone: Declared<ZoneSpec>,
  spec: ZoneSpec,
  fqdn: string,
  parent: LiveZone | null,
): void {
  const labels = labelsOf(fqdn).length;
  const level = resolver.levels.get(labels);
  const candidate = { zone, spec, fqdn, parent };
  if (level === undefined) resolver.levels.set(labels, [candidate]);
  else level.push(candidate);
}

/** Resolves one level: judges each Zone by itself. If several would be live at one name, the oldest has it. */
function resolveLevel(resolver: Resolver, level: readonly Candidate[]): void {
  const winners = new Map<string, { candidate: Candidate; live: LiveZone; verdict: Verdict<AcceptedReason> }>();
  for (const candidate of oldestFirst(resolver, level)) {
    const judged = judge(resolver, candidate);
    const { zone, fqdn } = candidate;
    if (judged.live === null) {
      concludeTree(resolver, zone, fqdn, null, judged.verdict);
      continue;
    }
    const winner = winners.get(fqdn);
    if (winner === undefined) winners.set(fqdn, { candidate, live: judged.live, verdict: judged.verdict });
    else concludeTree(resolver, zone, fqdn, null, lostTo(resolver, candidate, winner.candidate));
  }
  for (const [fqdn, { candidate, live, verdict }] of winners) {
    const message = withNotes(verdict.message, patternNotes(live.spec, fqdn));
    concludeTree(resolver, candidate.zone, fqdn, live, { ...verdict, message });
    resolver.liveByName.set(fqdn, live);
    releaseParent(resolver, live);
  }
}

/** The Zones of a level, at each name the oldest first: by who has asked for longest, by who is live, by creation. */
function oldestFirst(resolver: Resolver, level: readonly Candidate[]): readonly Candidate[] {
  const { history, namesAsked } = resolver;
  return [...Map.groupBy(level, ({ fqdn }) => fqdn)].flatMap(([fqdn, all]) => {
    const ages = agesAt(
      fqdn,
      all.map(({ zone }) => zone),
      history,
    );
    namesAsked.set(fqdn, ages);
    const rankOf = ({ zone }: Candidate) => ages.findIndex(({ namespace }) => namespace === zone.ref.namespace);
    const isLive = ({ zone }: Candidate) => Number(history.known?.live.get(fqdn) === keyOf(zone.ref));
    return all.toSorted((a, b) => rankOf(a) - rankOf(b) || isLive(b) - isLive(a) || compareAge(a.zone.age, b.zone.age));
  });
}

function agesAt(fqdn: string, zones: readonly Declared<ZoneSpec>[], { known }: ZoneHistory): readonly NameAge[] {
  if (known === undefined) return [];
  const asking = zones.map(({ ref, age }) => {
    return { group: 'Zone', namespace: ref.namespace, ref, age, stands: known.live.get(fqdn) === keyOf(ref) };
  });
  return agesNow(known.agesAt(fqdn), asking, known.nowMs, known.newMs);
}

/** Who has asked for the name of each of these Zones, the oldest first, whether or not they are live. */
export function zoneAges(
  zones: readonly Declared<ZoneSpec>[],
  resolutions: ReadonlyMap<ZoneKey, ZoneResolution>,
  history: ZoneHistory,
): ReadonlyMap<string, readonly NameAge[]> {
  const nameOf = ({ ref }: Declared<ZoneSpec>) => resolutions.get(keyOf(ref))?.fqdn ?? null;
  const byName = Map.groupBy(zones, nameOf);
  return new Map(
    [...byName].flatMap(([fqdn, all]) => (fqdn === null ? [] : [[fqdn, agesAt(fqdn, all, history)] as const])),
  );
}

function judge(
  resolver: Resolver,
  { zone, spec, fqdn, parent }: Candidate,
): { live: LiveZone | null; verdict: Verdict<AcceptedReason> } {
  const namespace = zone.ref.namespace;
  const dns = resolver.clusterDns;
  if (dns !== null && isClusterName(fqdn, dns.zone)) return { live: null, verdict: reservedName(fqdn, dns.zone) };
  const live = (above: LiveZone | null): LiveZone => ({
    key: keyOf(zone.ref),
    namespace,
    fqdn,
    parent: above?.key ?? null,
    spec,
  });
  const adopted = (above: LiveZone) => ({
    live: live(above),
    verdict: { reason: 'Adopted', message: `adopted by Zone ${above.key} (${above.fqdn})` } as const,
  });
  if (parent !== null) {
    if (nameOctets(fqdn) > NAME_OCTETS_MAX) return { live: null, verdict: tooLong(fqdn) };
    if (delegatesZone(parent, fqdn, namespace)) return adopted(parent);
    return {
      live: null,
      verdict: { reason: 'DelegationDenied', message: explainDenial(parent, fqdn, null, namespace) },
    };
  }
  // The live Zones strictly above the name, the longest first.
  const covering = ancestorsOf(fqdn).flatMap((name) => resolver.liveByName.get(name) ?? []);
  const allowing = covering.find((above) => delegatesZone(above, fqdn, namespace));
  if (allowing !== undefined) return adopted(allowing);
  const inTheWay = refusingZone(resolver, zone, fqdn, covering);
  if (inTheWay === undefined && allowsRoot(resolver.roots, fqdn, namespace)) {
    return { live: live(null), verdict: rootVerdict(resolver, fqdn, namespace, covering[0]) };
  }
  const nearest = inTheWay ?? covering[0];
  if (nearest !== undefined) {
    return {
      live: null,
      verdict: { reason: 'DelegationDenied', message: explainDenial(nearest, fqdn, null, namespace) },
    };
  }
  return {
    live: null,
    verdict: {
      reason: 'RootNotAllowed',
      message: `no live Zone covers ${fqdn}, and the operator's roots do not list it for namespace ${namespace}: add { zone: ${fqdn}, namespaces: [${namespace}] } to roots in the configuration, or have a Zone above delegate it`,
    },
  };
}

/** The verdict on a root. Without roots, it says which live Zone covers it: its names may be reached by nobody. */
function rootVerdict(
  { roots }: Resolver,
  fqdn: string,
  namespace: string,
  nearest: LiveZone | undefined,
): Verdict<AcceptedReason> {
  const message = `${fqdn} is a root: no live Zone above adopts it`;
  if (roots !== null || nearest === undefined) return { reason: 'Root', message };
  const note = coveredRootNote(fqdn, explainDenial(nearest, fqdn, null, namespace));
  return { reason: 'Root', message: withNotes(message, [note]) };
}

/** Without roots: a Zone above, of another namespace, that refuses this one. No Zone refuses a root that stands. */
function refusingZone(
  { roots, ages, history, namesAsked }: Resolver,
  { ref, age }: Declared<ZoneSpec>,
  fqdn: string,
  covering: readonly LiveZone[],
): LiveZone | undefined {
  if (roots !== null || history.standing.get(fqdn) === ref.namespace) return undefined;
  const sinceMs = (name: string, namespace: string) =>
    namesAsked.get(name)?.find((one) => one.namespace === namespace)?.sinceMs;
  const own = sinceMs(fqdn, ref.namespace);
  return covering.find(({ key, fqdn: above, namespace }) => {
    if (namespace === ref.namespace) return false;
    const other = sinceMs(above, namespace);
    // The ages that the ledger has decide; what it first saw together is compared by the creation of the objects.
    if (own !== undefined && other !== undefined && own !== other) return other < own;
    return mayHaveAskedLonger(ages.get(key), age);
  });
}

/** False only if the Zone above is known to have asked for its name later: of two that came together, any refuses. */
function mayHaveAskedLonger(above: Age | undefined, other: Age): boolean {
  const [first, second] = [above?.creationTimestamp ?? null, other.creationTimestamp];
  return first === null || second === null || Date.parse(first) <= Date.parse(second);
}

function releaseParent(resolver: Resolver, parent: LiveZone): void {
  for (const zone of resolver.byTarget.get(parent.key) ?? []) {
    if (zone.spec?.domainName.kind !== 'partial' || viewOf(parent.fqdn) !== (zone.spec.view ?? PUBLIC)) continue;
    enqueue(resolver, zone, zone.spec, `${zone.spec.domainName.labels}.${parent.fqdn}`, parent);
  }
}

function concludeTree(
  resolver: Resolver,
  zone: Declared<ZoneSpec>,
  fqdn: string | null,
  live: LiveZone | null,
  verdict: Verdict<AcceptedReason>,
): void {
  const key = keyOf(zone.ref);
  resolver.results.set(key, { key, fqdn, live, verdict: overruledBySpec(zone, verdict) });
}

/** In the message of an object whose last valid spec is refused. */
export const NOT_IN_FORCE = 'its last valid spec is not in force either';

/**
 * The verdict, or InvalidSpec if the present spec is invalid, even while the last valid spec is in force. If that one
 * is refused, the message says why: then nothing of the object is in force.
 */
export function overruledBySpec(object: Declared<unknown>, verdict: Verdict<AcceptedReason>): Verdict<AcceptedReason> {
  if (object.problems.length === 0) return verdict;
  const isInForce = verdict.reason === 'Adopted' || verdict.reason === 'Root';
  const last = isInForce
    ? '; until it is valid again or deleted, its last valid spec stays in force'
    : `; ${NOT_IN_FORCE}: ${verdict.reason}, ${verdict.message}`;
  return { reason: 'InvalidSpec', message: `${object.problems.join('; ')}${object.spec === null ? '' : last}` };
}

function refuseTheRest(resolver: Resolver, zones: readonly Declared<ZoneSpec>[]): void {
  const byKey = new Map(zones.map((zone) => [keyOf(zone.ref), zone]));
  for (const zone of zones) {
    const key = keyOf(zone.ref);
    if (resolver.results.has(key)) continue;
    concludeTree(resolver, zone, null, null, refusalOfZone(byKey, zone));
  }
}

function refusalOfZone(
  byKey: ReadonlyMap<ZoneKey, Declared<ZoneSpec>>,
  zone: Declared<ZoneSpec>,
): Verdict<AcceptedReason> {
  const target = zone.spec?.zoneRef;
  if (target === undefined || target === null) return { reason: 'InvalidSpec', message: 'the spec is invalid' };
  const above = byKey.get(target)?.spec;
  if (above != null && (above.view ?? PUBLIC) !== (zone.spec?.view ?? PUBLIC))
    return otherView(target, above.view ?? PUBLIC, zone.spec?.view ?? PUBLIC);
  const ring = ringThrough(keyOf(zone.ref), (key) => byKey.get(key)?.spec?.zoneRef ?? null);
  if (ring !== null) return { reason: 'InvalidSpec', message: ringMessage(ring) };
  return missingParent(target, byKey.has(target));
}

/** The verdict on an object whose zoneRef leads to no live Zone. */
export function missingParent(target: ZoneKey, exists: boolean): Verdict<AcceptedReason> {
  return exists
    ? { reason: 'ParentNotLive', message: `spec.zoneRef: Zone ${target} is not live; see its own Accepted condition` }
    : {
        reason: 'ParentNotFound',
        message: `spec.zoneRef: there is no Zone ${target}: create it, or correct the zoneRef`,
      };
}

/** The verdict on an object of a view whose zoneRef leads to a Zone of another. */
export function otherView(target: ZoneKey, theirs: string, own: string): Verdict<AcceptedReason> {
  return {
    reason: 'ParentNotFound',
    message: `spec.zoneRef: Zone ${target} is in view ${theirs}, and this object asks for view ${own}: name a Zone of that view, or change the view`,
  };
}

function lostTo({ namesAsked }: Resolver, loser: Candidate, winner: Candidate): Verdict<AcceptedReason> {
  const { fqdn } = loser;
  const sinceOf = ({ zone: { ref, age } }: Candidate) => {
    const asked = namesAsked.get(fqdn)?.find(({ namespace }) => namespace === ref.namespace)?.sinceMs;
    return { asked, created: Date.parse(age.creationTimestamp ?? '') };
  };
  return {
    reason: 'Conflict',
    message: `Zone ${keyOf(winner.zone.ref)} has ${fqdn} already and ${older(sinceOf(winner), sinceOf(loser))}; delete one of the two, or give this one another name`,
  };
}
