// The ledger's item of a subtree that is yet to be updated. lib/resolve updates it; whoever waits for it reads it here.
import * as z from 'zod';
import { type Codec, itemCodec } from '../ledger/item-codec.ts';
import { allItems } from '../ledger/pages.ts';
import { type WalkCursor, walkCursor } from '../ledger/scan.ts';
import type { ZoneKey } from '../objects/object-ref.ts';
import type { Context } from '../ports/context.ts';
import type { HostedZoneName } from '../record-sets/hosted-zone-item.ts';

/** `fqdn` null: no names, only the Records that name `members` are to be reported. */
export type SubtreeTask = {
  readonly fqdn: string | null;
  readonly members: readonly ZoneKey[];
  readonly alsoIn: readonly HostedZoneName[];
  /** Null: not begun. */
  readonly cursor: WalkCursor | null;
};

/** What is yet to be updated: all at and below a name, and the hosted zones that it may leave or come to. */
export type Settling = { readonly fqdn: string; readonly hostedZoneIds: readonly string[] };

/** Everything of a cluster that is yet to be updated. */
export async function readSettling(ledger: Context['ledger'], clusterId: string): Promise<readonly Settling[]> {
  const tasks = (await allItems(ledger, tasksPartition(clusterId))).map(subtreeCodec.decode);
  return tasks.flatMap(({ fqdn, alsoIn }) =>
    fqdn === null ? [] : [{ fqdn, hostedZoneIds: alsoIn.map(({ id }) => id) }],
  );
}

export function tasksPartition(clusterId: string): string {
  return `subtrees#${clusterId}`;
}

/** Tasks of an earlier version of this code have no cursor: they begin at the beginning. */
export const subtreeCodec: Codec<SubtreeTask> = itemCodec(
  z.object({
    fqdn: z.string().nullable(),
    members: z.array(z.string()),
    alsoIn: z.array(z.object({ id: z.string(), apex: z.string() })),
    cursor: walkCursor.nullable().default(null),
  }),
);
