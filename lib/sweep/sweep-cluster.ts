// The sweep: the full comparison that trusts no hint and no hash, in pieces. It goes through the cluster's objects, the
// Zones, the names and the hosted zones, one page at a time, and saves its position in the ledger.
// A function works on it for as long as it may, and the next one continues. A piece may be done twice, and has no more
// than a page in memory.

import { markInherited } from '../directory/inherited-names.ts';
import { tidyHealthChecks } from '../health-checks/tidy-health-checks.ts';
import { forgetHistory } from '../history/forget-history.ts';
import { whereReadable } from '../ledger/skip-unreadable.ts';
import { isAccountRefusal, refusalIn } from '../objects/account-refusal.ts';
import { ZONE_KIND } from '../objects/kind.ts';
import { isZone, type ObjectKind, zoneOfKey } from '../objects/object-ref.ts';
import { errorMessage } from '../objects/plain.ts';
import { type Compared, compareObjects } from '../observe/diff-objects.ts';
import { kindsEverRead } from '../observe/kinds-noted.ts';
import type { Context } from '../ports/context.ts';
import type { Hint } from '../ports/queues.ts';
import { dirtyPartition } from '../record-sets/dirty-mark.ts';
import type { HostedZoneItem } from '../record-sets/hosted-zone-item.ts';
import { changeHostedZone } from '../record-sets/lease.ts';
import { hostedZonesOf, isUsable } from '../record-sets/list-hosted-zones.ts';
import { reconcile } from '../resolve/reconcile-hints.ts';
import { taskBudget } from '../resolve/subtree-tasks.ts';
import { updateZones } from '../resolve/update-zones.ts';
import { noteSweep, readSweepNotes } from './last-swept.ts';
import { type HostedZonePage, readSweep, type SweepPosition, type SweepState, writeSweep } from './sweep-cursor.ts';
import { compareHostedZone, FOUND_NOTHING, type HostedZoneSweep } from './sweep-hosted-zone.ts';
import { sweepNames } from './sweep-names.ts';
import { stillUnsettled, withHinted } from './unsettled-objects.ts';

/** The most hints of one sweep: if they are not handled, each sweep sends the same ones again. */
const HINTS_MAX = 100_000;
/** How many names of subtrees a piece updates, for tasks that were left. */
const SUBTREE_NAMES_A_PIECE = 1_000;
/** The least time that a piece works on subtrees. Without it, a piece that begins late would never finish a task. */
const SUBTREE_MS_MIN = 1_000;
/** After so many failures of one page, the sweep continues with the next kind or hosted zone. */
const FAILURES_MAX = 2;

export type SweepProgress = {
  /** The sweep is complete. Otherwise another call continues. */
  readonly whole: boolean;
  /** When the sweep began, which may be long before this call; milliseconds since the epoch. */
  readonly beganMs: number;
  /** An earlier call began the sweep. */
  readonly carriedOn: boolean;
};

export type SweepOptions = {
  /** Called for every hosted zone whose comparison is complete. */
  readonly onHostedZone?: (hostedZoneId: string, sweep: HostedZoneSweep) => void;
  /** The id of a sweep that begins now; calls that continue it keep the id. Default: the time at which it begins. */
  readonly sweepId?: string;
  /** The version of the context's configuration. A sweep that began with another one begins again. */
  readonly configuration?: string;
  /** How many clusters are swept in the same invocations: they share what a sweep may cost. Default 1. */
  readonly clusters?: number;
};

/**
 * Sweeps until `untilMs` (milliseconds since the epoch, by the context's clock), at least one piece. Throws the error
 * of a piece; earlier pieces remain done.
 */
export async function sweepPiece(
  context: Context,
  untilMs: number,
  options: SweepOptions = {},
): Promise<SweepProgress> {
  const { onHostedZone = () => {}, configuration, clusters = 1 } = options;
  const stored = await readSweep(context);
  const carriedOn =
    stored.state !== null && stored.state.at.phase !== 'done' && stored.state.configuration === configuration;
  let state = carriedOn ? stored.state : newSweep(context, stored.state, options);
  let { revision } = stored;
  let failure: Piece['failure'];
  do {
    const piece = await onePiece(context, state, { untilMs, clusters });
    state = { ...state, ...piece.next };
    revision = await writeSweep(context, state, revision);
    if (revision === null) {
      context.log('info', 'another run has gone on with the sweep', { sweepId: state.sweepId });
      return { whole: false, beganMs: state.beganMs, carriedOn };
    }
    if (piece.swept !== undefined) onHostedZone(piece.swept.hostedZoneId, piece.swept);
    failure = piece.failure ?? failure;
  } while (state.at.phase !== 'done' && failure?.stops !== true && context.clock.nowMs() < untilMs);
  if (failure !== undefined) throw failure.error;
  return { whole: state.at.phase === 'done', beganMs: state.beganMs, carriedOn };
}

function newSweep({ clock }: Context, before: SweepState | null, { sweepId, configuration }: SweepOptions): SweepState {
  const beganMs = clock.nowMs();
  const at = objectsBegin(ZONE_KIND.kind);
  return {
    ...{ sweepId: sweepId ?? `${beganMs}`, beganMs, at, hinted: 0, failedKinds: [], names: before?.names ?? null },
    unsettled: stillUnsettled(before),
    ...(configuration === undefined ? {} : { configuration }),
  };
}

function objectsBegin(kind: ObjectKind, ofNew: At<'objects'>['ofNew'] = 'note'): At<'objects'> {
  return { phase: 'objects', kind, token: null, after: null, ofNew, failures: 0 };
}

type Piece = {
  readonly next: Partial<SweepState> & Pick<SweepState, 'at'>;
  readonly swept?: HostedZoneSweep & { readonly hostedZoneId: string };
  /** The error to throw in the end. `stops`: it is thrown as soon as the state is written. */
  readonly failure?: { readonly error: unknown; readonly stops: boolean };
};

async function onePiece(
  context: Context,
  state: SweepState,
  { untilMs, clusters }: { readonly untilMs: number; readonly clusters: number },
): Promise<Piece> {
  const { at } = state;
  switch (at.phase) {
    case 'objects':
      return objectsPiece(context, state, at);
    case 'zones':
      return zonesPiece(context, untilMs);
    case 'names':
      return namesPiece(context, state, at, clusters);
    case 'hosted zones':
      return hostedZonePiece(context, state, at);
    case 'done':
      return { next: { at } };
    default:
      return at satisfies never;
  }
}

const HOSTED_ZONES_BEGIN: SweepPosition = { phase: 'hosted zones', after: null, page: null, failed: [] };

type At<Phase extends SweepPosition['phase']> = Extract<SweepPosition, { phase: Phase }>;

async function objectsPiece(context: Context, state: SweepState, at: At<'objects'>): Promise<Piece> {
  // Kinds of sources that are switched off now are included, so that their items are removed.
  const { own: kinds } = await kindsEverRead(context.ledger, context.config.clusterId, context.sources);
  const { kind, ofNew } = at;
  const following = kinds[kinds.indexOf(kind) + 1];
  const then: SweepPosition = following === undefined ? { phase: 'zones' } : objectsBegin(following);
  const compared = await compareKind(context, at);
  if ('error' in compared) return failedKind(context, state, at, then, compared.error);
  const { hints, known, reports, next } = compared;
  const sent = hints.slice(0, Math.max(0, HINTS_MAX - state.hinted));
  if (sent.length < hints.length)
    context.log('warn', 'more objects differ than one sweep has looked at', { kind, left: hints.length - sent.length });
  if (sent.length > 0) await send(context, kind, sent);
  if (reports.length > 0) await context.queues.report(reports);
  const done = { hinted: state.hinted + sent.length, unsettled: withHinted(state, sent, known) };
  const goOn = compared.notedNew ? 'note all' : ofNew;
  if (next !== null) return { next: { ...done, at: { phase: 'objects', kind, ofNew: goOn, failures: 0, ...next } } };
  // Objects that were saved as listed may have been deleted before that. So the kind is listed once more, and objects
  // that are listed again need not be read.
  if (goOn === 'note all') return { next: { ...done, at: objectsBegin(kind, 'noted') } };
  return { next: { ...done, at: then } };
}

async function compareKind(
  context: Context,
  { kind, token, after, ofNew }: At<'objects'>,
): Promise<Compared | { readonly error: unknown }> {
  try {
    return await compareObjects(context, { kind, namespace: null }, { token, after }, ofNew);
  } catch (error) {
    return { error };
  }
}

/** Reads the same page again; after some failures the next kind, so that an unlistable one delays nothing else. */
function failedKind(
  { log }: Context,
  { failedKinds }: SweepState,
  page: At<'objects'>,
  then: SweepPosition,
  error: unknown,
): Piece {
  const failures = page.failures + 1;
  if (failures < FAILURES_MAX) return { next: { at: { ...page, failures } }, failure: { error, stops: true } };
  log('error', 'the objects of a kind could not be compared and are left out of this sweep', { kind: page.kind });
  return { next: { failedKinds: [...failedKinds, page.kind], at: then }, failure: { error, stops: false } };
}

/**
 * Sends hints to the queue. The few hints for Zones are reconciled here, before all others: otherwise the objects of a
 * new cluster would first be reported as covered by no Zone, each with an Event. If that fails, they go to the queue,
 * and delay nothing else.
 */
async function send(context: Context, kind: ObjectKind, hints: readonly Hint[]): Promise<void> {
  if (isZone({ kind })) {
    try {
      return await reconcile(context, hints);
    } catch (error) {
      context.log('warn', 'Zones could not be reconciled by the sweep', { zones: hints.length, reason: String(error) });
    }
  }
  await context.queues.hint(hints);
}

/** Resolves the directory again, finds or creates hosted zones, and continues subtree tasks that were left. */
async function zonesPiece(context: Context, untilMs: number): Promise<Piece> {
  const budget = taskBudget(Math.max(untilMs, context.clock.nowMs() + SUBTREE_MS_MIN), SUBTREE_NAMES_A_PIECE);
  const { reports, left } = await updateZones(context, new Set(), { budget });
  if (reports.length > 0) await context.queues.report(reports);
  return { next: { at: left === null ? { phase: 'names', cost: 0 } : { phase: 'zones' } } };
}

/** Does the same piece again; after some failures without what fails in it, so that one item delays nothing else. */
async function namesPiece(context: Context, state: SweepState, at: At<'names'>, clusters: number): Promise<Piece> {
  const then = ({ cursor, cost, ended }: Awaited<ReturnType<typeof sweepNames>>): Piece['next'] => {
    return { names: cursor, at: ended ? HOSTED_ZONES_BEGIN : { phase: 'names', cost } };
  };
  try {
    return { next: then(await sweepNames(context, state.names, at.cost, { clusters })) };
  } catch (error) {
    const failures = (at.failures ?? 0) + 1;
    if (failures < FAILURES_MAX) return { next: { at: { ...at, failures } }, failure: { error, stops: true } };
    const rest = then(await sweepNames(context, state.names, at.cost, { clusters, leavesOut: true }));
    return { next: { ...rest, failedKinds: [...state.failedKinds, 'names'] }, failure: { error, stops: false } };
  }
}

async function hostedZonePiece(context: Context, state: SweepState, at: At<'hosted zones'>): Promise<Piece> {
  const hostedZone = await hostedZoneAfter(context, at.after, at.page !== null);
  if (hostedZone === null) {
    await sayLeftOut(context);
    const { hostedZones } = context.account;
    for (const id of await tidyHealthChecks({ ...context, hostedZones })) await context.queues.publish(id);
    await noteWhole(context, state);
    return { next: { at: { phase: 'done' } } };
  }
  const { id } = hostedZone;
  const begun = at.after === id ? at.page : null;
  const page: HostedZonePage = begun ?? {
    from: null,
    after: null,
    found: FOUND_NOTHING,
    beganMs: context.clock.nowMs(),
    failures: 0,
  };
  const outcome = await comparePage(context, id, page);
  if ('error' in outcome) return await failedPiece(context, at, hostedZone, page, outcome.error);
  const { next, found, gone } = outcome;
  if (next !== null) return { next: { at: { ...at, after: id, page: { ...page, ...next, found, failures: 0 } } } };
  await noteSweep(context.ledger, context.config.clusterId, { hostedZoneId: id, beganMs: page.beganMs, whole: false });
  await forgetHistory(context, id);
  await whereReadable(context, () => markInherited(context, hostedZone));
  await noteRefusal(context, hostedZone, null);
  await wakeIfDirty(context, id);
  return { next: { at: { ...at, after: id, page: null } }, swept: { hostedZoneId: id, ...found, gone, whole: true } };
}

/** Queues the hosted zone if a name is dirty there: the message to publish may have been lost. */
async function wakeIfDirty({ ledger, queues }: Context, id: string): Promise<void> {
  const dirty = await ledger.query(dirtyPartition(id), { limit: 1 });
  if (dirty.items.length > 0) await queues.publish(id);
}

async function comparePage(
  context: Context,
  id: string,
  page: HostedZonePage,
): Promise<Awaited<ReturnType<typeof compareHostedZone>> | { readonly error: unknown }> {
  try {
    return await compareHostedZone(context, id, page, { retryRefused: true });
  } catch (error) {
    return { error };
  }
}

/**
 * Reads the same page again; after some failures the next hosted zone, so that an unreadable one delays no other. What
 * is dirty in the unreadable one is published all the same, as this needs no listing. One in an account that refuses us
 * is left at once, and its Zone says so.
 */
async function failedPiece(
  context: Context,
  at: At<'hosted zones'>,
  hostedZone: HostedZoneItem,
  page: HostedZonePage,
  error: unknown,
): Promise<Piece> {
  const { id } = hostedZone;
  const failures = page.failures + 1;
  const refusal = refusalIn(errorMessage(error));
  await noteRefusal(context, hostedZone, refusal);
  if (refusal === null && failures < FAILURES_MAX)
    return { next: { at: { ...at, after: id, page: { ...page, failures } } }, failure: { error, stops: true } };
  context.log('error', 'a hosted zone could not be compared and is left out of this sweep', { hostedZoneId: id });
  await wakeIfDirty(context, id);
  return {
    next: { at: { ...at, after: id, page: null, failed: [...at.failed, id] } },
    failure: { error, stops: false },
  };
}

/** Notes that the account of a hosted zone refuses us; null: it does not any more. A change is reported to its Zone. */
async function noteRefusal(
  { ledger, queues }: Context,
  { id, zone, denied }: HostedZoneItem,
  refusal: string | null,
): Promise<void> {
  if (denied === refusal || (refusal === null && !isAccountRefusal(denied ?? ''))) return;
  await changeHostedZone(ledger, id, (item) => (item === null ? null : { ...item, denied: refusal }));
  if (zone !== '') await queues.report([zoneOfKey(zone)]);
}

/** The hosted zone of the cluster that follows `id`. With `same`, that one itself if it is still there. */
async function hostedZoneAfter(context: Context, id: string | null, same: boolean): Promise<HostedZoneItem | null> {
  for (const item of await hostedZonesOf(context.ledger, context.config.clusterId, context.log)) {
    if (!isUsable(context, item.id)) continue;
    if (id === null || item.id > id || (same && item.id === id)) return item;
  }
  return null;
}

async function sayLeftOut(context: Context): Promise<void> {
  const all = await hostedZonesOf(context.ledger, context.config.clusterId, context.log);
  const hostedZoneIds = all.flatMap(({ id }) => (isUsable(context, id) ? [] : [id]));
  if (hostedZoneIds.length === 0) return;
  context.log('warn', 'hosted zones that the configuration does not list are left out', { hostedZoneIds });
}

/**
 * Notes the whole sweep for every hosted zone that was compared since it began, except those that failed. Without the
 * objects of a kind, it was no whole sweep.
 */
async function noteWhole(context: Context, { beganMs, at, failedKinds }: SweepState): Promise<void> {
  if (failedKinds.length > 0) return;
  const failed = new Set(at.phase === 'hosted zones' ? at.failed : []);
  for (const { hostedZoneId, begunMs } of await readSweepNotes(context.ledger, context.config.clusterId)) {
    if (begunMs < beganMs || failed.has(hostedZoneId)) continue;
    await noteSweep(context.ledger, context.config.clusterId, { hostedZoneId, beganMs, whole: true });
  }
}
