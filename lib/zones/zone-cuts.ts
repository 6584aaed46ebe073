// Zone cuts and glue: which names a live sub-zone hides in the zones above it, and which addresses those show for it.
import { isAtOrBelow } from '../dns/names/name.ts';
import { realName } from '../dns/names/view.ts';
import { formatRef, type ZoneKey } from '../objects/object-ref.ts';
import type { AdoptedEndpoint } from './adopt-endpoint.ts';
import type { LiveZone } from './delegation.ts';
import type { NameServer, PlacedZone } from './place-zones.ts';
import { type NameHistory, NOTHING_KNOWN, ofOwners } from './seniority.ts';

/** The highest zone cut between the group's top and the name, whichever Zone of the group delegates it; null: none. */
export function highestCut(
  chain: readonly PlacedZone[],
  places: ReadonlyMap<ZoneKey, PlacedZone>,
  place: PlacedZone,
): PlacedZone | null {
  const isCutOfGroup = (other: PlacedZone) => other.cut && parentOf(places, other)?.group === place.group;
  return chain.find((other) => other !== place && isCutOfGroup(other)) ?? null;
}

/** The zone cut that hides the delegation to this Zone from resolvers: one between the Zone and its parent; or null. */
export function cutAbove(
  place: PlacedZone,
  chain: readonly PlacedZone[],
  places: ReadonlyMap<ZoneKey, PlacedZone>,
): PlacedZone | null {
  const parent = parentOf(places, place);
  if (parent === undefined || !place.cut) return null;
  const cut = highestCut(chain, places, parent);
  return cut === place ? null : cut;
}

/**
 * The zone cut that takes an alias's target out of the hosted zone of `place`; null: none. What the parent of a cut has
 * of it stays in: its DS and glue. While the sub-zone's hosted zone cannot be read, nobody knows. `chain`: the live
 * Zones at or above the target.
 */
export function cutOffTarget(
  { type, target }: { readonly type: string; readonly target: string },
  chain: readonly PlacedZone[],
  place: PlacedZone,
): PlacedZone | null {
  const cut = highestCut(chain, new Map(chain.map((one) => [one.live.key, one])), place);
  if (cut === null || cut.target.kind === 'none') return null;
  const isAddress = type === 'A' || type === 'AAAA';
  const isGlue = isAddress && cut.nameServers.some(({ rdata }) => rdata === realName(target));
  return isGlue || (type === 'DS' && cut.live.fqdn === target) ? null : cut;
}

/** True for a Zone of that group, and for each Zone delegated below it, with or without a cut. */
export function isWithinGroup(places: ReadonlyMap<ZoneKey, PlacedZone>, zone: PlacedZone, group: ZoneKey): boolean {
  let at: PlacedZone | undefined = zone;
  while (at !== undefined && at.group !== group) at = parentOf(places, at);
  return at !== undefined;
}

/** The Zone that adopted this one; undefined for a root. */
export function parentOf(places: ReadonlyMap<ZoneKey, PlacedZone>, { live }: PlacedZone): PlacedZone | undefined {
  return live.parent === null ? undefined : places.get(live.parent);
}

/** Each sub-zone, with its parent, whose entries show this A or AAAA as glue, from the endpoint's Zone upwards. */
export function* gluingZones(
  name: string,
  places: ReadonlyMap<ZoneKey, PlacedZone>,
  endpoint: AdoptedEndpoint,
): Generator<{ readonly subZone: PlacedZone; readonly parent: PlacedZone }> {
  const { type, class: recordClass, alias, routing } = endpoint;
  if (recordClass !== 'IN' || (type !== 'A' && type !== 'AAAA')) return;
  if (alias !== undefined || routing !== undefined) return;
  let subZone = places.get(endpoint.zone);
  while (subZone !== undefined) {
    const parent = parentOf(places, subZone);
    if (parent === undefined || !isAtOrBelow(name, subZone.live.fqdn)) return;
    if (!subZone.nameServers.some((server) => server.rdata === realName(name))) return;
    yield { subZone, parent };
    subZone = parent;
  }
}

/** The NS that each Zone declares at its apex. A former endpoint counts only if it is in force for its Zone. */
export function declaredNameServers(
  endpoints: readonly AdoptedEndpoint[],
  zones: ReadonlyMap<ZoneKey, { readonly live: LiveZone | null }>,
  historyOf: (name: string) => NameHistory = () => NOTHING_KNOWN,
): Map<ZoneKey, NameServer[]> {
  const atApex = endpoints.filter(
    ({ zone, type, class: recordClass, fqdn }) =>
      type === 'NS' && recordClass === 'IN' && zones.get(zone)?.live?.fqdn === fqdn,
  );
  const servers = ({ ref, ttl, values }: AdoptedEndpoint): NameServer[] =>
    values.map((rdata) => ({ rdata, ttl, objects: [formatRef(ref)] }));
  return new Map(
    [...Map.groupBy(atApex, ({ zone }) => zone)].map(([zone, all]) => {
      const [{ fqdn }] = all as [AdoptedEndpoint];
      return [zone, ofOwners(all, historyOf(fqdn)).flatMap(servers)];
    }),
  );
}
