// Notes on what is published at or below an NS record set that is not a Zone's: resolvers follow it, and never see what
// the hosted zone has there (RFC 1034 §4.2.1), but for the addresses of its name servers, and the DS beside it. Only a
// whole cluster shows that, so `render` and `plan` say it, and statuses do not.

import { ancestorsOf } from '../dns/names/name.ts';
import { realName } from '../dns/names/view.ts';
import type { AcceptedReason, Verdict } from '../objects/conditions.ts';
import { formatRef, type ZoneKey } from '../objects/object-ref.ts';
import { hiddenNote, withNotes } from './notes.ts';
import type { PlacedZone } from './place-zones.ts';
import type { EndpointOutcome, ResolvedCluster, ResolvedZone } from './resolve-cluster.ts';

/** An NS record set in Route 53 that zone53 did not create, below the apex of its hosted zone. */
export type StandingDelegation = {
  readonly hostedZoneId: string;
  readonly name: string;
  readonly values: readonly string[];
};

/** `within`: the group of Zones that it belongs to, or the id of its hosted zone. `by`: who asks for it. */
type Delegation = {
  readonly within: string;
  readonly name: string;
  readonly by: readonly string[];
  readonly servers: ReadonlySet<string>;
};

type Delegations = ReadonlyMap<string, readonly Delegation[]>;

/** The same cluster, with a note in the verdict of what no resolver sees. `standing`: what was seen in Route 53. */
export function noteHidden(resolved: ResolvedCluster, standing: readonly StandingDelegation[] = []): ResolvedCluster {
  const { zones, objects } = resolved;
  const found = [...askedFor(resolved), ...standing.map(standingOf)];
  if (found.length === 0) return resolved;
  const delegations = Map.groupBy(found, ({ name }) => name);
  const placeOf = (zone: ZoneKey | null) => (zone === null ? null : (zones.get(zone)?.placed ?? null));
  const noteZone = (zone: ResolvedZone) => zoneNoted(zone, placeOf(zone.live?.parent ?? null), delegations);
  const note = (outcome: EndpointOutcome) => endpointNoted(outcome, placeOf(outcome.parent), delegations);
  return {
    ...resolved,
    zones: new Map([...zones].map(([key, zone]) => [key, noteZone(zone)])),
    objects: new Map([...objects].map(([ref, outcomes]) => [ref, outcomes.map(note)])),
  };
}

/** The NS that objects ask for below the apexes of Zones. Those that are published nowhere delegate nothing. */
function askedFor({ zones, objects }: ResolvedCluster): readonly Delegation[] {
  const apexes = new Set([...zones.values()].flatMap(({ live }) => live?.fqdn ?? []));
  const asked = [...objects.values()].flat().flatMap(({ ref, endpoint, fqdn, parent, programmed }) => {
    const place = parent === null ? null : zones.get(parent)?.placed;
    if (endpoint?.type !== 'NS' || endpoint.class !== 'IN' || fqdn === null || place == null) return [];
    if (apexes.has(fqdn) || programmed?.reason === 'Occluded' || programmed?.reason === 'Rejected') return [];
    return [{ within: place.group, name: fqdn, by: formatRef(ref), values: endpoint.values }];
  });
  const sets = Map.groupBy(asked, ({ within, name }) => `${within} ${name}`);
  return [...sets.values()].flatMap((all) => {
    const [first] = all;
    if (first === undefined) return [];
    const servers = new Set(all.flatMap(({ values }) => values));
    return [{ within: first.within, name: first.name, by: [...new Set(all.map(({ by }) => by))], servers }];
  });
}

function standingOf({ hostedZoneId, name, values }: StandingDelegation): Delegation {
  return { within: hostedZoneId, name, by: ['NS in Route 53, not created by zone53'], servers: new Set(values) };
}

function endpointNoted(outcome: EndpointOutcome, place: PlacedZone | null, delegations: Delegations): EndpointOutcome {
  const { endpoint, fqdn, verdict, programmed } = outcome;
  if (endpoint === null || fqdn === null || place === null || programmed?.reason === 'Occluded') return outcome;
  const { type } = endpoint;
  const isOfParent = type === 'NS' || type === 'DS';
  const cut = highest([...(isOfParent ? [] : [fqdn]), ...ancestorsOf(fqdn)], place, delegations);
  const isAddress = type === 'A' || type === 'AAAA';
  if (cut === null || endpoint.class !== 'IN' || (isAddress && cut.servers.has(realName(fqdn)))) return outcome;
  return { ...outcome, verdict: withNote(verdict, fqdn, cut) };
}

/** A sub-zone whose NS its parent publishes below a delegation. */
function zoneNoted(zone: ResolvedZone, parent: PlacedZone | null, delegations: Delegations): ResolvedZone {
  if (parent === null || zone.live === null || zone.placed?.cut !== true || zone.hidden !== null) return zone;
  const cut = highest(ancestorsOf(zone.live.fqdn), parent, delegations);
  return cut === null ? zone : { ...zone, verdict: withNote(zone.verdict, zone.live.fqdn, cut) };
}

/** The highest delegation at one of these names, as resolvers come from above; null: there is none. */
function highest(names: readonly string[], { group, target }: PlacedZone, delegations: Delegations): Delegation | null {
  const id = target.kind === 'hosted' ? target.hostedZoneId : null;
  const all = names.flatMap((name) => delegations.get(name) ?? []);
  return all.findLast(({ within }) => within === group || within === id) ?? null;
}

function withNote(verdict: Verdict<AcceptedReason>, fqdn: string, { name, by }: Delegation): Verdict<AcceptedReason> {
  return { ...verdict, message: withNotes(verdict.message, [hiddenNote(fqdn, name, by)]) };
}
