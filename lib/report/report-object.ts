// Writes back to the objects what became of them. Off the hot path: a Record costs a few point reads, a Zone the reading
// of all that lies at or below its name, which is why reports of a Zone are coalesced. Status is output, never input;
// what was reported last is kept in the ledger, so that nothing is written, and no Event made, where nothing changed.

import { readSpeaker } from '../directory/responsible-zone.ts';
import { isAtOrBelow } from '../dns/names/name.ts';
import { nextSerial } from '../dns/serial.ts';
import { swap } from '../ledger/compare-and-swap.ts';
import { readItem } from '../ledger/item-codec.ts';
import { allItems } from '../ledger/pages.ts';
import type { Condition, ProgrammedReason, Verdict } from '../objects/conditions.ts';
import { formatRef, keyOf, type ObjectRef, parseRef, type ZoneKey } from '../objects/object-ref.ts';
import { sameJson } from '../objects/same-json.ts';
import { noteDoubt } from '../observe/mark-status-stale.ts';
import { declaredRecord, type ObjectItem, objectCodec, objectKey } from '../observe/object-item.ts';
import { nameOfRecord } from '../observe/save-object.ts';
import { digestEntries, type StatusItem, statusCodec, statusKey } from '../observe/status-item.ts';
import type { ObjectStatus } from '../ports/cluster.ts';
import type { Context } from '../ports/context.ts';
import { inParallel } from '../ports/in-parallel.ts';
import { type HostedZoneItem, hostedZoneCodec, hostedZoneItemKey } from '../record-sets/hosted-zone-item.ts';
import { hostedZonesOf } from '../record-sets/list-hosted-zones.ts';
import { recordSetCodec, recordSetItemKey, recordSetsPartition } from '../record-sets/record-set-item.ts';
import { loadName } from '../resolve/load-name.ts';
import { loadSubtree } from '../resolve/load-subtree.ts';
import { adoptRecord, type ZoneLookup } from '../zones/adopt-endpoint.ts';
import type { LiveZone } from '../zones/delegation.ts';
import type { PlacedZone } from '../zones/place-zones.ts';
import { type World, type WorldRecord, type WorldZone, worldRecord } from '../zones/resolve-cluster.ts';
import { type DesiredRecordSet, settleName } from '../zones/resolve-name.ts';
import { describeRecord, describeZone } from './describe-cluster.ts';
import { ownRecordSets, recordVerdict, type WantedItem, zoneVerdict } from './programmed.ts';

/** A Record's report reads its own name only. */
const RECORDS_AT_ONCE = 16;
/** How often an object may be observed anew while it is described. */
const DESCRIBED_MAX = 50;

/** Reports these objects. An object that is gone is left out. */
export async function report(context: Context, refs: readonly ObjectRef[]): Promise<void> {
  const all = new Map(refs.map((one) => [formatRef(one), one]));
  const zones = new Set([...all.values()].flatMap((ref) => (ref.kind === 'Zone' ? [keyOf(ref)] : [])));
  const records = [...all.values()].filter(({ kind }) => kind === 'Record');
  await inParallel(records, RECORDS_AT_ONCE, async (ref) => {
    const delegated = await reportOne(context, ref);
    // What is said of a Zone says whether its NS are published.
    if (delegated !== null) zones.add(delegated);
  });
  // One after the other: each reads its whole zone.
  for (const zone of zones) await reportOne(context, parseRef(`Zone ${zone}`));
}

/** Reports an object whatever was reported last: what it shows may be what an overtaken run wrote. */
export async function reportAnew(context: Context, ref: ObjectRef): Promise<void> {
  await reportOne(context, ref, true);
}

/** True when what was last reported of a Record is not what is to be said of it now. Writes nothing. */
export async function isMisreported(context: Context, item: ObjectItem): Promise<boolean> {
  const reported = await readItem(context.ledger, statusKey(context.config.clusterId, item.ref), statusCodec);
  const described = await recordStatus(context, item);
  return reported === null || described === 'overtaken' || !sameJson(reported.item, described.now);
}

/** Reports one object. Returns the Zone that it delegates to, when it is one of that Zone's own NS. */
async function reportOne(context: Context, ref: ObjectRef, anew = false): Promise<ZoneKey | null> {
  const { ledger, config, cluster } = context;
  let written = false;
  let delegates: ZoneKey | null = null;
  try {
    await swap(ledger, statusKey(config.clusterId, ref), statusCodec, async (before) => {
      const described = await describeNow(context, ref, before);
      delegates = described?.delegated ?? null;
      if (described === null) return null;
      const { item, status, now } = described;
      // After we wrote it and could not note that, the object says what we wrote, which may be less than another run knew.
      if (!written && !anew && before !== null && sameJson(before, now)) return null;
      written = true;
      // Noted after it was written: a run that dies in between writes the same once more.
      await cluster.report(ref, status, before?.uid === item.uid ? before : null);
      return now;
    });
  } catch (error) {
    // It may have been written, and not noted. Were all as before when we are asked again, nobody would write over it.
    if (written) await noteDoubt(context, ref).catch(() => null);
    throw error;
  }
  return delegates;
}

/** What is to be said of an object now; null: there is nothing to say, or nobody to say it of. */
async function describeNow(
  context: Context,
  ref: ObjectRef,
  before: StatusItem | null,
): Promise<(Reported & { readonly item: ObjectItem }) | null> {
  for (let attempt = 0; attempt < DESCRIBED_MAX; attempt += 1) {
    const stored = await readItem(context.ledger, objectKey(context.config.clusterId, ref), objectCodec);
    if (stored === null || stored.item.deleted) return null;
    const { item } = stored;
    const described = ref.kind === 'Zone' ? await zoneStatus(context, item, before) : await recordStatus(context, item);
    if (described !== 'overtaken') return described === null ? null : { ...described, item };
  }
  throw new Error(`Cannot report ${formatRef(ref)}: it was observed anew ${DESCRIBED_MAX} times meanwhile`);
}

type Reported = { readonly status: ObjectStatus; readonly now: StatusItem; readonly delegated?: ZoneKey | null };

/** Conditions as of the generation that was observed. */
function observed(conditions: readonly Condition[], { generation }: ObjectItem): readonly Condition[] {
  return generation === null
    ? conditions
    : conditions.map((condition) => ({ ...condition, observedGeneration: generation }));
}

/** `overtaken`: the object was observed anew while its name was read. */
async function recordStatus(context: Context, item: ObjectItem): Promise<Reported | 'overtaken'> {
  const outcome = await recordNow(context, item);
  if (outcome === 'overtaken') return outcome;
  const { record, programmed, delegated } = outcome;
  const { fqdn, parent, conditions } = describeRecord(record, programmed);
  const status = { fqdn, parent, conditions: observed(conditions, item) };
  return { status, now: { uid: item.uid, ...status, hash: null, serial: null, entries: null }, delegated };
}

/** A Record's outcome, read from its name alone. */
async function recordNow(
  context: Context,
  item: ObjectItem,
): Promise<
  | 'overtaken'
  | {
      readonly record: WorldRecord;
      readonly programmed: Verdict<ProgrammedReason> | null;
      readonly delegated: ZoneKey | null;
    }
> {
  const { ledger, config } = context;
  const declared = declaredRecord(item);
  const id = formatRef(item.ref);
  const name = await nameOfRecord(context, item);
  const loaded = name === null ? null : await loadName(ledger, config.clusterId, name);
  const adoption = adoptRecord(declared, await lookupOf(context, loaded?.chain ?? [], declared.spec?.zoneRef ?? null));
  if (loaded === null) return { record: worldRecord(declared, adoption, undefined), programmed: null, delegated: null };
  const there = loaded.adoptions.find((one) => formatRef(one.record.ref) === id)?.record;
  // What stands at the name is then of another generation than the one that we would say it of.
  if (there !== undefined && !sameJson(there.spec, declared.spec)) return 'overtaken';
  const settlement = settleName(loaded.name, loaded.chain, loaded.adopted);
  const record = worldRecord(declared, adoption, settlement.records.get(id));
  const sets = settlement.recordSets.filter((set) => set.objects.includes(id));
  const at = loaded.chain.at(-1)?.live;
  const delegated = declared.spec?.type === 'NS' && at?.fqdn === loaded.name ? at.key : null;
  return { record, programmed: recordVerdict(record, await readWanted(context, sets)), delegated };
}

/** The live Zones of a chain, and whether the Zone that a zoneRef names exists at all. */
async function lookupOf(
  { ledger, config }: Context,
  chain: readonly PlacedZone[],
  zoneRef: ZoneKey | null,
): Promise<ZoneLookup> {
  const byKey = new Map<ZoneKey, { readonly live: LiveZone | null }>(chain.map((place) => [place.live.key, place]));
  if (zoneRef !== null && !byKey.has(zoneRef)) {
    const stored = await readItem(ledger, objectKey(config.clusterId, parseRef(`Zone ${zoneRef}`)), objectCodec);
    if (stored !== null && !stored.item.deleted) byKey.set(zoneRef, { live: null });
  }
  const byName = new Map(chain.map(({ live }) => [live.fqdn, live]));
  return { byKey: (key) => byKey.get(key), liveAt: (fqdn) => byName.get(fqdn) };
}

async function readWanted({ ledger }: Context, sets: readonly DesiredRecordSet[]): Promise<WantedItem[]> {
  return Promise.all(
    sets.map(async (set) => {
      const stored = await readItem(ledger, recordSetItemKey(set.hostedZoneId, set), recordSetCodec);
      return { hostedZoneId: set.hostedZoneId, content: set.content, item: stored?.item ?? null };
    }),
  );
}

async function zoneStatus(context: Context, item: ObjectItem, before: StatusItem | null): Promise<Reported | null> {
  const world = await loadSubtree(context, item.ref);
  const zone = world.zones.get(keyOf(item.ref));
  // Deleted since its item was read: there is nobody left to tell.
  if (zone === undefined) return null;
  const programmed = await zoneProgrammed(context, world, zone);
  const output = describeZone(zone, programmed, (hash) => serialFor(before, hash, context.clock.nowMs()));
  const { fqdn, parent, entries, hash, serial } = output;
  const conditions = observed(output.conditions, item);
  const status = { fqdn, parent, conditions, zone: { entries, hash, serial, entriesOmitted: 0 } };
  // A Zone that is not live has neither, but does not forget them: its serial never goes back.
  return {
    status,
    now: {
      uid: item.uid,
      fqdn,
      parent,
      conditions,
      hash: hash ?? before?.hash ?? null,
      serial: serial ?? before?.serial ?? null,
      entries: digestEntries(entries),
    },
  };
}

/** One step when the hash changes, and only then (RFC 1912 §2.2, RFC 1982). */
export function serialFor(before: Pick<StatusItem, 'hash' | 'serial'> | null, hash: string, nowMs: number): number {
  if (before === null || before.serial === null) return nextSerial(null, nowMs);
  return before.hash === hash ? before.serial : nextSerial(before.serial, nowMs);
}

/** What is to be said of a live Zone: its hosted zone, its SOA, its delegation from above. */
async function zoneProgrammed(
  context: Context,
  world: World,
  zone: WorldZone,
): Promise<Verdict<ProgrammedReason> | null> {
  const target = zone.placed?.target;
  if (target?.kind !== 'hosted') return zoneVerdict(zone, null, [], [], []);
  const stored = await readItem(context.ledger, hostedZoneItemKey(target.hostedZoneId), hostedZoneCodec);
  const own = target.zone === zone.key;
  const items = own
    ? (await allItems(context.ledger, recordSetsPartition(target.hostedZoneId))).map(recordSetCodec.decode)
    : [];
  const hostedZone = stored?.item ?? null;
  const sets = await readWanted(context, ownRecordSets(world, zone));
  return zoneVerdict(zone, hostedZone, items, sets, await readLeft(context, zone));
}

/** The hosted zones that were left, and for which this Zone speaks, in which the guard holds something. */
async function readLeft({ ledger, config, log }: Context, zone: WorldZone): Promise<readonly HostedZoneItem[]> {
  const left: HostedZoneItem[] = [];
  for (const item of await hostedZonesOf(ledger, config.clusterId, log)) {
    if (item.held === null || !isAtOrBelow(item.name, zone.fqdn ?? '')) continue;
    const speaker = await readSpeaker(ledger, item);
    if (speaker !== null && !speaker.isOwn && speaker.zone === zone.key) left.push(item);
  }
  return left;
}
