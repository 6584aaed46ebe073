// Endpoints by name: an index to their ObjectItems, with a copy of each for reports. Where an endpoint lies depends on the endpoint alone, so
// that adopting it anew never moves it. `!` sorts before all that a label may begin with: one prefix reads a name, a shorter one a subtree.

import * as z from 'zod';
import { reversedKey } from '../dns/names/name.ts';
import { type Codec, itemCodec } from '../ledger/item-codec.ts';
import { sameKey } from '../ledger/pages.ts';
import type { Endpoint } from '../objects/endpoint.ts';
import { type Age, formatRef, type ObjectRef, type ZoneKey } from '../objects/object-ref.ts';
import type { LedgerItem, LedgerKey } from '../ports/ledger.ts';
import type { DeclaredObject } from '../zones/adopt-endpoint.ts';
import { storedAge, storedEndpoint, storedRef } from './stored-object.ts';

/** The endpoints of one object at one name, as its ObjectItem says; it may be late, or a leftover, until its name is next settled. */
export type NamedItem = {
  readonly ref: ObjectRef;
  readonly age: Age;
  readonly endpoints: readonly Endpoint[];
  readonly problems: readonly string[];
};

export const namedCodec: Codec<NamedItem> = itemCodec(
  z.object({ ref: storedRef, age: storedAge, endpoints: z.array(storedEndpoint), problems: z.array(z.string()) }),
);

export function namesPartition(cluster: string): string {
  return `names#${cluster}`;
}

export function membersPartition(cluster: string, zone: ZoneKey): string {
  return `members#${cluster}#${zone}`;
}

/** Where the NamedItem of an endpoint lies. */
export function placeOf(
  cluster: string,
  ref: ObjectRef,
  { domainName, zoneRef }: Pick<Endpoint, 'domainName' | 'zoneRef'>,
): LedgerKey {
  if (domainName.kind === 'full') {
    return { partition: namesPartition(cluster), sort: `${namePrefix(domainName.fqdn)}${formatRef(ref)}` };
  }
  const labels = domainName.kind === 'apex' ? '' : domainName.labels;
  return { partition: membersPartition(cluster, zoneRef as ZoneKey), sort: `${memberPrefix(labels)}${formatRef(ref)}` };
}

/** Where the endpoints of an object lie, each place once. */
export function placesOf(cluster: string, { ref, endpoints }: Pick<Asking, 'ref' | 'endpoints'>): readonly LedgerKey[] {
  const places = (endpoints ?? []).map((endpoint) => placeOf(cluster, ref, endpoint));
  return [...new Map(places.map((place) => [`${place.partition} ${place.sort}`, place])).values()];
}

/** The sort prefix of the endpoints at exactly this name. */
export function namePrefix(fqdn: string): string {
  return `${reversedKey(fqdn)}!`;
}

/** The sort prefix of the endpoints with exactly these relative labels; empty for the Zone itself. */
export function memberPrefix(labels: string): string {
  return labels === '' ? '!' : `${reversedKey(`${labels}.`)}!`;
}

/** The Zone and the labels below it that a members partition's key stands for; null for another partition's key. */
export function parseMemberKey(
  cluster: string,
  key: LedgerKey,
): { readonly zone: ZoneKey; readonly reversedLabels: string } | null {
  const prefix = membersPartition(cluster, '');
  if (!key.partition.startsWith(prefix)) return null;
  return { zone: key.partition.slice(prefix.length), reversedLabels: key.sort.slice(0, key.sort.indexOf('!')) };
}

/** An object with what it asks for. */
type Asking = Omit<NamedItem, 'endpoints'> & { readonly endpoints: readonly Endpoint[] | null };

/** The NamedItem of an object item at one of its places; null where it has no endpoint there. */
export function namedItem(cluster: string, item: Asking, place: LedgerKey): NamedItem | null {
  const { ref, age, problems } = item;
  const endpoints = (item.endpoints ?? []).filter((endpoint) => sameKey(placeOf(cluster, ref, endpoint), place));
  return endpoints.length === 0 ? null : { ref, age, endpoints, problems };
}

/** What an item declares at its name. */
export function decodeNamed(item: LedgerItem): DeclaredObject {
  const { ref, age, endpoints, problems } = namedCodec.decode(item);
  return { ref, age, spec: endpoints, problems };
}
