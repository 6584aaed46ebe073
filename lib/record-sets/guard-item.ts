// What the guard counts of one namespace in one hosted zone: the record sets that its objects have there, and those
// that were deleted within the hour. The hosted zone's item has the same of all namespaces together.
import * as z from 'zod';
import { type Codec, type Item, itemCodec, UnreadableItemError } from '../ledger/item-codec.ts';
import { eachItem } from '../ledger/pages.ts';
import type { Ledger, LedgerKey } from '../ports/ledger.ts';
import type { HostedZoneItem } from './hosted-zone-item.ts';
import { HOUR_MS } from './retention.ts';

const guardBody = z.object({
  namespace: z.string(),
  publishedCount: z.number(),
  /** By the minute. `published`: how many record sets the namespace had before. */
  deletions: z.array(z.object({ atMs: z.number(), count: z.number(), published: z.number() })),
});
export type GuardItem = Item<typeof guardBody>;
export const guardCodec: Codec<GuardItem> = itemCodec(guardBody);

type Of = Pick<HostedZoneItem, 'cluster' | 'id'>;

/** The partition of what the guard counts of a hosted zone. */
export function guardPartition({ cluster, id }: Of): string {
  return `guard#${cluster}#${id}`;
}

export function guardItemKey(hostedZone: Of, namespace: string): LedgerKey {
  return { partition: guardPartition(hostedZone), sort: namespace };
}

/** True for the item of a namespace that has nothing left, and deleted nothing within the hour. */
function isSpentGuard({ publishedCount, deletions }: GuardItem, nowMs: number): boolean {
  return publishedCount === 0 && deletions.every(({ atMs }) => atMs <= nowMs - HOUR_MS);
}

/** Removes the items of namespaces that have nothing left, and deleted nothing within the hour. For the sweep. */
export async function removeSpentGuards(ledger: Ledger, hostedZone: Of, nowMs: number): Promise<void> {
  for await (const stored of eachItem(ledger, guardPartition(hostedZone))) {
    const item = guardCodec.read(stored);
    if (!(item instanceof UnreadableItemError) && isSpentGuard(item, nowMs))
      await ledger.remove(stored, stored.revision);
  }
}

/** The items of all namespaces, and those that this code cannot read, by namespace. */
export async function readGuardItems(
  ledger: Ledger,
  hostedZone: Of,
): Promise<{ readonly items: readonly GuardItem[]; readonly unread: ReadonlyMap<string, UnreadableItemError> }> {
  const items: GuardItem[] = [];
  const unread = new Map<string, UnreadableItemError>();
  for await (const stored of eachItem(ledger, guardPartition(hostedZone))) {
    const item = guardCodec.read(stored);
    if (item instanceof UnreadableItemError) unread.set(stored.sort, item);
    else items.push(item);
  }
  return { items, unread };
}
