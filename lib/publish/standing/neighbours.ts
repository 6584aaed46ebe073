// What stands at a name beside what is wanted there, and what becomes of it when it may be taken over.
import type { Change } from '../../dns/plan-changes.ts';
import {
  excludesBeside,
  type RecordSet,
  type RecordSetContent,
  recordSetId,
  sameContent,
} from '../../dns/record-set.ts';
import type { RecordSetItem } from '../../record-sets/record-set-item.ts';
import { standsBeside, type Taking } from '../../record-sets/seen.ts';
import { isOurs } from '../../record-sets/transitions.ts';

/** What Route 53 has at some names since `sinceMs`, with what external-dns owns of it, by record set id. */
export type View = {
  readonly actual: ReadonlyMap<string, RecordSet>;
  readonly sinceMs: number;
  readonly takings: ReadonlyMap<string, Taking>;
};

/**
 * Record sets at the names of these changes that are not ours and that the CNAME rule, or their routing, forbids beside
 * what is wanted. With `takings`, without the TXT records of external-dns that go with them.
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

/** True where Route 53 does not let both stand: a CNAME beside another type, or two policies of one name and type. */
export function forbids({ type, after }: Pick<Change, 'type' | 'after'>, set: RecordSet): boolean {
  if (type === set.type) return after !== null && excludesBeside(after, set.content);
  return type === 'CNAME' || set.type === 'CNAME';
}

/** Without the TXT records of external-dns that go with others of them. */
export function withoutTexts(neighbours: readonly RecordSet[], takings: ReadonlyMap<string, Taking>): RecordSet[] {
  const going = new Set(textsOf(neighbours, takings).map(recordSetId));
  return neighbours.filter((set) => !going.has(recordSetId(set)));
}

/** The TXT records of external-dns that go when these are taken over. */
export function textsOf(neighbours: readonly RecordSet[], takings: ReadonlyMap<string, Taking>): readonly RecordSet[] {
  return neighbours.flatMap((set) => takings.get(recordSetId(set))?.texts ?? []);
}

/** True where external-dns owns it, and it may be taken over. */
export function isTakeable(takings: ReadonlyMap<string, Taking>, set: RecordSet): boolean {
  return (takings.get(recordSetId(set))?.texts ?? null) !== null;
}

/**
 * The neighbour that prevents a change, with a message; null: none does. With takeover, only what others of ours keep.
 */
export function obstacleBeside(
  { type }: Change,
  neighbours: readonly RecordSet[],
  takings: ReadonlyMap<string, Taking>,
  takesOver: boolean,
): { readonly set: RecordSet; readonly message: string } | null {
  const kept = neighbours.find((set) => takings.get(recordSetId(set))?.isKept === true);
  const first = kept ?? (takesOver ? undefined : neighbours[0]);
  if (first === undefined) return null;
  const same = 'its routing, or the TTL of weighted record sets, tolerates no other beside it';
  const rule = first.type === type ? same : 'a CNAME tolerates no neighbour';
  const note = kept === undefined ? '' : ` ${takings.get(recordSetId(kept))?.note}`;
  const message = `Route 53 already has ${first.type} ${first.name}, not created by zone53, and ${rule}.${note}`;
  return { set: first, message };
}

/** The delete of a neighbour, with the TXT records of external-dns that speak for it, for the sake of these objects. */
export function takenOver(
  set: RecordSet,
  objects: readonly string[],
  takings: ReadonlyMap<string, Taking>,
): Change & { readonly tookOver: true } {
  const { name, type, setIdentifier, content } = set;
  const also = takings.get(recordSetId(set))?.texts ?? [];
  return { name, type, setIdentifier, action: 'delete', before: content, after: null, objects, also, tookOver: true };
}

/** True when both go from the same to the same, with the same TXT records. */
export function sameChange(a: Change, b: Change): boolean {
  const textsOf = ({ also = [] }: Change) => also.map(recordSetId).join();
  const sameSides = sameContent(a.before, b.before) && sameContent(a.after, b.after);
  return recordSetId(a) === recordSetId(b) && sameSides && textsOf(a) === textsOf(b);
}

/** How a change goes on from what stands there, which may be taken over: content that is equal is adopted. */
export function fromThere(change: Change, actual: RecordSetContent | null): Pick<Change, 'action' | 'before'> {
  return { action: sameContent(actual, change.after) ? 'adopt' : change.action, before: actual };
}

/** What stands of the neighbours because of which these were refused. */
export function blockersOf(items: readonly RecordSetItem[], actual: View['actual']): RecordSet[] {
  return items.flatMap(({ name, refusal }) =>
    refusal?.beside === undefined ? [] : (actual.get(recordSetId({ ...refusal.beside, name })) ?? []),
  );
}

/**
 * True if the neighbour that caused the refusal is unchanged, and is neither ours by now nor to be taken over: Route 53
 * would refuse again.
 */
export function isBlockedBeside(
  item: RecordSetItem,
  items: ReadonlyMap<string, { readonly item: RecordSetItem }>,
  actual: View['actual'],
  takings: View['takings'],
): boolean {
  const isOthers = (set: RecordSet) => {
    const known = items.get(recordSetId(set))?.item;
    return known === undefined || (known.published === null && !isOurs(known, set.content));
  };
  const [blocker] = blockersOf([item], actual);
  if (blocker === undefined || !isOthers(blocker) || isTakeable(takings, blocker)) return false;
  return standsBeside(item, (id) => actual.get(id)?.content ?? null);
}
