// In a view that extends another one, a run first settles what the view inherits at its names (inherited-names.ts). It
// is desired like what objects ask for, with `inherits` in the item. No object asks for it, so no status has it, and
// the guard does not count it.
//
//   the other view   publishes a name, then marks it dirty in the hosted zones that inherit it (wake-inheriting.ts)
//   this view        reads at each of its dirty names what the other view has published, and saves it as desired
import {
  extendedOf,
  type InheritingZone,
  inheritedNames,
  inheritingZone,
  isOwn,
  NOTHING_INHERITED,
} from '../../directory/inherited-names.ts';
import { type RecordSet, recordSetId, sameContent } from '../../dns/record-set.ts';
import { orUnread } from '../../ledger/skip-unreadable.ts';
import { markDirty } from '../../record-sets/dirty-mark.ts';
import type { AliasTarget } from '../../record-sets/inherit.ts';
import { type RecordSetItem, storedContent } from '../../record-sets/record-set-item.ts';
import { needsPublishing } from '../../record-sets/state.ts';
import { changeRecordSetItem } from '../../record-sets/store.ts';
import { noteAwaiting } from '../order/awaited-targets.ts';
import { nameOf, noteName } from '../plan/names.ts';
import { runAgain } from '../plan/progress.ts';
import { loadNames } from './dirty-names.ts';
import { eachOf, type ItemsOfRun, type Run, saveItem } from './run.ts';

/** `leftOut`: what the view has not, for people. `isLeft`: no Zone has the hosted zone, so nothing is inherited. */
export type Settled = {
  readonly leftOut: readonly string[];
  readonly isLeft: boolean;
  /** By name, what its aliases are to. */
  readonly targets: ReadonlyMap<string, readonly AliasTarget[]>;
};

/** Settles these names, and those of aliases to them; null: nothing is inherited in the run's hosted zone. */
export async function settleInherited(run: Run, names: ReadonlySet<string>): Promise<Settled | null> {
  const { deps, hostedZone, lease, items } = run;
  if (run.options.forgets !== undefined) return null;
  const extended = await extendedOf(deps.ledger, hostedZone, deps.config.extendedViews ?? {});
  if (extended === null) return settleNothing(run);
  const all = await withAliases(run, names);
  const zone = await inheritingZone(deps, hostedZone, extended, all.size);
  const settled = await settleNames(run, all, zone, !(await zone.isUsed(hostedZone)));
  for (const [name, targets] of settled.targets)
    for (const target of targets) await noteAwaiting({ ...deps, ...lease, items }, target, name);
  // If this run does not come so far, the next one does.
  const changed = [...items.values()].flatMap(({ item }) =>
    !names.has(item.name) && all.has(item.name) && needsPublishing(item) ? [item.name] : [],
  );
  for (const name of new Set(changed)) await markDirty(deps.ledger, hostedZone.id, name, deps.clock.nowMs());
  if (changed.length > 0) runAgain(run, 0);
  return settled;
}

/** Settles what is left in a view that does not extend another one any more; null: there is nothing. */
export async function settleNothing(run: ItemsOfRun): Promise<Settled | null> {
  const left = [...run.items.values()].flatMap(({ item }) => (item.inherits === true ? [item.name] : []));
  return left.length === 0 ? null : settleNames(run, new Set(left), null, false);
}

/** The names with those of aliases to them, loaded: what such an alias is depends on what its target is. */
async function withAliases(run: Run, names: ReadonlySet<string>): Promise<ReadonlySet<string>> {
  const all = new Set(names);
  for (let news = names; news.size > 0; ) {
    const at = news;
    const aliases = [...run.items.values()].flatMap(({ item }) => (at.has(item.name) ? item.awaitedBy : []));
    news = new Set(aliases).difference(all);
    await loadNames(run, [...news]);
    for (const name of news) all.add(name);
  }
  return all;
}

/** The same for any run. `zone` null: nothing is inherited. */
export async function settleNames(
  run: ItemsOfRun,
  names: ReadonlySet<string>,
  zone: InheritingZone | null,
  isLeft: boolean,
): Promise<Settled> {
  const own = Map.groupBy(
    [...run.items.values()].map(({ item }) => item),
    ({ name }) => name,
  );
  const inheritedAt =
    isLeft || zone === null ? async () => NOTHING_INHERITED : inheritedNames(zone, (name) => own.get(name));
  const leftOut: string[] = [];
  const targets = new Map<string, readonly AliasTarget[]>();
  await eachOf(names, async (name) => {
    if (nameOf(run.names, name).stays) return;
    const found = await orUnread(() => inheritedAt(name));
    if (found instanceof Error) return noteName(run.names, name, { stays: true });
    leftOut.push(...found.leftOut);
    if (found.targets.length > 0) targets.set(name, found.targets);
    await saveInherited(run, own.get(name) ?? [], found.sets);
  });
  return { leftOut, isLeft, targets };
}

/**
 * What may be planned of these items. Where no Zone has the hosted zone any more, but the guard holds what it had
 * there, what is inherited stays, too.
 */
export function withoutKept(items: readonly RecordSetItem[], settled: Settled | null, isHolding: boolean) {
  return settled?.isLeft === true && isHolding ? items.filter(({ inherits }) => inherits === undefined) : items;
}

/**
 * Saves what is inherited at a name as desired there, unless something else came to be desired meanwhile. `items`: the
 * record sets of the name in the run.
 */
async function saveInherited(
  run: ItemsOfRun,
  items: readonly RecordSetItem[],
  sets: readonly RecordSet[],
): Promise<void> {
  const { ledger } = run.deps;
  const { id, zone } = run.hostedZone;
  const wanted = new Map(sets.map((set) => [recordSetId(set), set]));
  const before = items.filter(({ inherits }) => inherits === true);
  const keys = new Map([...before, ...sets].map((set) => [recordSetId(set), set]));
  for (const [key, set] of keys) {
    const content = storedContent(wanted.get(key)?.content ?? null);
    const settled = (item: RecordSetItem): RecordSetItem | null => {
      if (isOwn(item) || (sameContent(item.desired, content) && item.inherits === true)) return null;
      const { takesEqual: _, formerZone: __, ...rest } = item;
      // What is published stays, and is nobody's from now on.
      const publishedObjects = sameContent(item.published, content) ? [] : item.publishedObjects;
      const inherited = { desired: content, inherits: true as const, objects: [], publishedObjects };
      return { ...rest, ...inherited, zone, takeover: false, isAsked: false };
    };
    const known = run.items.get(key);
    if (known === undefined) {
      const written = await changeRecordSetItem(ledger, id, set, null, settled);
      if (written !== null) run.items.set(key, written);
    } else if (settled(known.item) !== null) await saveItem(run, set, settled);
  }
}
