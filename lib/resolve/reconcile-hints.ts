// From hints to dirty names. It observes the objects behind a batch of hints, updates the directory if a Zone changed,
// updates the names concerned, and asks for reports. Every step may be done twice. An object item says *unsettled*
// until the last step is done: if a run dies, the hint comes again or the sweep finds the item, and the steps are done
// again.
import { isAtOrBelow } from '../dns/names/name.ts';
import { readable } from '../ledger/skip-unreadable.ts';
import { formatRef, isOfConfiguration, isZone, keyOf, type ObjectRef, type ZoneKey } from '../objects/object-ref.ts';
import { type HintedObject, hintedObjects, spreadWideHints, stillAsks } from '../observe/expand-hints.ts';
import { noteKinds } from '../observe/kinds-noted.ts';
import { membersPartition, namedCodec } from '../observe/name-index.ts';
import { type ObjectItem, objectCodec, objectKey } from '../observe/object-item.ts';
import { asNoted, type Observed, observe } from '../observe/observe-object.ts';
import { byRole } from '../observe/related/hints-by-role.ts';
import { observeRelated } from '../observe/related/observe-related.ts';
import { freshRelated } from '../observe/related/read-related.ts';
import { areUnchanged, KEPT_FROM_NAMES, keepObjects } from '../observe/save-object.ts';
import type { Context } from '../ports/context.ts';
import { inParallel } from '../ports/in-parallel.ts';
import { type Cause, earliest, type Hint } from '../ports/queues.ts';
import { type ReportList, reportList } from '../ports/report-list.ts';
import type { HostedZoneName } from '../record-sets/hosted-zone-item.ts';
import { readableHostedZones } from '../record-sets/list-hosted-zones.ts';
import { noteMembersTask, readSubtreeTasks, taskBudget } from './subtree-tasks.ts';
import { updateName } from './update-name.ts';
import { updateZones } from './update-zones.ts';

/**
 * How many objects are observed, or names updated, at once: as many as a batch has. What they ask the ledger for at the
 * same moment shares requests (lib/adapters/ledger/sent-together.ts): at 64, a burst takes three times as many.
 */
const AT_ONCE = 1_000;
/** How often the names of large objects that change meanwhile are updated before the message is left to come back. */
const KEPT_ROUNDS_MAX = 5;
/** An object that could not be saved as settled is looked at again after so many seconds. */
const SETTLE_AGAIN_SECONDS = 1;
/**
 * Seconds until each repetition of the hint of a webhook, whose write may not be readable yet. The first repetition
 * only takes the way through the queue, since an API server stores most writes within milliseconds of the webhook's
 * answer. Their sum is more than the minute that an API server allows for a request: other webhooks, of 30 seconds
 * each, may delay the write until then.
 */
const REPEAT_SECONDS = [0, 1, 1, 1, 1, 1, 2, 4, 8, 16, 30];
/** How much of a subtree one run updates, well within a function's time. A hint continues with the rest. */
const SUBTREE_NAMES_MAX = 2_000;
const SUBTREE_MS_MAX = 30_000;
/** Up to so many objects are reported at once when the Zone that they name moved. For more, a task is noted. */
const MEMBERS_MAX = 100;

/**
 * Reconciles a batch of hints. Throws if anything is left undone: the hints are then redelivered. `subtreeNamesMax`:
 * about how many names of subtrees this run updates.
 */
export async function reconcile(
  context: Context,
  hints: readonly Hint[],
  subtreeNamesMax = SUBTREE_NAMES_MAX,
): Promise<void> {
  const budget = taskBudget(context.clock.nowMs() + SUBTREE_MS_MAX, subtreeNamesMax);
  const { own, related } = byRole(context, hints);
  await spreadWideHints(context, own);
  const early = new Set<Hint>();
  await inParallel(related, AT_ONCE, async ({ hint, kind }) => {
    const isStored = await observeRelated(context, kind, hint, (ref, query) => stillAsks(context, ref, query));
    if (!isStored) early.add(hint);
  });
  const objects = hintedObjects(own);
  if ([...objects.values()].some(({ ref }) => isOfConfiguration(ref))) await noteKinds(context);
  const look = { related: freshRelated(context), seenMs: context.clock.nowMs() };
  const observedObjects: (Pick<HintedObject, 'ref' | 'cause'> & { readonly note: Observed['noteSettled'] })[] = [];
  const names = new Map<string, TouchedName>();
  const reports = reportList();
  const zones: ZoneKey[] = [];
  const news = new Set<string>();
  const large: ObjectRef[] = [];
  let again = false;
  await inParallel(objects.values(), AT_ONCE, async ({ ref, cause, noted, repeats }) => {
    const observed =
      (noted === null ? null : await asNoted(context, ref, noted)) ?? (await observe(context, ref, look));
    if (observed?.news === true) news.add(formatRef(ref));
    if (observed === null) return;
    reports.add(ref, cause);
    if (observed.reportOnly === true) return;
    observedObjects.push({ ref, cause, note: observed.noteSettled });
    again ||= observed.again;
    if (isZone(ref)) zones.push(keyOf(ref));
    if (observed.names.length >= KEPT_FROM_NAMES) large.push(ref);
    const isRepeated = repeats && !observed.news;
    for (const name of observed.names) names.set(name, touchedBy(names.get(name), ref, cause, isRepeated));
  });
  const { apexMoved, isRefused } = await updateNames(context, names, { again, large }, reports);
  const moved = zones.length > 0 || apexMoved.size > 0 || isRefused;
  // A hint for a Zone may continue what another run left, even if the Zone itself is gone.
  const carriesOn = again || [...objects.values()].some(({ ref }) => isZone(ref));
  if (moved || (carriesOn && (await readSubtreeTasks(context)).length > 0)) {
    const cause = earliest([...objects.values()].map((object) => object.cause));
    for (const key of zones) await addMembers(context, key, (ref) => reports.add(ref, cause));
    const { reports: touched, left } = await updateZones(context, apexMoved, { budget, cause });
    for (const ref of touched) reports.add(ref, cause);
    if (left !== null) await context.queues.hint([{ ...left, ...cause }]);
  }
  // Reports are sent before the objects are settled: afterwards it is not known which objects a name that was given up
  // concerns.
  await reports.send(context.queues);
  await inParallel(observedObjects, AT_ONCE, async ({ ref, cause, note }) => {
    if (!(await note())) await context.queues.hint([{ ...ref, ...cause }], SETTLE_AGAIN_SECONDS);
  });
  for (const hint of await earlyHints(context, own, news)) early.add(hint);
  await repeatHints(context, early);
}

/**
 * A name with the namespaces of the objects that changed there, and the oldest event. `repeats`: only hints that repeat
 * others led to it, and nothing was news.
 */
type TouchedName = { readonly namespaces: ReadonlySet<string>; readonly cause: Cause; readonly repeats: boolean };

function touchedBy(
  before: TouchedName | undefined,
  { namespace }: ObjectRef,
  cause: Cause,
  repeats: boolean,
): TouchedName {
  if (before === undefined) return { namespaces: new Set([namespace]), cause, repeats };
  return {
    namespaces: new Set([...before.namespaces, namespace]),
    cause: earliest([before.cause, cause]),
    repeats: before.repeats && repeats,
  };
}

async function updateNames(
  context: Context,
  names: ReadonlyMap<string, TouchedName>,
  { again, large }: { readonly again: boolean; readonly large: readonly ObjectRef[] },
  reports: ReportList,
): Promise<{ readonly apexMoved: ReadonlySet<ZoneKey>; readonly isRefused: boolean }> {
  const apexMoved = new Set<ZoneKey>();
  let isRefused = false;
  // A run that died may have written to a hosted zone that no Zone uses any more.
  const hostedZones = again ? await hostedZonesKnown(context) : [];
  for (let round = 0; round < KEPT_ROUNDS_MAX; round += 1) {
    const kept = keepObjects(context, large);
    await inParallel(names, AT_ONCE, async ([name, { namespaces, cause, repeats }]) => {
      const alsoIn = hostedZones.filter(({ apex }) => isAtOrBelow(name, apex));
      const updated = await updateName(context, name, { namespaces, alsoIn, cause, again, repeats, kept });
      for (const ref of updated.objects) reports.add(ref, cause);
      if (updated.apexMoved !== null) apexMoved.add(updated.apexMoved);
      isRefused ||= updated.isRefused;
    });
    if (await areUnchanged(context, large, kept)) return { apexMoved, isRefused };
  }
  throw new Error(`Cannot update ${large.map(formatRef).join(', ')}: changed ${KEPT_ROUNDS_MAX} times meanwhile`);
}

async function hostedZonesKnown({ ledger, config, log }: Context): Promise<readonly HostedZoneName[]> {
  const items = await readableHostedZones(ledger, log);
  return items.filter(({ cluster }) => cluster === config.clusterId).map(({ id, name }) => ({ id, apex: name }));
}

/** Adds the objects that name this Zone: their reports change with the Zone, even while it is not live. */
export async function addMembers(context: Context, zone: ZoneKey, add: (ref: ObjectRef) => void): Promise<void> {
  const { ledger, config } = context;
  const { items, next } = await ledger.query(membersPartition(config.clusterId, zone), { limit: MEMBERS_MAX });
  for (const item of items) add(namedCodec.decode(item).ref);
  if (next !== null) await noteMembersTask(context, zone);
}

/**
 * The hints of a webhook whose write was not stored yet when the object was observed. The saved item decides, not
 * another reading: a write that was stored in between would be in that reading, and in no item. `news`: the objects
 * that were found to have changed.
 */
async function earlyHints(
  context: Context,
  hints: readonly Hint[],
  news: ReadonlySet<string>,
): Promise<readonly Hint[]> {
  const { ledger, config } = context;
  const early: Hint[] = [];
  for (const hint of hints) {
    const { oldVersion, namespace, name, kind } = hint;
    if (oldVersion === undefined || namespace === null || name === null || isLastAttempt(hint)) continue;
    const ref = { kind, namespace, name };
    const stored = await ledger.get(objectKey(config.clusterId, ref));
    const noted = stored === null ? null : readable(context, objectCodec, stored);
    const existing = noted?.deleted === true ? null : noted;
    if (!isNoted(hint, existing, news.has(formatRef(ref)))) early.push(hint);
  }
  return early;
}

function isLastAttempt({ attempt = 0 }: Hint): boolean {
  return REPEAT_SECONDS[attempt] === undefined;
}

/** Sends hints again, each after its pause. */
async function repeatHints({ queues }: Context, hints: Iterable<Hint>): Promise<void> {
  for (const hint of hints) {
    const { attempt = 0 } = hint;
    const seconds = REPEAT_SECONDS[attempt];
    if (seconds !== undefined) await queues.hint([{ ...hint, attempt: attempt + 1 }], seconds);
  }
}

/**
 * True if the saved state of an object may be the result of a webhook's write. A new version proves nothing: it may be
 * a write of a status, by us too.
 */
function isNoted({ oldVersion, awaited }: Hint, noted: ObjectItem | null, isNews: boolean): boolean {
  if (oldVersion === '') return noted !== null;
  if (noted === null) return true;
  if (awaited === undefined) return isNews && noted.version !== oldVersion;
  if (noted.uid !== awaited.uid) return true;
  return awaited.generation !== null && (noted.generation ?? 0) >= awaited.generation;
}
