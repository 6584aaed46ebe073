// Reads the directory. An item that this code cannot read (of another version, or damaged) must not delay the Zones
// elsewhere. What is at or below its name stays as it is, and so do the reports of the Zones above, which show it.
import { isAtOrBelow, nameOfReversedKey } from '../dns/names/name.ts';
import { type Stored, UnreadableItemError } from '../ledger/item-codec.ts';
import { allItems } from '../ledger/pages.ts';
import type { Ledger } from '../ports/ledger.ts';
import type { ZoneHistory } from '../zones/resolve-zones.ts';
import { type DirectoryItem, directoryCodec, directoryPartition } from './directory-item.ts';
import { readAllAges, type StoredAges } from './name-ages-item.ts';

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

/** What the ledger tells of earlier times: which Zones are live, and since when Zones have asked for their names. */
export async function readHistory(
  ledger: Ledger,
  clusterId: string,
  nowMs: number,
  { zones }: Pick<Directory, 'zones'>,
): Promise<ZoneHistory & { readonly stored: StoredAges }> {
  const stored = await readAllAges(ledger, clusterId, '', 'zones');
  const sinceMs = [...stored.values()].flatMap(({ item }) => item.ages.map((age) => age.sinceMs));
  const roots = zones.filter(({ item }) => item.parent === null);
  return {
    standing: new Map(roots.map(({ item: { fqdn, key } }) => [fqdn, key.slice(0, key.indexOf('/'))])),
    known: {
      nowMs,
      // The ages of different names are compared, and whoever saved one may have a clock that is fast.
      newMs: Math.max(nowMs, ...sinceMs.map((ms) => ms + 1)),
      live: new Map(zones.map(({ item: { fqdn, key } }) => [fqdn, key])),
      agesAt: (fqdn) => stored.get(fqdn)?.item.ages ?? [],
    },
    stored,
  };
}
