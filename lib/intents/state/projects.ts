// The projects that exist: those that have an app or a record, and those of which something is still published. Also
// those of which something was removed, so that objects may be left in the central cluster.
import { randomUUID } from 'node:crypto';
import { UnreadableItemError } from '../../ledger/item-codec.ts';
import { allItems, eachItem } from '../../ledger/pages.ts';
import type { LedgerItem, LedgerKey } from '../../ports/ledger.ts';
import type { IntentState } from './intent-state.ts';
import { removalCodec, servedCodec } from './items.ts';

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

/** All projects that may have objects in the central cluster. */
export async function projectsToCompare(state: IntentState): Promise<readonly string[]> {
  const found = new Set(await projectsOf(state));
  for await (const { sort } of eachItem(state.ledger, state.keys.partitions.removals)) found.add(projectIn(sort));
  return [...found].sort();
}

/**
 * Notes that something of a project is about to be removed. The note stays until a run has compared its objects in the
 * central cluster since: the project may have no app and no record by then. Each note has an item of its own, because
 * many removals may come at once.
 */
export async function noteRemoval({ ledger, keys, clock }: IntentState, project: string): Promise<void> {
  const key: LedgerKey = { partition: keys.partitions.removals, sort: `${project}/${randomUUID()}` };
  await ledger.put(key, removalCodec.encode({ atMs: clock.nowMs() }), null);
}

/** The notes of a project's removals. */
export function notedRemovals({ ledger, keys }: IntentState, project: string): Promise<readonly LedgerItem[]> {
  return allItems(ledger, keys.partitions.removals, `${project}/`);
}

/** How long a removal is noted without a central cluster that could be compared. */
const NOTED_MS = 30 * 86_400_000;

/** Removes notes of removals after 30 days: there may be no central cluster. */
export async function forgetRemovals({ ledger, keys, clock }: IntentState): Promise<void> {
  for await (const stored of eachItem(ledger, keys.partitions.removals)) {
    const noted = removalCodec.read(stored);
    if (noted instanceof UnreadableItemError || clock.nowMs() - noted.atMs <= NOTED_MS) continue;
    await ledger.remove(stored, stored.revision);
  }
}
