// Zone cuts and glue: what a live sub-zone takes out of the zone of those above it, and which addresses they show for it.
import { isAtOrBelow } from '../dns/name.ts';
import type { ZoneKey } from './objects.ts';
import type { PlacedZone } from './place-zones.ts';
import type { AdoptedRecord } from './settle-name.ts';

/** The highest zone cut, seen from `place` down towards the name, that a live sub-zone of `place` makes; null when none does. */
export function highestCut(
  chain: readonly PlacedZone[],
  places: ReadonlyMap<ZoneKey, PlacedZone>,
  place: PlacedZone,
): PlacedZone | null {
  return chain.find((other) => other.cut && other !== place && descendsFrom(places, other, place)) ?? null;
}

function descendsFrom(places: ReadonlyMap<ZoneKey, PlacedZone>, zone: PlacedZone, ancestor: PlacedZone): boolean {
  for (let key = zone.live.parent; key !== null; key = places.get(key)?.live.parent ?? null) {
    if (key === ancestor.live.key) return true;
  }
  return false;
}

/** Each sub-zone, and its parent, in whose entries this A or AAAA is glue; from the Record's own Zone upwards. */
export function* gluingZones(
  name: string,
  places: ReadonlyMap<ZoneKey, PlacedZone>,
  record: AdoptedRecord,
): Generator<{ readonly subZone: PlacedZone; readonly parent: PlacedZone }> {
  const { type, class: recordClass } = record.entry;
  if (recordClass !== 'IN' || (type !== 'A' && type !== 'AAAA')) return;
  let subZone = places.get(record.zone);
  while (subZone !== undefined && subZone.live.parent !== null) {
    const parent = places.get(subZone.live.parent);
    if (parent === undefined || !isAtOrBelow(name, subZone.live.fqdn)) return;
    if (!subZone.nameServers.some((server) => server.rdata === name)) return;
    yield { subZone, parent };
    subZone = parent;
  }
}
