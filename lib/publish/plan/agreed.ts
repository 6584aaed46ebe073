// What somebody agreed to: the record sets that a plan showed it would delete or replace. A run for such a plan
// destroys nothing else, so what came to Route 53 after the review stays. Pure.
import type { Change } from '../../dns/plan-changes.ts';
import { type RecordSet, type RecordSetContent, recordSetId, sameContent } from '../../dns/record-set.ts';

/** The content that may be destroyed of each record set, by id. */
export type Agreed = ReadonlyMap<string, RecordSetContent>;

/** What these changes show. `replaced`: record sets that go because Route 53 does not allow them beside a change. */
export function agreedIn(changes: readonly Change[], replaced: readonly RecordSet[]): Agreed {
  const shown = changes.flatMap(({ before, also = [], ...key }) => [
    ...(before === null ? [] : [{ ...key, content: before }]),
    ...also,
  ]);
  return new Map([...shown, ...replaced].map((set) => [recordSetId(set), set.content]));
}

/** The first record set that these changes would destroy without agreement; null: there is none. */
export function unagreedIn(agreed: Agreed, changes: readonly Change[]): RecordSet | null {
  for (const { before, after, also = [], type, ...key } of changes) {
    const set =
      before === null || type === 'SOA' || sameContent(before, after) ? [] : [{ ...key, type, content: before }];
    const gone = [...set, ...also].find((one) => !sameContent(agreed.get(recordSetId(one)) ?? null, one.content));
    if (gone !== undefined) return gone;
  }
  return null;
}
