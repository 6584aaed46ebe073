// In a view that extends another one, a run first settles what the view inherits at its names (inherited-names.ts). It
// is desired like what objects ask for, with `inherits` in the item. No object asks for it, so no status has it, and
// the guard does not count it.
//
//   the other view   publishes a name, then marks it dirty in the hosted zones that inherit it (wakeInheriting())
//   this view        reads at each of its dirty names what the other view has published, and saves it as desired
import {
  extendedOf,
  type InheritingZone,
  inheritedNames,
  inheritingZone,
  isOwn,
  usableHostedZones,
} from '../../directory/inherited-names.ts';
import { isAtOrBelow } from '../../dns/names/name.ts';
import { inView, realName, viewOf } from '../../dns/names/view.ts';
import { type RecordSet, recordSetId, sameContent } from '../../dns/record-set.ts';
import { orUnread } from '../../ledger/skip-unreadable.ts';
import { markDirty } from '../../record-sets/dirty-mark.ts';
import { hostedZoneIdOf } from '../../record-sets/hosted-zone-item.ts';
import type { Inherited } from '../../record-sets/inherit.ts';
import { type RecordSetItem, storedContent } from '../../record-sets/record-set-item.ts';
import { changeRecordSetItem } from '../../record-sets/store.ts';
import { nameOf, noteName } from '../plan/names.ts';
import { eachOf, type ItemsOfRun, type Run, saveItem } from './run.ts';

/** `leftOut`: what the view has not, for people. `isLeft`: no Zone has the hosted zone, so nothing is inherited. */
export type Settled = { readonly leftOut: readonly string[]; readonly isLeft: boolean };

/** Settles these names; null: the view of the run's hosted zone extends no other. */
export async function settleInherited(run: Run, names: ReadonlySet<string>): Promise<Settled | null> {
  const extended = extendedOf(run.hostedZone, run.deps.config.extendedViews ?? {});
  if (extended === null || run.options.forgets !== undefined) return null;
  const zone = await inheritingZone(run.deps, run.hostedZone, extended, names.size);
  return settleNames(run, names, zone, !(await zone.isUsed(run.hostedZone)));
}

/** The same for any run. */
export async function settleNames(
  run: ItemsOfRun,
  names: ReadonlySet<string>,
  zone: InheritingZone,
  isLeft: boolean,
): Promise<Settled> {
  const own = Map.groupBy(
    [...run.items.values()].map(({ item }) => item),
    ({ name }) => name,
  );
  const inheritedAt = isLeft ? async () => NOTHING : inheritedNames(zone, (name) => own.get(name));
  const leftOut: string[] = [];
  await eachOf(names, async (name) => {
    if (nameOf(run.names, name).stays) return;
    const found = await orUnread(() => inheritedAt(name));
    if (found instanceof Error) return noteName(run.names, name, { stays: true });
    leftOut.push(...found.leftOut);
    await saveInherited(run, name, found.sets);
  });
  return { leftOut, isLeft };
}

/**
 * What may be planned of these items. Where no Zone has the hosted zone any more, but the guard holds what it had
 * there, what is inherited stays, too.
 */
export function withoutKept(items: readonly RecordSetItem[], settled: Settled | null, isHolding: boolean) {
  return settled?.isLeft === true && isHolding ? items.filter(({ inherits }) => inherits === undefined) : items;
}

const NOTHING: Inherited = { sets: [], leftOut: [] };

/** Saves what is inherited at a name as desired there, unless something else came to be desired meanwhile. */
async function saveInherited(run: ItemsOfRun, name: string, sets: readonly RecordSet[]): Promise<void> {
  const { ledger } = run.deps;
  const { id, zone } = run.hostedZone;
  const wanted = new Map(sets.map((set) => [recordSetId(set), set]));
  const before = [...run.items.values()].filter(({ item }) => item.name === name && item.inherits === true);
  const keys = new Map([...before.map(({ item }) => item), ...sets].map((set) => [recordSetId(set), set]));
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

/** Marks names dirty in the hosted zones that inherit them from this one, and queues those hosted zones. */
export async function wakeInheriting({ deps, hostedZone, names: known }: Run, names: readonly string[]): Promise<void> {
  const { ledger, config, clock, queues, log } = deps;
  const view = viewOf(hostedZone.name);
  const views = Object.entries(config.extendedViews ?? {}).flatMap(([by, of]) => (of === view ? [by] : []));
  if (views.length === 0 || names.length === 0) return;
  const inheriting = (await usableHostedZones(ledger, log)).filter(({ id }) => id === hostedZoneIdOf(id));
  const woken = new Set<string>();
  await eachOf(names, async (name) => {
    const { sinceMs: _, ...cause } = nameOf(known, name).cause ?? { sinceMs: 0 };
    for (const inside of views.map((by) => inView(realName(name), by)))
      for (const { id, name: apex } of inheriting) {
        if (!isAtOrBelow(inside, apex)) continue;
        await markDirty(ledger, id, inside, clock.nowMs(), { cause });
        woken.add(id);
      }
  });
  for (const id of woken) await queues.publish(id);
}
