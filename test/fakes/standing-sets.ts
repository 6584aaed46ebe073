// The record sets of one hosted zone in memory, found by their id and by their name. The cost of a batch depends on
// what it changes, not on the size of the hosted zone.
import type { RecordSet, RecordSetKey } from '../../lib/dns/record-set.ts';

export type StandingSets = {
  get(id: string): RecordSet | undefined;
  set(recordSet: RecordSet): void;
  delete(id: string): void;
  /** All record sets at a name. */
  at(name: string): readonly RecordSet[];
  all(): readonly RecordSet[];
};

/** The key of a record set within its hosted zone. */
export function idOf(key: RecordSetKey): string {
  return `${key.name} ${key.type} ${key.setIdentifier ?? ''}`;
}

/** Starts with these record sets. */
export function standingSets(first: readonly RecordSet[]): StandingSets {
  const sets = new Map<string, RecordSet>();
  const names = new Map<string, Set<string>>();
  const set = (recordSet: RecordSet) => {
    const id = idOf(recordSet);
    sets.set(id, recordSet);
    const ids = names.get(recordSet.name);
    if (ids === undefined) names.set(recordSet.name, new Set([id]));
    else ids.add(id);
  };
  for (const recordSet of first) set(recordSet);
  return {
    get: (id) => sets.get(id),
    set,
    delete: (id) => {
      const found = sets.get(id);
      if (found === undefined) return;
      sets.delete(id);
      const ids = names.get(found.name);
      ids?.delete(id);
      if (ids?.size === 0) names.delete(found.name);
    },
    at: (name) => [...(names.get(name) ?? [])].map((id) => sets.get(id) as RecordSet),
    all: () => [...sets.values()],
  };
}
