// Writes the status of every object after an apply, if it was not reported yet or the object does not show it.

import { compareText } from '../dns/names/compare-text.ts';
import type { Stored } from '../ledger/item-codec.ts';
import { ZONE_KIND } from '../objects/kind.ts';
import { formatRef, isZone, type ObjectRef, parseRef } from '../objects/object-ref.ts';
import { sameJson } from '../objects/same-json.ts';
import { noteDoubt } from '../observe/mark-status-stale.ts';
import type { ObjectItem } from '../observe/object-item.ts';
import { type StatusItem, statusCodec, statusKey, UNREPORTED } from '../observe/status-item.ts';
import { type ClusterObject, type Listing, type ReadProblem, ReportRefusedError } from '../ports/cluster.ts';
import type { Context } from '../ports/context.ts';
import { inParallel } from '../ports/in-parallel.ts';
import { showsReport } from '../ports/shown-status.ts';
import { describeObject, type Knowledge, type RecordOutput, type ZoneOutput } from '../report/describe-cluster.ts';
import { hasSharedStatus, lastReported, mayShowReport, saveFirst } from '../report/first-report.ts';
import { buildReport, NOTHING_ASKED, reportAnew, tellingIn } from '../report/report-object.ts';
import type { ResolvedCluster } from '../zones/resolve-cluster.ts';

/** How many reports are made at once. Each is at most three requests of the API server, one after the other. */
const REPORTS_AT_ONCE = 25;
/** So many refused reports are told one by one; the others are counted. */
const REFUSALS_TOLD = 10;
/** Reports are saved for so many objects together, because each commit of SQLite waits for the disk. */
const NOTED_TOGETHER = 500;

/** The last report of each object. `unreported`: those whose report cannot be read, so none is written. */
type Reports = {
  readonly statuses: ReadonlyMap<string, Stored<StatusItem>>;
  readonly unreported: ReadonlyMap<string, unknown>;
};

/** The parts of a plan that are needed here. */
type Applied = {
  readonly resolved: Pick<ResolvedCluster, 'objects' | 'problems'>;
  readonly reading: {
    readonly listing: Listing;
    readonly objects: ReadonlyMap<string, { readonly now: Pick<ObjectItem, 'uid' | 'generation'> }>;
  };
};

type Judges = Pick<Knowledge, 'endpointProgrammed' | 'endpointPropagation'>;

/**
 * Writes the status of every object of a plan that was carried out. A report that is refused affects no other object.
 * It is queued to be tried again, and returned as a problem.
 */
export async function reportAll(
  context: Context,
  plan: Applied,
  { statuses, unreported }: Reports,
  zoneOutputs: readonly ZoneOutput[],
  { endpointProgrammed, endpointPropagation = () => null }: Judges,
): Promise<readonly ReadProblem[]> {
  const zones = zoneOutputs.map((zone) => {
    return { ref: { kind: ZONE_KIND.kind, namespace: zone.namespace, name: zone.name }, output: zone, zone };
  });
  const { objects, problems } = plan.resolved;
  const othersOf = (ids: readonly string[]) =>
    ids.flatMap((id): ToReport[] => {
      const ref = parseRef(id);
      if (isZone(ref)) return [];
      const outcomes = (objects.get(id) ?? []).map((outcome) => {
        return { outcome, programmed: endpointProgrammed(outcome), propagation: endpointPropagation(outcome) };
      });
      const said = describeObject(ref, outcomes, problems.get(id));
      // If an object no longer asks for anything, the conditions that were reported are removed.
      const wasSaid = mayShowReport(statuses.get(id)?.item ?? null, readOf(plan, ref));
      if (said === null && !wasSaid) return [];
      const output = said ?? NOTHING_ASKED;
      return [{ ref, output, zone: null }];
    });
  const existing = new Map(plan.reading.listing.objects.map((object) => [formatRef(object.ref), object]));
  const objectOf = ({ ref }: ToReport) => existing.get(formatRef(ref));
  const ids = [...plan.reading.objects.keys()];
  const refused: Refused[] = [];
  const reportSome = async (all: readonly ToReport[]) => {
    const written: Reported[] = [];
    const some = all.filter(({ ref }) => !unreported.has(formatRef(ref)));
    const saved = new Map<ToReport, Stored<StatusItem> | null>();
    await inParallel(some, some.length, async (one) => {
      const before = statuses.get(formatRef(one.ref)) ?? null;
      const { hash, serial } = (one.zone?.serial == null ? before?.item : one.zone) ?? UNREPORTED;
      const now = { uid: readOf(plan, one.ref).uid, conditions: one.output.conditions, hash, serial };
      saved.set(one, await saveFirst(context, one.ref, before, now, isShared(context, objectOf(one))));
    });
    try {
      await inParallel(some, REPORTS_AT_ONCE, async (one) => {
        const before = saved.get(one) ?? null;
        const last = statuses.get(formatRef(one.ref))?.item ?? null;
        const now = await writeStatus(context, plan, one, { before: before?.item ?? null, last }, objectOf(one));
        if (now instanceof ReportRefusedError) refused.push({ ref: one.ref, message: now.message });
        else if (now !== null) written.push({ ref: one.ref, now, revision: before?.revision ?? null });
      });
    } finally {
      // Reports that succeeded are saved even if another failed.
      await noteReported(context, written);
    }
  };
  for (const some of inParts(zones)) await reportSome(some);
  // The statuses of the other objects are built in parts, right before they are written.
  for (const some of inParts(ids)) await reportSome(othersOf(some));
  if (refused.length > 0) await context.queues.report(refused.map(({ ref }) => ref));
  return problemsOf(refused);
}

type Refused = { readonly ref: ObjectRef; readonly message: string };

/** Sorted, because reports are written in parallel. */
function problemsOf(refused: readonly Refused[]): readonly ReadProblem[] {
  const all = refused
    .map(({ ref, message }) => ({ file: formatRef(ref), line: 0, message }))
    .toSorted((a, b) => compareText(a.file, b.file));
  const more = all.length - REFUSALS_TOLD;
  if (more <= 0) return all;
  const objects = `${more} more ${more === 1 ? 'object' : 'objects'}`;
  const message = `The API server refuses the status or the label of ${objects}`;
  return [...all.slice(0, REFUSALS_TOLD), { file: 'status', line: 0, message }];
}

/** True if others write the status of the object, too. An object of a manifest has none. */
function isShared(context: Context, object: ClusterObject | undefined): boolean {
  return object !== undefined && object.origin === null && hasSharedStatus(context, object.ref);
}

function* inParts<One>(all: readonly One[]): Generator<readonly One[]> {
  for (let from = 0; from < all.length; from += NOTED_TOGETHER) yield all.slice(from, from + NOTED_TOGETHER);
}

type ToReport = {
  readonly ref: ObjectRef;
  readonly output: Pick<RecordOutput, 'fqdn' | 'parent' | 'data' | 'conditions'>;
  readonly zone: ZoneOutput | null;
};
type Reported = { readonly ref: ObjectRef; readonly now: StatusItem; readonly revision: string | null };

/** Writes the status of one object; null: it was reported before, and the object shows it. Returns a refusal. */
async function writeStatus(
  context: Context,
  plan: Applied,
  { ref, output, zone }: ToReport,
  { before, last }: { readonly before: StatusItem | null; readonly last: StatusItem | null },
  object: ClusterObject | undefined,
): Promise<StatusItem | ReportRefusedError | null> {
  const read = readOf(plan, ref);
  const { status, now: built } = buildReport(read, output, zone, before);
  const known = lastReported(last, read, isShared(context, object));
  const file = object?.origin?.file ?? null;
  // An object without a status was told nothing.
  const bare = object?.status === null ? ({ bare: true } as const) : {};
  const telling = object === undefined ? null : tellingIn(context, { ref, file, ...bare }, known, built);
  const now = telling?.now ?? built;
  const shows = object === undefined || showsReport(object, status);
  if (before !== null && shows && sameJson(before, now)) return null;
  try {
    if (telling?.againSeconds != null) await context.queues.report([ref], {}, telling.againSeconds);
    await context.cluster.report(
      ref,
      status,
      telling === null ? known : { ...status, conditions: telling.told },
      object,
    );
  } catch (error) {
    await noteDoubt(context, ref, read.uid).catch(() => null);
    if (error instanceof ReportRefusedError) return error;
    throw error;
  }
  return now;
}

/** The object as it was read. */
function readOf({ reading }: Applied, ref: ObjectRef): Pick<ObjectItem, 'uid' | 'generation'> {
  return reading.objects.get(formatRef(ref))?.now ?? { generation: null, uid: null };
}

async function noteReported(context: Context, written: readonly Reported[]): Promise<void> {
  await inParallel(written, written.length, async ({ ref, now, revision }) => {
    const key = statusKey(context.config.clusterId, ref);
    const noted = await context.ledger.put(key, statusCodec.encode(now), revision);
    // Another run reported the object meanwhile and may have known more, and its report was just overwritten.
    if (noted === null) await reportAnew(context, ref);
  });
}
