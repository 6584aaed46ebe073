// The record sets of one hosted zone, and a draft over them: a change batch is played into the draft, change by change,
// and committed whole or dropped whole. Only the names that a batch touches are copied, so a batch costs the same in a
// zone of ten names and of a hundred thousand.
import { compareAscii, recordNameSortKey } from '../values/domain-name.ts';
import { compareAtName, type LocalRecordSet, recordSetKey } from './record-set.ts';

type AtName = ReadonlyMap<string, LocalRecordSet>;

const NOTHING: AtName = new Map();

/** What the rules of a change batch see and write. */
export type ZoneDraft = {
  /** The record sets at a name, as the batch has left them so far. */
  at(name: string): readonly LocalRecordSet[];
  find(name: string, type: string, setIdentifier: string | null): LocalRecordSet | undefined;
  put(recordSet: LocalRecordSet): void;
  remove(recordSet: LocalRecordSet): void;
  /** Record sets of the zone, as the batch has left it so far. */
  size(): number;
  /** Makes the draft the zone's content; returns the names it wrote. */
  commit(): readonly string[];
};

export type ZoneRecords = {
  draft(): ZoneDraft;
  at(name: string): readonly LocalRecordSet[];
  /** All record sets in Route 53's order; the same array until something changes. */
  sorted(): readonly LocalRecordSet[];
  size(): number;
};

/** Record sets of one hosted zone, filled with `initial`. */
export function zoneRecords(initial: Iterable<LocalRecordSet>): ZoneRecords {
  const names = new Map<string, AtName>();
  const sortKeys = new Map<string, string>();
  let sorted: readonly LocalRecordSet[] | null = null;
  let size = 0;

  const write = (name: string, content: AtName): void => {
    size += content.size - (names.get(name)?.size ?? 0);
    sorted = null;
    if (content.size > 0) {
      names.set(name, content);
      sortKeys.set(name, recordNameSortKey(name));
    } else {
      names.delete(name);
      sortKeys.delete(name);
    }
  };

  const sort = (): readonly LocalRecordSet[] =>
    [...names]
      .sort(([a], [b]) => compareAscii(sortKeys.get(a) ?? '', sortKeys.get(b) ?? ''))
      .flatMap(([, content]) => [...content.values()].sort(compareAtName));

  const records: ZoneRecords = {
    draft: () => zoneDraft(names, size, write),
    at: (name) => [...(names.get(name) ?? NOTHING).values()].sort(compareAtName),
    sorted: () => {
      sorted ??= sort();
      return sorted;
    },
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
  const read = (name: string): AtName => touched.get(name) ?? names.get(name) ?? NOTHING;
  const copy = (name: string): Map<string, LocalRecordSet> => {
    const own = touched.get(name) ?? new Map(read(name));
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
    at: (name) => [...read(name).values()],
    find: (name, type, setIdentifier) => read(name).get(recordSetKey({ type, setIdentifier })),
    put: (recordSet) => edit(recordSet.name, (content) => void content.set(recordSetKey(recordSet), recordSet)),
    remove: (recordSet) => edit(recordSet.name, (content) => void content.delete(recordSetKey(recordSet))),
    size: () => size,
    commit: () => {
      for (const [name, content] of touched) write(name, content);
      return [...touched.keys()];
    },
  };
}
