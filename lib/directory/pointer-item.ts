// The ledger's items of pointers (lib/zones/pointers.ts): which hosts have an address. Each pointer has two items with
// one content, so that it is found from both sides: at the reverse name, and at the host.
import * as z from 'zod';
import { compareText } from '../dns/names/compare-text.ts';
import { reversedKey } from '../dns/names/name.ts';
import { type Codec, type Item, itemCodec } from '../ledger/item-codec.ts';
import { allItems } from '../ledger/pages.ts';
import { readableItems } from '../ledger/skip-unreadable.ts';
import { sameJson } from '../objects/same-json.ts';
import type { Ledger, LedgerItem, LedgerKey } from '../ports/ledger.ts';
import type { Pointer } from '../zones/pointers.ts';

const pointerBody = z.object({
  name: z.string(),
  host: z.string(),
  zone: z.string(),
  fqdn: z.string(),
  namespace: z.string(),
  age: z.object({ creationTimestamp: z.string().nullable(), uid: z.string().nullable(), order: z.string() }),
  ttl: z.number(),
});

export type PointerItem = Item<typeof pointerBody>;
export const pointerCodec: Codec<PointerItem> = itemCodec(pointerBody);

export function pointersPartition(cluster: string): string {
  return `pointers#${cluster}`;
}

/** The key of the item at the reverse name. */
function pointerKey(cluster: string, { name, host }: Pick<Pointer, 'name' | 'host'>): LedgerKey {
  return { partition: pointersPartition(cluster), sort: `${reversedKey(name)}!${host}` };
}

/** The key of the item at the host. */
function pointedKey(cluster: string, { name, host }: Pick<Pointer, 'name' | 'host'>): LedgerKey {
  return { partition: pointersPartition(cluster), sort: `${reversedKey(host)}!${name}` };
}

/** The items at a reverse name, or at a host. */
export async function pointerItemsAt(ledger: Ledger, cluster: string, name: string): Promise<readonly LedgerItem[]> {
  return allItems(ledger, pointersPartition(cluster), `${reversedKey(name)}!`);
}

/** The pointers to names at or below one with this reversed key; '': all. */
export async function readPointers(ledger: Ledger, cluster: string, prefix = ''): Promise<readonly Pointer[]> {
  const items = await allItems(ledger, pointersPartition(cluster), prefix);
  return items.flatMap((stored) => {
    const [pointer] = readableItems(pointerCodec, [stored]);
    return pointer !== undefined && stored.sort === pointerKey(cluster, pointer).sort ? [pointer] : [];
  });
}

/** What `savePointers` did. */
export type SavedPointers = {
  readonly wrote: boolean;
  /** The reverse names to update. */
  readonly names: readonly string[];
  /** The items at the host of pointers that are gone, to remove when their names were updated. */
  readonly leaving: readonly LedgerItem[];
};

/** Saves the pointers of a host: first the items at the host, so that a run that dies leaves no pointer unfound. */
export async function savePointers(
  ledger: Ledger,
  cluster: string,
  host: string,
  wanted: readonly Pointer[],
): Promise<SavedPointers> {
  const existing = new Map((await pointerItemsAt(ledger, cluster, host)).map((stored) => [stored.sort, stored]));
  let wrote = false;
  for (const pointer of wanted) {
    const key = pointedKey(cluster, pointer);
    const there = await ledger.get(pointerKey(cluster, pointer));
    const atHost = existing.get(key.sort);
    existing.delete(key.sort);
    const body = pointerCodec.encode({ ...pointer, age: { ...pointer.age } });
    if (atHost !== undefined && there !== null && sameJson(there.body, body)) continue;
    wrote = true;
    await ledger.put(key, body, atHost?.revision ?? null);
    await ledger.put(pointerKey(cluster, pointer), body, there?.revision ?? null);
  }
  const leaving = [...existing.values()];
  const left = readableItems(pointerCodec, leaving);
  for (const pointer of left) {
    const there = await ledger.get(pointerKey(cluster, pointer));
    if (there === null) continue;
    wrote = true;
    await ledger.remove(there, there.revision);
  }
  const names = [...wanted, ...left].map(({ name }) => name);
  return { wrote, names: [...new Set(names)].toSorted(compareText), leaving };
}
