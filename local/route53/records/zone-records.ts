// The record sets of one hosted zone, and a draft over them. A change batch is applied to the draft, change by change,
// which is then committed or dropped as a whole. Only the names that a batch touches are copied, so a batch costs the
// same in a zone of ten names and of a hundred thousand.
import { compareAscii, recordNameSortKey } from '../values/domain-name.ts';
import { compareAtName, type LocalRecordSet, recordSetKey } from './record-set.ts';

/** The record sets at a name, in Route 53's order. */
type AtName = readonly LocalRecordSet[];

const NOTHING: AtName = [];

/** The record sets that the rules of a change batch read and write. */
export type ZoneDraft = {
  /** The record sets at a name, as the batch has left them so far. */
  at(name: string): readonly LocalRecordSet[];
  find(name: string, type: string, setIdentifier: string | null): LocalRecordSet | undefined;
  put(recordSet: LocalRecordSet): void;
  remove(recordSet: LocalRecordSet): void;
  /** Record sets of the zone, as the batch has left it so far. */
  size(): number;
  /** Makes the draft the content of the zone. Returns the names that were written. */
  commit(): readonly string[];
};

export type ZoneRecords = {
  draft(): ZoneDraft;
  at(name: string): readonly LocalRecordSet[];
  /** All record sets in Route 53's order; the same array until something changes. */
  sorted(): readonly LocalRecordSet[];
  /** All record sets in no order, because sorting 100,000 takes a tenth of a second. */
  all(): readonly LocalRecordSet[];
  size(): number;
};

/** Record sets of one hosted zone, filled with `initial`. */
export function zoneRecords(initial: Iterable<LocalRecordSet>): ZoneRecords {
  const names = new Map<string, AtName>();
  let sorted: readonly LocalRecordSet[] | null = null;
  let size = 0;

  const write = (name: string, content: AtName): void => {
    size += content.length - (names.get(name) ?? NOTHING).length;
    sorted = null;
    if (content.length > 0) names.set(name, content);
    else names.delete(name);
  };

  const sort = (): readonly LocalRecordSet[] =>
    [...names]
      .map(([name, content]) => ({ key: recordNameSortKey(name), content }))
      .sort((a, b) => compareAscii(a.key, b.key))
      .flatMap(({ content }) => content);

  const records: ZoneRecords = {
    draft: () => zoneDraft(names, size, write),
    at: (name) => names.get(name) ?? NOTHING,
    sorted: () => {
      sorted ??= sort();
      return sorted;
    },
    all: () => [...names.values()].flat(),
    size: () => size,
  };
  const draft = records.draft();
  for (const recordSet of initial) draft.put(recordSet);
  draft.commit();
  return records;
}

function zoneDraft(
  names: ReadonlyMap<string, AtName>,
  sizeBefore: number,
  write: (name: string, content: AtName) => void,
): ZoneDraft {
  const touched = new Map<string, Map<string, LocalRecordSet>>();
  const standing = (name: string): AtName => names.get(name) ?? NOTHING;
  const copy = (name: string): Map<string, LocalRecordSet> => {
    const own = touched.get(name) ?? new Map(standing(name).map((recordSet) => [recordSetKey(recordSet), recordSet]));
    touched.set(name, own);
    return own;
  };
  let size = sizeBefore;
  const edit = (name: string, change: (content: Map<string, LocalRecordSet>) => void): void => {
    const content = copy(name);
    const before = content.size;
    change(content);
    size += content.size - before;
  };
  return {
    at: (name) => [...(touched.get(name)?.values() ?? standing(name))],
    find: (name, type, setIdentifier) => {
      const key = recordSetKey({ type, setIdentifier });
      const own = touched.get(name);
      return own === undefined ? standing(name).find((one) => recordSetKey(one) === key) : own.get(key);
    },
    put: (recordSet) => edit(recordSet.name, (content) => void content.set(recordSetKey(recordSet), recordSet)),
    remove: (recordSet) => edit(recordSet.name, (content) => void content.delete(recordSetKey(recordSet))),
    size: () => size,
    commit: () => {
      for (const [name, content] of touched) write(name, [...content.values()].sort(compareAtName));
      return [...touched.keys()];
    },
  };
}
