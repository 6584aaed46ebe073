// The Zones of a cluster as the ledger knows them, without those that are gone. An item that this code cannot read (of
// another version, or damaged) must neither block the others nor look deleted, since that would release everything that
// depends on the Zone. While it cannot be read, the Zone stays as the directory has it. Nothing depends on a Zone that
// the directory does not have. If zoneRefs form a ring, or make a name too long, the last valid spec stays in force.

import type { DirectoryItem } from '../directory/directory-item.ts';
import type { Directory } from '../directory/read-directory.ts';
import { allItems } from '../ledger/pages.ts';
import { readable } from '../ledger/skip-unreadable.ts';
import { keyOf, type ZoneKey, zoneOfKey } from '../objects/object-ref.ts';
import type { Context } from '../ports/context.ts';
import type { JsonValue } from '../ports/ledger.ts';
import { parseZoneOnce, type ZoneSpec } from '../zones/parse-zone.ts';
import { breakRings, ringMessage, type ZoneReference } from '../zones/rings/break-rings.ts';
import { tooLong, zonesWithTooLongNames } from '../zones/rings/long-names.ts';
import type { FormerSpec, InForce } from './in-force/last-valid-spec.ts';
import { type ObjectItem, objectCodec, objectsPartition } from './object-item.ts';

/** Older than any object, so that a live Zone does not lose its name to another while its item cannot be read. */
const OLDEST = '0001-01-01T00:00:00.000Z';

/** The Zones in force, and the keys of those that come from the directory because their item cannot be read. */
export type ZoneObjects = { readonly items: readonly ObjectItem[]; readonly unreadable: ReadonlySet<string> };

/** Every Zone that is not gone: from the ledger, or for unreadable items from the directory, which was read before. */
export async function zoneObjects(
  { ledger, config, log }: Pick<Context, 'ledger' | 'config' | 'log'>,
  { zones, unread }: Directory,
): Promise<ZoneObjects> {
  const items: ObjectItem[] = [];
  const unreadable = new Set<string>();
  for (const stored of await allItems(ledger, objectsPartition(config.clusterId, 'Zone'))) {
    const item = readable({ log }, objectCodec, stored);
    if (item !== null) {
      if (!item.deleted) items.push(item);
      continue;
    }
    const live = zones.find(({ item: { key } }) => key === stored.sort);
    if (live === undefined) {
      // One of the unread items of the directory may be this Zone's.
      const [error] = unread.values();
      if (error !== undefined) throw error;
      continue;
    }
    items.push(fromDirectory(live.item));
    unreadable.add(live.item.key);
  }
  return { items: zonesInForce(items), unreadable };
}

type NotedZone = Pick<InForce, 'spec' | 'problems' | 'sinceMs' | 'former'> & Pick<ObjectItem, 'ref'>;

/**
 * These Zones with their specs in force. A member of a ring has the spec from before the ring was closed. A Zone whose
 * name is too long has the spec before that one.
 */
export function zonesInForce<Zone extends NotedZone>(zones: readonly Zone[]): readonly Zone[] {
  return zones.every(({ former }) => former === undefined) ? zones : withShortNames(withoutRings(zones));
}

function withoutRings<Zone extends NotedZone>(zones: readonly Zone[]): readonly Zone[] {
  const inRing = breakRings(new Map(zones.map((zone) => [keyOf(zone.ref), referencesOf(zone)])));
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
  const names = zonesWithTooLongNames(new Map(namings));
  return zones.map((zone) => {
    const name = names.get(keyOf(zone.ref));
    if (name === undefined || zone.former === undefined) return zone;
    return { ...zone, problems: [...zone.problems, tooLong(name).message], ...zone.former };
  });
}

/** The Zones that a Zone names in its spec or in the former spec that may be in force. */
export function zonesNamed(zone: NotedZone): readonly ZoneKey[] {
  return referencesOf(zone).flatMap(({ zoneRef }) => zoneRef ?? []);
}

function referencesOf({ ref, spec, sinceMs = 0, former }: NotedZone): readonly ZoneReference[] {
  const said = former === undefined ? [{ spec, sinceMs }] : [{ spec, sinceMs }, former];
  return said.map((one) => ({ zoneRef: parsedSpec(one.spec, ref.namespace)?.zoneRef ?? null, sinceMs: one.sinceMs }));
}

function parsedSpec(spec: JsonValue, namespace: string): ZoneSpec | null {
  const parsed = spec === null ? null : parseZoneOnce(spec, namespace);
  return parsed?.ok === true ? parsed.spec : null;
}

/** The spec in force of each of these Zones: it stays in force if their next spec is invalid. */
export function specsInForce(zones: readonly NotedZone[]): ReadonlyMap<ZoneKey, FormerSpec> {
  return new Map(
    zonesInForce(zones).flatMap(({ ref, spec, sinceMs = 0 }) =>
      spec === null ? [] : [[keyOf(ref), { spec, sinceMs }]],
    ),
  );
}

/** A Zone whose item cannot be read, as the directory has it. */
export function fromDirectory({ key, spec, takeover, retains, claim }: DirectoryItem): ObjectItem {
  const ref = zoneOfKey(key);
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
    ...(retains && { retains }),
    ...(claim && { claim }),
    acknowledged: null,
    digest: '',
    unsettled: false,
    deleted: false,
    endpoints: null,
    leaving: [],
  };
}
