// Since when each namespace has asked for a name: one item for each name that somebody asks for, or asked for within
// the last ten minutes. Whoever updates a name writes it, and removes it when nobody is left (docs/adr/0018-*.md).
import * as z from 'zod';
import { nameOfReversedKey, reversedKey } from '../dns/names/name.ts';
import { type Codec, type Item, itemCodec, readItem, type Stored, UnreadableItemError } from '../ledger/item-codec.ts';
import { eachItem } from '../ledger/pages.ts';
import type { Ledger, LedgerKey } from '../ports/ledger.ts';
import type { NameAge } from '../zones/name-ages.ts';

const agesBody = z.object({
  /** The oldest first. */
  ages: z.array(
    z.object({ group: z.string(), namespace: z.string(), sinceMs: z.number(), goneMs: z.number().exactOptional() }),
  ),
});

export type NameAgesItem = Item<typeof agesBody>;
export const agesCodec: Codec<NameAgesItem> = itemCodec(agesBody);

/** The ages at a name as they are saved. `unread`: this code cannot read them, so there seem to be none. */
type SavedAges = Stored<NameAgesItem> & { readonly unread?: UnreadableItemError };

/** The ages at names as they are saved, by name. */
export type StoredAges = ReadonlyMap<string, SavedAges>;

/** Whose ages: of names that objects ask for, or of fqdns that Zones ask for. There are few Zones: all are read. */
type AgesOf = 'names' | 'zones';

export function agesPartition(cluster: string, of: AgesOf = 'names'): string {
  return `ages#${cluster}#${of}`;
}

export function agesKey(cluster: string, name: string, of: AgesOf = 'names'): LedgerKey {
  return { partition: agesPartition(cluster, of), sort: reversedKey(name) };
}

/** The ages at a name; null: there are none yet. @throws UnreadableItemError */
export function readAges(ledger: Ledger, cluster: string, name: string): Promise<Stored<NameAgesItem> | null> {
  return readItem(ledger, agesKey(cluster, name), agesCodec);
}

/** The ages at all names at or below one with this reversed key; '': at all names. */
export async function readAllAges(
  ledger: Ledger,
  cluster: string,
  prefix = '',
  of: AgesOf = 'names',
): Promise<StoredAges> {
  const found = new Map<string, SavedAges>();
  for await (const stored of eachItem(ledger, agesPartition(cluster, of), prefix)) {
    const { sort, revision } = stored;
    const item = agesCodec.read(stored);
    const saved =
      item instanceof UnreadableItemError ? { item: { ages: [] }, revision, unread: item } : { item, revision };
    found.set(nameOfReversedKey(sort), saved);
  }
  return found;
}

/** The names whose ages this code cannot read. */
export function unreadAges(stored: StoredAges): ReadonlyMap<string, UnreadableItemError> {
  return new Map([...stored].flatMap(([name, { unread }]) => (unread === undefined ? [] : [[name, unread] as const])));
}

/**
 * Saves the ages at a name over those that were read, or removes them if there are none. False: another run has written
 * them meanwhile, and nothing was saved. Nothing is saved over ages that this code cannot read, either.
 */
export async function saveAges(
  ledger: Ledger,
  cluster: string,
  name: string,
  { stored, ages }: { readonly stored: SavedAges | null; readonly ages: readonly NameAge[] },
  of: AgesOf = 'names',
): Promise<boolean> {
  const key = agesKey(cluster, name, of);
  if (stored?.unread !== undefined) return true;
  if (ages === (stored?.item.ages ?? null) || (stored === null && ages.length === 0)) return true;
  if (ages.length > 0)
    return (await ledger.put(key, agesCodec.encode({ ages: [...ages] }), stored?.revision ?? null)) !== null;
  return stored === null || ledger.remove(key, stored.revision);
}
