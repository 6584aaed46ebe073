// Since when each namespace has asked for a name: an age is of a namespace, a name and what goes together there
// (typeGroup(); of Zones, their fqdn), whichever objects ask. A gap of less than ten minutes does not count
// (docs/adr/0018-who-asked-first.md).

import { compareText } from '../dns/names/compare-text.ts';
import { type Age, compareAge, formatRef, type ObjectRef } from '../objects/object-ref.ts';

/** A gap of less than this does not end an age. */
const GAP_MS = 600_000;

/** Since when a namespace has asked for one group of types of a name. `goneMs`: since when it no longer does. */
export type NameAge = {
  readonly group: string;
  readonly namespace: string;
  readonly sinceMs: number;
  readonly goneMs?: number;
};

/** Somebody who asks for a group of types of a name now. `stands`: it has the name already, as far as is known. */
export type Asking = Pick<NameAge, 'group' | 'namespace'> & {
  readonly ref: ObjectRef;
  readonly age: Age;
  readonly stands: boolean;
};

/**
 * The ages at a name after these asked for it. Who is new comes last; of several, who has the name already comes first,
 * then whose object is older. `newMs`: since when those who are new have asked. Returns `known` itself if nothing has
 * changed.
 */
export function agesNow(
  known: readonly NameAge[],
  asking: readonly Asking[],
  nowMs: number,
  newMs = nowMs,
): readonly NameAge[] {
  const oldestFirst = asking.toSorted(
    (a, b) =>
      Number(b.stands) - Number(a.stands) ||
      compareAge(a.age, b.age) ||
      compareText(formatRef(a.ref), formatRef(b.ref)) ||
      compareText(a.group, b.group),
  );
  return agesOf(known, oldestFirst, nowMs, newMs);
}

/** The same for those who ask in this order. */
export function agesOf(
  known: readonly NameAge[],
  asking: readonly Pick<NameAge, 'group' | 'namespace'>[],
  nowMs: number,
  newMs = nowMs,
): readonly NameAge[] {
  const here = new Map(asking.map(({ group, namespace }) => [ageId({ group, namespace }), { group, namespace }]));
  const kept = known.flatMap((one): NameAge[] => {
    const { goneMs, ...age } = one;
    const isOver = goneMs !== undefined && nowMs - goneMs >= GAP_MS;
    if (isOver) return [];
    if (!here.delete(ageId(one))) return [goneMs === undefined ? { ...age, goneMs: nowMs } : one];
    return [goneMs === undefined ? one : age];
  });
  if (here.size === 0 && kept.length === known.length && kept.every((one, at) => one === known[at])) return known;
  return [...kept, ...[...here.values()].map((one) => ({ ...one, sinceMs: newMs }))];
}

/** The group and the namespace of an age, as text. */
export function ageId({ group, namespace }: Pick<NameAge, 'group' | 'namespace'>): string {
  return `${group} ${namespace}`;
}

/** Since when somebody has asked, undefined if nobody knows; and when the object was created, or NaN. Milliseconds. */
type Times = { readonly asked: number | undefined; readonly created: number };

/** How much older the first is than the other, in words: nothing is called older that is not known to be. */
export function older(first: Times, other: Times): string {
  if (first.asked !== undefined && other.asked !== undefined && first.asked < other.asked)
    return 'has asked for longer';
  return first.created < other.created ? 'is older' : 'comes first';
}
