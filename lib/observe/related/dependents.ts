// Finds the dependents of a related object that has changed, by point reads and short queries, and sends hints for them
// in pages. A dependent gets at most one hint every few seconds: a rolling restart changes the EndpointSlices of a
// Service hundreds of times, and the Service is looked at a few times.

import { swap } from '../../ledger/compare-and-swap.ts';
import { readable } from '../../ledger/skip-unreadable.ts';
import { formatRef, type ObjectRef } from '../../objects/object-ref.ts';
import { queryText, type RelatedQuery } from '../../objects/related.ts';
import { settingsOf } from '../../objects/source.ts';
import type { Context } from '../../ports/context.ts';
import { inParallel } from '../../ports/in-parallel.ts';
import type { LedgerItem } from '../../ports/ledger.ts';
import type { Cause } from '../../ports/queues.ts';
import {
  askersOf,
  type DependentItem,
  dependentCodec,
  dependentKey,
  recheckCodec,
  recheckKey,
} from './related-items.ts';

/** A dependent is looked at immediately, and the next time after this pause at the earliest. */
const QUIET_MS = 5_000;
/** A hint that is due within this time may have been sent: the clocks of two functions may differ by so much. */
const SKEW_MS = 5_000;
/** How many dependents get hints in one run. A hint continues with the rest. */
const DEPENDENTS_A_STEP = 100;
const WRITES_AT_ONCE = 16;
/** After this time the run that noted a dependent has ended, so an unneeded note may be removed. */
const FORGOTTEN_MS = 3_600_000;

/** Which dependents have hints: all of the queries before `query`, and of that one those through `after`. */
export type DependentsCursor = { readonly query: number; readonly after: string | null };

/** What sending hints needs. */
export type Hinting = Pick<Context, 'ledger' | 'config' | 'clock' | 'queues' | 'log' | 'sources'>;

/** Notes the queries of an object, before it reads the answers. */
export async function noteDependent(
  { ledger, config, clock }: Pick<Context, 'ledger' | 'config' | 'clock'>,
  ref: ObjectRef,
  queries: readonly RelatedQuery[],
): Promise<void> {
  await inParallel(queries, WRITES_AT_ONCE, async (query) => {
    const note = () => ({ ref, query, atMs: clock.nowMs() });
    await swap(ledger, dependentKey(config.clusterId, query, ref), dependentCodec, note);
  });
}

/** True if any object has asked one of these queries. */
export async function hasDependents(
  { ledger, config }: Pick<Context, 'ledger' | 'config'>,
  queries: readonly RelatedQuery[],
): Promise<boolean> {
  const pages = await Promise.all(
    queries.map((query) => {
      const { partition, sort } = askersOf(config.clusterId, query);
      return ledger.query(partition, { prefix: sort, limit: 1 });
    }),
  );
  return pages.some(({ items }) => items.length > 0);
}

export type HintOptions = {
  readonly from: DependentsCursor | null;
  readonly cause: Cause;
  /** An earlier run may have died before it sent all hints, so each dependent gets one again. */
  readonly again: boolean;
  /** True: nothing has changed, and the hints are sent only because of `again`. */
  readonly repeats?: boolean;
  /** Whether the item of an object still has this query. */
  readonly stillAsks: (ref: ObjectRef, query: RelatedQuery) => Promise<boolean>;
};

/** Hints at one page of the objects that asked these queries. Returns where to continue; null: all have hints. */
export async function hintDependents(
  ports: Hinting,
  queries: readonly RelatedQuery[],
  options: HintOptions,
): Promise<DependentsCursor | null> {
  const { ledger, config } = ports;
  const found: LedgerItem[] = [];
  let { query: index, after } = options.from ?? { query: 0, after: null };
  for (let query = queries[index]; query !== undefined; query = queries[index]) {
    const { partition, sort } = askersOf(config.clusterId, query);
    const limit = DEPENDENTS_A_STEP - found.length;
    if (limit <= 0) break;
    const page = await ledger.query(partition, { prefix: sort, limit, ...(after === null ? {} : { after }) });
    found.push(...page.items);
    after = page.next;
    if (after === null) index += 1;
  }
  // An object notes what it found by label also by name, so it may be found more than once.
  const notes = found.flatMap((stored) => {
    const dependent = readable(ports, dependentCodec, stored);
    return dependent === null ? [] : [{ ...dependent, stored }];
  });
  const byObject = Map.groupBy(notes, ({ ref }) => formatRef(ref));
  await inParallel(byObject.values(), WRITES_AT_ONCE, (ofOne) => hintOne(ports, ofOne, options));
  return index >= queries.length ? null : { query: index, after };
}

/** For how long changes around an object are collected, in milliseconds. */
function quietMsOf({ sources }: Hinting, { kind }: ObjectRef): number {
  const source = sources.find((one) => one.kind === kind);
  return source?.quietMs?.(settingsOf(source)) ?? QUIET_MS;
}

type Note = DependentItem & { readonly stored: LedgerItem };

/** Sends a hint for the object of these notes. Notes of queries that it does not ask any more are removed. */
async function hintOne(
  ports: Hinting,
  notes: readonly Note[],
  { cause, again, repeats, stillAsks }: HintOptions,
): Promise<void> {
  const { ledger, config, clock, queues, log } = ports;
  const asking: Note[] = [];
  for (const note of notes) {
    const isOver = isForgotten({ clock }, note.atMs) && !(await stillAsks(note.ref, note.query));
    if (isOver) await ledger.remove(note.stored, note.stored.revision);
    else asking.push(note);
  }
  const [first] = asking;
  if (first === undefined) return;
  const { ref } = first;
  const key = recheckKey(config.clusterId, ref);
  const existing = await ledger.get(key);
  const before = existing === null ? null : readable({ log }, recheckCodec, existing);
  const nowMs = clock.nowMs();
  if (!again && before !== null && before.dueMs > nowMs + SKEW_MS) return;
  const waitMs = again || before === null ? 0 : Math.max(0, before.dueMs + quietMsOf(ports, ref) - nowMs);
  const delaySeconds = Math.ceil(waitMs / 1_000);
  // The hint is sent first: if the run dies before it is noted, it is sent twice.
  await queues.hint([{ ...ref, ...cause, ...(repeats === true && { repeats }) }], delaySeconds);
  await ledger.put(key, recheckCodec.encode({ dueMs: nowMs + delaySeconds * 1_000 }), existing?.revision ?? null);
}

/** True if the run that noted something at `atMs` has ended long ago. */
export function isForgotten({ clock }: Pick<Context, 'clock'>, atMs: number): boolean {
  return clock.nowMs() - atMs > FORGOTTEN_MS;
}

export function isAmong(queries: readonly RelatedQuery[], query: RelatedQuery): boolean {
  const text = queryText(query);
  return queries.some((one) => queryText(one) === text);
}

/** Removes the recheck of an object that is gone. */
export async function forgetRecheck(
  { ledger, config }: Pick<Context, 'ledger' | 'config'>,
  ref: ObjectRef,
): Promise<void> {
  const existing = await ledger.get(recheckKey(config.clusterId, ref));
  if (existing !== null) await ledger.remove(existing, existing.revision);
}
