// Record sets in Route 53 beside the desired ones at a name, and how they change if they may be taken over.
import type { Change } from '../../dns/plan-changes.ts';
import {
  excludesBeside,
  type RecordSet,
  type RecordSetContent,
  type RecordSetKey,
  recordSetId,
  sameContent,
  showRecordSet,
  typesExclude,
} from '../../dns/record-set.ts';
import { isBesideUnchanged, type Taking } from '../../record-sets/judge-reading.ts';
import type { RecordSetItem } from '../../record-sets/record-set-item.ts';
import { isOurs } from '../../record-sets/transitions.ts';

/** What was read in Route 53 at some names, by record set id. The reading began at `sinceMs`. */
export type View = {
  readonly actual: ReadonlyMap<string, RecordSet>;
  readonly sinceMs: number;
  readonly takings: ReadonlyMap<string, Taking>;
};

/** What Route 53 has of a record set; null: nothing. */
export function contentAt(actual: View['actual'], key: RecordSetKey): RecordSetContent | null {
  return actual.get(recordSetId(key))?.content ?? null;
}

/**
 * Record sets at the names of these changes that are not ours, and that the CNAME rule or their routing excludes beside
 * the desired ones. With `takings`, the TXT records of external-dns that are deleted with them are left out.
 */
export function neighboursOf(
  unit: readonly Change[],
  actual: ReadonlyMap<string, RecordSet>,
  items: ReadonlyMap<string, { readonly item: { readonly published: unknown } }>,
  takings: View['takings'] = new Map(),
): RecordSet[] {
  const wanted = unit.filter((step) => step.after !== null);
  const planned = new Set(unit.map(recordSetId));
  const beside = [...actual.values()].filter((set) => {
    const ours = planned.has(recordSetId(set)) || (items.get(recordSetId(set))?.item.published ?? null) !== null;
    return !ours && wanted.some((step) => step.name === set.name && forbids(step, set));
  });
  return withoutTexts(beside, takings);
}

/** True if Route 53 does not allow both: a CNAME beside another type, or two routing policies of one name and type. */
export function forbids({ type, after }: Pick<Change, 'type' | 'after'>, set: RecordSet): boolean {
  if (type === set.type) return after !== null && excludesBeside(after, set.content);
  return typesExclude(type, set.type);
}

/** Leaves out the TXT records of external-dns that are deleted with others of these. */
export function withoutTexts(neighbours: readonly RecordSet[], takings: ReadonlyMap<string, Taking>): RecordSet[] {
  const going = new Set(textsOfNeighbours(neighbours, takings).map(recordSetId));
  return neighbours.filter((set) => !going.has(recordSetId(set)));
}

/** The TXT records of external-dns that are deleted when these are taken over. */
export function textsOfNeighbours(
  neighbours: readonly RecordSet[],
  takings: ReadonlyMap<string, Taking>,
): readonly RecordSet[] {
  return neighbours.flatMap((set) => takings.get(recordSetId(set))?.texts ?? []);
}

/** True if external-dns owns the record set, and it may be taken over. */
export function isTakeable(takings: ReadonlyMap<string, Taking>, set: RecordSet): boolean {
  return (takings.get(recordSetId(set))?.texts ?? null) !== null;
}

/** True if the other side published the record set first: it is never taken over (kept-by-others.ts). */
export function isKept(takings: ReadonlyMap<string, Taking>, set: RecordSet): boolean {
  return takings.get(recordSetId(set))?.isKept === true;
}

/**
 * The record set that prevents a change, with a message; null: none does. With takeover, only one that the other side
 * published prevents it (kept-by-others.ts).
 */
export function obstacleBeside(
  { type }: Change,
  neighbours: readonly RecordSet[],
  takings: ReadonlyMap<string, Taking>,
  takesOver: boolean,
): { readonly set: RecordSet; readonly message: string } | null {
  const kept = neighbours.find((set) => isKept(takings, set));
  const first = kept ?? (takesOver ? undefined : neighbours[0]);
  if (first === undefined) return null;
  const same = 'their routing, or the TTL of weighted record sets, excludes both from existing together';
  const rule = first.type === type ? same : 'a CNAME allows no other record at its name';
  const note = kept === undefined ? '' : ` ${takings.get(recordSetId(kept))?.note}`;
  const message = `Route 53 already has ${showRecordSet(first)}, not created by zone53, and ${rule}.${note}`;
  return { set: first, message };
}

/** The delete of a neighbour on behalf of these objects, with the TXT records of external-dns that speak for it. */
export function deleteOfNeighbour(
  set: RecordSet,
  objects: readonly string[],
  takings: ReadonlyMap<string, Taking>,
): Change & { readonly tookOver: true } {
  const { name, type, setIdentifier, content } = set;
  const also = takings.get(recordSetId(set))?.texts ?? [];
  return { name, type, setIdentifier, action: 'delete', before: content, after: null, objects, also, tookOver: true };
}

/** Units of one name that delete neighbours there, together: nothing may be missing between two batches. */
export function sharingNeighbours<U extends { readonly steps: readonly (Change & { readonly tookOver?: boolean })[] }>(
  units: readonly U[],
): U[][] {
  const deletesNeighbour = ({ after, tookOver }: U['steps'][number]) => after === null && tookOver === true;
  return [...Map.groupBy(units, (unit) => unit.steps.find(deletesNeighbour)?.name ?? unit).values()];
}

/** Each record set once: several units may delete the same neighbour. */
export function withoutTwins<C extends Change>(changes: readonly C[]): C[] {
  return [...new Map(changes.map((change) => [recordSetId(change), change])).values()];
}

/** True if both changes have the same content before and after, and the same TXT records. */
export function sameChange(a: Change, b: Change): boolean {
  const textsOf = ({ also = [] }: Change) => also.map(recordSetId).join();
  const sameSides = sameContent(a.before, b.before) && sameContent(a.after, b.after);
  return recordSetId(a) === recordSetId(b) && sameSides && textsOf(a) === textsOf(b);
}

/** The action of a change that starts from `actual`, which is ours or may be taken over: equal content is adopted. */
export function startingFrom(change: Change, actual: RecordSetContent | null): Pick<Change, 'action' | 'before'> {
  if (sameContent(actual, change.after)) return { action: 'adopt', before: actual };
  const action = change.action === 'adopt' ? 'update' : change.action;
  return { action: actual === null ? 'create' : action, before: actual };
}

/** The neighbours because of which these items were refused, as far as Route 53 still has them. */
export function blockersOf(items: readonly RecordSetItem[], actual: View['actual']): RecordSet[] {
  return items.flatMap(({ name, refusal }) =>
    refusal?.beside === undefined ? [] : (actual.get(recordSetId({ ...refusal.beside, name })) ?? []),
  );
}

/**
 * True if Route 53 would refuse again: the neighbour is unchanged, not ours, may not be taken over, and still excludes
 * something that is desired at the name. `ofName`: all items of the name.
 */
export function isBlockedBeside(
  item: RecordSetItem,
  ofName: readonly RecordSetItem[],
  actual: View['actual'],
  takings: View['takings'],
): boolean {
  const isOthers = (set: RecordSet) => {
    const known = ofName.find((one) => recordSetId(one) === recordSetId(set));
    return known === undefined || (known.published === null && !isOurs(known, set.content));
  };
  const [blocker] = blockersOf([item], actual);
  if (blocker === undefined || !isOthers(blocker) || isTakeable(takings, blocker)) return false;
  const excludes = ({ type, desired: after }: RecordSetItem) => after !== null && forbids({ type, after }, blocker);
  return ofName.some(excludes) && isBesideUnchanged(item, (id) => actual.get(id)?.content ?? null);
}

/** True for a record set that an earlier write of ours created, if it was not known that the write had landed. */
export function hasLanded(items: ReadonlyMap<string, { readonly item: RecordSetItem }>, set: RecordSet): boolean {
  const item = items.get(recordSetId(set))?.item;
  return item !== undefined && isOurs(item, set.content);
}
