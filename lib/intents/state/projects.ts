// The projects that exist: those that have an app or a record, and those of which something is still published.
import { UnreadableItemError } from '../../ledger/item-codec.ts';
import { eachItem } from '../../ledger/pages.ts';
import type { IntentState } from './intent-state.ts';
import { servedCodec } from './items.ts';

/** All projects, in alphabetical order. */
export async function projectsOf({ ledger, keys }: IntentState): Promise<readonly string[]> {
  const found = new Set<string>();
  for (const partition of [keys.partitions.apps, keys.partitions.records])
    for await (const { sort } of eachItem(ledger, partition)) found.add(projectIn(sort));
  // A call that was cut off may have removed the last app and record, and left what they published.
  for await (const stored of eachItem(ledger, keys.partitions.served)) {
    const served = servedCodec.read(stored);
    if (served instanceof UnreadableItemError || served.sets.length > 0) found.add(projectIn(stored.sort));
  }
  return [...found].sort();
}

/** The project of an item, by its sort key. */
export function projectIn(sort: string): string {
  return sort.slice(0, sort.indexOf('/'));
}
