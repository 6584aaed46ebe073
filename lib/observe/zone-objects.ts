// The Zones of a cluster as the ledger knows them, those that are gone left out. One whose item this code cannot read (of another
// version, or damaged) must neither hold up the others nor look deleted, which would release all that leans on it: while it
// cannot be read it stays as the directory has it, live where it is live. What the directory has not, nothing leans on.

import type { DirectoryItem } from '../directory/directory-item.ts';
import { allItems } from '../ledger/pages.ts';
import { readable } from '../ledger/skip-unreadable.ts';
import { keyOf, parseRef } from '../objects/object-ref.ts';
import type { Context } from '../ports/context.ts';
import { type ObjectItem, objectCodec, objectsPartition } from './object-item.ts';

/** Older than any object: who is live does not lose its name to another while nobody can read what it says. */
const OLDEST = '0001-01-01T00:00:00.000Z';

/** The Zones, and the keys of those that stand in for an item that cannot be read. */
export type ZoneObjects = { readonly items: readonly ObjectItem[]; readonly unreadable: ReadonlySet<string> };

/** Every Zone that is not gone, by the ledger and (where an item cannot be read) the directory, which was read before. */
export async function zoneObjects(
  { ledger, config, log }: Pick<Context, 'ledger' | 'config' | 'log'>,
  directory: readonly DirectoryItem[],
): Promise<ZoneObjects> {
  const items: ObjectItem[] = [];
  const unreadable = new Set<string>();
  for (const stored of await allItems(ledger, objectsPartition(config.clusterId, 'Zone'))) {
    const item = readable({ log }, objectCodec, stored);
    if (item !== null) {
      if (!item.deleted) items.push(item);
      continue;
    }
    const live = directory.find(({ key }) => key === stored.sort);
    if (live === undefined) continue;
    items.push(standIn(live));
    unreadable.add(live.key);
  }
  return { items, unreadable };
}

function standIn({ key, spec, takeover }: DirectoryItem): ObjectItem {
  const ref = parseRef(`Zone ${key}`);
  return {
    ref,
    uid: null,
    version: '',
    generation: null,
    age: { creationTimestamp: OLDEST, uid: null, order: keyOf(ref) },
    file: null,
    spec,
    problems: [],
    takeover,
    acknowledged: null,
    digest: '',
    unsettled: false,
    deleted: false,
    endpoints: null,
    leaving: [],
  };
}
