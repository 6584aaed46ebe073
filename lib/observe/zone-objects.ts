// The Zones of a cluster as the ledger knows them, those that are gone left out. One whose item this code cannot read
// (of another version, or damaged) must neither hold up the others nor look deleted, which would release all that leans
// on it: while it cannot be read it stays as the directory has it, live where it is live. What the directory has not,
// nothing leans on. And where zoneRefs form a ring, or make a name too long, what a Zone last validly said stays in
// force.

import type { DirectoryItem } from '../directory/directory-item.ts';
import { allItems } from '../ledger/pages.ts';
import { readable } from '../ledger/skip-unreadable.ts';
import { keyOf, parseRef, type ZoneKey } from '../objects/object-ref.ts';
import type { Context } from '../ports/context.ts';
import type { JsonValue } from '../ports/ledger.ts';
import { parseZoneOnce, type ZoneSpec } from '../zones/parse-zone.ts';
import { breakRings, ringMessage, type Saying } from '../zones/rings/break-rings.ts';
import { goBackFromTooLong, tooLong } from '../zones/rings/long-names.ts';
import type { FormerSpec, InForce } from './in-force/last-valid-spec.ts';
import { type ObjectItem, objectCodec, objectsPartition } from './object-item.ts';

/** Older than any object: who is live does not lose its name to another while nobody can read what it says. */
const OLDEST = '0001-01-01T00:00:00.000Z';

/** The Zones as they are in force, and the keys of those that stand in for an item that cannot be read. */
export type ZoneObjects = { readonly items: readonly ObjectItem[]; readonly unreadable: ReadonlySet<string> };

/** Every Zone that is not gone, by the ledger, and for unreadable items by the directory, which was read before. */
export async function zoneObjects(
  { ledger, config, log }: Pick<Context, 'ledger' | 'config' | 'log'>,
  directory: readonly DirectoryItem[],
): Promise<ZoneObjects> {
  const items: ObjectItem[] = [];
  const unreadable = new Set<string>();
  for (const stored of await allItems(ledger, objectsPartition(config.clusterId, 'Zone'))) {
    const item = readable({ log }, objectCodec, stored);
    if (item !== null) {
      if (!item.deleted) items.push(item);
      continue;
    }
    const live = directory.find(({ key }) => key === stored.sort);
    if (live === undefined) continue;
    items.push(standIn(live));
    unreadable.add(live.key);
  }
  return { items: standingZones(items), unreadable };
}

type NotedZone = Pick<InForce, 'spec' | 'problems' | 'sinceMs' | 'former'> & Pick<ObjectItem, 'ref'>;

/**
 * These Zones with the specs in force: for a member of a ring, the spec before somebody closed the ring; for a name
 * that is too long, the spec before.
 */
export function standingZones<Zone extends NotedZone>(zones: readonly Zone[]): readonly Zone[] {
  return zones.every(({ former }) => former === undefined) ? zones : withShortNames(withoutRings(zones));
}

function withoutRings<Zone extends NotedZone>(zones: readonly Zone[]): readonly Zone[] {
  const inRing = breakRings(new Map(zones.map((zone) => [keyOf(zone.ref), sayingsOf(zone)])));
  return zones.map((zone) => {
    const found = inRing.get(keyOf(zone.ref));
    if (found === undefined) return zone;
    const problems = [...zone.problems, ringMessage(found.ring)];
    const { spec, sinceMs } = [zone, zone.former][found.index] ?? { spec: null, sinceMs: 0 };
    return { ...zone, problems, spec, sinceMs: sinceMs ?? 0, ...(found.index > 0 && { former: undefined }) };
  });
}

function withShortNames<Zone extends NotedZone>(zones: readonly Zone[]): readonly Zone[] {
  const namingOf = (spec: JsonValue, { ref }: NotedZone) => parsedSpec(spec, ref.namespace);
  const namings = zones.map((zone) => {
    const former = zone.former === undefined ? null : namingOf(zone.former.spec, zone);
    return [keyOf(zone.ref), { now: namingOf(zone.spec, zone), former }] as const;
  });
  const names = goBackFromTooLong(new Map(namings));
  return zones.map((zone) => {
    const name = names.get(keyOf(zone.ref));
    if (name === undefined || zone.former === undefined) return zone;
    return { ...zone, problems: [...zone.problems, tooLong(name).message], ...zone.former };
  });
}

/** The Zones that a Zone names, or named when it last said something that is in force. */
export function zonesNamed(zone: NotedZone): readonly ZoneKey[] {
  return sayingsOf(zone).flatMap(({ zoneRef }) => zoneRef ?? []);
}

function sayingsOf({ ref, spec, sinceMs = 0, former }: NotedZone): readonly Saying[] {
  const said = former === undefined ? [{ spec, sinceMs }] : [{ spec, sinceMs }, former];
  return said.map((one) => ({ zoneRef: namedIn(one.spec, ref.namespace), sinceMs: one.sinceMs }));
}

function namedIn(spec: JsonValue, namespace: string): ZoneKey | null {
  return parsedSpec(spec, namespace)?.zoneRef ?? null;
}

function parsedSpec(spec: JsonValue, namespace: string): ZoneSpec | null {
  const parsed = spec === null ? null : parseZoneOnce(spec, namespace);
  return parsed?.ok === true ? parsed.spec : null;
}

/** What is in force of each of these Zones: what stands in for what they say next. */
export function standingSpecs(zones: readonly NotedZone[]): ReadonlyMap<ZoneKey, FormerSpec> {
  return new Map(
    standingZones(zones).flatMap(({ ref, spec, sinceMs = 0 }) =>
      spec === null ? [] : [[keyOf(ref), { spec, sinceMs }]],
    ),
  );
}

function standIn({ key, spec, takeover }: DirectoryItem): ObjectItem {
  const ref = parseRef(`Zone ${key}`);
  return {
    ref,
    uid: null,
    version: '',
    generation: null,
    age: { creationTimestamp: OLDEST, uid: null, order: keyOf(ref) },
    file: null,
    spec,
    problems: [],
    takeover,
    acknowledged: null,
    digest: '',
    unsettled: false,
    deleted: false,
    endpoints: null,
    leaving: [],
  };
}
