// Finds Zones whose zoneRefs form a ring, and decides which spec of each is in force. The Zone that closed the ring
// last goes back to its former spec, or to none if it had none. The others keep their specs. Pure: it needs only the
// Zone that each Zone names.
import type { ZoneKey } from '../../objects/object-ref.ts';

/**
 * The zoneRef of a present or former spec of a Zone (null: none), and since when it has that spec, in milliseconds
 * since the epoch.
 */
export type ZoneReference = { readonly zoneRef: ZoneKey | null; readonly sinceMs: number };

/** `index`: which of a Zone's specs is in force; their number if none is. `ring`: from the Zone to itself. */
export type InRing = { readonly index: number; readonly ring: readonly ZoneKey[] };

/**
 * The Zones of all rings that can be broken. `zones` has the references of each Zone, the latest first. A ring in which
 * no Zone has a former spec is left out.
 */
export function breakRings(zones: ReadonlyMap<ZoneKey, readonly ZoneReference[]>): ReadonlyMap<ZoneKey, InRing> {
  const indexes = new Map<ZoneKey, number>();
  const referenceOf = (key: ZoneKey): ZoneReference | undefined => zones.get(key)?.[indexes.get(key) ?? 0];
  const namedBy = (key: ZoneKey) => referenceOf(key)?.zoneRef ?? null;
  const found = new Map<ZoneKey, readonly ZoneKey[]>();
  const left = new Set<ZoneKey>();
  for (;;) {
    const rings = ringsIn(zones.keys(), namedBy).filter(([first]) => !left.has(first as ZoneKey));
    if (rings.length === 0) break;
    for (const ring of rings) {
      if (!ring.some((key) => (zones.get(key)?.length ?? 0) > (indexes.get(key) ?? 0) + 1)) {
        for (const key of ring) left.add(key);
        continue;
      }
      const lastMs = Math.max(...ring.map((key) => referenceOf(key)?.sinceMs ?? 0));
      for (const [at, key] of ring.entries()) {
        if (!found.has(key)) found.set(key, [...ring.slice(at), ...ring.slice(0, at), key]);
        if (referenceOf(key)?.sinceMs === lastMs) indexes.set(key, (indexes.get(key) ?? 0) + 1);
      }
    }
  }
  return new Map([...found].map(([key, ring]) => [key, { index: indexes.get(key) ?? 0, ring }]));
}

/** The ring that a Zone is in, from itself to itself; null if its zoneRefs do not lead back to it. */
export function ringThrough(start: ZoneKey, namedBy: (key: ZoneKey) => ZoneKey | null): readonly ZoneKey[] | null {
  const path = [start];
  const seen = new Set<ZoneKey>();
  for (let key = namedBy(start); key !== null && !seen.has(key); key = namedBy(key)) {
    path.push(key);
    if (key === start) return path;
    seen.add(key);
  }
  return null;
}

export function ringMessage(ring: readonly ZoneKey[]): string {
  return `spec.zoneRef: the references form a ring: ${ring.join(' -> ')}; one of them must be fully qualified`;
}

/** Every ring once, from any of its members on. */
function ringsIn(keys: Iterable<ZoneKey>, namedBy: (key: ZoneKey) => ZoneKey | null): readonly (readonly ZoneKey[])[] {
  const rings: ZoneKey[][] = [];
  const done = new Set<ZoneKey>();
  for (const start of keys) {
    const path = new Map<ZoneKey, number>();
    let key: ZoneKey | null = start;
    for (; key !== null && !done.has(key) && !path.has(key); key = namedBy(key)) path.set(key, path.size);
    const begin = key === null ? undefined : path.get(key);
    if (begin !== undefined) rings.push([...path.keys()].slice(begin));
    for (const one of path.keys()) done.add(one);
  }
  return rings;
}
