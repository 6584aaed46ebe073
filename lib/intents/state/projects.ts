// Which projects there are: those of which something is said.
import { eachItem } from '../../ledger/pages.ts';
import type { IntentState } from './intent-state.ts';

/** Every project that has an app or a record, in order of text. */
export async function projectsOf({ ledger, keys }: IntentState): Promise<readonly string[]> {
  const found = new Set<string>();
  for (const partition of [keys.partitions.apps, keys.partitions.records])
    for await (const { sort } of eachItem(ledger, partition)) found.add(sort.slice(0, sort.indexOf('/')));
  return [...found].sort();
}
