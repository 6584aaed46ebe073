// The ledger's item of a subtree that must still be updated. lib/resolve updates it. A run of publish that waits for it
// reads it here.
import * as z from 'zod';
import { nameOfReversedKey } from '../dns/names/name.ts';
import { type Codec, type Item, itemCodec, UnreadableItemError } from '../ledger/item-codec.ts';
import { allItems } from '../ledger/pages.ts';
import { walkCursor } from '../ledger/scan.ts';
import type { Context } from '../ports/context.ts';

const taskBody = z.object({
  fqdn: z.string().nullable(),
  members: z.array(z.string()),
  /** It is about a cut of another cluster, and the members are above it. */
  ofCut: z.literal(true).exactOptional(),
  alsoIn: z.array(z.object({ id: z.string(), apex: z.string() })),
  /** Null: not begun. */
  cursor: walkCursor.nullable(),
});

/** A subtree to update. `fqdn` null: there is nothing to update, and only Records that name `members` are reported. */
export type SubtreeTask = Item<typeof taskBody>;
export const subtreeCodec: Codec<SubtreeTask> = itemCodec(taskBody);

/** A subtree that is not updated yet: its top, and the hosted zones that its names may leave or enter. */
export type Settling = { readonly fqdn: string; readonly hostedZoneIds: readonly string[] };

/** All subtrees of a cluster that are not updated yet. Of a task that this code cannot read, the key has the top. */
export async function readSettling(ledger: Context['ledger'], clusterId: string): Promise<readonly Settling[]> {
  const tasks = await allItems(ledger, tasksPartition(clusterId));
  return tasks.flatMap((stored): Settling[] => {
    const task = subtreeCodec.read(stored);
    if (task instanceof UnreadableItemError)
      return stored.sort.startsWith('!') ? [] : [{ fqdn: nameOfReversedKey(stored.sort), hostedZoneIds: [] }];
    return task.fqdn === null ? [] : [{ fqdn: task.fqdn, hostedZoneIds: task.alsoIn.map(({ id }) => id) }];
  });
}

export function tasksPartition(clusterId: string): string {
  return `subtrees#${clusterId}`;
}
