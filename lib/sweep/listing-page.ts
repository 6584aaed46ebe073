// A page of Route 53's listing, as the sweep of a hosted zone compares it: whole names only, in Route 53's order.

import { type RecordSet, type RecordSetKey, recordSetId } from '../dns/record-set.ts';
import type { Context } from '../ports/context.ts';
import { compareRoute53Names } from '../route53/listing-order.ts';

/** The page to read, and the last name that was compared before it. */
export type PagePosition = { readonly from: RecordSetKey | null; readonly after: string | null };

/** The record sets at the names behind `after`, through `through`; null: to the end. */
export type Names = {
  readonly existing: ReadonlyMap<string, RecordSet>;
  readonly through: string | null;
  readonly next: RecordSetKey | null;
};

/**
 * Reads a page, and returns the names that it has in whole. If the page ends within a name, the next page begins with
 * that name; if the page has no other name, the name is read by itself. Null if the hosted zone is gone. Throws if a
 * read fails: names that were not read prove nothing.
 */
export async function readNames(
  { account: { hostedZones } }: Context,
  id: string,
  { from, after }: PagePosition,
): Promise<Names | null> {
  const page = await hostedZones.readPage(id, from);
  if (page === null) return null;
  const isNew = ({ name }: RecordSetKey) => after === null || compareRoute53Names(name, after) > 0;
  const sets = page.recordSets.filter(isNew);
  if (page.next === null) return { existing: byId(sets), through: null, next: null };
  const last = page.recordSets.at(-1)?.name ?? null;
  if (last === null || page.next.name !== last)
    return { existing: byId(sets), through: last ?? after, next: page.next };
  const whole = sets.filter(({ name }) => name !== last);
  const through = whole.at(-1)?.name;
  if (through !== undefined) {
    const { name, type, setIdentifier } = sets[whole.length] as RecordSet;
    return { existing: byId(whole), through, next: { name, type, setIdentifier } };
  }
  if (!isNew(page.next)) return { existing: new Map(), through: after, next: page.next };
  const alone = await hostedZones.readName(id, last);
  return alone === null ? null : { existing: byId(alone), through: last, next: page.next };
}

function byId(sets: readonly RecordSet[]): ReadonlyMap<string, RecordSet> {
  return new Map(sets.map((set) => [recordSetId(set), set]));
}
