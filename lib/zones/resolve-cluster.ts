// Everything that the rules say of a whole cluster, from scratch: what `render` shows, what `plan` and the sweep compare
// with, and the oracle that the incremental path must equal. Pure: objects, the operator's roots and the hosted zones in,
// resolutions, settlements, entries and record sets out.

import { ancestorsOf } from '../dns/names/name.ts';
import type { AcceptedReason, Entry, ProgrammedReason, Verdict } from '../objects/conditions.ts';
import type { RecordSpec } from '../objects/endpoint.ts';
import { type Declared, formatRef, keyOf, type ObjectRef, type ZoneKey } from '../objects/object-ref.ts';
import type { RootRule } from '../objects/root-rule.ts';
import { type AdoptedRecord, adoptRecord, type RecordAdoption } from './adopt-endpoint.ts';
import type { LiveZone } from './delegation.ts';
import type { ZoneSpec } from './parse-zone.ts';
import { type Hosting, type NameServer, type PlacedZone, placeZones } from './place-zones.ts';
import { type DesiredRecordSet, type RecordSettlement, settleName } from './resolve-name.ts';
import { resolveZones, type ZoneResolution } from './resolve-zones.ts';
import { gluingZones } from './zone-cuts.ts';
import { buildEntries, type SubZoneEntries } from './zone-entries.ts';

/** What the rules are given. */
export type WorldInput = {
  readonly zones: readonly Declared<ZoneSpec>[];
  readonly records: readonly Declared<RecordSpec>[];
  readonly roots: readonly RootRule[] | null;
  /** The hosted zone of each fqdn, where there is one. */
  readonly hostings: ReadonlyMap<string, Hosting>;
  /** Where the live Zones publish, where that is known already: the ledger's directory. */
  readonly placed?: ReadonlyMap<ZoneKey, PlacedZone>;
};

/** A Zone as the rules leave it; `entries` without the SOA, empty when it is not live. */
export type WorldZone = ZoneResolution & {
  readonly ref: ObjectRef;
  readonly placed: PlacedZone | null;
  readonly entries: readonly Entry[];
};

/** A Record as the rules leave it; `parent` null when it has none, `programmed` null when Route 53 decides. */
export type WorldRecord = {
  readonly ref: ObjectRef;
  readonly fqdn: string | null;
  readonly parent: ZoneKey | null;
  readonly verdict: Verdict<AcceptedReason>;
  readonly programmed: Verdict<ProgrammedReason> | null;
};

export type World = {
  readonly zones: ReadonlyMap<ZoneKey, WorldZone>;
  readonly records: ReadonlyMap<string, WorldRecord>;
  readonly recordSets: readonly DesiredRecordSet[];
};

/** The first half of it, which depends on no hosted zone: which Zones are live, and which Zone adopts each Record. */
export type Adoptions = {
  readonly resolutions: ReadonlyMap<ZoneKey, ZoneResolution>;
  readonly live: readonly LiveZone[];
  readonly records: ReadonlyMap<Declared<RecordSpec>, RecordAdoption>;
  readonly adopted: readonly AdoptedRecord[];
};

/** Applies every rule of design section 4 and the placing of section 5 to a whole cluster. */
export function buildWorld(input: WorldInput): World {
  return placeWorld(input, adoptAll(input));
}

/** Resolves every Zone and adopts every Record. */
export function adoptAll(input: Pick<WorldInput, 'zones' | 'records' | 'roots'>): Adoptions {
  const resolutions = resolveZones(input.zones, input.roots);
  const live = [...resolutions.values()].flatMap((resolution) => resolution.live ?? []);
  const liveAt = new Map(live.map((zone) => [zone.fqdn, zone]));
  const lookup = { byKey: (key: ZoneKey) => resolutions.get(key), liveAt: (fqdn: string) => liveAt.get(fqdn) };
  const records = new Map<Declared<RecordSpec>, RecordAdoption>();
  const adopted: AdoptedRecord[] = [];
  for (const record of input.records) {
    const adoption = adoptRecord(record, lookup);
    records.set(record, adoption);
    const one = adoptedRecord(record, adoption);
    if (one !== null) adopted.push(one);
  }
  return { resolutions, live, records, adopted };
}

/** The world, once it is known which hosted zones there are. */
export function placeWorld(input: Pick<WorldInput, 'zones' | 'hostings' | 'placed'>, adoptions: Adoptions): World {
  const { resolutions, live, adopted } = adoptions;
  const placed = input.placed ?? placeZones(live, declaredNameServers(adopted, resolutions), input.hostings);
  const placedAt = new Map([...placed.values()].map((zone) => [zone.live.fqdn, zone]));
  // A directory that is read while it moves may lack a Zone for a moment, or have it under another name: its Records then
  // wait for the next reading.
  const placeable = adopted.filter(
    ({ zone }) => placed.has(zone) && placed.get(zone)?.live.fqdn === resolutions.get(zone)?.live?.fqdn,
  );
  const settled = settleNames(groupByName(placeable, placedAt), placedAt, placed);
  return {
    zones: worldZones(input.zones, resolutions, placed, settled),
    records: worldRecords(adoptions.records, settled.records),
    recordSets: settled.recordSets,
  };
}

/** The adopted Record that a Record in force becomes; null when no Zone adopted it. */
export function adoptedRecord(record: Declared<RecordSpec>, adoption: RecordAdoption): AdoptedRecord | null {
  const { spec } = record;
  if (spec === null || adoption.parent === null || adoption.fqdn === null) return null;
  const entry = {
    fqdn: adoption.fqdn,
    type: spec.type,
    class: spec.class,
    ttl: spec.ttl ?? adoption.parent.spec.ttl,
    rdata: spec.rdata,
  };
  return { ref: record.ref, age: record.age, zone: adoption.parent.key, entry };
}

/** The name servers that each Zone declares at its own apex. */
export function declaredNameServers(
  records: Iterable<AdoptedRecord>,
  zones: ReadonlyMap<ZoneKey, { readonly live: LiveZone | null }>,
): Map<ZoneKey, NameServer[]> {
  const declared = new Map<ZoneKey, NameServer[]>();
  for (const { ref, zone, entry } of records) {
    if (entry.type !== 'NS' || entry.class !== 'IN' || zones.get(zone)?.live?.fqdn !== entry.fqdn) continue;
    const server = { rdata: entry.rdata, ttl: entry.ttl, objects: [formatRef(ref)] };
    const list = declared.get(zone);
    if (list === undefined) declared.set(zone, [server]);
    else list.push(server);
  }
  return declared;
}

/** The live Zones at or above a name, the shortest first. */
function chainOf(name: string, placedAt: ReadonlyMap<string, PlacedZone>): PlacedZone[] {
  return [name, ...ancestorsOf(name)].flatMap((at) => placedAt.get(at) ?? []).reverse();
}

function groupByName(
  adopted: readonly AdoptedRecord[],
  placedAt: ReadonlyMap<string, PlacedZone>,
): Map<string, AdoptedRecord[]> {
  const byName = new Map<string, AdoptedRecord[]>([...placedAt.keys()].map((fqdn) => [fqdn, []]));
  for (const record of adopted) {
    const list = byName.get(record.entry.fqdn);
    if (list === undefined) byName.set(record.entry.fqdn, [record]);
    else list.push(record);
  }
  return byName;
}

type Settled = {
  readonly records: Map<string, RecordSettlement>;
  readonly recordSets: DesiredRecordSet[];
  readonly entries: Map<ZoneKey, Entry[]>;
  /** Glue, by the sub-zone that lends it. */
  readonly glue: Map<ZoneKey, Entry[]>;
};

function settleNames(
  byName: ReadonlyMap<string, readonly AdoptedRecord[]>,
  placedAt: ReadonlyMap<string, PlacedZone>,
  placed: ReadonlyMap<ZoneKey, PlacedZone>,
): Settled {
  const settled: Settled = { records: new Map(), recordSets: [], entries: new Map(), glue: new Map() };
  for (const [name, records] of byName) {
    const settlement = settleName(name, chainOf(name, placedAt), records);
    for (const [ref, outcome] of settlement.records) settled.records.set(ref, outcome);
    settled.recordSets.push(...settlement.recordSets);
    for (const [zone, standing] of settlement.standing) {
      push(settled.entries, zone, ...standing.map((record) => record.entry));
      for (const record of standing) {
        for (const { subZone } of gluingZones(name, placed, record)) push(settled.glue, subZone.live.key, record.entry);
      }
    }
  }
  return settled;
}

function worldZones(
  zones: readonly Declared<ZoneSpec>[],
  resolutions: ReadonlyMap<ZoneKey, ZoneResolution>,
  placed: ReadonlyMap<ZoneKey, PlacedZone>,
  settled: Settled,
): Map<ZoneKey, WorldZone> {
  const subZones = new Map<ZoneKey, SubZoneEntries[]>();
  for (const place of placed.values()) {
    if (place.live.parent !== null) push(subZones, place.live.parent, lentEntries(place, settled.glue));
  }
  return new Map(
    zones.map((zone) => {
      const key = keyOf(zone.ref);
      const resolution = resolutions.get(key) as ZoneResolution;
      const entries =
        resolution.live === null ? [] : buildEntries(settled.entries.get(key) ?? [], subZones.get(key) ?? []);
      return [key, { ...resolution, ref: zone.ref, placed: placed.get(key) ?? null, entries }];
    }),
  );
}

/** What a sub-zone lends to its parent's entries: its apex NS and the glue. */
function lentEntries(place: PlacedZone, glue: ReadonlyMap<ZoneKey, readonly Entry[]>): SubZoneEntries {
  const { fqdn, key } = place.live;
  const nameServers = place.nameServers.map(({ rdata, ttl }) => ({ fqdn, type: 'NS', class: 'IN', ttl, rdata }));
  return { fqdn, nameServers, glue: glue.get(key) ?? [] };
}

function worldRecords(
  adoptions: ReadonlyMap<Declared<RecordSpec>, RecordAdoption>,
  settlements: ReadonlyMap<string, RecordSettlement>,
): Map<string, WorldRecord> {
  return new Map(
    [...adoptions].map(([record, adoption]) => {
      const id = formatRef(record.ref);
      return [id, worldRecord(record, adoption, settlements.get(id))];
    }),
  );
}

/** A Record's outcome, adoption and neighbours together: an object that is not accepted has no parent. */
export function worldRecord(
  record: Declared<RecordSpec>,
  adoption: RecordAdoption,
  settlement: RecordSettlement | undefined,
): WorldRecord {
  const { ref } = record;
  if (settlement === undefined)
    return { ref, fqdn: adoption.fqdn, parent: null, verdict: adoption.verdict, programmed: null };
  if (settlement.accepted !== null) {
    const verdict = record.problems.length > 0 ? adoption.verdict : settlement.accepted;
    return { ref, fqdn: adoption.fqdn, parent: null, verdict, programmed: null };
  }
  return {
    ref,
    fqdn: adoption.fqdn,
    parent: adoption.parent?.key ?? null,
    verdict: adoption.verdict,
    programmed: settlement.programmed,
  };
}

function push<Key, Value>(map: Map<Key, Value[]>, key: Key, ...values: readonly Value[]): void {
  const list = map.get(key);
  if (list === undefined) map.set(key, [...values]);
  else list.push(...values);
}
