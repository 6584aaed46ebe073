// Endpoints by name: an index to their ObjectItems, with a copy of each for reports. The key of an endpoint depends on
// the endpoint alone, so a change of its Zone never moves it. `!` sorts before every character that a label may begin
// with: one prefix reads a name, a shorter prefix reads a subtree.

import * as z from 'zod';
import { reversedKey } from '../dns/names/name.ts';
import { type Codec, type Item, itemCodec } from '../ledger/item-codec.ts';
import { type Endpoint, openEndpoint, openTargets } from '../objects/endpoint.ts';
import { formatRef, type ObjectRef, type ZoneKey } from '../objects/object-ref.ts';
import { sameJson } from '../objects/same-json.ts';
import type { LedgerKey } from '../ports/ledger.ts';
import type { DeclaredObject } from '../zones/adopt-endpoint.ts';
import { storedRef } from './related/related-items.ts';
import { nameFields, storedAge, storedEndpoint } from './stored-object.ts';

const namedBody = z.object({
  ref: storedRef,
  age: storedAge,
  endpoints: z.array(storedEndpoint),
  problems: z.array(z.string()),
  /**
   * Other places of the object that a change of the Zones here concerns: of former endpoints that replace one of these
   * while it is invalid, and of aliases whose target this is. Their names must be updated, too. Absent: none.
   */
  standIns: z.array(z.object({ domainName: nameFields.domainName, zoneRef: nameFields.zoneRef })).exactOptional(),
});

/** The endpoints of one object at one name, from its ObjectItem. It may be outdated until its name is updated. */
export type NamedItem = Item<typeof namedBody>;
export const namedCodec: Codec<NamedItem> = itemCodec(namedBody);

type AskedPlace = Pick<Endpoint, 'domainName' | 'zoneRef'>;

export function namesPartition(cluster: string): string {
  return `names#${cluster}`;
}

export function membersPartition(cluster: string, zone: ZoneKey): string {
  return `members#${cluster}#${zone}`;
}

/** NamedItems of aliases without a hosted zone id, by target: the Zones there decide whether they are valid. */
export function targetsPartition(cluster: string): string {
  return `targets#${cluster}`;
}

/** The key of the NamedItem of an endpoint. */
export function placeOf(cluster: string, ref: ObjectRef, { domainName, zoneRef }: AskedPlace): LedgerKey {
  if (domainName.kind === 'full') {
    return { partition: namesPartition(cluster), sort: [namePrefix(domainName.fqdn), formatRef(ref)].join('') };
  }
  const labels = domainName.kind === 'apex' ? '' : domainName.labels;
  return { partition: membersPartition(cluster, zoneRef as ZoneKey), sort: `${memberPrefix(labels)}${formatRef(ref)}` };
}

function targetPlace(cluster: string, ref: ObjectRef, target: string): LedgerKey {
  return { partition: targetsPartition(cluster), sort: `${namePrefix(target)}${formatRef(ref)}` };
}

/** The keys of an object's NamedItems, each once. */
export function placesOf(cluster: string, { ref, endpoints }: Pick<Asking, 'ref' | 'endpoints'>): readonly LedgerKey[] {
  return [...endpointsByPlace(cluster, ref, endpoints).values()].map(({ place }) => place);
}

/** The endpoints at a place, and the aliases whose target it is. */
type AtPlace = { readonly place: LedgerKey; readonly endpoints: Endpoint[]; readonly aliases: Endpoint[] };
type ByPlace = ReadonlyMap<string, AtPlace>;

/** Endpoints by place, computed once for each list of several endpoints: every name of an object asks for it. */
const PLACED = new WeakMap<readonly Endpoint[], { readonly of: string; readonly byPlace: ByPlace }>();
const NOWHERE: ByPlace = new Map();

function endpointsByPlace(cluster: string, ref: ObjectRef, endpoints: readonly Endpoint[] | null): ByPlace {
  if (endpoints === null) return NOWHERE;
  const of = `${cluster} ${formatRef(ref)}`;
  const known = PLACED.get(endpoints);
  if (known?.of === of) return known.byPlace;
  const byPlace = new Map<string, AtPlace>();
  const at = (place: LedgerKey): AtPlace => {
    const there = byPlace.get(placeText(place)) ?? { place, endpoints: [], aliases: [] };
    byPlace.set(placeText(place), there);
    return there;
  };
  for (const endpoint of endpoints) {
    at(placeOf(cluster, ref, endpoint)).endpoints.push(endpoint);
    for (const target of openTargets(endpoint)) at(targetPlace(cluster, ref, target)).aliases.push(endpoint);
  }
  if (endpoints.length > 1) PLACED.set(endpoints, { of, byPlace });
  return byPlace;
}

function placeText({ partition, sort }: LedgerKey): string {
  return `${partition} ${sort}`;
}

/** The places that are not among those of `now`. */
export function placesLeft(places: readonly LedgerKey[], now: readonly LedgerKey[]): readonly LedgerKey[] {
  const existing = new Set(now.map(placeText));
  return places.filter((place) => !existing.has(placeText(place)));
}

/** The present places of an object where it asks for something else than before. */
export function placesChanged(cluster: string, before: Asking, now: Asking): readonly LedgerKey[] {
  const [were, are] = [before, now].map(({ ref, endpoints }) => endpointsByPlace(cluster, ref, endpoints));
  return [...(are ?? NOWHERE)].flatMap(([text, { place, endpoints, aliases }]) => {
    const there = were?.get(text);
    return sameJson(there?.endpoints, endpoints) && sameJson(there?.aliases, aliases) ? [] : [place];
  });
}

/** The sort prefix of the endpoints at exactly this name. */
export function namePrefix(fqdn: string): string {
  return `${reversedKey(fqdn)}!`;
}

/** The sort prefix of the endpoints with exactly these relative labels; empty for the Zone itself. */
export function memberPrefix(labels: string): string {
  return labels === '' ? '!' : `${reversedKey(`${labels}.`)}!`;
}

/** The Zone and the labels below it that a key of a members partition means; null for any other key. */
export function parseMemberKey(
  cluster: string,
  key: LedgerKey,
): { readonly zone: ZoneKey; readonly reversedLabels: string } | null {
  const prefix = membersPartition(cluster, '');
  if (!key.partition.startsWith(prefix)) return null;
  return { zone: key.partition.slice(prefix.length), reversedLabels: key.sort.slice(0, key.sort.indexOf('!')) };
}

type Asking = Omit<NamedItem, 'endpoints'> & { readonly endpoints: readonly Endpoint[] | null };

/** The NamedItem of an object at one of its places; null if it has no endpoint there. */
export function namedItem(cluster: string, item: Asking, place: LedgerKey): NamedItem | null {
  const { ref, age, problems } = item;
  const there = endpointsByPlace(cluster, ref, item.endpoints).get(placeText(place));
  if (there === undefined) return null;
  const { endpoints, aliases } = there;
  const standIns = [
    ...placesOfFormers(endpoints, item.endpoints ?? []),
    ...aliases.map(({ domainName, zoneRef }) => ({ domainName, zoneRef })),
  ];
  return { ref, age, endpoints, problems, ...(standIns.length > 0 && { standIns }) };
}

function placesOfFormers(endpoints: readonly Endpoint[], all: readonly Endpoint[]): readonly AskedPlace[] {
  if (!all.some(({ standsInFor }) => standsInFor !== undefined)) return [];
  const open = endpoints.flatMap((one) => openEndpoint(one) ?? []);
  return all.flatMap(({ domainName, zoneRef, standsInFor = [] }) =>
    standsInFor.some((newer) => open.some((one) => sameJson(one, newer))) ? [{ domainName, zoneRef }] : [],
  );
}

export function declaredBy({ ref, age, endpoints, problems }: NamedItem): DeclaredObject {
  return { ref, age, spec: endpoints, problems };
}
