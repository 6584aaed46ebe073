// Names the refused Zone because of which an object has no parent: it is declared, so "declare a Zone" is no advice.
// Only `render` and `plan` say this: a status would have to follow every change of a refused Zone.

import { ancestorsOf, labelsOf } from '../dns/names/name.ts';
import type { AcceptedReason, Verdict } from '../objects/conditions.ts';
import type { ZoneKey } from '../objects/object-ref.ts';
import type { EndpointOutcome, ResolvedCluster, ResolvedZone } from './resolve-cluster.ts';

/** What the manifests say of a Zone: the name that an invalid one seems to mean, the Zone that it names, its place. */
export type ZoneManifest = {
  readonly meant: string | null;
  readonly zoneRef: ZoneKey | null;
  readonly place: string | null;
};

type Refused = { readonly zone: ResolvedZone; readonly name: string };

type Blame = {
  readonly resolved: ResolvedCluster;
  readonly manifestOf: (zone: ZoneKey) => ZoneManifest | undefined;
  /** The refused Zones by name. */
  readonly refused: ReadonlyMap<string, readonly Refused[]>;
  readonly liveNames: ReadonlySet<string>;
};

/** The same cluster, with the refused Zone in the verdict of each object that needs it. */
export function blameZones(
  resolved: ResolvedCluster,
  manifestOf: (zone: ZoneKey) => ZoneManifest | undefined,
): ResolvedCluster {
  const refused = [...resolved.zones.values()].flatMap((zone) => {
    const name = zone.live === null ? (zone.fqdn ?? manifestOf(zone.key)?.meant ?? null) : null;
    return name === null ? [] : [{ zone, name }];
  });
  const isAllLive = [...resolved.zones.values()].every(({ live }) => live !== null);
  if (isAllLive) return resolved;
  const liveNames = new Set([...resolved.zones.values()].flatMap(({ live }) => live?.fqdn ?? []));
  const blame = { resolved, manifestOf, refused: Map.groupBy(refused, ({ name }) => name), liveNames };
  return {
    ...resolved,
    zones: new Map([...resolved.zones].map(([key, zone]) => [key, { ...zone, verdict: ofZone(blame, zone) }])),
    objects: new Map(
      [...resolved.objects].map(([ref, outcomes]) => [
        ref,
        outcomes.map((one) => (one.parent === null ? { ...one, verdict: ofEndpoint(blame, one) } : one)),
      ]),
    ),
  };
}

function ofEndpoint(blame: Blame, { endpoint, fqdn, verdict }: EndpointOutcome): Verdict<AcceptedReason> {
  if (verdict.reason === 'ParentNotLive') return ofReference(blame, endpoint?.zoneRef ?? null, verdict);
  if (endpoint === null || endpoint.zoneRef !== null || fqdn === null) return verdict;
  const names = endpoint.type === 'DS' ? ancestorsOf(fqdn) : [fqdn, ...ancestorsOf(fqdn)];
  return ofNames(blame, names, verdict);
}

function ofZone(blame: Blame, { key, fqdn, live, verdict }: ResolvedZone): Verdict<AcceptedReason> {
  const manifest = blame.manifestOf(key);
  if (live !== null || manifest === undefined) return verdict;
  if (verdict.reason === 'ParentNotLive') return ofReference(blame, manifest.zoneRef, verdict);
  return fqdn === null || manifest.zoneRef !== null ? verdict : ofNames(blame, ancestorsOf(fqdn), verdict);
}

/** The verdict on what has one of these names, the longest first: a refused Zone may be nearer than any live one. */
function ofNames(
  { refused, liveNames, manifestOf }: Blame,
  names: readonly string[],
  verdict: Verdict<AcceptedReason>,
): Verdict<AcceptedReason> {
  const nearest = names.find((name) => refused.has(name));
  const live = names.find((name) => liveNames.has(name));
  const [zone] = nearest === undefined ? [] : (refused.get(nearest) ?? []);
  if (zone === undefined || nearest === undefined) return verdict;
  const blamed = (which: string) => said(manifestOf, zone.zone, which);
  if (verdict.reason === 'ParentNotFound')
    return { ...verdict, message: `no live Zone covers it: ${blamed(', which would,')}` };
  if (verdict.reason === 'RootNotAllowed')
    return { ...verdict, message: `${verdict.message}; ${blamed(`, which has the name ${nearest} above it,`)}` };
  if (verdict.reason !== 'DelegationDenied' || live === undefined) return verdict;
  if (nearest === live)
    return { ...verdict, message: `${verdict.message}; ${blamed(`, which has the name ${nearest} too,`)}` };
  const isNearer = labelsOf(nearest).length > labelsOf(live).length;
  return isNearer ? { ...verdict, message: blamed(`, which has the nearer name ${nearest},`) } : verdict;
}

/** The verdict on an object whose zoneRef names a Zone that is not live: the first one up the zoneRefs is to blame. */
function ofReference(
  { resolved, manifestOf }: Blame,
  target: ZoneKey | null,
  verdict: Verdict<AcceptedReason>,
): Verdict<AcceptedReason> {
  const seen = new Set<ZoneKey>();
  let zone = target === null ? undefined : resolved.zones.get(target);
  while (zone?.verdict.reason === 'ParentNotLive' && !seen.has(zone.key)) {
    seen.add(zone.key);
    const above: ZoneKey | null = manifestOf(zone.key)?.zoneRef ?? null;
    const next = above === null ? undefined : resolved.zones.get(above);
    if (next === undefined) break;
    zone = next;
  }
  if (zone === undefined || zone.live !== null) return verdict;
  const through = zone.key === target ? '' : `Zone ${target} is not live, because `;
  return { ...verdict, message: `spec.zoneRef: ${through}${said(manifestOf, zone)}` };
}

function said(manifestOf: Blame['manifestOf'], { key, verdict }: ResolvedZone, which = ''): string {
  const place = manifestOf(key)?.place ?? null;
  const where = place === null ? '' : ` (${place})`;
  return `Zone ${key}${where}${which} is not accepted: ${verdict.reason}, ${verdict.message}`;
}
