// The names that an object asked for within the last hour and no longer asks for. A run that is overtaken while it
// writes at such a name may die before it reads again. Its hint is then delivered once more, when the object no longer
// says anything of the name. That is why an object that is gone stays in the ledger for an hour as a tombstone: deleted
// and settled, with nothing but its names. (Simulation seed 2757517.)
import type { Stored } from '../ledger/item-codec.ts';
import type { Context } from '../ports/context.ts';
import { inParallel } from '../ports/in-parallel.ts';
import type { LedgerItem } from '../ports/ledger.ts';
import { HOUR_MS } from '../record-sets/retention.ts';
import { type ObjectItem, objectCodec, objectKey } from './object-item.ts';

type Left = NonNullable<ObjectItem['left']>;

/** How many names of one object are kept: each of them is updated again for every hint that brings nothing new. */
const NAMES_MAX = 16;
/** How many items are removed at once. */
const AT_ONCE = 16;

/** The names that an object left within the last hour, the last first. */
export function namesLeft({ left = [] }: Pick<ObjectItem, 'left'>, nowMs: number): readonly string[] {
  return recent(left, nowMs).map(({ name }) => name);
}

/** The field `left` of an object that has just left these names; no field if there is no name to keep. */
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

/** True for an object that is gone, and whose deletion has all its consequences written. */
export function isTombstone({ deleted, unsettled }: Pick<ObjectItem, 'deleted' | 'unsettled'>): boolean {
  return deleted && !unsettled;
}

/** The tombstone of an object that is gone. */
export function tombstoneOf(item: ObjectItem, left: Left): ObjectItem {
  const { related: _, remarks: __, waiting: ___, notes: ____, ...rest } = item;
  return { ...rest, spec: null, problems: [], unsettled: false, leaving: [], names: [], left };
}

/** True for a tombstone whose names were all left more than an hour ago. */
export function isForgotten(stored: LedgerItem, nowMs: number): boolean {
  const item = objectCodec.read(stored);
  return !(item instanceof Error) && isTombstone(item) && namesLeft(item, nowMs).length === 0;
}

/** Removes those of these tombstones whose names were all left more than an hour ago. */
export async function removeForgotten(
  { ledger, config, clock }: Context,
  tombstones: readonly Stored<ObjectItem>[],
): Promise<void> {
  const old = tombstones.filter(({ item }) => namesLeft(item, clock.nowMs()).length === 0);
  await inParallel(old, AT_ONCE, ({ item, revision }) =>
    ledger.remove(objectKey(config.clusterId, item.ref), revision),
  );
}
