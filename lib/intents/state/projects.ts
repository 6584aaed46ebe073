// The projects that exist: a project exists while it has an app or a record.
import { eachItem } from '../../ledger/pages.ts';
import type { IntentState } from './intent-state.ts';

/** All projects, in alphabetical order. */
export async function projectsOf({ ledger, keys }: IntentState): Promise<readonly string[]> {
  const found = new Set<string>();
  for (const partition of [keys.partitions.apps, keys.partitions.records])
    for await (const { sort } of eachItem(ledger, partition)) found.add(sort.slice(0, sort.indexOf('/')));
  return [...found].sort();
}
