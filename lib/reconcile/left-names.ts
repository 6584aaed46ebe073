// Where a Record lay that is gone, or lies elsewhere now, for an hour. A run that is overtaken while it writes what it wants
// there, and dies before it looks again, has its hint delivered once more; by then the object says nothing of that name.
// (Simulation seed 2757517.)
import * as z from 'zod';
import { keyOf, type ObjectRef } from '../kubizone/objects.ts';
import type { Context } from './context.ts';
import { HOUR_MS } from './guard.ts';
import { inParallel } from './in-parallel.ts';
import { decodeBody, encodeBody } from './ledger-items.ts';
import { eachItem } from './ledger-pages.ts';
import type { LedgerItem, LedgerKey } from './ports.ts';
import { readable } from './readable-item.ts';
import { LedgerContentionError, SWAP_ATTEMPTS_MAX } from './record-set-items.ts';

const leftNames = z.object({
  names: z.array(z.string()),
  /** When it last left one, milliseconds since the epoch. */
  atMs: z.number(),
});
/** Names of one Record that are kept, the latest: one that moves every second must not outgrow its item. */
const NAMES_MAX = 100;
const AT_ONCE = 16;

/** Notes names that a Record has left. Before the ledger forgets that it lay there, and once nothing is wanted there of it. */
export async function noteLeft(context: Context, ref: ObjectRef, names: readonly string[]): Promise<void> {
  const { ledger, clock } = context;
  const key = leftKey(context, ref);
  const nowMs = clock.nowMs();
  for (let attempt = 0; attempt < SWAP_ATTEMPTS_MAX; attempt += 1) {
    // Most have left none before.
    const stored = attempt === 0 ? null : await ledger.get(key);
    const before = stored === null ? null : decodeBody(leftNames, stored);
    const earlier = before === null || isOld(before.atMs, nowMs) ? [] : before.names;
    const all = [...new Set([...names, ...earlier])].slice(0, NAMES_MAX);
    const body = encodeBody({ names: all, atMs: nowMs });
    if ((await ledger.put(key, body, stored?.revision ?? null)) !== null) return;
  }
  throw new LedgerContentionError(`the names that ${keyOf(ref)} left`);
}

/** The names that a Record left within the last hour, or a little longer ago. */
export async function readLeft(context: Context, ref: ObjectRef): Promise<readonly string[]> {
  const stored = await context.ledger.get(leftKey(context, ref));
  return stored === null ? [] : decodeBody(leftNames, stored).names;
}

/** Removes what was noted more than an hour ago. */
export async function forgetLeft(context: Context): Promise<void> {
  const { ledger, config, clock } = context;
  const old: LedgerItem[] = [];
  for await (const item of eachItem(ledger, partition(config.clusterId))) {
    const left = readable(context, () => decodeBody(leftNames, item));
    if (left !== null && isOld(left.atMs, clock.nowMs())) old.push(item);
  }
  await inParallel(old, AT_ONCE, async (item) => {
    await ledger.remove(item, item.revision);
  });
}

function isOld(atMs: number, nowMs: number): boolean {
  return atMs <= nowMs - HOUR_MS;
}

function leftKey({ config }: Context, ref: ObjectRef): LedgerKey {
  return { partition: partition(config.clusterId), sort: keyOf(ref) };
}

function partition(clusterId: string): string {
  return `left#${clusterId}`;
}
