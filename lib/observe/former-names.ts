// Where an object's endpoints lay that are gone, or lie elsewhere now, for an hour. A run that is overtaken while it
// writes what it wants there, and dies before it looks again, has its hint delivered once more; by then the object says
// nothing of that name. So an object that is gone stays in the ledger for that hour, as a tombstone: deleted, settled,
// and nothing of it but its names. (Simulation seed 2757517.)
import type { Stored } from '../ledger/item-codec.ts';
import type { Context } from '../ports/context.ts';
import { inParallel } from '../ports/in-parallel.ts';
import type { LedgerItem } from '../ports/ledger.ts';
import { HOUR_MS } from '../record-sets/retention.ts';
import { type ObjectItem, objectCodec, objectKey } from './object-item.ts';

type Left = NonNullable<ObjectItem['left']>;

/** Names of one object that are kept: each is settled anew with every hint that says nothing new. */
const NAMES_MAX = 16;
/** Items that are removed at one time, and at once. */
const REMOVED_MAX = 1_000;
const AT_ONCE = 16;

/** The names that an object left within the last hour, the last first. */
export function namesLeft({ left = [] }: Pick<ObjectItem, 'left'>, nowMs: number): readonly string[] {
  return recent(left, nowMs).map(({ name }) => name);
}

/** Of an object that has left these names now; nothing where there is none to keep. */
export function withLeft(
  { left = [] }: Pick<ObjectItem, 'left'>,
  names: readonly string[],
  nowMs: number,
): Pick<ObjectItem, 'left'> {
  const earlier = recent(left, nowMs).filter(({ name }) => !names.includes(name));
  const all = [...names.map((name) => ({ name, atMs: nowMs })), ...earlier].slice(0, NAMES_MAX);
  return all.length === 0 ? {} : { left: all };
}

function recent(left: Left, nowMs: number): Left {
  return left.filter(({ atMs }) => atMs > nowMs - HOUR_MS);
}

/** True for an object that is gone, and all that followed from that is written. */
export function isTombstone({ deleted, unsettled }: Pick<ObjectItem, 'deleted' | 'unsettled'>): boolean {
  return deleted && !unsettled;
}

/** What stays of an object that is gone. */
export function tombstoneOf(item: ObjectItem, left: Left): ObjectItem {
  const { related: _, remarks: __, ...rest } = item;
  return { ...rest, spec: null, problems: [], unsettled: false, leaving: [], names: [], left };
}

/** True for an item of the ledger that is a tombstone of which every name was left more than an hour ago. */
export function isForgotten(stored: LedgerItem, nowMs: number): boolean {
  const item = objectCodec.read(stored);
  return !(item instanceof Error) && isTombstone(item) && namesLeft(item, nowMs).length === 0;
}

/** Removes those of these tombstones. */
export async function removeForgotten(
  { ledger, config, clock }: Context,
  tombstones: readonly Stored<ObjectItem>[],
): Promise<void> {
  const old = tombstones.filter(({ item }) => namesLeft(item, clock.nowMs()).length === 0);
  await inParallel(old, AT_ONCE, async ({ item, revision }) => {
    await ledger.remove(objectKey(config.clusterId, item.ref), revision);
  });
}

/** Until 2026-11-23 the names lay in a partition of their own, which nobody reads any more. */
export async function removeFormerPartition({ ledger, config }: Context): Promise<void> {
  const { items } = await ledger.query(`left#${config.clusterId}`, { limit: REMOVED_MAX });
  await inParallel(items, AT_ONCE, async (item) => {
    await ledger.remove(item, item.revision);
  });
}
