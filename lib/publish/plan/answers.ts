// Which deletes are answered: their name and type keeps another record set, or gets one in the same call. The guard
// does not count them. Pure.
import type { Change } from '../../dns/plan-changes.ts';
import { recordSetId } from '../../dns/record-set.ts';
import type { RecordSetItem } from '../../record-sets/record-set-item.ts';
import { nameOf, type RunNames } from './names.ts';

type Items = ReadonlyMap<string, { readonly item: RecordSetItem }>;

/** Names and types that still have desired record sets after these changes. */
export function typesAnswered(items: Items, changes: readonly Change[]): ReadonlySet<string> {
  const stay = [...items.values()].filter(({ item }) => item.desired !== null && item.published !== null);
  const come = changes.filter(({ after }) => after !== null);
  return new Set([...stay.map(({ item }) => item), ...come].map(({ name, type }) => `${name} ${type}`));
}

/**
 * Those of these changes, sent in one call, that the guard has not judged: deletes that it did not count because the
 * run was to create a record set of their name and type, which is refused now or comes later.
 */
export function unjudgedDeletes<C extends Change>(items: Items, names: RunNames, changes: readonly C[]): readonly C[] {
  const deletes = changes.filter(({ after, type }) => after === null && type !== 'SOA');
  const answered = deletes.length === 0 ? new Set() : typesAnswered(items, changes);
  return deletes.filter(({ name, type }) => {
    const { open, refused } = nameOf(names, name);
    const isMissing = (id: string) => items.get(id)?.item.type === type && items.get(id)?.item.desired !== null;
    return !answered.has(`${name} ${type}`) && [...open, ...refused.now].some(isMissing);
  });
}

/**
 * Names of held deletes whose name and type has got another record set by these changes. They need not be held any
 * more: the next run plans them again.
 */
export function namesAnswered(items: Items, went: readonly Change[], held: readonly Change[]): ReadonlySet<string> {
  const created = went.filter((change) => {
    const item = items.get(recordSetId(change))?.item;
    return change.before === null && item !== undefined && item.desired !== null && item.published !== null;
  });
  const answered = new Set(created.map(({ name, type }) => `${name} ${type}`));
  return new Set(held.filter(({ name, type }) => answered.has(`${name} ${type}`)).map(({ name }) => name));
}
