// What a run of publish writes into the history: an entry beside each item whose change tells one, and the item of a
// batch at the moment of its write intents. Neither costs a request of its own.
import { PUBLIC, viewOf } from '../dns/names/view.ts';
import { type RecordSet, type RecordSetKey, recordSetId } from '../dns/record-set.ts';
import type { Clock } from '../ports/clock.ts';
import { type HistoryConfig, historyEndMs } from '../ports/config.ts';
import type { Ledger, LedgerWrite } from '../ports/ledger.ts';
import { once } from '../ports/once.ts';
import type { Cause, CauseKind } from '../ports/queues.ts';
import type { HostedZoneItem } from '../record-sets/hosted-zone-item.ts';
import type { Lease } from '../record-sets/lease.ts';
import { type RecordSetItem, storedContent } from '../record-sets/record-set-item.ts';
import {
  batchCodec,
  batchKey,
  entryCodec,
  entryKey,
  type HistoryBatch,
  type HistoryEntry,
  type Stamp,
} from './history-item.ts';
import { type Telling, type Told, tellChange } from './told-changes.ts';

/** What writes the history of a run. */
export type Historian = {
  /** The stamp of a new batch. The number below it is free, for what was seen before. */
  newStamp(): Stamp;
  /** The item as it is to be saved, and what is written beside it. */
  tell(
    before: RecordSetItem,
    after: RecordSetItem,
    telling: Telling,
  ): { readonly item: RecordSetItem; readonly beside: readonly LedgerWrite[] };
  /** What is written beside the hosted zone's item when the guard holds other deletes than before (null: none). */
  tellHold(
    held: HostedZoneItem['held'],
    of: { readonly objects: readonly string[]; readonly names: readonly string[]; readonly released: boolean },
  ): readonly LedgerWrite[];
  /** Writes the item of a batch: which record sets it may change. */
  noteBatch(stamp: Stamp, sets: readonly RecordSetKey[]): Promise<void>;
};

type Writing = {
  /** When the run began. */
  readonly begunMs: number;
  readonly deps: {
    readonly ledger: Ledger;
    readonly clock: Clock;
    readonly config: { readonly history: Pick<HistoryConfig, 'days'> & { readonly via?: CauseKind } };
  };
  readonly lease: Pick<Lease, 'hostedZoneId' | 'epoch'>;
  /** How many batches come before the first; default: none. */
  readonly batches?: number;
  readonly hostedZone: HostedZoneItem;
  /** The event behind a change at a name, if the name is dirty, and the digest that released deletes there. */
  readonly knownAt: (name: string) => {
    readonly cause: (Cause & { readonly sinceMs: number }) | null;
    readonly releasedBy: string | null;
  };
};

export function historian(given: Omit<Writing, 'begunMs'>): Historian {
  const run = { ...given, begunMs: given.deps.clock.nowMs() };
  let batches = given.batches ?? 0;
  const isOff = run.deps.config.history.days === 0;
  const newStamp = () => {
    batches += 2;
    return { atMs: run.deps.clock.nowMs(), epoch: run.lease.epoch, batch: batches - 1 };
  };
  return {
    newStamp,
    tell: (before, after, telling) => {
      if (isOff) return { item: after, beside: [] };
      const { item, told } = tellChange(before, after, telling);
      return { item, beside: told.length === 0 ? [] : writesOf(run, newStamp, { before, item, told, telling }) };
    },
    tellHold: (held, { objects, names, released }) => {
      // What was released has entries of its own.
      if (isOff || (held === null && released)) return [];
      const { name, zone, held: before } = run.hostedZone;
      const { atMs, epoch, batch } = newStamp();
      const first = names.find((one) => run.knownAt(one).cause !== null) ?? name;
      const entry = {
        ...{ name, type: null, setIdentifier: null, before: null, after: null, zone },
        action: held === null ? ('cleared' as const) : ('held' as const),
        objects: [...new Set(objects)].toSorted().slice(0, HELD_OBJECTS_MAX),
        cause: { ...causeAt(run, first, false), digest: (held ?? before)?.digest ?? null },
        message: held?.reasons.join(' ') ?? '',
      };
      const set = { name, type: '', setIdentifier: null };
      return [entryWrite(run, { atMs, epoch, batch }, entry, null), batchWrite(run, { atMs, epoch, batch }, [set])];
    },
    noteBatch: async (stamp, sets) => {
      if (isOff || sets.length === 0) return;
      const { key, body, expiresAtMs } = batchWrite(run, stamp, sets);
      await run.deps.ledger.put(key, body, null, expiresAtMs === undefined ? {} : { expiresAtMs });
    },
  };
}

/** Of so many objects the entry of a hold has the names; its message has the number of deletes. */
const HELD_OBJECTS_MAX = 1_000;

type Change = {
  readonly before: RecordSetItem;
  readonly item: RecordSetItem;
  readonly told: readonly Told[];
  readonly telling: Telling;
};

function writesOf(run: Writing, newStamp: () => Stamp, { before, item, told, telling }: Change): LedgerWrite[] {
  const stamps = stampsOf(newStamp, before);
  const changeId = telling.accepted?.changeId ?? null;
  const zone = item.formerZone ?? item.zone;
  const writes = told.map(({ stamp, message = '', ...one }) => {
    const { user, ...cause } = causeAt(run, one.name, stamp === 'of intent' && one.before !== null);
    // Whoever is known there has changed it by hand, and has not restored it.
    const entry = { ...one, zone, cause: { ...cause, user: one.action === 'restore' ? null : user }, message };
    return entryWrite(run, stamps[stamp](), entry, stamp === 'before intent' ? null : changeId);
  });
  // The item of the intent's batch was written with the intent.
  const unnoted = told.filter(({ stamp }) => stamp !== 'of intent' || before.intent?.batch === undefined);
  for (const [stamp, all] of Map.groupBy(unnoted, (one) => one.stamp))
    writes.push(batchWrite(run, stamps[stamp](), all));
  // The second of two batches has no intent of its own.
  const next = item.intent;
  if (next?.batch !== undefined && telling.accepted !== undefined && next.batch !== before.intent?.batch)
    writes.push(batchWrite(run, { ...next, batch: next.batch }, [item]));
  return writes;
}

/** The stamps of the entries of one write. */
function stampsOf(newStamp: () => Stamp, { intent }: RecordSetItem): Readonly<Record<Told['stamp'], () => Stamp>> {
  const own = once(newStamp);
  if (intent?.batch === undefined) return { 'of intent': own, 'before intent': once(newStamp), own };
  const { atMs, epoch, batch } = intent;
  return {
    'of intent': () => ({ atMs, epoch, batch }),
    'before intent': () => ({ atMs, epoch, batch: batch - 1 }),
    own,
  };
}

type Entry = Pick<HistoryEntry, 'name' | 'type' | 'setIdentifier' | 'action' | 'zone' | 'cause' | 'message'> &
  Pick<Told, 'before' | 'after' | 'objects'>;

function entryWrite(
  { deps, lease, hostedZone }: Writing,
  { atMs, epoch, batch }: Stamp,
  { before, after, objects, ...of }: Entry,
  changeId: string | null,
): LedgerWrite {
  const entry: HistoryEntry = {
    ...{ atMs, epoch, batch },
    ...of,
    before: storedContent(before),
    after: storedContent(after),
    objects: [...objects],
    cluster: hostedZone.cluster,
    view: viewOf(hostedZone.name) !== PUBLIC ? viewOf(hostedZone.name) : hostedZone.isPrivate ? 'private' : PUBLIC,
    hostedZoneName: hostedZone.name,
    changeId,
  };
  const key = entryKey(lease.hostedZoneId, { atMs, epoch, batch }, of);
  return { key, body: entryCodec.encode(entry), expiresAtMs: historyEndMs(deps.config.history, atMs) };
}

/** Why a name is published. `isReleased`: a person may have acknowledged it. */
function causeAt({ deps, knownAt, begunMs }: Writing, name: string, isReleased: boolean): HistoryEntry['cause'] {
  const { cause, releasedBy } = knownAt(name);
  const digest = isReleased ? releasedBy : null;
  const { via } = deps.config.history;
  if (via !== undefined) return { kind: via, atMs: begunMs, user: null, digest };
  const atMs = cause?.atMs ?? cause?.sinceMs ?? null;
  return { kind: cause?.via ?? 'schedule', atMs, user: cause?.user ?? null, digest };
}

function batchWrite(
  { deps, lease }: Writing,
  { atMs, epoch, batch }: Stamp,
  all: readonly RecordSetKey[],
): LedgerWrite {
  const byId = new Map(all.map((set) => [recordSetId(set), set]));
  const sets = [...byId.values()].map(({ name, type, setIdentifier }): HistoryBatch['sets'][number] => {
    return [name, type, setIdentifier];
  });
  const stamp = { atMs, epoch, batch };
  const body = batchCodec.encode({ ...stamp, sets });
  return { key: batchKey(lease.hostedZoneId, stamp), body, expiresAtMs: historyEndMs(deps.config.history, atMs) };
}

/** Record sets as a write intent has them. */
export function storedSets(sets: readonly RecordSet[]): NonNullable<NonNullable<RecordSetItem['intent']>['also']> {
  return sets.flatMap(({ name, type, setIdentifier, content }) => {
    const stored = storedContent(content);
    return stored === null ? [] : [{ name, type, setIdentifier, content: stored }];
  });
}
