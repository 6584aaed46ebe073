// Where an object's endpoints lay that are gone, or lie elsewhere now, for an hour. A run that is overtaken while it writes what it wants
// there, and dies before it looks again, has its hint delivered once more; by then the object says nothing of that name.
// (Simulation seed 2757517.)
import * as z from 'zod';
import { swap } from '../ledger/compare-and-swap.ts';
import { itemCodec } from '../ledger/item-codec.ts';
import { eachItem } from '../ledger/pages.ts';
import { readable, whereReadable } from '../ledger/skip-unreadable.ts';
import { formatRef, type ObjectRef } from '../objects/object-ref.ts';
import type { Context } from '../ports/context.ts';
import { inParallel } from '../ports/in-parallel.ts';
import type { LedgerItem, LedgerKey } from '../ports/ledger.ts';
import { HOUR_MS } from '../record-sets/retention.ts';

const leftCodec = itemCodec(
  z.object({
    /** The last first; `atMs`: when it was left, milliseconds since the epoch. */
    names: z.array(z.object({ name: z.string(), atMs: z.number() })),
  }),
);
/** Names of one object that are kept: each is settled anew with every hint that says nothing new. */
const NAMES_MAX = 16;
/** Items that are removed at one time; the rest waits for the next. */
const FORGOTTEN_MAX = 10_000;
const AT_ONCE = 16;

/**
 * Notes names that an object has left: before the ledger forgets that it lay there, and once nothing of it is wanted there. What another
 * version noted is left alone, at the cost of this.
 */
export async function noteLeft(context: Context, ref: ObjectRef, names: readonly string[]): Promise<void> {
  const { ledger, clock } = context;
  const key = leftKey(context, ref);
  const atMs = clock.nowMs();
  const withNames = (before: { readonly names: readonly { name: string; atMs: number }[] } | null) => {
    const earlier = (before?.names ?? []).filter((one) => !names.includes(one.name) && !isOld(one.atMs, atMs));
    return { names: [...names.map((name) => ({ name, atMs })), ...earlier].slice(0, NAMES_MAX) };
  };
  // Most have left none before.
  await whereReadable(context, () => swap(ledger, key, leftCodec, withNames, null));
}

/** The names that an object left within the last hour. */
export async function readLeft(context: Context, ref: ObjectRef): Promise<readonly string[]> {
  const stored = await context.ledger.get(leftKey(context, ref));
  const left = stored === null ? null : readable(context, leftCodec, stored);
  const nowMs = context.clock.nowMs();
  return (left?.names ?? []).filter(({ atMs }) => !isOld(atMs, nowMs)).map(({ name }) => name);
}

/** Removes, of ten thousand objects at most, what was noted more than an hour ago. */
export async function forgetLeft(context: Context): Promise<void> {
  const { ledger, config, clock } = context;
  const nowMs = clock.nowMs();
  const old: LedgerItem[] = [];
  for await (const item of eachItem(ledger, partition(config.clusterId))) {
    const left = readable(context, leftCodec, item);
    if (left?.names.every(({ atMs }) => isOld(atMs, nowMs)) === true) old.push(item);
    if (old.length >= FORGOTTEN_MAX) break;
  }
  await inParallel(old, AT_ONCE, async (item) => {
    await ledger.remove(item, item.revision);
  });
}

function isOld(atMs: number, nowMs: number): boolean {
  return atMs <= nowMs - HOUR_MS;
}

function leftKey({ config }: Context, ref: ObjectRef): LedgerKey {
  return { partition: partition(config.clusterId), sort: formatRef(ref) };
}

function partition(clusterId: string): string {
  return `left#${clusterId}`;
}
