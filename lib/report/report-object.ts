// Writes status, label and Event of objects. Nothing waits for it. A Record costs a few point reads. A Zone costs a
// read of everything at or below its name, so several reports of one Zone are made at once. Status is output, never
// input. The ledger keeps the last report: if nothing has changed, no status is written, and no Event is made.

import { readResponsibleZone } from '../directory/responsible-zone.ts';
import { isAtOrBelow } from '../dns/names/name.ts';
import { PUBLIC } from '../dns/names/view.ts';
import { nextSerial } from '../dns/serial.ts';
import { swap } from '../ledger/compare-and-swap.ts';
import { readItem, type Stored } from '../ledger/item-codec.ts';
import { readAll } from '../ledger/pages.ts';
import { type Condition, cutMessage, type ProgrammedReason, type Verdict } from '../objects/conditions.ts';
import { formatRef, isZone, keyOf, type ObjectRef, type ZoneKey, zoneOfKey } from '../objects/object-ref.ts';
import { sameJson } from '../objects/same-json.ts';
import { kindsOf } from '../objects/source.ts';
import { noteDoubt } from '../observe/mark-status-stale.ts';
import { asRead, type ObjectItem, objectCodec, objectKey } from '../observe/object-item.ts';
import { digestEntries, type StatusItem, statusCodec, statusKey } from '../observe/status-item.ts';
import type { ObjectStatus, ViewStatus } from '../ports/cluster.ts';
import type { Context } from '../ports/context.ts';
import { inParallel } from '../ports/in-parallel.ts';
import { type HostedZoneItem, hostedZoneCodec, hostedZoneItemKey } from '../record-sets/hosted-zone-item.ts';
import { hostedZonesOf } from '../record-sets/list-hosted-zones.ts';
import { recordSetCodec, recordSetsPartition } from '../record-sets/record-set-item.ts';
import { loadSubtree } from '../resolve/load-subtree.ts';
import type { ResolvedCluster, ResolvedZone } from '../zones/resolve-cluster.ts';
import {
  describeObject,
  describeZone,
  type RecordOutput,
  type ViewOutput,
  withRefusedTakeover,
  type ZoneOutput,
} from './describe-cluster.ts';
import { hasSharedStatus, lastReported, mayShowReport, savedFirst } from './first-report.ts';
import { readOutcomes, readWanted } from './object-outcomes.ts';
import { isLeftover, ownRecordSets, zoneVerdict } from './programmed.ts';
import { type Telling, tellingOf } from './untold.ts';

/**
 * How many objects other than Zones are reported at once: such a report reads the object's own names only, and many
 * share their requests to the ledger. The connections to the API server are limited (lib/adapters/kubernetes/http).
 */
const OBJECTS_AT_ONCE = 250;
/** How often an object may be observed again while it is described. */
const DESCRIBED_MAX = 50;

/** Reports these objects. An object that is gone is left out. */
export async function report(context: Context, refs: readonly ObjectRef[]): Promise<void> {
  const all = new Map(refs.map((one) => [formatRef(one), one]));
  const zones = new Set([...all.values()].flatMap((ref) => (isZone(ref) ? [keyOf(ref)] : [])));
  const others = [...all.values()].filter((ref) => !isZone(ref));
  await inParallel(others, OBJECTS_AT_ONCE, async (ref) => {
    // The report of a Zone says whether its NS are published.
    for (const zone of await reportOne(context, ref)) zones.add(zone);
  });
  // One after the other, because each report reads a whole zone. The others do not wait for one that fails.
  let failure: unknown = null;
  for (const zone of zones)
    await reportOne(context, zoneOfKey(zone)).catch((error: unknown) => {
      failure ??= error;
    });
  if (failure !== null) throw failure;
}

/** Reports an object even if the last report is the same, because an overtaken run may have overwritten it. */
export async function reportAnew(context: Context, ref: ObjectRef): Promise<void> {
  await reportOne(context, ref, true);
}

/** True if the last report of an object other than a Zone differs from what is to be reported. Writes nothing. */
export async function isMisreported(context: Context, item: ObjectItem): Promise<boolean> {
  const reported = await readItem(context.ledger, statusKey(context.config.clusterId, item.ref), statusCodec);
  const described = await endpointsStatus(context, item, reported?.item ?? null);
  if (described === null) return false;
  if (reported === null || described === 'overtaken') return true;
  const last = lastReported(reported.item, item, hasSharedStatus(context, item.ref));
  return !sameJson(reported.item, tellingIn(context, item, last, described.now)?.now ?? described.now);
}

/** Reports one object. Returns the Zones whose own NS it is part of. */
async function reportOne(context: Context, ref: ObjectRef, anew = false): Promise<readonly ZoneKey[]> {
  const { ledger, config, cluster } = context;
  let written = null as Pick<ObjectItem, 'uid'> | null;
  let delegates: readonly ZoneKey[] = [];
  /** The report of which something was just saved (`savedFirst()`), the item with that, and the item before it. */
  let prepared = null as {
    readonly saved: StatusItem;
    readonly described: NowDescribed;
    readonly last: StatusItem | null;
  } | null;
  let isReported: boolean;
  const reportFrom = async (before: StatusItem | null) => {
    const ready = prepared?.saved === before ? prepared : null;
    const described = ready === null ? await describeNow(context, ref, before) : ready.described;
    delegates = described?.delegated ?? [];
    isReported = true;
    if (described === null) return null;
    const { item, status, now } = described;
    const isShared = item.file === null && hasSharedStatus(context, ref);
    const saved = savedFirst(before, now, isShared);
    if (saved !== null) {
      isReported = false;
      prepared = { saved, described, last: before };
      return saved;
    }
    const last = lastReported(ready === null ? before : ready.last, item, isShared);
    const telling = tellingIn(context, item, last, now);
    // If an earlier round wrote the status and could not save that, the status may be older than what is saved now.
    if (written === null && !anew && before !== null && sameJson(before, telling?.now ?? now)) return null;
    written = item;
    if (telling?.againSeconds != null) await context.queues.report([ref], {}, telling.againSeconds);
    // The report is saved after it was written: if the run dies in between, the same is written once more.
    const listed = before === null ? asRead(item) : undefined;
    await cluster.report(ref, status, telling === null ? last : { ...status, conditions: telling.told }, listed);
    return telling?.now ?? now;
  };
  try {
    let known: Stored<StatusItem> | null = null;
    do {
      isReported = true;
      known = await swap(ledger, statusKey(config.clusterId, ref), statusCodec, reportFrom, known ?? undefined);
    } while (!isReported);
  } catch (error) {
    // The status may have been written without being saved. If the next report is the same as the saved one, it would
    // not be written. So the item is marked.
    if (written !== null) await noteDoubt(context, ref, written.uid).catch(() => null);
    throw error;
  }
  return delegates;
}

/**
 * When the transitions of a report are told. Null: there are no Events (manifests), or only the object itself shows
 * what was told of it, because the ledger has no report of it.
 */
export function tellingIn(
  { sources, clock }: Pick<Context, 'sources' | 'clock'>,
  item: Pick<ObjectItem, 'ref' | 'file' | 'bare'>,
  last: StatusItem | null,
  now: StatusItem,
): Telling | null {
  if (item.file !== null) return null;
  const shows = kindsOf(sources).find(({ kind }) => kind === item.ref.kind)?.status === 'subresource';
  if (last === null && shows && item.bare !== true) return null;
  return tellingOf(last, now, clock.nowMs());
}

type NowDescribed = Reported & { readonly item: ObjectItem };

/** Builds the report of an object; null: there is nothing to report, or the object is gone. */
async function describeNow(context: Context, ref: ObjectRef, before: StatusItem | null): Promise<NowDescribed | null> {
  for (let attempt = 0; attempt < DESCRIBED_MAX; attempt += 1) {
    const stored = await readItem(context.ledger, objectKey(context.config.clusterId, ref), objectCodec);
    if (stored === null || stored.item.deleted) return null;
    const { item } = stored;
    const described = isZone(ref)
      ? await zoneStatus(context, item, before)
      : await endpointsStatus(context, item, before);
    if (described !== 'overtaken') return described === null ? null : { ...described, item };
  }
  throw new Error(`Cannot report ${formatRef(ref)}: it changed ${DESCRIBED_MAX} times during the report`);
}

type Reported = { readonly status: ObjectStatus; readonly now: StatusItem; readonly delegated?: readonly ZoneKey[] };

type Described = Pick<RecordOutput, 'fqdn' | 'view' | 'views' | 'parent' | 'data' | 'conditions'>;

/** The description of an object that no longer asks for anything. */
export const NOTHING_ASKED: Described = { fqdn: null, parent: null, conditions: [] };

/** The status to write, and the item to save as the last report. `zone`: null for any other object. */
export function buildReport(
  { uid, generation }: Pick<ObjectItem, 'uid' | 'generation'>,
  { fqdn, view = PUBLIC, views: several, parent, data, conditions }: Described,
  zone: ZoneOutput | null,
  before: StatusItem | null,
): Pick<Reported, 'status' | 'now'> {
  const dated =
    generation === null ? conditions : conditions.map((one) => ({ ...one, observedGeneration: generation }));
  const observed = withoutOldNews(before?.uid === uid ? before.conditions : [], dated);
  // The one view of a Zone is in its spec.
  const other = view === PUBLIC || zone !== null ? [] : [{ view, parent, conditions }];
  const views = (several ?? other).map((one) => shownView(one));
  const inEach = views.length === 0 ? {} : { views };
  const shown = { fqdn, parent, ...(data === undefined ? {} : { data }), ...inEach, conditions: observed };
  if (zone === null) return { status: shown, now: { uid, ...shown, hash: null, serial: null, entries: null } };
  const { entries, hash, serial } = zone;
  // A Zone that is not live shows neither hash nor serial. The ledger keeps them, so that the serial never goes back.
  const kept = { hash: hash ?? before?.hash ?? null, serial: serial ?? before?.serial ?? null };
  return {
    status: { ...shown, zone: { entries, hash, serial, entriesOmitted: 0 } },
    now: { uid, ...shown, ...kept, entries: digestEntries(entries) },
  };
}

/** A view of an object in its status: what is so there, and the first reason why not. */
function shownView({ view, parent, conditions }: ViewOutput): ViewStatus {
  const statusOf = (type: Condition['type']) => conditions.find((one) => one.type === type)?.status ?? 'Unknown';
  const said = conditions.find(({ type, status }) => type !== 'Propagated' && status !== 'True') ?? conditions[0];
  return {
    ...{ view, parent, accepted: statusOf('Accepted'), programmed: statusOf('Programmed') },
    ...{ reason: said?.reason ?? '', message: cutMessage(said?.message ?? '') },
  };
}

/**
 * The conditions, without Propagated if it is Resolved and all others were reported before there was one: that is not
 * worth a write of every object, and the next report of the object has it.
 */
function withoutOldNews(before: readonly Condition[], now: readonly Condition[]): readonly Condition[] {
  const others = now.filter(({ type }) => type !== 'Propagated');
  const isResolved = now.some(({ type, status }) => type === 'Propagated' && status === 'True');
  return isResolved && sameJson(before, others) ? others : now;
}

/** The status of an object with endpoints. Null: it asks for nothing. `overtaken`: it was observed again meanwhile. */
async function endpointsStatus(
  context: Context,
  item: ObjectItem,
  before: StatusItem | null,
): Promise<Reported | 'overtaken' | null> {
  const outcomes = await readOutcomes(context, item);
  if (outcomes === 'overtaken') return outcomes;
  const said = describeObject(item.ref, outcomes, [...item.problems, ...(item.remarks ?? [])]);
  if (said === null) return mayShowReport(before, item) ? buildReport(item, NOTHING_ASKED, null, before) : null;
  const delegated = outcomes.flatMap((one) => one.delegated ?? []);
  return {
    ...buildReport(item, said, null, before),
    delegated,
  };
}

async function zoneStatus(context: Context, item: ObjectItem, before: StatusItem | null): Promise<Reported | null> {
  const resolved = await loadSubtree(context, item.ref);
  const zone = resolved.zones.get(keyOf(item.ref));
  // The Zone was deleted since its item was read.
  if (zone === undefined) return null;
  const programmed = await zoneProgrammed(context, resolved, zone);
  const described = describeZone(zone, programmed, (hash) => serialFor(before, hash, context.clock.nowMs()));
  const output = withRefusedTakeover(context.config, item, described);
  return buildReport(item, output, output, before);
}

/** The serial of a Zone. It is increased if the hash has changed, and only then (RFC 1912 §2.2, RFC 1982). */
export function serialFor(before: Pick<StatusItem, 'hash' | 'serial'> | null, hash: string, nowMs: number): number {
  if (before === null || before.serial === null) return nextSerial(null, nowMs);
  return before.hash === hash ? before.serial : nextSerial(before.serial, nowMs);
}

/** The Programmed verdict on a live Zone: from its hosted zone, its SOA, and the delegation by its parent. */
async function zoneProgrammed(
  context: Context,
  resolved: ResolvedCluster,
  zone: ResolvedZone,
): Promise<Verdict<ProgrammedReason> | null> {
  const target = zone.placed?.target;
  if (target?.kind !== 'hosted') return zoneVerdict(zone, null, [], [], []);
  const stored = await readItem(context.ledger, hostedZoneItemKey(target.hostedZoneId), hostedZoneCodec);
  const own = target.zone === zone.key;
  const items = own
    ? await readAll(context.ledger, recordSetsPartition(target.hostedZoneId), recordSetCodec.decode, isLeftover)
    : [];
  const hostedZone = stored?.item ?? null;
  const sets = await readWanted(context, ownRecordSets(resolved, zone));
  return zoneVerdict(zone, hostedZone, items, sets, await readLeft(context, zone), context.config.guard);
}

/** The hosted zones without a Zone of their own that this Zone reports, and in which deletes are held. */
async function readLeft({ ledger, config, log }: Context, zone: ResolvedZone): Promise<readonly HostedZoneItem[]> {
  const left: HostedZoneItem[] = [];
  for (const item of await hostedZonesOf(ledger, config.clusterId, log)) {
    if (item.held === null || !isAtOrBelow(item.name, zone.fqdn ?? '')) continue;
    const responsible = await readResponsibleZone(ledger, item);
    if (responsible !== null && !responsible.isOwn && responsible.zone === zone.key) left.push(item);
  }
  return left;
}
