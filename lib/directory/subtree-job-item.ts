// The ledger's item of a subtree that must still be updated. lib/resolve updates it. A run of publish that waits for it
// reads it here.
import * as z from 'zod';
import { type Codec, itemCodec } from '../ledger/item-codec.ts';
import { allItems } from '../ledger/pages.ts';
import { type WalkCursor, walkCursor } from '../ledger/scan.ts';
import type { ZoneKey } from '../objects/object-ref.ts';
import type { Context } from '../ports/context.ts';
import type { HostedZoneName } from '../record-sets/hosted-zone-item.ts';

/** A subtree to update. `fqdn` null: there is nothing to update, and only Records that name `members` are reported. */
export type SubtreeTask = {
  readonly fqdn: string | null;
  readonly members: readonly ZoneKey[];
  readonly alsoIn: readonly HostedZoneName[];
  /** Null: not begun. */
  readonly cursor: WalkCursor | null;
};

/** A subtree that is not updated yet: its top, and the hosted zones that its names may leave or enter. */
export type Settling = { readonly fqdn: string; readonly hostedZoneIds: readonly string[] };

/** All subtrees of a cluster that are not updated yet. */
export async function readSettling(ledger: Context['ledger'], clusterId: string): Promise<readonly Settling[]> {
  const tasks = (await allItems(ledger, tasksPartition(clusterId))).map(subtreeCodec.decode);
  return tasks.flatMap(({ fqdn, alsoIn }) =>
    fqdn === null ? [] : [{ fqdn, hostedZoneIds: alsoIn.map(({ id }) => id) }],
  );
}

export function tasksPartition(clusterId: string): string {
  return `subtrees#${clusterId}`;
}

/** Tasks of an earlier version of this code have no cursor, and start at the beginning. */
export const subtreeCodec: Codec<SubtreeTask> = itemCodec(
  z.object({
    fqdn: z.string().nullable(),
    members: z.array(z.string()),
    alsoIn: z.array(z.object({ id: z.string(), apex: z.string() })),
    cursor: walkCursor.nullable().default(null),
  }),
);
