// Which Zones are live, and which Zone adopts each: a pure function of every Zone's spec in force and the operator's
// roots. Labels and status are output, never input.
//
// A parent's fqdn is strictly shorter than its sub-zone's, so Zones are resolved by number of labels, fewest first. A
// Zone with a zoneRef is resolved when its target is live; one never resolved is in a ring, or its target is not live.
import { ancestorsOf, labelsOf, NAME_OCTETS_MAX, nameOctets } from '../dns/names/name.ts';
import type { AcceptedReason, Verdict } from '../objects/conditions.ts';
import { type Age, compareAge, type Declared, keyOf, type ZoneKey } from '../objects/object-ref.ts';
import type { RootRule } from '../objects/root-rule.ts';
import { type ClusterDns, isClusterName, reservedName } from './cluster-names.ts';
import { allowsRoot, delegatesZone, type LiveZone } from './delegation.ts';
import { explainDenial } from './explain-denial.ts';
import type { ZoneSpec } from './parse-zone.ts';
import { ringMessage, ringThrough } from './rings/break-rings.ts';
import { tooLong } from './rings/long-names.ts';

/** The result for one Zone. `fqdn` is shown if it is known, even if the Zone was refused. */
export type ZoneResolution = {
  readonly key: ZoneKey;
  readonly fqdn: string | null;
  readonly live: LiveZone | null;
  readonly verdict: Verdict<AcceptedReason>;
};

type Candidate = {
  readonly zone: Declared<ZoneSpec>;
  readonly spec: ZoneSpec;
  readonly fqdn: string;
  readonly parent: LiveZone | null;
};

type Resolver = {
  readonly roots: readonly RootRule[] | null;
  readonly clusterDns: ClusterDns | null;
  readonly ages: ReadonlyMap<ZoneKey, Age>;
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
): ReadonlyMap<ZoneKey, ZoneResolution> {
  const resolver: Resolver = {
    roots,
    clusterDns,
    ages: new Map(zones.map((zone) => [keyOf(zone.ref), zone.age])),
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
  for (const candidate of level.toSorted((a, b) => compareAge(a.zone.age, b.zone.age))) {
    const judged = judge(resolver, candidate);
    const { zone, fqdn } = candidate;
    if (judged.live === null) {
      conclude(resolver, zone, fqdn, null, judged.verdict);
      continue;
    }
    const winner = winners.get(fqdn);
    if (winner === undefined) winners.set(fqdn, { candidate, live: judged.live, verdict: judged.verdict });
    else conclude(resolver, zone, fqdn, null, conflict(fqdn, winner.live.key));
  }
  for (const [fqdn, { candidate, live, verdict }] of winners) {
    conclude(resolver, candidate.zone, fqdn, live, verdict);
    resolver.liveByName.set(fqdn, live);
    release(resolver, live);
  }
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
  const inTheWay = olderZoneAbove(resolver, zone, covering);
  if (inTheWay === undefined && allowsRoot(resolver.roots, fqdn, namespace)) {
    return {
      live: live(null),
      verdict: { reason: 'Root', message: `${fqdn} is a root: no live Zone above adopts it` },
    };
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

/** Without roots: an older Zone above, of another namespace, that refuses this one. Both timestamps must be known. */
function olderZoneAbove(
  { roots, ages }: Resolver,
  { ref, age }: Declared<ZoneSpec>,
  covering: readonly LiveZone[],
): LiveZone | undefined {
  if (roots !== null || age.creationTimestamp === null) return undefined;
  return covering.find(({ key, namespace }) => {
    const above = ages.get(key);
    const isKnown = above !== undefined && above.creationTimestamp !== null;
    return namespace !== ref.namespace && isKnown && compareAge(above, age) < 0;
  });
}

function release(resolver: Resolver, parent: LiveZone): void {
  for (const zone of resolver.byTarget.get(parent.key) ?? []) {
    if (zone.spec?.domainName.kind !== 'partial') continue;
    enqueue(resolver, zone, zone.spec, `${zone.spec.domainName.labels}.${parent.fqdn}`, parent);
  }
}

function conclude(
  resolver: Resolver,
  zone: Declared<ZoneSpec>,
  fqdn: string | null,
  live: LiveZone | null,
  verdict: Verdict<AcceptedReason>,
): void {
  const key = keyOf(zone.ref);
  resolver.results.set(key, { key, fqdn, live, verdict: overruledBySpec(zone, verdict) });
}

/** The verdict, or InvalidSpec if the present spec is invalid, even while the last valid spec is in force. */
export function overruledBySpec(object: Declared<unknown>, verdict: Verdict<AcceptedReason>): Verdict<AcceptedReason> {
  if (object.problems.length === 0) return verdict;
  const kept = object.spec === null ? '' : '; until it is valid again or deleted, its last valid spec stays in force';
  return { reason: 'InvalidSpec', message: `${object.problems.join('; ')}${kept}` };
}

function refuseTheRest(resolver: Resolver, zones: readonly Declared<ZoneSpec>[]): void {
  const byKey = new Map(zones.map((zone) => [keyOf(zone.ref), zone]));
  for (const zone of zones) {
    const key = keyOf(zone.ref);
    if (resolver.results.has(key)) continue;
    conclude(resolver, zone, null, null, refusal(byKey, zone));
  }
}

function refusal(byKey: ReadonlyMap<ZoneKey, Declared<ZoneSpec>>, zone: Declared<ZoneSpec>): Verdict<AcceptedReason> {
  const target = zone.spec?.zoneRef;
  if (target === undefined || target === null) return { reason: 'InvalidSpec', message: 'the spec is invalid' };
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

function conflict(fqdn: string, winner: ZoneKey): Verdict<AcceptedReason> {
  return {
    reason: 'Conflict',
    message: `Zone ${winner} has ${fqdn} already and is older; delete one of the two, or give this one another name`,
  };
}
