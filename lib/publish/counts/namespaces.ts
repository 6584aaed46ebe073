// What the guard counts of each namespace of a hosted zone. A run adds its deletes before it sends them, and the rest
// when it ends (charge-deletes.ts).
import { UnreadableItemError } from '../../ledger/item-codec.ts';
import { inParallel } from '../../ports/in-parallel.ts';
import type { Ledger } from '../../ports/ledger.ts';
import { type GuardItem, guardCodec, guardItemKey, readGuardItems } from '../../record-sets/guard-item.ts';
import type { HostedZoneItem } from '../../record-sets/hosted-zone-item.ts';
import { recentDeletions } from '../plan/guard.ts';
import type { Tallies } from '../plan/progress.ts';
import { deletionsWith } from './deletions.ts';

/** The numbers of namespaces, by name. */
export type NamespaceCounts = ReadonlyMap<string, Pick<GuardItem, 'publishedCount' | 'deletions'>>;

const AT_ONCE = 25;
const NOTHING = { publishedCount: 0, deletions: [] };

type Of = Pick<HostedZoneItem, 'cluster' | 'id' | 'deletions'>;

/**
 * The numbers of these namespaces, whose record sets are to be deleted, and of all others with deletions of the last
 * hour. One point read for each of them, unless others have deleted something, too. `unread` gets those of these
 * namespaces whose numbers this code cannot read.
 */
export async function readNamespaces(
  ledger: Ledger,
  hostedZone: Of,
  namespaces: Iterable<string>,
  nowMs: number,
  unread: Map<string, UnreadableItemError>,
): Promise<NamespaceCounts> {
  const found = new Map<string, GuardItem>();
  await inParallel(namespaces, AT_ONCE, async (namespace) => {
    const stored = await ledger.get(guardItemKey(hostedZone, namespace));
    const item = stored === null ? null : guardCodec.read(stored);
    if (item instanceof UnreadableItemError) unread.set(namespace, item);
    else if (item !== null) found.set(namespace, item);
  });
  const known = [...found.values()].reduce((sum, { deletions }) => sum + recentDeletions(deletions, nowMs), 0);
  if (known >= recentDeletions(hostedZone.deletions, nowMs)) return found;
  const { items } = await readGuardItems(ledger, hostedZone);
  return new Map(items.map((item) => [item.namespace, item]));
}

/** The numbers with those that a run has added to them. */
export function withTallies(
  counts: NamespaceCounts,
  tallies: ReadonlyMap<string, Tallies>,
  nowMs: number,
): NamespaceCounts {
  if (tallies.size === 0) return counts;
  const now = new Map(counts);
  for (const [namespace, added] of tallies) now.set(namespace, addedTo(counts.get(namespace), added, nowMs));
  return now;
}

/** The numbers of one namespace with what a run adds. */
export function addedTo(
  before: Pick<GuardItem, 'publishedCount' | 'deletions'> = NOTHING,
  added: Tallies,
  nowMs: number,
) {
  const publishedCount = Math.max(0, before.publishedCount + added.published);
  return { publishedCount, deletions: deletionsWith(added, before, nowMs) };
}
