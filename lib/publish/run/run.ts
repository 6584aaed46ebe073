// One run of publish: its arguments, what it keeps in memory, and how it saves record set items. Every save is a
// compare-and-swap. If `reconcile()` has written the item meanwhile, the change is made again to the new item. If a run
// with a later lease has written it, nothing is saved: a run that was overtaken changes no item.
import type { Change } from '../../dns/plan-changes.ts';
import { type RecordSetKey, recordSetId } from '../../dns/record-set.ts';
import type { ExternalDnsRegistry } from '../../external-dns/ownership.ts';
import { type Historian, historian } from '../../history/historian.ts';
import type { Telling } from '../../history/told-changes.ts';
import type { Stored } from '../../ledger/item-codec.ts';
import type { Clock, Timer } from '../../ports/clock.ts';
import type { HistoryConfig } from '../../ports/config.ts';
import type { GuardLimits } from '../../ports/guard-limits.ts';
import type { HostedZones, Writers } from '../../ports/hosted-zones.ts';
import { inParallel } from '../../ports/in-parallel.ts';
import type { Ledger, LedgerWrite } from '../../ports/ledger.ts';
import type { Log } from '../../ports/log.ts';
import type { CauseKind, FollowedChange, Queues } from '../../ports/queues.ts';
import { type HostedZoneItem, isOfDnsRecords } from '../../record-sets/hosted-zone-item.ts';
import { type AbandonedLease, holdsLease, type Lease, type LeaseLimits } from '../../record-sets/lease.ts';
import type { RecordSetItem } from '../../record-sets/record-set-item.ts';
import { changeRecordSetItem, isUntouched } from '../../record-sets/store.ts';
import type { Moment } from '../../record-sets/transitions.ts';
import { deletionsWith, tally } from '../counts/deletions.ts';
import type { Agreed } from '../plan/agreed.ts';
import { dirtySinceMs, nameOf, noteName, type RunNames } from '../plan/names.ts';
import type { ChangeOutcome } from '../plan/outcome.ts';
import type { Forgets } from '../plan/plan-hosted-zone.ts';
import { newProgress, type Progress } from '../plan/progress.ts';

/** The longest pause before the next run for a write that was not found in Route 53 yet. The first is a second. */
const PATIENCE_SECONDS_MAX = 60;
/** Ledger writes of one batch at a time: four requests of DynamoDB, one transaction of SQLite. */
const WRITES_AT_ONCE = 100;

export type PublishDeps = {
  readonly ledger: Ledger;
  readonly hostedZones: HostedZones;
  readonly clock: Timer;
  readonly queues: Queues;
  readonly config: PublishConfig;
  /** True for a hosted zone in which nothing may be changed any more, as it is to be forgotten. Default: none is. */
  readonly leaves?: (hostedZone: HostedZoneItem) => boolean;
  /** An id that no other run has. */
  readonly newHolder: () => string;
  /** Finds the role that a record set is written with; default: none has a role of its own. */
  readonly writers?: Writers;
  readonly log: Log;
};

export type PublishConfig = {
  readonly guard: GuardLimits;
  readonly lease: LeaseLimits;
  /** How many names one run plans; it queues the next run for the rest. */
  readonly namesMax: number;
  /** Tries of a call that is throttled, and the first pause before the next; it doubles. */
  readonly throttleTriesMax: number;
  readonly throttlePauseMs: number;
  /** How long deletes wait for others (lib/publish/plan/deletes-that-wait.ts); 0 if the plan is complete. */
  readonly deletesQuietMs: number;
  /** Whose record sets may be taken over. */
  readonly externalDns: readonly ExternalDnsRegistry[];
  /** How long the history is kept. `via`: the cause of all that is published. */
  readonly history: Pick<HistoryConfig, 'days'> & { readonly via?: CauseKind };
  /** Whether each change is followed until resolvers answer it; absent: no. */
  readonly propagation?: boolean;
  /** The clusters of the configuration that are on standby; absent: none. */
  readonly standby?: readonly string[];
  /** Which view extends which other one; absent: none does. */
  readonly extendedViews?: Readonly<Record<string, string>>;
};

export type PublishOptions = {
  /** Milliseconds since the epoch after which no further batch is begun. */
  readonly stopAtMs?: number | null;
  /** Aborted when no further batch is to be begun. */
  readonly signal?: AbortSignal;
  /** Digests that somebody acknowledges for this run alone, besides the Zone's annotation. */
  readonly acknowledged?: readonly string[];
  /** What somebody agreed to destroy; absent: whatever is published otherwise or may be taken over. */
  readonly agreed?: Agreed;
  /** How many names this run plans, if fewer than the configuration says. */
  readonly namesMax?: number;
  /** The caller runs publish() again, after `retryAfterSeconds`: no message asks for it. */
  readonly callerRepeats?: true;
  /** A hosted zone that was full is tried again now, and not after a pause: somebody may have raised its quota. */
  readonly triesFull?: boolean;
  /** Publishes exactly these names, and reads `retryNames` of them again. Absent: all dirty names. */
  readonly names?: { readonly names: readonly string[]; readonly retryNames: ReadonlySet<string> };
  /** Forgets these record sets, if they are still published as they are here. */
  readonly forgets?: Forgets;
};

export type Run = {
  readonly deps: PublishDeps;
  readonly lease: Lease;
  readonly hostedZone: HostedZoneItem;
  readonly options: PublishOptions & { readonly acknowledged: readonly string[] };
  /** The lease of the run before, if that died or could not save all; else null. */
  readonly abandoned: AbandonedLease | null;
  /** Items by record set id, as last read or written. */
  readonly items: Map<string, Stored<RecordSetItem>>;
  readonly names: RunNames;
  readonly progress: Progress;
  readonly history: Historian;
  /** The accepted batches that are to be followed until the name servers of Route 53 have them. */
  readonly followed: FollowedChange[];
};

/** What a run needs to judge and save its items. A plan has no more: its ledger forgets what is written. */
export type ItemsOfRun = Pick<Run, 'lease' | 'hostedZone' | 'abandoned' | 'items' | 'names' | 'progress'> & {
  readonly history?: Historian;
  readonly deps: Pick<PublishDeps, 'ledger'> & {
    readonly clock: Clock;
    readonly config: Pick<PublishConfig, 'guard' | 'externalDns' | 'propagation' | 'standby'>;
  };
};

type Taken = Pick<Run, 'lease' | 'hostedZone' | 'abandoned'>;

export function newRun(deps: PublishDeps, { lease, hostedZone, abandoned }: Taken, options: PublishOptions): Run {
  const asked = { ...options, acknowledged: options.acknowledged ?? [] };
  const names: RunNames = new Map();
  return {
    deps,
    lease,
    hostedZone,
    options: asked,
    abandoned,
    items: new Map(),
    names,
    progress: newProgress(),
    followed: [],
    history: historian({ deps, lease, hostedZone, knownAt: (name) => nameOf(names, name) }),
  };
}

/** Runs `task` over all, a bounded number at once; throws the first failure when all that were begun have ended. */
export function eachOf<T>(all: Iterable<T>, task: (one: T) => Promise<unknown>): Promise<void> {
  return inParallel(all, WRITES_AT_ONCE, task);
}

/** The present moment, with the epoch of this run's lease. */
export function momentOf({ lease, deps, abandoned }: ItemsOfRun): Moment {
  return { epoch: lease.epoch, nowMs: deps.clock.nowMs(), follows: isFollowed({ lease, deps }), abandoned };
}

/** True if changes of this run are followed. A DNSRecord has no condition for that. */
export function isFollowed({ lease: { hostedZoneId }, deps }: Pick<ItemsOfRun, 'lease' | 'deps'>): boolean {
  return deps.config.propagation === true && !isOfDnsRecords(hostedZoneId);
}

export function itemOf({ items }: Pick<Run, 'items'>, key: RecordSetKey): RecordSetItem | null {
  return items.get(recordSetId(key))?.item ?? null;
}

/**
 * Writes one item under this run's lease. `change` gets the item as it is in the ledger. Returns false, writes nothing
 * and keeps the name dirty if `change` returns null, or if a run with another lease has written the item since this run
 * read it, even with the same content. `telling`: what the history must know besides the item.
 */
export async function saveItem(
  run: ItemsOfRun,
  key: RecordSetKey,
  change: (item: RecordSetItem) => RecordSetItem | null,
  telling: Telling = {},
): Promise<boolean> {
  const id = recordSetId(key);
  const stored = run.items.get(id);
  if (stored === undefined) return false;
  const begun = stored.item;
  let before = begun;
  let beside: readonly LedgerWrite[] = [];
  const unlessOvertaken = (item: RecordSetItem) => {
    const overtaken = item !== begun && !isUntouched(begun, item);
    before = item;
    const changed = overtaken ? null : change(item);
    if (changed === null) return null;
    const told = run.history?.tell(item, changed, telling);
    beside = told?.beside ?? [];
    return { ...(told?.item ?? changed), epoch: run.lease.epoch };
  };
  // Without an intent of ours in it, the item does not show whether it was removed and made again meanwhile. So the
  // lease is read.
  const mayGoOn = async () => begun.intent !== null || holdsLease(run.deps.ledger, run.lease);
  const { hostedZoneId } = run.lease;
  const options = { mayGoOn, optionsOf: () => ({ beside }) };
  const written = await changeRecordSetItem(run.deps.ledger, hostedZoneId, key, stored, unlessOvertaken, options);
  if (written === null) {
    noteName(run.names, key.name, { stays: true });
    // What the other run saved is not in the counts of this run yet, and the guard must know of it.
    count(run, begun, before);
    return false;
  }
  run.items.set(id, written);
  count(run, before, written.item);
  return true;
}

function count({ progress, deps, abandoned }: ItemsOfRun, was: RecordSetItem, is: RecordSetItem): void {
  for (const one of tally(deps.config.guard, was, is, { abandoned, nowMs: deps.clock.nowMs() })) progress.addTally(one);
}

/** The guard's numbers of the hosted zone, with what this run adds: the deletions are those of the last hour. */
export function countsNow({ hostedZone, progress, deps }: ItemsOfRun) {
  return {
    publishedCount: Math.max(0, hostedZone.publishedCount + progress.tallies.published),
    deletions: deletionsWith(progress.tallies, hostedZone, deps.clock.nowMs()),
  };
}

/** The pause in seconds before the next try: a tenth of the time that the names have waited, from 1 to 60. */
export function patienceSeconds(run: Run, waiting: readonly Pick<Change, 'name'>[]): number {
  const nowMs = run.deps.clock.nowMs();
  const sinceMs = Math.min(nowMs, ...waiting.map(({ name }) => dirtySinceMs(nameOf(run.names, name)) ?? nowMs));
  return Math.min(PATIENCE_SECONDS_MAX, Math.max(1, Math.ceil((nowMs - sinceMs) / 10_000)));
}

/** Notes the outcome of changes. After `failed` the dirty mark of the name stays. */
export function noteOutcome(
  run: Run,
  changes: readonly Change[],
  outcome: ChangeOutcome['outcome'],
  message: string,
  isNews: (change: Change) => boolean = () => false,
): void {
  for (const change of changes) {
    run.progress.outcomes.push({ change, outcome, message, isNews: isNews(change), atMs: run.deps.clock.nowMs() });
    if (outcome === 'failed') noteName(run.names, change.name, { stays: true });
    else noteKnown(run, change);
  }
}

export function isUnrefused(run: Run, key: RecordSetKey): boolean {
  const item = itemOf(run, key);
  return item === null || (item.refusal === null && (item.refused?.times ?? 0) === 0);
}

/** Notes the changes that will be applied. They have no outcome yet. */
export function notePlanned({ names }: Run, changes: readonly Change[]): void {
  for (const [name, ofName] of Map.groupBy(changes, (change) => change.name)) {
    const open = nameOf(names, name).open.union(new Set(ofName.map(recordSetId)));
    noteName(names, name, { open });
  }
}

function noteKnown({ names }: Run, change: Change): void {
  const { open } = nameOf(names, change.name);
  const id = recordSetId(change);
  if (open.has(id)) noteName(names, change.name, { open: open.difference(new Set([id])) });
}
