// Reads the directory. An item that this code cannot read (of another version, or damaged) must not delay the Zones
// elsewhere. What is at or below its name stays as it is, and so do the reports of the Zones above, which show it.
import { isAtOrBelow, nameOfReversedKey } from '../dns/names/name.ts';
import { type Stored, UnreadableItemError } from '../ledger/item-codec.ts';
import { allItems } from '../ledger/pages.ts';
import type { Ledger } from '../ports/ledger.ts';
import { type DirectoryItem, directoryCodec, directoryPartition } from './directory-item.ts';

export type Directory = {
  readonly zones: readonly Stored<DirectoryItem>[];
  /** The items that cannot be read, by the name of their Zone. */
  readonly unread: ReadonlyMap<string, UnreadableItemError>;
};

/** Every live Zone, or those whose reversed name starts with `prefix`. */
export async function readDirectory(ledger: Ledger, clusterId: string, prefix = ''): Promise<Directory> {
  const zones: Stored<DirectoryItem>[] = [];
  const unread = new Map<string, UnreadableItemError>();
  for (const stored of await allItems(ledger, directoryPartition(clusterId), prefix)) {
    const item = directoryCodec.read(stored);
    if (item instanceof UnreadableItemError) unread.set(nameOfReversedKey(stored.sort), item);
    else zones.push({ item, revision: stored.revision });
  }
  return { zones, unread };
}

/** True for the name of an item that cannot be read, and for names below it. */
export function isUnread({ unread }: Directory, fqdn: string): boolean {
  return [...unread.keys()].some((name) => isAtOrBelow(fqdn, name));
}
